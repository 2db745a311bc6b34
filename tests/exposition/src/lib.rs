//! Reads the text format 0.0.4 of Prometheus, for tests.
//!
//! It is stricter than the specification: the lines of a family stand together, HELP first, then TYPE, then samples; no series twice;
//! no spaces and no escapes but those that are needed. It shares no code with the crate that writes the format.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Display;

/// One sample: a series and its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// The name of the metric, with the suffix that a histogram adds.
    pub name: String,
    /// The labels, unescaped.
    pub labels: BTreeMap<String, String>,
    /// The value.
    pub value: f64,
}

impl Sample {
    /// The value as a count.
    ///
    /// # Panics
    /// When it is negative or not a whole number.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is asserted to be a whole number that is not negative"
    )]
    pub fn count(&self) -> u64 {
        assert!(self.value >= 0.0 && self.value.fract() == 0.0, "{self:?}");
        self.value as u64
    }

    fn has(&self, labels: &[(&str, &str)]) -> bool {
        labels
            .iter()
            .all(|(name, value)| self.labels.get(*name).is_some_and(|own| own == value))
    }
}

/// A whole exposition.
#[derive(Debug, Clone, Default)]
pub struct Exposition {
    /// The text that was read.
    pub text: String,
    /// The type of each family by its name.
    pub types: BTreeMap<String, String>,
    /// All samples, in the order of the text.
    pub samples: Vec<Sample>,
}

impl Exposition {
    /// Reads a text. The error quotes the first line that is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        let body = text.strip_suffix('\n').ok_or("the last line has no end")?;
        let mut types = BTreeMap::new();
        let (mut family, mut families) = (Family::default(), HashSet::new());
        let (mut samples, mut series) = (Vec::new(), HashSet::new());
        for line in body.split('\n') {
            let fault = |what: &str| format!("{what}: {line:?}");
            if let Some(help) = line.strip_prefix("# HELP ") {
                let name = help.split(' ').next().unwrap_or_default();
                if !is_name(name) || !families.insert(name) {
                    return Err(fault("a family that has no name or was there before"));
                }
                family = Family { name, kind: None };
            } else if let Some(declared) = line.strip_prefix("# TYPE ") {
                let kind = declared.strip_prefix(family.name);
                let kind = kind.and_then(|kind| kind.strip_prefix(' '));
                let Some(kind) = kind.filter(|kind| family.kind.is_none() && is_kind(kind)) else {
                    return Err(fault("an unknown type, or not directly after HELP"));
                };
                types.insert(family.name.to_owned(), kind.to_owned());
                family.kind = Some(kind);
            } else {
                let sample = sample(line).ok_or_else(|| fault("not a sample"))?;
                if !family.has(&sample.name) {
                    return Err(fault("not of this family"));
                }
                if !series.insert((sample.name.clone(), sample.labels.clone())) {
                    return Err(fault("a series twice"));
                }
                samples.push(sample);
            }
        }
        Ok(Self {
            text: text.to_owned(),
            types,
            samples,
        })
    }

    /// Every sample of a name that has these labels, and perhaps others.
    pub fn all<'a>(
        &'a self,
        name: &'a str,
        labels: &'a [(&str, &str)],
    ) -> impl Iterator<Item = &'a Sample> {
        let samples = self.samples.iter();
        samples.filter(move |sample| sample.name == name && sample.has(labels))
    }

    fn one(&self, name: &str, labels: &[(&str, &str)]) -> Option<&Sample> {
        let matches = |sample: &&Sample| sample.name == name && sample.has(labels);
        let mut found = self.samples.iter().filter(matches);
        let first = found.next();
        assert_eq!(found.next(), None, "more than one: {first:?}");
        first
    }

    /// The value of the sample that has these labels, and perhaps others.
    ///
    /// # Panics
    /// When there are several.
    #[must_use]
    pub fn value(&self, name: &str, labels: &[(&str, &str)]) -> Option<f64> {
        self.one(name, labels).map(|sample| sample.value)
    }

    /// The count of the sample that has these labels, and perhaps others.
    ///
    /// # Panics
    /// When there are several, or the value is no count.
    #[must_use]
    pub fn count(&self, name: &str, labels: &[(&str, &str)]) -> Option<u64> {
        self.one(name, labels).map(Sample::count)
    }

    /// The samples of each portal, without the text.
    #[must_use]
    pub fn by_portal(self) -> BTreeMap<String, Self> {
        let mut portals = BTreeMap::<_, Self>::new();
        for sample in self.samples {
            if let Some(portal) = sample.labels.get("portal") {
                let own = portals.entry(portal.clone()).or_default();
                own.samples.push(sample);
            }
        }
        portals
    }

    /// The samples of a folder, without the text.
    #[must_use]
    pub fn folder(&self, id: impl Display) -> Self {
        let id = id.to_string();
        let own = self.samples.iter();
        let own = own.filter(|sample| sample.labels.get("folder_id") == Some(&id));
        Self {
            samples: own.cloned().collect(),
            ..Self::default()
        }
    }

    /// The counts by the label `status`.
    ///
    /// # Panics
    /// When a status has two samples.
    #[must_use]
    pub fn by_status(&self, name: &str) -> BTreeMap<String, u64> {
        let mut counts = BTreeMap::new();
        for sample in self.all(name, &[]) {
            let before = counts.insert(sample.labels["status"].clone(), sample.count());
            assert_eq!(before, None, "two series: {sample:?}");
        }
        counts
    }
}

