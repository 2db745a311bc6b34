//! Writes changes to the tables.

use rusqlite::types::Value;

use crate::sql::{Record, SqlError, Transaction, upsert, upsert_statement};
use crate::state::saved::{FileChanges, FolderChange};
use crate::state::tables::{FolderNumber, FolderRows, SlotRow, folder_rows};

/// Writes a change that was made from a version. Returns whether that is the version of the folder.
pub(super) fn write_change(
    transaction: &mut dyn Transaction,
    change: &FolderChange,
    version: i64,
) -> Result<bool, SqlError> {
    let mut columns = FolderRows::columns();
    columns.push("version");
    let mut values = folder_rows(change).values()?;
    values.extend([Value::Integer(version + 1), Value::Integer(version)]);
    let statement = upsert_statement("folder", &["portal", "id"], &columns, 1);
    let statement = format!(
        "{statement} WHERE folder.version = ${} RETURNING number",
        values.len()
    );
    let written = transaction.query(&statement, &values)?;
    let Some(row) = written.first() else {
        return Ok(false);
    };
    let folder: i64 = row.get("number")?;
    let number = [Value::Integer(folder)];
    transaction.execute("DELETE FROM slot WHERE folder = $1", &number)?;
    let slots = change.folder.class_slots.iter();
    let slots = slots.map(|slot| (FolderNumber { folder }, SlotRow::new(slot)));
    upsert(transaction, "slot", &["folder", "class"], slots)?;
    let files = match &change.folder.files {
        FileChanges::Some { changed, forgotten } => {
            for key in forgotten {
                let query = "DELETE FROM file WHERE folder = $1 AND link = $2 AND id = $3";
                let mut values = number.to_vec();
                values.extend(key.values()?);
                transaction.execute(query, &values)?;
            }
            changed
        }
        FileChanges::All(files) => {
            transaction.execute("DELETE FROM file WHERE folder = $1", &number)?;
            files
        }
    };
    let files = files
        .iter()
        .map(|file| (FolderNumber { folder }, file.clone()));
    upsert(transaction, "file", &["folder", "link", "id"], files)?;
    Ok(true)
}
