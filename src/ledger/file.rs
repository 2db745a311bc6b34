//! The ledger file: one process has it, and its times follow the clock of the machine.

use rusqlite::types::Value;

use crate::ledger::clock;
use crate::ledger::error::LedgerError;
use crate::ledger::load::{self, Views};
use crate::ledger::schema;
use crate::model::Timestamp;
use crate::sql::{Database, to_value};

/// The name of the file in the state folder.
pub const FILE_NAME: &str = "ledger.db";

/// Moves every time with a clock that was set by `step` milliseconds, and reads everything again. `moved`: by how many milliseconds all
/// times were moved forward before.
pub(super) fn clock_was_set(
    sql: &mut Database,
    moved: &mut i64,
    step: i64,
    now: Timestamp,
) -> Result<Views, LedgerError> {
    let (views, by) = sql.transaction(|transaction| {
        let before = load::load(transaction)?;
        let newest = before.portals.values().map(|view| view.latest()).max();
        let was_behind = newest > Some(now.moved(-step));
        let by = clock::follow(step, *moved, was_behind);
        for (table, column) in schema::TIMES {
            let statement = format!("UPDATE {table} SET {column} = {column} + $1");
            transaction.execute(&statement, &[Value::Integer(by)])?;
        }
        let update = "UPDATE ledger SET moved = moved + $1, clock_set = $2";
        transaction.execute(update, &[Value::Integer(by), to_value(&now)?])?;
        Ok::<_, LedgerError>((load::load(transaction)?, by))
    })?;
    *moved += by;
    Ok(views)
}
