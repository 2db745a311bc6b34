//! Reading the configuration again: all of the new one, or all of the old one.

use std::sync::Arc;
use std::time::SystemTime;

use anyhow::Result;
use serde_json::Value as Json;
use tokio::sync::{mpsc, watch};
use tracing::{error, info};

use crate::app::portals::Portals;
use crate::app::systemd;
use crate::config::{Config, ConfigError};
use crate::http::site::ReloadRequest;
use crate::metrics::ConfigFacts;

/// Reads the configuration: at the start, and at each reload.
pub type ConfigSource = Box<dyn Fn() -> Result<Config, ConfigError> + Send + Sync>;

/// Reloads on request.
pub(super) struct Reloader {
    pub source: ConfigSource,
    pub requests: mpsc::Receiver<ReloadRequest>,
    pub facts: watch::Sender<ConfigFacts>,
    pub written: watch::Sender<Arc<Json>>,
}

impl Reloader {
    /// Reads the configuration and puts it into use, or leaves everything as it is.
    pub async fn reload(&self, portals: &mut Portals) -> Result<(), String> {
        systemd::reloading();
        let result = self.replace(portals).await;
        systemd::reloaded(&result);
        result
    }

    async fn replace(&self, portals: &mut Portals) -> Result<(), String> {
        let config = (self.source)().map_err(anyhow::Error::from);
        let built = config.and_then(|config| {
            let written = Arc::clone(&config.written);
            Ok((portals.build(config)?, written))
        });
        match built {
            Ok((built, written)) => {
                self.written.send_replace(written);
                portals.use_config(built).await;
                self.facts.send_replace(ConfigFacts {
                    reload_successful: true,
                    loaded: SystemTime::now().into(),
                });
                info!("the configuration was read again and is in use");
                Ok(())
            }
            Err(failed) => {
                let failed = format!("{failed:#}");
                error!(
                    error = failed.as_str(),
                    "the configuration was read again and is wrong; the old one stays in use"
                );
                self.facts
                    .send_modify(|facts| facts.reload_successful = false);
                Err(failed)
            }
        }
    }
}
