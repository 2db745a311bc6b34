//! Addresses of the network: IPv4, IPv6, hosts, ports, mailboxes; and the clock, which looks like an address.

use super::cursor::Cursor;
use super::letters::{self, Sort};
use super::mask::Mask;

/// Characters of a text with colons within which a digit must come, or else it is of words.
const FIRST_DIGIT_WITHIN: usize = 40;

/// Longest domain of a mailbox, in bytes.
const LONGEST_DOMAIN: usize = 64;

/// Groups of hexadecimal digits with colons between them, as far as they were read.
#[derive(Debug, Clone, Copy, Default)]
struct Groups {
    count: usize,
    letters: bool,
    digits: bool,
    longest: usize,
    /// Two colons in a row, which stand for groups of zeros.
    shortened: bool,
    end: usize,
}

impl Groups {
    /// With one more group, unless no address has such groups.
    fn with(self, group: &str, end: usize) -> Option<Self> {
        let groups = Self {
            count: self.count + 1,
            letters: self.letters || group.bytes().any(|byte| byte.is_ascii_alphabetic()),
            digits: self.digits || group.bytes().any(|byte| byte.is_ascii_digit()),
            longest: self.longest.max(group.len()),
            end,
            ..self
        };
        (!groups.letters || groups.longest <= 4).then_some(groups)
    }

    fn mask(self) -> Option<Mask> {
        let is_time = !self.letters && !self.shortened && (2..=5).contains(&self.count);
        let is_address = self.longest <= 4 && (self.shortened || self.count > 2);
        match self.digits {
            true if is_time => Some(Mask::Time),
            true if is_address || (!self.letters && self.count > 5) => Some(Mask::Address),
            _ => None,
        }
    }
}

/// A time of day (`10:20:30`), an IPv6 address or a hardware address at a place, and where it ends.
///
/// What is read is taken, or it is short: no text is read time and again.
pub(super) fn with_colons(text: &str, place: usize) -> Option<(Mask, usize)> {
    let groups = read_groups(text, place);
    let mask = groups.mask()?;
    let mut cursor = Cursor::new(text, groups.end);
    match mask {
        Mask::Time => skip_fraction_and_offset(&mut cursor),
        _ if cursor.take('%') => {
            // The zone of a local address: `fe80::1%eth0`.
            let zone = cursor.rest().bytes().take_while(u8::is_ascii_alphanumeric);
            cursor.skip(zone.count());
        }
        _ => {}
    }
    Some((mask, cursor.place()))
}

fn read_groups(text: &str, place: usize) -> Groups {
    let mut groups = Groups {
        end: place,
        ..Groups::default()
    };
    let mut cursor = Cursor::new(text, place);
    loop {
        if !groups.digits && cursor.place() - place > FIRST_DIGIT_WITHIN {
            return Groups::default();
        }
        let colons = cursor
            .rest()
            .bytes()
            .take_while(|byte| *byte == b':')
            .count();
        if colons > 2 || (colons == 2 && groups.shortened) || (colons == 0 && groups.count > 0) {
            return groups;
        }
        if colons == 1 && groups.count == 0 {
            return groups;
        }
        cursor.skip(colons);
        let shortened = groups.shortened || colons == 2;
        let Some((group, end)) = read_group(cursor, shortened || groups.letters) else {
            return groups;
        };
        let Some(next) = groups.with(group, end) else {
            return groups;
        };
        groups = Groups { shortened, ..next };
        cursor.skip(group.len());
    }
}

/// The group at a place: digits, or up to four hexadecimal ones, and no more of a word.
fn read_group(cursor: Cursor<'_>, hexadecimal: bool) -> Option<(&str, usize)> {
    let rest = cursor.rest();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let short = rest
        .bytes()
        .take(5)
        .take_while(u8::is_ascii_hexdigit)
        .count();
    let length = if hexadecimal {
        short
    } else {
        digits.max(short)
    };
    let end = cursor.place() + length;
    let mut behind = cursor;
    behind.skip(length);
    let zulu = behind.take('Z') || behind.take('z');
    let next = behind.peek().map(Sort::of);
    let ends = !matches!(next, Some(Sort::Letter | Sort::Digit)) && behind.peek() != Some('_');
    (length > 0 && ends).then_some((&rest[..length], if zulu { end + 1 } else { end }))
}

fn skip_fraction_and_offset(cursor: &mut Cursor<'_>) {
    for signs in [&['.', ','][..], &['+', '-'], &[':']] {
        let mut part = *cursor;
        if part.take_if(|sign| signs.contains(&sign)).is_some() && part.take_digits() > 0 {
            *cursor = part;
        }
    }
    let mut zulu = *cursor;
    if zulu.take('Z') && zulu.is_end_of_token() {
        *cursor = zulu;
    }
}

/// Where a port ends behind a host, from the colon between them.
pub(super) fn port_end(text: &str, host: &str, colon: usize) -> Option<usize> {
    let mut cursor = Cursor::new(text, colon);
    cursor.take(':');
    let has_port = matches!(cursor.take_digits(), 1..=5)
        && !matches!(cursor.peek(), Some('_' | '.'))
        && !letters::is_word_at(text, cursor.place());
    let is_host = host == "localhost" || is_ipv4(host) || is_lower_host(host);
    (has_port && is_host).then(|| cursor.place())
}

