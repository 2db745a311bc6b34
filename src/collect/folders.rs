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
use crate::portal::{ListedFolder, Listing};
use crate::snapshot::{FolderState, FolderView, ListFacts, Unavailable, Unreadable};
use crate::store::{FolderChange, StoredFolder};

/// The folders of a portal, and the class slots that they have.
pub(super) struct Folders {
    /// In boxes, because a node of the map has room for eleven, and many are half empty.
    by_id: BTreeMap<FolderId, Box<Folder>>,
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
            let mut folder = Folder::restored(id, stored);
            let errors = folders.class_slots.restore(id, slots);
            folder.show_stored_count(errors, now);
            folders.by_id.insert(id, Box::new(folder));
        }
        folders
    }

    pub fn iter(&self) -> impl Iterator<Item = &Folder> {
        self.by_id.values().map(Box::as_ref)
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Folder> {
        self.by_id.values_mut().map(Box::as_mut)
    }

    pub fn get(&self, id: FolderId) -> Option<&Folder> {
        self.by_id.get(&id).map(Box::as_ref)
    }

    pub fn get_mut(&mut self, id: FolderId) -> Option<&mut Folder> {
        self.by_id.get_mut(&id).map(Box::as_mut)
    }

    /// Applies a list: the folders that it names and that are admitted are collected.
    pub fn apply_list(
        &mut self,
        listing: &Listing,
        settings: &Settings,
        now: Timestamp,
    ) -> ListFacts {
        for listed in &listing.folders {
            if let Some(folder) = self.by_id.get_mut(&listed.id) {
                if folder.view.name != listed.name {
                    let (portal, before) = (&settings.portal.name, &folder.view.name);
                    info!(%portal, folder = %listed.name, %before, id = %listed.id, "folder is renamed");
                }
                folder.found(listed);
            }
        }
        let Admission { folders, facts } = admit(listing, settings);
        self.admit(listing, &folders, now);
        self.exclude_others(settings, now);
        facts
    }

    /// Collects these folders of a list, and excludes its others.
    fn admit(&mut self, listing: &Listing, admitted: &[&ListedFolder], now: Timestamp) {
        let ids: HashSet<_> = admitted.iter().map(|listed| listed.id).collect();
        for listed in &listing.folders {
            if let Some(folder) = self.by_id.get_mut(&listed.id)
                && !ids.contains(&listed.id)
            {
                folder.exclude(now);
            }
        }
        for listed in admitted {
            let folder = self.by_id.entry(listed.id);
            let folder = folder.or_insert_with(|| Box::new(Folder::listed(listed)));
            folder.admit();
            folder.found(listed);
            folder.read_log.listed(listed, Moment::now().steady);
        }
    }

    /// Excludes the folders that the configuration does not admit by their names.
    pub fn exclude_others(&mut self, settings: &Settings, now: Timestamp) {
        let portal = &settings.portal;
        for (id, folder) in &mut self.by_id {
            if !portal.folders.admits(*id, folder.view.name.label()) && folder.exclude(now) {
                log(
                    &portal.name,
                    &folder.view,
                    "folder is excluded by the configuration",
                );
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

    /// Marks the folders that a whole list does not name as departed.
    pub fn depart_unlisted(
        &mut self,
        listed: &HashSet<FolderId>,
        portal: &PortalName,
        now: Timestamp,
    ) {
        for (id, folder) in &mut self.by_id {
            if !listed.contains(id) && !folder.is_unlisted() {
                if !folder.is_excluded() {
                    log(portal, &folder.view, "folder is no longer in the list");
                }
                folder.leave(DepartureReason::Unlisted, now);
            }
        }
    }

    /// Forgets data that was stored for long enough: folders, and the counters of others. Returns the ids of both; `listed` has the
    /// folders of a complete list.
    pub fn forget_departed(
        &mut self,
        listed: &HashSet<FolderId>,
        now: Timestamp,
    ) -> [Vec<FolderId>; 2] {
        let (mut forgotten, mut emptied) = (Vec::new(), Vec::new());
        self.by_id.retain(|id, folder| {
            let forget = folder.is_forgettable(listed.contains(id), now);
            if forget {
                forgotten.push(*id);
            } else if folder.forget_counts(now) {
                emptied.push(*id);
            }
            !forget
        });
        if !forgotten.is_empty() {
            self.free_class_slots();
        }
        [forgotten, emptied]
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
        let logged = |state: &FolderState| (state.is_counted(), state.unavailable());
        let before = logged(&folder.view.state);
        let outcome = change(folder, &mut self.class_slots);
        if logged(&folder.view.state) != before {
            log_state(portal, &folder.view);
        }
        outcome
    }

    /// Assigns the portal's class slots at the end of a collection; not before every folder that is being read was counted once.
    /// Returns the folders that changed.
    pub fn assign_classes(&mut self) -> Vec<FolderId> {
        let is_first_read = |folder: &Folder| folder.is_being_read() && folder.times_counted == 0;
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
        for folder in self.iter_mut().filter(|folder| folder.is_being_read()) {
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

    /// The class slots, and a folder.
    pub fn with_class_slots(&mut self, id: FolderId) -> (&mut ClassSlots, Option<&mut Folder>) {
        let folder = self.by_id.get_mut(&id).map(Box::as_mut);
        (&mut self.class_slots, folder)
    }

    /// Begins a write of a folder, unless it is stored as it is. `behind`: how much older the time of a stored count may be.
    pub fn begin_write(&mut self, id: FolderId, behind: Duration) -> Option<FolderChange> {
        let folder = self.by_id.get_mut(&id)?;
        folder.begin_write(&self.class_slots, behind)
    }
}

/// Logs what the state of a folder is from now on. The end of a collection names one that could not be counted.
fn log_state(portal: &PortalName, view: &FolderView) {
    match &view.state {
        FolderState::Unavailable(Unreadable { message, .. }) => {
            log(
                portal,
                view,
                &format!("folder cannot be counted: {message}"),
            );
        }
        FolderState::Departed(_) => log(portal, view, "folder is gone"),
        FolderState::Counted | FolderState::Unseen => log(portal, view, "folder counted"),
    }
}

/// Thousands of folders may change at once, so no default level logs one by one.
fn log(portal: &PortalName, view: &FolderView, message: &str) {
    debug!(%portal, folder = %view.name, id = %view.id, "{message}");
}
