//! `--config.check`: reads the configuration and everything that it names, as the start does.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;

use crate::cli::{ConfigArgs, WebArgs, classes, output, settings};
use crate::config::error::Fault;
use crate::config::schema::json_schema;
use crate::config::{Config, ConfigError, KeySource, Mode, Portal, State, yaml};
use crate::http::web_config::WebConfigFile;
use crate::model::Shard;
use crate::portal::{ApiKey, Client, Throttles, Unobserved};
use crate::reindex::kill_switch;
use crate::store::wrong_url;

/// Reports that everything is right, or what is wrong.
pub(super) fn run(args: &ConfigArgs, web: &WebArgs, shard: Shard) -> Result<ExitCode> {
    let config = settings::config(args)?;
    web.config.as_deref().map(WebConfigFile::open).transpose()?;
    let faults = named(&config);
    if !faults.is_empty() {
        return Err(mistakes(args.file.as_deref(), faults)?.into());
    }
    let portals = config.portals.len();
    let part = if shard.count().get() > 1 {
        format!(", {shard}")
    } else {
        String::new()
    };
    let reindexing = config.reindex.summary();
    let warnings = config.warnings(shard.processes()).into_iter();
    let warnings = warnings.chain(classes::warnings(&config));
    let warnings = warnings.chain(stopped(&config)?);
    let warnings = warnings.map(|warning| format!("warning: {warning}\n"));
    let warnings = warnings.collect::<Vec<_>>().concat();
    output::print(&format!(
        "the configuration is correct: {portals} portal(s){part}\n{reindexing}\n{warnings}"
    ))?;
    Ok(ExitCode::SUCCESS)
}

/// A warning if the kill switch stops what is to be sent.
fn stopped(config: &Config) -> Result<Option<String>> {
    let enforces = config.reindex.strongest_mode() == Mode::Enforce;
    let is_on = kill_switch::is_on(&config.reindex);
    let stops = enforces && settings::runtime()?.block_on(is_on);
    let message = "reindex.kill_switch_file exists, or its folder is missing: no file is sent";
    Ok(stops.then(|| message.to_owned()))
}

/// Mistakes in what the configuration names: keys, certificates, and the address of the database.
fn named(config: &Config) -> Vec<Fault> {
    let portals = config.portals.iter().enumerate();
    let mut faults: Vec<_> = portals
        .flat_map(|(index, portal)| of_portal(config, portal, &format!("portals[{index}]")))
        .collect();
    match &config.state {
        State::Postgres(state) => {
            let wrong = wrong_url(&state.url_file).err();
            faults.extend(wrong.map(|why| Fault::about("state.postgres_url_file", why)));
        }
        State::Path(path) if path.exists() && !path.is_dir() => {
            let why = format!("{} is not a folder", path.display());
            faults.push(Fault::about("state.path", why));
        }
        State::Path(_) | State::Temporary => {}
    }
    faults
}

fn of_portal(config: &Config, portal: &Portal, path: &str) -> Vec<Fault> {
    let mut faults = Vec::new();
    if let Err(error) = ApiKey::read(&portal.key) {
        let key = match portal.key {
            KeySource::File(_) => "api_key_file",
            KeySource::Environment(_) => "api_key_env",
        };
        faults.push(Fault::about(format!("{path}.{key}"), error.to_string()));
    }
    let (collect, request) = (&config.collect, &config.request);
    let observer = Arc::new(Unobserved);
    let client = Client::new(portal, collect, request, observer, &Throttles::default());
    if let Err(error) = client.prepare() {
        faults.push(Fault::about(path, error.to_string()));
    }
    faults
}

/// Mistakes at the places of the file that name what is wrong. Without a file, each of them names the variable.
fn mistakes(file: Option<&Path>, mut faults: Vec<Fault>) -> Result<ConfigError, ConfigError> {
    let Some(file) = file else {
        for fault in &mut faults {
            fault.key.clear();
        }
        return Ok(ConfigError::in_environment(faults));
    };
    let (name, bytes) = (file.display().to_string(), yaml::bytes_of(file)?);
    Ok(yaml::located(&name, &bytes, faults, &json_schema()))
}
