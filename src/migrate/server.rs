//! The tables in PostgreSQL.

use std::time::Duration;

use crate::clock::Moment;
use crate::config::HiddenPath;
use crate::ledger::transfer;
use crate::migrate::error::MigrateError;
use crate::migrate::part::Part;
use crate::sql::{Database, Postgres, Transaction, keep_others_from_writing};

/// The clocks of this machine and of the server may differ by this much: the times in a ledger are those of the clock that is used with it.
const MAX_DIFFERENCE: Duration = Duration::from_mins(1);

/// Whether the database has the tables of both parts.
pub(super) fn has_tables(url_file: &HiddenPath) -> Result<bool, MigrateError> {
    for part in Part::ALL {
        if !Postgres::new(url_file, part.schema()).has_tables()? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Connects, and makes the tables of both parts if they are missing.
pub(super) fn connect(url_file: &HiddenPath) -> Result<Database, MigrateError> {
    Postgres::new(url_file, Part::Ledger.schema()).connect()?;
    Ok(Database::on_server(url_file, Part::Ledger.schema()))
}

/// Keeps others from writing to both parts until the end of the transaction. Refuses a database that a process uses, and one with another time.
pub(super) fn hold(transaction: &mut dyn Transaction) -> Result<(), MigrateError> {
    select_schema(transaction, Part::Ledger)?;
    // First, so that no process begins to use the database after the question.
    keep_others_from_writing(transaction, &transfer::LEASES)?;
    if let Some(lease) = transfer::held_lease(transaction)? {
        return Err(MigrateError::DatabaseInUse {
            portal: lease.portal,
            shard: lease.shard,
            seconds: lease.left.as_secs() + 1,
        });
    }
    let (server, machine) = (transfer::server_time(transaction)?, Moment::now().wall);
    let difference = server.since(machine).max(machine.since(server));
    if difference > MAX_DIFFERENCE {
        let seconds = difference.as_secs();
        return Err(MigrateError::Clocks { seconds });
    }
    for part in Part::ALL {
        select_schema(transaction, part)?;
        keep_others_from_writing(transaction, part.tables())?;
    }
    Ok(())
}

/// Lets names of tables mean those of a part.
pub(super) fn select_schema(
    transaction: &mut dyn Transaction,
    part: Part,
) -> Result<(), MigrateError> {
    let schema = part.schema().name;
    transaction.execute(&format!("SET LOCAL search_path TO {schema}"), &[])?;
    Ok(())
}
