//! What people do to the knowledge base: they bring files, correct some, throw some away, and look after what failed.

use super::document::{Nature, Place};
use super::status::Status;
use super::supply::Supply;
use super::world::World;

impl World {
    /// Somebody brings files to a folder, corrects one, or throws some away.
    pub(super) fn receive(&mut self) {
        let Some(index) = self.busy_folder() else {
            return;
        };
        let batch = match self.life.rng.u32(..20) {
            0 => self.life.rng.usize(20..80),
            1..4 => self.life.rng.usize(2..10),
            _ => 1,
        };
        let excess = self.by_file.len() + batch > self.life.target + self.life.target / 50;
        if excess || self.life.rng.u32(..5) == 0 {
            for _ in 0..batch {
                self.throw_away(index);
            }
        }
        if self.life.rng.u32(..10) == 0 {
            self.correct(index);
        }
        for _ in 0..batch {
            let Some(draft) = self.life.supply.as_mut().map(Supply::draft) else {
                return;
            };
            let document = self.store(draft.document);
            self.link(index, document, &draft.filename, &draft.path, self.now());
        }
    }

    fn throw_away(&mut self, index: usize) {
        if let Some(place) = self.any_file(index) {
            self.unlink(place);
        }
    }

    fn correct(&mut self, index: usize) {
        let Some(place) = self.any_file(index) else {
            return;
        };
        let filename = &self.folders[index].link(place.link).filename;
        let revision = self.life.supply.as_mut().map(|it| it.revision(filename));
        if let Some(revision) = revision {
            let document = self.store(revision);
            self.repoint(place, document);
        }
    }

    /// An administrator requeues what failed in a folder and clears its flags.
    pub(super) fn look_after(&mut self) {
        let Some(index) = self.busy_folder() else {
            return;
        };
        let links = self.folders[index].links();
        let documents: Vec<usize> = links.map(|link| link.document).collect();
        for document in documents {
            match self.documents[document].status {
                Status::Failed => self.change_status(document, Status::Pending, None),
                Status::Flagged => {
                    self.documents[document].nature = Nature::Sound;
                    self.change_status(document, Status::Done, None);
                }
                _ => {}
            }
        }
    }

    /// A folder in which people work: the large one often, the last one, which stays empty, never; nor a synthetic one.
    fn busy_folder(&mut self) -> Option<usize> {
        let used = match self.folders.len() {
            0 => return None,
            1 => 1,
            several => several - 1,
        };
        let at = self.life.rng.usize(..used).min(self.life.rng.usize(..used));
        let folder = &self.folders[at];
        let alive = folder.deleted_with.is_none() && folder.synthetic().is_none();
        alive.then_some(at)
    }

    fn any_file(&mut self, index: usize) -> Option<Place> {
        let folder = &self.folders[index];
        if folder.len() == 0 {
            return None;
        }
        let link = folder.by_name()[self.life.rng.usize(..folder.len())];
        let place = Place {
            folder: index,
            link,
        };
        (!folder.link(link).gone).then_some(place)
    }
}
