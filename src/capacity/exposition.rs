//! The size of an exposition, by one of made-up folders.

use std::collections::BTreeMap;
use std::io;
use std::num::NonZeroU16;
use std::sync::Arc;
use std::time::{Duration, Instant};

use uuid::Uuid;

use super::float;
use super::folders::{Alike, Folders};
use crate::classify::{Class, ErrorRow};
use crate::config::{BaseUrl, KeySource, Portal};
use crate::count::Way;
use crate::history::{FolderCounters, FullRead, IndexingTimes};
use crate::metrics::{self, FactsSize};
use crate::model::{ByStatus, FolderName, Moment, PortalName, Status, Timestamp};
use crate::snapshot::{Counts, FolderState, FolderView, PortalView, Snapshot};

/// Folders of the smaller one of two expositions; the other has twice as many.
const SAMPLE: u64 = 64;

/// Error classes of a folder with failed files, at most: as many as `errors.max_classes_per_folder` allows by default.
const CLASSES: u64 = 10;

/// Any time, in milliseconds since 1970, so that each rendering has the same size.
const NOW: i64 = 1_772_366_400_123;

/// The odd number that is nearest to 2^128 divided by the golden ratio: its multiples are spread as ids are.
const SPREAD: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;

/// The series of the folders.
pub(super) struct Exposition {
    pub series: f64,
    pub text_bytes: f64,
    pub gzip_bytes: f64,
}

impl Exposition {
    /// Renders some folders of each kind, and multiplies what each adds.
    pub fn of(folders: &Folders) -> io::Result<Self> {
        let mut sum = Self {
            series: 0.0,
            text_bytes: 0.0,
            gzip_bytes: 0.0,
        };
        for alike in [folders.with_failed, folders.without] {
            let [few, many] = [SAMPLE, 2 * SAMPLE].map(|folders| size(alike, folders));
            let (few, many) = (few?, many?);
            let times = alike.folders / float(SAMPLE);
            sum.series += times * float(many.series - few.series);
            sum.text_bytes += times * float(many.text_bytes - few.text_bytes);
            sum.gzip_bytes += times * float(many.gzip_bytes - few.gzip_bytes);
        }
        Ok(sum)
    }

    /// The time between two renderings of the part of one process, in seconds.
    pub fn rendering_seconds(&self, shards: NonZeroU16) -> f64 {
        let shards = f64::from(shards.get());
        metrics::rendering_gap(self.series / shards, self.text_bytes / shards).as_secs_f64()
    }
}

fn size(alike: Alike, folders: u64) -> io::Result<FactsSize> {
    let name = PortalName::new("main").ok_or(io::ErrorKind::InvalidInput)?;
    let address = BaseUrl::parse("https://portal.example").map_err(io::Error::other)?;
    let portal = Portal::new(name, address, KeySource::Environment("KEY".to_owned()));
    let now = Moment {
        wall: Timestamp::from_millis(NOW),
        steady: Instant::now(),
    };
    let folders = (1..=folders).map(|number| Arc::new(folder(alike, number, now)));
    let view = PortalView {
        folders: folders.map(|folder| (folder.id, folder)).collect(),
        stale_after: Duration::MAX,
        ..PortalView::unasked(&portal)
    };
    let snapshot = Snapshot {
        portals: vec![Arc::new(view)],
        reindex: BTreeMap::new(),
    };
    metrics::facts_size(&snapshot, now)
}

/// A folder that was counted twice and audited, and whose files were processed.
fn folder(alike: Alike, number: u64, now: Moment) -> FolderView {
    let is_failed = |status| status == Status::Failed;
    let counts = Counts {
        files: alike.counts(),
        errors: errors(alike),
        oldest: ByStatus::from_fn(|status| {
            (is_failed(status) && alike.failed > 0).then_some(now.wall)
        }),
        consistent: true,
        counted: now,
        duration: Duration::from_micros(12_345 + number % 1_000),
        requests: 3,
        way: Way::Sorted,
        interval: Some(Duration::from_micros(60_012_345 + number % 1_000)),
    };
    let mut indexing = IndexingTimes::default();
    indexing.observe(Duration::from_secs(number));
    FolderView {
        id: Uuid::from_u128(SPREAD.wrapping_mul(number.into())).into(),
        name: FolderName::new(&format!("Folder of documents {number}")),
        reported_files: Some(alike.files),
        state: FolderState::Counted,
        counts: Some(Arc::new(counts)),
        last_success: Some(now.wall),
        full_read: Some(FullRead {
            at: now.wall,
            sizes: ByStatus::default(),
        }),
        full_read_difference: Some(ByStatus::default()),
        large_scan_pages: None,
        counters: Some(Arc::new(FolderCounters {
            entries: alike.counts(),
            indexing,
        })),
    }
}

fn errors(alike: Alike) -> Vec<ErrorRow> {
    let classes = alike.failed.min(CLASSES);
    let row = |number| ErrorRow {
        status: Status::Failed,
        class: Class::Text(format!("conversion failed for reason {number}").into()),
        files: alike.failed.div_ceil(classes),
        example: None,
    };
    (0..classes).map(row).collect()
}
