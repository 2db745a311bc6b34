//! A YAML file as a tree in which each value knows its path and where it is written.

use std::collections::{HashMap, HashSet};

use granit_parser::{Event, Parser, ScalarStyle, StrInput};

use crate::config::error::{Fault, Position};
use crate::config::keys::child;

/// Values of a file, those of aliases included: an alias of aliases could stand for any number of them.
const MAX_NODES: usize = 100_000;

/// How nothing is written.
const NOTHING: [&str; 5] = ["", "~", "null", "Null", "NULL"];

#[derive(Debug, Clone)]
pub(crate) struct Node {
    /// Its key in the mapping that it is in.
    pub key: String,
    pub key_at: Position,
    /// Such as `portals[0].base_url`.
    pub path: String,
    pub at: Position,
    pub value: Value,
    /// What a list or a mapping has.
    pub parts: Vec<Node>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Nothing,
    Scalar(String),
    List,
    Map,
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
        document.name(String::new(), mistakes);
        Ok(document)
    }

    fn new(at: Position, value: Value, parts: Vec<Self>) -> Self {
        Self {
            key: String::new(),
            key_at: at,
            path: String::new(),
            at,
            value,
            parts,
        }
    }

    /// Gives it a path, and each value in it.
    fn name(&mut self, path: String, mistakes: &mut Vec<Fault>) {
        let is_map = self.value == Value::Map;
        let mut known = HashSet::new();
        self.parts.retain(|part| {
            let is_new = !is_map || known.insert(part.key.clone());
            if !is_new {
                let fault = Fault::about(child(&path, &part.key), "is set twice; remove one");
                mistakes.push(fault.at(part.key_at));
            }
            is_new
        });
        for (index, part) in self.parts.iter_mut().enumerate() {
            let path = if is_map {
                child(&path, &part.key)
            } else {
                format!("{path}[{index}]")
            };
            part.name(path, mistakes);
        }
        self.path = path;
    }

    /// The value of a key in this mapping.
    pub fn get(&mut self, key: &str) -> Option<&mut Self> {
        self.parts.iter_mut().find(|part| part.key == key)
    }

    /// Removes a key from this mapping.
    pub fn take(&mut self, key: &str) -> Option<Self> {
        let place = self.parts.iter().position(|part| part.key == key)?;
        Some(self.parts.remove(place))
    }

    /// Adds the keys of another mapping that this one does not have, also in the mappings within.
    pub fn add_missing(&mut self, other: &Self) {
        if self.value != Value::Map || other.value != Value::Map {
            return;
        }
        for part in &other.parts {
            match self.get(&part.key) {
                None => self.parts.push(part.clone()),
                Some(own) if own.value == Value::Nothing && part.value == Value::Map => {
                    *own = part.clone();
                }
                Some(own) => own.add_missing(part),
            }
        }
    }

    /// Puts this value into a mapping under a key, beside another one.
    pub fn call(&mut self, key: &str, other: Option<Self>) {
        let mut own = self.clone();
        key.clone_into(&mut own.key);
        self.value = Value::Map;
        self.parts = [own].into_iter().chain(other).collect();
    }

    /// Adds the position of its key to a mistake.
    pub fn locate(&self, fault: Fault) -> Fault {
        let position = self.position(&fault.key);
        fault.at(position)
    }

    /// Where the value at a path is written; if there is none, the nearest value around it.
    fn position(&self, path: &str) -> Position {
        let around = self.parts.iter().find(|part| is_within(path, &part.path));
        around.map_or(self.at, |part| part.position(path))
    }

    /// Removes what is at a path. Returns whether there was anything.
    pub fn remove(&mut self, path: &str) -> bool {
        let before = self.parts.len();
        self.parts.retain(|part| part.path != path);
        let removed = self.parts.len() < before;
        let parts = self.parts.iter_mut();
        parts.fold(removed, |removed, part| part.remove(path) || removed)
    }

    /// Puts a text into the place of what is at the path of a key, or adds the key.
    pub fn replace(&mut self, path: &str, text: &str) {
        self.remove(path);
        if let Some((section, key)) = path.rsplit_once('.') {
            self.add(section, key, text);
        }
    }

    fn add(&mut self, section: &str, key: &str, text: &str) {
        if self.path == section {
            let mut part = Self::new(self.at, Value::Scalar(text.to_owned()), Vec::new());
            key.clone_into(&mut part.key);
            part.path = child(section, key);
            self.parts.push(part);
            return;
        }
        let mut parts = self.parts.iter_mut();
        if let Some(around) = parts.find(|part| is_within(section, &part.path)) {
            around.add(section, key, text);
        }
    }

    fn size(&self) -> usize {
        1 + self.parts.iter().map(Self::size).sum::<usize>()
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
                event => document = Some(self.node(event, at)?),
            }
        }
        Ok(document.unwrap_or(Node::new((1, 1), Value::Nothing, Vec::new())))
    }

    /// The next event, and where it begins.
    fn event(&mut self) -> Result<(Event<'t>, Position), Fault> {
        let unexpected = || Fault::about("", "the file ends unexpectedly");
        let event = self.parser.next().ok_or_else(unexpected)?;
        let (event, span) = event.map_err(|error| {
            let marker = error.marker();
            Fault::about("", error.info()).at((marker.line(), marker.col() + 1))
        })?;
        let at = (span.start.line(), span.start.col() + 1);
        if event.tag().is_some() {
            return Err(Fault::about("", "tags are not supported").at(at));
        }
        Ok((event, at))
    }

    fn node(&mut self, event: Event<'t>, at: Position) -> Result<Node, Fault> {
        let fault = |message: &str| Err(Fault::about("", message).at(at));
        let (anchor, is_alias) = (event.anchor_id(), event.is_alias());
        let node = match event {
            Event::Scalar(text, ScalarStyle::Plain, ..) if NOTHING.contains(&&*text) => {
                Node::new(at, Value::Nothing, Vec::new())
            }
            Event::Scalar(text, ..) => Node::new(at, Value::Scalar(text.into_owned()), Vec::new()),
            Event::SequenceStart(..) => Node::new(at, Value::List, self.parts()?),
            Event::MappingStart(..) => Node::new(at, Value::Map, self.pairs()?),
            Event::Alias(anchor) => match self.anchors.get(&anchor) {
                Some(node) => node.clone(),
                None => return fault("an alias is within its own anchor"),
            },
            _ => return fault("a value is expected here"),
        };
        self.nodes += if is_alias { node.size() } else { 1 };
        if self.nodes > MAX_NODES {
            return fault("the file has too many values");
        }
        if let Some(anchor) = anchor {
            self.anchors.insert(anchor, node.clone());
        }
        Ok(node)
    }

    fn parts(&mut self) -> Result<Vec<Node>, Fault> {
        let mut parts = Vec::new();
        loop {
            match self.event()? {
                (Event::SequenceEnd, _) => return Ok(parts),
                (event, at) => parts.push(self.node(event, at)?),
            }
        }
    }

    fn pairs(&mut self) -> Result<Vec<Node>, Fault> {
        let mut parts = Vec::new();
        loop {
            let (key, key_at) = match self.event()? {
                (Event::MappingEnd, _) => return Ok(parts),
                (Event::Scalar(key, ..), at) => (key.into_owned(), at),
                (_, at) => return Err(Fault::about("", "the name of a key is expected").at(at)),
            };
            let (event, at) = self.event()?;
            let node = self.node(event, at)?;
            parts.push(Node {
                key,
                key_at,
                ..node
            });
        }
    }
}
