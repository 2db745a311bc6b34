//! What is hidden, and what is not.

use super::*;

/// The texts of a file.
fn texts(file: &str) -> impl Iterator<Item = &str> {
    file.lines().filter(|line| !line.starts_with("# "))
}

/// A text with a part of it between the signs that mark a secret.
fn marked(text: &str, secret: impl Fn(&str) -> String) -> String {
    let parts = text.split(['«', '»']).enumerate();
    let part = |(at, part): (usize, &str)| match at % 2 {
        0 => part.to_owned(),
        _ => secret(part),
    };
    parts.map(part).collect()
}

#[test]
fn each_pattern_ends_with_the_secret() {
    for kind in &KINDS.rows {
        assert!(kind.captures_len() > 1, "{}", kind.as_str());
    }
}

#[test]
fn what_follows_a_word_for_a_secret_is_hidden() {
    for text in texts(include_str!("tests/hidden.txt")) {
        let expected = marked(text, |_| PLACEHOLDER.to_owned());
        let hidden = hide(&marked(text, str::to_owned)).into_owned();
        assert_eq!(hidden, expected);
        assert_eq!(hide(&hidden), expected, "hidden again");
    }
}

#[test]
fn sentences_about_secrets_stay() {
    for text in texts(include_str!("tests/sentences.txt")) {
        assert_eq!(hide(text), text);
    }
}
