//! A stored file, apart from the folders that refer to it.

use std::borrow::Cow;
use std::sync::Arc;

use fastrand::Rng;
use uuid::Uuid;

use super::format::Format;
use super::reasons::{Reason, random_uuid};
use super::status::Status;

/// A stored file. Its state is its own: folders that share it show the same one.
#[derive(Debug)]
pub(super) struct Document {
    pub id: Uuid,
    pub fingerprint: u64,
    pub size: u64,
    pub format: &'static Format,
    pub status: Status,
    pub error: Option<Arc<str>>,
    pub nature: Nature,
    pub summary: Cow<'static, str>,
    /// Another one for each state of each file, so that work begun in an earlier state is known to be void.
    pub turn: u64,
    /// Where folders refer to it; empty only until the first does.
    pub places: Vec<Place>,
}

/// What processing finds in a file, however often it tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nature {
    /// Nothing of its own; only the portal's troubles can make it fail.
    Sound,
    Ill(Reason),
    Suspect(Reason),
}

/// A folder and the link in it, by their indices in the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub folder: usize,
    pub link: usize,
}

impl Document {
    /// A new file that waits to be processed, in which nothing will be found.
    pub fn new(rng: &mut Rng, fingerprint: u64, size: u64, format: &'static Format) -> Self {
        Self {
            id: random_uuid(rng),
            fingerprint,
            size,
            format,
            status: Status::Pending,
            error: None,
            nature: Nature::Sound,
            summary: "".into(),
            turn: 0,
            places: Vec::with_capacity(1),
        }
    }

    /// The short description, once processing has composed it.
    pub fn description(&self) -> Option<&str> {
        (self.status == Status::Done).then_some(&*self.summary)
    }
}
