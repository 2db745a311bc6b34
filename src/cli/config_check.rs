//! `--config.check`: reads the configuration and everything that it names, as the start does.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;

use crate::cli::settings::ConfigArgs;
use crate::cli::web::WebArgs;
use crate::cli::{classes, output, settings};
use crate::config::error::Fault;
use crate::config::{Config, ConfigError, HiddenPath, Mode, Portal, State};
use crate::pem::{Pem, PemError};
use crate::portal::{ApiKey, Client, Throttles, Unobserved};
use crate::reindex::kill_switch;
use crate::store::wrong_url;

/// Reports that everything is right, or what is wrong.
pub(super) fn run(args: &ConfigArgs, web: &WebArgs) -> Result<ExitCode> {
    let config = config(args)?;
    web.config()?;
    let portals = config.portals.len();
    let reindexing = config.reindex.summary();
    let warnings = config.warnings().into_iter();
    let warnings = warnings.chain(classes::warnings(&config));
    let warnings = warnings.chain(stopped(&config)?);
    let warnings = warnings.map(|warning| format!("warning: {warning}\n"));
    let warnings = warnings.collect::<Vec<_>>().concat();
    output::print(&format!(
        "the configuration is correct: {portals} portal(s)\n{reindexing}\n{warnings}"
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

/// The configuration, if all that it names can be used.
fn config(args: &ConfigArgs) -> Result<Config, ConfigError> {
    if let Some(file) = &args.file {
        return Config::checked(file, named);
    }
    let config = settings::config(args)?;
    match named(&config) {
        faults if faults.is_empty() => Ok(config),
        faults => Err(ConfigError::in_environment(faults)),
    }
}

/// Mistakes in what the configuration names: keys, certificates, and the address of the database.
fn named(config: &Config) -> Vec<Fault> {
    let portals = config.portals.iter();
    let mut faults: Vec<_> = portals
        .flat_map(|portal| of_portal(config, portal))
        .collect();
    match &config.state {
        State::Postgres(state) => {
            let wrong = wrong_url(&state.url_file).err();
            faults.extend(wrong.map(|why| Fault::about(state.url_file.key(), why)));
        }
        State::Path(path) if path.exists() && !path.is_dir() => {
            let why = format!("{} is not a folder", path.display());
            faults.push(Fault::about("state.path", why));
        }
        State::Path(_) | State::Temporary => {}
    }
    faults
}

fn of_portal(config: &Config, portal: &Portal) -> Vec<Fault> {
    let key = ApiKey::read(&portal.key).map(drop);
    let key = key.map_err(|error| Fault::about(portal.key.key(), error.to_string()));
    let read = |file: &HiddenPath, content: fn(&Pem) -> Result<(), PemError>| {
        let read = Pem::read(file).and_then(|pem| content(&pem));
        read.map_err(|error| Fault::about(file.key(), error.to_string()))
    };
    let certificates = |pem: &Pem| pem.certificates().map(drop);
    let mut results = vec![key];
    results.extend(portal.ca_file.iter().map(|file| read(file, certificates)));
    let mut place = portal.key.key();
    if let Some(own) = &portal.client_certificate {
        place = own.cert_file.key();
        results.push(read(&own.cert_file, certificates));
        results.push(read(&own.key_file, |pem| pem.key().map(drop)));
    }
    let mut faults: Vec<_> = results.into_iter().filter_map(Result::err).collect();
    if faults.is_empty() {
        let (collect, request) = (&config.collect, &config.request);
        let observer = Arc::new(Unobserved);
        let client = Client::new(portal, collect, request, observer, &Throttles::default());
        let prepared = client.prepare();
        faults.extend(
            prepared
                .err()
                .map(|error| Fault::about(place, error.to_string())),
        );
    }
    faults
}
