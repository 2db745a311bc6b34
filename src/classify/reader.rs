//! Finds the sentence of failure in a reason: each reader is a pure function that takes one structure away. They are tried in order, again
//! and again, until none finds anything.

mod fields;
mod lines;

use std::borrow::Cow;
use std::sync::LazyLock;

use crate::classify::expression::{Table, lazy_regex};

/// How much of a text is classified, in bytes.
pub(super) const READ_BYTES: usize = 4 << 10;

/// How much of a text is searched for its sentence, in bytes: half of it from the beginning, half from the end.
const SEARCHED_BYTES: usize = 64 << 10;

/// Structures within each other, at most.
const MAX_LAYERS: usize = 8;

/// Takes a structure away, if the text has it.
type Read = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

struct Reader {
    name: &'static str,
    read: Read,
}

static READERS: LazyLock<Table<Reader>> =
    LazyLock::new(|| Table::read(include_str!("reader/structures.txt"), reader));

/// The reader of a row.
fn reader(row: &'static str) -> Reader {
    let mut columns = row.split('\t');
    let name = columns.next().unwrap_or_default();
    let read: Read = match (columns.next(), columns.next()) {
        (Some(pattern), Some(by)) => {
            let (pattern, by) = (lazy_regex(pattern), by.replace("\\n", "\n"));
            Box::new(move |text| Some(pattern.replace_all(text, &by).into_owned()))
        }
        _ if name == "fields" => Box::new(fields::read),
        _ => Box::new(lines::read),
    };
    Reader { name, read }
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
    for _ in 0..MAX_LAYERS {
        let said = |reader: &Reader| Some((reader.name, reader.said(&text)?));
        let Some((name, said)) = READERS.matches(&text).find_map(said) else {
            break;
        };
        readers.push(name);
        text = Cow::Owned(said);
    }
    (start_of(&text).to_owned(), readers)
}

/// The part of a text that is classified.
pub(super) fn start_of(text: &str) -> &str {
    &text[..text.floor_char_boundary(READ_BYTES)]
}

/// The part of a text that is searched: of a long one, all but its middle. What follows the middle begins where a part of a sentence does, as
/// the rest of a secret whose name is left out could not be told from a word.
pub(super) fn searched(text: &str) -> Cow<'_, str> {
    if text.len() <= SEARCHED_BYTES {
        return Cow::Borrowed(text);
    }
    let start = text.floor_char_boundary(SEARCHED_BYTES / 2);
    let end = text.ceil_char_boundary(text.len() - SEARCHED_BYTES / 2);
    let end = end + text[end..].find(['\n', ',', ';', '.']).unwrap_or_default();
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
