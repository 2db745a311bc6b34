//! The state as `crate::migrate` copies it.

use std::collections::BTreeSet;

use crate::sql::{SqlError, Table, Transaction};
use crate::state::load::{Saved, Versions, load};
use crate::state::saved::SavedPortal;

/// The tables, each after those that it refers to.
pub(crate) const TABLES: [Table; 5] = [
    Table::new("portal", &["name"]),
    Table::new("refutation", &["portal"]),
    Table::numbered("folder", &["number"]),
    Table::new("file", &["folder", "link", "id"]),
    Table::new("slot", &["folder", "class"]),
];

/// Reads both sides as the program does, and says what is not the same.
pub(crate) fn difference(
    one: &mut dyn Transaction,
    other: &mut dyn Transaction,
) -> Result<Option<String>, SqlError> {
    let one = load(one)?;
    let other = load(other)?;
    if one == other {
        return Ok(None);
    }
    let names: BTreeSet<&String> = one.0.keys().chain(other.0.keys()).collect();
    let what = names
        .into_iter()
        .find_map(|name| difference_of(name, &one, &other));
    Ok(Some(what.unwrap_or_else(|| "the portals".to_owned())))
}

fn difference_of(name: &str, one: &(Saved, Versions), other: &(Saved, Versions)) -> Option<String> {
    let (of_one, of_other) = (one.0.get(name), other.0.get(name));
    if of_one == of_other && one.1.get(name) == other.1.get(name) {
        return None;
    }
    let none = SavedPortal::default();
    let (of_one, of_other) = (of_one.unwrap_or(&none), of_other.unwrap_or(&none));
    let mut ids = of_one.folders.keys().chain(of_other.folders.keys());
    let folder = ids.find(|id| of_one.folders.get(id) != of_other.folders.get(id));
    Some(folder.map_or_else(
        || format!("the portal {name}"),
        |folder| format!("the folder {folder} of the portal {name}"),
    ))
}
