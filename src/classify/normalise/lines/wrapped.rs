//! Reasons that are wrapped as a whole: what they say is inside.

use serde_json::Value;

use super::READ_BYTES;
use crate::classify::normalise::letters::Sort;
use crate::classify::normalise::quotes::Alone;

/// How often a reason may be wrapped: an answer may quote the one that it had.
const MOST_LAYERS: usize = 3;

/// Fields of an answer that say what went wrong, the most telling first.
const FIELDS: [&str; 8] = [
    "message",
    "error",
    "detail",
    "msg",
    "reason",
    "description",
    "title",
    "errors",
];

/// What a reason says that is one quotation or one JSON object, but for white space behind it.
///
/// A longer reason than what is read is left as it is: its end is not known.
pub(super) fn content(reason: &str) -> Option<String> {
    let mut content = unwrapped(reason)?;
    for _ in 1..MOST_LAYERS {
        match unwrapped(content.trim_start()) {
            Some(inner) => content = inner,
            None => break,
        }
    }
    Some(content)
}

fn unwrapped(text: &str) -> Option<String> {
    let first = text.chars().next()?;
    if first != '{' && Sort::of(first) != Sort::Quote {
        return None;
    }
    let text = text.trim_end();
    if text.len() > READ_BYTES {
        None
    } else if first == '{' {
        message(serde_json::from_str(text).ok()?)
    } else {
        quoted(text, first)
    }
}

fn quoted(text: &str, quote: char) -> Option<String> {
    if quote == '"'
        && let Ok(string) = serde_json::from_str(text)
    {
        return told(string).filter(|text| !is_name(text));
    }
    // A quotation that nothing closes ends with the text, even with a space behind it.
    let followed = format!("{text} ");
    if Alone::default().end(&followed, 0, quote) != Some(text.len()) {
        return None;
    }
    let mut inside = text[quote.len_utf8()..].chars();
    inside.next_back();
    told(inside.as_str().to_owned()).filter(|text| !is_name(text))
}

/// Whether a text is no sentence in any language but the name of something, as in what Python says of a missing key.
fn is_name(text: &str) -> bool {
    let is_of_name =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/');
    text.bytes().all(is_of_name)
}

/// The first text of an answer that a telling field holds, itself or further inside.
fn message(answer: Value) -> Option<String> {
    match answer {
        Value::String(text) => told(text),
        Value::Array(answers) => answers.into_iter().find_map(message),
        Value::Object(mut fields) => FIELDS
            .iter()
            .find_map(|field| message(fields.remove(*field)?)),
        _ => None,
    }
}

fn told(text: String) -> Option<String> {
    (!text.trim().is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use super::super::{READ_BYTES, start_of, telling};

    #[test]
    fn a_reason_that_is_one_quotation_is_what_it_says() {
        check(&[
            (" \"OCR engine crashed\"\n", "OCR engine crashed"),
            ("'OCR engine crashed'", "OCR engine crashed"),
            ("«Файл повреждён»", "Файл повреждён"),
            ("「文件已损坏」", "文件已损坏"),
            ("'can't open it'", "can't open it"),
            (r#""cannot open \"a.pdf\"""#, r#"cannot open "a.pdf""#),
            (r"'cannot open \'a.pdf\''", r"cannot open \'a.pdf\'"),
            ("'\"twice in it\"'", "twice in it"),
            ("\"a failed\n\tat b.C.d(C.java)\"", "a failed"),
        ]);
    }

    #[test]
    fn a_reason_that_is_not_one_quotation_stays() {
        for text in [
            "'a.pdf' is not 'b.pdf'",
            "\"a\" \"b\"",
            "'cut off",
            "\"cut off\\\"",
            "''",
            "' '",
            "\"",
            "“a„",
            "'chunk_7'",
            "\"a.pdf\"",
        ] {
            assert_eq!(telling(text), text);
        }
        let long = format!("'{}'", "word ".repeat(1_000));
        assert_eq!(telling(&long).len(), READ_BYTES);
    }

    #[test]
    fn an_answer_in_json_is_its_most_telling_field() {
        check(&[
            (
                r#"{"error":"file is password protected"}"#,
                "file is password protected",
            ),
            (
                r#" {"detail":"Rate limit exceeded","code":429} "#,
                "Rate limit exceeded",
            ),
            (
                r#"{"error":{"message":"too long","type":"invalid"}}"#,
                "too long",
            ),
            (
                r#"{"detail":[{"loc":["body",3],"msg":"field required"}]}"#,
                "field required",
            ),
            (
                r#"{"errors":[{"code":7},{"title":"Forbidden"}]}"#,
                "Forbidden",
            ),
            (
                r#"{"error":true,"message":" ","reason":"no space left"}"#,
                "no space left",
            ),
            (r#"{"error":"{\"error\":\"inner\"}"}"#, "inner"),
            (r#"{"error":"'it is quoted'"}"#, "it is quoted"),
            (r#""{\"error\":\"quoted\"}""#, "quoted"),
            (r#"{"detail":"a failed\n\tat b.C.d(C.java)"}"#, "a failed"),
            (
                r#"{"error":"Traceback (most recent call last):\n  File \"a.py\", line 3\nKeyError"}"#,
                "KeyError",
            ),
            ("{\n  \"error\": {\n    \"message\": \"bad\"\n  }\n}", "bad"),
            (r#"{"detail":"\u0444айл"}"#, "файл"),
        ]);
    }

    #[test]
    fn an_answer_that_tells_nothing_stays() {
        let long = format!(r#"{{"error":"{}"}}"#, "word ".repeat(1_000));
        let deep = format!("{}1{}", r#"{"error":"#.repeat(200), "}".repeat(200));
        for text in [
            "{}",
            r#"{"code":429,"error":null}"#,
            r#"{"error":""}"#,
            r#"{"error":"cut o"#,
            r#"{"error":"a"} and more"#,
            "{x} is missing",
            &long,
            &deep,
        ] {
            assert_eq!(telling(text), start_of(text));
        }
    }
}
