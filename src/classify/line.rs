//! Writes the text of a class: one line with single blanks, without unsafe characters, no longer than a label may be.

use crate::classify::CLASS_CHARACTERS;
use crate::text;

/// Stands for a number; a unit may follow.
const NUMBER: &str = "<n>";

/// Words that are a part of the number before them.
const UNITS: &str = "% B KB kB MB GB TB KiB MiB GiB TiB ns us µs ms s sec secs second seconds min minute minutes h hour hours \
     day days dpi с мс сек мин ч Б КБ МБ ГБ";

/// The text that may be between the parts of a list of numbers or names, which is one placeholder.
const SEPARATORS: [char; 8] = [' ', ',', '-', '–', ':', '.', '/', ';'];

/// A text on one line, without unsafe characters, and cut.
pub(super) fn one_line(text: &str, characters: usize) -> String {
    let mut line = Line::default();
    line.text(text);
    line.finish(characters)
}

/// A class that is being written.
#[derive(Default)]
pub(super) struct Line {
    text: String,
    /// The last placeholder, and where it ends. Empty before the first.
    last: (&'static str, usize),
}

impl Line {
    /// Whether what is written is longer than a class may be.
    pub fn is_full(&self) -> bool {
        self.text.len() > CLASS_CHARACTERS && self.text.chars().nth(CLASS_CHARACTERS).is_some()
    }

    pub fn text(&mut self, text: &str) {
        for character in text.chars() {
            if !character.is_whitespace() {
                self.text.push(text::safe(character));
            } else if !self.text.is_empty() && !self.text.ends_with(' ') {
                self.text.push(' ');
            }
        }
    }

    /// Writes a word that no mask replaces, unless it is the unit of a number.
    pub fn word(&mut self, word: &str) {
        let is_unit = |between: &str| between == " " && UNITS.split(' ').any(|unit| unit == word);
        if !self.extends(NUMBER, is_unit) {
            self.text(word);
        }
    }

    /// Writes a placeholder. Several alike in a row are one.
    pub fn placeholder(&mut self, placeholder: &'static str) {
        let is_list = |between: &str| between.trim_start_matches(SEPARATORS).is_empty();
        if !self.extends(placeholder, is_list) {
            self.text.push_str(placeholder);
            self.last = (placeholder, self.text.len());
        }
    }

    /// Whether the last placeholder is this one and only a gap follows, which is then removed.
    fn extends(&mut self, placeholder: &str, is_gap: impl Fn(&str) -> bool) -> bool {
        let (last, end) = self.last;
        let extends = last == placeholder && is_gap(&self.text[end..]);
        if extends {
            self.text.truncate(end);
        }
        extends
    }

    /// The written text, cut to this number of characters.
    pub fn finish(self, characters: usize) -> String {
        text::cut(self.text.trim_end(), characters).into_owned()
    }
}
