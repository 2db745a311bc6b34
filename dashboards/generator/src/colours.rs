//! The colours. A meaning has the same colour in every panel of every dashboard.

/// Colours by the name of the series. Green: good. Red: bad. Orange: needs action. Purple: waits for an administrator.
/// Blue: waits for the portal. Grey: not known.
const WORDS: &[(&str, &str)] = &[
    // Statuses of files.
    ("pending", "blue"),
    ("processing", "light-blue"),
    ("done", "green"),
    ("failed", "red"),
    ("flagged", "purple"),
    ("unknown", "text"),
    // Results of collections.
    ("success", "green"),
    ("partial", "orange"),
    ("failure", "red"),
    ("skipped", "text"),
    // Results of attempts, and reindexed files.
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
    // Quantiles.
    ("half", "light-blue"),
    ("nine in ten", "blue"),
];

/// HTTP statuses, and `error` for no response.
pub(super) const CODES: [(&str, &str); 5] = [
    ("/^2..$/", "green"),
    ("/^3..$/", "yellow"),
    ("/^4..$/", "orange"),
    ("/^5..$/", "red"),
    ("/^error$/", "dark-red"),
];

/// The colour of a series.
pub(super) fn of(word: &str) -> &'static str {
    let found = WORDS.iter().find(|(known, _)| *known == word);
    found.unwrap_or_else(|| panic!("no colour for {word}")).1
}
