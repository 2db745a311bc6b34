//! What the list of folders shows: filter, order and page, as a link carries them.

use std::fmt;

use serde::{Deserialize, Deserializer};
use url::form_urlencoded;

use crate::model::label_values;
use crate::text;

pub(super) const PAGE: usize = 100;

/// Which folders are shown, and in which order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(in crate::http) struct Query {
    /// A part of the name, in any case.
    #[serde(deserialize_with = "short")]
    pub(super) name: String,
    /// The name of a portal; all if it is empty.
    #[serde(deserialize_with = "short")]
    pub(super) portal: String,
    /// Folders with files of an error class; all if it is empty.
    #[serde(deserialize_with = "short")]
    pub(super) error: String,
    pub(super) sort: Sort,
    /// The page, from 1.
    pub(super) page: usize,
}

/// No name that is looked for is longer.
const LONGEST: usize = 200;

/// What a page repeats is no longer than what it could find.
fn short<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    Ok(text::cut(&text, LONGEST).into_owned())
}

label_values! {
    /// The order of the folders, with its word in a link. Unknown words are the default.
    #[derive(Default, Deserialize)]
    #[serde(from = "String")]
    pub enum Sort {
        #[default]
        Trouble = "trouble",
        Name = "name",
        Failed = "failed",
        Flagged = "flagged",
        Waiting = "waiting",
        Oldest = "oldest",
        New = "new",
        Age = "age",
    }
}

impl From<String> for Sort {
    fn from(word: String) -> Self {
        let mut all = Self::ALL.into_iter();
        let found = all.find(|sort| sort.as_str() == word);
        found.unwrap_or_default()
    }
}

/// The link that shows this.
impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sort = match self.sort {
            sort if sort == Sort::default() => "",
            sort => sort.as_str(),
        };
        let page = match self.page {
            0 | 1 => String::new(),
            page => page.to_string(),
        };
        let pairs = [
            ("name", &*self.name),
            ("portal", &self.portal),
            ("error", &self.error),
            ("sort", sort),
            ("page", &page),
        ];
        let pairs = pairs.iter().filter(|(_, value)| !value.is_empty());
        let link = "./?".to_owned();
        let start = link.len();
        let mut link = form_urlencoded::Serializer::for_suffix(link, start);
        let link = link.extend_pairs(pairs).finish();
        f.write_str(link.trim_end_matches('?'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_sort() -> impl Strategy<Value = Sort> {
        prop::sample::select(Sort::ALL.to_vec())
    }

    proptest! {
        #[test]
        fn a_link_carries_everything(
            name in ".{0,8}", portal in ".{0,8}", error in ".{0,8}", sort in any_sort(), page in 2_usize..100,
        ) {
            let query = Query { name, portal, error, sort, page };
            let link = query.to_string();
            let uri: axum::http::Uri = link[1..].parse().unwrap();
            let axum::extract::Query(read) = axum::extract::Query::try_from_uri(&uri).unwrap();
            prop_assert_eq!(query, read);
        }
    }
}
