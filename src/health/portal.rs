//! A portal as a whole: its list of folders, and what keeps the process from counting, storing or reindexing.

use crate::clock::Moment;
use crate::config::Mode;
use crate::portal::Trouble;
use crate::snapshot::{ListFailure, PortalView, ReindexView};
use crate::store::Standing;

use super::finding::{Finding, Kind};
use super::{Conditions, files};

/// What is wrong with it, and what explains the numbers, the most urgent first.
pub(super) fn findings(
    portal: &PortalView,
    reindex: Option<&ReindexView>,
    conditions: Conditions,
    now: Moment,
) -> Vec<Finding> {
    if let Some(finding) = not_read(portal) {
        return vec![finding];
    }
    let reindex = reindex.filter(|_| portal.reindex.strongest_mode() != Mode::Off);
    let stopped = reindex.is_some() && conditions.kill_switch;
    let refused = reindex.and_then(ReindexView::refusal);
    let unwritten = portal.state_writes.as_ref();
    let unwritten = unwritten.and_then(|writes| writes.as_ref().err());
    let problems = [
        (portal.panics > 0).then(|| {
            let panics = portal.panics;
            format!("{panics} internal errors since the start; the log has the details")
        }),
        unwritten.map(|error| format!("counters of entries do not change: {error}")),
        refused.map(|why| format!("nothing is reindexed: {why}")),
    ];
    let stopped = stopped.then(|| "nothing is reindexed: the kill switch is on: its file exists, or the folder of that cannot be read".to_owned());
    let remarks = portal.remarks.iter().cloned().chain(stopped);
    let of = |kind| move |sentence| Finding::new(kind, sentence);
    let problems = problems.into_iter().flatten();
    let mut findings: Vec<_> = list(portal).into_iter().collect();
    findings.extend(problems.map(of(Kind::ExporterProblem)));
    findings.extend(files::most_fail(portal, now));
    let unwatched = unwatched(portal).into_iter();
    findings.extend(unwatched.map(of(Kind::FoldersUnwatched)));
    findings.extend(remarks.map(of(Kind::Remark)));
    findings.sort_by_key(|finding| finding.kind);
    findings
}

/// Why this process does not read a portal, if so.
fn not_read(portal: &PortalView) -> Option<Finding> {
    let (kind, sentence) = match &portal.standing {
        Standing::Starting | Standing::Active => return None,
        Standing::Standby(holder) => (
            Kind::Standby,
            format!("{holder} reads the portal; this process waits"),
        ),
        Standing::Unavailable(why) => (
            Kind::StateUnusable,
            format!("nothing is counted, because the state cannot be used: {why}"),
        ),
    };
    Some(Finding::new(kind, sentence))
}

/// What nobody counts although it is listed or configured. An old list says nothing of now.
fn unwatched(portal: &PortalView) -> Vec<String> {
    let Some(list) = portal.list.current() else {
        return Vec::new();
    };
    let mut list = list.clone();
    let no_folder = "the key may use no folder: add folders to it in the portal";
    let no_folder = (list.folders == 0).then(|| no_folder.to_owned());
    if no_folder.is_some() {
        // No pattern can match.
        list.no_match.clear();
    }
    let sentences = list.sentences().chain(no_folder);
    sentences.chain(most_left(portal)).collect()
}

/// Whether most of the folders of the last day were deleted or taken from the key.
fn most_left(portal: &PortalView) -> Option<String> {
    let folders = portal.folders.values();
    let mut folders: Vec<_> = folders.map(|folder| &folder.state).collect();
    folders.retain(|state| !state.is_excluded());
    let all = folders.len();
    let left = folders.iter().filter(|state| state.has_left()).count();
    (2 * left > all).then(|| {
        format!("most folders left within a day: {left} of {all} were deleted, or the key may not use them any more")
    })
}

fn list(portal: &PortalView) -> Option<Finding> {
    let Some(failure) = &portal.list.failure else {
        let is_unread = portal.list.facts.is_none();
        let sentence = "the list of folders has not been read yet";
        return is_unread.then(|| Finding::new(Kind::Unread, sentence));
    };
    let says = match failure.trouble {
        Trouble::Unauthorized => "it rejects the key",
        Trouble::KeyUnreadable => "its key cannot be read",
        Trouble::AddressRefused => "it refuses this host's address",
        Trouble::Unreachable => "it does not answer",
        Trouble::RateLimited => "it limits the requests",
        Trouble::ServerError => "it answers with errors",
        Trouble::InvalidResponse => "it gives answers that cannot be read",
    };
    let ListFailure { message, since, .. } = failure;
    let message = message.strip_prefix("no answer: ").unwrap_or(message);
    // The reason may have changed since then.
    let sentence = format!("its folders cannot be read since {since}; {says}: {message}");
    Some(Finding::new(Kind::PortalUnreadable, sentence))
}
