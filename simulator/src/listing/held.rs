//! The list of a folder that holds its files.

use std::borrow::Cow;

use super::order::{Key, Sorted, rank};
use super::{Row, SortBy};
use crate::folder::Folder;
use crate::status::Status;
use crate::world::World;

/// Files of a folder, sorted.
pub(super) struct Held<'a> {
    world: &'a World,
    folder: &'a Folder,
    by: SortBy,
    /// Keys of links, ascending, in runs.
    runs: Vec<Cow<'a, [usize]>>,
}

impl<'a> Held<'a> {
    pub fn new(world: &'a World, folder: &'a Folder, by: SortBy) -> Self {
        let mut held = Self {
            world,
            folder,
            by,
            runs: Vec::new(),
        };
        held.runs = match by {
            SortBy::IndexStatus => {
                let mut runs: Vec<_> = folder.by_status().iter().collect();
                runs.sort_by_key(|(status, _)| rank(&world.options.switches, status));
                runs.into_iter().map(|(_, run)| run.into()).collect()
            }
            SortBy::Filename => vec![folder.by_name().into()],
            SortBy::Creation | SortBy::FilenameWithoutCase => {
                let mut links = folder.by_name().to_vec();
                links.sort_by_cached_key(|&link| held.key_of(link));
                vec![links.into()]
            }
        };
        held
    }

    /// Those that have a text in their name. Case does not matter, which is not documented.
    pub fn with(mut self, text: &str) -> Self {
        if !text.is_empty() {
            let text = text.to_lowercase();
            let name = |link: usize| &self.folder.link(link).filename;
            let has = |&link: &usize| name(link).to_lowercase().contains(&text);
            for run in &mut self.runs {
                *run = run.iter().copied().filter(has).collect();
            }
        }
        self
    }

    fn key_of(&self, link: usize) -> Key<'a> {
        let link = self.folder.link(link);
        match self.by {
            SortBy::Filename => Key::Name(Cow::Borrowed(&link.filename)),
            SortBy::FilenameWithoutCase => Key::Name(link.filename.to_lowercase().into()),
            SortBy::Creation => Key::Created(link.created),
            SortBy::IndexStatus => {
                let status = link.indexed.as_ref().unwrap_or(&Status::Null);
                Key::Status(rank(&self.world.options.switches, status))
            }
        }
    }

    fn link(&self, mut at: usize) -> Option<usize> {
        for run in &self.runs {
            match run.get(at) {
                Some(link) => return Some(*link),
                None => at -= run.len(),
            }
        }
        None
    }
}

impl<'a> Sorted<'a> for Held<'a> {
    fn len(&self) -> usize {
        self.runs.iter().map(|run| run.len()).sum()
    }

    fn key(&self, at: usize) -> Option<Key<'a>> {
        self.link(at).map(|link| self.key_of(link))
    }

    fn row(&self, at: usize) -> Option<Row<'a>> {
        let link = self.folder.link(self.link(at)?);
        let document = (!link.gone).then(|| &self.world.documents[link.document])?;
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
