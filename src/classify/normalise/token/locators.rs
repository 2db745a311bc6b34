//! Tokens that are told by a sign within them: addresses with a scheme, drives, hosts with a port, mailboxes.

use super::super::addresses;
use super::super::letters::Sort;
use super::super::mask::Mask;
use super::super::paths;
use super::{Token, read_before};

/// The token that a colon is within: an address with a scheme, a path with a drive, a host with a port; or the token that ends
/// before one of them.
pub(super) fn behind_colon(text: &str, start: usize, colon: usize) -> Option<Token> {
    if text[colon..].starts_with("://") {
        url(text, start, colon)
    } else if paths::is_behind_drive(text, colon) {
        drive(text, start, colon)
    } else {
        port(text, start, colon)
    }
}

fn port(text: &str, start: usize, colon: usize) -> Option<Token> {
    let mut host = behind_dense(text, start, colon);
    if text[host..].starts_with('.') {
        host = start;
    }
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
            .unwrap_or_else(|| Token::masked(Mask::Path, paths::path_end(text, start)))
    })
}

/// The mailbox whose sign is at a place, or the token before its name.
pub(super) fn mailbox(text: &str, start: usize, at_sign: usize) -> Option<Token> {
    if at_sign == start {
        return None;
    }
    let local = match behind_dense(text, start, at_sign) {
        // The name itself is of a script without spaces.
        local if local == at_sign => start,
        local => local,
    };
    let end = addresses::domain_end(text, at_sign)?;
    Some(read_before(text, start, local).unwrap_or_else(|| Token::masked(Mask::Email, end)))
}

/// Where a token goes on in a script with spaces, before a place.
fn behind_dense(text: &str, start: usize, end: usize) -> usize {
    let is_dense = |character: char| Sort::of(character) == Sort::Dense;
    end - text[start..end].rsplit(is_dense).next().map_or(0, str::len)
}
