//! The starting world.

use chrono::TimeDelta;
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
        let mut drafts: Vec<Draft> = (0..count).map(|_| supply.draft()).collect();
        straddle_page_edge(&mut drafts);
        let now = self.now();
        self.folders[index].created = now - TimeDelta::days(800);
        for mut draft in drafts {
            let age = self.settle(&mut draft);
            let document = self.store(draft.document);
            let place = self.append(index, document, &draft.filename, &draft.path, now - age);
            self.index_now(place);
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
