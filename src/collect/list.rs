//! What the list of folders tells.

use std::collections::HashSet;
use std::sync::Arc;

use tracing::{info, warn};

use crate::collect::Collector;
use crate::collect::folder::Folder;
use crate::memory::LeftReason;
use crate::model::Moment;
use crate::portal::{ListedFolder, Listing, PortalError, Session, Trouble};
use crate::snapshot::{ListFacts, ListState};

impl Collector {
    /// Takes in the list that a collection began with, and looks at the folders that are due.
    pub(super) async fn listed(
        &mut self,
        run: u64,
        result: Result<(Arc<Session>, Listing), PortalError>,
    ) {
        match result {
            Ok((session, listing)) => {
                self.take_list(listing).await;
                self.look_at_all(run, session).await;
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
        let admitted = self.admitted(&listing);
        let facts = ListFacts::of(&listing, admitted.len(), self.settings.max_folders);
        self.log_list(facts);
        self.list = ListState::Read(facts);
        self.places.expire(Moment::now().wall, |id| {
            self.folders.get(&id).is_none_or(Folder::is_unreadable)
        });
        for listed in admitted.into_iter().take(self.settings.max_folders) {
            let folder = self
                .folders
                .entry(listed.id)
                .or_insert_with(|| Folder::listed(listed));
            folder.found(listed);
            folder.attention.listed(listed);
        }
        if listing.whole {
            self.lose_unlisted(&listing).await;
        }
    }

    /// The folders that the configuration admits; those known already come first, so that a limit does not shuffle them.
    fn admitted<'a>(&self, listing: &'a Listing) -> Vec<&'a ListedFolder> {
        let mut admitted = listing.admitted(&self.settings.filter);
        admitted.sort_by_key(|listed| !self.folders.contains_key(&listed.id));
        admitted
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

    /// Lets go of the folders that the list does not name.
    async fn lose_unlisted(&mut self, listing: &Listing) {
        let now = Moment::now().wall;
        self.folders.retain(|_, folder| !folder.forgotten(now));
        let listed: HashSet<_> = listing.folders.iter().map(|listed| listed.id).collect();
        let mut lost = Vec::new();
        for (id, folder) in &mut self.folders {
            if !listed.contains(id) && !folder.is_unlisted() {
                info!(portal = %self.settings.portal, folder = %folder.view.name, %id, "folder left the key's set");
                folder.leave(LeftReason::Unlisted, now);
                lost.push(*id);
            }
        }
        for id in lost {
            self.save(id).await;
        }
    }
}
