//! Reads the exposition, text format 0.0.4, as its specification has it and more strictly: families in one piece, HELP, TYPE,
//! then samples; no series twice; no spaces and no escapes but those that are needed.

use std::collections::{BTreeMap, HashSet};

/// One series with its value.
#[derive(Debug, PartialEq)]
pub(super) struct Series {
    pub(super) name: String,
    pub(super) labels: BTreeMap<String, String>,
    pub(super) value: f64,
}

/// The family that the lines are about.
#[derive(Default)]
struct Family<'a> {
    name: &'a str,
    kind: Option<&'a str>,
}

/// Reads a whole exposition; the error names the line.
pub(super) fn read(text: &str) -> Result<Vec<Series>, String> {
    let body = text.strip_suffix('\n').ok_or("the last line has no end")?;
    let (mut family, mut families) = (Family::default(), HashSet::new());
    let (mut all, mut known) = (Vec::new(), HashSet::new());
    for line in body.split('\n') {
        let fault = |what: &str| format!("{what}: {line:?}");
        if let Some(help) = line.strip_prefix("# HELP ") {
            let name = help.split(' ').next().unwrap_or_default();
            if !is_name(name) || !families.insert(name) {
                return Err(fault("a family without a name, or there already"));
            }
            family = Family { name, kind: None };
        } else if let Some(declared) = line.strip_prefix("# TYPE ") {
            let kind = declared.strip_prefix(family.name);
            let kind = kind.and_then(|kind| kind.strip_prefix(' '));
            if family.kind.is_some() || !kind.is_some_and(is_kind) {
                return Err(fault("a type out of place, or none that there is"));
            }
            family.kind = kind;
        } else {
            let series = series(line).ok_or_else(|| fault("not a sample"))?;
            if !family.has(&series.name) {
                return Err(fault("not of this family"));
            }
            if !known.insert((series.name.clone(), series.labels.clone())) {
                return Err(fault("a series twice"));
            }
            all.push(series);
        }
    }
    Ok(all)
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
fn series(line: &str) -> Option<Series> {
    let (name, rest) = line.split_at(line.find(|character| !in_name(character))?);
    let (labels, rest) = match rest.strip_prefix('{') {
        Some(rest) => labels(rest)?,
        None => (BTreeMap::new(), rest),
    };
    let value = rest.strip_prefix(' ')?.parse().ok()?;
    is_name(name).then(|| Series {
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

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "# HELP a what it is\n# TYPE a gauge\n";

    #[test]
    fn a_label_is_read_as_it_was_before_it_was_escaped() {
        let read = read(&format!(
            "{HEAD}a{{x=\"q\\\" b\\\\ l\\n }}, e=\",y=\"\"}} 1.5\n"
        ))
        .unwrap();
        assert_eq!(read[0].labels["x"], "q\" b\\ l\n }, e=");
        assert_eq!(read[0].labels["y"], "");
        assert!((read[0].value - 1.5).abs() < f64::EPSILON);
    }

    #[test]
    fn what_the_format_does_not_have_is_refused() {
        for lines in [
            "a 1",
            "a\n",
            "a  1\n",
            "a one\n",
            "a 1 \n",
            "\n",
            "b 1\n",
            "a_sum 1\n",
            "a 1\na 2\n",
            "a{} 1\n",
            "a{x=\"1\",} 1\n",
            "a{x=\"1\",x=\"2\"} 1\n",
            "a{x=\"1\"}\n",
            "a{x=\"1} 1\n",
            "a{x=\"\\t\"} 1\n",
            "a{x=1} 1\n",
            "a{x y=\"1\"} 1\n",
            "# TYPE a gauge\n",
            "# HELP a again\n",
            "# HELP b\n# TYPE b heap\n",
            "# HELP b\nb 1\n",
            "# HELP b\n# TYPE b histogram\nb 1\n",
            "# EOF\n",
        ] {
            let text = format!("{HEAD}{lines}");
            assert!(read(&text).is_err(), "{text}");
        }
    }
}
