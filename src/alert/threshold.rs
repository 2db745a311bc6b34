//! The thresholds of the shipped rules, which list them, and write each as a number with its name in a comment.

/// The shipped rules.
pub const SHIPPED: &str = include_str!("../../alerts/kb-exporter.yml");

/// A threshold of the shipped rules: a line `#   NAME = VALUE  MEANING` in the head of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Threshold<'a> {
    pub name: &'a str,
    pub value: &'a str,
    pub meaning: &'a str,
}

impl<'a> Threshold<'a> {
    /// Reads a line of the list.
    pub fn listed(line: &'a str) -> Option<Self> {
        let (name, rest) = line.strip_prefix("#   ")?.split_once(" = ")?;
        let (value, meaning) = rest.split_once(' ')?;
        Some(Self {
            name,
            value,
            meaning: meaning.trim_start(),
        })
    }

    /// All, in the order of the list.
    pub fn all() -> impl Iterator<Item = Threshold<'static>> {
        SHIPPED.lines().filter_map(Threshold::listed)
    }
}

/// The shipped value of a threshold; none if there is no such threshold.
pub fn shipped(name: &str) -> Option<f64> {
    let mut thresholds = Threshold::all();
    let found = thresholds.find(|threshold| threshold.name == name)?;
    found.value.parse().ok()
}
