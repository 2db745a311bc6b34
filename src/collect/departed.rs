//! Folders that left or are excluded: what is known of them is kept for a while, and then forgotten.
//!
//! How long that is, the time of day tells. A clock that is wrong must not cost what is kept, so nothing is forgotten unless the
//! portal's clock (the header `Date` of its list of folders) agrees.

use std::collections::HashSet;
use std::time::Duration;

use tokio::time::Instant;
use tracing::{info, warn};

use crate::collect::Collector;
use crate::history::DepartureReason;
use crate::model::{FolderId, Timestamp};

/// The clocks of this machine and of the portal agree when they differ by this much at most: far more than an answer takes and servers are
/// off, far less than anything is kept.
const CLOCKS_AGREE: Duration = Duration::from_hours(1);

/// What is kept of folders of a portal that the configuration no longer has, for this long.
const KEPT_UNASKED: Duration = Duration::from_hours(30 * 24);

/// Interval between searches for those.
const TIDY_EVERY: Duration = Duration::from_hours(1);

/// What the clock of a portal says of the clock of this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum ClockCheck {
    /// Nothing: the portal does not say what time it is.
    #[default]
    Unknown,
    /// They agree.
    Agrees,
    /// One of the two is wrong.
    Differs,
}

impl ClockCheck {
    /// Compares the time of this machine with the one that the portal says.
    pub fn of(now: Timestamp, portal: Option<Timestamp>) -> Self {
        match portal {
            None => Self::Unknown,
            Some(portal) if now.since(portal).max(portal.since(now)) <= CLOCKS_AGREE => {
                Self::Agrees
            }
            Some(_) => Self::Differs,
        }
    }
}

impl Collector {
    /// Compares the clocks, and says when they come to differ.
    pub(super) fn check_clock(&mut self, now: Timestamp, portal: Option<Timestamp>) {
        let check = ClockCheck::of(now, portal);
        if let (ClockCheck::Differs, Some(portal_time), true) = (check, portal, self.clock != check)
        {
            warn!(portal = %self.settings.portal, here = %now, there = %portal_time, "the clocks of this machine and of the portal differ: nothing that is kept is forgotten until they agree");
        }
        self.clock = check;
    }

    /// Excludes the known folders that the configuration does not admit by their names.
    pub(super) fn exclude_others(&mut self, now: Timestamp) {
        let filter = &self.settings.filter;
        for (id, folder) in &mut self.folders {
            if !filter.admits(*id, folder.view.name.label()) && folder.exclude(now) {
                info!(portal = %self.settings.portal, folder = %folder.view.name, %id, "folder is excluded by the configuration");
            }
        }
        self.drop_places();
    }

    /// Frees the slots of classes in folders that are excluded or forgotten.
    pub(super) fn drop_places(&mut self) {
        let is_admitted = |id| {
            let folder = self.folders.get(&id);
            folder.is_some_and(|folder| !folder.is_excluded())
        };
        self.class_slots.retain_folders(is_admitted);
    }

    /// Lets go of the folders that the list does not name.
    pub(super) fn lose_unlisted(&mut self, listed: &HashSet<FolderId>, now: Timestamp) {
        for (id, folder) in &mut self.folders {
            if !listed.contains(id) && !folder.is_unlisted() {
                if !folder.is_excluded() {
                    info!(portal = %self.settings.portal, folder = %folder.view.name, %id, "folder left the key's set");
                }
                folder.leave(DepartureReason::Unlisted, now);
            }
        }
    }

    /// Keeps on disk which folders left, were excluded, or came back, all in one transaction.
    pub(super) async fn save_absences(&mut self) {
        let unsaved = |(id, folder): (&FolderId, &super::Folder)| {
            folder.persisted.is_absence_unsaved().then_some(*id)
        };
        let ids: Vec<_> = self.folders.iter().filter_map(unsaved).collect();
        self.save_all(&ids).await;
    }

    /// Forgets what was kept for long enough, where the clock can be believed; `listed` is what a whole list names.
    pub(super) async fn forget_departed(&mut self, listed: &HashSet<FolderId>, now: Timestamp) {
        if self.clock != ClockCheck::Agrees {
            return;
        }
        let (mut forgotten, mut emptied) = (Vec::new(), Vec::new());
        for (id, folder) in &mut self.folders {
            folder.correct_times(now);
            if folder.is_forgotten(listed.contains(id), now) {
                forgotten.push(*id);
            } else if folder.forget_counts(now) {
                emptied.push(*id);
            }
        }
        self.save_all(&emptied).await;
        if !forgotten.is_empty() {
            self.folders
                .retain(|id, _| forgotten.binary_search(id).is_err());
            self.drop_places();
            let portal = self.settings.portal.clone();
            let result = self.dependencies.store.forget(portal, forgotten).await;
            self.say_refused(&result);
        }
        self.forget_portals(now).await;
    }

    /// Forgets portals that the configuration no longer has.
    async fn forget_portals(&mut self, now: Timestamp) {
        if Instant::now() < self.tidy_at {
            return;
        }
        self.tidy_at = Instant::now() + TIDY_EVERY;
        let portals = &self.dependencies.publisher.current().portals;
        let names = portals.iter().map(|portal| portal.name.to_string());
        let store = &self.dependencies.store;
        let result = store.forget_portals(names.collect(), now.before(KEPT_UNASKED));
        let result = result.await;
        self.say_refused(&result);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_agree_within_an_hour_in_either_direction() {
        let at = |seconds: i64| Timestamp::from_millis(seconds * 1000);
        for (portal, check) in [
            (Some(at(100_000)), ClockCheck::Agrees),
            (Some(at(103_600)), ClockCheck::Agrees),
            (Some(at(96_400)), ClockCheck::Agrees),
            (Some(at(103_601)), ClockCheck::Differs),
            (Some(at(96_399)), ClockCheck::Differs),
            (Some(at(-10_000_000)), ClockCheck::Differs),
            (None, ClockCheck::Unknown),
        ] {
            assert_eq!(ClockCheck::of(at(100_000), portal), check, "{portal:?}");
        }
    }
}
