//! Bodies as text: what is no JSON, and no reason to lose a page, is replaced.

/// How an escaped surrogate begins, in the spellings that JSON allows.
const SURROGATES: [&str; 2] = ["\\ud", "\\uD"];

/// Bytes of an escaped code unit, such as `\ud800`.
const ESCAPE: usize = 6;

/// Numbers that are none, as some programs write them.
const NO_NUMBERS: [&str; 3] = ["-Infinity", "Infinity", "NaN"];

/// A body with replacement characters for bytes that are no Unicode and for escapes of lone surrogates, with empty texts for numbers that are none,
/// and without a byte order mark: one of them must not make a whole page invalid. Mostly this changes and copies nothing.
pub(in crate::portal) fn readable(body: Vec<u8>) -> String {
    let mut text = String::from_utf8(body)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    if text.starts_with('\u{feff}') {
        text.remove(0);
    }
    replace_no_numbers(&mut text);
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

/// Replaces numbers that are none by empty texts of the same length.
fn replace_no_numbers(text: &mut String) {
    // Searched for first: it takes a fraction of the time.
    if NO_NUMBERS.iter().all(|word| !text.contains(word)) {
        return;
    }
    let mut at = 0;
    while let Some(start) = outside_strings(text.as_bytes(), at) {
        let word = NO_NUMBERS
            .iter()
            .find(|word| text[start..].starts_with(**word));
        at = start + word.map_or(1, |word| word.len());
        if let Some(word) = word {
            let empty = format!("{:width$}", "\"\"", width = word.len());
            text.replace_range(start..at, &empty);
        }
    }
}

/// The next place outside of strings at which a number that is none may begin.
fn outside_strings(text: &[u8], mut at: usize) -> Option<usize> {
    let mut in_string = false;
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => in_string = !in_string,
            b'\\' if in_string => at += 1,
            b'-' | b'I' | b'N' if !in_string => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
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
    fn a_byte_order_mark_goes() {
        assert_eq!(readable("\u{feff}{}".into()), "{}");
    }

    #[test]
    fn numbers_that_are_none_are_empty_texts_and_words_in_strings_stay() {
        for (text, expected) in [
            (r#"{"a":NaN}"#, r#"{"a":"" }"#),
            ("[-Infinity,Infinity,-1]", r#"[""       ,""      ,-1]"#),
            (
                r#"{"NaN\"NaN":"it is NaN, -Infinity"}"#,
                r#"{"NaN\"NaN":"it is NaN, -Infinity"}"#,
            ),
        ] {
            assert_eq!(replaced(text), expected);
        }
    }

    #[test]
    fn bytes_that_are_no_unicode_are_replaced() {
        assert_eq!(readable(b"a\xff \\ud800".to_vec()), "a\u{fffd} \\ufffd");
    }
}
