//! What the list of folders shows, as a link carries it.

use std::fmt;

use serde::Deserialize;
use url::form_urlencoded;

/// Which folders are shown.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(in crate::http) struct Query {
    /// A part of the name, in any case.
    pub(super) name: String,
    /// The name of a portal; all if it is empty.
    pub(super) portal: String,
    /// Folders with files of an error class; all if it is empty.
    pub(super) error: String,
}

/// The link that shows this.
impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs = [
            ("name", &self.name),
            ("portal", &self.portal),
            ("error", &self.error),
        ];
        let pairs = pairs.iter().filter(|(_, value)| !value.is_empty());
        let mut link = form_urlencoded::Serializer::new(String::new());
        match link.extend_pairs(pairs).finish() {
            link if link.is_empty() => f.write_str("./"),
            link => write!(f, "./?{link}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_link_carries_everything(
            name in ".{0,8}", portal in ".{0,8}", error in ".{0,8}",
        ) {
            let query = Query { name, portal, error };
            let link = query.to_string();
            let uri: axum::http::Uri = link[1..].parse().unwrap();
            let axum::extract::Query(read) = axum::extract::Query::try_from_uri(&uri).unwrap();
            prop_assert_eq!(query, read);
        }
    }
}
