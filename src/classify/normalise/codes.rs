//! Ids that a digit alone does not tell: hexadecimal of letters, Base64 with slashes, escaped characters, rows of bytes.

use super::letters::{self, Sort};

/// Letters of a part of a token that are all hexadecimal digits, from which on it may be none of a language.
const HEXADECIMAL_LENGTH: usize = 4;

/// The same letters, from which on no word has so many.
const NO_WORD_LENGTH: usize = 8;

/// Characters of Base64, from which on it is told from words: 12 bytes.
const BASE64_LENGTH: usize = 16;

/// Bytes in a row that are a dump of a file, and no numbers with words such as `de` between them.
const DUMPED_BYTES: usize = 4;

/// Whether letters are a number in hexadecimal and no word.
pub(super) fn is_hexadecimal(part: &str) -> bool {
    part.len() >= HEXADECIMAL_LENGTH
        && part.bytes().all(|byte| byte.is_ascii_hexdigit())
        && (part.len() >= NO_WORD_LENGTH || !is_word(part))
}

/// Words with no letters but those of hexadecimal digits.
#[rustfmt::skip]
fn is_word(letters: &str) -> bool {
    let mut lower = [0; NO_WORD_LENGTH];
    let lower = &mut lower[..letters.len()];
    lower.copy_from_slice(letters.as_bytes());
    lower.make_ascii_lowercase();
    matches!(&*lower,
        b"abed" | b"accede" | b"acceded" | b"aced" | b"added" | b"babe" | b"bade" | b"bead" | b"beaded" | b"bedded" | b"beef"
        | b"beefed" | b"cafe" | b"cede" | b"ceded" | b"dabbed" | b"dada" | b"dead" | b"deaf" | b"decade" | b"decaf" | b"deed"
        | b"deeded" | b"deface" | b"defaced" | b"ebbed" | b"efface" | b"effaced" | b"facade" | b"face" | b"faced" | b"fade"
        | b"faded" | b"feed"
    )
}

/// Whether a part of a token is a number in hexadecimal, such as the last one of `job-abcdef`.
pub(super) fn has_hexadecimal_part(token: &str) -> bool {
    token.split(['-', '_', '/', '\\', '+']).any(is_hexadecimal)
}

/// `\x8f`, `\u00ad`, `U+00AD`: a token that begins with a character by its number.
pub(super) fn is_escape(token: &str) -> bool {
    let begins = |prefix: &str, digits: usize| {
        token
            .strip_prefix(prefix)
            .and_then(|digits_first| digits_first.as_bytes().get(..digits))
            .is_some_and(|number| number.iter().all(u8::is_ascii_hexdigit))
    };
    begins("\\x", 2) || begins("\\u", 4) || begins("U+", 4)
}

/// Two numbers in hexadecimal with a slash between them: a position in a log of a database.
pub(super) fn is_pair(token: &str) -> bool {
    let is_number =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    token
        .split_once('/')
        .is_some_and(|(first, second)| is_number(first) && is_number(second))
}

/// Whether a token with slashes is Base64 and no path: its letters and digits change as chance wants it, or padding follows.
pub(super) fn is_base64(token: &str, is_padded: bool) -> bool {
    const SIGN: u8 = 0;
    const SMALL: u8 = 1;
    const CAPITAL: u8 = 2;
    const DIGIT: u8 = 4;
    let mut seen = 0;
    let mut changes = 0;
    let mut before = SIGN;
    for byte in token.bytes() {
        let kind = match byte {
            b'a'..=b'z' => SMALL,
            b'A'..=b'Z' => CAPITAL,
            b'0'..=b'9' => DIGIT,
            b'+' | b'/' | b'_' | b'-' => SIGN,
            _ => return false,
        };
        let begins_word = (before, kind) == (CAPITAL, SMALL);
        if before != SIGN && kind != SIGN && before != kind && !begins_word {
            changes += 1;
        }
        seen |= kind;
        before = kind;
    }
    token.len() >= BASE64_LENGTH
        && seen == SMALL | CAPITAL | DIGIT
        && (is_padded || (changes * 5 >= token.len() && !token.split('/').any(is_name)))
}

/// Whether a part between slashes is a word or a number, as folders are named.
fn is_name(part: &str) -> bool {
    let is_of = |kind: fn(&u8) -> bool| part.as_bytes().iter().all(kind);
    part.len() > 1 && (is_of(u8::is_ascii_lowercase) || is_of(u8::is_ascii_digit))
}

