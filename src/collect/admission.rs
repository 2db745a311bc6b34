//! Which folders of a list are collected: pure.

use crate::collect::settings::Settings;
use crate::portal::{ListedFolder, Listing};
use crate::snapshot::ListFacts;

pub struct Admission<'a> {
    /// The folders that this process collects.
    pub folders: Vec<&'a ListedFolder>,
    pub facts: ListFacts,
}

/// Admits the folders that the configuration names, up to its limit.
///
/// The oldest folders come first. So every process, with any history and any order of the portal's list,
/// admits the same ones, and a new folder displaces none.
pub fn admit<'a>(listing: &'a Listing, settings: &Settings) -> Admission<'a> {
    let Settings {
        portal, collect, ..
    } = settings;
    let is_named = |listed: &&ListedFolder| portal.folders.admits(listed.id, listed.name.label());
    let mut folders: Vec<_> = listing.folders.iter().filter(is_named).collect();
    folders.sort_by_key(|listed| (listed.created_at.is_none(), listed.created_at, listed.id));
    let named = folders.iter();
    let named: Vec<_> = named
        .map(|listed| (listed.id, listed.name.label()))
        .collect();
    let no_match = portal.folders.unmatched(&named);
    let beyond_limit = folders.len().saturating_sub(collect.max_folders);
    folders.truncate(collect.max_folders);
    Admission {
        folders,
        facts: ListFacts {
            folders: listing.folders.len(),
            max_folders: beyond_limit as u64,
            no_match,
            invalid_row: listing.invalid_rows as u64,
            list_incomplete: listing.missing_rows,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{self, Config};
    use crate::model::{FolderName, Timestamp};

    /// Folders with these numbers, created at these times, as a portal lists them.
    fn listing(folders: &[(u128, Option<i64>)]) -> Listing {
        let listed = |(number, created): &(u128, Option<i64>)| ListedFolder {
            id: uuid::Uuid::from_u128(*number).into(),
            name: FolderName::new(&format!("Folder {number}")),
            file_count: 0,
            created_at: created.map(Timestamp::from_millis),
            updated_at: None,
        };
        Listing {
            folders: folders.iter().map(listed).collect(),
            invalid_rows: 0,
            missing_rows: 0,
            date: None,
        }
    }

    fn settings(max_folders: usize) -> Settings {
        let portal = config::testing::portal("main", "http://127.0.0.1", "key");
        let mut config = Config::for_portal(portal.clone());
        config.collect.max_folders = max_folders;
        Settings::new(&portal, &config)
    }

    fn names(admission: &Admission<'_>) -> Vec<String> {
        let names = admission.folders.iter();
        names.map(|listed| listed.name.to_string()).collect()
    }

    #[test]
    fn the_oldest_folders_are_admitted_in_whatever_order_they_are_listed() {
        let mut folders = [(1, None), (2, Some(30)), (3, Some(10)), (4, Some(10))];
        let settings = settings(3);
        for _ in 0..folders.len() {
            folders.rotate_left(1);
            let listing = listing(&folders);
            let admission = admit(&listing, &settings);
            assert_eq!(names(&admission), ["Folder 3", "Folder 4", "Folder 2"]);
            assert_eq!(admission.facts.max_folders, 1);
        }
    }
}
