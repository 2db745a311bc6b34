//! The keys of a file: their paths, such as `portals[0].base_url`, and what a JSON schema says about them.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value as Json};

/// The schema of a document: draft 7, which most editors support.
pub(crate) fn schema_of<T: JsonSchema>() -> Json {
    let settings = SchemaSettings::draft07().with(|settings| settings.inline_subschemas = true);
    settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value()
}

/// The path of a key in the mapping at `parent`.
pub(super) fn child(parent: &str, key: &str) -> String {
    if parent.is_empty() {
        return key.to_owned();
    }
    format!("{parent}.{key}")
}

/// `portals[0].base_url` as `portals`, `0`, `base_url`
pub(super) fn segments(path: &str) -> Vec<&str> {
    let segments = path.split(['.', '[', ']']);
    segments.filter(|segment| !segment.is_empty()).collect()
}

/// The keys of the mapping at `path`, for a sentence.
pub(super) fn keys_of(schema: &Json, path: &str) -> String {
    let keys = at(schema, path).and_then(properties);
    let keys: Vec<_> = keys.into_iter().flat_map(Map::keys).cloned().collect();
    keys.join(", ")
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

/// The schema of the value at `path`, in which entries of lists are numbered.
fn at<'s>(schema: &'s Json, path: &str) -> Option<&'s Json> {
    segments(path)
        .into_iter()
        .try_fold(schema, |schema, segment| match segment.parse::<usize>() {
            Ok(_) => schema.get("items"),
            Err(_) => properties(schema)?.get(segment),
        })
}
