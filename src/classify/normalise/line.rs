//! The line that a class is: what is kept of a reason, as it is written.

use super::letters;
use super::mask::Mask;

/// Longest class, in characters (contract: labels at most 120 characters).
const MOST: usize = 120;

/// Ends a line that was cut.
const ELLIPSIS: char = '…';

/// Stands in the place of a character that is not shown.
const REPLACEMENT: char = '\u{fffd}';

/// How often the same punctuation is kept in a row.
const REPEATS: u8 = 3;

/// One line of at most 120 characters, with one space between words.
///
/// It is cut between its parts, never within a word or a placeholder; only text in a script without spaces is cut anywhere.
#[derive(Debug, Default)]
pub(super) struct Line {
    text: String,
    characters: usize,
    /// Bytes that remain when the next part does not fit: with room for the ellipsis.
    safe: usize,
    /// A space is due before the next part.
    spaced: bool,
    /// The last placeholder, while only punctuation follows it.
    last: Option<Last>,
    /// The punctuation that was written last, and how often in a row.
    repeated: Option<(char, u8)>,
    full: bool,
}

#[derive(Debug, Clone, Copy)]
struct Last {
    mask: Mask,
    bytes: usize,
    characters: usize,
}

impl Line {
    /// An empty line with room for a usual class.
    pub fn new() -> Self {
        Self {
            text: String::with_capacity(MOST + MOST / 2),
            ..Self::default()
        }
    }

    /// Whether nothing more fits, so that nothing more need be read.
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// Parts what comes from what was.
    pub fn space(&mut self) {
        self.spaced = true;
        self.repeated = None;
    }

    /// Writes a word, which is not cut.
    pub fn word(&mut self, word: &str) {
        (self.last, self.repeated) = (None, None);
        self.append(word, word.chars().count());
    }

    /// Writes text of a script without spaces, as much of it as fits.
    pub fn dense(&mut self, run: &str) {
        (self.last, self.repeated) = (None, None);
        let characters = run.chars().count();
        let room = (MOST - 1).saturating_sub(self.characters + usize::from(self.is_space_due()));
        if characters > room + 1 {
            let kept = run.char_indices().nth(room).map_or(0, |(end, _)| end);
            if kept > 0 {
                self.append(&run[..kept], room);
            }
            self.cut();
        } else {
            self.append(run, characters);
        }
    }

    /// Writes punctuation; what is not shown has a sign in its place.
    pub fn mark(&mut self, mark: char) {
        let mark = if letters::is_hidden(mark) {
            REPLACEMENT
        } else {
            mark
        };
        let times = match self.repeated {
            Some((same, times)) if same == mark => times + 1,
            _ => 1,
        };
        if times <= REPEATS {
            self.repeated = Some((mark, times));
            self.append(mark.encode_utf8(&mut [0; 4]), 1);
        }
    }

    /// Writes a placeholder. Equal ones that are parted by punctuation alone are one.
    pub fn mask(&mut self, mask: Mask) {
        self.repeated = None;
        if let Some(last) = self.last.filter(|last| last.mask == mask)
            && is_list(&self.text[last.bytes..])
        {
            self.text.truncate(last.bytes);
            self.characters = last.characters;
            self.safe = self.safe.min(last.bytes);
            self.spaced = false;
            return;
        }
        let placeholder = mask.placeholder();
        self.append(placeholder, placeholder.len());
        self.last = Some(Last {
            mask,
            bytes: self.text.len(),
            characters: self.characters,
        });
    }

    /// The line.
    pub fn finish(self) -> String {
        self.text
    }

    fn is_space_due(&self) -> bool {
        self.spaced && !self.text.is_empty()
    }

    fn append(&mut self, part: &str, characters: usize) {
        if self.full {
            return;
        }
        let space = self.is_space_due();
        if self.characters + characters + usize::from(space) > MOST {
            self.cut();
            return;
        }
        if space {
            self.text.push(' ');
        }
        self.spaced = false;
        self.text.push_str(part);
        self.characters += characters + usize::from(space);
        if self.characters < MOST {
            self.safe = self.text.len();
        }
    }

    fn cut(&mut self) {
        if self.full {
            return;
        }
        self.full = true;
        self.text.truncate(self.safe);
        if !self.text.ends_with(ELLIPSIS) {
            self.text.push(ELLIPSIS);
        }
    }
}

/// Whether a text between two equal placeholders makes them a list: what brackets it closes, it opens again.
fn is_list(between: &str) -> bool {
    let mut depth = 0_i32;
    for character in between.chars() {
        match character {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        if depth > 0 {
            return false;
        }
    }
    depth == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut Line)) -> String {
        let mut line = Line::new();
        write(&mut line);
        line.finish()
    }

    #[test]
    fn equal_placeholders_are_one_unless_brackets_part_them() {
        let between = |between: &str| {
            written(|line| {
                line.mask(Mask::Number);
                for mark in between.chars() {
                    if mark == ' ' {
                        line.space();
                    } else {
                        line.mark(mark);
                    }
                }
                line.mask(Mask::Number);
            })
        };
        for list in ["", " ", ", ", " / ", "), (", "][", "…"] {
            assert_eq!(between(list), "<n>", "{list}");
        }
        assert_eq!(between(" ("), "<n> (<n>");
        assert_eq!(between(") "), "<n>) <n>");
    }

    #[test]
    fn a_line_is_cut_between_its_parts() {
        let line = written(|line| {
            line.word(&"w".repeat(100));
            line.space();
            line.word(&"v".repeat(18));
            line.mask(Mask::Number);
        });
        assert_eq!(line, format!("{} {}…", "w".repeat(100), "v".repeat(18)));
        let line = written(|line| {
            line.word("w");
            line.dense(&"法".repeat(200));
        });
        assert_eq!(line, format!("w{}…", "法".repeat(118)));
    }

    #[test]
    fn what_fits_exactly_is_not_cut() {
        let line = written(|line| {
            line.word(&"w".repeat(60));
            line.dense(&"法".repeat(60));
        });
        assert_eq!(line.chars().count(), 120);
        assert!(line.ends_with('法'));
    }

    #[test]
    fn a_row_of_the_same_punctuation_is_short() {
        let line = written(|line| {
            "=====!\u{1b}\u{7f}\u{202e}\u{1b}"
                .chars()
                .for_each(|c| line.mark(c));
        });
        assert_eq!(line, "===!\u{fffd}\u{fffd}\u{fffd}");
    }
}
