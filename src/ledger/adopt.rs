//! Moves what versions before 4 wrote under the configured name of a portal to the portal with that address.

use rusqlite::types::Value;

use crate::ledger::Addresses;
use crate::ledger::error::LedgerError;
use crate::ledger::folder::Totals;
use crate::sql::{Record, Transaction, to_value};

/// The steps for a name (`$1`) and its address (`$2`), which another name may have had before.
const STEPS: [&str; 8] = [
    "INSERT INTO portal (address, met) SELECT $2, met FROM portal WHERE address = $1
     ON CONFLICT (address) DO UPDATE SET met = min(met, excluded.met)",
    "DELETE FROM portal WHERE address = $1",
    "UPDATE attempt SET folder = other.number FROM folder AS gone
     JOIN folder AS other ON other.id = gone.id AND other.portal = $2
     WHERE gone.number = attempt.folder AND gone.portal = $1",
    "INSERT INTO tries (folder, link, id, attempts)
     SELECT other.number, tries.link, tries.id, tries.attempts FROM tries
     JOIN folder AS gone ON gone.number = tries.folder AND gone.portal = $1
     JOIN folder AS other ON other.id = gone.id AND other.portal = $2
     WHERE true
     ON CONFLICT (folder, link, id) DO UPDATE SET attempts = attempts + excluded.attempts",
    "DELETE FROM folder WHERE portal = $1 AND id IN (SELECT id FROM folder WHERE portal = $2)",
    "UPDATE folder SET portal = $2 WHERE portal = $1",
    "INSERT INTO class (portal, name, recovered, refailed)
     SELECT $2, name, recovered, refailed FROM class WHERE portal = $1
     ON CONFLICT (portal, name) DO UPDATE
     SET recovered = recovered + excluded.recovered, refailed = refailed + excluded.refailed",
    "DELETE FROM class WHERE portal = $1",
];

/// Replaces each name by its address. Where two names have one address, what was written under both is added up.
pub(super) fn by_address(
    transaction: &mut dyn Transaction,
    addresses: &Addresses,
) -> Result<(), LedgerError> {
    for (name, address) in addresses {
        let add_counters = add_counters();
        let values = [Value::Text(name.as_str().to_owned()), to_value(address)?];
        for step in std::iter::once(add_counters.as_str()).chain(STEPS) {
            let wanted = if step.contains("$2") { 2 } else { 1 };
            transaction.execute(step, &values[..wanted])?;
        }
    }
    Ok(())
}

/// Adds the counters of folders that are there twice.
fn add_counters() -> String {
    let sums = Totals::columns().into_iter();
    let sums: Vec<_> = sums
        .map(|column| format!("{column} = folder.{column} + gone.{column}"))
        .collect();
    format!(
        "UPDATE folder SET {} FROM folder AS gone
         WHERE gone.portal = $1 AND gone.id = folder.id AND folder.portal = $2",
        sums.join(", ")
    )
}
