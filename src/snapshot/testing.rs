//! Portals and folders in a snapshot, for the tests of what judges and shows them.

use std::sync::Arc;
use std::time::Duration;

use uuid::Uuid;

use super::{
    Counts, FolderState, FolderView, ListFacts, ListFailure, ListState, PortalView, Snapshot,
    Unavailable, Unreadable, Way,
};
use crate::clock::Moment;
use crate::config;
use crate::history::Look;
use crate::model::{ByStatus, FolderName, Timestamp};
use crate::portal::Trouble;

pub(crate) fn folder(number: u128, name: &str, state: FolderState) -> FolderView {
    FolderView {
        reported_files: Some(0),
        state,
        ..FolderView::unseen(Uuid::from_u128(number).into(), FolderName::new(name))
    }
}

/// A count of every page, in which there was no file.
pub(crate) fn counts(counted: Moment) -> Counts {
    Counts {
        files: ByStatus::default(),
        errors: Vec::new(),
        oldest: ByStatus::default(),
        look: Look {
            way: Way::Full,
            consistent: true,
            requests: 1,
            duration: Duration::from_secs(1),
            missing_files: 0,
        },
        counted,
        interval: None,
    }
}

pub(crate) fn unavailable(reason: Unavailable) -> FolderState {
    FolderState::Unavailable(Unreadable {
        reason,
        message: "page 1: status 500: the portal failed".to_owned(),
    })
}

/// A list of folders that was read.
pub(crate) fn list(facts: ListFacts) -> ListState {
    ListState {
        facts: Some(facts),
        failure: None,
    }
}

/// A list of one folder that was read.
pub(crate) fn read() -> ListState {
    list(ListFacts {
        folders: 1,
        ..ListFacts::default()
    })
}

/// A list that cannot be read.
pub(crate) fn no_list(trouble: Trouble, message: &str) -> ListState {
    let failure = ListFailure {
        trouble,
        message: message.to_owned(),
        since: Timestamp::default(),
    };
    ListState {
        facts: None,
        failure: Some(failure),
    }
}

pub(crate) fn portal(name: &str, list: ListState, folders: Vec<FolderView>) -> PortalView {
    let folders = folders.into_iter();
    PortalView {
        list,
        folders: folders.map(|own| (own.id, Arc::new(own))).collect(),
        stale_after: Duration::from_mins(15),
        state_writes: Some(Ok(())),
        ..PortalView::unasked(&config::testing::portal(name, "http://127.0.0.1", "key"))
    }
}

pub(crate) fn snapshot(portals: Vec<PortalView>) -> Snapshot {
    Snapshot {
        portals: portals.into_iter().map(Arc::new).collect(),
        ..Snapshot::default()
    }
}
