//! `kb-exporter errors --explain`: how a reason is classified, and by which rule, so that rules can be written without waiting
//! for a failure.

use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use serde_json::{Value, json};

use crate::classify::{Class, Classifier, Reason, Rule, hide_secrets};
use crate::cli::output::OutputArgs;
use crate::cli::settings::ConfigArgs;
use crate::cli::view::{self, Form, List};
use crate::cli::{output, settings};

const COLUMNS: &str = "class by readers masks reason";

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
    #[command(flatten)]
    output: OutputArgs<Form>,
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
        vec![&*text]
    };
    let rows = texts.into_iter();
    let rows = rows.map(|text| explain(&classifier, text, &args.file_name));
    let rows: Vec<_> = rows.collect();
    output::print(&match args.output.form() {
        // A program reads one object for each line that it gives.
        Form::Json => view::lines(&rows)?,
        form => view::text_of(&[List::new("reasons", COLUMNS, rows)], form)?,
    })?;
    Ok(ExitCode::SUCCESS)
}

fn explain(classifier: &Classifier, text: &str, file: &str) -> Value {
    let reason = Reason {
        text: Some(text),
        file,
    };
    let found = classifier.explain(reason);
    let by = match found.rule {
        Some((number, Rule { pattern, .. })) => format!("rule {number}: {}", pattern.as_str()),
        None if found.class == Class::Unspecified => "no reason given".to_owned(),
        None => "no rule: masked".to_owned(),
    };
    json!({
        "class": found.class.as_str(),
        "by": by,
        // What took a structure away, in order.
        "readers": found.readers,
        // What replaced something, in order, each with what it took.
        "masks": found.masks,
        "reason": hide_secrets(text),
    })
}

/// The content of standard input or of the file with this name, or else the text itself.
fn read(text: &str) -> Result<String> {
    let mut bytes = Vec::new();
    if text == "-" {
        let read = std::io::stdin().lock().read_to_end(&mut bytes);
        read.context("standard input cannot be read")?;
    } else if Path::new(text).exists() {
        bytes = std::fs::read(text).with_context(|| format!("the file {text} cannot be read"))?;
    } else {
        return Ok(text.to_owned());
    }
    let reason = String::from_utf8_lossy(&bytes);
    // Windows editors write a byte order mark at the start of a file.
    Ok(reason.trim_start_matches('\u{feff}').to_owned())
}
