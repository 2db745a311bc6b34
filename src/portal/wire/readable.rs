//! Bodies as text: what is no Unicode costs nothing but itself.

use std::borrow::Cow;

/// How an escaped surrogate begins, in the spellings that JSON allows.
const SURROGATES: [&str; 2] = ["\\ud", "\\uD"];

/// Bytes of an escaped code unit, such as `\ud800`.
const ESCAPE: usize = 6;

/// A body with replacement characters for bytes that are no Unicode and for escapes of lone surrogates: one of them in one name must
/// not cost a whole page, and a JSON string that has one is an error. Mostly this changes and copies nothing.
pub(in crate::portal) fn readable(body: &[u8]) -> Cow<'_, str> {
    // Told apart first: it takes a fraction of the time.
    let text = str::from_utf8(body).map_or_else(|_| String::from_utf8_lossy(body), Cow::from);
    let escapes = text.as_bytes().contains(&b'\\');
    if !escapes || !SURROGATES.iter().any(|start| text.contains(start)) {
        return text;
    }
    let mut next = lone_surrogate(text.as_bytes(), 0);
    if next.is_none() {
        return text;
    }
    let mut text = text.into_owned();
    while let Some(at) = next {
        text.replace_range(at..at + ESCAPE, "\\ufffd");
        next = lone_surrogate(text.as_bytes(), at + ESCAPE);
    }
    text.into()
}

/// Where from a place on the next escape of a surrogate begins that is not one half of a pair. A backslash in JSON always begins an
/// escape.
fn lone_surrogate(text: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += text.get(at..)?.iter().position(|byte| *byte == b'\\')?;
        at += match (code_unit(text, at), code_unit(text, at + ESCAPE)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 2 * ESCAPE,
            (Some(0xd800..=0xdfff), _) => return Some(at),
            // The backslash, and what it escapes.
            _ => 2,
        };
    }
}

/// The number in an escape such as `\ud800`.
fn code_unit(text: &[u8], at: usize) -> Option<u16> {
    let digits = text.get(at..at + ESCAPE)?.strip_prefix(b"\\u")?;
    let digits = std::str::from_utf8(digits).ok()?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaced(text: &str) -> String {
        let readable = readable(text.as_bytes()).into_owned();
        assert_eq!(readable.len(), text.len(), "{text}");
        readable
    }

    #[test]
    fn text_that_is_unicode_is_not_copied() {
        for text in [
            "",
            r#"{"a":"b"}"#,
            "日本 Ё \\u0416",
            r"\ud83d\ude00 \uD83D\uDE00",
        ] {
            assert!(matches!(readable(text.as_bytes()), Cow::Borrowed(same) if same == text));
        }
    }

    #[test]
    fn lone_surrogates_are_replaced_and_nothing_else() {
        for (text, expected) in [
            (r#""\ud800""#, r#""\ufffd""#),
            (r"\udc00\ud800", r"\ufffd\ufffd"),
            (r"\ud83d\ud83d\ude00", r"\ufffd\ud83d\ude00"),
            (r"\uD83D \uDE00", r"\ufffd \ufffd"),
            (r"\\ud800 \\\ud800", r"\\ud800 \\\ufffd"),
            (r"\ud80", r"\ud80"),
            (r"\udzzz \u+d80", r"\udzzz \u+d80"),
            (r"я\ud800", r"я\ufffd"),
        ] {
            assert_eq!(replaced(text), expected);
        }
    }

    #[test]
    fn bytes_that_are_no_unicode_are_replaced() {
        assert_eq!(readable(b"a\xff \\ud800"), "a\u{fffd} \\ufffd");
    }
}
