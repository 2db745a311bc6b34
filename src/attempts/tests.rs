//! What views know together.

use proptest::prelude::*;

use super::testing::{HORIZON, Step, listed, steps};
use super::*;
use crate::model::Timestamp;

/// The views after each step, from the first event on.
fn views(steps: &[(u32, Step)]) -> Vec<LedgerView> {
    let mut at = Timestamp::from_millis(1_772_366_400_000);
    let mut view = LedgerView::unmet();
    view.apply(&Event::Met { at }).unwrap();
    let mut views = vec![view.clone()];
    for (hours, step) in steps {
        at = at.moved(i64::from(*hours) * 3_600_000 / 10);
        let before = view.clone();
        match step.event(&view, at) {
            Some(event) => {
                let fits = view.apply(&event).is_ok();
                assert!(fits || view == before, "{event:?}");
            }
            None => view.tidy(HORIZON, &listed(step)),
        }
        views.push(view.clone());
    }
    views
}

fn attempts(view: &LedgerView) -> Vec<&Attempt> {
    view.track().iter().map(AsRef::as_ref).collect()
}

proptest! {
    #[test]
    fn a_view_stands_for_the_events_before_it(steps in steps()) {
        for view in views(&steps) {
            let event = Event::Known(Box::new(view.clone()));
            let text = serde_json::to_string(&event).unwrap();
            let read: Event = serde_json::from_str(&text).unwrap();
            let mut again = LedgerView::unmet();
            again.apply(&read).unwrap();
            prop_assert_eq!(again, view);
        }
    }

    /// A process that is behind lost nothing, and the other one has what it lost.
    #[test]
    fn views_of_one_log_know_together_what_the_newer_one_knows(steps in steps(), behind: prop::sample::Index) {
        let views = views(&steps);
        let newest = views.last().unwrap();
        let older = &views[behind.index(views.len())];
        let mut merged = newest.clone();
        prop_assert!(!merged.merge(older), "what the older one knows was lost");
        prop_assert_eq!(attempts(&merged), attempts(newest));
        let mut merged = older.clone();
        merged.merge(newest);
        for attempt in attempts(newest) {
            prop_assert_eq!(merged.attempt(attempt.id).map(AsRef::as_ref), Some(attempt));
            let [known, newer] = [&merged, newest].map(|view| view.totals(attempt.folder));
            prop_assert_eq!(known.at_least(&newer), known, "a counter falls");
        }
        for (class, totals) in newest.classes() {
            let known = merged.classes()[class];
            prop_assert_eq!(known.at_least(totals), known, "a counter falls");
        }
    }

    /// Every time moves, and moves back.
    #[test]
    fn limits_last_as_long_when_the_clock_is_set(steps in steps(), by in 1..9_000_000_i64) {
        let views = views(&steps);
        let before = views.last().unwrap();
        let at = before.latest();
        let mut view = before.clone();
        view.apply(&Event::ClockSet { at, step: by, by }).unwrap();
        prop_assert_eq!(view.latest(), before.latest().moved(by));
        let ids = |view: &LedgerView| -> Vec<Vec<AttemptId>> {
            let folders = (0..3_u128).map(|id| uuid::Uuid::from_u128(id).into());
            let of = |folder| view.track().of_folder(folder).map(|attempt| attempt.id).collect();
            folders.map(of).collect()
        };
        prop_assert_eq!(ids(&view), ids(before), "what was forgiven moves along");
        view.apply(&Event::ClockSet { at, step: -by, by: -by }).unwrap();
        prop_assert_eq!(attempts(&view), attempts(before));
        prop_assert_eq!(view.met(), before.met());
    }
}

#[test]
fn times_never_move_to_before_they_were_written() {
    let now = Timestamp::from_millis(1_772_366_400_000);
    for (step, moved, was_behind, by) in [
        (6_000, 0, false, 6_000),
        (6_000, 0, true, 0),
        (-6_000, 0, false, 0),
        (-6_000, 4_000, false, -4_000),
        (-6_000, 9_000, true, -6_000),
    ] {
        let met = now.moved(if was_behind { 1 } else { -1 } - step);
        let mut view = LedgerView::new(met.moved(-moved));
        view.apply(&Event::ClockSet {
            at: now,
            step: moved,
            by: moved,
        })
        .unwrap();
        let found = view.moves_by(step, now);
        assert_eq!(found, by, "{step} after {moved}, behind: {was_behind}");
    }
}
