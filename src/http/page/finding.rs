//! What is wrong, in sentences: the worst first.

use std::cmp::Reverse;

use maud::{Markup, Render, html};

use crate::alert::{Alert, Rule};
use crate::classify::ErrorRow;
use crate::health::{Health, PortalHealth, Reading, Status as Wellness};
use crate::http::page::folder_path;
use crate::http::page::layout::{As, State, number, things, time};
use crate::http::page::row::Row;
use crate::model::Status;
use crate::portal::Trouble;
use crate::snapshot::{ListState, Unavailable};
use crate::text;

/// Sentences on the page, at most; the others are only counted.
const MAX_SENTENCES: usize = 6;

/// Of a folder, in a sentence.
const NAME_CHARACTERS: usize = 60;

/// Something that is wrong.
struct Finding {
    /// The rule that says so, if there is one.
    rule: Option<Rule>,
    /// How many files or folders it is about.
    number: u64,
    /// What it is about, for the title of the tab.
    subject: String,
    sentence: Markup,
}

impl Finding {
    fn state(&self) -> State {
        match self.rule {
            Some(Rule::PortalUnreadable) => State::Fail,
            Some(Rule::FlaggedWaiting) => State::Note,
            _ => State::Warn,
        }
    }
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
    pub(super) fn of(health: &Health, is_reloaded: bool, rows: &[Row<'_>]) -> Self {
        let portals = health.portals.iter();
        let faults = portals.clone().filter_map(|one| not_counted(one, rows));
        let mut all: Vec<_> = portals.filter_map(of_portal).chain(faults).collect();
        all.extend((!is_reloaded).then(not_reloaded));
        all.extend(rows.iter().filter_map(of_folder));
        all.extend(flagged_waiting(rows));
        all.sort_by_key(|one| {
            let rule = (one.rule.is_none(), one.rule);
            (Reverse(one.state()), rule, Reverse(one.number))
        });
        let more = all.len().saturating_sub(MAX_SENTENCES);
        all.truncate(MAX_SENTENCES);
        let (calm, calm_state) = calm(health, rows);
        Self {
            state: all.first().map_or(calm_state, Finding::state),
            sentences: all,
            more,
            calm,
        }
    }

    /// The worst in a few words.
    pub(super) fn title(&self) -> String {
        match self.sentences.first() {
            None => self.calm.clone(),
            Some(Finding { subject, rule, .. }) => match rule {
                Some(rule) => format!("{subject}: {}", rule.as_str()),
                None => subject.clone(),
            },
        }
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
                    @for finding in sentences { li class=(finding.state().class()) { (finding.sentence) } }
                    @if self.more > 0 { li.quiet { (self.more) " more; the table has all, the worst first" } }
                }
            }
        }
    }
}

