//! Makes the body of an answer readable as text: what is no JSON, and no reason to lose a page, is replaced.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

/// What a body contains that has something to replace, perhaps. Searched for first: that takes a fraction of the time.
const SUSPECTS: [&str; 4] = ["Infinity", "NaN", "\\ud", "\\uD"];

/// An escape; `lone` if it is one of a surrogate without another one beside it.
static ESCAPE: LazyLock<Regex> = LazyLock::new(|| {
    let pair = r"\\u[dD][89aAbB][[:xdigit:]]{2}\\u[dD][c-fC-F][[:xdigit:]]{2}";
    let lone = r"(?<lone>\\u[dD][89a-fA-F][[:xdigit:]]{2})";
    let any = r"\\.";
    Regex::new(&format!("(?s){pair}|{lone}|{any}")).expect("a test uses it")
});

/// A string; or a `number` that is none, as some programs write them.
static STRING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?s)"(?:[^"\\]|\\.)*"|(?<number>-?Infinity|NaN)"#).expect("a test uses it")
});

/// A body without a byte order mark, with replacement characters for bytes that are no Unicode and for escapes of lone surrogates, and with null for
/// numbers that are none. Mostly this changes and copies nothing.
pub(in crate::portal) fn readable(body: Vec<u8>) -> String {
    let mut text = String::from_utf8(body)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    if text.starts_with('\u{feff}') {
        text.remove(0);
    }
    if SUSPECTS.iter().any(|word| text.contains(word)) {
        text = replaced(&text, &ESCAPE, "lone", "\\ufffd").into_owned();
        text = replaced(&text, &STRING, "number", "null").into_owned();
    }
    text
}

/// Replaces each match in which a group takes part.
fn replaced<'t>(text: &'t str, matches: &Regex, group: &str, replacement: &str) -> Cow<'t, str> {
    matches.replace_all(text, |found: &regex::Captures<'_>| {
        let replaced = found.name(group).map(|_| replacement);
        replaced.unwrap_or(&found[0]).to_owned()
    })
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
            (r"я\я\ud800", r"я\я\ufffd"),
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
