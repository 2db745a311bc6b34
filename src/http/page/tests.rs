//! Whatever `/health` warns of, the overview says.

use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::config::{BaseUrl, HiddenPath, KeySource, Portal};
use crate::health::{self, Conditions, Status};
use crate::history::Look;
use crate::model::{ByStatus, FolderName, PortalName};
use crate::portal::Trouble;
use crate::snapshot::{
    Counts, FolderState, FolderView, ListFacts, ListFailure, ListState, PortalView, Unavailable,
    Unreadable, Way,
};

/// A folder in one of its states, whose counts may be marked, incomplete or too old.
fn any_folder(now: Moment) -> impl Strategy<Value = FolderView> {
    let state = prop_oneof![
        Just(FolderState::Unseen),
        Just(FolderState::Counted),
        Just(FolderState::Unavailable(Unreadable {
            reason: Unavailable::Error,
            message: "status 500: <b>".to_owned(),
        })),
    ];
    (
        any::<u128>(),
        state,
        any::<bool>(),
        0..3_u64,
        prop::option::of(any::<bool>()),
    )
        .prop_map(move |(id, state, consistent, missing_files, counted)| {
            let age = |old| Duration::from_hours(if old { 25 } else { 0 });
            let counts = |old| Counts {
                files: ByStatus::default(),
                errors: Vec::new(),
                oldest: ByStatus::default(),
                look: Look {
                    way: Way::Sorted,
                    consistent,
                    requests: 1,
                    duration: Duration::ZERO,
                    missing_files,
                },
                counted: Moment {
                    steady: now.steady - age(old),
                    ..now
                },
                interval: None,
            };
            FolderView {
                state,
                counts: counted.map(|old| Arc::new(counts(old))),
                ..FolderView::unseen(Uuid::from_u128(id).into(), FolderName::new("In & out"))
            }
        })
}

fn any_portal(now: Moment) -> impl Strategy<Value = PortalView> {
    let unwatched = (0..2_u64, 0..2_usize, 0..2_u64, 0..2_u64);
    let facts = unwatched.prop_map(|(max_folders, no_match, invalid_row, list_incomplete)| {
        let facts = ListFacts {
            folders: 3,
            max_folders,
            no_match: (0..no_match).collect(),
            invalid_row,
            list_incomplete,
        };
        ListState {
            facts: Some(facts),
            failure: None,
        }
    });
    let list = prop_oneof![
        3 => facts,
        1 => Just(ListState::default()),
        1 => Just(ListState {
            facts: None,
            failure: Some(ListFailure {
                trouble: Trouble::Unauthorized,
                message: "status 401".to_owned(),
                since: now.wall,
            }),
        }),
    ];
    let writes = prop_oneof![Just(Some(Ok(()))), Just(Some(Err("disk full".to_owned())))];
    let folders = prop::collection::vec(any_folder(now), 0..20);
    (list, writes, 0..2_u64, folders).prop_map(|(list, state_writes, panics, folders)| {
        let key = KeySource::File(HiddenPath::file("api_key_file", "key"));
        let address = BaseUrl::parse("http://127.0.0.1").unwrap();
        let portal = Portal::new(PortalName::new("main").unwrap(), address, key);
        let folders = folders.into_iter();
        PortalView {
            list,
            state_writes,
            panics,
            stale_after: Duration::from_mins(15),
            folders: folders.map(|one| (one.id, Arc::new(one))).collect(),
            ..PortalView::unasked(&portal)
        }
    })
}

proptest! {
    #[test]
    fn whatever_health_warns_of_is_on_the_page(portal in any_portal(later())) {
        let now = later();
        let snapshot = Snapshot { portals: vec![Arc::new(portal)], ..Snapshot::default() };
        let health = health::judge(&snapshot, Conditions::default(), now);
        let configuration = Configuration {
            facts: ConfigFacts { reload_successful: true, loaded: now.wall },
            shown: "".into(),
            reindex: Arc::default(),
        };
        let pages = Pages {
            snapshot: &snapshot,
            health: &health,
            configuration: &configuration,
            now,
            metrics: "/metrics",
            path: "/",
        };
        let page = pages.render(Route::Folders, &[], &Query::default()).unwrap().into_string();
        let portals = health.portals.iter();
        let findings = portals.flat_map(|portal| {
            let folders = portal.folders.iter().flat_map(|folder| &folder.findings);
            portal.findings.iter().chain(folders)
        });
        let warned: Vec<_> = findings.filter(|one| one.kind.status() != Status::Pass).collect();
        prop_assert_eq!(warned.is_empty(), health.status == Status::Pass);
        prop_assert_eq!(warned.is_empty(), page.contains("Nothing is wrong"));
        for finding in warned {
            let sentence = layout::sentence(&finding.sentence).into_string();
            prop_assert!(page.contains(&sentence), "{}: {}", sentence, page);
        }
    }
}

/// A fixed time, late enough that counts can be too old.
fn later() -> Moment {
    let now = Moment::now();
    Moment {
        wall: crate::model::Timestamp::from_millis(1_772_366_400_000),
        steady: now.steady + Duration::from_hours(48),
    }
}
