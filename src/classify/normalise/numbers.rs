//! Tokens that hold a digit.

use super::addresses;
use super::letters::{self, Sort};
use super::mask::Mask;
use super::units;

/// Hexadecimal digits with a letter among them that are no number with a unit, such as `12345d`.
const HEXADECIMAL_LENGTH: usize = 6;

/// What a token with a digit is, which is no path, no file and no host.
pub(super) fn mask(token: &str) -> Mask {
    if token.bytes().all(|byte| byte.is_ascii_digit()) {
        return Mask::Number;
    }
    let body = token.trim_start_matches(['+', '-', '−', '~', '.', '_']);
    if addresses::is_ipv4(body) {
        Mask::Address
    } else if is_prefixed_hexadecimal(token) {
        Mask::Hex
    } else if is_hexadecimal(body) {
        Mask::Id
    } else if is_amount(body) || is_power(body) {
        Mask::Number
    } else {
        Mask::Id
    }
}

/// `0x1f`, `\x1f`, `U+202E`.
fn is_prefixed_hexadecimal(token: &str) -> bool {
    ["0x", "0X", "-0x", "\\x", "\\u", "U+"]
        .iter()
        .any(|prefix| {
            token.strip_prefix(prefix).is_some_and(|digits| {
                !digits.is_empty()
                    && digits
                        .bytes()
                        .all(|byte| byte.is_ascii_hexdigit() || byte == b'_')
            })
        })
}

fn is_hexadecimal(body: &str) -> bool {
    body.len() >= HEXADECIMAL_LENGTH
        && body.bytes().all(|byte| byte.is_ascii_hexdigit())
        && body.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// A number, alone or with a unit, or several of them (`1h30m`, `1920x1080`).
fn is_amount(body: &str) -> bool {
    let mut rest = body;
    let mut factor = true;
    while !rest.is_empty() {
        let behind = rest.trim_start_matches(is_of_number);
        if behind.len() == rest.len() {
            return false;
        }
        if behind.is_empty() {
            return factor;
        }
        let unit = letters::word(behind);
        if !units::is_suffix(unit) {
            return false;
        }
        factor = matches!(unit, "x" | "X" | "х");
        rest = behind[unit.len()..]
            .strip_prefix('/')
            .map_or(&behind[unit.len()..], |rate| {
                let unit = letters::word(rate);
                if units::is_unit(unit) {
                    &rate[unit.len()..]
                } else {
                    rate
                }
            });
        if rest == "." || rest == "%" {
            return true;
        }
    }
    true
}

fn is_of_number(character: char) -> bool {
    match Sort::of(character) {
        Sort::Digit => true,
        Sort::Joiner => character != '\\',
        _ => matches!(character, ',' | '\'' | '’' | '٫' | '٬'),
    }
}

/// `1e-6`, `2.5E10`: with a sign or a point, as hexadecimal ids have neither.
fn is_power(body: &str) -> bool {
    let Some((number, power)) = body.split_once(['e', 'E']) else {
        return false;
    };
    let is_digits =
        |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let signed = power.starts_with(['+', '-']);
    (signed || number.contains('.'))
        && is_digits(power.trim_start_matches(['+', '-']))
        && number
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_numbers_in_every_form() {
        for token in [
            "1",
            "-1",
            "+1.5",
            "1,024",
            "1'024",
            "1.024,5",
            "50%",
            "12ms",
            "1.5GB",
            "30с",
            "12МБ",
            "1h30m",
            "1920x1080",
            "3/10",
            "1-3",
            "5..10",
            "3rd",
            "2x",
            "10MB/s",
            "1_000_000",
            "1e-6",
            "2.5E10",
            "٣٤",
            "１２",
            "½",
            "12345678901234567890",
            "3-й",
        ] {
            assert_eq!(mask(token), Mask::Number, "{token}");
        }
    }

    #[test]
    fn codes_are_no_numbers() {
        for token in [
            "E1234", "x86", "1a2b", "12345d", "1e5", "ERR-77", "5xx", "v1.2.3", "12page", "1x2y",
            "12ms3",
        ] {
            assert_eq!(mask(token), Mask::Id, "{token}");
        }
        for token in ["0x1f", "\\x8f", "U+202E", "0xDEAD_BEEF"] {
            assert_eq!(mask(token), Mask::Hex, "{token}");
        }
        for token in ["10.0.0.1", "10.0.0.0/8"] {
            assert_eq!(mask(token), Mask::Address, "{token}");
        }
    }
}
