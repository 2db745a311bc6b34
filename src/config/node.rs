//! A YAML file as a tree in which each value knows its path and where it is written.

use std::collections::{HashMap, HashSet};

use serde_saphyr::granit_parser::{Event, Parser, ScalarStyle, ScanError, StrInput};

use crate::config::error::{Fault, Position};
use crate::config::keys::child;

/// Values of a file, those of aliases included: an alias of aliases could stand for any number of them.
const MAX_NODES: usize = 100_000;

/// Lists and mappings within each other.
const MAX_DEPTH: usize = 64;

/// How nothing is written.
const NOTHING: [&str; 5] = ["", "~", "null", "Null", "NULL"];

#[derive(Debug, Clone)]
pub(crate) struct Node {
    /// Such as `portals[0].base_url`.
    pub path: String,
    pub at: Position,
    pub value: Value,
}

#[derive(Debug, Clone)]
pub(crate) enum Value {
    Nothing,
    Scalar(String),
    List(Vec<Node>),
    Map(Vec<Entry>),
}

/// A key with its value.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub key: String,
    /// Where the key is written.
    pub at: Position,
    pub node: Node,
}

impl Node {
    /// Reads a file that need not be text. Keys that are set twice are added to the mistakes, and the first one counts.
    pub fn parse(bytes: &[u8], mistakes: &mut Vec<Fault>) -> Result<Self, Fault> {
        let mut builder = Builder {
            parser: Parser::new_from_str(text_of(bytes)?),
            anchors: HashMap::new(),
            nodes: 0,
        };
        let mut document = builder.document()?;
        document.name("", mistakes);
        Ok(document)
    }

    fn new(at: Position, value: Value) -> Self {
        Self {
            path: String::new(),
            at,
            value,
        }
    }

    /// Gives it a path, and each value in it.
    fn name(&mut self, path: &str, mistakes: &mut Vec<Fault>) {
        path.clone_into(&mut self.path);
        match &mut self.value {
            Value::Nothing | Value::Scalar(_) => {}
            Value::List(nodes) => {
                for (index, node) in nodes.iter_mut().enumerate() {
                    node.name(&format!("{path}[{index}]"), mistakes);
                }
            }
            Value::Map(entries) => {
                let mut known = HashSet::new();
                entries.retain(|entry| {
                    let is_new = known.insert(entry.key.clone());
                    if !is_new {
                        let key = child(path, &entry.key);
                        let fault = Fault::about(key, "is set twice; remove one");
                        mistakes.push(fault.at(entry.at));
                    }
                    is_new
                });
                for entry in entries {
                    entry.node.name(&child(path, &entry.key), mistakes);
                }
            }
        }
    }

    pub fn entries(&mut self) -> Option<&mut Vec<Entry>> {
        match &mut self.value {
            Value::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// The value of a key in this mapping.
    pub fn get(&mut self, key: &str) -> Option<&mut Self> {
        let entry = self.entries()?.iter_mut().find(|entry| entry.key == key);
        entry.map(|entry| &mut entry.node)
    }

    /// Removes a key with its value from this mapping.
    pub fn take(&mut self, key: &str) -> Option<Entry> {
        let entries = self.entries()?;
        let place = entries.iter().position(|entry| entry.key == key)?;
        Some(entries.remove(place))
    }

    /// Adds the keys of another mapping that this one does not have, also in the mappings within.
    pub fn add_missing(&mut self, other: &Self) {
        let (Some(entries), Value::Map(others)) = (self.entries(), &other.value) else {
            return;
        };
        for other in others {
            match entries.iter_mut().find(|entry| entry.key == other.key) {
                Some(entry) if matches!(entry.node.value, Value::Nothing) => {
                    if matches!(other.node.value, Value::Map(_)) {
                        entry.node = other.node.clone();
                    }
                }
                Some(entry) => entry.node.add_missing(&other.node),
                None => entries.push(other.clone()),
            }
        }
    }

    /// Puts this value into a mapping under a key, beside another one.
    pub fn call(&mut self, key: &str, other: Option<Entry>) {
        let entry = Entry {
            key: key.to_owned(),
            at: self.at,
            node: self.clone(),
        };
        self.value = Value::Map([entry].into_iter().chain(other).collect());
    }

    /// Where the value at a path is written; if there is none, the nearest value around it.
    pub fn position(&self, path: &str) -> Position {
        let around = self.children().find(|node| is_within(path, &node.path));
        around.map_or(self.at, |node| node.position(path))
    }

    /// Removes what is at a path. Returns whether there was anything.
    pub fn remove(&mut self, path: &str) -> bool {
        let before = self.children().count();
        match &mut self.value {
            Value::Nothing | Value::Scalar(_) => {}
            Value::List(nodes) => nodes.retain(|node| node.path != path),
            Value::Map(entries) => entries.retain(|entry| entry.node.path != path),
        }
        let removed = self.children().count() < before;
        match &mut self.value {
            Value::Nothing | Value::Scalar(_) => removed,
            Value::List(nodes) => nodes
                .iter_mut()
                .fold(removed, |removed, node| node.remove(path) || removed),
            Value::Map(entries) => entries
                .iter_mut()
                .fold(removed, |removed, entry| entry.node.remove(path) || removed),
        }
    }

    fn children(&self) -> impl Iterator<Item = &Self> {
        let (nodes, entries) = match &self.value {
            Value::Nothing | Value::Scalar(_) => (&[][..], &[][..]),
            Value::List(nodes) => (nodes.as_slice(), &[][..]),
            Value::Map(entries) => (&[][..], entries.as_slice()),
        };
        nodes.iter().chain(entries.iter().map(|entry| &entry.node))
    }

    fn size(&self) -> usize {
        1 + self.children().map(Self::size).sum::<usize>()
    }
}

/// Whether a path is that of a value or of a part of it.
pub(super) fn is_within(path: &str, whole: &str) -> bool {
    let rest = path.strip_prefix(whole);
    rest.is_some_and(|rest| whole.is_empty() || rest.is_empty() || rest.starts_with(['.', '[']))
}

fn text_of(bytes: &[u8]) -> Result<&str, Fault> {
    std::str::from_utf8(bytes).map_err(|error| {
        let readable = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
        let last_line = readable.rsplit('\n').next().unwrap_or_default();
        let line = readable.matches('\n').count() + 1;
        Fault::about("", "is not UTF-8 text from here on").at((line, last_line.chars().count() + 1))
    })
}

struct Builder<'t> {
    parser: Parser<'t, StrInput<'t>>,
    anchors: HashMap<usize, Node>,
    nodes: usize,
}

impl<'t> Builder<'t> {
    fn document(&mut self) -> Result<Node, Fault> {
        let mut document = None;
        loop {
            let (event, at) = self.event()?;
            match event {
                Event::StreamEnd => break,
                Event::StreamStart | Event::DocumentStart(..) | Event::DocumentEnd => {}
                _ if document.is_some() => {
                    return Err(Fault::about("", "only one document is expected").at(at));
                }
                event => document = Some(self.node(event, at, 0)?),
            }
        }
        Ok(document.unwrap_or(Node::new((1, 1), Value::Nothing)))
    }

