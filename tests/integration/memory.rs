//! What is remembered from one collection to the next, and over the end of the process.

mod filters;
mod leaving;
mod restart;

use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::workspace::Workspace;
use kb_exposition::Exposition;

use kb_simulator::Status;
use uuid::Uuid;

/// A portal with one folder, collected once a second.
struct Story {
    portal: Portal,
    folder: Uuid,
    workspace: Workspace,
    exporter: Exporter,
}

impl Story {
    /// Begins when the folder was counted for the first time.
    async fn begin(fill: impl FnOnce(&Portal, Uuid)) -> Self {
        let portal = Portal::start().await;
        let folder = portal.folder("Inbox");
        fill(&portal, folder);
        let workspace = Workspace::each_second(&[("main", portal.base_url())]);
        let exporter = Exporter::start(&workspace).await;
        exporter.collected().await;
        Self {
            portal,
            folder,
            workspace,
            exporter,
        }
    }

    /// The same with one file, which is done.
    async fn with_one_file() -> Self {
        Self::begin(|portal, folder| {
            portal.file(folder, "a.pdf", Status::Done);
        })
        .await
    }

    /// The folder's first file by name.
    fn file(&self) -> Uuid {
        self.portal.world(|world| world.file_ids(self.folder))[0]
    }

    /// Brings a file into a status and waits until a collection has seen it.
    async fn seen(&self, file: Uuid, status: Status) -> Exposition {
        self.portal.set(self.folder, file, status);
        self.exporter.collected_again().await
    }

    fn entries(&self, metrics: &Exposition, status: &str) -> u64 {
        let entries = metrics
            .folder(self.folder)
            .by_status("kb_folder_status_entries_total");
        entries[status]
    }

    fn oldest(&self, metrics: &Exposition, status: &str) -> Option<f64> {
        let own = metrics.folder(self.folder);
        let labels = [("status", status)];
        own.value("kb_folder_oldest_file_timestamp_seconds", &labels)
    }

    /// Ends the process and starts it again, while the portal does not answer: what is shown then was stored on disk.
    async fn restarted(self, end: End) -> Self {
        end.of(self.exporter).await;
        self.portal.hold("/mine");
        let exporter = Exporter::start(&self.workspace).await;
        Self { exporter, ..self }
    }

    /// Ends the process and goes on with another one that runs.
    async fn with_exporter(self, end: End, exporter: Exporter) -> Self {
        end.of(self.exporter).await;
        Self { exporter, ..self }
    }
}

/// How a process ends.
#[derive(Debug, Clone, Copy)]
enum End {
    Stopped,
    Killed,
}

impl End {
    async fn of(self, exporter: Exporter) {
        match self {
            Self::Stopped => exporter.stop().await,
            Self::Killed => exporter.kill().await,
        }
    }
}
