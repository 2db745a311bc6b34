//! The thresholds of the shipped rules, which list them, and name each in a comment after the number.

/// The shipped rules.
pub(super) const SHIPPED: &str = include_str!("../../../alerts/kb-exporter.yml");

/// A threshold of the shipped rules: a line `#   NAME = VALUE  MEANING` in the head of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Threshold<'a> {
    pub(super) name: &'a str,
    pub(super) value: &'a str,
    pub(super) meaning: &'a str,
}

impl<'a> Threshold<'a> {
    /// Reads a line of the list.
    pub(super) fn listed(line: &'a str) -> Option<Self> {
        let (name, rest) = line.strip_prefix("#   ")?.split_once(" = ")?;
        let (value, meaning) = rest.split_once(' ')?;
        Some(Self {
            name,
            value,
            meaning: meaning.trim_start(),
        })
    }

    /// Whether a value makes sense. With 0, most alerts would always fire; what 0 means elsewhere, the list says.
    pub(super) fn allows(self, value: f64) -> bool {
        value.is_finite() && (value > 0.0 || value == 0.0 && self.may_be_zero())
    }

    fn may_be_zero(self) -> bool {
        self.meaning.contains(" 0: ")
    }

    /// Whether folders can have values of their own: an alert about a portal has one, and the list says so.
    pub(super) fn is_of_a_folder(self) -> bool {
        !self.meaning.contains("of a portal")
    }

    /// Which values make sense; for people.
    pub(super) fn range(self) -> String {
        let least = if self.may_be_zero() {
            "of 0 or more"
        } else {
            "above 0 (with 0, the alert would always fire)"
        };
        format!("{} is a number {least}", self.name)
    }

    /// The one of this name, if there is one.
    pub(super) fn named(name: &str) -> Option<Threshold<'static>> {
        Threshold::all().find(|threshold| threshold.name == name)
    }

    /// All, in the order of the list.
    pub(super) fn all() -> impl Iterator<Item = Threshold<'static>> {
        SHIPPED.lines().filter_map(Threshold::listed)
    }
}
