//! Several lines without a stack, such as a log or what a program printed.

use std::sync::LazyLock;

use regex::Regex;

use crate::classify::expression::regex;

/// Words of failure, in several languages.
static FAILURE: LazyLock<Regex> = LazyLock::new(|| {
    let words: Vec<_> = include_str!("failure.txt").split_whitespace().collect();
    regex(&format!("(?i){}", words.join("|").replace('_', " ")))
});

/// Lines that help with a failure, identify it or log something else.
static HINT: LazyLock<Regex> = LazyLock::new(|| {
    let hints = include_str!("hints.txt").lines().skip(1);
    regex(&format!("(?i){}", hints.collect::<Vec<_>>().join("|")))
});

/// A line that begins with the name of an exception, or says that it is an error of a log.
static ERROR: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"\A\W{0,3}(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception)\b|\A\W*(?:Fatal )?Error:|\bvalidation errors? for \S+\z|\b(?:ERROR|FATAL|CRITICAL|PANIC)\b",
    )
});

/// A line that goes on with the one before.
static REASON: LazyLock<Regex> =
    LazyLock::new(|| regex(r"\A(?:(?i:reason|cause|message)|[Dd]etails?) ?[:=]"));

/// A line that pydantic ends before the field and its fault.
static INVALID: LazyLock<Regex> = LazyLock::new(|| regex(r"validation errors? for \S+\z"));

/// The time with which a line of a log begins.
static TIME: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^[\[(|]?(?:\d{4}[-/.]\d\d[-/.]\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?[\])]?[\s|:-]*",
    )
});

/// What a line says of the failure: the more, the greater.
fn says(line: &str) -> (bool, bool, u8) {
    let (is_failure, is_hint) = (FAILURE.is_match(line), HINT.is_match(line));
    let is_sentence = || line.split_whitespace().count() > 2 || !line.is_ascii();
    let form = match is_failure && !is_hint {
        true if ERROR.is_match(line) => 2,
        true if is_sentence() => 1,
        _ => 0,
    };
    (is_failure, !is_hint, form)
}

/// The line of failure, without its time, and the lines that belong to it.
pub(super) fn read(text: &str) -> Option<String> {
    let lines = text.lines().map(str::trim);
    let lines: Vec<_> = lines
        .filter(|line| line.chars().any(char::is_alphanumeric))
        .collect();
    if lines.len() < 2 {
        return lines.first().map(|line| (*line).to_owned());
    }
    // The last of those that say most.
    let at = (0..lines.len()).max_by_key(|at| says(lines[*at]))?;
    let follows = lines.get(at + 1).is_some_and(|next| REASON.is_match(next));
    let more = match lines[at] {
        line if INVALID.is_match(line) => 2,
        line => usize::from(follows || line.ends_with(':')),
    };
    let line = lines[at..].iter().take(1 + more).copied();
    let line = line.collect::<Vec<_>>().join(" ");
    Some(TIME.replace(&line, "").into_owned())
}
