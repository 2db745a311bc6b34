//! What the database says against what is known: leases, attempts, folders.

mod folders;
mod leases;
mod random;

use std::path::Path;
use std::time::Duration;

use crate::attempts::{AttemptId, Intent, SentFile};
use crate::classify::Class;
use crate::model::{FileKey, FolderId, PortalAddress, PortalName, Timestamp};
use crate::store::statement::{Connection, Row, values};
use crate::store::{Lease, Ledger, Place, Store, StoreError};

/// The time of all attempts: noon in March.
const NOON: Timestamp = Timestamp::from_millis(1_772_366_400_000);

fn address() -> PortalAddress {
    "https://portal.example".into()
}

fn name() -> PortalName {
    PortalName::new("main").unwrap()
}

fn folder(number: u128) -> FolderId {
    uuid::Uuid::from_u128(number).into()
}

fn key(number: u128) -> FileKey {
    FileKey {
        link: number,
        id: u128::MAX,
    }
}

async fn store(path: &Path) -> Store {
    let store = Store::open(Place::folder(path), Duration::MAX).await;
    store.unwrap()
}

/// The ledger of a process that reads the portal.
async fn ledger(store: &Store) -> Ledger {
    store.acquire(&address(), |_| {}).await
}

/// Executes a statement beside what the program does, and returns what is read of each row.
async fn sql<T: Send + 'static>(
    lease: &Lease,
    text: &'static str,
    read: impl Fn(&Row) -> Result<T, StoreError> + Send + 'static,
) -> Result<Vec<T>, StoreError> {
    lease
        .run(async move |database| {
            let rows = async |connection: &mut Connection| connection.query(text, values![]).await;
            let rows = database.transaction(rows).await?;
            rows.iter().map(read).collect()
        })
        .await
}

/// Executes a statement that returns nothing.
async fn execute(lease: &Lease, text: &'static str) {
    sql(lease, text, |_| Ok(())).await.unwrap();
}

async fn numbers(lease: &Lease, text: &'static str) -> Vec<i64> {
    sql(lease, text, |row| row.get("n")).await.unwrap()
}

async fn texts(lease: &Lease, text: &'static str) -> Vec<String> {
    let text = sql(lease, text, |row| row.get("n"));
    text.await.unwrap()
}

/// When each folder was written.
pub(crate) async fn folders_written(lease: &Lease) -> Vec<Timestamp> {
    let times = numbers(lease, "SELECT written AS n FROM folder").await;
    times.into_iter().map(Timestamp::from_millis).collect()
}

fn intent(of: u128, files: u128) -> Intent {
    let files = (1..=files).map(|number| (key(number), SentFile::new(Class::Other)));
    Intent::new(name(), folder(of), NOON, files.collect())
}

/// Makes an attempt in a folder.
async fn intend(ledger: &Ledger, of: u128, files: u128) -> AttemptId {
    let book = ledger.book().unwrap();
    ledger.intend(intent(of, files), &book).await.unwrap()
}
