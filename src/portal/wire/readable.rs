//! Bodies as text: invalid Unicode is replaced.

/// How an escaped surrogate begins, in the spellings that JSON allows.
const SURROGATES: [&str; 2] = ["\\ud", "\\uD"];

/// Bytes of an escaped code unit, such as `\ud800`.
const ESCAPE: usize = 6;

/// A body with replacement characters for bytes that are no Unicode and for escapes of lone surrogates: one of them in one name must
/// not make a whole page invalid. Mostly this changes and copies nothing.
pub(in crate::portal) fn readable(body: Vec<u8>) -> String {
    let mut text = String::from_utf8(body)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    // Searched for first: it takes a fraction of the time.
    if !SURROGATES.iter().any(|start| text.contains(start)) {
        return text;
    }
    let mut from = 0;
    while let Some(at) = lone_surrogate(text.as_bytes(), from) {
        from = at + ESCAPE;
        text.replace_range(at..from, "\\ufffd");
    }
    text
}

/// Finds the next escape of a surrogate that is not one half of a pair. A backslash in JSON always begins an escape.
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
        let readable = readable(text.into());
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
            let body = text.as_bytes().to_vec();
            let start = body.as_ptr();
            let readable = readable(body);
            assert_eq!((readable.as_ptr(), &*readable), (start, text));
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
        assert_eq!(readable(b"a\xff \\ud800".to_vec()), "a\u{fffd} \\ufffd");
    }
}
