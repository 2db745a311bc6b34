//! The table of masks: they find the parts of a reason that differ from file to file.
//!
//! A text is read once, from left to right. If several rows match, the first one applies. Words are a row too, the last one,
//! so that no mask begins within a word.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex_automata::meta::Regex;

use crate::classify::CLASS_CHARACTERS;
use crate::classify::line::Line;
use crate::classify::reader::regex;

/// A letter of a script that is written with blanks between words, or a mark above one.
const LETTER: &str = r"[A-Za-zÀ-\u{dff}\u{10a0}-\u{10ff}\u{1e00}-\u{1fff}]";

/// The same, a digit or an underscore.
const WORD: &str = r"[0-9A-Za-z_À-\u{dff}\u{10a0}-\u{10ff}\u{1e00}-\u{1fff}０-９]";

const ANY_WORD: &str = r"[0-9A-Za-z_À-\u{1fff}\u{3005}-\u{3007}\u{3040}-\u{9fff}\u{ac00}-\u{d7af}]";

/// The words of the statuses of HTTP, and those of gateways.
const PHRASES: &str = include_str!("masks/phrases.txt");

/// Names that have a digit in every text: formats, codecs, digests, services and libraries.
const NAMES: &str = include_str!("masks/names.txt");

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
    let patterns = ROWS.iter().map(|row| {
        let pattern = row.pattern.replace("{letter}", LETTER);
        let pattern = pattern.replace("{word}", WORD);
        let pattern = pattern.replace("{any-word}", ANY_WORD);
        let pattern = pattern.replace("{phrase}", &alternatives(PHRASES));
        pattern.replace("{name}", &alternatives(NAMES))
    });
    Regex::new_many(&patterns.collect::<Vec<_>>()).expect("each row is compiled by the tests")
});

/// The lines of a list, without the comments.
fn alternatives(list: &str) -> String {
    let lines = list.lines().filter(|line| !line.starts_with("# "));
    lines.collect::<Vec<_>>().join("|")
}

/// What a mask replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
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

/// The modules that an exception is in.
static MODULES: LazyLock<regex::Regex> =
    LazyLock::new(|| regex(r"\A(?:[A-Za-z_]\w*\.)+(?P<name>[A-Z]\w*:)"));

/// A text with the matches of the masks replaced, up to the maximum length of a class. Where that is exceeded, the modules of an exception are
/// left out.
pub(super) fn masked(text: &str, taken: Option<&mut Vec<Taken>>) -> String {
    let class = masked_as_is(text, taken);
    if class.chars().count() < CLASS_CHARACTERS {
        return class;
    }
    match MODULES.replace(text, "$name") {
        Cow::Owned(shorter) => masked_as_is(&shorter, None),
        Cow::Borrowed(_) => class,
    }
}

fn masked_as_is(text: &str, mut taken: Option<&mut Vec<Taken>>) -> String {
    let mut line = Line::default();
    let mut read = 0;
    for found in TABLE.find_iter(text) {
        line.text(&text[read..found.start()]);
        let part = &text[found.range()];
        let row = &ROWS[found.pattern().as_usize()];
        if let Some(placeholder) = row.placeholder {
            line.placeholder(placeholder);
            if let Some(taken) = &mut taken {
                taken.push(Taken::new(row.name, part));
            }
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
