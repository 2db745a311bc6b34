//! Portals and folders to render.

use super::*;
use crate::clock::Moment;
use crate::config::{BaseUrl, HiddenPath, KeySource, Portal};
use crate::history::Look;
use crate::snapshot::Unreadable;

pub(super) fn moment() -> Moment {
    Moment {
        wall: NOON,
        steady: Moment::now().steady,
    }
}

pub(super) fn folder(number: u128, name: &str, state: FolderState) -> FolderView {
    FolderView {
        reported_files: Some(10),
        state,
        ..FolderView::unseen(Uuid::from_u128(number).into(), FolderName::new(name))
    }
}

pub(super) fn counted(
    number: u128,
    name: &str,
    files: &[(Status, u64)],
    consistent: bool,
) -> FolderView {
    let mut counts = Counts {
        files: ByStatus::default(),
        errors: Vec::new(),
        oldest: ByStatus::default(),
        look: Look {
            way: Way::Full,
            consistent,
            requests: 2,
            duration: Duration::from_millis(1_500),
            missing_files: 0,
        },
        counted: moment(),
        interval: None,
    };
    let mut sizes = ByStatus::default();
    for (status, count) in files {
        counts.files[*status] = *count;
        sizes[*status] = 1_000 * *count;
        if Status::WITH_REASON.contains(status) {
            counts.errors.push(ErrorRow {
                status: *status,
                class: Classifier::default().explain(Some(REASON)).class,
                files: *count,
                example: None,
                growth: None,
            });
        }
    }
    FolderView {
        counts: Some(Arc::new(counts)),
        full_read: Some(FullRead {
            at: NOON,
            sizes,
            missing_rows: 0,
            repeated_rows: 0,
            scanned: None,
        }),
        ..folder(number, name, FolderState::Counted)
    }
}

pub(super) fn unavailable(reason: Unavailable) -> FolderState {
    FolderState::Unavailable(Unreadable {
        reason,
        message: "page 1: status 500: the portal failed".to_owned(),
    })
}

pub(super) fn gone() -> FolderState {
    FolderState::Departed(Departure {
        reason: DepartureReason::Gone,
        since: NOON,
    })
}

pub(super) fn read() -> ListState {
    list(ListFacts {
        folders: 1,
        ..ListFacts::default()
    })
}

pub(super) fn list(facts: ListFacts) -> ListState {
    ListState {
        facts: Some(facts),
        failure: None,
    }
}

pub(super) fn failed() -> ListState {
    let failure = ListFailure {
        trouble: Trouble::Unreachable,
        message: "no answer: connection refused".to_owned(),
        since: Timestamp::default(),
    };
    ListState {
        facts: None,
        failure: Some(failure),
    }
}

pub(super) fn portal(name: &str, list: ListState, folders: Vec<FolderView>) -> PortalView {
    let known = KnownClass {
        example: "page 7: no text layer".into(),
        first_seen: NOON,
        last_seen: NOON,
    };
    let class = Classifier::default().explain(Some(REASON)).class;
    let run = LastRun {
        ended: NOON,
        duration: Duration::from_secs(2),
        result: RunResult::Partial,
        counted: 0,
        failed: 0,
        requests: 5,
    };
    let folders = folders.into_iter();
    PortalView {
        list,
        classes: Arc::new([(class, known)].into()),
        folders: folders.map(|own| (own.id, Arc::new(own))).collect(),
        collections: Collections {
            last_run: Some(run),
            ..Collections::default()
        },
        ..PortalView::unasked(&Portal::new(
            PortalName::new(name).unwrap(),
            BaseUrl::parse("http://127.0.0.1").unwrap(),
            KeySource::File(HiddenPath::file("api_key_file", "key")),
        ))
    }
}

pub(super) fn snapshot(portals: Vec<PortalView>) -> Snapshot {
    Snapshot {
        portals: portals.into_iter().map(Arc::new).collect(),
        ..Snapshot::default()
    }
}

pub(super) fn varied() -> Snapshot {
    let some = [
        (Status::Done, 120),
        (Status::Failed, 3),
        (Status::Flagged, 1),
    ];
    let folders = vec![
        counted(1, "Inbox", &some, true),
        counted(2, "Same", &[(Status::Unknown, 7)], false),
        folder(3, "Same", unavailable(Unavailable::Error)),
        folder(4, "Old", gone()),
    ];
    snapshot(vec![
        portal("main", read(), folders),
        portal("down", failed(), vec![]),
        portal("empty", read(), vec![]),
    ])
}
