//! Tokens: what is written without a space, and what becomes of it.

mod shape;

use super::addresses;
use super::letters::{self, Sort};
use super::mask::Mask;
use super::numbers;
use super::paths;

pub(super) use shape::Shape;

/// Letters of a word that are all hexadecimal digits, from which on it is none.
const HEXADECIMAL_LENGTH: usize = 8;

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

/// Reads the token that begins at a place.
pub(super) fn read(text: &str, start: usize) -> Token {
    if let Some(end) = paths::rooted_end(text, start) {
        return Token::masked(Mask::Path, end);
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
            '\\' => !matches!(letters::at(text, at + 1), Some((_, Sort::Quote))),
            ':' => match behind_colon(text, start, at) {
                Some(token) => return token,
                None => false,
            },
            '@' => match mailbox(text, start, at) {
                Some(token) => return token,
                None => false,
            },
            // The name of a file ends where a text without spaces goes on.
            _ if sort == Sort::Dense => {
                shape.has(Shape::DENSE_LAST) || !paths::ends_with_extension(kept(&text[start..at]))
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
        return Token {
            end: dense,
            verdict: Verdict::Dense,
        };
    }
    let part = &text[start..limit];
    let length = part.find(|character| Sort::of(character) == Sort::Dense);
    let end = start + length.unwrap_or(part.len());
    judged(text, start, end, Shape::of(&text[start..end]))
}

impl Token {
    fn masked(mask: Mask, end: usize) -> Self {
        Self {
            end,
            verdict: Verdict::Masked(mask),
        }
    }
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
        verdict: verdict(kept, shape),
    }
}

/// A token without the punctuation at its end.
fn kept(token: &str) -> &str {
    if token.ends_with(|last: char| last.is_ascii_alphanumeric()) {
        return token;
    }
    token.trim_end_matches(['.', '-', '+', '~', '\\', '−', '\'', '’'])
}

fn verdict(token: &str, shape: Shape) -> Verdict {
    if shape.is_letters() {
        let is_hexadecimal =
            !shape.has(Shape::NOT_HEXADECIMAL) && token.len() >= HEXADECIMAL_LENGTH;
        return if is_hexadecimal {
            Verdict::Masked(Mask::Id)
        } else {
            word(token)
        };
    }
    if let Some(mask) = place(token, shape) {
        return Verdict::Masked(mask);
    }
    if shape.has(Shape::DENSE) {
        return if shape.is_dense() {
            Verdict::Dense
        } else {
            Verdict::Mixed
        };
    }
    if !shape.has(Shape::DIGIT) {
        return word(token);
    }
    kept_part(token, shape).unwrap_or_else(|| Verdict::Masked(numbers::mask(token)))
}

fn word(token: &str) -> Verdict {
    if token.len() > LONGEST_WORD && token.chars().count() > LONGEST_WORD {
        Verdict::Masked(Mask::Id)
    } else {
        Verdict::Word
    }
}

/// Whether a token says where something is: a path, a file, a host.
fn place(token: &str, shape: Shape) -> Option<Mask> {
    if shape.has(Shape::SLASH) && !is_protocol(token) {
        let path = paths::relative(token, shape.has(Shape::DIGIT));
        if path.is_some() {
            return path;
        }
    }
    if !shape.has(Shape::DOT) {
        None
    } else if paths::ends_with_extension(token) {
        Some(Mask::File)
    } else {
        (!shape.has(Shape::DENSE) && addresses::is_host(token)).then_some(Mask::Address)
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
    (is_class && token.split('.').all(is_name)).then_some(Verdict::MaskedBefore(Mask::Id, kept))
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

/// The token that a colon is within: an address with a scheme, a path with a drive, a host with a port; or the token that ends
/// before one of them.
fn behind_colon(text: &str, start: usize, colon: usize) -> Option<Token> {
    if text[colon..].starts_with("://") {
        url(text, start, colon)
    } else if paths::is_behind_drive(text, colon) {
        drive(text, start, colon)
    } else {
        port(text, start, colon)
    }
}

fn port(text: &str, start: usize, colon: usize) -> Option<Token> {
    let host = behind_dense(text, start, colon);
    let end = addresses::port_end(text, &text[host..colon], colon)?;
    (!paths::ends_with_extension(&text[host..colon])).then(|| {
        read_before(text, start, host).unwrap_or_else(|| Token::masked(Mask::Address, end))
    })
}

fn url(text: &str, start: usize, colon: usize) -> Option<Token> {
    let before = &text[start..colon];
    let is_of_scheme =
        |character: char| character.is_ascii_alphanumeric() || matches!(character, '+' | '-' | '.');
    let other = before.trim_end_matches(is_of_scheme).len();
    let scheme = other + before[other..].find(|first: char| first.is_ascii_alphabetic())?;
    Some(
        read_before(text, start, start + scheme)
            .unwrap_or_else(|| Token::masked(Mask::Url, paths::locator_end(text, start))),
    )
}

fn drive(text: &str, start: usize, colon: usize) -> Option<Token> {
    let before = &text[start..colon];
    let other = before.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let is_drive = before.len() - other.len() == 1
        && other
            .chars()
            .next_back()
            .map(Sort::of)
            .is_none_or(|last| last == Sort::Dense);
    is_drive.then(|| {
        read_before(text, start, start + other.len())
            .unwrap_or_else(|| Token::masked(Mask::Path, paths::locator_end(text, start)))
    })
}

/// The token up to a place, before another one that was found behind it; nothing if there is none.
fn read_before(text: &str, start: usize, end: usize) -> Option<Token> {
    (start < end).then(|| judged(text, start, end, Shape::of(&text[start..end])))
}

fn mailbox(text: &str, start: usize, at_sign: usize) -> Option<Token> {
    let local = behind_dense(text, start, at_sign);
    if local == at_sign {
        return None;
    }
    let end = addresses::domain_end(text, at_sign)?;
    Some(read_before(text, start, local).unwrap_or_else(|| Token::masked(Mask::Email, end)))
}

/// Where a token goes on in a script with spaces, before a place.
fn behind_dense(text: &str, start: usize, end: usize) -> usize {
    let is_dense = |character: char| Sort::of(character) == Sort::Dense;
    end - text[start..end].rsplit(is_dense).next().map_or(0, str::len)
}
