//! One meaning, one colour, in every panel of every dashboard.

/// Colours by the words that series are named by. Green is well, red is bad, orange needs action, purple waits for
/// an administrator, blue waits for the portal, grey is not known.
const WORDS: &[(&str, &str)] = &[
    // Statuses of files.
    ("pending", "blue"),
    ("processing", "light-blue"),
    ("done", "green"),
    ("failed", "red"),
    ("flagged", "purple"),
    ("unknown", "text"),
    // How collections ended.
    ("success", "green"),
    ("partial", "orange"),
    ("failure", "red"),
    ("skipped", "text"),
    // What became of files that were reindexed, and of attempts.
    ("requeued", "blue"),
    ("recovered", "green"),
    ("failed again", "red"),
    ("none", "red"),
    ("inconclusive", "text"),
    ("accepted", "green"),
    ("refused", "red"),
    // Folders.
    ("not counted", "red"),
    // Decisions.
    ("trigger", "green"),
    ("dry_run", "yellow"),
    ("hold", "text"),
    // Shares of a distribution.
    ("half", "light-blue"),
    ("nine in ten", "blue"),
];

/// Statuses of HTTP, and no status at all.
pub(super) const CODES: [(&str, &str); 5] = [
    ("/^2..$/", "green"),
    ("/^3..$/", "yellow"),
    ("/^4..$/", "orange"),
    ("/^5..$/", "red"),
    ("/^error$/", "dark-red"),
];

/// The colour of a word.
pub(super) fn of(word: &str) -> &'static str {
    let found = WORDS.iter().find(|(known, _)| *known == word);
    found.unwrap_or_else(|| panic!("no colour for {word}")).1
}
