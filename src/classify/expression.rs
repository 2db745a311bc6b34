//! The regular expressions of this program: they stand in files beside the modules that use them.

use std::sync::LazyLock;

use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

/// Memory for the states of an automaton, in bytes: with less, they are computed again and again.
const STATES_BYTES: usize = 16 << 20;

/// Rows that apply where their pattern matches: all patterns are tried at once.
pub(super) struct Table<Row> {
    places: RegexSet,
    pub(super) rows: Vec<Row>,
}

impl<Row> Table<Row> {
    /// Reads a file with a pattern a line, and behind a tab the columns of its row.
    pub fn read<'f>(file: &'f str, row: impl Fn(&'f str) -> Row) -> Self {
        let lines = file.lines().filter_map(|line| line.split_once('\t'));
        let (places, rows): (Vec<_>, _) = lines
            .map(|(place, columns)| (ascii_ends(place), row(columns)))
            .unzip();
        let places = RegexSetBuilder::new(places)
            .dfa_size_limit(STATES_BYTES)
            .build();
        let places = places.expect("each expression is compiled by the tests");
        Self { places, rows }
    }

    /// The rows whose pattern matches, in their order.
    pub fn matches(&self, text: &str) -> impl Iterator<Item = &Row> {
        let matches = self.places.matches(text).into_iter();
        matches.map(|row| &self.rows[row])
    }
}

/// Compiles an expression of this program.
pub(super) fn regex(pattern: &str) -> Regex {
    let regex = RegexBuilder::new(&ascii_ends(pattern))
        .dfa_size_limit(STATES_BYTES)
        .build();
    regex.expect("each expression is compiled by the tests")
}

/// An expression that is compiled when it is used first: of the many in tables, most are seldom used.
pub(super) type LazyRegex = LazyLock<Regex, Box<dyn FnOnce() -> Regex + Send>>;

/// An expression of this program, not compiled yet.
pub(super) fn lazy_regex(pattern: &str) -> LazyRegex {
    let pattern = pattern.to_owned();
    LazyLock::new(Box::new(move || regex(&pattern)))
}

/// A pattern in which words end as ASCII says: the fast automata know no other ends of words.
fn ascii_ends(pattern: &str) -> String {
    pattern.replace(r"\b", r"(?-u:\b)")
}

/// Patterns with their sets written out. A table has an alternative a line, behind a tab and the name of its set in braces; a set may
/// name those that follow it.
pub(super) fn with_sets(patterns: &str, table: &str) -> String {
    let alternatives = || table.lines().filter_map(|line| line.split_once('\t'));
    let mut written = patterns.to_owned();
    for (set, alternative) in alternatives() {
        written = written.replace(set, &format!("{alternative}|{set}"));
    }
    for (set, _) in alternatives() {
        written = written.replace(&format!("|{set}"), "");
    }
    written
}
