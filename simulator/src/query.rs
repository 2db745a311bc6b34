//! Query parameters, read leniently: what cannot be read counts as absent, and of a repeated one the first counts.
//!
//! Nothing is documented about page 0, of negative numbers and of words in their place: they count as absent.

use std::borrow::Cow;

use url::form_urlencoded;

use super::listing::{FileQuery, PageNumber, SortBy};
use super::options::SortOrder;

/// Default and largest `pageSize` of the file list.
const FILES: (usize, usize) = (20, 100);

/// Default and largest `pageSize` of the contents.
const CONTENTS: (usize, usize) = (50, 200);

pub(super) fn file_query(query: &str) -> FileQuery<'_> {
    FileQuery {
        page: page(query, FILES),
        search: first(query, "search").unwrap_or_default(),
        path: first(query, "path"),
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

/// The path, without slashes at its ends, and the page.
pub(super) fn contents_query(query: &str) -> (String, PageNumber) {
    let path = first(query, "path").unwrap_or_default();
    (path.trim_matches('/').to_owned(), page(query, CONTENTS))
}

fn page(query: &str, (default, largest): (usize, usize)) -> PageNumber {
    PageNumber {
        page: number(query, "page").unwrap_or(1),
        size: number(query, "pageSize").unwrap_or(default).min(largest),
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

#[cfg(test)]
mod tests {
    use super::{SortBy, SortOrder, contents_query, file_query};

    #[test]
    fn pages_are_cut_and_what_is_no_number_counts_as_absent() {
        let table = [
            ("", (1, 20)),
            ("page=3&pageSize=50", (3, 50)),
            ("pageSize=100", (1, 100)),
            ("pageSize=101", (1, 100)),
            ("page=0&pageSize=0", (1, 20)),
            ("page=-1&pageSize=-5", (1, 20)),
            ("page=two&pageSize=many", (1, 20)),
            ("page=2&page=9", (2, 20)),
        ];
        for (query, expected) in table {
            let page = file_query(query).page;
            assert_eq!((page.page, page.size), expected, "{query}");
        }
        assert_eq!(contents_query("").1.size, 50);
        assert_eq!(contents_query("pageSize=500").1.size, 200);
    }

    #[test]
    fn an_empty_path_is_not_an_absent_one() {
        assert_eq!(file_query("page=1").path, None);
        assert_eq!(file_query("path=").path.as_deref(), Some(""));
        assert_eq!(file_query("path=a%2Fb").path.as_deref(), Some("a/b"));
    }

    #[test]
    fn an_unknown_sort_is_by_filename() {
        assert_eq!(file_query("sortBy=fileSize").sort_by, SortBy::Filename);
        let known = file_query("sortBy=indexStatus&sortOrder=desc");
        assert_eq!(known.sort_by, SortBy::IndexStatus);
        assert_eq!(known.sort_order, Some(SortOrder::Descending));
        assert_eq!(file_query("sortOrder=up").sort_order, None);
    }
}
