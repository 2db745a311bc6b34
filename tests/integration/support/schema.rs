//! JSON documents, judged by a schema.

use std::path::Path;

use serde_json::Value;

use super::process::output_with;
use crate::deploy::tool;

/// What is wrong with each document, or `ok`. None where `tests/run` could not install what judges.
pub(crate) fn judged(
    schema: &Path,
    part: Option<&str>,
    documents: &[Value],
) -> Option<Vec<String>> {
    let mut python = tool("python")?;
    python.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/validate.py"));
    python.arg(schema).args(part);
    let lines: Vec<_> = documents.iter().map(Value::to_string).collect();
    let said = output_with(&mut python, &lines.join("\n"));
    let said: Vec<_> = said.lines().map(str::to_owned).collect();
    assert_eq!(said.len(), documents.len(), "{said:?}");
    Some(said)
}

/// Fails where a document does not satisfy a schema.
#[track_caller]
pub(crate) fn satisfied(schema: &Path, part: Option<&str>, documents: &[Value]) {
    for (said, document) in judged(schema, part, documents)
        .iter()
        .flatten()
        .zip(documents)
    {
        assert_eq!(said, "ok", "{}: {document:#}", schema.display());
    }
}