/// Whether a token may be a host: labels with dots, none in capitals, as the names of classes are.
fn is_lower_host(token: &str) -> bool {
    let is_label = |label: &str| {
        !label.is_empty()
            && label
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    };
    token.contains('.')
        && token.split('.').all(is_label)
        && token.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// Whether a token ends as hosts do.
pub(super) fn is_host(token: &str) -> bool {
    let Some((labels, suffix)) = token.rsplit_once('.') else {
        return false;
    };
    let is_label = |label: &str| {
        !label.is_empty()
            && label
                .chars()
                .all(|character| character == '-' || Sort::of(character).is_word())
    };
    is_host_suffix(suffix) && labels.split('.').all(is_label)
}

#[rustfmt::skip]
fn is_host_suffix(label: &str) -> bool {
    matches!(label.as_bytes(),
        b"com" | b"net" | b"org" | b"edu" | b"gov" | b"info" | b"biz" | b"cloud" | b"dev" | b"app"
        | b"local" | b"internal" | b"intranet" | b"lan" | b"corp" | b"svc" | b"cluster" | b"localdomain"
        | b"example" | b"invalid" | b"localhost"
        | b"ru" | b"su" | b"by" | b"kz" | b"ua" | b"de" | b"eu" | b"fr" | b"uk" | b"nl" | b"pl" | b"cn" | b"jp" | b"kr"
    ) || label == "рф"
}

/// Whether a token is an IPv4 address, with the length of its network or without.
pub(super) fn is_ipv4(token: &str) -> bool {
    let address = token.split_once('/').map_or(token, |(address, _)| address);
    let mut count = 0;
    address.split('.').all(|part| {
        count += 1;
        count <= 4
            && part.len() <= 3
            && part.bytes().all(|byte| byte.is_ascii_digit())
            && part.parse::<u8>().is_ok()
    }) && count == 4
}

/// Where the domain of a mailbox ends, from the sign before it: it has a dot, and letters behind the last one.
pub(super) fn domain_end(text: &str, at_sign: usize) -> Option<usize> {
    let rest = &text[at_sign + 1..];
    let is_part = |character: char| matches!(character, '.' | '-') || Sort::of(character).is_word();
    let length = rest
        .char_indices()
        .take_while(|(place, character)| *place <= LONGEST_DOMAIN && is_part(*character))
        .map(|(place, character)| place + character.len_utf8())
        .last()?;
    let domain = rest[..length].trim_end_matches(['.', '-']);
    let (labels, last) = domain.rsplit_once('.')?;
    let is_whole = domain.len() <= LONGEST_DOMAIN && !labels.is_empty() && !labels.starts_with('.');
    if !is_whole {
        return None;
    }
    if is_ipv4(domain) {
        return Some(at_sign + 1 + domain.len());
    }
    let name = letters::word(last);
    (name.chars().count() > 1).then(|| at_sign + 1 + labels.len() + 1 + name.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(Mask, &str)> {
        with_colons(text, 0).map(|(mask, end)| (mask, &text[end..]))
    }

    #[test]
    fn times_of_day_are_told_from_addresses() {
        for time in [
            "10:20",
            "10:20:30",
            "10:20:30.456",
            "10:20:30,456",
            "10:20:30Z",
            "1:02:03:04",
            "10:20:30.456+03:00",
        ] {
            assert_eq!(read(time), Some((Mask::Time, "")), "{time}");
        }
        for address in [
            "::1",
            "fe80::1%eth0",
            "2001:db8::8a2e:370:7334",
            "2001:0:0:0:0:0:0:1",
            "aa:bb:cc:dd:ee:01",
            "00:11:22:33:44:55",
        ] {
            assert_eq!(read(address), Some((Mask::Address, "")), "{address}");
        }
    }

    #[test]
    fn words_with_colons_are_neither() {
        for text in [
            "ab:cd:ef",
            "a::b",
            "add:5",
            "dead:beef",
            "12",
            "12:",
            ":12",
            "12:x",
            ":::1",
            "::",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(read("10:20:foo"), Some((Mask::Time, ":foo")));
    }

    #[test]
    fn hosts_are_told_from_classes_by_their_last_label() {
        for host in [
            "db.internal",
            "a.b.svc.cluster.local",
            "example.com",
            "k8s-1.corp",
            "пример.рф",
        ] {
            assert!(is_host(host), "{host}");
        }
        for name in [
            "java.io.IOException",
            "torch.cuda",
            "ASP.NET",
            ".com",
            "com",
            "a..com",
            "/x.com",
        ] {
            assert!(!is_host(name), "{name}");
        }
    }

    #[test]
    fn a_port_tells_a_host() {
        for text in ["localhost:80", "10.0.0.1:80", "db.prod:5432"] {
            let colon = text.find(':').unwrap();
            assert_eq!(
                port_end(text, &text[..colon], colon),
                Some(text.len()),
                "{text}"
            );
        }
        for text in [
            "page:12",
            "java.lang.Foo:12",
            "db.prod:543210",
            "db.prod:12ms",
            "db.prod:",
        ] {
            let colon = text.find(':').unwrap();
            assert_eq!(port_end(text, &text[..colon], colon), None, "{text}");
        }
    }

    #[test]
    fn a_mailbox_has_a_domain() {
        assert_eq!(domain_end("a@b.example.", 1), Some(11));
        assert_eq!(domain_end("a@пример.рф", 1), Some(19));
        assert_eq!(domain_end("a@b.example-x", 1), Some(11));
        for text in ["a@", "a@b", "a@1.2", "a@.de", "a@b.c"] {
            assert_eq!(domain_end(text, 1), None, "{text}");
        }
    }
}
