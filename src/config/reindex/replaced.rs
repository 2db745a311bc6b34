//! Keys of `reindex` that other rules have replaced.

/// Each key, and what replaces it.
const REPLACED: [(&str, &str); 8] = [
    ("actions", "budget.files limits what is sent"),
    (
        "breaker",
        "an error class that a retry does not help pauses by itself, and a portal has four tries an hour",
    ),
    (
        "max_cooldown",
        "the pause of an error class doubles up to a day",
    ),
    (
        "max_failed_ratio",
        "an error class that a retry does not help pauses by itself",
    ),
    (
        "max_ride_along",
        "an attempt sends at most ten files that are not eligible for each one that is, or a hundred",
    ),
    ("min_failed", "one eligible file is enough"),
    (
        "retry_classes",
        "never_classes names the classes that are not sent",
    ),
    (
        "verify_after",
        "an attempt is open while its files wait, and for a day at most",
    ),
];

/// What replaces an unknown key at a path, if it was a key of `reindex`.
pub(in crate::config) fn replaced(path: &str, key: &str) -> Option<String> {
    let mut keys = REPLACED.into_iter();
    let (_, instead) = keys.find(|(old, _)| path.starts_with("reindex") && *old == key)?;
    Some(format!("{key} is not a key any more, remove it: {instead}"))
}
