//! Holds what is published against the portal's own journal (contract, promise 1).

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use kb_simulator::{Change, Counts, Simulator, Status, World};
use uuid::Uuid;

use kb_exposition::Exposition;

/// Files by status, all five of them.
pub(crate) type Files = BTreeMap<String, u64>;

/// Times in the exposition are cut to milliseconds.
const CLOCK: TimeDelta = TimeDelta::milliseconds(3);

/// Judges what is published of one portal.
pub(crate) struct Oracle {
    simulator: Simulator,
    /// What was published of each read: it cannot change any more.
    seen: HashMap<(Uuid, u64), (Files, bool)>,
    /// Reads that were held against the journal.
    pub(crate) judged: u64,
    /// Reads that had the mark.
    pub(crate) marked: u64,
    /// Reads folders that changed while they were read, and that were called consistent all the same.
    pub(crate) moved: u64,
}

/// What is published of a folder.
struct Published {
    folder: Uuid,
    files: Files,
    consistent: bool,
    began: DateTime<Utc>,
    ended: DateTime<Utc>,
}

impl Oracle {
    pub(crate) fn new(simulator: &Simulator) -> Self {
        Self {
            simulator: simulator.clone(),
            seen: HashMap::new(),
            judged: 0,
            marked: 0,
            moved: 0,
        }
    }

    /// Judges every count in an exposition of this portal alone.
    pub(crate) fn judge(&mut self, metrics: &Exposition) -> Result<(), String> {
        let folders = metrics.all("kb_folder_collection_duration_seconds", &[]);
        for folder in folders.map(|sample| &sample.labels["folder_id"]) {
            self.judge_folder(&published(metrics, folder))?;
        }
        Ok(())
    }

    fn judge_folder(&mut self, published: &Published) -> Result<(), String> {
        let Published {
            folder,
            files,
            consistent,
            ended,
            ..
        } = published;
        let read = (*folder, ended.timestamp_millis().unsigned_abs());
        let shown = (files.clone(), *consistent);
        if let Some(before) = self.seen.insert(read, shown.clone()) {
            return if before == shown {
                Ok(())
            } else {
                Err(format!(
                    "{folder}: {before:?} became {shown:?} at the same time of counting"
                ))
            };
        }
        // A status that the portal never gave says by itself that the portal said something else.
        if !consistent || files.contains_key("unknown") {
            self.marked += 1;
            return Ok(());
        }
        let history = self.simulator.with(|world| history(world, published));
        let history = history
            .ok_or_else(|| format!("{folder}: no request for the read that ended at {ended}"))?;
        self.judged += 1;
        self.moved += u64::from(history.len() > 1);
        if is_promised(files, &history) {
            Ok(())
        } else {
            Err(format!(
                "{folder}: {files:?} was published of the read that ended at {ended}, consistent, and while it was read the folder held {history:#?}"
            ))
        }
    }
}

/// Without a change: exact. With one: those before or after it. With k: none off by more than k.
fn is_promised(files: &Files, history: &[Files]) -> bool {
    let changes = history.len() as u64 - 1;
    let allowed = if changes < 2 { 0 } else { changes };
    history.iter().any(|held| {
        let off = |(status, number): (&String, &u64)| files[status].abs_diff(*number);
        held.iter().map(off).all(|off| off <= allowed)
    })
}

fn published(metrics: &Exposition, folder: &str) -> Published {
    let own = metrics.folder(folder);
    let value = |name| {
        own.value(name, &[])
            .unwrap_or_else(|| panic!("{folder} has counts and no {name}"))
    };
    let seconds = |seconds: f64| TimeDelta::from_std(Duration::from_secs_f64(seconds)).unwrap();
    let ended = DateTime::UNIX_EPOCH + seconds(value("kb_folder_last_success_timestamp_seconds"));
    Published {
        folder: folder.parse().unwrap(),
        files: own.by_status("kb_folder_files"),
        consistent: own.count("kb_folder_consistent", &[]) == Some(1),
        began: ended - seconds(value("kb_folder_collection_duration_seconds")),
        ended,
    }
}

/// What the folder held while it was read, from the first request of the read to its last, change by change.
fn history(world: &World, read: &Published) -> Option<Vec<Files>> {
    let path = format!("/{}/files", read.folder);
    let (from, to) = (read.began - CLOCK, read.ended + CLOCK);
    let requests = world.requests().rev().skip_while(|served| served.at > to);
    let sequences: Vec<_> = requests
        .take_while(|served| served.at >= from)
        .filter(|served| served.path.ends_with(&path))
        .map(|served| served.sequence)
        .collect();
    let (first, last) = (*sequences.iter().min()?, *sequences.iter().max()?);
    let changes = world
        .journal()
        .rev()
        .take_while(|entry| entry.sequence > first)
        .filter(|entry| entry.sequence <= last)
        .filter(
            |entry| matches!(&entry.change, Change::File { folder, .. } if *folder == read.folder),
        )
        .map(|entry| entry.sequence);
    let moments = changes.chain([first]);
    moments
        .map(|sequence| Some(files_of(&world.counts_at(read.folder, sequence)?)))
        .collect()
}

/// As the exposition has them: all five.
pub(crate) fn files_of(counts: &Counts) -> Files {
    let number = |status: &Status| counts.get(status).copied().unwrap_or(0);
    let name = |status: &Status| status.name().unwrap().to_owned();
    let known = Status::KNOWN.iter();
    known.map(|status| (name(status), number(status))).collect()
}
