//! Writes the text of a class: one line with single blanks, without unsafe characters, no longer than a label may be.

use crate::classify::CLASS_CHARACTERS;
use crate::text;

/// Stands for a number; a unit may follow.
const NUMBER: &str = "<n>";

/// Words that are a part of the number before them.
const UNITS: &str = "% B KB kB MB GB TB KiB MiB GiB TiB ns us µs ms s sec secs second seconds min minute minutes h hour hours \
     day days dpi с мс сек мин ч Б КБ МБ ГБ";

/// What may stand between the parts of a list of numbers or names, which is one placeholder.
const SEPARATORS: [char; 8] = [' ', ',', '-', '–', ':', '.', '/', ';'];

/// A class that is being written.
#[derive(Default)]
pub(super) struct Line {
    text: String,
    /// The last placeholder, and where it ends.
    last: Option<(&'static str, usize)>,
}

impl Line {
    /// Whether what is written is longer than a class may be.
    pub fn is_full(&self) -> bool {
        self.text.len() > CLASS_CHARACTERS && self.text.chars().nth(CLASS_CHARACTERS).is_some()
    }

    /// Writes text between masked parts.
    pub fn text(&mut self, text: &str) {
        for character in text.chars() {
            if !character.is_whitespace() {
                let is_unsafe = text::is_unsafe(character);
                self.text.push(if is_unsafe {
                    char::REPLACEMENT_CHARACTER
                } else {
                    character
                });
            } else if !self.text.is_empty() && !self.text.ends_with(' ') {
                self.text.push(' ');
            }
        }
    }

    /// Writes a word that no mask replaces, unless it is the unit of a number.
    pub fn kept(&mut self, word: &str) {
        match self.last {
            Some((NUMBER, end))
                if &self.text[end..] == " " && UNITS.split(' ').any(|unit| unit == word) =>
            {
                self.text.truncate(end);
            }
            _ => self.text(word),
        }
    }

    /// Writes a placeholder. Several alike in a row are one.
    pub fn placeholder(&mut self, placeholder: &'static str) {
        if let Some((last, end)) = self.last
            && last == placeholder
            && self.text[end..]
                .chars()
                .all(|between| SEPARATORS.contains(&between))
        {
            self.text.truncate(end);
            return;
        }
        self.text.push_str(placeholder);
        self.last = Some((placeholder, self.text.len()));
    }

    /// The class; empty where nothing was written.
    pub fn finish(self) -> String {
        text::cut(self.text.trim_end(), CLASS_CHARACTERS).into_owned()
    }
}
