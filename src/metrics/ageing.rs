//! When facts change with time alone: counts get too old, attempts leave the window of a budget.

use std::time::Duration;

use crate::clock::Moment;
use crate::snapshot::{PortalView, Snapshot};

/// The clocks of the calendar and of timers tick this often.
const TICK: Duration = Duration::from_millis(1);

/// How long the rendered facts of a snapshot stay true; `None` for ever.
pub(super) fn lasts(snapshot: &Snapshot, now: Moment) -> Option<Duration> {
    let portals = snapshot.portals.iter();
    let times = portals.flat_map(|portal| {
        [
            counts_last(portal, now),
            budget_lasts(snapshot, portal, now),
        ]
    });
    Some(times.flatten().min()?.saturating_add(TICK))
}

/// How long until the first counts are too old to be shown.
fn counts_last(portal: &PortalView, now: Moment) -> Option<Duration> {
    let folders = portal.folders.values();
    folders
        .filter_map(|folder| portal.counts_last(folder, now))
        .min()
}

/// How long until the first attempt no longer counts for the budget that is shown.
fn budget_lasts(snapshot: &Snapshot, portal: &PortalView, now: Moment) -> Option<Duration> {
    let book = snapshot.reindex.get(&portal.name)?.book.as_ref().ok()?;
    let track = book.track();
    let window = portal.reindex.rules.budget.per;
    let oldest = track.within(window, now.wall).next()?;
    Some(window.saturating_sub(now.wall.since(oldest.intended)))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::attempts::{Book, Intent};
    use crate::metrics::tests::portals::{STALE_AFTER, failing, later, portal};
    use crate::snapshot::ReindexView;

    fn after(moment: Moment, passed: Duration) -> Moment {
        Moment {
            wall: later(moment.wall, passed),
            steady: moment.steady + passed,
        }
    }

    fn minutes(minutes: u64) -> Duration {
        Duration::from_mins(minutes)
    }

    #[test]
    fn counts_are_shown_until_the_first_of_them_is_too_old() {
        let counted = Moment::now();
        let portals = [0, 4].map(|late| failing(portal(2, 1, after(counted, minutes(late)))));
        let snapshot = Snapshot {
            portals: portals.map(Arc::new).into(),
            ..Snapshot::default()
        };
        let lasts_at = |passed| lasts(&snapshot, after(counted, passed));
        assert_eq!(lasts_at(minutes(5)), Some(minutes(10) + TICK));
        assert_eq!(lasts_at(STALE_AFTER), Some(TICK));
        assert_eq!(lasts_at(STALE_AFTER + TICK), Some(minutes(4)));
        assert_eq!(lasts_at(minutes(20)), None);
    }

    #[test]
    fn a_budget_is_shown_until_the_first_attempt_leaves_its_window() {
        let now = Moment::now();
        let portal = portal(0, 0, now);
        let window = portal.reindex.rules.budget.per;
        let mut book = Book::new(now.wall);
        let intent = Intent::new(
            portal.name.clone(),
            uuid::Uuid::nil().into(),
            now.wall,
            Vec::new(),
        );
        book.intend(intent).unwrap();
        let decided = ReindexView {
            decisions: std::collections::BTreeMap::new(),
            book: Ok(Arc::new(book)),
            write_error: None,
        };
        let snapshot = Snapshot {
            reindex: [(portal.name.clone(), Arc::new(decided))].into(),
            portals: vec![Arc::new(portal)],
        };
        let lasts_at = |passed| lasts(&snapshot, after(now, passed));
        assert_eq!(
            lasts_at(minutes(1)),
            Some(window.saturating_sub(minutes(1)) + TICK)
        );
        assert_eq!(lasts_at(window + TICK), None);
    }
}
