//! Tokens: what is written without a space, and what becomes of it.

mod locators;
mod shape;

use super::addresses;
use super::codes;
use super::letters::{self, Sort};
use super::mask::Mask;
use super::numbers;
use super::paths;
use super::quotes;
use super::units;

pub(super) use shape::Shape;

/// Longest word, in characters: what is longer is no word.
const LONGEST_WORD: usize = 100;

/// A token of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    /// Where it ends.
    pub end: usize,
    /// What becomes of it.
    pub verdict: Verdict,
}

/// What becomes of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It stays.
    Word,
    /// It stays, and can be cut anywhere.
    Dense,
    /// It is of a script without spaces and of one with spaces: its parts are tokens of their own.
    Mixed,
    /// It is joiners alone, which are punctuation.
    Marks,
    /// It is masked.
    Masked(Mask),
    /// The part up to a place is masked, what follows stays.
    MaskedBefore(Mask, usize),
    /// The part from a place on is masked, what comes before stays.
    MaskedFrom(Mask, usize),
}

impl Verdict {
    /// What a token and the brackets behind it are if they are the name of a file.
    pub fn mask_of_name(self, token: &str) -> Option<Mask> {
        match self {
            Self::Marks => None,
            Self::Masked(mask) if !matches!(mask, Mask::Number | Mask::File | Mask::Path) => None,
            _ if token.contains(['/', '\\']) => Some(Mask::Path),
            _ => Some(Mask::File),
        }
    }
}

/// Reads the token that begins at a place.
pub(super) fn read(text: &str, start: usize) -> Token {
    if let Some(document) = text[start..].strip_prefix("~$")
        && !document.starts_with('~')
    {
        return lock_file(text, start);
    }
    if let Some(end) = paths::rooted_end(text, start) {
        return rooted(&text[start..end], end);
    }
    let mut shape = Shape::default();
    let mut at = start;
    loop {
        at = shape.read_plain(text, at);
        let Some((character, sort)) = letters::at(text, at) else {
            break;
        };
        let goes_on = match character {
            '\'' | '’' => is_apostrophe(text, start, at, character),
            ',' | '٫' | '٬' => is_between_digits(text, start, at, character),
            // A backslash before a quotation mark is part of the quotation.
            '\\' => !text[at + 1..].starts_with(quotes::is_escapable),
            ':' => match locators::behind_colon(text, start, at) {
                Some(token) => return token,
                None => false,
            },
            '@' => match locators::mailbox(text, start, at) {
                Some(token) => return token,
                None => false,
            },
            _ if sort == Sort::Dense => {
                shape.has(Shape::DENSE_LAST) || !is_named(kept(&text[start..at]), shape)
            }
            _ => matches!(sort, Sort::Letter | Sort::Digit | Sort::Joiner),
        };
        if !goes_on {
            break;
        }
        shape.add(character, sort);
        at += character.len_utf8();
        if sort == Sort::Dense {
            at = letters::dense_end(text, at);
        }
    }
    judged(text, start, at, shape)
}

/// Reads the part of a mixed token that begins at a place: all of one kind of script.
pub(super) fn read_part(text: &str, start: usize, limit: usize) -> Token {
    let dense = letters::dense_end(text, start).min(limit);
    if dense > start {
        if text[dense..limit].starts_with('.') {
            let part = kept(&text[start..part_end(text, dense, limit)]);
            if addresses::is_dense_host(part) {
                return Token::masked(Mask::Address, start + part.len());
            }
        }
        return Token {
            end: dense,
            verdict: Verdict::Dense,
        };
    }
    let end = part_end(text, start, limit);
    judged(text, start, end, Shape::of(&text[start..end]))
}

/// Where the part of a script with spaces ends that goes on at a place.
fn part_end(text: &str, place: usize, limit: usize) -> usize {
    let length = text[place..limit].find(|character| Sort::of(character) == Sort::Dense);
    length.map_or(limit, |length| place + length)
}

impl Token {
    fn masked(mask: Mask, end: usize) -> Self {
        Self {
            end,
            verdict: Verdict::Masked(mask),
        }
    }
}

/// The file beside an open document: `~$report.docx`; or nothing but the sign.
fn lock_file(text: &str, start: usize) -> Token {
    let document = read(text, start + "~$".len());
    match document.verdict {
        Verdict::Masked(Mask::File) => document,
        _ => Token {
            end: start + 1,
            verdict: Verdict::Marks,
        },
    }
}

/// A path from its root; or Base64 that begins with a slash.
fn rooted(token: &str, end: usize) -> Token {
    let code = token.trim_end_matches('=');
    let mask = if codes::is_base64(code, code.len() < token.len()) {
        Mask::Number
    } else {
        Mask::Path
    };
    Token::masked(mask, end)
}

/// The token without the joiners at its end, and what becomes of it.
fn judged(text: &str, start: usize, end: usize, shape: Shape) -> Token {
    if shape.is_joiners() {
        return Token {
            end,
            verdict: Verdict::Marks,
        };
    }
    let kept = kept(&text[start..end]);
    let end_of_kept = start + kept.len();
    let shape = if end_of_kept < end {
        Shape::of(kept)
    } else {
        shape
    };
    Token {
        end: end_of_kept,
        verdict: verdict(kept, shape, text[end_of_kept..].starts_with('=')),
    }
}

/// A token without the punctuation at its end.
fn kept(token: &str) -> &str {
    if token.ends_with(|last: char| last.is_ascii_alphanumeric()) {
        return token;
    }
    token.trim_end_matches(['.', '-', '+', '~', '\\', '−', '\'', '’'])
}

