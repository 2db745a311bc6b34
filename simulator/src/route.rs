//! Which request is meant by a method and a path (docs/portal.md, Endpoints).

use axum::http::Method;
use uuid::Uuid;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Route {
    /// The list of the key's folders.
    Mine,
    Folder(Uuid, Action),
    /// Something of one folder whose id is no UUID: it is in no key's set.
    NoFolder,
    /// Anything else of the portal: not for keys, or nothing that kb-exporter asks for.
    Refused,
    /// Not below the base address, or not below `/api/`.
    Nowhere,
}

/// What can be asked of one folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Show,
    Files,
    ReindexFailed,
    ReindexAll,
}

impl Route {
    /// The route of a request to a portal at a base path, which is empty or begins with a slash.
    pub fn of(method: &Method, path: &str, base: &str) -> Self {
        let below = path.strip_prefix(base);
        let Some(rest) = below.and_then(|path| path.strip_prefix("/api/")) else {
            return Self::Nowhere;
        };
        match rest.strip_prefix("admin/library-folders/") {
            Some(rest) => Self::of_folders(method, &rest.split('/').collect::<Vec<_>>()),
            None => Self::Refused,
        }
    }

    fn of_folders(method: &Method, rest: &[&str]) -> Self {
        let (id, action) = match (method.as_str(), rest) {
            ("GET" | "HEAD", ["mine"]) => return Self::Mine,
            ("GET" | "HEAD", [id]) => (id, Action::Show),
            ("GET" | "HEAD", [id, "files"]) => (id, Action::Files),
            ("POST", [id, "reindex-failed"]) => (id, Action::ReindexFailed),
            ("POST", [id, "reindex-all"]) => (id, Action::ReindexAll),
            _ => return Self::Refused,
        };
        id.parse()
            .map_or(Self::NoFolder, |id| Self::Folder(id, action))
    }

    pub fn folder(self) -> Option<Uuid> {
        match self {
            Self::Folder(id, _) => Some(id),
            Self::Mine | Self::NoFolder | Self::Refused | Self::Nowhere => None,
        }
    }
}
