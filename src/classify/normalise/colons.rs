//! Groups of digits with colons between them: times of day, and addresses as IPv6 and network cards have them.

use super::addresses;
use super::cursor::Cursor;
use super::letters::Sort;
use super::mask::Mask;

/// Characters of a text with colons within which a digit must come, or else it is of words.
const FIRST_DIGIT_WITHIN: usize = 40;

/// Groups of hexadecimal digits with colons between them, as far as they were read.
#[derive(Debug, Clone, Copy, Default)]
struct Groups {
    count: usize,
    letters: bool,
    digits: bool,
    shortest: usize,
    longest: usize,
    /// Two colons in a row, which stand for groups of zeros.
    shortened: bool,
    /// Where the last group begins, unless two colons come last.
    last: Option<usize>,
    end: usize,
}

impl Groups {
    fn new(place: usize) -> Self {
        Self {
            shortest: usize::MAX,
            end: place,
            ..Self::default()
        }
    }

    /// With one more group, unless no address has such groups.
    fn with(self, group: &str, start: usize, end: usize) -> Option<Self> {
        let groups = Self {
            count: self.count + 1,
            letters: self.letters || group.bytes().any(|byte| byte.is_ascii_alphabetic()),
            digits: self.digits || group.bytes().any(|byte| byte.is_ascii_digit()),
            shortest: self.shortest.min(group.len()),
            longest: self.longest.max(group.len()),
            last: Some(start),
            end,
            ..self
        };
        (!groups.letters || groups.longest <= 4).then_some(groups)
    }

    /// With two colons at the end, where an address may have them: `fe80::`.
    fn with_open_end(self, end: usize) -> Self {
        if self.digits && !self.shortened && (self.longest == 4 || self.count > 1) {
            Self {
                shortened: true,
                last: None,
                end,
                ..self
            }
        } else {
            self
        }
    }

    fn mask(self) -> Option<Mask> {
        let is_time = !self.letters && !self.shortened && (2..=5).contains(&self.count);
        let is_address = self.longest <= 4 && (self.shortened || self.count > 2);
        match self.digits {
            true if is_time => Some(Mask::Time),
            true if is_address || (!self.letters && self.count > 5) => Some(Mask::Address),
            false if self.is_address_of_letters() => Some(Mask::Address),
            _ => None,
        }
    }

    /// `dead:beef::cafe`, `ab:cd:ef:ab:cd:ef`; `a::b` are words.
    fn is_address_of_letters(self) -> bool {
        let is_of_card = self.count == 6 && (self.shortest, self.longest) == (2, 2);
        (self.shortened && self.count > 2) || is_of_card || self.count == 8
    }
}

/// A time of day (`10:20:30`), an IPv6 address or a hardware address at a place, and where it ends.
///
/// What is read is taken, or it is short: no text is read time and again.
pub(super) fn read(text: &str, place: usize) -> Option<(Mask, usize)> {
    let groups = read_groups(text, place);
    let mask = groups.mask()?;
    // The rest of a longer row of letters is none: its beginning was not.
    if !groups.digits && text[..place].ends_with(':') {
        return None;
    }
    let mut cursor = Cursor::new(text, groups.end);
    if mask == Mask::Time {
        skip_fraction_and_offset(&mut cursor);
        return Some((mask, cursor.place()));
    }
    if let Some(group) = groups.last.filter(|_| groups.shortened) {
        skip_ipv4(&mut cursor, group, text);
    }
    skip_zone(&mut cursor);
    skip_number(&mut cursor, '/');
    skip_number(&mut cursor, ':');
    Some((mask, cursor.place()))
}

/// An address that begins with two colons: `::1`, or `::` alone, which stands for every address.
pub(super) fn read_shortened(text: &str, place: usize) -> Option<(Mask, usize)> {
    read(text, place).or_else(|| {
        let before = text[..place].chars().next_back();
        let stands_alone = before
            .is_none_or(|before| Sort::of(before) == Sort::Space || matches!(before, '[' | '('));
        let mut cursor = Cursor::new(text, place + "::".len());
        skip_number(&mut cursor, '/');
        skip_number(&mut cursor, ':');
        let ends = cursor
            .peek()
            .is_none_or(|next| Sort::of(next) == Sort::Space || next == ']');
        (stands_alone && ends).then(|| (Mask::Address, cursor.place()))
    })
}

/// Where an address in brackets ends with its port: `[fe80::1]:80`.
pub(super) fn bracketed_end(text: &str, bracket: usize) -> Option<usize> {
    let place = bracket + 1;
    let address = if text[place..].starts_with("::") {
        read_shortened(text, place)
    } else {
        read(text, place)
    };
    let (_, end) = address.filter(|(mask, _)| *mask == Mask::Address)?;
    let mut cursor = Cursor::new(text, end);
    let port = cursor.take(']').then(|| cursor.place())?;
    skip_number(&mut cursor, ':');
    (cursor.place() > port).then(|| cursor.place())
}