/// Where a character ends that is written as HTML writes it by its number: `&#xad;`, `&#173;`.
pub(super) fn entity_end(text: &str, place: usize) -> Option<usize> {
    let number = text[place..].strip_prefix("&#")?;
    let number = number.strip_prefix(['x', 'X']).unwrap_or(number);
    let digits = number
        .bytes()
        .take(7)
        .take_while(u8::is_ascii_hexdigit)
        .count();
    let behind = number[digits..].strip_prefix(';')?;
    (digits > 0).then(|| text.len() - behind.len())
}

/// Where bytes in hexadecimal end that begin at a place: `25 50 4b e9`.
pub(super) fn dump_end(text: &str, place: usize) -> Option<usize> {
    let mut end = byte_end(text, place)?;
    let mut count = 1;
    while let Some(next) =
        byte_end(text, behind_blanks(text, end)).filter(|_| is_blank_at(text, end))
    {
        end = next;
        count += 1;
    }
    (count >= DUMPED_BYTES).then_some(end)
}

/// Where a byte ends that stands alone. What follows must be no sign with which something masked may begin.
fn byte_end(text: &str, place: usize) -> Option<usize> {
    let end = place + 2;
    let digits = text.as_bytes().get(place..end)?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    match letters::at(text, end) {
        None | Some((',' | ';' | ')' | ']', _) | (_, Sort::Space)) => Some(end),
        Some(_) => None,
    }
}

fn is_blank_at(text: &str, place: usize) -> bool {
    letters::at(text, place).is_some_and(|(_, sort)| sort == Sort::Space)
}

fn behind_blanks(text: &str, place: usize) -> usize {
    let is_space = |character| Sort::of(character) == Sort::Space;
    text.len() - text[place..].trim_start_matches(is_space).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_of_letters_is_told_from_words() {
        for number in ["abcd", "deadbeef", "FFBE", "fefefe", "CFAD"] {
            assert!(is_hexadecimal(number), "{number}");
        }
        for word in ["dead", "Face", "added", "DECADE", "bad", "fed", "efface"] {
            assert!(!is_hexadecimal(word), "{word}");
        }
        for token in ["job-abcdef", "req_fade_bcde", "a/ffee"] {
            assert!(has_hexadecimal_part(token), "{token}");
        }
        for token in ["dead-letter", "double-faced", "a.abcd", "feed/face"] {
            assert!(!has_hexadecimal_part(token), "{token}");
        }
    }

    #[test]
    fn escaped_characters_are_numbers() {
        for token in [
            "\\x8c",
            "\\xad",
            "\\xad\\x8c",
            "\\u00ad",
            "\\u0444\\u0430",
            "U+CFAD",
        ] {
            assert!(is_escape(token), "{token}");
        }
        for token in ["\\user", "\\x", "DOMAIN\\xad", "U+", "\\uabc"] {
            assert!(!is_escape(token), "{token}");
        }
        assert_eq!(entity_end("&#xafbb; b", 0), Some(8));
        assert_eq!(entity_end("&#39;", 0), Some(5));
        for text in ["&#;", "&#xg;", "&amp;", "&#12", "&#12345678;"] {
            assert_eq!(entity_end(text, 0), None, "{text}");
        }
    }

    #[test]
    fn base64_is_told_from_paths() {
        for token in ["e48CosGC/Py8fXlZn/RU2g", "jINR/qcL8G6pXz1Q"] {
            assert!(is_base64(token, false), "{token}");
        }
        assert!(is_base64("abcdefghijklmnopA/1", true));
        for path in [
            "Docs/Archive/Report2026",
            "kb/Contracts/ScanOfMarch12",
            "kb/2026/0e8d9ba5-6a5a",
            "A1b/2c",
            "kb/QKkt8nzPmiZbSQSw5vdO34",
            "/v1/files/QKkt8nzPmiZbSQSw5vdO34",
            "kb/A1b2C3d4E5f6G7.pdf",
        ] {
            assert!(!is_base64(path, false), "{path}");
        }
    }

    #[test]
    fn a_dump_of_bytes_is_one_number() {
        for (text, rest) in [
            ("25 50 4b e9", ""),
            ("e9 de ad be, x", ", x"),
            ("25 50 44 46 deep", " deep"),
            ("aa\naa\n aa\u{2028}aa\n", "\n"),
        ] {
            let end = dump_end(text, 0);
            assert_eq!(end.map(|end| &text[end..]), Some(rest), "{text}");
        }
        for text in [
            "12 de 25",
            "25 50 44",
            "255 50 44 46",
            "25 50 44 4x",
            "25 50 44 46-a",
        ] {
            assert_eq!(dump_end(text, 0), None, "{text}");
        }
    }
}
