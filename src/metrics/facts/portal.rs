//! What holds for a portal as a whole.

use std::time::Duration;

use super::{Of, Portal, Source};
use crate::classify::Class;
use crate::metrics::catalogue as family;
use crate::metrics::writer::{Samples, flag, float};
use crate::model::Timestamp;
use crate::portal::Trouble;
use crate::snapshot::{LastRun, ListState, SortingState};

pub(super) const FAMILIES: &[Source] = &[
    (&family::PORTAL_UP, Of::Portal(up)),
    (&family::PORTAL_UNAVAILABLE, Of::Portal(unavailable)),
    (&family::PORTAL_FOLDERS, Of::Portal(folders)),
    (&family::PORTAL_SORTING, Of::Portal(sorting)),
    (&family::COLLECTION_PANICS, Of::Portal(panics)),
    (&family::COLLECTION_LAST_SUCCESS, Of::Portal(last_success)),
    (&family::COLLECTION_LAST_RUN, Of::Portal(last_run)),
    (&family::COLLECTION_DURATION, Of::Portal(duration)),
    (&family::COLLECTION_INTERVAL, Of::Portal(interval)),
    (&family::ERROR_CLASSES, Of::Portal(classes)),
    (&family::ERROR_OVERFLOW_FILES, Of::Portal(overflow)),
];

fn up(samples: &mut Samples<'_>, portal: &Portal<'_>) {
    let read = matches!(portal.view.list, ListState::Read(_));
    samples.add(&[portal.name()], flag(read));
}

fn unavailable(samples: &mut Samples<'_>, portal: &Portal<'_>) {
    for trouble in Trouble::ALL {
        let holds = portal.view.list.trouble() == Some(trouble);
        samples.add(&[portal.name(), trouble.as_str()], flag(holds));
    }
}

fn folders(samples: &mut Samples<'_>, portal: &Portal<'_>) {
    let list = portal.view.list.facts();
    let folders = list.map(|list| float(list.folders as u64));
    samples.add_some(&[portal.name()], folders);
}

fn sorting(samples: &mut Samples<'_>, portal: &Portal<'_>) {
    for state in SortingState::ALL {
        let holds = portal.view.sorting == state;
        samples.add(&[portal.name(), state.as_str()], flag(holds));
    }
}

fn panics(samples: &mut Samples<'_>, portal: &Portal<'_>) {
    samples.add(&[portal.name()], float(portal.view.panics));
}

fn last_success(samples: &mut Samples<'_>, portal: &Portal<'_>) {
    let at = portal.view.collections.last_success;
    samples.add_some(&[portal.name()], at.map(Timestamp::as_seconds));
}

fn last_run(samples: &mut Samples<'_>, portal: &Portal<'_>) {
    add_of_run(samples, portal, |run| run.ended.as_seconds());
}

fn duration(samples: &mut Samples<'_>, portal: &Portal<'_>) {
    add_of_run(samples, portal, |run| run.duration.as_secs_f64());
}

fn add_of_run(samples: &mut Samples<'_>, portal: &Portal<'_>, value: impl FnOnce(LastRun) -> f64) {
    let run = portal.view.collections.last_run;
    samples.add_some(&[portal.name()], run.map(value));
}

fn interval(samples: &mut Samples<'_>, portal: &Portal<'_>) {
    let interval = portal.view.collections.interval();
    let seconds = interval.as_ref().map(Duration::as_secs_f64);
    samples.add_some(&[portal.name()], seconds);
}

fn classes(samples: &mut Samples<'_>, portal: &Portal<'_>) {
    let in_use = portal.view.classes.len() as u64;
    samples.add(&[portal.name()], float(in_use));
}

fn overflow(samples: &mut Samples<'_>, portal: &Portal<'_>) {
    let counts = portal.folders.iter().filter_map(|folder| folder.counts);
    let rows = counts.flat_map(|counts| &counts.errors);
    let other = rows.filter(|row| row.class == Class::Other);
    let files = other.map(|row| row.files).sum();
    samples.add(&[portal.name()], float(files));
}