fn read_groups(text: &str, place: usize) -> Groups {
    let mut groups = Groups::new(place);
    let mut cursor = Cursor::new(text, place);
    loop {
        if !groups.digits && cursor.place() - place > FIRST_DIGIT_WITHIN {
            return Groups::default();
        }
        // No more than decide: a row of colons is not read again from each of them.
        let colons = cursor
            .rest()
            .bytes()
            .take(3)
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
            let is_open = colons == 2 && !cursor.peek().is_some_and(is_of_word);
            return if is_open {
                groups.with_open_end(cursor.place())
            } else {
                groups
            };
        };
        let Some(next) = groups.with(group, cursor.place(), end) else {
            return groups;
        };
        groups = Groups { shortened, ..next };
        cursor.skip(group.len());
    }
}

fn is_of_word(character: char) -> bool {
    Sort::of(character).is_word() || character == '_'
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
    let ends = !behind.peek().is_some_and(is_of_word);
    let is_group = length > 0 && (length <= 4 || !hexadecimal);
    (is_group && ends).then_some((&rest[..length], if zulu { end + 1 } else { end }))
}

/// The last group may be the first number of an IPv4 address: `::ffff:10.0.0.1`.
fn skip_ipv4<'a>(cursor: &mut Cursor<'a>, group: usize, text: &'a str) {
    let length = text[group..]
        .bytes()
        .take("255.255.255.255".len())
        .take_while(|byte| byte.is_ascii_digit() || *byte == b'.')
        .count();
    let address = text[group..group + length].trim_end_matches('.');
    if addresses::is_ipv4(address) {
        *cursor = Cursor::new(text, group + address.len());
    }
}

/// The zone of a local address: `fe80::1%eth0`.
fn skip_zone(cursor: &mut Cursor<'_>) {
    if cursor.take('%') {
        let is_of_zone = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let zone = cursor.rest().bytes().take_while(is_of_zone).count();
        cursor.skip(zone);
    }
}

/// A port or the length of a network, behind its sign.
fn skip_number(cursor: &mut Cursor<'_>, sign: char) {
    let mut number = *cursor;
    let is_number = number.take(sign) && matches!(number.take_digits(), 1..=5);
    if is_number && !number.peek().is_some_and(is_of_word) {
        *cursor = number;
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn rest(text: &str) -> Option<(Mask, &str)> {
        read(text, 0).map(|(mask, end)| (mask, &text[end..]))
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
            assert_eq!(rest(time), Some((Mask::Time, "")), "{time}");
        }
        for address in [
            "::1",
            "fe80::1%eth0",
            "2001:db8::8a2e:370:7334",
            "2001:0:0:0:0:0:0:1",
            "aa:bb:cc:dd:ee:01",
            "00:11:22:33:44:55",
            "ab:cd:ef:ab:cd:ef",
            "dead:beef::cafe",
            "2a02:6b8::feed:bed:bad",
            "fe80::",
            "fe80::/64",
            "fe80::1%br-1a2b",
            "2001:db8::1/64",
            "::ffff:10.0.0.1",
            "64:ff9b::10.0.0.1",
            "::ffff:10.0.0.1:13147",
            "::1:10472",
        ] {
            assert_eq!(rest(address), Some((Mask::Address, "")), "{address}");
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
            "cafe::face",
            "a:b:c:d:e:f",
            "12::",
            "add:feed::",
            "::",
        ] {
            assert_eq!(rest(text), None, "{text}");
        }
        assert_eq!(rest("10:20:foo"), Some((Mask::Time, ":foo")));
    }

    #[test]
    fn two_colons_alone_are_an_address_where_no_word_is_beside_them() {
        for (text, rest) in [
            ("::", ""),
            (":: b", " b"),
            (":::80", ""),
            ("::/0", ""),
            ("::]", "]"),
            ("::1 b", " b"),
        ] {
            let read = read_shortened(text, 0).map(|(_, end)| &text[end..]);
            assert_eq!(read, Some(rest), "{text}");
        }
        for text in ["::b", "::<T>", "::error::", "::,"] {
            assert_eq!(read_shortened(text, 0), None, "{text}");
        }
        assert_eq!(read_shortened("a::", 1), None);
    }

    #[test]
    fn brackets_part_an_address_from_its_port() {
        assert_eq!(bracketed_end("[fe80::1]:80 b", 0), Some(12));
        assert_eq!(bracketed_end("[::]:80", 0), Some(7));
        for text in ["[::1]", "[10:20]:30", "[a::b]:80", "[::1]:x", "[::1:80"] {
            assert_eq!(bracketed_end(text, 0), None, "{text}");
        }
    }
}
