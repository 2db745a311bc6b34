//! Addresses of the network: IPv4, hosts, ports, mailboxes.

use super::cursor::Cursor;
use super::letters::{self, Sort};

/// Longest domain of a mailbox, in bytes.
const LONGEST_DOMAIN: usize = 64;

/// Longest name of a host, in bytes.
const LONGEST_HOST: usize = 253;

/// Where a port ends behind a host, from the colon between them.
pub(super) fn port_end(text: &str, host: &str, colon: usize) -> Option<usize> {
    let mut cursor = Cursor::new(text, colon);
    cursor.take(':');
    let has_port = matches!(cursor.take_digits(), 1..=5)
        && !matches!(cursor.peek(), Some('_' | '.'))
        && !letters::is_word_at(text, cursor.place());
    let is_host = host == "localhost" || is_ipv4(host) || is_lower_host(host) || is_host(host);
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

/// Whether a token ends as hosts do: in small letters, or in capitals throughout.
pub(super) fn is_host(token: &str) -> bool {
    let Some((labels, suffix)) = token.rsplit_once('.') else {
        return false;
    };
    let is_long = labels.contains('.');
    let has_suffix = if suffix.contains(char::is_uppercase) {
        let is_of_hosts = is_long || matches!(suffix, "COM" | "ORG" | "LOCAL" | "INTERNAL");
        is_of_hosts
            && !token.contains(char::is_lowercase)
            && is_suffix(&suffix.to_lowercase(), true)
    } else {
        is_suffix(suffix, is_long)
    };
    let is_label = |label: &str| {
        !label.is_empty()
            && label.chars().all(|character| {
                let sort = Sort::of(character);
                character == '-' || sort.is_word() || sort == Sort::Dense
            })
    };
    token.len() <= LONGEST_HOST && has_suffix && labels.split('.').all(is_label)
}

/// Whether a token with text of a script without spaces is a host as a whole: such text is within its name, not before it.
pub(super) fn is_dense_host(token: &str) -> bool {
    let behind = token.rsplit(|last| Sort::of(last) == Sort::Dense).next();
    behind.is_some_and(|behind| behind.starts_with('.')) && is_host(token)
}

fn is_suffix(label: &str, is_long: bool) -> bool {
    is_host_suffix(label)
        || (is_long && matches!(label, "it" | "at" | "me" | "in" | "co" | "is" | "no" | "to"))
        || label
            .strip_prefix("xn--")
            .is_some_and(|name| !name.is_empty())
}

#[rustfmt::skip]
fn is_host_suffix(label: &str) -> bool {
    matches!(label.as_bytes(),
        b"com" | b"net" | b"org" | b"edu" | b"gov" | b"info" | b"biz" | b"cloud" | b"dev" | b"app"
        | b"local" | b"internal" | b"intranet" | b"lan" | b"corp" | b"svc" | b"cluster" | b"localdomain"
        | b"io" | b"ai" | b"tech" | b"xyz" | b"online" | b"site" | b"arpa"
        | b"example" | b"invalid" | b"localhost"
        | b"ru" | b"su" | b"by" | b"kz" | b"ua" | b"de" | b"eu" | b"fr" | b"uk" | b"nl" | b"pl" | b"cn" | b"jp" | b"kr"
        | b"es" | b"ch" | b"cz" | b"br" | b"tr" | b"se" | b"fi" | b"tw" | b"hk"
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
    let is_dense = |character: char| Sort::of(character) == Sort::Dense;
    let mut previous = '.';
    let is_part = |character: char| {
        // Text of a script without spaces begins a label, or goes on behind the domain.
        let goes_on = matches!(character, '.' | '-')
            || Sort::of(character).is_word()
            || (is_dense(character) && (previous == '.' || is_dense(previous)));
        previous = character;
        goes_on
    };
    let length = rest
        .char_indices()
        .take_while({
            let mut is_part = is_part;
            move |(place, character)| *place <= LONGEST_DOMAIN && is_part(*character)
        })
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
    let name = if last.starts_with("xn--") {
        last
    } else {
        letters::word(last)
    };
    (name.chars().count() > 1).then(|| at_sign + 1 + labels.len() + 1 + name.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_told_from_classes_by_their_last_label() {
        for host in [
            "db.internal",
            "a.b.svc.cluster.local",
            "example.com",
            "k8s-1.corp",
            "пример.рф",
            "db.io",
            "es01.example.com.br",
            "a.gov.it",
            "xn--e1afmkfd.xn--p1ai",
            "DB.EXAMPLE.COM",
            "EXAMPLE.COM",
            "es01.例え.jp",
        ] {
            assert!(is_host(host), "{host}");
        }
        assert!(is_dense_host("例え.jp"));
        assert!(!is_dense_host("访问db.jp"));
        for name in [
            "java.io.IOException",
            "torch.cuda",
            "ASP.NET",
            "KB.INFO",
            "page.at",
            "Foo.Io.COM",
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
        assert_eq!(domain_end("a@b.xn--p1ai x", 1), Some(12));
        assert_eq!(domain_end("a@例え.jp失败", 1), Some("a@例え.jp".len()));
        for text in ["a@", "a@b", "a@1.2", "a@.de", "a@b.c"] {
            assert_eq!(domain_end(text, 1), None, "{text}");
        }
    }
}
