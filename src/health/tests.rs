//! What counts as well, as a table of stories.

mod reindex;

use std::sync::Arc;
use std::time::Duration;

use super::*;
use crate::clock::Moment;
use crate::config::{BaseUrl, HiddenPath, KeySource, Portal};
use crate::history::{Departure, DepartureReason, FullRead, Look};
use crate::model::{ByStatus, FolderName, PortalName};
use crate::portal::Trouble;
use crate::snapshot::{ListFacts, ReadCycle, Unavailable, Unwatched, Way, Writes};

const FACTS: ListFacts = ListFacts {
    folders: 1,
    unwatched: Unwatched {
        max_folders: 0,
        no_match: 0,
        invalid_row: 0,
        list_incomplete: 0,
    },
};

fn folder(state: FolderState, counted: Option<Moment>) -> FolderView {
    let counts = counted.map(|counted| {
        Arc::new(Counts {
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
        })
    });
    FolderView {
        reported_files: Some(0),
        state,
        counts,
        ..FolderView::unseen(uuid::Uuid::from_u128(1).into(), FolderName::new("Inbox"))
    }
}

fn portal(list: ListState, folders: Vec<FolderView>) -> Arc<PortalView> {
    let folders = folders.into_iter();
    Arc::new(PortalView {
        list,
        folders: folders.map(|own| (own.id, Arc::new(own))).collect(),
        stale_after: Duration::from_mins(15),
        state_writes: Writes::Succeed,
        ..PortalView::unasked(&Portal::new(
            PortalName::new("main").unwrap(),
            BaseUrl::parse("http://127.0.0.1").unwrap(),
            KeySource::File(HiddenPath::file("api_key_file", "key")),
        ))
    })
}

fn down() -> ListState {
    ListState::Failed {
        trouble: Trouble::Unauthorized,
        message: "status 401".to_owned(),
        since: Timestamp::default(),
        last: None,
    }
}

fn snapshot(portals: Vec<Arc<PortalView>>) -> Snapshot {
    Snapshot {
        portals,
        ..Snapshot::default()
    }
}

fn status(portals: Vec<Arc<PortalView>>, now: Moment) -> Status {
    judge(&snapshot(portals), false, now).status
}

#[test]
fn one_portal_that_is_down_is_a_warning_and_all_of_them_are_a_failure() {
    let now = Moment::now();
    let up = || portal(ListState::Read(FACTS), vec![]);
    assert_eq!(status(vec![up(), up()], now), Status::Pass);
    assert_eq!(
        status(vec![up(), portal(down(), vec![])], now),
        Status::Warn
    );
    assert_eq!(status(vec![portal(down(), vec![])], now), Status::Fail);
    assert_eq!(
        status(vec![portal(ListState::Unasked, vec![])], now),
        Status::Warn
    );
}

#[test]
fn a_folder_that_cannot_be_or_was_never_counted_is_a_warning_and_one_that_left_is_none() {
    let now = Moment::now();
    let unavailable = |reason| FolderState::Unavailable {
        reason,
        message: "why".to_owned(),
    };
    let left = FolderState::Departed(Departure {
        reason: DepartureReason::Gone,
        since: now.wall,
    });
    for (state, expected) in [
        (FolderState::Counted, Status::Pass),
        (FolderState::Unseen, Status::Warn),
        (unavailable(Unavailable::Forbidden), Status::Warn),
        (unavailable(Unavailable::Error), Status::Warn),
        (left, Status::Pass),
    ] {
        let portal = portal(ListState::Read(FACTS), vec![folder(state.clone(), None)]);
        assert_eq!(status(vec![portal], now), expected, "{state:?}");
    }
}

#[test]
fn counts_that_are_too_old_are_a_warning() {
    let counted = Moment::now();
    let portal = portal(
        ListState::Read(FACTS),
        vec![folder(FolderState::Counted, Some(counted))],
    );
    for (minutes, expected) in [(15, Status::Pass), (16, Status::Warn)] {
        let now = Moment {
            wall: counted.wall,
            steady: counted.steady + Duration::from_mins(minutes),
        };
        assert_eq!(status(vec![Arc::clone(&portal)], now), expected);
    }
}

#[test]
fn a_total_that_other_numbers_contradict_is_a_warning_that_says_which() {
    let now = Moment::now();
    let judged = |missing_files, [missing_rows, repeated_rows]: [u64; 2]| {
        let mut folder = folder(FolderState::Counted, Some(now));
        folder.missing_files = missing_files;
        folder.full_read = Some(FullRead {
            at: now.wall,
            sizes: ByStatus::default(),
            missing_rows,
            repeated_rows,
            scanned: None,
        });
        let portal = portal(ListState::Read(FACTS), vec![folder]);
        let mut health = judge(&snapshot(vec![portal]), false, now);
        let folder = health.portals[0].folders.remove(0);
        (health.status, folder.message.unwrap_or_default())
    };
    assert_eq!(judged(0, [0, 0]), (Status::Pass, String::new()));
    for (missing_files, rows, says) in [
        (7, [0, 0], "7 are not counted"),
        (0, [5, 0], "5 files of the total are on no page"),
        (0, [0, 3], "3 rows come twice"),
    ] {
        let (status, message) = judged(missing_files, rows);
        assert!(
            status == Status::Warn && message.contains(says),
            "{message}"
        );
    }
}

#[test]
fn folders_that_take_turns_are_said_and_no_warning() {
    let notes = |minutes| {
        let mut view = (*portal(ListState::Read(FACTS), vec![])).clone();
        view.collections.cycle = Some(ReadCycle {
            takes: Duration::from_mins(minutes),
            interval: Duration::from_mins(1),
            quiet_every: Duration::from_mins(5),
        });
        let health = judge(&snapshot(vec![Arc::new(view)]), false, Moment::now());
        assert_eq!(health.status, Status::Pass);
        health.portals[0].notes.join("; ")
    };
    assert_eq!(notes(1), "");
    assert!(notes(4).ends_with("within 5m"), "{}", notes(4));
    assert!(notes(12).contains("collect.quiet_every"), "{}", notes(12));
}

#[test]
fn what_a_list_leaves_out_is_said() {
    let facts = ListFacts {
        folders: 3,
        unwatched: Unwatched {
            max_folders: 2,
            no_match: 1,
            invalid_row: 1,
            list_incomplete: 1,
        },
    };
    let mut view = (*portal(ListState::Read(facts), vec![])).clone();
    view.state_writes = Writes::Refused("the disk is full".to_owned());
    let health = judge(&snapshot(vec![Arc::new(view)]), false, Moment::now());
    assert_eq!(health.status, Status::Warn);
    assert_eq!(health.portals[0].notes.len(), 5);
}
