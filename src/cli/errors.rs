//! `kb-exporter errors --explain`: how a reason is classified, and by which rule, so that rules can be written without waiting
//! for a failure.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::json;
use tracing::warn;

use crate::classify::{Class, Classifier, Explanation, Reason, Rule, hide_secrets};
use crate::cli::output::Form;
use crate::cli::settings::ConfigArgs;
use crate::cli::table::Table;
use crate::cli::{output, settings, table};

/// The byte order mark: Windows editors write it at the start of a file.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// What is to be explained.
#[derive(Debug, Args)]
pub(super) struct ErrorsArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// Explain this text of an `indexError`, the text in this file, or standard input (`-`).
    #[arg(
        long,
        value_name = "TEXT|FILE|-",
        required = true,
        allow_hyphen_values = true
    )]
    explain: String,
    /// Take this for the name of the file that has the reason: `<file>` replaces it in the reason.
    #[arg(long = "file", value_name = "NAME", default_value = "")]
    file_name: String,
    /// Treat each line as a separate reason.
    #[arg(long)]
    each_line: bool,
    /// Print a table with a row for each class, or one JSON object per reason.
    #[arg(long, value_name = "FORM", default_value = "table")]
    output: Form,
}

/// Explains how reasons are classified. Rules and masks are those of the configuration file; without one there are
/// none.
pub(super) fn run(args: &ErrorsArgs) -> Result<ExitCode> {
    let classifier = match args.config.file {
        Some(_) => settings::config(&args.config)?.errors.classifier(),
        None => Classifier::default(),
    };
    let text = read(&args.explain)?;
    let texts = if args.each_line {
        text.lines().collect()
    } else {
        vec![text.as_str()]
    };
    let reasons: Vec<_> = texts
        .into_iter()
        .map(|text| Reason {
            text: Some(text),
            file: &args.file_name,
        })
        .collect();
    let text = match args.output {
        Form::Table => explain(&classifier, &reasons, table::terminal_width()).to_string(),
        Form::Json => objects(&classifier, &reasons),
    };
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// One line with an object for each reason, in the same order. Fields may be added, but not renamed or removed.
fn objects(classifier: &Classifier, reasons: &[Reason<'_>]) -> String {
    let object = |reason: &Reason<'_>| {
        let found = classifier.explain(*reason);
        let masks = found.masks.iter();
        let masks: Vec<_> = masks
            .map(|mask| json!({ "mask": mask.mask, "text": mask.text }))
            .collect();

        let object = json!({ "class": found.class.as_str(), "by": by(&found), "readers": found.readers, "masks": masks });
        format!("{object}\n")
    };
    reasons.iter().map(object).collect()
}

/// The content of standard input or of the file with this name, or else the text itself.
fn read(text: &str) -> Result<String> {
    let bytes = if text == "-" {
        let mut bytes = Vec::new();
        let read = std::io::stdin().lock().read_to_end(&mut bytes);
        read.context("standard input cannot be read")?;
        bytes
    } else if Path::new(text).is_dir() {
        bail!("{text} is a folder: name a file in it");
    } else if Path::new(text).exists() {
        std::fs::read(text).with_context(|| format!("the file {text} cannot be read"))?
    } else {
        if is_like_a_name(text) {
            warn!(
                text,
                "there is no file with this name: the text is explained as a reason"
            );
        }
        return Ok(text.to_owned());
    };
    let reason = String::from_utf8_lossy(&bytes);
    Ok(reason
        .strip_prefix(BYTE_ORDER_MARK)
        .unwrap_or(&reason)
        .to_owned())
}

/// Whether a text is more likely the name of a file that was mistyped than a reason.
fn is_like_a_name(text: &str) -> bool {
    text.contains('/') && !text.contains(char::is_whitespace)
}

/// A row for each class and what gave it, with what readers and masks took from the first of its reasons: the largest class first.
fn explain(classifier: &Classifier, reasons: &[Reason<'_>], width: Option<u16>) -> Table {
    let mut classes = BTreeMap::<(Class, String), (Explanation<'_>, Vec<&str>)>::new();
    for reason in reasons {
        let found = classifier.explain(*reason);
        let class = classes.entry((found.class.clone(), by(&found)));
        let (_, texts) = class.or_insert_with(|| (found, Vec::new()));
        texts.push(reason.text.unwrap_or_default());
    }
    let mut classes: Vec<_> = classes.into_iter().collect();
    classes.sort_by_key(|(_, (_, reasons))| std::cmp::Reverse(reasons.len()));
    let mut table = Table::new("class, by, readers, masks, #reasons, example", width);
    for ((class, by), (found, reasons)) in classes {
        let example = hide_secrets(reasons[0]);
        table.add(&[
            &class,
            &by,
            &found.readers.join(", "),
            &masks(&found),
            &reasons.len(),
            &example,
        ]);
    }
    table
}

/// The rule that gave a class, if one did.
fn by(found: &Explanation<'_>) -> String {
    match found.rule {
        Some((number, Rule { pattern, .. })) => format!("rule {number}: {}", pattern.as_str()),
        None if found.class == Class::Unspecified => "no reason given".to_owned(),
        None => "no rule: masked".to_owned(),
    }
}

/// The masks that replaced something, in order, each with what it took.
fn masks(found: &Explanation<'_>) -> String {
    let taken = found.masks.iter();
    let taken: Vec<_> = taken
        .map(|mask| format!("{}: {}", mask.mask, mask.text))
        .collect();
    taken.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_class_has_a_row_that_says_which_rule_gave_it() {
        let rule = Rule {
            pattern: "(?i)timed? ?out".parse().unwrap(),
            class: "timeout".parse().unwrap(),
        };
        let reasons = ["page 1 lost", "Timed out", "page 2 lost", " "].map(Reason::from);
        let rules = Classifier::new(vec![rule], Vec::new());
        let table = explain(&rules, &reasons, None).to_string();
        insta::assert_snapshot!(table, @r"
    ┌───────────────┬─────────────────────────┬─────────┬─────────────────┬─────────┬─────────────┐
    │ class         ┆ by                      ┆ readers ┆ masks           ┆ reasons ┆ example     │
    ╞═══════════════╪═════════════════════════╪═════════╪═════════════════╪═════════╪═════════════╡
    │ page <n> lost ┆ no rule: masked         ┆         ┆ number or id: 1 ┆       2 ┆ page 1 lost │
    │ timeout       ┆ rule 1: (?i)timed? ?out ┆         ┆                 ┆       1 ┆ Timed out   │
    │ unspecified   ┆ no reason given         ┆         ┆                 ┆       1 ┆             │
    └───────────────┴─────────────────────────┴─────────┴─────────────────┴─────────┴─────────────┘
    ");
    }

    #[test]
    fn each_reason_has_an_object_on_a_line_in_its_order() {
        let objects = objects(
            &Classifier::default(),
            &["page 2 lost", "", "page 1 lost"].map(Reason::from),
        );
        insta::assert_snapshot!(objects, @r#"
        {"class":"page <n> lost","by":"no rule: masked","readers":[],"masks":[{"mask":"number or id","text":"2"}]}
        {"class":"unspecified","by":"no reason given","readers":[],"masks":[]}
        {"class":"page <n> lost","by":"no rule: masked","readers":[],"masks":[{"mask":"number or id","text":"1"}]}
        "#);
    }

    #[test]
    fn a_text_is_read_from_a_file_of_that_name_or_is_the_text() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), b"\xef\xbb\xbffirst\n\xff").unwrap();
        let folder = file.path().parent().unwrap().to_str().unwrap();
        let refused = read(folder).unwrap_err().to_string();
        assert!(
            refused.ends_with("is a folder: name a file in it"),
            "{refused}"
        );
        let read = |text: &str| read(text).unwrap();
        assert_eq!(read(file.path().to_str().unwrap()), "first\n\u{fffd}");
        assert_eq!(read("/dev/null"), "");
        assert_eq!(read("/data/no such file.pdf"), "/data/no such file.pdf");
    }
}