/// What becomes of a token; signs of equality behind it are the padding of Base64.
fn verdict(token: &str, shape: Shape, is_padded: bool) -> Verdict {
    if shape.is_letters() {
        let is_code = !shape.has(Shape::NOT_HEXADECIMAL) && codes::is_hexadecimal(token);
        return if is_code {
            Verdict::Masked(Mask::Number)
        } else {
            word(token)
        };
    }
    let is_code = shape.has(Shape::DIGIT) || has_hexadecimal_part(token, shape);
    if shape.has(Shape::SLASH) && is_code_with_slash(token, is_code, is_padded) {
        return Verdict::Masked(Mask::Number);
    }
    if let Some(mask) = place(token, shape, is_code) {
        return Verdict::Masked(mask);
    }
    if shape.has(Shape::DENSE) {
        return if shape.is_dense() {
            Verdict::Dense
        } else {
            Verdict::Mixed
        };
    }
    if !is_code {
        return word(token);
    }
    kept_part(token, shape).unwrap_or_else(|| Verdict::Masked(numbers::mask(token)))
}

fn has_hexadecimal_part(token: &str, shape: Shape) -> bool {
    (shape.has(Shape::OTHER) || shape.has(Shape::SLASH)) && codes::has_hexadecimal_part(token)
}

/// Whether a token is the name of a file or a host, which ends where a text without spaces goes on.
fn is_named(token: &str, shape: Shape) -> bool {
    shape.has(Shape::DOT)
        && (paths::ends_with_extension(token)
            || (shape.has(Shape::DENSE) && addresses::is_dense_host(token)))
}

fn is_code_with_slash(token: &str, is_code: bool, is_padded: bool) -> bool {
    codes::is_escape(token)
        || (is_code
            && (units::is_rate(token)
                || codes::is_pair(token)
                || codes::is_base64(token, is_padded)))
}

fn word(token: &str) -> Verdict {
    if token.len() > LONGEST_WORD && token.chars().count() > LONGEST_WORD {
        Verdict::Masked(Mask::Number)
    } else {
        Verdict::Word
    }
}

/// Whether a token says where something is: a path, a file, a host.
fn place(token: &str, shape: Shape, is_code: bool) -> Option<Mask> {
    if shape.has(Shape::SLASH) && !is_protocol(token) {
        let path = paths::relative(token, is_code);
        if path.is_some() {
            return path;
        }
    }
    if !shape.has(Shape::DOT) {
        None
    } else if paths::ends_with_extension(token) {
        Some(Mask::File)
    } else {
        let is_host = if shape.has(Shape::DENSE) {
            addresses::is_dense_host(token)
        } else {
            addresses::is_host(token)
        };
        is_host.then_some(Mask::Address)
    }
}

/// `HTTP/1.1`.
fn is_protocol(token: &str) -> bool {
    token.strip_prefix("HTTP/").is_some_and(|version| {
        !version.is_empty()
            && version
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'.')
    })
}

/// The part of a token with digits that an operator needs: the name of a class (`psycopg2.errors.DiskFull`), of a protocol.
fn kept_part(token: &str, shape: Shape) -> Option<Verdict> {
    if is_protocol(token) {
        return Some(Verdict::MaskedFrom(Mask::Number, "HTTP/".len()));
    }
    if !shape.has(Shape::DOT) || token.len() > LONGEST_WORD {
        return None;
    }
    let last_digit = token.rfind(|character| Sort::of(character) == Sort::Digit)?;
    let kept = last_digit + token[last_digit..].find('.')?;
    let class = token.rsplit('.').next()?;
    let is_class = class.starts_with(|first: char| first.is_ascii_uppercase())
        && class.bytes().any(|byte| byte.is_ascii_lowercase());
    let is_name = |label: &str| {
        !label.is_empty()
            && label
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    (is_class && token.split('.').all(is_name)).then_some(Verdict::MaskedBefore(Mask::Number, kept))
}

/// Whether a word stands alone and may be part of a quotation that follows: Python writes `b'…'`.
pub(super) fn is_prefix_of_quotation(text: &str, start: usize, end: usize) -> bool {
    let before = text[..start].chars().next_back();
    matches!(&text[start..end], "b" | "B" | "u" | "r" | "f")
        && before.is_none_or(|before| {
            Sort::of(before) == Sort::Space || matches!(before, '(' | '[' | '{' | ',' | '=' | ':')
        })
}

/// Whether a sign within a token is an apostrophe: letters on both sides.
fn is_apostrophe(text: &str, start: usize, at: usize, sign: char) -> bool {
    let before = &text[start..at];
    let is_prefix = sign == '\'' && is_prefix_of_quotation(text, start, at);
    let last = before.chars().next_back().map(Sort::of);
    !is_prefix && last.is_some_and(Sort::is_word) && letters::is_word_at(text, at + sign.len_utf8())
}

fn is_between_digits(text: &str, start: usize, at: usize, sign: char) -> bool {
    let is_digit = |character: Option<char>| character.map(Sort::of) == Some(Sort::Digit);
    is_digit(text[start..at].chars().next_back())
        && is_digit(text[at + sign.len_utf8()..].chars().next())
}

/// The token up to a place, before another one that was found behind it; nothing if there is none.
fn read_before(text: &str, start: usize, end: usize) -> Option<Token> {
    (start < end).then(|| judged(text, start, end, Shape::of(&text[start..end])))
}
