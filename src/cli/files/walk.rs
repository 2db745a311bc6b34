//! Reads the failed and flagged files of a folder. In the order of status, files that are done lie together, so that its list is read from
//! both ends until a page is all `done`. Where the order breaks, all pages are read.

use std::collections::HashSet;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::classify::{Classifier, Reason, hide_secrets};
use crate::collect::layout::comes_again;
use crate::config::{Collect, Strategy};
use crate::model::{FileKey, PortalName, Status, StatusWord};
use crate::portal::{FileRow, Files, Lane, ListedFolder, PageRequest, Session};

/// Why files of a folder that was read may be missing.
pub(super) const WHY_MISSING: &str = "the folder changed while it was read, or its list has fewer files than it says, or repeats some; with collect.strategy full, every page is read";

/// Reads the folders of one portal, one after the other.
pub(super) struct Reader<'a> {
    pub portal: &'a PortalName,
    pub session: &'a Session,
    pub collect: &'a Collect,
    pub classifier: &'a Classifier,
}

impl Reader<'_> {
    /// Adds the failed and flagged files of a folder, each once. Returns whether none is missing.
    pub async fn read(&self, folder: &ListedFolder, files: &mut Vec<Value>) -> Result<bool> {
        let lane = Lane::default();
        let mut walk = Walk {
            reader: self,
            folder,
            source: self.session.files(folder.id, &lane),
            files,
            seen: HashSet::new(),
        };
        walk.read().await
    }

    fn file(&self, folder: &ListedFolder, row: &FileRow<'_>) -> Value {
        let (text, name) = (row.reason(), row.filename());
        let text = text.as_deref();
        let reason = Reason { text, file: &name };
        json!({
            "folder": folder.name.label(),
            "name": name,
            "status": row.status().as_str(),
            "class": self.classifier.classify(reason).as_str(),
            "reason": hide_secrets(text.unwrap_or_default()),
            "created": row.created_at().map(|created| created.to_string()),
            "portal": self.portal.as_str(),
            "folder_id": folder.id.to_string(),
        })
    }
}

/// The read of one folder.
struct Walk<'a> {
    reader: &'a Reader<'a>,
    folder: &'a ListedFolder,
    source: Files<'a>,
    files: &'a mut Vec<Value>,
    /// The failed and flagged files that were added.
    seen: HashSet<FileKey>,
}

/// What is kept of a page.
#[derive(Default, PartialEq)]
struct Page {
    total: u64,
    keys: Vec<FileKey>,
    /// The statuses of its rows, one of each run.
    statuses: Vec<StatusWord>,
}

impl Page {
    fn is_done(&self) -> bool {
        self.statuses == [StatusWord::from(Status::Done)]
    }
}

/// The pages of a list that were read, from its first one on.
#[derive(Default)]
struct Part {
    total: u64,
    /// Rows of the first page.
    page_size: u64,
    keys: HashSet<FileKey>,
    statuses: Vec<StatusWord>,
    /// Whether each page had the rows that it should have, none twice, and nothing moved.
    is_whole: bool,
}

impl Part {
    fn has_all(&self) -> bool {
        self.keys.len() as u64 == self.total
    }

    /// How many rows a page should have.
    fn rows_of(&self, page: u64) -> u64 {
        let before = (page - 1).saturating_mul(self.page_size);
        self.total.saturating_sub(before).min(self.page_size)
    }
}

/// Whether files of one status lie together in a list that was read from both ends.
fn is_sorted(front: &Part, back: &Part) -> bool {
    let statuses = front.statuses.iter().chain(back.statuses.iter().rev());
    !comes_again(statuses)
}

impl Walk<'_> {
    /// Returns whether no file is missing.
    async fn read(&mut self) -> Result<bool> {
        let is_less = |part: &Part| part.total < self.folder.file_count;
        if self.reader.collect.strategy != Strategy::Full {
            let front = self.part(PageRequest::by_status, Page::is_done).await?;
            if front.has_all() {
                return Ok(front.is_whole && !is_less(&front));
            }
            let from_end = |page| PageRequest::by_status(page).descending();
            let back = self.part(from_end, Page::is_done).await?;
            if is_sorted(&front, &back) {
                let is_whole = front.is_whole && back.is_whole && front.total == back.total;
                let ends = self.ends(&front).await;
                return Ok(is_whole && ends && !is_less(&front));
            }
        }
        let all = self.part(PageRequest::by_name, |_| false).await?;
        Ok(all.is_whole && !is_less(&all))
    }

    /// Whether a list ends where its total says.
    async fn ends(&mut self, part: &Part) -> bool {
        let last = part.total.div_ceil(part.page_size.max(1));
        let page = self.page(PageRequest::by_status(last)).await;
        page.is_ok_and(|page| page.keys.len() as u64 == part.rows_of(last))
    }

    /// Reads a list until a page is the last one that is wanted, or the list ends.
    async fn part(
        &mut self,
        request: impl Fn(u64) -> PageRequest,
        is_last: impl Fn(&Page) -> bool,
    ) -> Result<Part> {
        let mut part = Part {
            is_whole: true,
            ..Part::default()
        };
        let mut number = 1;
        loop {
            let page = self.page(request(number)).await?;
            let rows = page.keys.len() as u64;
            if number == 1 {
                (part.total, part.page_size) = (page.total, rows);
            }
            let known = part.keys.len() as u64;
            part.keys.extend(&page.keys);
            part.statuses.extend(&page.statuses);
            let has_repeated = part.keys.len() as u64 != known + rows;
            part.is_whole &= page.total == part.total && !has_repeated;
            part.is_whole &= rows == part.rows_of(number);
            if is_last(&page) {
                // A file that entered or left what was read has moved the rows of this page.
                part.is_whole &= self.page(request(number)).await? == page;
                break;
            }
            if rows == 0 || part.rows_of(number + 1) == 0 {
                break;
            }
            if number == self.reader.collect.max_pages_per_folder.get() {
                bail!("it has more pages than collect.max_pages_per_folder");
            }
            number += 1;
        }
        Ok(part)
    }

    /// Reads a page, and adds its failed and flagged files.
    async fn page(&mut self, request: PageRequest) -> Result<Page> {
        let body = self.source.page(request).await;
        let body = body.with_context(|| request.to_string())?;
        let mut page = Page::default();
        let read = body.read(|row| {
            page.keys.push(row.key());
            page.statuses.push(row.word());
            if row.status().has_reason() && self.seen.insert(row.key()) {
                self.files.push(self.reader.file(self.folder, &row));
            }
        })?;
        page.statuses.dedup();
        page.total = read.pagination.total;
        Ok(page)
    }
}
