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

impl Query {
    /// The same folders on another page.
    pub(super) fn at(&self, page: usize) -> Self {
        let same = self.clone();
        Self { page, ..same }
    }

    /// The same folders in another order.
    pub(super) fn sorted(&self, sort: Sort) -> Self {
        Self { sort, ..self.at(1) }
    }

    /// The folders of a portal that have files of an error class.
    pub(super) fn of_error(portal: &str, error: &str) -> Self {
        Self {
            portal: portal.to_owned(),
            error: error.to_owned(),
            ..Self::default()
        }
    }
}

/// The link that shows this.
impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut pairs = form_urlencoded::Serializer::new(String::new());
        for (key, value) in [
            ("name", &self.name),
            ("portal", &self.portal),
            ("error", &self.error),
        ] {
            if !value.is_empty() {
                pairs.append_pair(key, value);
            }
        }
        if self.sort != Sort::default() {
            pairs.append_pair("sort", self.sort.as_str());
        }
        if self.page > 1 {
            pairs.append_pair("page", &self.page.to_string());
        }
        match pairs.finish() {
            query if query.is_empty() => f.write_str("./"),
            query => write!(f, "./?{query}"),
        }
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
