//! Passwords, keys and tokens in a text. They are replaced before anything else reads it, and before anything shows it.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::classify::line::one_line;
use crate::classify::reader::{regex, start_of};

const PLACEHOLDER: &str = "<secret>";

/// Words that follow `password` or `token` in a sentence, and are none; of some, the beginning, with an asterisk.
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
    let mut shown = String::new();
    let (mut read, mut at) = (0, 0);
    while let Some(found) = SECRET.captures_at(text, at) {
        let Some(value) = found.iter().flatten().last() else {
            break;
        };
        // What ends a value may begin the next name, and a word of a sentence may be a name.
        at = if is_said(&found, value.as_str()) {
            value.start()
        } else {
            shown += &text[read..value.start()];
            shown += PLACEHOLDER;
            read = value.end();
            read
        };
    }
    Cow::Owned(shown + &text[read..])
}

/// Whether what may be a secret goes on with a sentence.
fn is_said(found: &Captures<'_>, value: &str) -> bool {
    let mut marks = ["mark", "gap", "scheme"].iter();
    let mark = marks.find_map(|name| found.name(name));
    let mark = mark.map_or(":", |mark| mark.as_str());
    let is_after_blank = mark.trim().is_empty();
    value.is_empty() || mark.ends_with(char::is_whitespace) && is_prose(value, is_after_blank)
}

/// Whether a word is one of a sentence. After nothing but a blank, short words and numbers are as well.
fn is_prose(word: &str, is_after_blank: bool) -> bool {
    let word = word.trim_end_matches(|sign: char| sign.is_ascii_punctuation());
    let lower = word.to_lowercase();
    let is_known = |known: &str| match known.strip_suffix('*') {
        Some(stem) => lower.starts_with(stem),
        None => known == lower,
    };
    let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
    PROSE.split_whitespace().any(is_known)
        || (is_after_blank && (is_number || word.chars().count() < 4))
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
            ("the key ***** is wrong", "the key <secret> is wrong"),
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
            ("пароль лето отклонён", "пароль <secret> отклонён"),
            ("Passwort Sommer ist falsch", "Passwort <secret> ist falsch"),
            ("password=Win;ter;host=db", "password=<secret>;host=db"),
            ("Pwd=Win ter;Server=db", "Pwd=<secret>;Server=db"),
            ("(password=So(mm)er)", "(password=<secret>)"),
            ("password: Winter, user: kb", "password: <secret>, user: kb"),
            (
                r#"{"token": "a\"b", "c": 1}"#,
                r#"{"token": "<secret>", "c": 1}"#,
            ),
            ("token of password Winter", "token of password <secret>"),
            ("sqlplus kb/word@db failed", "sqlplus kb/<secret>@db failed"),
            (
                "smbclient -U kb%word //a/b",
                "smbclient -U kb%<secret> //a/b",
            ),
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
            "пароль не подходит к архиву",
            "пароль требуется для файла",
            "Passwort erforderlich",
            "cannot open 'design-sig' today",
            "no access to /data/kb/word@db",
        ] {
            assert_eq!(hide(text), text);
        }
    }
}
