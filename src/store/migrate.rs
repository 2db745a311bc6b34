//! Moves state and ledger from a folder to PostgreSQL, or back.
//!
//! The copy is read again and compared with the source before it counts. In the same step the source is marked as moved, so that no process that
//! still knows it can use it. A folder is locked meanwhile, and a database in which a process has a lease is refused.

mod error;
mod folder;
mod rows;

use std::time::Duration;

use sqlx::{AnyConnection, Row as _};

use crate::clock::Moment;
use crate::config::SharedState;
use crate::store::clock::StoreClock;
use crate::store::database::Database;
use crate::store::error::StoreError;
use crate::store::ledger::log;
use crate::store::part::Part;
use crate::store::place::{Access, Place};
use crate::store::statement::unnamed;
use crate::store::tables::{SERVER_NOW, rows as read};
use crate::store::worker::block_on;

use folder::NewFiles;
use rows::{TABLES, Table};

pub use error::MigrateError;

/// The clocks of this machine and of the server may differ by this much: the times in a ledger are those of the clock that is used with it.
const MAX_DIFFERENCE: Duration = Duration::from_mins(1);

/// How many rows of each kind were copied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Copied {
    pub folders: u64,
    /// Files that are not done.
    pub files: u64,
    /// Events of the ledger.
    pub events: u64,
}

impl Copied {
    fn count(&mut self, table: &Table, rows: u64) {
        match table.name {
            "folder" => self.folders += rows,
            "file" => self.files += rows,
            "event" => self.events += rows,
            _ => {}
        }
    }

    fn or_empty(self) -> Result<Self, MigrateError> {
        if self == Self::default() {
            return Err(MigrateError::Empty);
        }
        Ok(self)
    }
}

/// Moves everything from the folder to the database. Blocks.
pub fn to_postgres(state: &SharedState) -> Result<Copied, MigrateError> {
    let place = Place::folder(&state.path);
    place.hold_existing()?;
    block_on(async || {
        let [mut state_file, mut ledger_file] =
            Part::ALL.map(|part| Database::new(place.clone(), part, Access::Move));
        let mut server = server(state, Access::Serve).await?;
        let clock = server.clock();
        // The source is marked before the copy is committed: a copy that is cut short in between is made again, and never used beside its source.
        let copy = async |to: &mut AnyConnection| {
            hold(to, &clock).await?;
            let name = name_of_server(to).await?;
            let mut copied = Copied::default();
            let copy_state = async |from: &mut AnyConnection| {
                copy_part(Part::State, from, to, &name, &mut copied).await?;
                let copy_ledger = async |from: &mut AnyConnection| {
                    copy_part(Part::Ledger, from, to, &name, &mut copied).await?;
                    mark(from, Part::Ledger, &name).await
                };
                ledger_file.transaction(copy_ledger).await?;
                mark(from, Part::State, &name).await
            };
            state_file.transaction(copy_state).await?;
            copied.or_empty()
        };
        let copied = server.transaction(copy).await;
        state_file.close().await;
        ledger_file.close().await;
        server.close().await;
        copied
    })
}

/// Moves everything from the database to the folder. Blocks.
pub fn to_folder(state: &SharedState) -> Result<Copied, MigrateError> {
    block_on(async || {
        let mut server = server(state, Access::Move).await.map_err(nothing_there)?;
        let files = NewFiles::create(&state.path)?;
        let clock = server.clock();
        let name = state.path.display().to_string();
        let copy = async |from: &mut AnyConnection| {
            hold(from, &clock).await?;
            let mut copied = Copied::default();
            for part in Part::ALL {
                let mut file = Database::new(files.place(), part, Access::Serve);
                let copy = async |to: &mut AnyConnection| {
                    copy_part(part, from, to, &name, &mut copied).await
                };
                let done = file.transaction(copy).await;
                file.close().await;
                done?;
                mark(from, part, &name).await?;
            }
            copied.or_empty()
        };
        let copied = server.transaction(copy).await;
        server.close().await;
        let copied = copied?;
        files.publish()?;
        Ok(copied)
    })
}

