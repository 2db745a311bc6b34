//! Numbers, ids and codes: tokens that hold a digit. They share a placeholder, because chance decides which of them an id
//! looks like: `1234567a` and `12345678` come from the same place.

use super::addresses;
use super::letters::{self, Sort};
use super::mask::Mask;
use super::units;

/// What a token with a digit is, which is no path, no file and no host.
pub(super) fn mask(token: &str) -> Mask {
    if token.bytes().all(|byte| byte.is_ascii_digit()) {
        return Mask::Number;
    }
    let body = token.trim_start_matches(['+', '-', '−', '~', '.', '_']);
    if addresses::is_ipv4(body) {
        Mask::Address
    } else {
        Mask::Number
    }
}

/// Where what belongs to a number ends that ends at a place: its unit, or the signs at the end of an id, such as the padding of
/// Base64.
pub(super) fn tail(text: &str, end: usize) -> usize {
    match text.as_bytes().get(end) {
        Some(b'=' | b'-' | b'+') => skip_padding(text, end),
        _ => units::skip(text, end),
    }
}

fn skip_padding(text: &str, end: usize) -> usize {
    let behind = text[end..].trim_start_matches(['=', '-', '+']);
    let place = text.len() - behind.len();
    match letters::at(text, place) {
        None | Some((_, Sort::Space) | (',' | ';' | ':' | '.' | ')' | ']' | '}' | '|', _)) => place,
        Some(_) => end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_holds_a_digit_is_a_number_or_an_address() {
        for token in [
            "1",
            "-1",
            "1,024",
            "12ms",
            "1h30m",
            "3/10",
            "1e-6",
            "٣٤",
            "½",
            "3-й",
            "84-ей",
            "E1234",
            "1a2b",
            "v1.2.3",
            "2.6.8-rc1",
            "0x1f",
            "B6-96-8E-F9-3D-E6",
        ] {
            assert_eq!(mask(token), Mask::Number, "{token}");
        }
        for token in ["10.0.0.1", "10.0.0.0/8"] {
            assert_eq!(mask(token), Mask::Address, "{token}");
        }
    }

    #[test]
    fn what_ends_a_number_belongs_to_it() {
        for (text, rest) in [
            ("1a== b", " b"),
            ("1a=, b", ", b"),
            ("1a-", ""),
            ("1a+)", ")"),
            ("12 ms b", " b"),
            ("1a=b", "=b"),
            ("1a->b", "->b"),
            ("1a='b'", "='b'"),
            ("1a=<n>", "=<n>"),
        ] {
            assert_eq!(&text[tail(text, 2)..], rest, "{text}");
        }
    }
}
