//! A portal as a whole: its list of folders, and what keeps the process from counting or storing.

use crate::portal::Trouble;
use crate::snapshot::{ListFailure, PortalView};

use super::finding::{Finding, Kind};

const NO_FOLDER: &str = "the key may use no folder: add folders to it in the portal";

/// What is wrong with it, and what explains the numbers.
pub(super) fn findings(portal: &PortalView) -> Vec<Finding> {
    let mut findings: Vec<_> = list(portal).into_iter().collect();
    if let Some(list) = &portal.list.facts {
        let mut unwatched = list.unwatched;
        if list.folders == 0 {
            // No pattern can match.
            unwatched.no_match = 0;
        }
        let no_folder = (list.folders == 0).then(|| NO_FOLDER.to_owned());
        let faults = unwatched.sentences().chain(no_folder);
        let faults = faults.chain(lost(portal, list.folders));
        findings.extend(faults.map(|fault| Finding::new(Kind::FoldersUnwatched, fault)));
    }
    if portal.panics > 0 {
        let panics = portal.panics;
        let sentence = format!("{panics} internal errors since the start; the log has the details");
        findings.push(Finding::new(Kind::ExporterProblem, sentence));
    }
    if let Some(Err(error)) = &portal.state_writes {
        let sentence = format!("counters of entries do not change: {error}");
        findings.push(Finding::new(Kind::ExporterProblem, sentence));
    }
    let remarks = portal.remarks.iter();
    findings.extend(remarks.map(|remark| Finding::new(Kind::Remark, remark)));
    findings
}

/// Whether most of the folders of the last day are not listed any more.
fn lost(portal: &PortalView, listed: usize) -> Option<String> {
    let folders = portal.folders.values();
    let lost = folders.filter(|folder| folder.state.has_left()).count();
    (lost > listed)
        .then(|| format!("most folders left within a day: {lost}; the key may use {listed} by now"))
}

fn list(portal: &PortalView) -> Option<Finding> {
    let Some(failure) = &portal.list.failure else {
        let unread = portal.list.facts.is_none();
        return unread
            .then(|| Finding::new(Kind::Unread, "the list of folders has not been read yet"));
    };
    let says = match failure.trouble {
        Trouble::Unauthorized => "it rejects the key",
        Trouble::KeyUnreadable => "it cannot be asked, because its key cannot be read,",
        Trouble::AddressRefused => "it refuses this host's address",
        Trouble::Unreachable => "it does not answer",
        Trouble::RateLimited => "it limits the requests",
        Trouble::ServerError => "it answers with errors",
        Trouble::InvalidResponse => "it gives answers that cannot be read",
    };
    let ListFailure { message, since, .. } = failure;
    let message = message.strip_prefix("no answer: ").unwrap_or(message);
    let sentence = format!("{says} since {since}: {message}");
    Some(Finding::new(Kind::PortalUnreadable, sentence))
}
