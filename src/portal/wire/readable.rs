//! Bodies as text: what is no JSON, and no reason to lose a page, is replaced.

/// Numbers that are none, as some programs write them.
const NO_NUMBERS: [&str; 3] = ["-Infinity", "Infinity", "NaN"];

/// How an escaped surrogate begins, in the spellings that JSON allows.
const SURROGATES: [&str; 2] = ["\\ud", "\\uD"];

/// Bytes of an escaped code unit, such as `\ud800`.
const ESCAPE: usize = 6;

/// A body without a byte order mark, with replacement characters for bytes that are no Unicode and for escapes of lone surrogates, and with null for
/// numbers that are none. Mostly this changes and copies nothing.
pub(in crate::portal) fn readable(body: Vec<u8>) -> String {
    let mut text = String::from_utf8(body)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    if text.starts_with('\u{feff}') {
        text.remove(0);
    }
    // Searched for first: it takes a fraction of the time.
    let mut suspects = NO_NUMBERS.iter().chain(&SURROGATES);
    if suspects.any(|word| text.contains(word)) {
        text = mended(&text);
    }
    text
}

fn mended(mut text: &str) -> String {
    let mut mended = String::with_capacity(text.len());
    let mut in_string = false;
    while let Some(at) = text.find(['"', '\\', '-', 'I', 'N']) {
        mended.push_str(&text[..at]);
        text = &text[at..];
        in_string ^= text.starts_with('"');
        let (length, replacement) = first_token(text, in_string);
        let (token, rest) = text.split_at_checked(length).unwrap_or((text, ""));
        mended.push_str(replacement.unwrap_or(token));
        text = rest;
    }
    mended + text
}

/// How long the token is with which a text begins, and what to put in its place.
fn first_token(text: &str, in_string: bool) -> (usize, Option<&'static str>) {
    let no_number = NO_NUMBERS.iter().find(|word| text.starts_with(**word));
    match (code_unit(text, 0), code_unit(text, ESCAPE), no_number) {
        (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff), _) => (2 * ESCAPE, None),
        (Some(0xd800..=0xdfff), ..) => (ESCAPE, Some("\\ufffd")),
        (.., Some(word)) if !in_string => (word.len(), Some("null")),
        _ => (if text.starts_with('\\') { 2 } else { 1 }, None),
    }
}

/// The number in an escape such as `\ud800`.
fn code_unit(text: &str, at: usize) -> Option<u16> {
    let digits = text.get(at..at + ESCAPE)?.strip_prefix("\\u")?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_is_unicode_is_not_copied() {
        for text in ["", r#"{"a":"b"}"#, "日本 Ё \\u0416"] {
            let body = text.as_bytes().to_vec();
            let start = body.as_ptr();
            let readable = readable(body);
            assert_eq!((readable.as_ptr(), &*readable), (start, text));
        }
    }

    #[test]
    fn what_is_no_json_is_replaced_and_nothing_else() {
        for (text, expected) in [
            ("\u{feff}{}", "{}"),
            (r#""\ud800""#, r#""\ufffd""#),
            (r"\ud83d\ude00 \uD83D\uDE00", r"\ud83d\ude00 \uD83D\uDE00"),
            (r"\udc00\ud800", r"\ufffd\ufffd"),
            (r"\ud83d\ud83d\ude00", r"\ufffd\ud83d\ude00"),
            (r"\uD83D \uDE00", r"\ufffd \ufffd"),
            (r"\\ud800 \\\ud800", r"\\ud800 \\\ufffd"),
            (r"\ud80", r"\ud80"),
            (r"\udzzz \ud800", r"\udzzz \ufffd"),
            (r"я\я\ud800", r"я\я\ud800"),
            (r#"{"a":NaN}"#, r#"{"a":null}"#),
            ("[-Infinity,Infinity,-1]", "[null,null,-1]"),
            (
                r#"{"NaN\"NaN":"it is NaN, -Infinity", "b": NaN}"#,
                r#"{"NaN\"NaN":"it is NaN, -Infinity", "b": null}"#,
            ),
        ] {
            assert_eq!(readable(text.into()), expected);
        }
        assert_eq!(readable(b"a\xff \\ud800".to_vec()), "a\u{fffd} \\ufffd");
    }
}
