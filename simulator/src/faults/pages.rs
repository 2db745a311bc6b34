//! Pages that do not fit together.

use axum::http::Uri;
use serde_json::{Value, json};
use uuid::Uuid;

use super::scope::Asked;

const FULL_PAGE: u64 = 100;

/// How pages do not fit together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageFault {
    MovingTotals,
    /// Every page has the rows of the first, under its own number.
    Repeated,
    /// Totals and pages end after this number of rows.
    EndsAt(u64),
    /// Every page has three rows less.
    MissingRows,
    /// The last row of a page is its first once more.
    RowsTwice,
    /// Pages from the second on are empty.
    EmptyEarly,
    /// Whatever is asked for, the first page comes, and says so.
    OtherPage,
    /// Pages are sorted by name, whatever is asked for.
    ByName,
    /// Pages from the second on are half as large.
    Shrinking,
    /// There is always one page more.
    Endless,
    /// The row in the middle shows another status than the one by which it was sorted.
    OutOfOrder,
    /// `totalPages` is a word.
    NonsenseTotalPages,
    NegativeTotal,
    /// The total is larger than any folder.
    HugeTotal,
    /// The total is right, and a text.
    TotalAsText,
    NoPagination,
}

impl PageFault {
    /// Changes the request before the portal sees it.
    pub(super) fn change_request(self, asked: &Asked, uri: &mut Uri) {
        let (page, size) = match self {
            Self::Repeated | Self::OtherPage => (1, FULL_PAGE),
            Self::ByName => (asked.page, FULL_PAGE),
            Self::Shrinking if asked.page > 1 => (asked.page, FULL_PAGE / 2),
            _ => return,
        };
        let path = uri.path();
        let other = format!("{path}?page={page}&pageSize={size}&sortBy=filename");
        if let Ok(other) = other.parse() {
            *uri = other;
        }
    }

    /// Changes the answer to a request for the page of a number.
    pub(super) fn change(self, number: u64, page: &mut Value) {
        let total = page["pagination"]["total"].as_u64().unwrap_or(0);
        let Some(rows) = page["data"].as_array_mut() else {
            return;
        };
        match self {
            Self::MissingRows => rows.truncate(rows.len().saturating_sub(3)),
            Self::EmptyEarly if number > 1 => rows.clear(),
            Self::OutOfOrder if rows.len() > 2 => {
                let middle = rows.len() / 2;
                rows[middle]["indexStatus"] = json!("processing");
            }
            Self::RowsTwice if rows.len() > 1 => {
                rows.pop();
                rows.push(rows[0].clone());
            }
            Self::EndsAt(end) => {
                let rows_left = end.saturating_sub((number - 1) * FULL_PAGE);
                rows.truncate(usize::try_from(rows_left).unwrap_or(usize::MAX));
                page["pagination"]["total"] = json!(total.min(end));
                page["pagination"]["totalPages"] = json!(total.min(end).div_ceil(FULL_PAGE));
            }
            Self::Endless => *rows = (0..FULL_PAGE).map(|at| endless_row(number, at)).collect(),
            _ => {}
        }
        let (field, value) = match self {
            Self::MovingTotals => ("total", json!(total + number % 2)),
            Self::Repeated => ("page", json!(number)),
            Self::Endless => ("total", json!((number + 1) * FULL_PAGE)),
            Self::NonsenseTotalPages => ("totalPages", json!("many")),
            Self::NegativeTotal => ("total", json!(-1)),
            Self::HugeTotal => ("total", json!(1e30)),
            Self::TotalAsText => ("total", json!(total.to_string())),
            Self::NoPagination => return page["pagination"] = Value::Null,
            _ => return,
        };
        page["pagination"][field] = value;
    }
}

fn endless_row(page: u64, at: u64) -> Value {
    let id = Uuid::from_u128(u128::from(page * FULL_PAGE + at));
    json!({"linkId": id, "id": id, "filename": "again.pdf", "indexStatus": "done"})
}
