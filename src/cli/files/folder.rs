//! The failed and flagged files of a folder, of the pages that a count of it reads.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::aggregate::TallyContext;
use crate::classify::{Reason, hide_secrets};
use crate::collect::Settings;
use crate::collect::error::{FetchPage, ReadError};
use crate::collect::full_scan::{Limits, scan_pages};
use crate::collect::progress::Progress;
use crate::collect::sorted::{self, Method};
use crate::config::Strategy;
use crate::count::{Boundaries, FolderCount};
use crate::model::Status;
use crate::portal::{FileRow, Lane, ListedFolder, PageRequest, Session, Sort};

/// Reads the files of a folder, each once. Returns also whether none is missing; if it cannot be read, the files of the pages before.
pub(super) async fn read(
    session: &Session,
    settings: &Settings,
    folder: &ListedFolder,
) -> (Vec<Value>, Result<bool, ReadError>) {
    let (lane, found) = (&Lane::default(), &RefCell::new(BTreeMap::new()));
    let fetch = |page: PageRequest| async move {
        let body = session.page(folder.id, page, lane, Duration::MAX).await;
        let body = body.map_err(ReadError::at(page))?;
        let mut found = found.borrow_mut();
        let rows = body.read(|row| {
            // The last read of a file is the one that counts.
            found.remove(&row.key());
            if row.status().has_reason() {
                found.insert(row.key(), file(settings, folder, &row));
            }
        });
        rows.map_err(ReadError::at(page))?;
        Ok((page, body))
    };
    let is_whole = match count(fetch, settings).await {
        Ok(count) => Ok(is_whole(&count) && count.files.total() >= folder.file_count),
        // The list ends before its total.
        Err(ReadError::Empty { .. }) => Ok(false),
        Err(error) => Err(error),
    };
    (found.take().into_values().collect(), is_whole)
}

/// Counts the folder by its order, or by all pages where the order breaks or cannot show all rows.
async fn count(fetch: impl FetchPage, settings: &Settings) -> Result<FolderCount, ReadError> {
    let collect = &settings.collect;
    let in_flight = collect.concurrency.get();
    let context = TallyContext {
        classifier: Arc::clone(&settings.classifier),
        ..TallyContext::default()
    };
    if collect.strategy != Strategy::Full {
        let method = Method {
            in_flight,
            hints: &Boundaries::default(),
            is_walk: true,
            context: &context,
        };
        match sorted::count(&fetch, method).await {
            Ok(sorted) if is_whole(&sorted.count) => return Ok(sorted.count),
            Ok(_) | Err(ReadError::Unsorted { .. } | ReadError::Moving) => {}
            Err(error) => return Err(error),
        }
    }
    let limits = Limits {
        in_flight,
        max_pages: collect.max_pages_per_folder.get(),
    };
    let progress = Progress::default();
    let scan = scan_pages(fetch, Sort::Filename, limits, context, &progress);
    scan.await.map(|(count, _)| count)
}

/// Whether every failed and flagged file was read.
fn is_whole(count: &FolderCount) -> bool {
    let mut statuses = Status::WITH_REASON.into_iter();
    count.consistent && statuses.all(|status| count.whole[status])
}

fn file(settings: &Settings, folder: &ListedFolder, row: &FileRow<'_>) -> Value {
    let (text, name) = (row.reason(), row.filename());
    let text = text.as_deref();
    let reason = Reason { text, file: &name };
    json!({
        "folder": null,
        "name": name,
        "status": row.status().as_str(),
        "class": settings.classifier.classify(reason).as_str(),
        "reason": hide_secrets(text.unwrap_or_default()),
        "created": row.created_at().map(|created| created.to_string()),
        "portal": settings.portal.name.as_str(),
        "folder_id": folder.id.to_string(),
    })
}
