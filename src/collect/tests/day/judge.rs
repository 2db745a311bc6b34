//! Compares what is published with the truth, each minute.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use kb_simulator::World;
use uuid::Uuid;

use super::portal::{Portal, millis};
use super::scene::Trouble;
use super::truth::{self, Entries};
use super::{DAY, HOUR, Kind, MINUTE, Millis, SECOND};
use crate::clock::Moment;
use crate::model::{FolderId, Status};
use crate::snapshot::{Counts, FolderView, PortalView, SortingState};

/// How exact the time of a count is, which may come from another process.
const EXACT: Millis = 20;

/// A request may come so much before its time, because no timer is more exact. Those after it do not come earlier.
const EARLY: Millis = 1;

/// What a kind of portal can expect.
#[derive(Debug, Clone)]
pub struct Promise {
    /// Every folder is counted so long after the start.
    pub first: Millis,
    /// A change that the list of folders shows, or that happens among files that wait, is in the counts after this time.
    pub seen: Millis,
    /// So is any other change.
    pub quiet_seen: Millis,
    /// Counts without a mark are right from this time on.
    pub judged_from: Millis,
    /// The most that a count may be off by, in addition to the changes while it was made.
    pub off: u64,
    /// Entries that may be missed in all.
    pub lost: u64,
    /// Whether a marked count may be off by more.
    pub marked_off: bool,
    /// The least share of counts that are consistent.
    pub consistent: f64,
    /// Whether the portal sorts by status; unknown where some folders are sorted.
    pub sorts: Option<bool>,
    /// Requests a day.
    pub requests: u64,
    /// The most answers of 429.
    pub refused: u64,
}

impl Default for Promise {
    fn default() -> Self {
        Self {
            first: 2 * MINUTE,
            seen: 3 * MINUTE,
            quiet_seen: 12 * MINUTE,
            judged_from: 0,
            off: 0,
            lost: 0,
            marked_off: false,
            consistent: 0.9,
            sorts: Some(true),
            requests: 432_000,
            refused: 0,
        }
    }
}

/// What can be broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    CountedInTime,
    StaysAvailable,
    CountedOnReturn,
    RightOrMarked,
    NearlyRight,
    NotStale,
    ChangeSeen,
    NoFalseEntries,
    NoMissedEntries,
    Consistent,
    Sorting,
    Requests,
    Rate,
    Refused,
}

#[derive(Debug, Default)]
pub struct Judge {
    /// How often each rule was broken, and how the first time.
    breaches: BTreeMap<Rule, (u64, String)>,
    counts: u64,
    consistent: u64,
    /// The first count of each folder, and the last one that was judged, by their ends.
    first_counts: BTreeMap<FolderId, Millis>,
    judged: BTreeMap<FolderId, Millis>,
    entered: Entries,
}

/// What is published, and by what it is judged.
struct Seen<'a> {
    now: Millis,
    view: &'a PortalView,
    kind: &'a Kind,
    troubles: &'a [Trouble],
}

/// A folder of the portal, and what is published of it.
struct Case<'a> {
    id: FolderId,
    now: Millis,
    world: &'a World,
    folder: Uuid,
    view: &'a FolderView,
    counts: &'a Counts,
    /// When the read behind the counts began and ended.
    read: Range<Millis>,
    promise: &'a Promise,
}

impl Judge {
    pub fn minute(&mut self, portal: &Portal, view: &PortalView, kind: &Kind) {
        portal.with(|scene, now| {
            let simulator = scene.simulator.clone();
            let troubles = &scene.troubles;
            let seen = Seen {
                now,
                view,
                kind,
                troubles,
            };
            simulator.with(|world| self.world(portal, world, &seen));
        });
    }

    fn world(&mut self, portal: &Portal, world: &World, seen: &Seen<'_>) {
        let &Seen {
            now, view, kind, ..
        } = seen;
        let promise = &kind.promise;
        self.entered.read(world);
        let wrong = [SortingState::Shown, SortingState::Refuted];
        let wrong = promise.sorts.map(|sorts| wrong[usize::from(sorts)]);
        // What looks sorted is believed until then.
        let is_early = promise.sorts == Some(false) && now < promise.judged_from;
        if wrong == Some(view.sorting) && !is_early {
            self.breach(Rule::Sorting, now, &view.sorting.as_str());
        }
        for folder in world.folder_ids() {
            let id = folder.into();
            let known = view.folders.get(&id);
            let mut own = seen.troubles.iter().filter(|it| it.folder == folder);
            let troubled = own.any(|it| it.is_felt(now));
            if now >= promise.first && !troubled {
                self.is_there(now, known.map(|known| &**known));
            }
            let counts = known.and_then(|known| known.counts.as_deref());
            let (Some(known), Some(counts)) = (known, counts) else {
                continue;
            };
            let end = portal.time(counts.counted) + EXACT;
            let behind = millis(kind.switches.index_delay);
            let took = millis(counts.look.duration) + 2 * EXACT + behind;
            let case = Case {
                id,
                now,
                world,
                folder,
                view: known,
                counts,
                read: end.saturating_sub(took)..end,
                promise,
            };
            self.first_counts.entry(id).or_insert(end);
            self.entries(&case);
            if !troubled {
                self.count(&case);
                self.age(&case, seen);
            }
        }
    }

