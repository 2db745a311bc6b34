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
    /// The route of a path, as axum's router has it.
    pub fn of(path: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|route| route.as_str() == path)
    }

    /// Whether `--web.open-probes` opens it to everybody.
    pub const fn is_probe(self) -> bool {
        matches!(self, Self::Live | Self::Healthy | Self::Ready)
    }
}
