//! Reindexing, as `/health` and the pages show it.

use std::collections::{BTreeMap, BTreeSet};

use crate::clock::Moment;
use crate::config::Mode;
use crate::model::{FolderId, Timestamp};
use crate::policy::{self, Cause, Choice, Decision, Hold, Reason};
use crate::snapshot::{FolderView, PortalView, ReindexView};
use crate::text;

use super::Conditions;
use super::finding::{Finding, Kind};

/// Reindexing in a portal where the mode of some folder is not off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortalReindex {
    /// Number of eligible files.
    pub waiting: u64,
    /// What happens with them, for people.
    pub sentence: String,
    /// Files that the budget of the window that ends now still allows; `None` if the ledger cannot be used.
    pub remaining_files: Option<u64>,
}

impl PortalReindex {
    pub(super) fn of(portal: &PortalView, view: &ReindexView, now: Moment) -> Self {
        let eligible = view.decisions.values();
        let waiting = eligible.map(|decision| decision.numbers.eligible).sum();
        let book = view.book.as_ref().ok();
        let budget = &portal.reindex.rules.budget;
        Self {
            waiting,
            sentence: sentence_of_portal(portal, view, waiting),
            remaining_files: book.map(|book| policy::remaining_files(book, budget, now.wall)),
        }
    }
}

/// How many files wait for a retry, where one is under way, and what holds most of the others, since when.
fn sentence_of_portal(portal: &PortalView, view: &ReindexView, waiting: u64) -> String {
    let files = match waiting {
        0 => "no file waits for a retry".to_owned(),
        1 => "1 file waits for a retry".to_owned(),
        files => format!("{files} files wait for a retry"),
    };
    let held = most_held(view).map(|(reason, folders, since)| {
        let meaning = reason.sentence();
        match folders {
            1 => format!("1 folder is held since {since}: {meaning}"),
            folders => format!("{folders} folders are held since {since}: {meaning}"),
        }
    });
    let parts = [Some(files), awaited(portal, view), held];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// The folders with an open attempt.
fn awaited(portal: &PortalView, view: &ReindexView) -> Option<String> {
    let book = view.book.as_ref().ok()?;
    let open = book.track().unjudged();
    let folders: BTreeSet<FolderId> = open.map(|attempt| attempt.folder).collect();
    let name = name_of(portal, *folders.first()?);
    let more = match folders.len() - 1 {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!(
        "the results of a retry in {name}{more} are awaited"
    ))
}

/// The reason that holds most of the eligible files: in how many folders, and since when.
fn most_held(view: &ReindexView) -> Option<(Reason, usize, Timestamp)> {
    let mut held = BTreeMap::<Reason, (u64, usize, Timestamp)>::new();
    for decision in view.decisions.values() {
        let files = decision.numbers.eligible;
        if files > 0 && matches!(decision.choice, Choice::Hold(_)) {
            let new = (0, 0, decision.since);
            let sum = held.entry(decision.reason()).or_insert(new);
            *sum = (sum.0 + files, sum.1 + 1, sum.2.min(decision.since));
        }
    }
    let most = held.into_iter().max_by_key(|(_, (files, ..))| *files);
    most.map(|(reason, (_, folders, since))| (reason, folders, since))
}

fn name_of(portal: &PortalView, id: FolderId) -> String {
    let folder = portal.folders.get(&id);
    folder.map_or_else(
        || id.to_string(),
        |folder| text::one_line(&folder.title()).into_owned(),
    )
}

/// The decision about a folder, and a sentence about it for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderReindex {
    pub decision: Decision,
    pub sentence: String,
}

impl FolderReindex {
    /// The decision about a folder; `None` if the mode is off, before the first decision, and after the folder left.
    pub(super) fn of(
        portal: &PortalView,
        view: Option<&ReindexView>,
        folder: &FolderView,
    ) -> Option<Self> {
        if folder.state.has_left() {
            return None;
        }
        let rules = portal.reindex.for_folder(folder.id, folder.name.label());
        let decision = view?.decisions.get(&folder.id)?;
        (rules.mode == decision.mode).then(|| Self {
            sentence: sentence(portal, decision),
            decision: decision.clone(),
        })
    }
}

/// The decision about a folder in a sentence, for people.
fn sentence(portal: &PortalView, decision: &Decision) -> String {
    match (&decision.choice, decision.mode) {
        (Choice::Send { .. }, Mode::Enforce) => "a request follows".to_owned(),
        (Choice::Send { .. }, _) => {
            "a request would be sent now; dry run sends nothing, and cannot know what would come later"
                .to_owned()
        }
        (Choice::Hold(hold), _) => {
            let since = decision.since;
            format!("{}; held since {since}", sentence_of_hold(portal, hold))
        }
    }
}

/// What holds a folder, which class, which folder tries it, and until when.
fn sentence_of_hold(portal: &PortalView, hold: &Hold) -> String {
    let tried = match &hold.cause {
        Some(Cause::Class { folder, .. }) => *folder,
        _ => None,
    };
    let parts = [
        Some(hold.meaning()),
        tried.map(|folder| format!("tried last in {}", name_of(portal, folder))),
        hold.until
            .map(|until| format!("until {until} at the earliest")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// Why nothing is reindexed.
pub(super) fn findings(
    view: &ReindexView,
    conditions: Conditions,
) -> impl Iterator<Item = Finding> {
    let refused = view.refusal().map(|why| {
        let sentence = format!("nothing is reindexed: {why}");
        Finding::new(Kind::ExporterProblem, sentence)
    });
    let switch = "nothing is reindexed: the kill switch is on";
    let switch = conditions
        .kill_switch
        .then(|| Finding::new(Kind::Remark, switch));
    refused.into_iter().chain(switch)
}
