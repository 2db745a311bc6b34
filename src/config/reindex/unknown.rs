//! Classes in the rules of reindexing that no known file has had: most are misspelt.

use std::collections::BTreeSet;

use crate::classify::RESERVED;
use crate::config::Errors;
use crate::config::reindex::Reindex;

/// A known class is similar if at least this share of the letters is the same.
const NEAR: f64 = 0.6;

impl Reindex {
    /// A sentence for each class in the rules that no rule of `errors.rules` makes and no known file has had. `had`: the classes that
    /// known files have had.
    pub fn unknown_classes(&self, errors: &Errors, had: &BTreeSet<&str>) -> Vec<String> {
        let rules = errors.rules.iter().map(|rule| rule.class.as_str());
        let known: BTreeSet<_> = rules.chain(RESERVED).chain(had.iter().copied()).collect();
        let named: BTreeSet<_> = self
            .all_rules()
            .flat_map(|rules| &rules.never_classes)
            .collect();
        let unknown = named
            .into_iter()
            .filter(|class| !known.contains(class.as_str()));
        let sentence = |class: &String| {
            let near = nearest(class, known.iter().copied(), NEAR);
            let near = near.map_or_else(String::new, |near| format!("; is {near:?} meant?"));
            format!(
                "reindex.never_classes names the class {class:?}, which no rule of errors.rules makes, and no known file has had it{near}"
            )
        };
        unknown.map(sentence).collect()
    }
}

/// The known word with the most similar spelling, of those in which at least a share of the letters is the same.
pub(crate) fn nearest<'k>(
    word: &str,
    known: impl Iterator<Item = &'k str>,
    share: f64,
) -> Option<&'k str> {
    let word = word.to_lowercase();
    let alike = |other: &str| strsim::normalized_levenshtein(&word, &other.to_lowercase());
    let alike = known.map(|other| (alike(other), other));
    let near = alike.filter(|(alike, _)| *alike >= share);
    let nearest = near.max_by(|(one, _), (other, _)| one.total_cmp(other));
    nearest.map(|(_, other)| other)
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
        config.reindex.unknown_classes(&config.errors, &had)
    }

    fn sentence(class: &str, end: &str) -> String {
        format!(
            "reindex.never_classes names the class {class:?}, which no rule of errors.rules makes, and no known file has had it{end}"
        )
    }

    #[test]
    fn what_rules_make_files_had_or_has_a_meaning_of_its_own_is_known() {
        let known = "{never_classes: [timeout, unspecified, other, unread, page lost]}";
        assert_eq!(unknown(known, &["page lost"]), [""; 0]);
        assert_eq!(unknown(known, &[]), [sentence("page lost", "")]);
        assert_eq!(unknown("{}", &[]), [""; 0]);
    }

    #[test]
    fn a_class_that_is_misspelt_is_named_once_with_the_one_that_may_be_meant() {
        let named = "{never_classes: [tmieout], folders: [
            {match: a, cooldown: 2h}, {match: b, never_classes: [Page Lost, unübertroffen]}]}";
        assert_eq!(
            unknown(named, &["page lost"]),
            [
                sentence("Page Lost", "; is \"page lost\" meant?"),
                sentence("tmieout", "; is \"timeout\" meant?"),
                sentence("unübertroffen", ""),
            ]
        );
    }

    #[test]
    fn what_is_written_cannot_pass_for_more_than_a_class() {
        let named = unknown(r#"{never_classes: ["a\u001b[2J\nb"]}"#, &[]);
        assert_eq!(named, [sentence("a\u{1b}[2J\nb", "")]);
        assert!(!named[0].contains('\u{1b}') && !named[0].contains('\n'));
    }
}
