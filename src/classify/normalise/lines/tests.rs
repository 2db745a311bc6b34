//! What the tests of the parts of a reason share, and rules that hold for any text.

use proptest::prelude::*;
use proptest::sample::select;

use super::super::normalise;
use super::*;

/// Asserts of each text what is read of it.
pub(super) fn check(cases: &[(&str, &str)]) {
    for (text, part) in cases {
        assert_eq!(telling(text).trim_end(), *part, "{text}");
    }
}

#[test]
fn no_more_is_looked_at_than_needed() {
    assert_eq!(telling(&"я".repeat(10_000)).len(), READ_BYTES);
    let late = format!("{}word", " ".repeat(10_000));
    assert_eq!(telling(&late), "word");
    assert_eq!(telling("  at the end"), "at the end");
}

/// Parts that make a reason several lines, a stack, or wrapped.
const PARTS: [&str; 40] = [
    "\n",
    "\r",
    "\\n",
    "\\r",
    "\\t",
    "\\\\",
    "\\",
    "\t",
    " ",
    "'",
    "\"",
    "\\\"",
    "«",
    "»",
    "(",
    ")",
    "{",
    "}",
    ":",
    "<",
    ">",
    ",",
    ".",
    "|",
    "-",
    "n",
    "a",
    "Error",
    "法",
    "я",
    "1",
    "C:\\",
    "https://x",
    "10:20:30",
    "a.pdf",
    "{\"error\":\"",
    "\"}",
    "Traceback (most recent call last):",
    "  File \"a.py\", line 1",
    "\nCaused by: ",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn the_class_of_wrapped_and_broken_lines_is_its_own_class(
        parts in prop::collection::vec(select(&PARTS[..]), 0..16),
        times in prop_oneof![Just(1), 1_usize..60],
    ) {
        let reason = parts.concat().repeat(times);
        let class = normalise(&reason);
        prop_assert_eq!(normalise(&class), class.as_str());
        prop_assert_eq!(class.is_empty(), reason.trim().is_empty());
    }
}
