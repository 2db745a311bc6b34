//! What is wrong or new, in sentences: the most urgent is the heading of the overview.

use std::borrow::Cow;
use std::cmp::Reverse;

use maud::{Markup, html};

use crate::health::{Finding, Health, Severity};
use crate::http::page::layout::{class, number, sentence, symbol, things};
use crate::http::page::row::Row;
use crate::text;

/// Of a folder, in a sentence.
const NAME_CHARACTERS: usize = 60;

/// Of a sentence, in the title of the tab.
const TITLE_CHARACTERS: usize = 70;

const CALM: &str = "Nothing is wrong";

/// A finding, and whose it is.
struct Line<'a> {
    subject: Cow<'a, str>,
    finding: &'a Finding,
    /// The folder that it is about.
    row: Option<&'a Row<'a>>,
}

/// The findings, the most urgent first.
pub(super) struct Findings<'a>(Vec<Line<'a>>);

impl<'a> Findings<'a> {
    pub(super) fn of(health: &'a Health, rows: &'a [Row<'a>]) -> Self {
        let mut lines = Vec::new();
        let mut add = |subject: Cow<'a, str>, findings: &'a [Finding], row| {
            lines.extend(findings.iter().map(|finding| Line {
                subject: subject.clone(),
                finding,
                row,
            }));
        };
        add("The exporter".into(), &health.findings, None);
        for portal in &health.portals {
            let subject = format!("Portal {}", portal.view.name);
            add(subject.into(), &portal.findings, None);
        }
        for row in rows {
            let name = text::cut(&row.name, NAME_CHARACTERS);
            add(name, &row.health.findings, Some(row));
        }
        // What is wrong with a whole portal is said once.
        let is_down = |row: &Row<'_>| row.portal.list.trouble().is_some();
        lines.retain(|line| !line.finding.kind.is_uncounted() || !line.row.is_some_and(is_down));
        lines.sort_by_key(|line| (line.finding.kind, Reverse(line.finding.files)));
        Self(lines)
    }

    /// What the heading says, unless nothing is wrong or new.
    fn worst(&self) -> Option<&Line<'a>> {
        let worst = self.0.first();
        worst.filter(|worst| worst.finding.kind.severity() > Severity::Info)
    }

    pub(super) fn severity(&self) -> Option<Severity> {
        self.worst().map(|worst| worst.finding.kind.severity())
    }

    /// The heading in a few words.
    pub(super) fn title(&self) -> String {
        let worst = self.worst();
        let title = worst.map(|worst| format!("{}: {}", worst.subject, worst.finding.sentence));
        text::cut(title.as_deref().unwrap_or(CALM), TITLE_CHARACTERS).into_owned()
    }

    /// The most urgent finding as the heading, and the others. Folders with findings of one kind share a line.
    pub(super) fn content(&self) -> Markup {
        let is_shared = |a: &Line<'_>, b: &Line<'_>| {
            a.finding.kind == b.finding.kind && a.row.and(b.row).is_some()
        };
        let mut lines = self.0.chunk_by(is_shared).peekable();
        let worst = self.worst().and_then(|_| lines.next());
        let severity = self.severity();
        html! {
            h1 class={ "verdict " (class(severity)) } {
                span.symbol aria-hidden="true" { (symbol(severity)) }
                span { @match worst { Some(worst) => (shown(worst)), None => (CALM) } }
            }
            @if lines.peek().is_some() {
                ul.also { @for line in lines { li class=(class(Some(line[0].finding.kind.severity()))) { (shown(line)) } } }
            }
        }
    }
}

/// The first of some findings of one kind, and how many more folders have one.
fn shown(lines: &[Line<'_>]) -> Markup {
    let Line {
        subject,
        finding,
        row,
    } = &lines[0];
    let files = lines.iter().map(|line| line.finding.files).sum();
    html! {
        @match row { Some(row) => a.name href=(row.link()) { (subject) }, None => (subject) }
        ": " (sentence(&finding.sentence))
        @if lines.len() > 1 {
            "; also " (things(lines.len() as u64 - 1, "more folder", "more folders"))
            @if files > 0 { ", " (number(files)) " files in all" }
        }
        (what_to_do(finding))
    }
}

/// What is wrong with a folder, or new in it, in its row.
pub(super) fn of_row(row: &Row<'_>) -> Markup {
    html! { @for finding in &row.health.findings { span.why { (sentence(&finding.sentence)) (what_to_do(finding)) } } }
}

fn what_to_do(finding: &Finding) -> Markup {
    let section = finding.kind.as_str();
    html! { @if !section.is_empty() { " " a.rule href={ "runbook#" (section) } { "What to do" } } }
}