/// How a database in PostgreSQL is called: by the random id that its tables got, since another one may have the same address later.
async fn name_of_server(connection: &mut AnyConnection) -> Result<String, StoreError> {
    let ids = read(connection, "SELECT id FROM store ORDER BY part".to_owned()).await?;
    let first = ids.first().ok_or(StoreError::Missing(Part::Ledger))?;
    let id: &str = first.try_get("id")?;
    Ok(format!(
        "the PostgreSQL database of state.postgres_url_file (id {id})"
    ))
}

/// The database in PostgreSQL, whose tables are there.
async fn server(state: &SharedState, access: Access) -> Result<Database, MigrateError> {
    let place = Place::Server(state.url_file.clone());
    let mut ledger = Database::new(place.clone(), Part::Ledger, access);
    ledger.check_write().await?;
    ledger.close().await;
    let mut server = Database::new(place, Part::State, access);
    server.check_write().await?;
    Ok(server)
}

fn nothing_there(error: MigrateError) -> MigrateError {
    match error {
        MigrateError::Store(StoreError::Missing(_)) => MigrateError::Empty,
        error => error,
    }
}

/// Keeps others from writing until the end of the transaction. Refuses a database that a process uses, and one with another time.
async fn hold(connection: &mut AnyConnection, clock: &StoreClock) -> Result<(), MigrateError> {
    read(connection, "SELECT part FROM store FOR UPDATE".to_owned()).await?;
    let leases = format!(
        "SELECT portal, shard, until - {SERVER_NOW} AS remaining FROM
         (SELECT portal, shard, until FROM lease UNION ALL SELECT portal, shard, until FROM process) AS used
         WHERE until >= {SERVER_NOW} ORDER BY until DESC LIMIT 1"
    );
    if let Some(lease) = read(connection, leases).await?.first() {
        let millis: i64 = lease.try_get("remaining").map_err(StoreError::from)?;
        return Err(MigrateError::DatabaseInUse {
            portal: lease.try_get("portal").map_err(StoreError::from)?,
            shard: lease.try_get("shard").map_err(StoreError::from)?,
            seconds: millis / 1_000 + 1,
        });
    }
    let (server, machine) = (clock.now().wall, Moment::now().wall);
    let difference = server.since(machine).max(machine.since(server));
    if difference > MAX_DIFFERENCE {
        let seconds = difference.as_secs();
        return Err(MigrateError::Clocks { seconds });
    }
    Ok(())
}

/// Copies the tables of a part to a place with a name, and compares both sides. A copy that is there is taken for the one that an earlier try made.
async fn copy_part(
    part: Part,
    from: &mut AnyConnection,
    to: &mut AnyConnection,
    name: &str,
    copied: &mut Copied,
) -> Result<(), MigrateError> {
    let was_moved = was_moved(from, name).await?;
    if part == Part::Ledger {
        // What cannot be read is not copied.
        for portal in log::portals(from).await? {
            log::fold(&log::read(from, &portal, None).await?.into_events())?;
        }
    }
    for table in TABLES.iter().filter(|table| table.part == part) {
        let content = table.content(from).await?;
        let found = table.content(to).await?;
        if found != content {
            if found.rows > 0 && was_moved {
                let to = name.to_owned();
                return Err(MigrateError::AlreadyMoved { to });
            }
            if found.rows > 0 {
                return Err(MigrateError::DatabaseNotEmpty);
            }
            table.copy(from, to).await?;
            if table.content(to).await? != content {
                let table = table.name;
                return Err(MigrateError::Different { table });
            }
        }
        copied.count(table, content.rows);
    }
    Ok(())
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

/// Marks a part as moved: whoever opens it, or writes to it, is told where it went.
async fn mark(connection: &mut AnyConnection, part: Part, to: &str) -> Result<(), MigrateError> {
    let mark = "UPDATE store SET moved_to = $1 WHERE part = $2";
    let mark = unnamed(mark).bind(to.to_owned()).bind(part.as_str());
    mark.execute(connection).await.map_err(StoreError::from)?;
    Ok(())
}
