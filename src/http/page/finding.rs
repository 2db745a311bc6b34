//! What is wrong or new, in sentences: the most urgent is the heading of the overview.

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

/// A finding, or that of the first of several folders.
struct Sentence<'a> {
    finding: &'a Finding,
    /// What it is about, and the link to its page.
    subject: String,
    link: Option<String>,
    /// What several folders have in common.
    together: Option<String>,
    /// The files that it is about.
    files: u64,
}

pub(super) struct Findings<'a> {
    sentences: Vec<Sentence<'a>>,
    /// The sentence if nothing is wrong.
    calm: (&'static str, State),
}

impl<'a> Findings<'a> {
    pub(super) fn of(health: &'a Health, rows: &[Row<'a>]) -> Self {
        let own = health.findings.iter();
        let own = own.map(|finding| Sentence::new(finding, "The exporter".to_owned()));
        let portals = health.portals.iter().flat_map(|portal| {
            let subject = format!("Portal {}", portal.view.name);
            let findings = portal.findings.iter();
            findings.map(move |finding| Sentence::new(finding, subject.clone()))
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
        let worst = self.worst().map(Sentence::text);
        let title = worst.as_deref().unwrap_or(self.calm.0);
        text::cut(title, TITLE_CHARACTERS).into_owned()
    }

    /// The most urgent finding as the heading, and the others.
    pub(super) fn content(&self) -> Markup {
        let (worst, state) = (self.worst(), self.state());
        let others = &self.sentences[usize::from(worst.is_some())..];
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
fn of_folders<'a>(rows: &[Row<'a>]) -> Vec<Sentence<'a>> {
    let mut kinds = BTreeMap::<(Kind, &PortalName), Vec<(&Row<'a>, &'a Finding)>>::new();
    for row in rows {
        // What is wrong with a whole portal is said once.
        let is_down = row.portal.list.trouble().is_some();
        let findings = row.health.findings.iter();
        for finding in findings.filter(|one| !is_down || !one.kind.is_uncounted()) {
            let key = (finding.kind, &row.portal.name);
            kinds.entry(key).or_default().push((row, finding));
        }
    }
    let sentence =
        |((kind, portal), mut found): ((Kind, &PortalName), Vec<(&Row<'a>, &'a Finding)>)| {
            found.sort_by_key(|(row, finding)| (Reverse(finding.files), &row.name));
            let (row, finding) = *found.first()?;
            let files = found.iter().map(|(_, finding)| finding.files).sum();
            let all = rows.iter().filter(|row| row.portal.name == *portal).count();
            let folders = format!("{} of {all} folders of portal {portal}", found.len());
            Some(Sentence {
                link: Some(folder_path(portal, row.folder.id)),
                together: (found.len() > 1).then(|| together(kind, &folders, files)),
                files,
                ..Sentence::new(finding, text::cut(&row.name, NAME_CHARACTERS).into_owned())
            })
        };
    kinds.into_iter().filter_map(sentence).collect()
}

fn together(kind: Kind, folders: &str, files: u64) -> String {
    let files = things(files, "file", "files");
    match kind {
        Kind::Failed => format!("{files} failed in the last hour in {folders}"),
        Kind::Flagged => format!("{files} flagged in the last hour in {folders}"),
        Kind::Marked => format!("{folders} have counts that may be wrong"),
        Kind::Left => format!("{folders} left"),
        Kind::Remark => format!("{folders} are read in full"),
        Kind::Unread => format!("{folders} are not counted yet"),
        _ => format!("{folders} are not counted"),
    }
}

impl<'a> Sentence<'a> {
    fn new(finding: &'a Finding, subject: String) -> Self {
        Self {
            finding,
            subject,
            link: None,
            together: None,
            files: 0,
        }
    }

    fn state(&self) -> State {
        match (self.finding.kind, self.finding.kind.severity()) {
            (Kind::Unread, _) => State::Unknown,
            (_, Severity::Fail) => State::Fail,
            (_, Severity::Warn) => State::Warn,
            (_, Severity::Notice | Severity::Info) => State::Note,
        }
    }

    fn content(&self) -> Markup {
        html! {
            @if let Some(together) = &self.together { (together) "; " }
            @match &self.link {
                Some(link) => a.name href=(link) { (self.subject) },
                None => (self.subject),
            }
            ": " (what_is_wrong(self.finding))
        }
    }

    fn text(&self) -> String {
        let alone = || format!("{}: {}", self.subject, self.finding.sentence);
        self.together.clone().unwrap_or_else(alone)
    }
}

/// What is wrong with a folder, or new in it, in its row.
pub(super) fn of_row(row: &Row<'_>) -> Markup {
    html! { @for finding in &row.health.findings { span.why { (what_is_wrong(finding)) } } }
}

fn what_is_wrong(finding: &Finding) -> Markup {
    html! {
        (sentence(&finding.sentence))
        @if let Some(section) = finding.kind.section() { " " a.rule href={ "runbook#" (section) } { "What to do" } }
    }
}
