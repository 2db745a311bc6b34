//! Reads YAML files, and finds all of their mistakes.

use std::marker::PhantomData;
use std::path::Path;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use crate::config::error::{ConfigError, Fault, MAX_LINES, MISSING};
use crate::config::hidden;
use crate::config::keys::{example_of, refused, schema_of};
use crate::config::node::{Node, is_within};

/// Values that are replaced or left out, at most: of those that aliases repeat, there may be as many as a file may have.
const MAX_REPLACED: usize = 100;

/// Reads the bytes of a file.
pub(crate) fn bytes_of(file: &Path) -> Result<Vec<u8>, ConfigError> {
    hidden::read_file(file).map_err(|error| {
        let fault = Fault::about("", format!("cannot be read: {error}"));
        ConfigError::in_file(vec![fault], &file.display().to_string(), &Json::Null)
    })
}

/// Reads and checks a document, which need not be text, after a change. `file` is what errors call it. They have the positions of all keys
/// that are wrong.
pub(crate) fn parse<T, R, F: Into<Vec<Fault>>>(
    file: &str,
    bytes: &[u8],
    change: impl FnOnce(&mut Node),
    check: impl FnOnce(T) -> Result<R, F>,
) -> Result<R, ConfigError>
where
    T: DeserializeOwned + JsonSchema,
{
    let mut faults = Vec::new();
    let schema = schema_of::<T>();
    let in_file = |faults: Vec<Fault>| Err(ConfigError::in_file(faults, file, &schema));
    let document = match Node::parse(bytes, &mut faults) {
        Ok(document) => document,
        Err(fault) => return in_file(vec![fault]),
    };
    let mut rest = document.clone();
    change(&mut rest);
    let (read, replaced) = read(&mut rest, &schema, &mut faults);
    let checked = read.map(check).transpose().map_err(|checked| {
        let checked = checked.into().into_iter();
        let checked = checked.filter(|fault| !is_affected(&schema, &fault.key, &replaced));
        faults.extend(checked.map(|fault| document.locate(fault)));
    });
    match checked {
        Ok(Some(checked)) if faults.is_empty() => Ok(checked),
        _ => in_file(faults),
    }
}

/// Reads a document again and again, each time with another value in place of the one in which the last mistake was found, or without it.
/// Returns what remains of the document, if it can be read at all, and the paths of what was replaced or left out.
fn read<T: DeserializeOwned>(
    document: &mut Node,
    schema: &Json,
    faults: &mut Vec<Fault>,
) -> (Option<T>, Vec<String>) {
    let mut replaced: Vec<String> = Vec::new();
    loop {
        let mut fault = match document.read(PhantomData) {
            Ok(read) => return (Some(read), replaced),
            Err(fault) => fault,
        };
        let mut path = fault.key.as_str();
        // Its path is a text that no other value has: two names must not be the same. It will not do for an address, but an example will.
        let other = match replaced.iter().filter(|it| *it == path).count() {
            0 => Some(path),
            1 => example_of(schema, path),
            _ => None,
        };
        if let Some(other) = other {
            document.replace(path, other);
        } else {
            // What is missing is not there to be left out: the section is.
            while !path.is_empty() && !document.remove(path) {
                path = &path[..path.rfind(['.', '[']).unwrap_or(0)];
            }
        }
        let path = path.to_owned();
        // A list is too short where something was left out, and what is required is missing where it has another name.
        let has_other_name =
            |known: &Fault| known.position == fault.position && known.message != MISSING;
        let follows = replaced.iter().any(|other| is_within(other, &fault.key))
            || faults.iter().any(has_other_name);
        if !follows {
            fault.message = refused(&fault.key).unwrap_or(fault.message);
            faults.push(fault);
        }
        if path.is_empty() || faults.len() > MAX_LINES || replaced.len() > MAX_REPLACED {
            return (None, replaced);
        }
        replaced.push(path);
    }
}

/// Whether a mistake of what is at `path` may come from what was replaced or left out: it is a part of it, or lacks it.
fn is_affected(schema: &Json, path: &str, replaced: &[String]) -> bool {
    // Behind an element that is left out, the others have other numbers.
    let whole = |left_out: &str| match left_out.strip_suffix(']') {
        Some(element) => element[..element.rfind('[').unwrap_or(0)].to_owned(),
        None => left_out.to_owned(),
    };
    replaced.iter().any(|other| {
        let lacks_it = is_within(other, path) && example_of(schema, other).is_none();
        lacks_it || is_within(path, &whole(other))
    })
}
