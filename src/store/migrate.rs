//! Moves state and ledger from a folder to PostgreSQL, or back.
//!
//! The copy is read again and compared with the source before it counts. The source is marked as moved before the copy is committed, so that no
//! process that still knows it can use it: a move that is cut short in between is made again, and the copy is never used beside its source. A
//! folder is locked meanwhile, and a database in which a process has a lease is refused.

use std::time::Duration;

use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row as _};

use crate::clock::Moment;
use crate::config::SharedState;
use crate::store::clock::StoreClock;
use crate::store::database::Database;
use crate::store::error::StoreError;
use crate::store::ledger::log;
use crate::store::place::{Access, Part, Place};
use crate::store::statement::{Statement, Value, max_parameters, query};
use crate::store::tables::{SERVER_NOW, rows as read};
use crate::store::worker::block_on;

/// The clocks of this machine and of the server may differ by this much: the times in a ledger are those of the clock that is used with it.
const MAX_DIFFERENCE: Duration = Duration::from_mins(1);

/// How many rows of each kind were copied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Copied {
    pub folders: usize,
    /// Files that are not done.
    pub files: usize,
    /// Events of the ledger.
    pub events: usize,
}

/// A table whose rows are copied, and its columns.
struct Table {
    part: Part,
    name: &'static str,
    columns: &'static [&'static str],
}

const TABLES: [Table; 4] = [
    Table {
        part: Part::State,
        name: "portal",
        columns: &["portal", "shard", "document"],
    },
    Table {
        part: Part::State,
        name: "folder",
        columns: &["portal", "folder", "number", "token", "written", "document"],
    },
    Table {
        part: Part::State,
        name: "file",
        columns: &["portal", "folder", "file", "document"],
    },
    Table {
        part: Part::Ledger,
        name: "event",
        columns: &["portal", "number", "token", "event"],
    },
];

/// Those of the columns that have numbers. All others have texts.
const NUMBERS: [&str; 3] = ["number", "token", "written"];

/// Moves everything from the folder to the database. Blocks.
pub fn to_postgres(state: &SharedState) -> Result<Copied, StoreError> {
    let place = Place::folder(&state.path);
    place.hold_existing()?;
    block_on(async || {
        let mut files = Files::new(&place, Access::Move);
        let mut server = server(state, Access::Serve).await?;
        let clock = server.clock();
        let copy = async |to: &mut AnyConnection| {
            hold(to, &clock).await?;
            let name = name_of_server(to).await?;
            let copy = async |state: &mut AnyConnection, ledger: &mut AnyConnection| {
                let mut copied = copy_part(Part::State, state, to, &name).await?;
                copied.events = copy_part(Part::Ledger, ledger, to, &name).await?.events;
                Ok(copied)
            };
            files.transaction(copy).await
        };
        let copied = server.transaction(copy).await;
        files.close().await;
        server.close().await;
        copied
    })
}

/// Moves everything from the database to the folder. Blocks.
pub fn to_folder(state: &SharedState) -> Result<Copied, StoreError> {
    block_on(async || {
        let mut server = server(state, Access::Move).await?;
        let mut files = Files::new(&Place::folder(&state.path), Access::Serve);
        let clock = server.clock();
        let name = state.path.display().to_string();
        let is_there = |error| match error {
            // It was the source of an earlier move.
            StoreError::Moved { .. } => StoreError::NotEmpty {
                name: name.clone(),
                was_moved: false,
            },
            error => error,
        };
        files.state.check_write().await.map_err(is_there)?;
        let copy = async |state: &mut AnyConnection, ledger: &mut AnyConnection| {
            let copy = async |from: &mut AnyConnection| {
                hold(from, &clock).await?;
                let mut copied = copy_part(Part::State, from, state, &name).await?;
                copied.events = copy_part(Part::Ledger, from, ledger, &name).await?.events;
                Ok(copied)
            };
            server.transaction(copy).await
        };
        let copied = files.transaction(copy).await;
        files.close().await;
        server.close().await;
        copied
    })
}

/// The two files of a folder.
struct Files {
    state: Database,
    ledger: Database,
}

impl Files {
    fn new(place: &Place, access: Access) -> Self {
        Self {
            state: Database::new(place.clone(), Part::State, access).slow(),
            ledger: Database::new(place.clone(), Part::Ledger, access).slow(),
        }
    }

