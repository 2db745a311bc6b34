//! The paths of the server, but for that of the metrics, which is configured.

use crate::model::label_values;

label_values! {
    pub enum Route {
        Folders = "/",
        Folder = "/folders/{portal}/{folder}",
        Errors = "/errors",
        Configuration = "/config",
        Runbook = "/runbook",
        Style = "/static/style.css",
        Script = "/static/refresh.js",
        Live = "/livez",
        Healthy = "/healthz",
        Ready = "/readyz",
        Health = "/health",
        Reload = "/-/reload",
    }
}

impl Route {
    /// The route of a request's path.
    pub fn of(path: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|route| route.matches(path))
    }

    fn matches(self, path: &str) -> bool {
        match self.as_str().split_once('{') {
            Some((folder, _)) => path.starts_with(folder),
            None => path == self.as_str(),
        }
    }

    /// Whether `--web.open-probes` opens it to everybody.
    pub const fn is_probe(self) -> bool {
        matches!(self, Self::Live | Self::Healthy | Self::Ready)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_one_route_and_only_the_probes_can_be_open() {
        for route in Route::ALL {
            assert_eq!(Route::of(route.as_str()), Some(route));
        }
        assert_eq!(Route::of("/folders/main/1"), Some(Route::Folder));
        let probes = Route::ALL.into_iter().filter(|route| route.is_probe());
        let probes: Vec<_> = probes.map(Route::as_str).collect();
        assert_eq!(probes, ["/livez", "/healthz", "/readyz"]);
        for path in [
            "/livez/",
            "//livez",
            "/livez/../metrics",
            "/metrics",
            "/static/",
        ] {
            assert_eq!(Route::of(path), None, "{path}");
        }
    }
}
