//! A stored file, apart from the folders that refer to it.

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
    pub size: u64,
    pub format: &'static Format,
    pub status: Status,
    pub error: Option<Arc<str>>,
    pub nature: Nature,
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub folder: usize,
    pub link: usize,
}

impl Document {
    /// A new file that waits to be processed, in which nothing will be found.
    pub fn new(rng: &mut Rng, size: u64, format: &'static Format) -> Self {
        Self {
            id: random_uuid(rng),
            size,
            format,
            status: Status::Pending,
            error: None,
            nature: Nature::Sound,
            turn: 0,
            places: Vec::with_capacity(1),
        }
    }
}
