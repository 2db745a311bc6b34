//! What the list of folders tells.

use std::collections::HashSet;
use std::sync::Arc;

use tracing::{info, warn};

use crate::collect::Collector;
use crate::collect::folder::Folder;
use crate::model::{FolderId, Moment, Timestamp};
use crate::portal::{ListedFolder, Listing, PortalError, Session, Trouble};
use crate::snapshot::{ListFacts, ListState};

impl Collector {
    /// Takes in the list that a collection began with, and reads the folders that are due.
    pub(super) async fn listed(
        &mut self,
        run: u64,
        result: Result<(Arc<Session>, Listing), PortalError>,
    ) {
        match result {
            Ok((session, listing)) => {
                self.take_list(listing).await;
                self.read_due_folders(run, session).await;
            }
            Err(error) => {
                self.list_failed(error.trouble(), error.to_string());
                if let Some(run) = self.runs.get_mut(&run) {
                    run.failed += 1;
                }
                self.end_when_done(run).await;
            }
        }
    }

    /// The list could not be read: nothing is known of the folders but what was known before.
    pub(super) fn list_failed(&mut self, trouble: Trouble, message: String) {
        if self.list.trouble() != Some(trouble) {
            warn!(portal = %self.settings.portal, reason = trouble.as_str(), error = message, "the list of folders cannot be read");
        }
        self.list = ListState::Failed {
            trouble,
            message,
            last: self.list.facts(),
        };
        for folder in self.folders.values_mut() {
            folder.portal_failed();
        }
    }

    /// Takes in a list that was read.
    pub(super) async fn take_list(&mut self, listing: Listing) {
        let now = Moment::now().wall;
        self.check_clock(now, listing.date);
        for listed in &listing.folders {
            if let Some(folder) = self.folders.get_mut(&listed.id) {
                folder.found(listed);
            }
        }
        let admitted = self.admitted(&listing);
        let facts = ListFacts::of(&listing, admitted.len(), self.settings.max_folders);
        self.log_list(facts);
        self.list = ListState::Read(facts);
        self.class_slots.expire(now, |id| {
            self.folders.get(&id).is_none_or(Folder::is_unreadable)
        });
        let chosen = admitted.into_iter().take(self.settings.max_folders);
        self.choose_folders(&listing, &chosen.collect::<Vec<_>>(), now);
        let listed: HashSet<_> = listing.folders.iter().map(|listed| listed.id).collect();
        if listing.whole {
            self.lose_unlisted(&listed, now);
        }
        self.save_absences().await;
        if listing.whole {
            self.forget_departed(&listed, now).await;
        }
        self.amend_findings();
    }

    /// The folders that the configuration admits by their newest names; those that are collected already come first, so that a limit does
    /// not shuffle them.
    fn admitted<'a>(&self, listing: &'a Listing) -> Vec<&'a ListedFolder> {
        let is_known = |id: FolderId| {
            let folder = self.folders.get(&id);
            folder.is_some_and(|folder| !folder.is_excluded())
        };
        let mut admitted = listing.admitted(&self.settings.filter);
        admitted.sort_by_key(|listed| !is_known(listed.id));
        admitted
    }

    /// Collects these folders of a list, and excludes all others.
    fn choose_folders(&mut self, listing: &Listing, chosen: &[&ListedFolder], now: Timestamp) {
        let ids: HashSet<_> = chosen.iter().map(|listed| listed.id).collect();
        for listed in &listing.folders {
            if let Some(folder) = self.folders.get_mut(&listed.id)
                && !ids.contains(&listed.id)
            {
                folder.exclude(now);
            }
        }
        for listed in chosen {
            let folder = self
                .folders
                .entry(listed.id)
                .or_insert_with(|| Folder::listed(listed));
            folder.admit();
            folder.found(listed);
            folder.read_schedule.listed(listed);
        }
        self.exclude_others(now);
    }

    /// Logs what is new about the list.
    fn log_list(&self, facts: ListFacts) {
        if self.list.trouble().is_none() && self.list.facts() == Some(facts) {
            return;
        }
        let portal = &self.settings.portal;
        info!(%portal, folders = facts.folders, "list of folders read");
        if facts.invalid_rows > 0 {
            warn!(%portal, rows = facts.invalid_rows, "the list names folders whose id is no UUID; they are not collected");
        }
        if facts.beyond_limit > 0 {
            warn!(%portal, folders = facts.beyond_limit, limit = self.settings.max_folders, "folders beyond collect.max_folders are not collected");
        }
        if !facts.whole {
            warn!(%portal, "the list of folders is not whole: its total is not its length");
        }
    }
}
