//! The folders of a portal: which are collected, which have departed, and which can be forgotten.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use humantime::format_duration;
use tracing::{debug, info};

use crate::classify::ClassSlots;
use crate::clock::Moment;
use crate::collect::admission::{Admission, admit};
use crate::collect::due::ReadOutcome;
use crate::collect::folder::Folder;
use crate::collect::settings::Settings;
use crate::history::DepartureReason;
use crate::model::{FolderId, PortalName, Timestamp};
use crate::portal::Listing;
use crate::snapshot::{FolderState, FolderView, ListFacts, Unavailable, Unreadable};
use crate::store::StoredFolder;

/// The folders of a portal, and the class slots that they have.
pub(super) struct Folders {
    pub by_id: BTreeMap<FolderId, Folder>,
    pub class_slots: ClassSlots,
}

impl Folders {
    /// Continues from the stored folders.
    pub fn restored(stored: HashMap<FolderId, StoredFolder>, settings: &Settings) -> Self {
        let mut folders = Self {
            by_id: BTreeMap::new(),
            class_slots: ClassSlots::new(settings.class_limits()),
        };
        let now = Moment::now();
        for (id, stored) in stored {
            let slots = stored.document.class_slots.clone();
            let mut folder = Folder::restored(id, stored, now);
            let errors = folders.class_slots.restore(id, slots);
            folder.show_stored_count(errors, now);
            folders.by_id.insert(id, folder);
        }
        folders
    }

