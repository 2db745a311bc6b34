//! Passwords, keys and tokens in a text. They are replaced before anything else reads it, and before anything shows it.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use crate::classify::expression::{LazyRegex, Table, lazy_regex, with_sets};
use crate::classify::line::one_line;
use crate::classify::reader::start_of;

const PLACEHOLDER: &str = "<secret>";

/// Words that follow `password` or `token` in a sentence, and are none; of some, the beginning, with an asterisk.
const PROSE: &str = include_str!("secrets/prose.txt");

/// The patterns of the kinds of secrets: the last group is the secret. Most texts have none.
static KINDS: LazyLock<Table<LazyRegex>> = LazyLock::new(|| {
    let sets = include_str!("secrets/sets.txt");
    Table::read(
        &with_sets(include_str!("secrets/patterns.txt"), sets),
        lazy_regex,
    )
});

/// The beginning of a text on one line, without secrets.
pub(super) fn shown(text: &str, characters: usize) -> String {
    one_line(&hide(start_of(text)), characters)
}

/// The text without secrets.
pub fn hide(text: &str) -> Cow<'_, str> {
    let mut shown = Cow::Borrowed(text);
    for kind in KINDS.matches(text) {
        if let Some(hidden) = hide_kind(kind, &shown) {
            shown = Cow::Owned(hidden);
        }
    }
    shown
}

/// The text without the secrets of one kind, if it has any.
fn hide_kind(kind: &Regex, text: &str) -> Option<String> {
    let mut shown = String::new();
    let (mut read, mut at) = (0, 0);
    while let Some(found) = kind.captures_at(text, at) {
        let all = found.get(0)?;
        let value = found.iter().flatten().last()?;
        let is_named = all.start() < value.start();
        // What ends a value may begin the next name, and a word of a sentence may be a name.
        let (before, after) = (&text[..value.start()], &text[value.end()..]);
        at = if is_named && is_said(before, value.as_str(), after) {
            value.start()
        } else {
            shown += &before[read..];
            shown += PLACEHOLDER;
            read = value.end();
            read
        };
    }
    (read > 0).then(|| shown + &text[read..])
}

/// Whether what may be a secret goes on with the sentence before it, or is hidden already: it is a placeholder, or stands before one.
fn is_said(before: &str, value: &str, after: &str) -> bool {
    let is_placeholder = before.ends_with('<') && value == "secret";
    let after = after.trim_start_matches([' ', '(', '"', '\'']);
    let opening = |sign: char| "\"'`([{<“«„".contains(sign);
    let before = before.trim_end_matches(opening);
    let is_after_word = before
        .trim_end()
        .ends_with(|sign: char| !"=:>：".contains(sign));
    let may_be_said = before.ends_with(char::is_whitespace) || value.contains(' ');
    value.is_empty()
        || is_placeholder
        || after.starts_with(PLACEHOLDER)
        || may_be_said && is_prose(value, is_after_word)
}

/// Whether each word is one of a sentence. After a word, a short one or a number is as well.
fn is_prose(text: &str, is_after_word: bool) -> bool {
    text.split_whitespace().all(|word| {
        let word = word.trim_end_matches(|sign: char| sign.is_ascii_punctuation() && sign != '*');
        let lower = word.to_lowercase();
        let is_known = |known: &str| match known.strip_suffix('*') {
            Some(stem) => lower.starts_with(stem),
            None => known == lower,
        };
        PROSE.split_whitespace().any(is_known) || is_after_word && is_short(word)
    })
}

/// Whether a word is too short for a secret, a number or a path.
fn is_short(word: &str) -> bool {
    let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
    let is_short = word.chars().count() < 4 && !word.contains('*');
    is_number || is_short || word.starts_with('/')
}

#[cfg(test)]
mod tests;