    /// The ledger is committed first: a process that starts between the two then knows the attempts that it must not repeat.
    async fn transaction<T>(
        &mut self,
        work: impl AsyncFnOnce(&mut AnyConnection, &mut AnyConnection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let ledger = &mut self.ledger;
        let both = async |state: &mut AnyConnection| {
            let work = async |ledger: &mut AnyConnection| work(state, ledger).await;
            ledger.transaction(work).await
        };
        self.state.transaction(both).await
    }

    async fn close(&mut self) {
        self.state.close().await;
        self.ledger.close().await;
    }
}

/// How a database in PostgreSQL is called: by the random id that its tables got, since another one may have the same address later.
async fn name_of_server(connection: &mut AnyConnection) -> Result<String, StoreError> {
    let ids = read(connection, "SELECT id FROM store ORDER BY part".to_owned()).await?;
    let first = ids.first().ok_or(Part::Ledger.missing())?;
    let id: &str = first.try_get("id")?;
    Ok(format!(
        "the PostgreSQL database of state.postgres_url_file (id {id})"
    ))
}

/// The database in PostgreSQL, whose tables are there.
async fn server(state: &SharedState, access: Access) -> Result<Database, StoreError> {
    let place = Place::Server(state.url_file.clone());
    let mut ledger = Database::new(place.clone(), Part::Ledger, access);
    ledger.check_write().await?;
    ledger.close().await;
    let mut server = Database::new(place, Part::State, access).slow();
    server.check_write().await?;
    Ok(server)
}

/// Keeps others from writing until the end of the transaction. Refuses a database that a process uses, and one with another time.
async fn hold(connection: &mut AnyConnection, clock: &StoreClock) -> Result<(), StoreError> {
    read(connection, "SELECT part FROM store FOR UPDATE".to_owned()).await?;
    let leases = format!(
        "SELECT portal, shard, until - {SERVER_NOW} AS remaining FROM
         (SELECT portal, shard, until FROM lease UNION ALL SELECT portal, shard, until FROM process) AS used
         WHERE until >= {SERVER_NOW} ORDER BY until DESC LIMIT 1"
    );
    if let Some(lease) = read(connection, leases).await?.first() {
        let millis: i64 = lease.try_get("remaining")?;
        return Err(StoreError::DatabaseInUse {
            portal: lease.try_get("portal")?,
            shard: lease.try_get("shard")?,
            seconds: millis / 1_000 + 1,
        });
    }
    let (server, machine) = (clock.now().wall, Moment::now().wall);
    let difference = server.since(machine).max(machine.since(server));
    if difference > MAX_DIFFERENCE {
        let seconds = difference.as_secs();
        return Err(StoreError::Clocks { seconds });
    }
    Ok(())
}

/// Copies the tables of a part to a place with a name, compares both sides, and marks the source: whoever opens it, or writes to it, is told where it
/// went. A copy that is there is taken for the one that an earlier try made.
async fn copy_part(
    part: Part,
    from: &mut AnyConnection,
    to: &mut AnyConnection,
    name: &str,
) -> Result<Copied, StoreError> {
    let was_moved = was_moved(from, name).await?;
    if part == Part::Ledger {
        // What cannot be read is not copied.
        for portal in log::portals(from).await? {
            log::fold(&log::read(from, &portal, None).await?.into_events())?;
        }
    }
    let mut copied = Copied::default();
    for table in TABLES.iter().filter(|table| table.part == part) {
        let rows = table.rows(from).await?;
        let found = table.rows(to).await?;
        if found != rows {
            if !found.is_empty() {
                return Err(StoreError::NotEmpty {
                    name: name.to_owned(),
                    was_moved,
                });
            }
            table.write(to, &rows).await?;
            if table.rows(to).await? != rows {
                return Err(StoreError::Different(table.name));
            }
        }
        match table.name {
            "folder" => copied.folders = rows.len(),
            "file" => copied.files = rows.len(),
            "event" => copied.events = rows.len(),
            _ => {}
        }
    }
    let mark = "UPDATE store SET moved_to = $1 WHERE part = $2";
    query(from, mark, [name.into(), part.as_str().into()]).await?;
    Ok(copied)
}

impl Table {
    /// The rows, in an order of their own: that of an engine depends on its language. Fails for a document that is not JSON.
    async fn rows(&self, connection: &mut AnyConnection) -> Result<Vec<Vec<Value>>, StoreError> {
        let select = format!("SELECT {} FROM {}", self.columns.join(", "), self.name);
        let rows = query(connection, select, []).await?;
        let rows = rows.iter().map(|row| self.values(row));
        let mut rows: Vec<_> = rows.collect::<Result<_, _>>()?;
        rows.sort_unstable();
        Ok(rows)
    }

    fn values(&self, row: &AnyRow) -> Result<Vec<Value>, StoreError> {
        let value = |column: &&str| {
            if NUMBERS.contains(column) {
                return Ok(Value::Integer(row.try_get(*column)?));
            }
            let text: String = row.try_get(*column)?;
            if matches!(*column, "document" | "event") {
                serde_json::from_str::<serde::de::IgnoredAny>(&text)?;
            }
            Ok(Value::Text(text))
        };
        self.columns.iter().map(value).collect()
    }

    async fn write(
        &self,
        connection: &mut AnyConnection,
        rows: &[Vec<Value>],
    ) -> Result<(), StoreError> {
        let columns = self.columns.join(", ");
        let at_once = max_parameters(connection) / self.columns.len();
        for rows in rows.chunks(at_once) {
            Statement::new(&format!("INSERT INTO {} ({columns}) VALUES ", self.name))
                .rows(rows.iter().cloned())
                .fetch(connection)
                .await?;
        }
        Ok(())
    }
}

/// Whether the source was moved to a place before, perhaps not to the end. Fails if it was moved to another one, which would be a second ledger that acts.
async fn was_moved(connection: &mut AnyConnection, to: &str) -> Result<bool, StoreError> {
    let moved = read(connection, "SELECT moved_to FROM store".to_owned()).await?;
    let mut was_moved = false;
    for row in moved {
        let found: Option<String> = row.try_get("moved_to")?;
        was_moved |= found.is_some();
        if let Some(elsewhere) = found.filter(|found| found != to) {
            return Err(StoreError::Moved { to: elsewhere });
        }
    }
    Ok(was_moved)
}
