//! Several lines without a stack, such as a log or what a program printed.

use std::sync::LazyLock;

use regex::Regex;

/// Words of failure, in several languages.
static FAILURE: LazyLock<Regex> = LazyLock::new(|| {
    let words: Vec<_> = include_str!("failure.txt").split_whitespace().collect();
    super::regex(&format!("(?i){}", words.join("|").replace('_', " ")))
});

/// The time with which a line of a log begins.
static TIME: LazyLock<Regex> = LazyLock::new(|| {
    super::regex(
        r"^[\[(|]?(?:\d{4}[-/.]\d\d[-/.]\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?[\])]?[\s|:-]*",
    )
});

/// The line of failure, without its time: the last one with a word of failure that says more than that, else the last one with such a word,
/// else the last.
pub(super) fn read(text: &str) -> Option<String> {
    let lines = text.lines().map(str::trim);
    let lines: Vec<_> = lines
        .filter(|line| line.chars().any(char::is_alphanumeric))
        .collect();
    let is_failure = |line: &&str| FAILURE.is_match(line);
    let says_more =
        |line: &&str| is_failure(line) && (line.split_whitespace().count() > 2 || !line.is_ascii());
    if lines.len() < 2 {
        return lines.first().map(|line| (*line).to_owned());
    }
    let found = lines.iter().rposition(says_more);
    let found = found.or_else(|| lines.iter().rposition(is_failure));
    let at = found.unwrap_or(lines.len() - 1);
    let next = lines.get(at + 1).filter(|_| lines[at].ends_with(':'));
    let line = [Some(&lines[at]), next]
        .into_iter()
        .flatten()
        .copied()
        .collect::<Vec<_>>()
        .join(" ");
    Some(TIME.replace(&line, "").into_owned())
}