/// The family that the lines are about.
#[derive(Default)]
struct Family<'a> {
    name: &'a str,
    kind: Option<&'a str>,
}

impl Family<'_> {
    fn has(&self, name: &str) -> bool {
        let Some(suffix) = name.strip_prefix(self.name) else {
            return false;
        };
        match self.kind {
            Some("histogram") => matches!(suffix, "_bucket" | "_sum" | "_count"),
            Some(_) => suffix.is_empty(),
            None => false,
        }
    }
}

fn is_kind(kind: &str) -> bool {
    matches!(kind, "counter" | "gauge" | "histogram")
}

fn is_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_lowercase()) && name.chars().all(in_name)
}

fn in_name(character: char) -> bool {
    character.is_ascii_lowercase() || character.is_ascii_digit() || character == '_'
}

/// `name number` or `name{label="value",…} number`
fn sample(line: &str) -> Option<Sample> {
    let (name, rest) = line.split_at(line.find(|character| !in_name(character))?);
    let (labels, rest) = match rest.strip_prefix('{') {
        Some(rest) => labels(rest)?,
        None => (BTreeMap::new(), rest),
    };
    let value = rest.strip_prefix(' ')?.parse().ok()?;
    is_name(name).then(|| Sample {
        name: name.to_owned(),
        labels,
        value,
    })
}

/// Reads labels, at least one, and what follows the closing brace.
fn labels(mut rest: &str) -> Option<(BTreeMap<String, String>, &str)> {
    let mut labels = BTreeMap::new();
    loop {
        let (name, quoted) = rest.split_once("=\"")?;
        let (value, after) = unescaped(quoted)?;
        if !is_name(name) || labels.insert(name.to_owned(), value).is_some() {
            return None;
        }
        match after.strip_prefix(',') {
            Some(after) => rest = after,
            None => return Some((labels, after.strip_prefix('}')?)),
        }
    }
}

/// Reads a value and what follows its closing quote.
fn unescaped(quoted: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut rest = quoted.chars();
    loop {
        match rest.next()? {
            '"' => return Some((value, rest.as_str())),
            '\\' => value.push(match rest.next()? {
                'n' => '\n',
                escaped @ ('\\' | '"') => escaped,
                _ => return None,
            }),
            character => value.push(character),
        }
    }
}
