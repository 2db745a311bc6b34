//! What characters a token holds, as flags that are gathered while it is read.

use super::Sort;

/// The kinds of characters of a token.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in super::super) struct Shape(u8);

impl Shape {
    pub const LETTER: Self = Self(1);
    /// A letter, or another character, that is no hexadecimal digit.
    pub const NOT_HEXADECIMAL: Self = Self(1 << 1);
    pub const DIGIT: Self = Self(1 << 2);
    pub const DENSE: Self = Self(1 << 3);
    pub const DOT: Self = Self(1 << 4);
    /// A slash or a backslash.
    pub const SLASH: Self = Self(1 << 5);
    pub const OTHER: Self = Self(1 << 6);
    /// The last character is of a script without spaces.
    pub const DENSE_LAST: Self = Self(1 << 7);

    /// The shape of a whole text.
    pub fn of(text: &str) -> Self {
        let mut shape = Self::default();
        for character in text.chars() {
            shape.add(character, Sort::of(character));
        }
        shape
    }

    /// Whether it holds a kind of character.
    pub fn has(self, kind: Self) -> bool {
        self.0 & kind.0 != 0
    }

    /// Whether there are letters alone, of scripts with spaces.
    pub fn is_letters(self) -> bool {
        self.0 & !(Self::LETTER.0 | Self::NOT_HEXADECIMAL.0) == 0
    }

    /// Whether all is of scripts without spaces.
    pub fn is_dense(self) -> bool {
        self.0 & !(Self::DENSE.0 | Self::DENSE_LAST.0 | Self::NOT_HEXADECIMAL.0) == 0
    }

    /// Whether there is neither a letter nor a digit.
    pub fn is_joiners(self) -> bool {
        self.0 & (Self::LETTER.0 | Self::DIGIT.0 | Self::DENSE.0) == 0
    }

    /// Reads on over the characters that every token may hold, and tells where they end.
    pub fn read_plain(&mut self, text: &str, start: usize) -> usize {
        let mut gathered = 0;
        let mut length = 0;
        for byte in &text.as_bytes()[start..] {
            let kind = PLAIN[usize::from(*byte)];
            if kind == 0 {
                break;
            }
            gathered |= kind;
            length += 1;
        }
        if length > 0 {
            self.0 = (self.0 & !Self::DENSE_LAST.0) | gathered;
        }
        start + length
    }

    /// Adds a character.
    pub fn add(&mut self, character: char, sort: Sort) {
        let kind = match sort {
            Sort::Dense => Self::DENSE.0 | Self::DENSE_LAST.0 | Self::NOT_HEXADECIMAL.0,
            Sort::Digit => Self::DIGIT.0,
            _ if character.is_ascii() => ascii(character as u8),
            Sort::Letter => Self::LETTER.0 | Self::NOT_HEXADECIMAL.0,
            _ => Self::OTHER.0,
        };
        self.0 = (self.0 & !Self::DENSE_LAST.0) | kind;
    }
}

/// The kind of each byte that every token may hold; 0 for those that end it, or that must be looked at.
///
/// Of what lies beyond ASCII, only Cyrillic is here: two bytes, of which the second one follows no other byte of this table.
const PLAIN: [u8; 256] = {
    let mut kinds = [0; 256];
    let mut byte = 0_u8;
    while byte < 255 {
        kinds[byte as usize] = match byte {
            b'0'..=b'9'
            | b'A'..=b'Z'
            | b'a'..=b'z'
            | b'_'
            | b'-'
            | b'.'
            | b'/'
            | b'%'
            | b'+'
            | b'~' => ascii(byte),
            0x80..=0xbf | 0xd0..=0xd3 => Shape::LETTER.0 | Shape::NOT_HEXADECIMAL.0,
            _ => 0,
        };
        byte += 1;
    }
    kinds
};

const fn ascii(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' => Shape::DIGIT.0,
        b'a'..=b'f' | b'A'..=b'F' => Shape::LETTER.0,
        b'g'..=b'z' | b'G'..=b'Z' => Shape::LETTER.0 | Shape::NOT_HEXADECIMAL.0,
        b'.' => Shape::DOT.0,
        b'/' | b'\\' => Shape::SLASH.0,
        _ => Shape::OTHER.0,
    }
}
