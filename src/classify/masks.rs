//! The table of masks: they find the parts of a reason that differ from file to file.
//!
//! A text is read once, from left to right. If several rows match, the first one applies. Words are a row too, the last one,
//! so that no mask begins within a word.

use std::sync::LazyLock;

use regex_automata::meta::Regex;
use serde::Serialize;

use crate::classify::CLASS_CHARACTERS;
use crate::classify::expression::with_sets;
use crate::classify::line::Line;

/// A mask: what it is called, what it finds, and what replaces that (nothing if it stays).
struct Row {
    name: &'static str,
    pattern: &'static str,
    placeholder: Option<&'static str>,
    #[cfg_attr(not(test), expect(dead_code, reason = "tests read it"))]
    example: &'static str,
}

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let rows = include_str!("masks/table.txt").split("\n\n").skip(1);
    let read = rows.filter_map(|row| {
        let mut lines = row.lines();
        let (name, placeholder) = lines.next()?.split_once('\t')?;
        Some(Row {
            name,
            example: lines.next()?,
            pattern: lines.next()?,
            placeholder: Some(placeholder).filter(|it| *it != "-"),
        })
    });
    read.collect()
});

static TABLE: LazyLock<Regex> = LazyLock::new(|| {
    let sets = include_str!("masks/sets.txt");
    let patterns = ROWS.iter().map(|row| with_sets(row.pattern, sets));
    Regex::new_many(&patterns.collect::<Vec<_>>()).expect("each row is compiled by the tests")
});

/// What a mask replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Taken {
    pub mask: String,
    pub text: String,
}

impl Taken {
    pub(super) fn new(mask: &str, text: &str) -> Self {
        Self {
            mask: mask.to_owned(),
            text: text.to_owned(),
        }
    }
}

/// A text with the matches of the masks replaced, up to the maximum length of a class.
pub(super) fn masked(text: &str, taken: &mut Vec<Taken>) -> String {
    let mut line = Line::default();
    let mut read = 0;
    for found in TABLE.find_iter(text) {
        line.text(&text[read..found.start()]);
        let part = &text[found.range()];
        let row = &ROWS[found.pattern().as_usize()];
        if let Some(placeholder) = row.placeholder {
            line.placeholder(placeholder);
            taken.push(Taken::new(row.name, part));
        } else {
            line.word(part);
        }
        read = found.end();
        if line.is_full() {
            return line.finish(CLASS_CHARACTERS);
        }
    }
    line.text(&text[read..]);
    line.finish(CLASS_CHARACTERS)
}

#[cfg(test)]
mod tests;
