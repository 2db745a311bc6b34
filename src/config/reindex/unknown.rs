//! Classes that the rules of reindexing name and nobody knows: most are misspelt.

use std::collections::BTreeSet;
use std::fmt;

use crate::classify::RESERVED;
use crate::config::Errors;
use crate::config::reindex::Reindex;

/// A known class is near where at least this share of the letters is the same.
const NEAR: f64 = 0.6;

/// A class that the rules of reindexing name, that no rule of `errors.rules` makes, and that no file is known to have had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownClass {
    /// The key that names it.
    key: &'static str,
    class: String,
    /// The known class that is written most alike, where one is near.
    near: Option<String>,
}

impl Reindex {
    /// The classes that are named and unknown, each once for each key. `had`: the classes that files are known to have had.
    #[must_use]
    pub fn unknown_classes(&self, errors: &Errors, had: &BTreeSet<&str>) -> Vec<UnknownClass> {
        let rules = errors.rules.iter().map(|rule| rule.class.class().as_str());
        let known: BTreeSet<_> = rules.chain(RESERVED).chain(had.iter().copied()).collect();
        let named = self.all_rules().flat_map(|rules| {
            let retry = rules.retry_classes.iter();
            let never = rules.never_classes.iter();
            let retry = retry.map(|class| ("retry_classes", class.as_str()));
            retry.chain(never.map(|class| ("never_classes", class.as_str())))
        });
        let unknown: BTreeSet<_> = named.filter(|(_, class)| !known.contains(class)).collect();
        let unknown = unknown.into_iter().map(|(key, class)| UnknownClass {
            key,
            class: class.to_owned(),
            near: nearest(class, &known),
        });
        unknown.collect()
    }
}

/// The known class that is written most alike.
fn nearest(class: &str, known: &BTreeSet<&str>) -> Option<String> {
    let class = class.to_lowercase();
    let alike = known.iter().map(|other| {
        let alike = strsim::normalized_levenshtein(&class, &other.to_lowercase());
        (alike, *other)
    });
    let near = alike.filter(|(alike, _)| *alike >= NEAR);
    let nearest = near.max_by(|(one, _), (other, _)| one.total_cmp(other));
    nearest.map(|(_, other)| other.to_owned())
}

impl fmt::Display for UnknownClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, class, near } = self;
        write!(
            f,
            "reindex: {key} names the class {class:?}, which no rule of errors.rules makes, and no file is known to have had it"
        )?;
        match near {
            Some(near) => write!(f, "; is {near:?} meant?"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Config;

    fn unknown(reindex: &str, had: &[&str]) -> Vec<String> {
        let portals = "portals: [{name: a, base_url: https://p, api_key_env: K}]";
        let errors = "errors: {rules: [{match: timed out, class: timeout}]}";
        let text = format!("{portals}\n{errors}\nreindex: {reindex}\n");
        let config = Config::from_yaml("kb.yml", &text).unwrap();
        let had = had.iter().copied().collect();
        let unknown = config.reindex.unknown_classes(&config.errors, &had);
        unknown.iter().map(ToString::to_string).collect()
    }

    fn sentence(key: &str, class: &str, end: &str) -> String {
        format!(
            "reindex: {key} names the class {class:?}, which no rule of errors.rules makes, and no file is known to have had it{end}"
        )
    }

    #[test]
    fn what_rules_make_files_had_or_has_a_meaning_of_its_own_is_known() {
        let known =
            "{retry_classes: [timeout, unspecified], never_classes: [other, unread, page lost]}";
        assert_eq!(unknown(known, &["page lost"]), [""; 0]);
        assert_eq!(
            unknown(known, &[]),
            [sentence("never_classes", "page lost", "")]
        );
        assert_eq!(unknown("{}", &[]), [""; 0]);
    }

    #[test]
    fn a_class_that_is_misspelt_is_told_once_with_the_one_that_may_be_meant() {
        let named = "{never_classes: [tmieout], folders: [
            {match: a, cooldown: 2h}, {match: b, retry_classes: [Page Lost, unübertroffen]}]}";
        assert_eq!(
            unknown(named, &["page lost"]),
            [
                sentence("never_classes", "tmieout", "; is \"timeout\" meant?"),
                sentence("retry_classes", "Page Lost", "; is \"page lost\" meant?"),
                sentence("retry_classes", "unübertroffen", ""),
            ]
        );
    }

    #[test]
    fn what_is_written_cannot_pass_for_more_than_a_class() {
        let told = unknown(r#"{never_classes: ["a\u001b[2J\nb"]}"#, &[]);
        assert_eq!(told, [sentence("never_classes", "a\u{1b}[2J\nb", "")]);
        assert!(!told[0].contains('\u{1b}') && !told[0].contains('\n'));
    }
}
