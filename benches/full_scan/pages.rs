//! Reads pages from memory: what decoding and tallying cost without HTTP.

use std::time::Duration;

use anyhow::{Result, ensure};
use kb_exporter::aggregate::{Tally, TallyContext};
use kb_exporter::portal::PageBody;
use rustix::time::{ClockId, clock_gettime};
use serde_json::json;
use uuid::Uuid;

use crate::figures::Measured;
use crate::run::Cost;
use crate::{FILES, RUNS};

/// Rows of a page.
pub const PAGE_ROWS: u32 = 100;

/// Measures how long the pages of a folder take whose files are all done, or all failed for reasons that differ in a number.
pub fn measure(failed: bool) -> Result<Measured> {
    let pages: Vec<_> = (1..=FILES / PAGE_ROWS)
        .map(|number| page(number, failed))
        .collect();
    let costs = (0..RUNS).map(|_| read(&pages)).collect::<Result<_>>()?;
    let name = if failed {
        "decode and tally, failed"
    } else {
        "decode and tally, done"
    };
    Ok(Measured { name, costs })
}

fn read(pages: &[PageBody]) -> Result<Cost> {
    let begun = processor_time()?;
    let mut tally = Tally::new(TallyContext::default());
    for body in pages {
        body.read(|row| tally.add(&row))?;
    }
    let rows = tally.rows();
    let distinct = tally.finish().consistent;
    let processor = processor_time()?.saturating_sub(begun);
    let read = distinct && rows == u64::from(FILES);
    ensure!(read, "the files were not read");
    // It has no process of its own.
    let peak_bytes = 0;
    Ok(Cost {
        processor,
        peak_bytes,
    })
}

/// What this thread has used so far.
fn processor_time() -> Result<Duration> {
    Ok(Duration::try_from(clock_gettime(ClockId::ThreadCPUTime))?)
}

fn page(page: u32, failed: bool) -> PageBody {
    let first = (page - 1) * PAGE_ROWS;
    let rows: Vec<_> = (first..first + PAGE_ROWS)
        .map(|number| row(number, failed))
        .collect();
    let rows = rows.join(",");
    let pages = FILES / PAGE_ROWS;
    // By hand, in the order of the interface: a JSON object would sort its keys.
    let body = format!(
        r#"{{"data":[{rows}],"pagination":{{"page":{page},"pageSize":{PAGE_ROWS},"total":{FILES},"totalPages":{pages}}}}}"#
    );
    PageBody::new(body.into_bytes())
}

fn row(number: u32, failed: bool) -> String {
    let id = |kind: &str| Uuid::new_v5(&Uuid::NAMESPACE_OID, format!("{kind} {number}").as_bytes());
    let (link, id) = (id("link"), id("file"));
    let status = if failed { "failed" } else { "done" };
    let error = json!(failed.then(|| reason(number)));
    format!(
        r#"{{"linkId":"{link}","id":"{id}","filename":"Report on the year {number:06}.pdf","fileSize":{number},"mimeType":"application/pdf","indexStatus":"{status}","indexError":{error},"createdAt":"2026-03-01T10:20:30.456Z"}}"#
    )
}

/// Reasons as a document pipeline gives them.
fn reason(number: u32) -> String {
    match number % 3 {
        0 => format!("pdf parse error: invalid xref table at offset {number}"),
        1 => format!(
            "embedding service timed out after {number} ms: connection to 10.0.0.7:8080 lost"
        ),
        _ => format!(
            "Traceback (most recent call last):\n  File \"/app/worker/extract.py\", line {number}, in extract\nzipfile.BadZipFile: Bad CRC-32"
        ),
    }
}
