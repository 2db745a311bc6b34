//! Reads a text step by step. A copy remembers a place to return to.

use super::letters::{self, Sort};

/// A place in a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    place: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str, place: usize) -> Self {
        Self { text, place }
    }

    /// Bytes before this place.
    pub fn place(self) -> usize {
        self.place
    }

    /// What is still to be read.
    pub fn rest(self) -> &'a str {
        &self.text[self.place..]
    }

    pub fn peek(self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Goes on by some bytes.
    pub fn skip(&mut self, bytes: usize) {
        self.place += bytes;
    }

    /// Takes a character if it is the next one.
    pub fn take(&mut self, wanted: char) -> bool {
        self.take_if(|character| character == wanted).is_some()
    }

    /// Takes the next character if it is as wanted.
    pub fn take_if(&mut self, wanted: impl FnOnce(char) -> bool) -> Option<char> {
        let character = self.peek().filter(|character| wanted(*character))?;
        self.skip(character.len_utf8());
        Some(character)
    }

    /// Takes one white space.
    pub fn take_space(&mut self) -> bool {
        self.take_if(|character| Sort::of(character) == Sort::Space)
            .is_some()
    }

    /// Takes the digits that come next, of any script, and tells how many.
    pub fn take_digits(&mut self) -> usize {
        let digits = letters::digits(self.rest());
        self.skip(digits.len());
        digits.chars().count()
    }

    /// Takes the letters that come next, of a script with spaces.
    pub fn take_word(&mut self) -> &'a str {
        let word = letters::word(self.rest());
        self.skip(word.len());
        word
    }

    /// Whether a token that ends here is whole.
    pub fn is_end_of_token(self) -> bool {
        letters::ends_at(self.text, self.place)
    }
}
