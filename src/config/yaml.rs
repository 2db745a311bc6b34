//! Reads YAML files, and finds all of their mistakes.

use std::marker::PhantomData;
use std::path::Path;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use crate::config::error::{ConfigError, Fault, MAX_LINES};
use crate::config::hidden;
use crate::config::keys::{refused, schema_of};
use crate::config::node::{Node, is_within};

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
    let (read, left_out) = read(&mut rest, &mut faults);
    let checked = read.map(check).transpose().map_err(|checked| {
        let checked = checked.into().into_iter();
        let checked = checked.filter(|fault| !is_affected(&fault.key, &left_out));
        faults.extend(checked.map(|fault| document.locate(fault)));
    });
    match checked {
        Ok(Some(checked)) if faults.is_empty() => Ok(checked),
        _ => in_file(faults),
    }
}

/// Reads a document again and again, each time without the value in which the last mistake was found. Returns what remains of it, if it can
/// be read at all, and what was left out.
fn read<T: DeserializeOwned>(
    document: &mut Node,
    faults: &mut Vec<Fault>,
) -> (Option<T>, Vec<String>) {
    let mut left_out = Vec::new();
    loop {
        let mut fault = match document.read(PhantomData) {
            Ok(read) => return (Some(read), left_out),
            Err(fault) => fault,
        };
        // What is missing is not there to be left out: the section is.
        let mut path = fault.key.as_str();
        while !path.is_empty() && !document.remove(path) {
            path = &path[..path.rfind(['.', '[']).unwrap_or(0)];
        }
        let path = path.to_owned();
        // What is required is missing, or a list is too short, where something was left out or has another name.
        let follows = left_out.iter().any(|other| is_within(other, &fault.key))
            || faults.iter().any(|known| known.position == fault.position);
        if !follows {
            fault.message = refused(&fault.key).unwrap_or(fault.message);
            faults.push(fault);
        }
        if path.is_empty() || faults.len() > MAX_LINES {
            return (None, left_out);
        }
        left_out.push(path);
    }
}

/// Whether a part of what is at `path` was left out, or the whole that it belongs to.
fn is_affected(path: &str, left_out: &[String]) -> bool {
    // Behind an element that is left out, the others have other numbers.
    let whole = |left_out: &str| match left_out.strip_suffix(']') {
        Some(element) => element[..element.rfind('[').unwrap_or(0)].to_owned(),
        None => left_out.to_owned(),
    };
    let mut left_out = left_out.iter();
    left_out.any(|other| is_within(other, path) || is_within(path, &whole(other)))
}
