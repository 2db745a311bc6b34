//! The thresholds of the rules: the shipped file lists them, and names each in a comment after the number.

use std::fmt::Write;
use std::str::FromStr;

use crate::cli::rules::shipped::Threshold;

/// The names, the shipped values and what they mean, a line each.
pub(super) fn table() -> String {
    let mut text = String::new();
    for Threshold {
        name,
        value,
        meaning,
    } in Threshold::all()
    {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name:<28} {value:<7} {meaning}");
    }
    text
}

/// The value of a `--set`.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Setting {
    /// Asks for the list of names.
    Help,
    Threshold(&'static str, f64),
}

impl FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "help" {
            return Ok(Self::Help);
        }
        let (name, value) = text
            .split_once('=')
            .ok_or("write NAME=VALUE, or `help` for the list of names")?;
        let threshold = Threshold::named(name).ok_or_else(|| {
            format!("there is no threshold `{name}`; `--set help` lists the names")
        })?;
        let number = value.parse().ok();
        let number = number.filter(|number| threshold.allows(*number));
        let number = number.ok_or_else(|| threshold.range())?;
        Ok(Self::Threshold(threshold.name, number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::rules::shipped::SHIPPED;

    #[test]
    fn a_setting_is_a_known_name_and_a_number_that_makes_sense() {
        let least = Setting::Threshold("most_failed_files", 2.5);
        let six = Setting::Threshold("spike_factor", 6.0);
        let files = "failed_spike_files is a number above 0 (with 0, the alert would always fire)";
        let factor = "spike_factor is a number of 0 or more";
        let nothing = "write NAME=VALUE, or `help` for the list of names";
        let unknown = "there is no threshold `spike`; `--set help` lists the names";
        for (text, expected) in [
            ("help", Ok(Setting::Help)),
            ("most_failed_files=2.5", Ok(least)),
            ("spike_factor=6", Ok(six)),
            (
                "spike_factor=0",
                Ok(Setting::Threshold("spike_factor", 0.0)),
            ),
            ("failed_spike_files=0", Err(files)),
            ("failed_spike_files=", Err(files)),
            ("spike_factor=NaN", Err(factor)),
            ("spike_factor=inf", Err(factor)),
            ("spike_factor=-1", Err(factor)),
            ("spike_factor=4 or vector(1)", Err(factor)),
            ("spike", Err(nothing)),
            ("spike=4", Err(unknown)),
        ] {
            assert_eq!(text.parse(), expected.map_err(str::to_owned), "{text}");
        }
    }

    #[test]
    fn each_threshold_is_listed_with_its_meaning_and_used_with_the_listed_value() {
        let listed: Vec<_> = Threshold::all().collect();
        assert_eq!(listed.len(), 8);
        for threshold in &listed {
            let used = format!(" {} # {}\n", threshold.value, threshold.name);
            assert!(SHIPPED.contains(&used), "{used}");
            assert!(threshold.meaning.ends_with('.'), "{threshold:?}");
        }
        let is_comment = |line: &&str| line.trim_start().starts_with('#');
        let in_rules = SHIPPED.lines().filter(|line| !is_comment(line));
        let in_rules = in_rules.filter_map(|line| line.split_once(" # "));
        for (used, name) in in_rules {
            let value = used.rsplit(' ').next().unwrap();
            let known = listed.iter().find(|threshold| threshold.name == name);
            assert_eq!(
                known.map(|threshold| threshold.value),
                Some(value),
                "{name}"
            );
        }
    }
}
