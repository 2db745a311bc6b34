//! A library whose folders are read, interval by interval.

use std::collections::BTreeMap;

use super::*;

/// A library whose folders are read interval by interval. A read that fits is done by the next; an oversized one takes longer.
pub(super) struct Library {
    pub budget: RequestBudget,
    folders: Vec<Folder>,
    minute: u64,
}

struct Folder {
    requests: u64,
    pressing: bool,
    read_at: Option<u64>,
    busy_until: u64,
}

impl Library {
    /// Folders by the requests of a read, and whether they are pressing, under this budget of requests.
    pub fn new(requests: u32, folders: &[(u64, bool)]) -> Self {
        let folder = |&(requests, pressing): &(u64, bool)| Folder {
            requests,
            pressing,
            read_at: None,
            busy_until: 0,
        };
        Self {
            budget: budget(requests),
            folders: folders.iter().map(folder).collect(),
            minute: 0,
        }
    }

    fn reading(&self) -> Vec<u64> {
        let busy = self
            .folders
            .iter()
            .filter(|folder| folder.busy_until > self.minute);
        busy.map(|folder| folder.requests).collect()
    }

    fn candidates(&self) -> Vec<ReadCandidate> {
        let free = self.folders.iter().enumerate();
        free.filter(|(_, folder)| folder.busy_until <= self.minute)
            .map(|(number, folder)| ReadCandidate {
                id: id(number),
                need: match folder.read_at {
                    None => Need::New,
                    Some(_) if folder.pressing => Need::Pressing,
                    Some(_) => Need::Quiet,
                },
                waited: folder
                    .read_at
                    .map_or(Duration::MAX, |at| Duration::from_mins(self.minute - at)),
                requests: folder.requests,
            })
            .collect()
    }

    /// An interval passes. Returns the requests of the reads that it began.
    pub fn pass(&mut self) -> u64 {
        let remaining = self.budget.remaining(&[], &self.reading());
        let due = choose(
            self.candidates(),
            Some((self.budget, remaining)),
            QUIET_EVERY,
        );
        let numbers: BTreeMap<_, _> = (0..self.folders.len())
            .map(|number| (id(number), number))
            .collect();
        let mut begun = 0;
        for due in due {
            let folder = &mut self.folders[numbers[&due]];
            folder.read_at = Some(self.minute);
            begun += folder.requests;
            if self.budget.is_oversized(folder.requests) {
                let minutes = folder.requests.div_ceil(self.budget.requests / 2 + 1);
                folder.busy_until = self.minute + minutes.min(TIMEOUT.as_secs() / 60);
            }
        }
        self.minute += 1;
        begun
    }

    /// The intervals since the last read of the folder that waits longest.
    pub fn longest_wait(&self) -> u64 {
        let waits = self
            .folders
            .iter()
            .map(|folder| self.minute - folder.read_at.unwrap_or(0));
        waits.max().unwrap_or(0)
    }
}
