//! When a page shows that its portal sorts by status: pure.

use std::ops::{Range, RangeInclusive};

use crate::collect::sorted::PageStatuses;
use crate::portal::{PageBody, SortColumns};

/// Rows of each of two statuses, at least, that show something.
const MIN_ROWS: usize = 5;

/// The share of the pairs of rows differing in another column that this column would order the other way round: near 0 or 1, that column
/// could be what the portal sorts by. Columns that only order equal statuses are in between.
const UNRELATED: RangeInclusive<f64> = 0.1..=0.9;

/// Whether a page holds two statuses, each in one run, and no other visible column explains that order.
pub fn shows_sorting(statuses: &PageStatuses, body: &PageBody) -> bool {
    let mut end = 0;
    let runs = statuses.runs.iter().map(|run| {
        let start = end;
        end += usize::try_from(run.files).unwrap_or(usize::MAX - end);
        start..end
    });
    let runs: Vec<_> = runs.collect();
    let are_long = |runs: &&[Range<usize>]| runs.iter().all(|run| run.len() >= MIN_ROWS);
    let mut pairs = runs.windows(2).filter(are_long).peekable();
    if statuses.is_unsorted() || pairs.peek().is_none() {
        return false;
    }
    let rows = body.sort_columns();
    pairs
        .filter_map(|pair| rows.get(pair[0].start..pair[1].end))
        .any(no_column_explains)
}

fn no_column_explains(rows: &[SortColumns<'_>]) -> bool {
    !have_one_time(rows)
        && is_unrelated(rows, |row| &*row.filename)
        && is_unrelated(rows, |row| row.filename.to_lowercase())
        && is_unrelated(rows, |row| &*row.created_at)
        && is_unrelated(rows, |row| row.file_size)
        && is_unrelated(rows, |row| &*row.id)
        && is_unrelated(rows, |row| &*row.link_id)
}

/// Whether all rows were created at the same time, at the precision that is shown: the portal could sort by more precise times.
fn have_one_time(rows: &[SortColumns<'_>]) -> bool {
    let mut times = rows.iter().map(|row| &*row.created_at);
    let first = times.next().unwrap_or_default();
    !first.is_empty() && times.all(|time| time == first)
}

/// Whether a column orders rows neither as the list does nor the other way round. A value that all rows share orders none.
fn is_unrelated<'a, K: Ord>(
    rows: &'a [SortColumns<'a>],
    column: impl Fn(&'a SortColumns<'a>) -> K,
) -> bool {
    let keys: Vec<_> = rows.iter().map(column).collect();
    let (mut differing, mut inverted) = (0.0, 0.0);
    for (at, earlier) in keys.iter().enumerate() {
        for later in &keys[at + 1..] {
            let order = earlier.cmp(later);
            differing += f64::from(u8::from(order.is_ne()));
            inverted += f64::from(u8::from(order.is_gt()));
        }
    }
    differing == 0.0 || UNRELATED.contains(&(inverted / differing))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::model::Status;

    /// Rows of two statuses, half of a page each, whose columns are in no order.
    fn rows() -> Vec<Value> {
        (0..40_u64)
            .map(|number| {
                let mixed = number * 17 % 41;
                json!({
                    "indexStatus": if number < 20 { "failed" } else { "done" },
                    "filename": format!("{mixed:03}.pdf"),
                    "fileSize": mixed * 3 % 41,
                    "createdAt": format!("2026-01-{:02}T00:00:00.000Z", mixed * 5 % 28 + 1),
                    "id": format!("{:03}", mixed * 7 % 41),
                    "linkId": format!("{:03}", mixed * 11 % 41),
                })
            })
            .collect()
    }

    fn shows(rows: &[Value]) -> bool {
        let body = serde_json::to_vec(&json!({
            "data": rows,
            "pagination": {"page": 1, "total": rows.len()},
        }));
        let body = PageBody::new(body.unwrap());
        let mut statuses = PageStatuses::default();
        body.read(|row| statuses.add(row.word())).unwrap();
        shows_sorting(&statuses, &body)
    }

    #[test]
    fn two_runs_that_no_column_explains_show_sorting() {
        assert!(shows(&rows()));
        // A value that all rows share explains nothing.
        let mut rows = rows();
        for row in &mut rows {
            row["fileSize"] = json!(1);
            row.as_object_mut().unwrap().remove("createdAt");
        }
        assert!(shows(&rows));
    }

    #[test]
    fn a_column_that_orders_only_equal_statuses_explains_nothing() {
        let mut rows = rows();
        for (number, row) in rows.iter_mut().enumerate() {
            row["filename"] = json!(format!("{:03}", number % 20));
        }
        assert!(shows(&rows));
    }

    #[test]
    fn a_column_that_orders_all_rows_as_the_list_does_could_be_what_it_is_sorted_by() {
        type Column = (&'static str, fn(usize) -> Value);
        let columns: [Column; 6] = [
            ("filename", |number| json!(format!("{number:03}"))),
            ("filename", |number| {
                let name = if number % 2 == 0 { "File" } else { "file" };
                json!(format!("{name} {number:03}"))
            }),
            ("createdAt", |number| {
                json!(format!("2026-01-01T00:00:{number:02}.000Z"))
            }),
            ("fileSize", |number| json!(number * 10)),
            ("id", |number| json!(format!("{:03}", 100 - number))),
            ("linkId", |number| json!(format!("{number:03}"))),
        ];
        for (column, value) in columns {
            let mut rows = rows();
            for (number, row) in rows.iter_mut().enumerate() {
                row[column] = value(number);
            }
            assert!(!shows(&rows), "{column}");
            // One row that is out of place changes nothing.
            rows[3][column] = value(35);
            assert!(!shows(&rows), "{column}");
        }
    }

    #[test]
    fn a_list_sorted_by_time_shows_nothing_however_many_files_have_the_same_time() {
        for files in 1..=40 {
            let mut rows = rows();
            for (number, row) in rows.iter_mut().enumerate() {
                let time = number / files;
                row["createdAt"] = json!(format!("2026-01-01T00:00:00.{time:03}Z"));
            }
            assert!(!shows(&rows), "{files}");
        }
    }

    #[test]
    fn a_column_that_has_one_value_for_each_status_could_be_what_the_list_is_sorted_by() {
        let mut rows = rows();
        for (number, row) in rows.iter_mut().enumerate() {
            row["fileSize"] = json!(number / 20);
        }
        assert!(!shows(&rows));
    }

    #[test]
    fn few_rows_and_a_page_that_is_not_sorted_show_nothing() {
        let status = |rows: &mut Vec<Value>, at: usize, status: Status| {
            rows[at]["indexStatus"] = json!(status.as_str());
        };
        let mut few = rows();
        for at in 4..20 {
            status(&mut few, at, Status::Done);
        }
        assert!(!shows(&few));
        let mut unsorted = rows();
        status(&mut unsorted, 30, Status::Failed);
        assert!(!shows(&unsorted));
        assert!(!shows(&[]));
    }
}
