//! Which request is meant by a method and a path (docs/portal.md, Endpoints).

use axum::http::Method;
use uuid::Uuid;

/// A request that is open to keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Endpoint {
    Mine,
    Folder(Uuid),
    Contents(Uuid),
    Files(Uuid),
    Upload(Uuid),
    Delete(Uuid, Option<Uuid>),
    ReindexFailed(Uuid),
    ReindexAll(Uuid),
}

/// What a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Route {
    Open(Endpoint),
    /// A folder's request, but what stands for the folder is no UUID: it is in no key's set.
    NoFolder,
    /// Anything else of the portal: not for keys.
    Refused,
    /// Not below the base address, or not below `/api/`.
    Nowhere,
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
        let get = matches!(*method, Method::GET | Method::HEAD);
        let post = *method == Method::POST;
        let delete = *method == Method::DELETE;
        let (id, endpoint): (_, fn(Uuid) -> Endpoint) = match *rest {
            ["mine"] if get => return Self::Open(Endpoint::Mine),
            [id] if get => (id, Endpoint::Folder),
            [id, "contents"] if get => (id, Endpoint::Contents),
            [id, "files"] if get => (id, Endpoint::Files),
            [id, "files"] if post => (id, Endpoint::Upload),
            [id, "reindex-failed"] if post => (id, Endpoint::ReindexFailed),
            [id, "reindex-all"] if post => (id, Endpoint::ReindexAll),
            [id, "files", file] if delete && !file.is_empty() => {
                let file = file.parse().ok();
                return match id.parse() {
                    Ok(id) => Self::Open(Endpoint::Delete(id, file)),
                    Err(_) => Self::NoFolder,
                };
            }
            _ => return Self::Refused,
        };
        match id.parse() {
            Ok(id) => Self::Open(endpoint(id)),
            Err(_) => Self::NoFolder,
        }
    }
}

impl Endpoint {
    /// The folder in the path.
    pub fn folder(self) -> Option<Uuid> {
        match self {
            Self::Mine => None,
            Self::Folder(id)
            | Self::Contents(id)
            | Self::Files(id)
            | Self::Upload(id)
            | Self::Delete(id, _)
            | Self::ReindexFailed(id)
            | Self::ReindexAll(id) => Some(id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Endpoint, Route};
    use axum::http::Method;
    use uuid::Uuid;

    const ID: &str = "67e55044-10b1-426f-9247-bb680e5fe0c8";

    fn route(line: &str, base: &str) -> Route {
        let (method, path) = line.split_once(' ').unwrap();
        let path = path.replace("ID", ID);
        Route::of(&method.parse::<Method>().unwrap(), &path, base)
    }

    #[test]
    fn each_open_request_is_told_by_method_and_path() {
        let id: Uuid = ID.parse().unwrap();
        let table = [
            ("GET mine", Endpoint::Mine),
            ("GET ID", Endpoint::Folder(id)),
            ("GET ID/contents", Endpoint::Contents(id)),
            ("GET ID/files", Endpoint::Files(id)),
            ("POST ID/files", Endpoint::Upload(id)),
            ("DELETE ID/files/ID", Endpoint::Delete(id, Some(id))),
            ("DELETE ID/files/x", Endpoint::Delete(id, None)),
            ("POST ID/reindex-failed", Endpoint::ReindexFailed(id)),
            ("POST ID/reindex-all", Endpoint::ReindexAll(id)),
        ];
        for (line, endpoint) in table {
            let line = line.replacen(' ', " /api/admin/library-folders/", 1);
            assert_eq!(route(&line, ""), Route::Open(endpoint), "{line}");
            let nested = line.replacen(' ', " /admin", 1);
            assert_eq!(route(&nested, "/admin"), Route::Open(endpoint), "{nested}");
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