    fn is_there(&mut self, now: Millis, view: Option<&FolderView>) {
        if view.is_none_or(|view| view.counts.is_none()) {
            self.breach(Rule::CountedInTime, now, &"no counts");
        }
        let state = view.map(|view| &view.state);
        if state.is_none_or(|state| state.unavailable().is_some()) {
            self.breach(Rule::StaysAvailable, now, &format!("{state:?}"));
        }
    }

    /// Judges a count once.
    fn count(&mut self, case: &Case<'_>) {
        let (counts, read, promise) = (case.counts, &case.read, case.promise);
        if self.judged.insert(case.id, read.end) == Some(read.end) {
            return;
        }
        self.counts += 1;
        self.consistent += u64::from(counts.look.consistent);
        let truth = truth::counts(case.world, case.folder, read.end);
        let changes = truth::changes(case.world, case.folder, read.start);
        let changes = changes.filter(|(time, _)| *time <= read.end).count() as u64;
        let off = Status::ALL.map(|status| {
            let files = truth.get(&status.as_str().into());
            counts.files[status].abs_diff(files.copied().unwrap_or_default())
        });
        let off = off.into_iter();
        let off = off.max().unwrap_or_default();
        if off <= changes + promise.off || read.end < promise.judged_from {
            return;
        }
        let files = counts.files;
        let what = format!("{off} off with {changes} changes: {files:?}, truth {truth:?}");
        if counts.look.consistent {
            self.breach(Rule::RightOrMarked, case.now, &what);
        } else if !promise.marked_off {
            self.breach(Rule::NearlyRight, case.now, &what);
        }
    }

    fn age(&mut self, case: &Case<'_>, seen: &Seen<'_>) {
        let (now, promise) = (case.now, case.promise);
        if seen.view.fresh_counts(case.view, Moment::now()).is_none() {
            self.breach(Rule::NotStale, now, &"counts are withdrawn");
        }
        let ended = case.read.end..now;
        let mut troubles = seen.troubles.iter().filter(|it| it.folder == case.folder);
        if troubles.any(|it| ended.contains(&it.during.end)) {
            self.breach(Rule::CountedOnReturn, now, &"an old count");
        }
        for (only_shown, limit) in [(true, promise.seen), (false, promise.quiet_seen)] {
            let changes = truth::changes(case.world, case.folder, case.read.start);
            let first = changes.filter(|(_, shown)| *shown || !only_shown).last();
            let waits = first.map_or(0, |(change, _)| now.saturating_sub(change));
            if waits > limit {
                let what = format!("not for {} s, shown: {only_shown}", waits / SECOND);
                self.breach(Rule::ChangeSeen, now, &what);
            }
        }
    }

    /// Compares the counters with the entries since the first count.
    fn entries(&mut self, case: &Case<'_>) {
        let Some(counters) = case.view.counters.as_ref() else {
            return;
        };
        let (now, promise) = (case.now, case.promise);
        let first = self.first_counts[&case.id];
        let seen = case.read.start.min(now.saturating_sub(promise.seen));
        for status in Status::WITH_REASON {
            let named = status.as_str().into();
            let entered = &self.entered;
            let entries = |until| entered.until(case.folder, &named, until);
            let shown = counters.entries[status];
            // A file that failed during the first count may count or not.
            let most = entries(now) - entries(first.saturating_sub(MINUTE));
            let least = entries(seen.max(first)) - entries(first);
            if shown > most {
                self.breach(
                    Rule::NoFalseEntries,
                    now,
                    &format!("{status:?}: {shown} for {most}"),
                );
            }
            if shown + promise.lost < least {
                self.breach(
                    Rule::NoMissedEntries,
                    now,
                    &format!("{status:?}: {shown} for {least}"),
                );
            }
        }
    }

    /// Judges the whole time.
    pub fn end(&mut self, portal: &Portal, kind: &Kind, now: Millis) {
        let promise = &kind.promise;
        let asked = portal.asked.lock().unwrap();
        let rate = kind.rate as usize;
        // Two processes know nothing of each other's requests.
        let alone = kind.restart.is_none();
        let is_burst = |times: &&[Millis]| alone && times[rate] - times[0] < SECOND - EARLY;
        if let Some(burst) = asked.times.windows(rate + 1).find(is_burst) {
            self.breach(Rule::Rate, now, &format!("{burst:?}"));
        }
        let requests = asked.times.len() as u64;
        if now >= HOUR && requests * DAY / now > promise.requests {
            self.breach(Rule::Requests, now, &requests);
        }
        if asked.refused > promise.refused {
            self.breach(Rule::Refused, now, &asked.refused);
        }
        if self.share() < promise.consistent {
            self.breach(Rule::Consistent, now, &self.share());
        }
    }

    pub fn is_content(&self) -> bool {
        self.breaches.is_empty()
    }

    #[expect(clippy::cast_precision_loss, reason = "a share need not be exact")]
    fn share(&self) -> f64 {
        self.consistent as f64 / self.counts.max(1) as f64
    }

    fn breach(&mut self, rule: Rule, now: Millis, what: &dyn fmt::Display) {
        let first = || (0, format!("minute {}: {what}", now / MINUTE));
        self.breaches.entry(rule).or_insert_with(first).0 += 1;
    }
}

impl fmt::Display for Judge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} counts, {:.3} consistent", self.counts, self.share())?;
        for (rule, (times, first)) in &self.breaches {
            write!(f, "\n  {rule:?} broken {times} times: {first}")?;
        }
        Ok(())
    }
}
