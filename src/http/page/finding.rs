//! What is wrong or new, in sentences: the most urgent is the heading of the overview.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;

use maud::{Markup, html};

use crate::health::{Finding, Health, Kind, Severity};
use crate::http::page::folder_path;
use crate::http::page::layout::{State, sentence, things};
use crate::http::page::row::Row;
use crate::model::PortalName;
use crate::text;

/// Of a folder, in a sentence.
const NAME_CHARACTERS: usize = 60;

/// Of a sentence, in the title of the tab.
const TITLE_CHARACTERS: usize = 70;

/// What a sentence is about.
enum Subject<'a> {
    Exporter,
    Portal(&'a PortalName),
    /// The folders of one portal with findings of one kind: the first of them, and how many they are of all.
    Folders(&'a Row<'a>, usize, usize),
}

/// A sentence: a finding, or that of the first of several folders.
struct Sentence<'a> {
    finding: &'a Finding,
    subject: Subject<'a>,
    /// The files that it is about.
    files: u64,
}

pub(super) struct Findings<'a> {
    sentences: Vec<Sentence<'a>>,
    /// The sentence if nothing is wrong.
    calm: (&'static str, State),
}

impl<'a> Findings<'a> {
    pub(super) fn of(health: &'a Health, rows: &'a [Row<'a>]) -> Self {
        let one = |finding, subject| Sentence {
            finding,
            subject,
            files: 0,
        };
        let own = health.findings.iter();
        let own = own.map(|finding| one(finding, Subject::Exporter));
        let portals = health.portals.iter().flat_map(|portal| {
            let name = &portal.view.name;
            let findings = portal.findings.iter();
            findings.map(move |finding| one(finding, Subject::Portal(name)))
        });
        let mut sentences: Vec<_> = own.chain(portals).chain(of_folders(rows)).collect();
        sentences.sort_by_key(|sentence| (sentence.finding.kind, Reverse(sentence.files)));
        Self {
            sentences,
            calm: match rows {
                [] => ("No folder is watched", State::Unknown),
                _ => ("Nothing is wrong", State::Well),
            },
        }
    }

    /// What the heading says, unless nothing is wrong or new.
    fn worst(&self) -> Option<&Sentence<'a>> {
        let worst = self.sentences.first();
        worst.filter(|worst| worst.finding.kind.severity() > Severity::Info)
    }

    pub(super) fn state(&self) -> State {
        self.worst().map_or(self.calm.1, Sentence::state)
    }

    /// The heading in a few words.
    pub(super) fn title(&self) -> String {
        let title = self
            .worst()
            .map_or_else(|| self.calm.0.to_owned(), Sentence::text);
        text::cut(&title, TITLE_CHARACTERS).into_owned()
    }

    /// The most urgent finding as the heading, and the others.
    pub(super) fn content(&self) -> Markup {
        let worst = self.worst();
        let others = &self.sentences[usize::from(worst.is_some())..];
        let state = self.state();
        html! {
            h1 class={ "verdict " (state.class()) } {
                span.symbol aria-hidden="true" { (state.symbol()) }
                span { @match worst { Some(worst) => (worst.content()), None => (self.calm.0) } }
            }
            @if !others.is_empty() {
                ul.also {
                    @for other in others { li class=(other.state().class()) { (other.content()) } }
                }
            }
        }
    }
}

/// One sentence for the folders of each portal that have findings of one kind, beginning with the one that has most files.
fn of_folders<'a>(rows: &'a [Row<'a>]) -> impl Iterator<Item = Sentence<'a>> {
    let mut kinds = BTreeMap::<(Kind, &PortalName), Vec<(&Row<'_>, &Finding)>>::new();
    for row in rows {
        // What is wrong with a whole portal is said once.
        let is_down = row.portal.list.trouble().is_some();
        let findings = row.health.findings.iter();
        for finding in findings.filter(|one| !is_down || !one.kind.is_uncounted()) {
            let key = (finding.kind, &row.portal.name);
            kinds.entry(key).or_default().push((row, finding));
        }
    }
    kinds.into_iter().filter_map(|((_, portal), found)| {
        let (first, finding) = found
            .iter()
            .max_by_key(|(row, finding)| (finding.files, Reverse(row.name())))?;
        let all = rows.iter().filter(|row| row.portal.name == *portal).count();
        Some(Sentence {
            finding,
            subject: Subject::Folders(first, found.len(), all),
            files: found.iter().map(|(_, finding)| finding.files).sum(),
        })
    })
}

impl Sentence<'_> {
    fn state(&self) -> State {
        match (self.finding.kind, self.finding.kind.severity()) {
            (Kind::Unread, _) => State::Unknown,
            (_, Severity::Fail) => State::Fail,
            (_, Severity::Warn) => State::Warn,
            (_, Severity::Notice | Severity::Info) => State::Note,
        }
    }

    fn content(&self) -> Markup {
        let says = sentence(&self.finding.sentence);
        html! {
            @match &self.subject {
                Subject::Exporter => "The exporter: ",
                Subject::Portal(name) => { "Portal " (name) ": " },
                Subject::Folders(row, number, all) => {
                    @if let Some(together) = self.together(row, *number, *all) { (together) "; " }
                    a.name href=(folder_path(&row.portal.name, row.folder.id)) { (short(row)) } ": "
                },
            }
            (says) " " (what_to_do(self.finding.kind))
        }
    }

    fn text(&self) -> String {
        let says = &self.finding.sentence;
        match &self.subject {
            Subject::Exporter => format!("The exporter: {says}"),
            Subject::Portal(name) => format!("Portal {name}: {says}"),
            Subject::Folders(row, number, all) => self
                .together(row, *number, *all)
                .unwrap_or_else(|| format!("{}: {says}", short(row))),
        }
    }

    /// What several folders have in common.
    fn together(&self, row: &Row<'_>, number: usize, all: usize) -> Option<String> {
        if number == 1 {
            return None;
        }
        let files = things(self.files, "file", "files");
        let portal = &row.portal.name;
        let folders = format!("{number} of {all} folders of portal {portal}");
        Some(match self.finding.kind {
            Kind::Failed => format!("{files} failed in the last hour in {folders}"),
            Kind::Flagged => format!("{files} flagged in the last hour in {folders}"),
            Kind::Marked => format!("{folders} have counts that may be wrong"),
            Kind::Left => format!("{folders} left"),
            Kind::Remark => format!("{folders} are read in full"),
            Kind::Unread => format!("{folders} are not counted yet"),
            _ => format!("{folders} are not counted"),
        })
    }
}

fn short<'r>(row: &'r Row<'_>) -> Cow<'r, str> {
    text::cut(row.name(), NAME_CHARACTERS)
}

/// What is wrong with a folder, or new in it, in its row.
pub(super) fn of_row(row: &Row<'_>) -> Markup {
    html! {
        @for finding in &row.health.findings {
            span.why { (sentence(&finding.sentence)) " " (what_to_do(finding.kind)) }
        }
    }
}

fn what_to_do(kind: Kind) -> Markup {
    html! { @if let Some(section) = kind.section() { a.rule href={ "runbook#" (section) } { "What to do" } } }
}
