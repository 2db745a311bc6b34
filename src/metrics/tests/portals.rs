//! Portals to render.

use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use uuid::Uuid;

use crate::classify::{Classifier, ErrorRow};
use crate::clock::Moment;
use crate::config::{BaseUrl, HiddenPath, KeySource, Portal};
use crate::history::{Departure, DepartureReason, FolderCounters, IndexingTimes, Look};
use crate::model::{ByStatus, FolderName, PortalName, Status, Timestamp};
use crate::snapshot::{
    Counts, FolderState, FolderView, PortalView, Publisher, Unavailable, Unreadable, Way,
};

/// Counts are shown for this long.
pub(in crate::metrics) const STALE_AFTER: Duration = Duration::from_mins(15);

/// Shows a portal, of which nothing is known yet.
pub(in crate::metrics) fn publisher(portal: &PortalView) -> Publisher {
    let publisher = Publisher::default();
    publisher.use_portals(&[configured(portal.name.clone())]);
    publisher
}

/// A portal in which every folder has this number of failed files.
pub(in crate::metrics) fn portal(folders: u128, failed: u64, now: Moment) -> PortalView {
    let folders = (0..folders).map(|number| {
        let mut files = ByStatus::default();
        files[Status::Failed] = failed;
        folder(number, "Inbox", files, Vec::new(), now)
    });
    of(folders.collect())
}

/// A portal with any folders at all.
pub(in crate::metrics) fn any_portal() -> impl Strategy<Value = PortalView> {
    let errors = proptest::collection::vec((any::<bool>(), any::<String>(), any::<u64>()), 0..4);
    let folder = (any::<String>(), errors, any::<[u64; 6]>(), 0..4_usize);
    proptest::collection::vec(folder, 0..6).prop_map(|folders| {
        let folders = folders.into_iter().zip(0..).map(|(folder, number)| {
            let (name, errors, files, state) = folder;
            let files = ByStatus::from_fn(|status| files[status as usize] >> 12);
            let now = Moment::now();
            FolderView {
                state: any_state(state, now.wall),
                ..self::folder(number, &name, files, rows(errors), now)
            }
        });
        of(folders.collect())
    })
}

/// The same portal after the last read of each folder failed.
pub(in crate::metrics) fn failing(mut portal: PortalView) -> PortalView {
    for folder in portal.folders.values_mut() {
        Arc::make_mut(folder).state = FolderState::Unavailable(Unreadable {
            reason: Unavailable::Error,
            message: String::new(),
        });
    }
    portal
}

fn configured(name: PortalName) -> Portal {
    let base_url = BaseUrl::parse("http://127.0.0.1:1").unwrap();
    let key = KeySource::File(HiddenPath::file("api_key_file", "/key"));
    Portal::new(name, base_url, key)
}

fn of(folders: Vec<FolderView>) -> PortalView {
    let folders = folders.into_iter();
    PortalView {
        folders: folders.map(|own| (own.id, Arc::new(own))).collect(),
        waiting: None,
        stale_after: STALE_AFTER,
        state_writes: crate::snapshot::Writes::Succeed,
        ..PortalView::unasked(&configured(PortalName::new("main").unwrap()))
    }
}

fn folder(
    number: u128,
    name: &str,
    files: ByStatus<u64>,
    errors: Vec<ErrorRow>,
    now: Moment,
) -> FolderView {
    let mut indexing = IndexingTimes::default();
    indexing.observe(Duration::from_secs(files[Status::Done] >> 20));
    FolderView {
        reported_files: Some(files[Status::Failed]),
        state: FolderState::Counted,
        counts: Some(Arc::new(Counts {
            files,
            errors,
            oldest: ByStatus::default(),
            look: Look {
                way: Way::Full,
                consistent: true,
                requests: 1,
                duration: Duration::from_secs(1),
                missing_files: 0,
            },
            counted: now,
            interval: None,
        })),
        last_success: Some(now.wall),
        counters: Some(Arc::new(FolderCounters {
            entries: files,
            indexing,
        })),
        ..FolderView::unseen(Uuid::from_u128(number).into(), FolderName::new(name))
    }
}

fn rows(errors: Vec<(bool, String, u64)>) -> Vec<ErrorRow> {
    let row = |(failed, reason, files): (bool, String, u64)| ErrorRow {
        status: Status::WITH_REASON[usize::from(failed)],
        class: Classifier::default().explain(reason.as_str()).class,
        files: files >> 12,
        example: None,
        growth: None,
    };
    errors.into_iter().map(row).collect()
}

fn any_state(number: usize, now: Timestamp) -> FolderState {
    match number {
        0 => FolderState::Unseen,
        1 => FolderState::Unavailable(Unreadable {
            reason: Unavailable::Forbidden,
            message: String::new(),
        }),
        2 => FolderState::Departed(Departure {
            reason: DepartureReason::Gone,
            since: now,
        }),
        _ => FolderState::Counted,
    }
}