    /// The next event, and where it begins.
    fn event(&mut self) -> Result<(Event<'t>, Position), Fault> {
        let unexpected = || Fault::about("", "the file ends unexpectedly");
        let event = self.parser.next().ok_or_else(unexpected)?;
        let (event, span) = event.map_err(|error| unreadable(&error))?;
        let at = (span.start.line(), span.start.col() + 1);
        match event {
            Event::Scalar(.., Some(_))
            | Event::SequenceStart(.., Some(_))
            | Event::MappingStart(.., Some(_)) => {
                Err(Fault::about("", "tags are not supported").at(at))
            }
            event => Ok((event, at)),
        }
    }

    fn node(&mut self, event: Event<'t>, at: Position, depth: usize) -> Result<Node, Fault> {
        let fault = |message: &str| Fault::about("", message).at(at);
        if depth > MAX_DEPTH {
            return Err(fault("this is nested too deeply"));
        }
        let (anchor, value) = match event {
            Event::Scalar(text, ScalarStyle::Plain, anchor, _) if NOTHING.contains(&&*text) => {
                (anchor, Value::Nothing)
            }
            Event::Scalar(text, _, anchor, _) => (anchor, Value::Scalar(text.into_owned())),
            Event::SequenceStart(_, anchor, _) => (anchor, Value::List(self.list(depth)?)),
            Event::MappingStart(_, anchor, _) => (anchor, Value::Map(self.map(depth)?)),
            Event::Alias(anchor) => {
                let node = self.anchors.get(&anchor).cloned();
                let node = node.ok_or_else(|| fault("an alias is within its own anchor"))?;
                self.count(node.size()).map_err(fault)?;
                return Ok(node);
            }
            _ => return Err(fault("a value is expected here")),
        };
        self.count(1).map_err(fault)?;
        let node = Node::new(at, value);
        if anchor > 0 {
            self.anchors.insert(anchor, node.clone());
        }
        Ok(node)
    }

    fn count(&mut self, nodes: usize) -> Result<(), &'static str> {
        self.nodes += nodes;
        if self.nodes > MAX_NODES {
            return Err("the file has too many values");
        }
        Ok(())
    }

    fn list(&mut self, depth: usize) -> Result<Vec<Node>, Fault> {
        let mut nodes = Vec::new();
        loop {
            match self.event()? {
                (Event::SequenceEnd, _) => return Ok(nodes),
                (event, at) => nodes.push(self.node(event, at, depth + 1)?),
            }
        }
    }

    fn map(&mut self, depth: usize) -> Result<Vec<Entry>, Fault> {
        let mut entries = Vec::new();
        loop {
            let (key, at) = match self.event()? {
                (Event::MappingEnd, _) => return Ok(entries),
                (Event::Scalar(key, ..), at) => (key.into_owned(), at),
                (_, at) => return Err(Fault::about("", "the name of a key is expected").at(at)),
            };
            let (event, place) = self.event()?;
            let node = self.node(event, place, depth + 1)?;
            entries.push(Entry { key, at, node });
        }
    }
}

fn unreadable(error: &ScanError) -> Fault {
    let marker = error.marker();
    Fault::about("", error.info()).at((marker.line(), marker.col() + 1))
}
