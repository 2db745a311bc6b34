//! A folder and PostgreSQL keep what is written in one way.

use std::fs;
use std::time::Duration;

use kb_exporter::attempts::{AttemptId, FileState, Intent, Review, SentFile, Verdict};
use kb_exporter::classify::Class;
use kb_exporter::config::{HiddenPath, SharedState, State};
use kb_exporter::model::{FileKey, FolderId, FolderName, Lost, Outcome, PortalAddress, PortalName};
use kb_exporter::store::{self, Ledger, Place as StorePlace, Store};
use tempfile::TempDir;
use uuid::Uuid;

use crate::support::postgres::Server;
use crate::support::postgres::database::Database;

const LEASE: Duration = Duration::from_secs(2);

/// Where the database is, from one process to the next.
#[derive(Debug)]
struct Place {
    /// The state folder, or the folder of the file with the URL.
    folder: TempDir,
    database: Option<Database>,
}

impl Place {
    /// One of each kind, both empty.
    async fn all() -> [Self; 2] {
        let database = Server::shared().await.database();
        [None, Some(database)].map(|database| {
            let folder = tempfile::tempdir().unwrap();
            if let Some(database) = &database {
                fs::write(folder.path().join("url"), database.url()).unwrap();
            }
            Self { folder, database }
        })
    }

    fn state(&self) -> State {
        let url_file = self.folder.path().join("url");
        let url_file = HiddenPath::file("state.postgres_url_file", url_file);
        match self.database {
            None => State::Path(self.folder.path().to_owned()),
            Some(_) => State::Postgres(SharedState {
                url_file,
                lease: LEASE,
            }),
        }
    }

    /// A process that reads the portal, as soon as the one before has left it.
    async fn process(&self) -> (Store, Ledger) {
        let place = StorePlace::of(&self.state()).unwrap();
        let store = Store::open(place, LEASE).await.unwrap();
        let ledger = store.acquire(&address(), |_| {}).await;
        (store, ledger)
    }
}

fn address() -> PortalAddress {
    "https://portal.example/".into()
}

fn main() -> PortalName {
    PortalName::new("main").unwrap()
}

fn inbox() -> FolderId {
    Uuid::from_u128(7).into()
}

fn key(number: u128) -> FileKey {
    FileKey {
        link: number,
        id: u128::MAX - number,
    }
}

/// Writes the intent of an attempt with two files.
async fn intend(ledger: &Ledger) -> AttemptId {
    let file = |number| (key(number), SentFile::new(Class::from_label("timeout")));
    let intent = Intent {
        name: FolderName::new("In\nbox"),
        ..Intent::new(main(), inbox(), ledger.now(), vec![file(1), file(2)])
    };
    let book = ledger.book().unwrap();
    ledger.intend(intent, &book).await.unwrap()
}

async fn settle(ledger: &Ledger, id: AttemptId, outcome: Outcome) {
    ledger.settle(id, ledger.now(), outcome).await.unwrap();
}

/// Writes which states the two files have now.
async fn review(ledger: &Ledger, id: AttemptId, states: [FileState; 2], verdict: Option<Verdict>) {
    let changed = (1..).map(key).zip(states).collect();
    let review = Review { changed, verdict };
    ledger.review(id, ledger.now(), review).await.unwrap();
}

#[tokio::test]
async fn attempts_with_every_outcome_are_read_by_the_next_process() {
    use FileState::{Done, Refailed, Waiting};
    for place in Place::all().await {
        let (store, first) = place.process().await;
        let withdrawn = intend(&first).await;
        settle(&first, withdrawn, Outcome::NotSent).await;
        let refused = intend(&first).await;
        let answer = Outcome::Refused {
            status: 429,
            retry_after: Some(Duration::from_secs(90)),
        };
        settle(&first, refused, answer).await;
        let over = intend(&first).await;
        settle(&first, over, Outcome::Accepted { updated: 9 }).await;
        review(&first, over, [Done, Refailed], Some(Verdict::Partial)).await;
        let watched = intend(&first).await;
        let why = Lost::Status {
            status: 503,
            retry_after: None,
        };
        settle(&first, watched, Outcome::Unknown { why }).await;
        review(&first, watched, [FileState::Sent, Waiting], None).await;
        let written = first.book().unwrap();
        store.leave(first).await.unwrap();
        drop(store);

        let (store, next) = place.process().await;
        let book = next.book().unwrap();
        assert_eq!(book, written, "{place:?}");
        let totals = book.totals(inbox());
        assert_eq!((totals.accepted, totals.refused, totals.unknown), (1, 1, 1));
        assert_eq!((totals.requeued, totals.partial), (9, 1));
        assert_eq!((totals.files_recovered, totals.files_refailed), (1, 1));
        review(&next, watched, [Done, Done], Some(Verdict::Recovered)).await;
        let id = intend(&next).await;
        for earlier in [withdrawn, refused, over, watched] {
            assert!(earlier < id, "{place:?}: {earlier} {id}");
        }
        let read = store::books(&place.state()).unwrap();
        assert_eq!(read[&address()], *next.book().unwrap(), "{place:?}");
        store.leave(next).await.unwrap();
    }
}

#[tokio::test]
async fn what_only_reads_makes_no_tables() {
    for place in Place::all().await {
        let refused = store::books(&place.state()).unwrap_err().to_string();
        assert!(refused.contains("nothing is stored yet"), "{refused}");
        if let Some(database) = &place.database {
            let schemas = "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'kb%'";
            assert_eq!(database.value(schemas), "0");
        } else {
            assert!(!place.folder.path().join("state.db").exists());
        }
    }
}
