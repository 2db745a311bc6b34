//! What the list of folders shows: filter and order, as a link carries them.

use std::fmt;

use serde::Deserialize;
use url::form_urlencoded;

use crate::model::label_values;

/// Which folders are shown, and in which order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(in crate::http) struct Query {
    /// A part of the name, in any case.
    pub(super) name: String,
    /// The name of a portal; all if it is empty.
    pub(super) portal: String,
    /// Folders with files of an error class; all if it is empty.
    pub(super) error: String,
    pub(super) sort: Sort,
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
        let found = Self::ALL.into_iter().find(|sort| sort.as_str() == word);
        found.unwrap_or_default()
    }
}

/// The link that shows this.
impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs = [
            ("name", &*self.name, ""),
            ("portal", &self.portal, ""),
            ("error", &self.error, ""),
            ("sort", self.sort.as_str(), Sort::default().as_str()),
        ];
        let pairs = pairs.iter().filter(|(_, value, default)| value != default);
        let mut link = form_urlencoded::Serializer::new(String::new());
        let link = link.extend_pairs(pairs.map(|(name, value, _)| (name, value)));
        match link.finish() {
            link if link.is_empty() => f.write_str("./"),
            link => write!(f, "./?{link}"),
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
            name in ".{0,8}", portal in ".{0,8}", error in ".{0,8}", sort in any_sort(),
        ) {
            let query = Query { name, portal, error, sort };
            let link = query.to_string();
            let uri: axum::http::Uri = link[1..].parse().unwrap();
            let axum::extract::Query(read) = axum::extract::Query::try_from_uri(&uri).unwrap();
            prop_assert_eq!(query, read);
        }
    }
}
