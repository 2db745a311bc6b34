//! Reads the exposition, text format 0.0.4, without the crate that wrote it.

use std::collections::BTreeMap;

/// One line of the exposition.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sample {
    pub(crate) name: String,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) value: f64,
}

impl Sample {
    /// The value of something that is counted.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is asserted to be a whole number that is not negative"
    )]
    pub(crate) fn count(&self) -> u64 {
        assert!(self.value >= 0.0 && self.value.fract() == 0.0, "{self:?}");
        self.value as u64
    }

    fn has(&self, labels: &[(&str, &str)]) -> bool {
        labels
            .iter()
            .all(|(name, value)| self.labels.get(*name).is_some_and(|own| own == value))
    }
}

/// What `/metrics` said.
#[derive(Debug, Clone)]
pub(crate) struct Exposition {
    pub(crate) text: String,
    pub(crate) types: BTreeMap<String, String>,
    pub(crate) samples: Vec<Sample>,
}

impl Exposition {
    /// Reads a text; fails at a line that is none of the format's.
    pub(crate) fn parse(text: &str) -> Self {
        let mut types = BTreeMap::new();
        let mut samples = Vec::new();
        for line in text.split_terminator('\n') {
            if let Some(declared) = line.strip_prefix("# TYPE ") {
                let (name, kind) = declared.split_once(' ').unwrap();
                let before = types.insert(name.to_owned(), kind.to_owned());
                assert_eq!(before, None, "declared twice: {name}");
            } else if !line.starts_with("# HELP ") {
                samples.push(sample(line).unwrap_or_else(|| panic!("not a sample: {line:?}")));
            }
        }
        Self {
            text: text.to_owned(),
            types,
            samples,
        }
    }

    /// Every sample of a name that has these labels, and perhaps others.
    pub(crate) fn all<'a>(
        &'a self,
        name: &'a str,
        labels: &'a [(&str, &str)],
    ) -> impl Iterator<Item = &'a Sample> {
        let samples = self.samples.iter();
        samples.filter(move |sample| sample.name == name && sample.has(labels))
    }

    /// The value of the one sample that has these labels; fails where there are several.
    pub(crate) fn value(&self, name: &str, labels: &[(&str, &str)]) -> Option<f64> {
        let found: Vec<_> = self.all(name, labels).collect();
        assert!(found.len() < 2, "several: {found:#?}");
        found.first().map(|sample| sample.value)
    }

    /// The count of the one sample that has these labels.
    pub(crate) fn count(&self, name: &str, labels: &[(&str, &str)]) -> Option<u64> {
        let found: Vec<_> = self.all(name, labels).collect();
        assert!(found.len() < 2, "several: {found:#?}");
        found.first().map(|sample| sample.count())
    }

    /// What it says of one portal alone.
    pub(crate) fn of_portal(&self, portal: &str) -> Self {
        let mut own = self.clone();
        own.samples
            .retain(|sample| sample.has(&[("portal", portal)]));
        own
    }

    /// A family of a folder by its label `status`.
    pub(crate) fn by_status(&self, name: &str, folder: &str) -> BTreeMap<String, u64> {
        let mut counts = BTreeMap::new();
        for sample in self.all(name, &[("folder_id", folder)]) {
            let before = counts.insert(sample.labels["status"].clone(), sample.count());
            assert_eq!(before, None, "two series: {sample:?}");
        }
        counts
    }
}

/// `name{label="value",…} number`, where the number is all that follows the labels.
fn sample(line: &str) -> Option<Sample> {
    let split = line.find(['{', ' '])?;
    let (name, rest) = line.split_at(split);
    let (labels, value) = match rest.strip_prefix('{') {
        Some(rest) => labels(rest)?,
        None => (BTreeMap::new(), rest),
    };
    Some(Sample {
        name: name.to_owned(),
        labels,
        value: value.strip_prefix(' ')?.parse().ok()?,
    })
}

/// Reads the labels up to the closing brace, and returns what follows it.
fn labels(mut rest: &str) -> Option<(BTreeMap<String, String>, &str)> {
    let mut labels = BTreeMap::new();
    loop {
        if let Some(after) = rest.strip_prefix('}') {
            return Some((labels, after));
        }
        let (name, quoted) = rest.split_once("=\"")?;
        let (value, after) = unquoted(quoted)?;
        labels
            .insert(name.to_owned(), value)
            .is_none()
            .then_some(())?;
        rest = after.strip_prefix(',').unwrap_or(after);
    }
}

/// Reads a value up to its closing quote, and returns what follows it.
fn unquoted(quoted: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((value, &quoted[at + 1..])),
            '\\' => value.push(match characters.next()?.1 {
                'n' => '\n',
                escaped @ ('\\' | '"') => escaped,
                _ => return None,
            }),
            _ => value.push(character),
        }
    }
    None
}

#[test]
fn labels_are_read_back_as_they_were_before_they_were_escaped() {
    let text = "# HELP a b\n# TYPE a gauge\na{x=\"q\\\" b\\\\ l\\n }, e=\",y=\"\"} 1.5\nb 2\n";
    let read = Exposition::parse(text);
    let labels = &read.samples[0].labels;
    assert_eq!(labels["x"], "q\" b\\ l\n }, e=");
    assert_eq!(labels["y"], "");
    assert_eq!(read.value("a", &[]), Some(1.5));
    assert_eq!(read.count("b", &[]), Some(2));
}
