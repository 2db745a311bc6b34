//! What is wrong or new, in sentences: the most urgent is the heading of the overview.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use maud::{Markup, html};

use crate::health::{Finding, Health, Kind, Severity};
use crate::http::page::folder_path;
use crate::http::page::layout::{class, number, sentence, symbol, things};
use crate::http::page::row::Row;
use crate::text;

/// Of a folder, in a sentence.
const NAME_CHARACTERS: usize = 60;

/// Of a sentence, in the title of the tab.
const TITLE_CHARACTERS: usize = 70;

/// A finding, as the overview says it.
struct Line {
    kind: Kind,
    /// The files that it is about.
    files: u64,
    /// In the title of the tab.
    title: String,
    shown: Markup,
}

/// The findings, the most urgent first.
pub(super) struct Findings {
    lines: Vec<Line>,
    /// The sentence if nothing is wrong.
    calm: (&'static str, Option<Severity>),
}

impl Findings {
    pub(super) fn of(health: &Health, rows: &[Row<'_>]) -> Self {
        let own = health.findings.iter();
        let own = own.map(|finding| Line::new(finding, "The exporter"));
        let portals = health.portals.iter().flat_map(|portal| {
            let subject = format!("Portal {}", portal.view.name);
            let findings = portal.findings.iter();
            findings.map(move |finding| Line::new(finding, &subject))
        });
        let mut lines: Vec<_> = own.chain(portals).chain(of_folders(rows)).collect();
        lines.sort_by_key(|line| (line.kind, Reverse(line.files)));
        Self {
            lines,
            calm: match rows {
                [] => ("No folder is watched", Some(Severity::Info)),
                _ => ("Nothing is wrong", None),
            },
        }
    }

    /// What the heading says, unless nothing is wrong or new.
    fn worst(&self) -> Option<&Line> {
        let worst = self.lines.first();
        worst.filter(|worst| worst.kind.severity() > Severity::Info)
    }

    pub(super) fn severity(&self) -> Option<Severity> {
        let worst = self.worst();
        worst.map_or(self.calm.1, |worst| Some(worst.kind.severity()))
    }

    /// The heading in a few words.
    pub(super) fn title(&self) -> String {
        let title = self.worst().map_or(self.calm.0, |worst| &worst.title);
        text::cut(title, TITLE_CHARACTERS).into_owned()
    }

    /// The most urgent finding as the heading, and the others.
    pub(super) fn content(&self) -> Markup {
        let (worst, severity) = (self.worst(), self.severity());
        let others = &self.lines[usize::from(worst.is_some())..];
        html! {
            h1 class={ "verdict " (class(severity)) } {
                span.symbol aria-hidden="true" { (symbol(severity)) }
                span { @match worst { Some(worst) => (worst.shown), None => (self.calm.0) } }
            }
            @if !others.is_empty() {
                ul.also { @for other in others { li class=(class(Some(other.kind.severity()))) { (other.shown) } } }
            }
        }
    }
}

impl Line {
    fn new(finding: &Finding, subject: &str) -> Self {
        Self {
            kind: finding.kind,
            files: finding.files,
            title: format!("{subject}: {}", finding.sentence),
            shown: html! { (subject) ": " (sentence(&finding.sentence)) (what_to_do(finding)) },
        }
    }

    /// One for the folders that have findings of one kind: that of most files, and how many others.
    fn of_folders(found: &[(&Row<'_>, &Finding)]) -> Option<Self> {
        let (row, finding) = found.iter().max_by_key(|(_, finding)| finding.files)?;
        let files = found.iter().map(|(_, finding)| finding.files).sum();
        let name = text::cut(&row.name, NAME_CHARACTERS);
        let others = found.len() as u64 - 1;
        let shown = html! {
            a.name href=(folder_path(&row.portal.name, row.health.view.id)) { (name) }
            ": " (sentence(&finding.sentence))
            @if others > 0 { "; also " (things(others, "more folder", "more folders")) }
            @if others > 0 && files > 0 { ", " (number(files)) " files in all" }
            (what_to_do(finding))
        };
        Some(Self {
            files,
            shown,
            ..Self::new(finding, &name)
        })
    }
}

fn of_folders(rows: &[Row<'_>]) -> Vec<Line> {
    let mut kinds = BTreeMap::<Kind, Vec<(&Row<'_>, &Finding)>>::new();
    for row in rows {
        // What is wrong with a whole portal is said once.
        let is_down = row.portal.list.trouble().is_some();
        let findings = row.health.findings.iter();
        for finding in findings.filter(|one| !is_down || !one.kind.is_uncounted()) {
            kinds.entry(finding.kind).or_default().push((row, finding));
        }
    }
    let lines = kinds.values();
    lines.filter_map(|found| Line::of_folders(found)).collect()
}

/// What is wrong with a folder, or new in it, in its row.
pub(super) fn of_row(row: &Row<'_>) -> Markup {
    html! { @for finding in &row.health.findings { span.why { (sentence(&finding.sentence)) (what_to_do(finding)) } } }
}

fn what_to_do(finding: &Finding) -> Markup {
    let section = finding.kind.as_str();
    html! { @if !section.is_empty() { " " a.rule href={ "runbook#" (section) } { "What to do" } } }
}
