//! What counts as well, as a table of stories.

use std::sync::Arc;
use std::time::Duration;

use super::*;
use crate::clock::Moment;
use crate::history::FullRead;
use crate::portal::Trouble;
use crate::snapshot::testing::{counts, folder, no_list, portal, read, snapshot, unavailable};
use crate::snapshot::{FolderState, ListFacts, ListState, Unavailable};

fn inbox(state: FolderState, counted: Moment) -> FolderView {
    FolderView {
        counts: Some(Arc::new(counts(counted))),
        ..folder(1, "Inbox", state)
    }
}

fn main(list: ListState, folders: Vec<FolderView>) -> PortalView {
    portal("main", list, folders)
}

fn down() -> ListState {
    no_list(Trouble::Unauthorized, "status 401")
}

fn sentences(findings: &[Finding]) -> String {
    let sentences: Vec<_> = findings.iter().map(|one| &*one.sentence).collect();
    sentences.join("; ")
}

fn status(portals: Vec<PortalView>, now: Moment) -> Status {
    judge(&snapshot(portals), Conditions::default(), now).status
}

#[test]
fn one_portal_that_is_down_is_a_warning_and_all_of_them_are_a_failure() {
    let now = Moment::now();
    let up = || main(read(), vec![]);
    assert_eq!(status(vec![up(), up()], now), Status::Pass);
    assert_eq!(status(vec![up(), main(down(), vec![])], now), Status::Warn);
    assert_eq!(status(vec![main(down(), vec![])], now), Status::Fail);
    assert_eq!(
        status(vec![main(ListState::default(), vec![])], now),
        Status::Warn
    );
}

#[test]
fn what_an_old_list_said_is_not_judged_while_the_list_cannot_be_read() {
    let old = ListState {
        facts: Some(ListFacts::default()),
        ..down()
    };
    let portals = vec![main(old, vec![])];
    let health = judge(&snapshot(portals), Conditions::default(), Moment::now());
    let says =
        "its folders cannot be read since 1970-01-01T00:00:00Z; it rejects the key: status 401";
    assert_eq!(sentences(&health.portals[0].findings), says);
}

#[test]
fn counts_are_withdrawn_of_a_folder_that_cannot_be_read_and_kept_of_one_that_waits() {
    const DAY: u64 = 24 * 60;
    let counted = Moment::now();
    let forbidden = unavailable(Unavailable::Forbidden);
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
        let folder = inbox(state, counted);
        let portal = main(read(), vec![folder]);
        let health = judge(&snapshot(vec![portal]), Conditions::default(), now);
        let folder = &health.portals[0].folders[0];
        assert_eq!(
            (folder.is_stale(), folder.counts.is_none()),
            (is_stale, is_stale)
        );
    }
}

#[test]
fn numbers_that_others_contradict_are_a_warning_and_an_unknown_status_is_said() {
    let now = Moment::now();
    let judged = |missing_files, [missing_rows, repeated_rows, unknown]: [u64; 3]| {
        let mut folder = inbox(FolderState::Counted, now);
        let counts = Arc::make_mut(folder.counts.as_mut().unwrap());
        counts.look.missing_files = missing_files;
        counts.files[crate::model::Status::Unknown] = unknown;
        folder.full_read = Some(FullRead {
            at: now.wall,
            missing_rows,
            repeated_rows,
            ..FullRead::default()
        });
        let portal = main(read(), vec![folder]);
        let mut health = judge(&snapshot(vec![portal]), Conditions::default(), now);
        let folder = health.portals[0].folders.remove(0);
        (health.status, sentences(&folder.findings))
    };
    let missing = "5 files of the total are on no page of the folder's file list";
    let repeated = "3 rows come twice in the folder's file list";
    for (missing_files, rows, status, says) in [
        (0, [0, 0, 0], Status::Pass, String::new()),
        (
            7,
            [0, 0, 0],
            Status::Warn,
            "the list of folders reports 7 files, and the folder's file list has 0: 7 are not counted".to_owned(),
        ),
        (0, [5, 0, 0], Status::Warn, format!("{missing}: the counts are not exact")),
        (0, [0, 3, 0], Status::Warn, format!("{repeated}: the counts are not exact")),
        (0, [5, 3, 0], Status::Warn, format!("{missing}, and {repeated}: the counts are not exact")),
        (
            0,
            [0, 0, 4],
            Status::Pass,
            "files with a status that this version of the exporter does not know: 4".to_owned(),
        ),
    ] {
        assert_eq!(judged(missing_files, rows), (status, says));
    }
}
