//! Text from a portal, made safe to store and to show (docs/operations.md, Security).
//!
//! Two steps: [`clean`] bounds a text where it enters the program; [`one_line`] escapes it where a line break would do harm.

use std::borrow::Cow;
use std::io::{self, Write};

use serde_json::ser::{Formatter, Serializer};

pub const REPLACEMENT: char = '\u{fffd}';

/// Marks the place where a text was cut.
const ELLIPSIS: char = '…';

/// Whether a character can move a cursor, hide text or turn its direction: control characters, bidirectional
/// controls, separators of lines and paragraphs, and the invisible format characters.
pub fn is_unsafe(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{061c}'
            | '\u{200b}'
            | '\u{200e}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

/// The character, or [`REPLACEMENT`] for one that [`is_unsafe`].
pub fn safe(character: char) -> char {
    if is_unsafe(character) {
        REPLACEMENT
    } else {
        character
    }
}

/// Bounds a text to `characters` and replaces what [`is_unsafe`], but for line feeds and tabs.
///
/// Reads no more of the text than it returns.
pub fn clean(text: &str, characters: usize) -> String {
    if text.len() <= characters && is_plain(text) {
        return text.to_owned();
    }
    text.chars()
        .take(characters)
        .map(|character| match character {
            '\n' | '\t' => character,
            _ => safe(character),
        })
        .collect()
}

/// Whether a text is nothing but printable ASCII, as most are.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// Escapes what would break a line (`\n`, `\t`, anything that [`is_unsafe`]) so that it stays visible.
pub fn one_line(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut line = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if is_unsafe(character) {
            line.extend(character.escape_default());
        } else {
            line.push(character);
        }
    }
    Cow::Owned(line)
}

/// Cuts a text to `characters`, with an ellipsis as the last one if something was cut.
pub fn cut(text: &str, characters: usize) -> Cow<'_, str> {
    if text.chars().nth(characters).is_none() {
        return Cow::Borrowed(text);
    }
    let start = text.chars().take(characters.saturating_sub(1));
    Cow::Owned(start.chain([ELLIPSIS]).collect())
}

/// Writes values as JSON, each on one line, in which everything that [`is_unsafe`] is escaped.
pub fn harmless_json<W: Write>(out: W) -> Serializer<W, Harmless> {
    Serializer::with_formatter(out, Harmless)
}

/// The form of [`harmless_json`]. JSON itself asks to escape control characters below U+0020 only.
pub struct Harmless;

impl Formatter for Harmless {
    fn write_string_fragment<W>(&mut self, out: &mut W, fragment: &str) -> io::Result<()>
    where
        W: ?Sized + Write,
    {
        let mut rest = fragment;
        while let Some((at, character)) = rest.char_indices().find(|found| is_unsafe(found.1)) {
            out.write_all(&rest.as_bytes()[..at])?;
            for unit in character.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}")?;
            }
            rest = &rest[at + character.len_utf8()..];
        }
        out.write_all(rest.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn terminal_and_direction_controls_are_replaced() {
        assert_eq!(
            clean("a\u{1b}[31mb\u{202e}c\u{7f}", 100),
            "a\u{fffd}[31mb\u{fffd}c\u{fffd}"
        );
        assert_eq!(clean("line\nbreak\ttab", 100), "line\nbreak\ttab");
    }

    #[test]
    fn a_line_break_is_shown_as_an_escape() {
        assert_eq!(one_line("a\nb\tc"), "a\\nb\\tc");
        assert!(matches!(one_line("plain"), Cow::Borrowed("plain")));
    }

    proptest! {
        #[test]
        fn whatever_is_cleaned_is_bounded_and_harmless(text in any::<String>(), characters in 0_usize..50) {
            let cleaned = clean(&text, characters);
            prop_assert!(cleaned.chars().count() <= characters);
            prop_assert!(!cleaned.chars().any(|c| is_unsafe(c) && c != '\n' && c != '\t'));
            prop_assert!(!one_line(&cleaned).chars().any(is_unsafe));
            prop_assert!(cut(&text, characters.max(1)).chars().count() <= characters.max(1));
        }
    }
}
