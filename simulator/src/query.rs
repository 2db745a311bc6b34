//! Query parameters, read leniently: what cannot be read counts as absent, and of a repeated one the first counts.
//!
//! Nothing is documented about page 0, of negative numbers and of words in their place: they count as absent.

use std::borrow::Cow;

use url::form_urlencoded;

use super::listing::{FileQuery, PageNumber, SortBy};
use super::options::SortOrder;

/// Default and largest `pageSize` of the file list.
const FILES: (usize, usize) = (20, 100);

pub(super) fn file_query(query: &str) -> FileQuery<'_> {
    let (default, largest) = FILES;
    FileQuery {
        page: PageNumber {
            page: number(query, "page").unwrap_or(1),
            size: number(query, "pageSize").unwrap_or(default).min(largest),
        },
        search: first(query, "search").unwrap_or_default(),
        sort_by: match first(query, "sortBy").as_deref() {
            Some("indexStatus") => SortBy::IndexStatus,
            _ => SortBy::Filename,
        },
        sort_order: match first(query, "sortOrder").as_deref() {
            Some("asc") => Some(SortOrder::Ascending),
            Some("desc") => Some(SortOrder::Descending),
            _ => None,
        },
    }
}

fn number(query: &str, name: &str) -> Option<usize> {
    let value = first(query, name)?;
    value.parse().ok().filter(|&number| number > 0)
}

fn first<'a>(query: &'a str, name: &str) -> Option<Cow<'a, str>> {
    let mut pairs = form_urlencoded::parse(query.as_bytes());
    pairs.find(|(key, _)| key == name).map(|(_, value)| value)
}
