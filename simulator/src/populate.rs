//! The starting world.

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::document::Nature;
use super::journal::Journal;
use super::options::Options;
use super::reasons::Reason;
use super::status::Status;
use super::supply::{Draft, Supply, one_of};
use super::world::World;

/// Names of the first folders; later ones are numbered.
const NAMES: [&str; 12] = [
    "Archive",
    "Inbox",
    "Contracts",
    "Invoices",
    "Support tickets",
    "Product documentation",
    "Human resources",
    "Отчёты",
    "Marketing \"Spring\"",
    "Engineering notes",
    "Legal & compliance",
    "Recordings",
];

/// Rows of the pages between which two files of one name lie.
const PAGE: usize = 100;

/// One in this number of files of a smaller folder is shared with the large one.
const SHARED: usize = 50;

impl World {
    /// The starting world of [`Options`]; its journal is empty.
    pub fn populated(options: Options) -> Self {
        let (seed, folders, files) = (options.seed, options.folders, options.files);
        let capacity = options.log_capacity;
        let mut supply = Supply::new(seed, options.transcription);
        let mut world = Self::new(options);
        for (at, count) in shares(folders, files).into_iter().enumerate() {
            let id = world.add_folder(&folder_name(at));
            world.fill(id, &mut supply, count);
        }
        world.life.begin(supply, files);
        world.start_work();
        world.journal = Journal::new(capacity);
        world
    }

    fn fill(&mut self, folder: Uuid, supply: &mut Supply, count: usize) {
        let Ok(index) = self.folder_index(folder) else {
            return;
        };
        let shared = if index == 0 { 0 } else { count / SHARED };
        let mut drafts: Vec<Draft> = (shared..count).map(|_| supply.draft()).collect();
        straddle_page_edge(&mut drafts);
        let now = self.now();
        self.folders[index].created = now - TimeDelta::days(800);
        for mut draft in drafts {
            let age = self.settle(&mut draft);
            let document = self.store(draft.document);
            self.append(index, document, &draft.filename, &draft.path, now - age);
        }
        for _ in 0..shared {
            self.share_from_first(index, now);
        }
        self.folders[index].sort();
    }

    fn share_from_first(&mut self, index: usize, now: DateTime<Utc>) {
        let first = &self.folders[0];
        let key = first.by_name()[self.rng.usize(..first.by_name().len())];
        let original = first.link(key);
        let (document, filename) = (original.document, original.filename.clone());
        let path = format!("from archive/{}", self.documents[document].places.len());
        let taken = self.documents[document]
            .places
            .iter()
            .any(|place| place.folder == index);
        if !taken {
            self.append(index, document, &filename, &path, now - TimeDelta::days(7));
        }
    }

    /// Gives a new file a past, and says how long ago it was brought.
    fn settle(&mut self, draft: &mut Draft) -> TimeDelta {
        let rng = &mut self.rng;
        if rng.u32(..100) == 0 {
            return TimeDelta::seconds(rng.i64(0..900));
        }
        let document = &mut draft.document;
        let passing = rng.u32(..100) == 0;
        let (status, reason) = match document.nature {
            Nature::Ill(reason) => (Status::Failed, Some(reason)),
            Nature::Suspect(reason) => (Status::Flagged, Some(reason)),
            Nature::Sound if passing => (Status::Failed, Some(one_of(rng, &Reason::PASSING))),
            Nature::Sound => (Status::Done, None),
        };
        document.status = status;
        document.error = reason.map(|reason| reason.text(rng).into());
        TimeDelta::milliseconds(rng.i64(3_600_000..60_000_000_000))
    }
}

fn folder_name(at: usize) -> String {
    match NAMES.get(at) {
        Some(name) => (*name).to_owned(),
        None => format!("Team folder {at:05}"),
    }
}

/// Files of each folder: two thirds in the first, none in the last, the rest in falling shares in between.
fn shares(folders: usize, files: usize) -> Vec<usize> {
    let mut shares = vec![0; folders];
    let between = folders.saturating_sub(2);
    let Some(first) = shares.first_mut() else {
        return shares;
    };
    *first = if between == 0 {
        files
    } else {
        files - files / 3
    };
    let mut left = files - *first;
    for (at, share) in shares.iter_mut().enumerate().skip(1).take(between) {
        let rest = between - at;
        *share = if rest == 0 {
            left
        } else {
            left / (rest + 2).min(5)
        };
        left -= *share;
    }
    shares
}

