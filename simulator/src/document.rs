//! A stored file, apart from the folders that refer to it.

use std::borrow::Cow;
use std::sync::Arc;

use uuid::Uuid;

use super::format::Format;
use super::reasons::{Ailment, Suspicion};
use super::status::Status;

/// A stored file. Its state is its own: folders that share it show the same one.
#[derive(Debug)]
pub(super) struct Document {
    pub id: Uuid,
    pub fingerprint: u128,
    pub size: u64,
    pub format: &'static Format,
    pub status: Status,
    pub error: Option<Arc<str>>,
    /// What processing will find.
    pub nature: Nature,
    /// Another one for each state of each file, so that work begun in an earlier state is known to be void.
    pub turn: u64,
    /// Where folders refer to it; never empty.
    pub places: Vec<Place>,
    summary: Cow<'static, str>,
}

/// What processing will find in a file, however often it tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nature {
    /// Nothing of its own; only the portal's troubles can make it fail.
    Sound,
    /// It fails each time.
    Ill(Ailment),
    /// It is set aside each time.
    Suspect(Suspicion),
}

/// A folder and the link in it, by their places in the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub folder: usize,
    pub link: usize,
}

/// What a file is before the portal stores it.
#[derive(Debug)]
pub(super) struct Blueprint {
    pub fingerprint: u128,
    pub size: u64,
    pub format: &'static Format,
    pub status: Status,
    pub error: Option<Arc<str>>,
    pub nature: Nature,
    /// The description that processing will compose.
    pub summary: Cow<'static, str>,
}

impl Document {
    pub fn new(id: Uuid, plan: Blueprint) -> Self {
        Self {
            id,
            fingerprint: plan.fingerprint,
            size: plan.size,
            format: plan.format,
            status: plan.status,
            error: plan.error,
            nature: plan.nature,
            turn: 0,
            places: Vec::with_capacity(1),
            summary: plan.summary,
        }
    }

    /// The short description, once processing has composed it.
    pub fn description(&self) -> Option<&str> {
        (self.status == Status::Done).then_some(&*self.summary)
    }
}
