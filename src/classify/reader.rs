//! Finds the sentence of failure in a reason: each reader is a pure function that takes one structure away. They are tried in order, again
//! and again, until none finds anything.

mod fields;
mod lines;

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

/// How much of a text is classified, in bytes.
pub(super) const READ_BYTES: usize = 4 << 10;

/// How much of a text is searched for its sentence, in bytes: half of it from the beginning, half from the end.
const SEARCHED_BYTES: usize = 64 << 10;

/// Memory for the states of an automaton, in bytes: with less, they are computed again and again.
const STATES_BYTES: usize = 16 << 20;

/// Structures within each other, at most.
const MAX_LAYERS: usize = 8;

/// Takes a structure away, if the text has it.
type Read = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

struct Reader {
    name: &'static str,
    read: Read,
}

/// Where each reader may find something, and the readers.
static READERS: LazyLock<(RegexSet, Vec<Reader>)> = LazyLock::new(|| {
    let rows = include_str!("reader/structures.txt").lines();
    let rows = rows.filter_map(|row| row.split_once('\t'));
    let (places, readers): (Vec<_>, Vec<_>) =
        rows.filter_map(|(name, row)| reader(name, row)).unzip();
    let places = places.into_iter().map(ascii_ends);
    let places = RegexSetBuilder::new(places)
        .dfa_size_limit(STATES_BYTES)
        .build();
    let places = places.expect("the tests compile it");
    (places, readers)
});

/// The place and the reader of a row.
fn reader(name: &'static str, row: &'static str) -> Option<(&'static str, Reader)> {
    let mut columns = row.split('\t');
    let place = columns.next()?;
    let (pattern, by) = (columns.next(), columns.next());
    let read: Read = match name {
        "fields" => Box::new(fields::read),
        "lines" => Box::new(lines::read),
        _ => {
            let (pattern, by) = (regex(pattern?), by?.replace("\\n", "\n"));
            Box::new(move |text| Some(pattern.replace_all(text, &by).into_owned()))
        }
    };
    Some((place, Reader { name, read }))
}

/// An expression of this program.
pub(super) fn regex(pattern: &str) -> Regex {
    let regex = RegexBuilder::new(&ascii_ends(pattern))
        .dfa_size_limit(STATES_BYTES)
        .build();
    regex.expect("each expression is compiled by the tests")
}

/// A pattern in which words end as ASCII says: the fast automata know no other ends of words.
fn ascii_ends(pattern: &str) -> String {
    pattern.replace(r"\b", r"(?-u:\b)")
}

impl Reader {
    /// What the structure says, if it says something.
    fn said(&self, text: &str) -> Option<String> {
        let said = (self.read)(text)?;
        let said = said.trim();
        (!said.is_empty() && said != text).then(|| said.to_owned())
    }
}

/// The sentence of failure in a reason, which the caller has cut to what is [`searched`], and the names of the readers that found it, in order.
pub(super) fn sentence(reason: &str) -> (String, Vec<&'static str>) {
    let mut text = Cow::Borrowed(reason.trim());
    let mut readers = Vec::new();
    while readers.len() < MAX_LAYERS {
        let (places, known) = &*READERS;
        let found = places.matches(&text).into_iter().find_map(|row| {
            let reader = &known[row];
            Some((reader.name, reader.said(&text)?))
        });
        let Some((name, said)) = found else { break };
        readers.push(name);
        text = Cow::Owned(said);
    }
    (start_of(&text).to_owned(), readers)
}

/// The part of a text that is classified.
pub(super) fn start_of(text: &str) -> &str {
    &text[..text.floor_char_boundary(READ_BYTES)]
}

/// The part of a text that is searched: of a long one, all but its middle.
pub(super) fn searched(text: &str) -> Cow<'_, str> {
    if text.len() <= SEARCHED_BYTES {
        return Cow::Borrowed(text);
    }
    let start = text.floor_char_boundary(SEARCHED_BYTES / 2);
    let end = text.ceil_char_boundary(text.len() - SEARCHED_BYTES / 2);
    Cow::Owned(format!("{}\n{}", &text[..start], &text[end..]))
}

/// A quoted text without its escapes.
fn unescaped(text: &str) -> String {
    let json = format!("\"{}\"", text.replace("\\'", "'").replace('\n', "\\n"));
    let simple = || {
        text.replace("\\\"", "\"")
            .replace("\\'", "'")
            .replace("\\n", "\n")
    };
    serde_json::from_str(&json).unwrap_or_else(|_| simple())
}

#[cfg(test)]
mod tests;
