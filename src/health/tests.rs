//! What counts as well, as a table of stories.

use std::sync::Arc;
use std::time::Duration;

use super::*;
use crate::clock::Moment;
use crate::config::{BaseUrl, HiddenPath, KeySource, Portal};
use crate::history::{FullRead, Look};
use crate::model::{ByStatus, FolderName, PortalName, Timestamp};
use crate::portal::Trouble;
use crate::snapshot::{
    FolderState, ListFacts, ListFailure, ListState, Unavailable, Unreadable, Unwatched, Way,
};

const READ: ListState = ListState {
    facts: Some(ListFacts {
        folders: 1,
        unwatched: Unwatched {
            max_folders: 0,
            no_match: Vec::new(),
            invalid_row: 0,
            list_incomplete: 0,
        },
    }),
    failure: None,
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
        state_writes: Some(Ok(())),
        ..PortalView::unasked(&Portal::new(
            PortalName::new("main").unwrap(),
            BaseUrl::parse("http://127.0.0.1").unwrap(),
            KeySource::File(HiddenPath::file("api_key_file", "key")),
        ))
    })
}

fn down() -> ListState {
    let failure = ListFailure {
        trouble: Trouble::Unauthorized,
        message: "status 401".to_owned(),
        since: Timestamp::default(),
    };
    ListState {
        facts: None,
        failure: Some(failure),
    }
}

fn snapshot(portals: Vec<Arc<PortalView>>) -> Snapshot {
    Snapshot {
        portals,
        ..Snapshot::default()
    }
}

fn sentences(findings: &[Finding]) -> String {
    let sentences: Vec<_> = findings.iter().map(|one| &*one.sentence).collect();
    sentences.join("; ")
}

fn status(portals: Vec<Arc<PortalView>>, now: Moment) -> Status {
    judge(&snapshot(portals), Conditions::default(), now).status
}

#[test]
fn one_portal_that_is_down_is_a_warning_and_all_of_them_are_a_failure() {
    let now = Moment::now();
    let up = || portal(READ, vec![]);
    assert_eq!(status(vec![up(), up()], now), Status::Pass);
    assert_eq!(
        status(vec![up(), portal(down(), vec![])], now),
        Status::Warn
    );
    assert_eq!(status(vec![portal(down(), vec![])], now), Status::Fail);
    assert_eq!(
        status(vec![portal(ListState::default(), vec![])], now),
        Status::Warn
    );
}

#[test]
fn what_an_old_list_said_is_not_judged_while_the_list_cannot_be_read() {
    let old = ListState {
        facts: Some(ListFacts::default()),
        ..down()
    };
    let portals = vec![portal(old, vec![])];
    let health = judge(&snapshot(portals), Conditions::default(), Moment::now());
    let says = "it rejects the key since 1970-01-01T00:00:00Z: status 401";
    assert_eq!(sentences(&health.portals[0].findings), says);
}

#[test]
fn counts_are_withdrawn_of_a_folder_that_cannot_be_read_and_kept_of_one_that_waits() {
    const DAY: u64 = 24 * 60;
    let counted = Moment::now();
    let forbidden = FolderState::Unavailable(Unreadable {
        reason: Unavailable::Forbidden,
        message: String::new(),
    });
    for (state, minutes, is_stale) in [
        (forbidden.clone(), 15, false),
        (forbidden, 16, true),
        (FolderState::Counted, DAY, false),
        (FolderState::Counted, DAY + 1, true),
    ] {
        let now = Moment {
            wall: counted.wall,
            steady: counted.steady + Duration::from_mins(minutes),
        };
        let folder = folder(state, Some(counted));
        let portal = portal(READ, vec![folder]);
        let health = judge(&snapshot(vec![portal]), Conditions::default(), now);
        let folder = &health.portals[0].folders[0];
        assert_eq!(
            (folder.is_stale(), folder.counts.is_none()),
            (is_stale, is_stale)
        );
    }
}

#[test]
fn a_total_that_other_numbers_contradict_is_a_warning_that_says_which() {
    let now = Moment::now();
    let judged = |missing_files, [missing_rows, repeated_rows]: [u64; 2]| {
        let mut folder = folder(FolderState::Counted, Some(now));
        let counts = folder.counts.as_mut().unwrap();
        Arc::make_mut(counts).look.missing_files = missing_files;
        folder.full_read = Some(FullRead {
            at: now.wall,
            sizes: ByStatus::default(),
            missing_rows,
            repeated_rows,
            scanned: None,
        });
        let portal = portal(READ, vec![folder]);
        let mut health = judge(&snapshot(vec![portal]), Conditions::default(), now);
        let folder = health.portals[0].folders.remove(0);
        (health.status, sentences(&folder.findings))
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
