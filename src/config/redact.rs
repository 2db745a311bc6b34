//! Finds keys in texts, so that they are never shown.

/// How the simulated portal's keys begin; no name contains it.
const KEY_PREFIX: &str = "kbk_";

/// Shortest run of letters and digits that is taken for a key whatever its prefix.
const KEY_CHARACTERS: usize = 20;

/// Whether a text holds a key, and is not the path of a file that is called so.
pub(super) fn is_key(text: &str) -> bool {
    text.contains(KEY_PREFIX) && !text.contains('/')
}

/// Whether a word is more likely a key than a name: it has the prefix, or is long and mixes small letters with digits.
pub(super) fn looks_like_key(word: &str) -> bool {
    let long = word.len() >= KEY_CHARACTERS && word.bytes().any(|byte| byte.is_ascii_lowercase());
    is_key(word) || long && word.bytes().filter(u8::is_ascii_digit).count() > 1
}

/// Replaces every word that looks like a key.
pub(super) fn redact(text: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let mut redacted = String::with_capacity(text.len());
    for piece in text.split_inclusive(|c| !is_word(c)) {
        let word = piece.trim_end_matches(|c| !is_word(c));
        if looks_like_key(word) {
            redacted.push_str("[not shown]");
            redacted.push_str(&piece[word.len()..]);
        } else {
            redacted.push_str(piece);
        }
    }
    redacted
}
