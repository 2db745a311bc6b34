//! Pages that do not fit together.

use axum::http::Uri;
use serde_json::{Value, json};
use uuid::Uuid;

use super::scope::Asked;

/// Rows of a page that never ends.
const FULL_PAGE: u64 = 100;

/// How pages do not fit together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageFault {
    /// Each page has another total.
    MovingTotals,
    /// Every page has the rows of the first, under its own number.
    Repeated,
    /// Every page has three rows less.
    MissingRows,
    /// The last row of a page is its first once more.
    RowsTwice,
    /// Pages from the second on are empty.
    EmptyEarly,
    /// Whatever is asked for, the first page comes, and says so.
    OtherPage,
    /// Pages from the second on are half as large.
    Shrinking,
    /// There is always one page more.
    Endless,
    /// The row in the middle shows another status than the one by which it was sorted.
    OutOfOrder,
    /// `totalPages` is a word.
    NonsenseTotalPages,
    /// The total is negative.
    NegativeTotal,
    /// The total is larger than any folder.
    HugeTotal,
    /// The total is a word.
    TotalAsText,
    /// There is no pagination.
    NoPagination,
}

impl PageFault {
    /// Changes the request before the portal sees it.
    pub(super) fn ask_otherwise(self, asked: &Asked, uri: &mut Uri) {
        let query = match self {
            Self::Repeated | Self::OtherPage => "page=1&pageSize=100&sortBy=filename",
            Self::Shrinking if asked.page > 1 => {
                &*format!("page={}&pageSize=50&sortBy=filename", asked.page)
            }
            _ => return,
        };
        if let Ok(other) = format!("{}?{query}", uri.path()).parse() {
            *uri = other;
        }
    }

    pub(super) fn spoil(self, asked: &Asked, page: &mut Value) {
        let number = asked.page;
        match self {
            Self::MovingTotals => {
                let total = page["pagination"]["total"].as_u64().unwrap_or(0);
                page["pagination"]["total"] = json!(total + number % 2);
            }
            Self::Repeated => page["pagination"]["page"] = json!(number),
            Self::Endless => endless(number, page),
            Self::NonsenseTotalPages => page["pagination"]["totalPages"] = json!("many"),
            Self::NegativeTotal => page["pagination"]["total"] = json!(-1),
            Self::HugeTotal => page["pagination"]["total"] = json!(1e30),
            Self::TotalAsText => page["pagination"]["total"] = json!("250"),
            Self::NoPagination => page["pagination"] = Value::Null,
            Self::MissingRows | Self::RowsTwice | Self::EmptyEarly | Self::OutOfOrder => {
                if let Some(rows) = page["data"].as_array_mut() {
                    self.spoil_rows(number, rows);
                }
            }
            Self::OtherPage | Self::Shrinking => {}
        }
    }

    fn spoil_rows(self, number: u64, rows: &mut Vec<Value>) {
        match self {
            Self::MissingRows => rows.truncate(rows.len().saturating_sub(3)),
            Self::EmptyEarly if number > 1 => rows.clear(),
            Self::OutOfOrder if rows.len() > 2 => {
                let middle = rows.len() / 2;
                rows[middle]["indexStatus"] = json!("processing");
            }
            Self::RowsTwice if rows.len() > 1 => {
                let first = rows[0].clone();
                rows.pop();
                rows.push(first);
            }
            _ => {}
        }
    }
}

fn endless(number: u64, page: &mut Value) {
    let row = |at: u64| {
        let id = Uuid::from_u128(u128::from(number * FULL_PAGE + at));
        json!({"linkId": id, "id": id, "filename": "again.pdf", "indexStatus": "done"})
    };
    page["data"] = (0..FULL_PAGE).map(row).collect();
    let total = (number + 1) * FULL_PAGE;
    page["pagination"] = json!({"page": number, "pageSize": FULL_PAGE, "total": total});
}