    pub fn iter(&self) -> impl Iterator<Item = &Folder> {
        self.by_id.values()
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Folder> {
        self.by_id.values_mut()
    }

    pub fn get(&self, id: FolderId) -> Option<&Folder> {
        self.by_id.get(&id)
    }

    pub fn get_mut(&mut self, id: FolderId) -> Option<&mut Folder> {
        self.by_id.get_mut(&id)
    }

    /// Applies a list: the folders that it names and that are admitted are collected.
    pub fn apply_list(
        &mut self,
        listing: &Listing,
        settings: &Settings,
        now: Timestamp,
    ) -> ListFacts {
        let Admission { folders, facts } = admit(listing, settings);
        let admitted: HashSet<_> = folders.iter().map(|listed| listed.id).collect();
        for listed in &listing.folders {
            let Some(folder) = self.by_id.get_mut(&listed.id) else {
                continue;
            };
            if folder.view.name != listed.name {
                let (portal, before) = (&settings.portal.name, &folder.view.name);
                info!(%portal, folder = %listed.name, %before, id = %listed.id, "folder is renamed");
                folder.rename(&listed.name);
            }
            if !admitted.contains(&listed.id) {
                leave(
                    folder,
                    DepartureReason::Excluded,
                    &settings.portal.name,
                    now,
                );
            }
        }
        for listed in folders {
            let folder = self.by_id.entry(listed.id);
            let folder = folder.or_insert_with(|| Folder::listed(listed));
            folder.found(listed);
        }
        self.exclude_others(settings, now);
        facts
    }

    /// Excludes the folders that the configuration does not admit by their names.
    pub fn exclude_others(&mut self, settings: &Settings, now: Timestamp) {
        let portal = &settings.portal;
        for (id, folder) in &mut self.by_id {
            if !portal.folders.admits(*id, folder.view.name.label()) {
                leave(folder, DepartureReason::Excluded, &portal.name, now);
            }
        }
        self.free_class_slots();
    }

    /// Frees the slots of classes in folders that are excluded or forgotten.
    fn free_class_slots(&mut self) {
        let is_admitted = |id| {
            let folder = self.by_id.get(&id);
            folder.is_some_and(|folder| !folder.is_excluded())
        };
        self.class_slots.retain_folders(is_admitted);
    }

    /// Marks the folders that a whole list does not name as departed. Returns those that were stored for long enough after they left, and are forgotten.
    pub fn depart_unlisted(
        &mut self,
        listing: &Listing,
        portal: &PortalName,
        now: Timestamp,
    ) -> Vec<FolderId> {
        let listed: HashSet<_> = listing.folders.iter().map(|listed| listed.id).collect();
        for (id, folder) in &mut self.by_id {
            if !listed.contains(id) && !folder.is_excluded() {
                leave(folder, DepartureReason::Unlisted, portal, now);
            }
        }
        let is_over =
            |id: &FolderId, folder: &mut Folder| folder.is_forgettable(listed.contains(id), now);
        let forgotten: Vec<_> = self.by_id.extract_if(.., is_over).collect();
        self.free_class_slots();
        forgotten.into_iter().map(|(id, _)| id).collect()
    }

    /// Changes a folder and logs what is new about it.
    pub fn update(
        &mut self,
        id: FolderId,
        portal: &PortalName,
        change: impl FnOnce(&mut Folder, &mut ClassSlots) -> ReadOutcome,
    ) -> ReadOutcome {
        let Some(folder) = self.by_id.get_mut(&id) else {
            return ReadOutcome::NothingToCount;
        };
        let before = folder.view.state.clone();
        let outcome = change(folder, &mut self.class_slots);
        let FolderView { name, state, .. } = &*folder.view;
        if *state != before {
            debug!(%portal, folder = %name, %id, ?state, "folder changed its state");
        }
        outcome
    }

    /// Assigns the portal's class slots at the end of a collection; not before every folder that is being read was counted once.
    /// Returns the folders that changed.
    pub fn assign_classes(&mut self) -> Vec<FolderId> {
        let is_first_read = |folder: &Folder| folder.is_being_read && folder.times_counted == 0;
        if self.iter().any(is_first_read) {
            return Vec::new();
        }
        let mut changed = Vec::new();
        for (id, errors) in self.class_slots.settle() {
            if let Some(folder) = self.by_id.get_mut(&id) {
                folder.show_errors(errors);
                changed.push(id);
            }
        }
        changed
    }

    /// The views of the folders. While the portal cannot be read, none of its folders can.
    pub fn views(
        &self,
        portal_is_readable: bool,
        now: Timestamp,
    ) -> BTreeMap<FolderId, Arc<FolderView>> {
        let view = |folder: &Folder| {
            let mut view = Arc::clone(&folder.view);
            if !portal_is_readable && folder.is_there() {
                Arc::make_mut(&mut view).state = FolderState::Unavailable(Unreadable {
                    reason: Unavailable::Error,
                    message: "the portal cannot be read".to_owned(),
                });
            }
            view
        };
        let shown = self.iter().filter(|folder| folder.is_shown(now));
        shown.map(|folder| (folder.view.id, view(folder))).collect()
    }

    /// Gives up the reads that did not end within a time.
    pub fn give_up_reads(&mut self, limit: Duration) {
        for folder in self.iter_mut().filter(|folder| folder.is_being_read) {
            let message = format!(
                "not read within collect.timeout ({})",
                format_duration(limit)
            );
            folder.forget_read();
            folder.unavailable(Unavailable::Error, message);
        }
    }

    /// The folder, of those that were refused and are not being read, that was read longest ago. One of them is read in each collection, because the list does not
    /// show when a refusal ends.
    pub fn longest_refused(&self) -> Option<FolderId> {
        let refused = self.iter();
        let refused = refused.filter(|folder| folder.is_idle() && folder.read_log.is_refused());
        let longest = refused.min_by_key(|folder| folder.read_log.last_began())?;
        Some(longest.view.id)
    }

    /// The folders that left, or that the configuration excludes.
    pub fn absent(&self) -> Vec<FolderId> {
        self.ids(|folder| !folder.is_there())
    }

    pub fn ids(&self, of: impl Fn(&Folder) -> bool) -> Vec<FolderId> {
        let folders = self.iter().filter(|folder| of(folder));
        folders.map(|folder| folder.view.id).collect()
    }
}

/// A folder left, or is excluded. Thousands may do so at once, so no default level logs one by one.
fn leave(folder: &mut Folder, reason: DepartureReason, portal: &PortalName, now: Timestamp) {
    if folder.leave(reason, now) {
        debug!(%portal, folder = %folder.view.name, id = %folder.view.id, ?reason, "folder left");
    }
}
