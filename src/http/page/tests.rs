//! Whatever `/health` warns of, the overview says.

use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::health::{self, Conditions, Status};
use crate::portal::Trouble;
use crate::snapshot::testing::{self, counts, folder, list, no_list, unavailable};
use crate::snapshot::{FolderState, FolderView, ListFacts, ListState, PortalView, Unavailable};

/// A folder in one of its states, whose counts may be marked, incomplete or too old.
fn any_folder(now: Moment) -> impl Strategy<Value = FolderView> {
    let state = prop_oneof![
        Just(FolderState::Unseen),
        Just(FolderState::Counted),
        Just(unavailable(Unavailable::Error)),
    ];
    (
        any::<u128>(),
        state,
        any::<bool>(),
        0..3_u64,
        prop::option::of(any::<bool>()),
    )
        .prop_map(move |(id, state, consistent, missing_files, counted)| {
            let counted = counted.map(|old| {
                let age = Duration::from_hours(if old { 25 } else { 0 });
                let steady = now.steady - age;
                let mut counts = counts(Moment { steady, ..now });
                (counts.look.consistent, counts.look.missing_files) = (consistent, missing_files);
                Arc::new(counts)
            });
            FolderView {
                counts: counted,
                ..folder(id, "In & out <b>", state)
            }
        })
}

fn any_portal(now: Moment) -> impl Strategy<Value = PortalView> {
    let unwatched = (0..2_u64, 0..2_usize, 0..2_u64, 0..2_u64);
    let facts = unwatched.prop_map(|(max_folders, no_match, invalid_row, list_incomplete)| {
        list(ListFacts {
            folders: 3,
            max_folders,
            no_match: (0..no_match).collect(),
            invalid_row,
            list_incomplete,
        })
    });
    let list = prop_oneof![
        3 => facts,
        1 => Just(ListState::default()),
        1 => Just(no_list(Trouble::Unauthorized, "status 401")),
    ];
    let writes = prop_oneof![Just(Some(Ok(()))), Just(Some(Err("disk full".to_owned())))];
    let folders = prop::collection::vec(any_folder(now), 0..20);
    (list, writes, 0..2_u64, folders).prop_map(|(list, state_writes, panics, folders)| PortalView {
        state_writes,
        panics,
        ..testing::portal("main", list, folders)
    })
}

proptest! {
    #[test]
    fn whatever_health_warns_of_is_on_the_page(portal in any_portal(later())) {
        let now = later();
        let snapshot = testing::snapshot(vec![portal]);
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
