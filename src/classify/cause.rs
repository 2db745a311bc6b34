//! The part of a reason that is its cause: the message of an answer in JSON or the text of a quotation, and the exception of a stack
//! trace.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

/// How much of a text is classified, in bytes.
pub(super) const READ_BYTES: usize = 4 << 10;

/// Fields of an answer that may hold the message, the most specific first.
const FIELDS: &str = "message error detail msg reason description title errors";

/// Layers of answers and quotations, at most.
const MAX_LAYERS: usize = 3;

/// Marks that a text may be quoted with as a whole, each followed by the one that closes it.
const QUOTES: [&str; 5] = ["\"\"", "''", "«»", "“”", "「」"];

macro_rules! regex {
    ($pattern:literal) => {
        LazyLock::new(|| Regex::new($pattern).expect("each expression is compiled by the tests"))
    };
}

/// A stack frame: a line of a program, of Java, JavaScript, .NET (in some languages), Ruby, PHP, Rust or C.
static FRAME: LazyLock<Regex> = regex!(
    r"^(?:\s+(?:at|from|bei|в|在|\.\.\.|thrown in)(?: \S.*)?$|\s*#\d+\s.*[(/:]|\s*\d+: +\S|\S+/\S+ \[0x|\s*--- (?:End|Ende|Конец) )"
);

/// A line that nothing but a stack follows.
static HEADER: LazyLock<Regex> =
    regex!(r"(?i)^\s*(?:stack (?:backtrace|trace|traceback):|goroutine \d+ .*:)\s*$");

/// A line break or a tab that is written with a backslash, if more follows than the rest of a path.
static ESCAPED: LazyLock<Regex> = regex!(
    r#"\\r?\\?n(?:\\t| +)(?:at |File \\?"|\.\.\. )|\\nCaused by: |\(most recent call last\):\\n"#
);

/// The part of a reason that determines its class, on one or several lines.
pub(super) fn of(reason: &str) -> String {
    let mut text = Cow::Borrowed(reason.trim());
    for _ in 0..MAX_LAYERS {
        let Some(inner) = unwrapped(&text) else { break };
        text = Cow::Owned(inner.trim().to_owned());
    }
    if !text.contains('\n') && (text.contains('\r') || ESCAPED.is_match(&text)) {
        let lines = text.replace("\\r", "").replace("\\n", "\n");
        text = Cow::Owned(lines.replace("\\t", "\t").replace('\r', "\n"));
    }
    let lines = Some(&*text).filter(|text| text.contains('\n'));
    let exception = lines.and_then(|text| of_python(text).or_else(|| of_java(text)));
    exception.map_or_else(|| without_frames(&text), |line| start_of(line).to_owned())
}

/// The message of a text that is an answer in JSON or a quotation as a whole.
fn unwrapped(text: &str) -> Option<String> {
    match text.chars().next()? {
        _ if text.len() > READ_BYTES => None,
        '{' => message(serde_json::from_str(text).ok()?),
        quote => quoted(text, quote),
    }
}

/// The first text in one of the [`FIELDS`] of an answer, also of a nested one.
fn message(answer: Value) -> Option<String> {
    match answer {
        Value::String(text) => (!text.trim().is_empty()).then_some(text),
        Value::Array(answers) => answers.into_iter().find_map(message),
        Value::Object(mut fields) => FIELDS
            .split(' ')
            .find_map(|name| message(fields.remove(name)?)),
        _ => None,
    }
}

/// The text within quotation marks, if it is more than a name.
fn quoted(text: &str, quote: char) -> Option<String> {
    let marks = QUOTES.into_iter().find(|marks| marks.starts_with(quote))?;
    let closing = marks.chars().last()?;
    let said = serde_json::from_str(text).ok().or_else(|| {
        let said = text.strip_prefix(quote)?.strip_suffix(closing)?;
        (!said.contains(closing)).then(|| said.to_owned())
    });
    said.filter(|said| said.trim().contains(' '))
}

/// A text without the lines of a stack.
fn without_frames(text: &str) -> String {
    let read = start_of(text);
    // The last line may be the beginning of a frame.
    let end = read.rfind('\n').filter(|_| read.len() < text.len());
    let mut lines = read[..end.unwrap_or(read.len())].lines();
    let first = lines.next();
    let rest = lines.take_while(|line| !HEADER.is_match(line));
    let rest = rest.filter(|line| !FRAME.is_match(line));
    first.into_iter().chain(rest).collect::<Vec<_>>().join("\n")
}

/// The last exception that a stack of Java or the like gives as the cause of those above it.
fn of_java(text: &str) -> Option<&str> {
    let start = text.rfind("\nCaused by: ")?;
    text[start..].trim_start().lines().next()
}

/// The line of a Python traceback that names the exception: the first one behind the last frame and its source.
fn of_python(text: &str) -> Option<&str> {
    let mut exception = None;
    let mut frame = None;
    for line in text.lines() {
        // A group of exceptions is drawn as a tree.
        let text =
            line.trim_start_matches(|sign: char| sign.is_whitespace() || "|+-".contains(sign));
        let indentation = line.len() - text.len();
        if text.starts_with("File \"") && text.contains(", line ") {
            frame = Some(indentation.max(1));
        } else if !text.is_empty() && frame.is_some_and(|frame| indentation < frame) {
            exception = Some(text);
            frame = None;
        }
    }
    let has_no_frame = frame.is_none() && text.contains("Traceback (most recent call last)");
    let last = || text.trim_end().lines().next_back();
    exception.or_else(|| last().filter(|_| has_no_frame))
}

/// The part of a text that is classified.
pub(super) fn start_of(text: &str) -> &str {
    &text[..text.floor_char_boundary(READ_BYTES)]
}

#[cfg(test)]
mod tests;
