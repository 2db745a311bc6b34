//! What refutes that portals sort by status, in the state file.

use rusqlite::{Connection, params};

use crate::model::{FolderId, PortalAddress, PortalName};
use crate::state::{SavedRefutation, StateError};

/// Reads what refutes the sorting of portals, by their names.
pub(super) fn load(
    connection: &Connection,
    portal: Option<&str>,
) -> Result<Vec<(String, SavedRefutation)>, StateError> {
    let mut refutations = connection.prepare(
        "SELECT portal, address, folder, pages FROM refutation WHERE portal = coalesce(?1, portal)",
    )?;
    let mut rows = refutations.query([portal])?;
    let mut loaded = Vec::new();
    while let Some(row) = rows.next()? {
        let (address, folder, pages): (String, String, String) =
            (row.get(1)?, row.get(2)?, row.get(3)?);
        let refutation = SavedRefutation {
            address: PortalAddress::from(address.as_str()),
            folder: FolderId::parse(&folder).ok_or(StateError::Content("a folder's id"))?,
            pages: serde_json::from_str(&pages).map_err(|_| StateError::Content("pages"))?,
        };
        loaded.push((row.get(0)?, refutation));
    }
    Ok(loaded)
}

/// Writes what refutes the sorting of a portal, or that nothing does.
pub(super) fn write(
    connection: &Connection,
    portal: &PortalName,
    refutation: Option<&SavedRefutation>,
) -> Result<(), StateError> {
    let Some(refutation) = refutation else {
        connection.execute(
            "DELETE FROM refutation WHERE portal = ?1",
            [portal.as_str()],
        )?;
        return Ok(());
    };
    let pages =
        serde_json::to_string(&refutation.pages).map_err(|_| StateError::Content("pages"))?;
    connection.execute(
        "INSERT INTO refutation (portal, address, folder, pages) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (portal) DO UPDATE
         SET address = excluded.address, folder = excluded.folder, pages = excluded.pages",
        params![
            portal.as_str(),
            refutation.address.as_str(),
            refutation.folder.to_string(),
            pages
        ],
    )?;
    Ok(())
}
