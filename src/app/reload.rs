//! Reading the configuration again: all of the new one, or all of the old one.

use std::sync::Arc;

use anyhow::Result;
use tokio::sync::watch;
use tracing::{error, info};

use crate::app::portals::{Built, Portals};
use crate::clock::Moment;
use crate::config::{Config, ConfigError, KeySource, State};
use crate::http::Configuration;
use crate::metrics::ConfigFacts;
use crate::portal::ApiKey;

/// Reads the configuration: at the start, and at each reload.
pub type ConfigSource = Box<dyn Fn() -> Result<Config, ConfigError> + Send + Sync>;

pub(super) struct Reloader {
    pub source: ConfigSource,
    /// The one in use, as it is shown.
    pub configuration: watch::Sender<Configuration>,
}

impl Reloader {
    /// Reads the configuration and puts it into use, or leaves everything as it is.
    pub async fn reload(&self, portals: &mut Portals) -> Result<(), String> {
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

    async fn build(&self, portals: &Portals) -> Result<(Built, Configuration)> {
        let config = (self.source)()?;
        let configuration = loaded(&config);
        Ok((portals.build(config).await?, configuration))
    }
}

/// What is shown of a configuration that was loaded now.
pub(super) fn loaded(config: &Config) -> Configuration {
    Configuration {
        facts: ConfigFacts {
            reload_successful: true,
            loaded: Moment::now().wall,
        },
        shown: shown(config).into(),
        reindex: Arc::new(config.reindex.clone()),
    }
}

/// The configuration as JSON, in which asterisks replace each secret that can be read, wherever it was written.
fn shown(config: &Config) -> String {
    let mut text = serde_json::to_vec_pretty(config).unwrap_or_default();
    let keys = config.portals.iter().map(|portal| portal.key.clone());
    let database = match &config.state {
        State::Postgres(shared) => Some(KeySource::File(shared.url_file.clone())),
        State::Path(_) | State::Temporary => None,
    };
    for secret in keys
        .chain(database)
        .flat_map(|source| ApiKey::read(&source))
    {
        secret.hide_in(&mut text);
    }
    String::from_utf8_lossy(&text).into_owned()
}
