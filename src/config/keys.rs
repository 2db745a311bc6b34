//! The keys of a file: their paths, such as `portals[0].base_url`, and what a JSON schema says about them.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value as Json};

/// Why a key is not in the file, and what to do instead.
pub(super) const LITERAL_KEY: &str = "a key here would be seen by whoever reads, copies or backs up the configuration: put it in a file of \
     its own (api_key_file) or in an environment variable (api_key_env), and replace it if the configuration was ever shared";

/// Why an unknown key is refused, if another section has it, or if it would hold an API key.
pub(super) fn refused(path: &str) -> Option<String> {
    let (section, key) = path.rsplit_once('.')?;
    if section.starts_with("portals[") && ["api_key", "key", "token"].contains(&key) {
        return Some(format!("a literal key is refused; {LITERAL_KEY}"));
    }
    let elsewhere = match (section, key) {
        ("reindex", "match") => "only the entries of reindex.folders have this key",
        (_, "folders") if section.starts_with("reindex.") => "only reindex itself has this key",
        _ => return None,
    };
    Some(elsewhere.to_owned())
}

/// The schema of a document: draft 7, which most editors support.
pub(crate) fn schema_of<T: JsonSchema>() -> Json {
    let settings = SchemaSettings::draft07().with(|settings| settings.inline_subschemas = true);
    settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value()
}

/// `portals[0].base_url` as `portals`, `0`, `base_url`
fn segments(path: &str) -> Vec<&str> {
    let segments = path.split(['.', '[', ']']);
    segments.filter(|segment| !segment.is_empty()).collect()
}

/// An example of the value at `path`.
pub(super) fn example_of<'s>(schema: &'s Json, path: &str) -> Option<&'s str> {
    at(schema, path)?["examples"][0].as_str()
}

/// The part of a path that the schema has, from its start.
pub(super) fn known<'p>(schema: &Json, path: &'p str) -> &'p str {
    let ends = path.match_indices(['.', '[']).map(|(end, _)| end);
    let mut ends = std::iter::once(path.len()).chain(ends.rev());
    let end = ends.find(|end| at(schema, &path[..*end]).is_some());
    end.map_or("", |end| &path[..end])
}

pub(super) fn properties(schema: &Json) -> Option<&Map<String, Json>> {
    schema["properties"].as_object()
}

/// The key that may be meant by an unknown one. Only one with at most three other letters: anything else may be a secret.
pub(super) fn nearest_key(unknown: &str, known: &[&'static str]) -> Option<&'static str> {
    let distance = |key: &&str| strsim::levenshtein(unknown, key);
    let nearest = known.iter().copied().min_by_key(distance)?;
    (distance(&nearest) <= 3).then_some(nearest)
}

/// The schema of the value at `path`, in which entries of lists are numbered.
fn at<'s>(schema: &'s Json, path: &str) -> Option<&'s Json> {
    segments(path)
        .into_iter()
        .try_fold(schema, |schema, segment| match segment.parse::<usize>() {
            Ok(_) => schema.get("items"),
            Err(_) => properties(schema)?.get(segment),
        })
}
