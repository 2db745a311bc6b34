//! Reading the configuration again: all of the new one, or all of the old one.

use std::sync::Arc;

use anyhow::Result;
use serde_json::Value as Json;
use tokio::sync::{mpsc, watch};
use tracing::{error, info};

use crate::app::portals::{Built, Portals};
use crate::app::systemd;
use crate::clock::Moment;
use crate::config::{Config, ConfigError, KeySource, State};
use crate::http::Configuration;
use crate::http::site::ReloadRequest;
use crate::metrics::ConfigFacts;
use crate::portal::ApiKey;

/// Reads the configuration: at the start, and at each reload.
pub type ConfigSource = Box<dyn Fn() -> Result<Config, ConfigError> + Send + Sync>;

pub(super) struct Reloader {
    pub source: ConfigSource,
    pub requests: mpsc::Receiver<ReloadRequest>,
    pub configuration: watch::Sender<Configuration>,
}

/// What is shown of a configuration that was loaded now.
pub(super) fn loaded(config: &Config) -> Configuration {
    Configuration {
        facts: ConfigFacts {
            reload_successful: true,
            loaded: Moment::now().wall,
        },
        shown: Arc::new(shown(config)),
        reindex: Arc::new(config.reindex.clone()),
    }
}

/// The configuration in use, in which asterisks replace each secret that can be read, wherever it was written.
fn shown(config: &Config) -> Json {
    let keys = config.portals.iter().map(|portal| portal.key.clone());
    let database = match &config.state {
        State::Postgres(shared) => Some(KeySource::File(shared.url_file.clone())),
        State::Path(_) | State::Temporary => None,
    };
    let secrets = keys.chain(database);
    let secrets: Vec<_> = secrets
        .filter_map(|source| ApiKey::read(&source).ok())
        .collect();
    let mut shown = serde_json::to_value(config).unwrap_or_default();
    hide(&secrets, &mut shown);
    shown
}

fn hide(secrets: &[ApiKey], value: &mut Json) {
    match value {
        Json::String(text) => {
            for secret in secrets {
                let mut bytes = std::mem::take(text).into_bytes();
                secret.hide_in(&mut bytes);
                *text = String::from_utf8_lossy(&bytes).into_owned();
            }
        }
        Json::Array(list) => list.iter_mut().for_each(|item| hide(secrets, item)),
        Json::Object(keys) => keys.values_mut().for_each(|item| hide(secrets, item)),
        _ => {}
    }
}

impl Reloader {
    /// Reads the configuration and puts it into use, or leaves everything as it is.
    pub async fn reload(&self, portals: &mut Portals) -> Result<(), String> {
        systemd::reloading();
        let result = self.replace(portals).await;
        systemd::reloaded(&result);
        result
    }

    async fn build(&self, portals: &Portals) -> Result<(Built, Configuration)> {
        let config = (self.source)()?;
        let configuration = loaded(&config);
        Ok((portals.build(config).await?, configuration))
    }

    async fn replace(&self, portals: &mut Portals) -> Result<(), String> {
        match self.build(portals).await {
            Ok((built, configuration)) => {
                portals.use_config(built).await;
                self.configuration.send_replace(configuration);
                info!("the configuration was read again and is in use");
                Ok(())
            }
            Err(failed) => {
                let failed = format!("{failed:#}");
                error!(
                    error = failed.as_str(),
                    "the configuration was read again and is wrong; the old one stays in use"
                );
                self.configuration
                    .send_modify(|configuration| configuration.facts.reload_successful = false);
                Err(failed)
            }
        }
    }
}
