//! Passwords, keys and tokens in a text. They are replaced before anything else reads it, and before anything shows it.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::classify::line::one_line;
use crate::classify::reader::{regex, start_of};

const PLACEHOLDER: &str = "<secret>";

/// Words that follow `password` or `token` in a sentence, and are none.
const PROSE: &str = include_str!("secrets/prose.txt");

/// A secret, or what may be one: the group `value` is replaced, unless `said` precedes it and it is a word of a sentence.
static SECRET: LazyLock<Regex> = LazyLock::new(|| one_of(|(_, pattern)| pattern));

/// What every text has that has a secret: most others are ruled out by it at a fraction of the cost.
static HINT: LazyLock<Regex> = LazyLock::new(|| one_of(|(hint, _)| hint));

/// An expression of one column of the patterns.
fn one_of(column: fn((&'static str, &'static str)) -> &'static str) -> Regex {
    let rows = include_str!("secrets/patterns.txt").lines();
    let rows = rows.filter_map(|row| row.split_once('\t'));
    regex(&format!(
        "(?i:{})",
        rows.map(column).collect::<Vec<_>>().join("|")
    ))
}

/// The beginning of a text on one line, without secrets.
pub(super) fn shown(text: &str, characters: usize) -> String {
    one_line(&hide(start_of(text)), characters)
}

/// The text without secrets.
pub fn hide(text: &str) -> Cow<'_, str> {
    if !HINT.is_match(text) {
        return Cow::Borrowed(text);
    }
    SECRET.replace_all(text, |found: &Captures<'_>| {
        let whole = &found[0];
        let start = found.get(0).map_or(0, |all| all.start());
        let groups = found.iter().skip(1).flatten();
        let values = groups.filter(|group| !is_mark(group.as_str()));
        let Some(value) = values.last() else {
            return whole.to_owned();
        };
        let mark = found.name("mark").or_else(|| found.name("scheme"));
        let is_said = mark.is_some_and(|mark| mark.as_str().ends_with(char::is_whitespace));
        let is_after_blank = mark.is_some_and(|mark| mark.as_str().trim().is_empty());
        let is_foreign = is_after_blank && found.name("foreign").is_some();
        if is_foreign || is_said && is_prose(value.as_str(), is_after_blank) {
            return whole.to_owned();
        }
        let (from, to) = (value.start() - start, value.end() - start);
        [&whole[..from], PLACEHOLDER, &whole[to..]].concat()
    })
}

/// Whether a group is what stands between a name and its value.
fn is_mark(group: &str) -> bool {
    group
        .trim_matches(|sign: char| sign.is_whitespace() || "=->:：[({".contains(sign))
        .is_empty()
}

/// Whether a word goes on with a sentence. After nothing but a blank, short words, numbers and words of other scripts do as well.
fn is_prose(word: &str, is_after_blank: bool) -> bool {
    let word = word.trim_end_matches(['.', ':', '!', '?']);
    let lower = word.to_lowercase();
    let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
    let is_foreign = word.chars().all(|letter| !letter.is_ascii());
    PROSE.split_whitespace().any(|known| known == lower)
        || (is_after_blank && (is_number || is_foreign || word.chars().count() < 4))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_a_word_for_a_secret_is_hidden() {
        for (text, expected) in [
            (
                "Authorization: Bearer QwErTyUi failed",
                "Authorization: Bearer <secret> failed",
            ),
            ("Bearer QwErTyUi", "Bearer <secret>"),
            (
                "Authorization: Basic a2I6V2ludGVy",
                "Authorization: Basic <secret>",
            ),
            ("password: Winter", "password: <secret>"),
            ("password Winter is wrong", "password <secret> is wrong"),
            ("db password=Winter;host=db", "db password=<secret>;host=db"),
            (
                r#"{"api_key": "word word", "a": 1}"#,
                r#"{"api_key": "<secret>", "a": 1}"#,
            ),
            (r#"{\"token\":\"word\"}"#, r#"{\"token\":\"<secret>\"}"#),
            ("x-api-key: word", "x-api-key: <secret>"),
            ("MINIO_SECRET_KEY=word", "MINIO_SECRET_KEY=<secret>"),
            (
                "curl -u user:word https://a",
                "curl -u user:<secret> https://a",
            ),
            ("curl --user kb-svc:word", "curl --user kb-svc:<secret>"),
            ("'-u kb-svc:word'", "'-u kb-svc:<secret>'"),
            ("curl -ukb:word", "curl -ukb:<secret>"),
            (
                "postgresql://kb:So(mm)er@db:5432/kb",
                "postgresql://kb:<secret>@db:5432/kb",
            ),
            ("redis://:pa/ss@redis", "redis://:<secret>@redis"),
            (
                "https://word@git.example/x",
                "https://<secret>@git.example/x",
            ),
            ("login kb:Winter@db failed", "login kb:<secret>@db failed"),
            ("provided: sk-nVfMU****lYcU. See", "provided: <secret> See"),
            (
                "Incorrect API key provided: word.",
                "Incorrect API key provided: <secret>",
            ),
            (
                "https://s3.example/a?X-Amz-Signature=abc&b=1&access_token=word",
                "https://s3.example/a?X-Amz-Signature=<secret>&b=1&access_token=<secret>",
            ),
            ("/a?sig=ab%2B&se=2026", "/a?sig=<secret>&se=2026"),
            ("пароль: Зима", "пароль: <secret>"),
        ] {
            assert_eq!(hide(text), expected);
        }
    }

    #[test]
    fn sentences_about_secrets_stay() {
        for text in [
            "PDF is password-protected: cannot decrypt without a password",
            "password required",
            "password authentication failed for user kb",
            "token expired",
            "Unexpected token < in JSON at position 4",
            "token 151643 is out of vocabulary",
            "max_tokens=4096 for http://kb:8080/a?mail=a@b",
            "Basic authentication failed",
            "wrong password: the file cannot be read",
        ] {
            assert_eq!(hide(text), text);
        }
    }
}
