//! What is wrong, in sentences: the worst first.

use std::cmp::Reverse;

use maud::{Markup, html};

use crate::alert::{Alert, Spike};
use crate::classify::ErrorRow;
use crate::health::{Health, PortalHealth, Status as Wellness};
use crate::http::page::folder_path;
use crate::http::page::layout::{As, State, number, share, things, time};
use crate::http::page::row::{Reading, Row};
use crate::model::Status;
use crate::portal::Trouble;
use crate::snapshot::{ListState, PortalView, Snapshot};
use crate::text;

/// Sentences on the page, at most; the others are only counted.
const MAX_SENTENCES: usize = 6;

/// Of a folder, in a sentence.
const NAME_CHARACTERS: usize = 60;

/// Something that is wrong.
struct Finding {
    state: State,
    /// Of equal states, what comes first: the kind, and how many files or folders it is about.
    weight: (Reverse<u8>, u64),
    sentence: Markup,
    /// A few words for the title of the tab.
    words: String,
}

pub(super) struct Findings {
    pub(super) state: State,
    sentences: Vec<Finding>,
    /// Those that are not among the sentences.
    more: usize,
    /// The sentence if nothing is wrong.
    calm: String,
}

impl Findings {
    pub(super) fn of(snapshot: &Snapshot, health: &Health, rows: &[Row<'_>]) -> Self {
        let portals = snapshot.portals.iter().zip(&health.portals);
        let portals = portals.filter_map(|(portal, health)| of_portal(portal, health));
        let faults = snapshot.portals.iter();
        let faults = faults.filter_map(|portal| not_counted(portal, rows));
        // One sentence about a folder: its other alerts mostly follow from the first.
        let alerts = rows
            .iter()
            .filter_map(|row| of_alert(row, *row.alerts.first()?));
        let alerts = alerts.chain(flagged_waiting(rows));
        let mut all: Vec<_> = portals.chain(faults).chain(alerts).collect();
        all.sort_by_key(|finding| Reverse((finding.state, finding.weight)));
        let more = all.len().saturating_sub(MAX_SENTENCES);
        all.truncate(MAX_SENTENCES);
        let (calm, calm_state) = calm(snapshot, rows);
        Self {
            state: all.first().map_or(calm_state, |worst| worst.state),
            sentences: all,
            more,
            calm,
        }
    }

    /// The worst in a few words.
    pub(super) fn title(&self) -> String {
        let worst = self.sentences.first();
        worst.map_or_else(|| self.calm.clone(), |worst| worst.words.clone())
    }

    /// The worst as the heading, and what else is wrong.
    pub(super) fn content(&self) -> Markup {
        let mut sentences = self.sentences.iter();
        html! {
            h1 class={ "verdict " (self.state.class()) } {
                span.symbol aria-hidden="true" { (self.state.symbol()) }
                span { @match sentences.next() { Some(worst) => (worst.sentence), None => (self.calm) } }
            }
            @if self.sentences.len() > 1 {
                ul.also {
                    @for finding in sentences { li class=(finding.state.class()) { (finding.sentence) } }
                    @if self.more > 0 { li.quiet { (self.more) " more; the table has all, the worst first" } }
                }
            }
        }
    }
}

/// What is said if nothing is wrong, as far as is known.
fn calm(snapshot: &Snapshot, rows: &[Row<'_>]) -> (String, State) {
    let known = rows.iter().filter(|row| row.reading != Reading::Unknown);
    let (known, all) = (known.count(), rows.len());
    let mut portals = snapshot.portals.iter();
    let sentence = match known {
        0 if portals.any(|portal| portal.list.facts().is_none()) => {
            "Nothing is known yet: the list of folders is being read".to_owned()
        }
        0 if all == 0 => "No folder is watched".to_owned(),
        0 => format!("Nothing is known yet: none of {all} folders is counted"),
        _ if known < all => {
            format!("Nothing is wrong so far: {known} of {all} folders are counted")
        }
        _ => return ("Nothing is wrong".to_owned(), State::Well),
    };
    (sentence, State::Unknown)
}

/// What is wrong with a whole portal: it is said once, and not of each folder.
fn of_portal(portal: &PortalView, health: &PortalHealth) -> Option<Finding> {
    let name = &portal.name;
    if let ListState::Failed {
        trouble,
        message,
        since,
        ..
    } = &portal.list
    {
        let (verb, rule) = match trouble {
            Trouble::Unauthorized => ("rejects the key", "KbKeyRejected"),
            Trouble::KeyUnreadable => ("cannot be asked: its key cannot be read", "KbPortalDown"),
            Trouble::AddressRefused => ("refuses this host's address", "KbAddressRefused"),
            Trouble::Unreachable => ("does not answer", "KbPortalDown"),
            Trouble::RateLimited => ("limits the requests", "KbPortalDown"),
            Trouble::ServerError => ("answers with errors", "KbPortalDown"),
            Trouble::InvalidResponse => ("gives answers that cannot be read", "KbPortalDown"),
        };
        let words = format!("Portal {name} {verb}");
        let message = message.strip_prefix("no answer: ").unwrap_or(message);
        return Some(Finding {
            state: State::Fail,
            weight: (Reverse(0), portal.folders.len() as u64),
            sentence: html! { (linked(&words, rule)) " since " (time(*since, As::Clock)) ": " (message) },
            words,
        });
    }
    let note = health.notes.first()?;
    let is_fault = health.status != Wellness::Pass && portal.list.facts().is_some();
    is_fault.then(|| Finding {
        state: State::Warn,
        weight: (Reverse(4), 0),
        sentence: html! { "Portal " (name) ": " (note) },
        words: format!("Portal {name}"),
    })
}

/// The folders of a portal that should be counted and are not.
fn not_counted(portal: &PortalView, rows: &[Row<'_>]) -> Option<Finding> {
    let of_portal = |row: &&Row<'_>| row.portal.name == portal.name;
    let rows = rows.iter().filter(of_portal);
    let (all, faults) = (rows.clone().count(), rows.filter(|row| row.is_fault()));
    let faults: Vec<_> = faults.collect();
    let first = faults.first()?;
    let message = first.health.message.as_deref();
    let message = message.unwrap_or("its last count is too old");
    let since = match first.reading {
        Reading::NotCounted(since) => since,
        Reading::Counted | Reading::Unknown => None,
    };
    let since = html! { @if let Some(since) = since { " since " (time(since, As::Clock)) } };
    let words = match faults.len() {
        1 => format!(
            "{} is not counted",
            text::cut(first.name(), NAME_CHARACTERS)
        ),
        count => format!("{count} of {all} folders are not counted"),
    };
    let name = linked("not counted", "kbfolderunavailable");
    Some(Finding {
        state: State::Warn,
        weight: (Reverse(2), faults.len() as u64),
        sentence: match faults.len() {
            1 => html! { (folder(first)) " is " (name) (since) ": " (message) },
            count => {
                html! { (count) " of " (all) " folders of portal " (portal.name) " are " (name) "; " (folder(first)) (since) ": " (message) }
            }
        },
        words,
    })
}

/// The flagged files that wait for an administrator, in all folders together: there are some every day.
fn flagged_waiting(rows: &[Row<'_>]) -> Option<Finding> {
    let waiting = rows.iter().filter_map(|row| match row.alerts.last()? {
        alert @ Alert::FlaggedWaiting { since } => Some((*since, alert.rule(), row)),
        _ => None,
    });
    let waiting: Vec<_> = waiting.collect();
    let (since, rule, longest) = waiting.iter().min_by_key(|(since, ..)| *since)?;
    let files = waiting.iter().map(|(.., row)| row.files(Status::Flagged));
    let files = files.sum();
    let words = things(files, "flagged file waits", "flagged files wait");
    let folders = things(waiting.len() as u64, "folder", "folders");
    Some(Finding {
        state: State::Note,
        weight: (Reverse(7), files),
        sentence: html! {
            (linked(&words, rule)) " for an administrator in " (folders)
            ", the longest since " (time(*since, As::Clock)) " in " (folder(longest))
        },
        words,
    })
}

/// A sentence about one folder; none where one sentence is about all of them.
fn of_alert(row: &Row<'_>, alert: Alert) -> Option<Finding> {
    let name = text::cut(row.name(), NAME_CHARACTERS);
    let entered = |verb: &str, status, Spike { files, since }| {
        let errors = row.counts.map_or(&[][..], |counts| &counts.errors);
        let errors = errors.iter().filter(|error| error.status == status);
        let class = errors.max_by_key(|error| error.growth.map(|growth| growth.hour));
        let of_class = class.and_then(|class| of_class(class, files));
        let sentence = html! { (things(files, "file", "files")) " " (linked(verb, alert.rule())) " since " (time(since, As::Clock)) (of_class.unwrap_or_default()) };
        (
            files,
            sentence,
            format!("{name}: {} {verb}", things(files, "file", "files")),
        )
    };
    let (weight, sentence, words) = match alert {
        Alert::FailedSpike(spike) => entered("failed", Status::Failed, spike),
        Alert::FlaggedSpike(spike) => entered("flagged", Status::Flagged, spike),
        Alert::BacklogStuck { since } => {
            let files = row.waiting();
            let wait = things(files, "file waits", "files wait");
            let none = linked("none has moved", alert.rule());
            let sentence = html! { (wait) ", and " (none) " since " (time(since, As::Clock)) };
            (files, sentence, format!("{name}: {wait}"))
        }
        Alert::ErrorClassSurge => {
            let errors = row.counts.map_or(&[][..], |counts| &counts.errors);
            let grown = |error: &&ErrorRow| error.growth.map_or(0, |growth| growth.six_hours);
            let largest = errors.iter().max_by_key(grown);
            let files = largest.as_ref().map_or(0, grown).unsigned_abs();
            let class = html! { @if let Some(row) = largest { em.class { (row.class) } } };
            let sentence = html! { (linked("more files", alert.rule())) " with " (class) ": " (number(files)) " in six hours" };
            (files, sentence, format!("{name}: an error class grows"))
        }
        Alert::FailedRatioHigh => {
            let (failed, all) = (
                row.files(Status::Failed),
                row.counts.map_or(0, |counts| counts.files.total()),
            );
            let share = share(failed, all);
            let sentence = html! { (linked(&format!("{share} of the files"), alert.rule())) " have failed, " (number(failed)) " of " (number(all)) };
            (failed, sentence, format!("{name}: {share} failed"))
        }
        Alert::FlaggedWaiting { .. } => return None,
    };
    let kind = match alert {
        Alert::FailedSpike(_) => 0,
        Alert::FlaggedSpike(_) => 1,
        Alert::BacklogStuck { .. } => 3,
        Alert::ErrorClassSurge => 5,
        Alert::FailedRatioHigh | Alert::FlaggedWaiting { .. } => 6,
    };
    Some(Finding {
        state: State::Warn,
        weight: (Reverse(kind), weight),
        sentence: html! { (folder(row)) ": " (sentence) },
        words,
    })
}

/// How many of the files that entered have the class that grew most.
fn of_class(error: &ErrorRow, files: u64) -> Option<Markup> {
    let grown = u64::try_from(error.growth?.hour)
        .ok()
        .filter(|grown| *grown > 0)?;
    let grown = grown.min(files);
    let share = if grown == files {
        "all".to_owned()
    } else {
        format!("{} of them", number(grown))
    };
    Some(html! { ", " (share) " with " em.class { (error.class) } })
}

fn folder(row: &Row<'_>) -> Markup {
    let name = text::cut(row.name(), NAME_CHARACTERS);
    html! { a.name href=(folder_path(&row.portal.name, row.folder.id)) { (name) } }
}

/// Words with a link to the section of the runbook about a rule.
fn linked(words: &str, rule: &str) -> Markup {
    html! { a.rule href=(runbook(rule)) { (words) } }
}

pub(super) fn runbook(rule: &str) -> String {
    format!("/docs/runbook.md#{}", rule.to_lowercase())
}
