//! Requests to forgive, from a process that does not hold the ledger.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, params};

use crate::ledger::error::LedgerError;
use crate::ledger::forgive::Forgiveness;
use crate::ledger::{database, schema};
use crate::model::PortalAddress;

/// How long another process may write before this one gives up.
const PATIENCE: Duration = Duration::from_secs(10);

/// Writes a request for the program that holds the ledger of a state folder. Needs no lock, blocks.
///
/// Fails where there is no ledger, or one of another version.
pub fn ask_to_forgive(
    folder: &Path,
    portal: &PortalAddress,
    forgiveness: &Forgiveness,
) -> Result<(), LedgerError> {
    let path = database::path_in(folder);
    if !path.exists() {
        return Err(LedgerError::Missing { path });
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(&path, flags)?;
    connection.busy_timeout(PATIENCE)?;
    let found = schema::known_version(&connection, &path)?;
    if found != schema::VERSION {
        return Err(LedgerError::Older { path });
    }
    schema::configure(&connection)?;
    let (kind, target) = forgiveness.what.words();
    let (portal, at) = (portal.as_str(), forgiveness.at.as_millis());
    connection.execute(
        "INSERT INTO forgiven (portal, at, kind, target) VALUES (?1, ?2, ?3, ?4)",
        params![portal, at, kind, target],
    )?;
    Ok(())
}
