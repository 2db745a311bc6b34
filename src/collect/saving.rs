//! Writes the folders of a collector.

use crate::collect::Collector;
use crate::model::FolderId;

/// How often a folder is written if another process writes it at the same time.
const WRITES: usize = 3;

impl Collector {
    /// Assigns class slots, and writes the folders that changed by that.
    pub(super) async fn assign_classes(&mut self) {
        let changed = self.folders.assign_classes();
        self.save(&changed).await;
    }

    /// Writes the folders that were counted.
    pub(super) async fn save_counted(&mut self) {
        let counted = std::mem::take(&mut self.counted);
        self.save(&Vec::from_iter(counted)).await;
    }

    /// Writes the records of folders to disk. What is not written after some tries, since other processes write as well, is found again by
    /// the next count.
    pub(super) async fn save(&mut self, ids: &[FolderId]) {
        let mut ids = ids.to_vec();
        for _ in 0..WRITES {
            let changes = self.folders.changes(&ids, &self.settings.portal.name);
            if changes.is_empty() {
                return;
            }
            let (newer, result) = match self.storage.write(changes).await {
                Ok(newer) => (newer, Ok(())),
                Err(error) => (Vec::new(), Err(error)),
            };
            ids.retain(|id| !newer.iter().any(|(other, _)| other == id));
            self.folders.written(&ids, &result);
            ids = self.folders.replace(newer);
        }
    }
}
