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
    /// Anything else of the portal: not for keys.
    Refused,
    /// Not below the base address, or not below `/api/`.
    Nowhere,
}

/// What can be asked of one folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Show,
    Contents,
    Files,
    Upload,
    /// None: the id in the path is no UUID.
    Delete(Option<Uuid>),
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
            ("GET" | "HEAD", [id, "contents"]) => (id, Action::Contents),
            ("GET" | "HEAD", [id, "files"]) => (id, Action::Files),
            ("POST", [id, "files"]) => (id, Action::Upload),
            ("DELETE", [id, "files", file]) if !file.is_empty() => {
                (id, Action::Delete(file.parse().ok()))
            }
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

#[cfg(test)]
mod tests {
    use super::{Action, Route};
    use axum::http::Method;
    use uuid::Uuid;

    const ID: &str = "67e55044-10b1-426f-9247-bb680e5fe0c8";

    fn route(line: &str, base: &str) -> Route {
        let (method, path) = line.split_once(' ').unwrap();
        let path = path.replace("ID", ID);
        Route::of(&method.parse::<Method>().unwrap(), &path, base)
    }

    #[test]
    fn each_open_request_is_known_by_method_and_path() {
        let id: Uuid = ID.parse().unwrap();
        let table = [
            ("GET mine", Route::Mine),
            ("GET ID", Route::Folder(id, Action::Show)),
            ("GET ID/contents", Route::Folder(id, Action::Contents)),
            ("GET ID/files", Route::Folder(id, Action::Files)),
            ("POST ID/files", Route::Folder(id, Action::Upload)),
            (
                "DELETE ID/files/ID",
                Route::Folder(id, Action::Delete(Some(id))),
            ),
            ("DELETE ID/files/x", Route::Folder(id, Action::Delete(None))),
            (
                "POST ID/reindex-failed",
                Route::Folder(id, Action::ReindexFailed),
            ),
            ("POST ID/reindex-all", Route::Folder(id, Action::ReindexAll)),
        ];
        for (line, expected) in table {
            let line = line.replacen(' ', " /api/admin/library-folders/", 1);
            assert_eq!(route(&line, ""), expected, "{line}");
            let nested = line.replacen(' ', " /admin", 1);
            assert_eq!(route(&nested, "/admin"), expected, "{nested}");
            assert_eq!(route(&line, "/admin"), Route::Nowhere, "{line}");
        }
    }

    #[test]
    fn everything_else_below_api_is_refused() {
        let refused = [
            "POST /api/admin/library-folders",
            "PATCH /api/admin/library-folders/ID",
            "PUT /api/admin/library-folders/ID",
            "DELETE /api/admin/library-folders/ID",
            "DELETE /api/admin/library-folders/ID/files",
            "DELETE /api/admin/library-folders/ID/files/",
            "POST /api/admin/library-folders/ID/subfolders",
            "PATCH /api/admin/library-folders/ID/subfolders",
            "GET /api/admin/library-folders/ID/reindex-all",
            "GET /api/admin/library-folders",
            "GET /api/admin/users",
            "POST /api/tasks",
        ];
        for line in refused {
            assert_eq!(route(line, ""), Route::Refused, "{line}");
        }
        assert_eq!(route("GET /", ""), Route::Nowhere);
        assert_eq!(
            route("GET /api/admin/library-folders/x/files", ""),
            Route::NoFolder
        );
    }
}
