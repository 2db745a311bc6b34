//! A portal as a whole: its list of folders, and what keeps the process from counting or storing.

use crate::portal::Trouble;
use crate::snapshot::{ListState, PortalView};

use super::finding::{Finding, Kind};

const NO_FOLDER: &str = "the key may use no folder: add folders to it in the portal";

/// What is wrong with it, and what explains the numbers.
pub(super) fn findings(portal: &PortalView) -> Vec<Finding> {
    let mut findings: Vec<_> = list(portal).into_iter().collect();
    if let Some(list) = portal.list.facts() {
        let unmatched = match list.folders {
            0 => Some(NO_FOLDER.to_owned()),
            _ => list.unwatched.unmatched(),
        };
        let faults = list.unwatched.faults().chain(unmatched);
        let faults = faults.chain(portal.lost());
        findings.extend(faults.map(|fault| Finding::new(Kind::FoldersUnwatched, fault)));
    }
    if portal.panics > 0 {
        let panics = portal.panics;
        let sentence = format!("{panics} internal errors since the start; the log has the details");
        findings.push(Finding::new(Kind::ExporterProblem, sentence));
    }
    if let Some(error) = portal.state_writes.refusal() {
        let sentence = format!("counters of entries do not change: {error}");
        findings.push(Finding::new(Kind::ExporterProblem, sentence));
    }
    let waiting = portal.waiting.map(|waiting| waiting.to_string());
    let remarks = waiting.into_iter().chain(portal.unsorted.clone());
    findings.extend(remarks.map(|remark| Finding::new(Kind::Remark, remark)));
    findings
}

fn list(portal: &PortalView) -> Option<Finding> {
    match &portal.list {
        ListState::Unasked => Some(Finding::new(
            Kind::Unread,
            "the list of folders has not been read yet",
        )),
        ListState::Failed {
            trouble,
            message,
            since,
            ..
        } => {
            let says = match trouble {
                Trouble::Unauthorized => "it rejects the key",
                Trouble::KeyUnreadable => "it cannot be asked, because its key cannot be read,",
                Trouble::AddressRefused => "it refuses this host's address",
                Trouble::Unreachable => "it does not answer",
                Trouble::RateLimited => "it limits the requests",
                Trouble::ServerError => "it answers with errors",
                Trouble::InvalidResponse => "it gives answers that cannot be read",
            };
            let message = message.strip_prefix("no answer: ").unwrap_or(message);
            let sentence = format!("{says} since {since}: {message}");
            Some(Finding::new(Kind::PortalUnreadable, sentence))
        }
        ListState::Read(_) => None,
    }
}