/// Gives the last file of the first page and the first file of the second one name, in two paths.
fn straddle_page_edge(drafts: &mut [Draft]) {
    drafts.sort_by(|a, b| a.filename.cmp(&b.filename));
    if let [.., last, first] = drafts.get_mut(..=PAGE).unwrap_or_default() {
        first.filename.clone_from(&last.filename);
        first.document.format = last.document.format;
        first.path = format!("{}/copies", last.path)
            .trim_start_matches('/')
            .to_owned()
            .into();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::{PAGE, shares};
    use crate::{Options, Status, World};

    fn world(change: impl FnOnce(&mut Options)) -> World {
        let mut options = Options {
            files: 6_000,
            ..Options::default()
        };
        change(&mut options);
        World::populated(options)
    }

    #[test]
    fn the_first_folder_is_large_and_the_last_is_empty() {
        let table: [(usize, usize, &[usize]); 5] = [
            (0, 10, &[]),
            (1, 10, &[10]),
            (2, 10, &[10, 0]),
            (3, 9, &[6, 3, 0]),
            (4, 30, &[20, 3, 7, 0]),
        ];
        for (folders, files, expected) in table {
            assert_eq!(shares(folders, files), expected, "{folders} {files}");
        }
        let default = shares(12, 60_000);
        assert_eq!(default[0], 40_000);
        assert_eq!(default.iter().sum::<usize>(), 60_000);
        assert!(default[1..11].iter().all(|&files| files > 100));
    }

    #[test]
    fn it_has_as_many_folders_and_files_as_asked_for() {
        for (folders, files) in [(0, 0), (1, 0), (1, 1), (2, 101), (30, 5_000)] {
            let world = world(|options| (options.folders, options.files) = (folders, files));
            let ids = world.folder_ids();
            let counts = ids.iter().filter_map(|id| world.counts(*id));
            let listed: u64 = counts.flat_map(BTreeMap::into_values).sum();
            assert_eq!(ids.len(), folders);
            assert_eq!(listed, if folders == 0 { 0 } else { files as u64 });
            let names: BTreeSet<_> = world.folders.iter().map(|folder| &folder.name).collect();
            assert_eq!(names.len(), folders, "names are distinct");
        }
    }

    #[test]
    fn two_files_of_one_name_in_two_paths_lie_across_a_page_edge() {
        for files in [160, 6_000] {
            let world = world(|options| options.files = files);
            let folder = &world.folders[0];
            let at = |place: usize| folder.link(folder.by_name()[place]);
            let (last, first) = (at(PAGE - 1), at(PAGE));
            assert_eq!(last.filename, first.filename);
            assert_ne!(last.path, first.path);
        }
    }

    #[test]
    fn name_and_path_together_are_unique() {
        let world = world(|_| {});
        for folder in &world.folders {
            let links = folder.by_name().iter().map(|&key| folder.link(key));
            let pairs: BTreeSet<_> = links.map(|link| (&link.filename, &link.path)).collect();
            assert_eq!(pairs.len(), folder.len(), "{}", folder.name);
        }
    }

    #[test]
    fn every_status_occurs_and_reasons_are_many() {
        let world = world(|_| {});
        let big = world.folder_ids()[0];
        let counts = world.counts(big).unwrap();
        for status in Status::KNOWN {
            assert!(counts.contains_key(&status), "{status:?}");
        }
        let troubled = counts[&Status::Failed] + counts[&Status::Flagged];
        let errors = world.errors(big);
        assert_eq!(errors.values().sum::<u64>(), troubled);
        assert!(errors.len() > 50, "{}", errors.len());
    }

    #[test]
    fn some_files_are_shared_between_folders() {
        let world = world(|_| {});
        let ids = world.folder_ids();
        let big: BTreeSet<_> = world.file_ids(ids[0]).into_iter().collect();
        let other = world.file_ids(ids[1]);
        assert!(other.iter().any(|file| big.contains(file)));
    }

    #[test]
    fn recordings_are_there_only_where_they_are_converted() {
        for transcription in [false, true] {
            let world = world(|options| options.transcription = transcription);
            let mut documents = world.documents.iter();
            let recording = documents.any(|(_, d)| d.format.mime.starts_with("audio/"));
            assert_eq!(recording, transcription);
        }
    }

    #[test]
    fn the_journal_begins_after_it() {
        let world = world(|_| {});
        assert_eq!((world.sequence(), world.journal().count()), (0, 0));
    }
}
