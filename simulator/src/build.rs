//! What tests build worlds from.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::document::{Document, Nature};
use super::format::{FORMATS, Format};
use super::journal::{Change, Counts};
use super::reasons::Reason;
use super::refusal::Refusal;
use super::status::Status;
use super::supply::one_of;
use super::synthetic::Synthetic;
use super::world::World;

/// A file to be put into a folder.
#[derive(Clone, Debug)]
pub struct NewFile {
    /// Any name; the extension decides the MIME type, PDF when it is unknown.
    pub name: String,
    /// Subfolder; empty for the root.
    pub path: String,
    pub size: u64,
    pub status: Status,
    pub error: Option<String>,
    /// In which status processing ends: failed, flagged, or done unless the portal has troubles.
    pub ends: Status,
    /// When it came to the folder; now when none.
    pub created_at: Option<DateTime<Utc>>,
}

impl Default for NewFile {
    fn default() -> Self {
        Self {
            name: "file.pdf".to_owned(),
            path: String::new(),
            size: 1_000,
            status: Status::Done,
            error: None,
            ends: Status::Done,
            created_at: None,
        }
    }
}

impl NewFile {
    /// A file as any other but for its name and status.
    pub fn new(name: impl Into<String>, status: Status) -> Self {
        Self {
            name: name.into(),
            status,
            ..Self::default()
        }
    }

    /// The same with a reason for its status.
    pub fn because(self, reason: impl Into<String>) -> Self {
        let error = Some(reason.into());
        Self { error, ..self }
    }
}

impl World {
    /// Adds a folder that computes its files instead of holding them, so that it can have a hundred million: a number of each status.
    ///
    /// Everything about a file follows from its place among the names. By name, the statuses are mixed over the whole folder;
    /// by status, each is one run at first, by name. All files lie in the root. Nothing moves them but the reindex requests; a moved file stays at
    /// its name, and moves to another place in the order by status. What changes single files is refused ([`Refusal::FilesComputed`]).
    pub fn add_synthetic_folder(&mut self, name: &str, counts: &Counts) -> Uuid {
        let folder = self.add_folder(name);
        let synthetic = Synthetic::new(self.rng.u64(..), self.now(), counts);
        if let Ok(index) = self.folder_index(folder) {
            self.folders[index].compute(synthetic);
            self.note_counts(index, Counts::new());
        }
        folder
    }

    /// Brings the last files of a status in a synthetic folder into another one.
    pub fn move_computed(&mut self, folder: Uuid, count: usize, from: &Status, to: &Status) {
        let Ok(index) = self.folder_index(folder) else {
            return;
        };
        let before = self.folders[index].counts();
        let moved = self.folders[index].change_computed(|files| files.relabel(from, to, count));
        if moved.is_some() {
            self.note_counts(index, before);
        }
    }

    /// Takes note of the counts that a synthetic folder has now.
    pub(super) fn note_counts(&mut self, index: usize, before: Counts) {
        let folder = &self.folders[index];
        let (folder, after) = (folder.id, folder.counts());
        self.note(Change::Counts {
            folder,
            before,
            after,
        });
    }

    /// Puts a file with content of its own into a folder, beside any other of this name and path. Returns its id.
    pub fn add_file(&mut self, folder: Uuid, file: &NewFile) -> Result<Uuid, Refusal> {
        let index = self.held_index(folder)?;
        let document = self.store_new(file);
        let created = file.created_at.unwrap_or_else(|| self.now());
        self.link(index, document, &file.name, &file.path, created);
        Ok(self.documents[document].id)
    }

    /// Puts `count` files of a status into a folder's root; failed and flagged ones get reasons. Returns their ids.
    pub fn add_files(
        &mut self,
        folder: Uuid,
        status: &Status,
        count: usize,
    ) -> Result<Vec<Uuid>, Refusal> {
        let mut added = Vec::with_capacity(count);
        for _ in 0..count {
            let name = format!("file {:07}.pdf", self.by_file.len());
            let error = self.reason(status);
            let file = NewFile {
                error,
                ..NewFile::new(name, status.clone())
            };
            added.push(self.add_file(folder, &file)?);
        }
        Ok(added)
    }

    fn reason(&mut self, status: &Status) -> Option<String> {
        let rng = &mut self.rng;
        match status {
            Status::Failed => Some(one_of(rng, &Reason::PASSING).text(rng)),
            Status::Flagged => Some(one_of(rng, &Reason::SUSPICIONS).text(rng)),
            _ => None,
        }
    }

    fn store_new(&mut self, file: &NewFile) -> usize {
        let format = Format::of_name(&file.name).unwrap_or(&FORMATS[0]);
        let document = Document {
            status: file.status.clone(),
            error: file.error.as_deref().map(Arc::from),
            nature: match file.ends {
                Status::Failed => Nature::Ill(Reason::PASSWORD),
                Status::Flagged => Nature::Suspect(Reason::INSTRUCTION),
                _ => Nature::Sound,
            },
            ..Document::new(&mut self.rng, file.size, format)
        };
        self.store(document)
    }
}