/// What is said if nothing is wrong, as far as is known.
fn calm(health: &Health, rows: &[Row<'_>]) -> (String, State) {
    let known = rows.iter().map(|row| row.health.reading);
    let known = known.filter(|reading| *reading != Reading::Unknown).count();
    let all = rows.len();
    let mut portals = health.portals.iter();
    let sentence = match known {
        0 if portals.any(|portal| portal.view.list.facts().is_none()) => {
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

/// The configuration in use is not the one that is written.
fn not_reloaded() -> Finding {
    let rule = Rule::ExporterProblem;
    Finding {
        rule: Some(rule),
        number: 0,
        subject: "Configuration".to_owned(),
        sentence: html! { "The changed configuration " (linked("could not be used", rule)) ": the previous one is in use, and the log has the reason" },
    }
}

/// What is wrong with a whole portal: it is said once, and not of each folder.
fn of_portal(health: &PortalHealth) -> Option<Finding> {
    let portal = &health.view;
    let subject = format!("Portal {}", portal.name);
    if let ListState::Failed {
        trouble,
        message,
        since,
        ..
    } = &portal.list
    {
        let rule = Rule::PortalUnreadable;
        let says = match trouble {
            Trouble::Unauthorized => "rejects the key",
            Trouble::KeyUnreadable => "cannot be asked: its key cannot be read",
            Trouble::AddressRefused => "refuses this host's address",
            Trouble::Unreachable => "does not answer",
            Trouble::RateLimited => "limits the requests",
            Trouble::ServerError => "answers with errors",
            Trouble::InvalidResponse => "gives answers that cannot be read",
        };
        let words = format!("{subject} {says}");
        let message = message.strip_prefix("no answer: ").unwrap_or(message);
        return Some(Finding {
            rule: Some(rule),
            number: portal.folders.len() as u64,
            sentence: html! { (linked(&words, rule)) " since " (time(*since, As::Clock)) ": " (message) },
            subject,
        });
    }
    let note = health.notes.first()?;
    let is_fault = health.status != Wellness::Pass && portal.list.facts().is_some();
    is_fault.then(|| Finding {
        rule: None,
        number: 0,
        sentence: html! { (subject) ": " (note) },
        subject,
    })
}

/// The folders of a portal that should be counted and are not.
fn not_counted(portal: &PortalHealth, rows: &[Row<'_>]) -> Option<Finding> {
    let name = &portal.view.name;
    let is_listed = |row: &&Row<'_>| row.portal.name == *name && !row.folder.state.has_left();
    let rows = rows.iter().filter(is_listed);
    let all = rows.clone().count();
    let faults = rows.filter_map(|row| Some((row, row.alert(Rule::is_uncounted)?)));
    let faults: Vec<_> = faults.collect();
    let (first, alert) = faults.first()?;
    let message = first.health.message.as_deref();
    let message = message.unwrap_or("its last count is too old");
    let reason = html! { (since(*alert)) ": " (message) };
    let words = linked("not counted", alert.rule);
    Some(Finding {
        rule: Some(alert.rule),
        number: faults.len() as u64,
        subject: text::cut(first.name(), NAME_CHARACTERS).into_owned(),
        sentence: match faults.len() {
            1 => html! { (folder(first)) " is " (words) (reason) },
            count => {
                html! { (count) " of " (all) " folders of portal " (name) " are " (words) "; " (folder(first)) (reason) }
            }
        },
    })
}

/// The flagged files that wait for an administrator, in all folders together: there are some every day.
fn flagged_waiting(rows: &[Row<'_>]) -> Option<Finding> {
    let rule = Rule::FlaggedWaiting;
    let waiting = rows.iter();
    let waiting = waiting.filter_map(|row| Some((row, row.alert(|one| one == rule)?)));
    let waiting: Vec<_> = waiting.collect();
    let (longest, alert) = waiting.iter().min_by_key(|(_, alert)| alert.since)?;
    let files = waiting.iter().map(|(_, alert)| alert.files).sum();
    let words = things(files, "flagged file waits", "flagged files wait");
    let folders = things(waiting.len() as u64, "folder", "folders");
    Some(Finding {
        rule: Some(rule),
        number: files,
        sentence: html! {
            (linked(&words, rule)) " for an administrator in " (folders)
            ", the longest" (since(*alert)) " in " (folder(longest))
        },
        subject: words,
    })
}

/// A sentence about one folder, with its first alert: the others mostly follow from it. None where one sentence is about all folders.
fn of_folder(row: &Row<'_>) -> Option<Finding> {
    let alert = *row.alerts.first()?;
    if alert.rule.is_uncounted() || matches!(alert.rule, Rule::FlaggedWaiting | Rule::FolderLeft) {
        return None;
    }
    let said = linked(words(row, alert), alert.rule);
    Some(Finding {
        rule: Some(alert.rule),
        number: alert.files,
        subject: text::cut(row.name(), NAME_CHARACTERS).into_owned(),
        sentence: html! { (folder(row)) ": " (said) (of_class(row, alert).unwrap_or_default()) },
    })
}

/// What an alert says of a folder.
pub(super) fn words(row: &Row<'_>, alert: Alert) -> Markup {
    let files = things(alert.files, "file", "files");
    let since = since(alert);
    html! {
        @match alert.rule {
            Rule::FailedSpike => { (files) " failed" (since) },
            Rule::FlaggedSpike => { (files) " flagged" (since) },
            Rule::QueueStuck => { (things(alert.files, "file waits", "files wait")) ", and none has moved" (since) },
            Rule::FileStuck => { "a file waits" (since) },
            Rule::FlaggedWaiting => { "flagged files wait" (since) },
            _ => { "not counted: " (row.folder.state.unavailable().map_or("stale", Unavailable::as_str)) },
        }
    }
}

fn since(alert: Alert) -> Markup {
    html! { @if let Some(since) = alert.since { " since " (time(since, As::Clock)) } }
}

/// The class that grew most, and how many of the files have it.
fn of_class(row: &Row<'_>, alert: Alert) -> Option<Markup> {
    let grown = |error: &&ErrorRow| match alert.rule {
        Rule::FailedSpike if error.status == Status::Failed => error.growth?.hour.into(),
        Rule::FlaggedSpike if error.status == Status::Flagged => error.growth?.hour.into(),
        _ => None,
    };
    let class = row.counts?.errors.iter().max_by_key(grown)?;
    let grown: i64 = grown(&class)?;
    let files = u64::try_from(grown).ok().filter(|files| *files > 0)?;
    let share = if files >= alert.files {
        "all".to_owned()
    } else {
        format!("{} of them", number(files))
    };
    Some(html! { ", " (share) " with " em.class { (class.class) } })
}

fn folder(row: &Row<'_>) -> Markup {
    let name = text::cut(row.name(), NAME_CHARACTERS);
    html! { a.name href=(folder_path(&row.portal.name, row.folder.id)) { (name) } }
}

/// Words with a link to the section of the runbook about a rule.
fn linked(words: impl Render, rule: Rule) -> Markup {
    html! { a.rule href=(runbook(rule)) { (words) } }
}

pub(super) fn runbook(rule: Rule) -> String {
    format!("docs/runbook.md#{}", rule.as_str().to_lowercase())
}
