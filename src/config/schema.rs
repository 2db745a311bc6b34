//! The JSON schema of the configuration file, derived from the types that read it.

use serde_json::Value as Json;

use crate::config::document::Document;
use crate::config::keys::schema_of;

/// The schema, for editors.
pub fn json_schema() -> Json {
    schema_of::<Document>()
}

#[cfg(test)]
mod tests;
