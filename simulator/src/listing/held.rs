//! The list of a folder that holds its files.

use std::borrow::Cow;

use super::order::{Key, Sorted, rank};
use super::{Row, SortBy};
use crate::document::Document;
use crate::folder::{Folder, Link};
use crate::world::World;

/// Files of a folder, sorted.
pub(super) struct Held<'a> {
    world: &'a World,
    folder: &'a Folder,
    by: SortBy,
    /// Keys of links, ascending.
    links: Cow<'a, [usize]>,
}

impl<'a> Held<'a> {
    pub fn new(world: &'a World, folder: &'a Folder, by: SortBy) -> Self {
        let links = match by {
            SortBy::IndexStatus => folder.by_status(),
            SortBy::Filename | SortBy::Creation | SortBy::FilenameWithoutCase => folder.by_name(),
        };
        let mut held = Self {
            world,
            folder,
            by,
            links: links.into(),
        };
        if matches!(by, SortBy::Creation | SortBy::FilenameWithoutCase) {
            let mut links = links.to_vec();
            links.sort_by_cached_key(|&link| held.key_of(link));
            held.links = links.into();
        }
        held
    }

    /// Those that have a text in their name. Case does not matter, which is not documented.
    pub fn with(mut self, text: &str) -> Self {
        if !text.is_empty() {
            let text = text.to_lowercase();
            let has = |&link: &usize| self.file(link).0.filename.to_lowercase().contains(&text);
            self.links = self.links.iter().copied().filter(has).collect();
        }
        self
    }

    fn key_of(&self, link: usize) -> Key<'a> {
        let (link, document) = self.file(link);
        match self.by {
            SortBy::Filename => Key::Name(Cow::Borrowed(&link.filename)),
            SortBy::FilenameWithoutCase => Key::Name(link.filename.to_lowercase().into()),
            SortBy::Creation => Key::Created(link.created),
            SortBy::IndexStatus => {
                Key::Status(rank(&self.world.options.switches, &document.status))
            }
        }
    }

    fn file(&self, link: usize) -> (&'a Link, &'a Document) {
        let link = self.folder.link(link);
        (link, &self.world.documents[link.document])
    }
}

impl<'a> Sorted<'a> for Held<'a> {
    fn len(&self) -> usize {
        self.links.len()
    }

    fn key(&self, at: usize) -> Option<Key<'a>> {
        self.links.get(at).map(|&link| self.key_of(link))
    }

    fn row(&self, at: usize) -> Option<Row<'a>> {
        let (link, document) = self.file(*self.links.get(at)?);
        Some(Row {
            link_id: link.id,
            id: document.id,
            filename: Cow::Borrowed(&link.filename),
            file_size: document.size,
            mime_type: document.format.mime,
            index_status: &document.status,
            index_error: document.error.as_deref().map(Cow::Borrowed),
            created_at: link.created,
        })
    }
}
