//! `--config.check`: reads the configuration and everything that it names. What cannot be read now is a warning.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;

use crate::cli::settings::ConfigArgs;
use crate::cli::web::WebArgs;
use crate::cli::{classes, output, settings};
use crate::config::error::Fault;
use crate::config::{Config, ConfigError, HiddenPath, Mode, Portal, State};
use crate::pem::{Pem, PemError};
use crate::portal::{ApiKey, BuildError, Client, KeyError, Throttles, Unobserved};
use crate::reindex::kill_switch;
use crate::store::wrong_url;

/// Reports that everything is right, or what is wrong.
pub(super) fn run(args: &ConfigArgs, web: &WebArgs) -> Result<ExitCode> {
    let (config, unreadable) = config(args)?;
    web.config()?;
    let portals = config.portals.len();
    let reindexing = config.reindex.summary();
    let warnings = config.warnings().into_iter();
    let warnings = warnings.chain(classes::warnings(&config));
    let warnings = warnings.chain(stopped(&config)?);
    let warnings = warnings.chain(unreadable);
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

/// The configuration, if nothing that it names is wrong, and warnings of what cannot be read now.
fn config(args: &ConfigArgs) -> Result<(Config, Vec<String>), ConfigError> {
    let config = settings::config(args)?;
    let mut unreadable = Vec::new();
    let named = named(&config, &mut unreadable);
    named.map_err(|fault| match &args.file {
        Some(file) => fault.in_file(&file.display().to_string()),
        None => fault.in_environment(),
    })?;
    Ok((config, unreadable))
}

/// What the configuration names and cannot be used.
enum Unusable {
    /// It may be there when the service runs, such as a key that is a credential of its unit.
    Unreadable(String),
    Wrong(String),
}

impl From<KeyError> for Unusable {
    fn from(error: KeyError) -> Self {
        match error {
            KeyError::File(_) | KeyError::Unset(_) => Self::Unreadable(error.to_string()),
            KeyError::Late { .. } | KeyError::NoKey { .. } => Self::Wrong(error.to_string()),
        }
    }
}

impl From<PemError> for Unusable {
    fn from(error: PemError) -> Self {
        match error {
            PemError::Unreadable(_) => Self::Unreadable(error.to_string()),
            PemError::Content { .. } => Self::Wrong(error.to_string()),
        }
    }
}

/// The key of the configuration that names something, and why it cannot be used.
type Named<'c> = (&'c str, Unusable);

/// Finds the first mistake in what the configuration names: keys, certificates, and the address of the database. What cannot be read now is
/// put aside.
fn named(config: &Config, unreadable: &mut Vec<String>) -> Result<(), Fault> {
    for (key, why) in unusable(config) {
        match why {
            Unusable::Wrong(why) => return Err(Fault::about(key, why)),
            Unusable::Unreadable(why) => unreadable.push(format!("{key}: {why}")),
        }
    }
    match &config.state {
        State::Path(path) if path.exists() && !path.is_dir() => {
            let why = format!("{} is not a folder", path.display());
            Err(Fault::about("state.path", why))
        }
        _ => Ok(()),
    }
}

fn unusable(config: &Config) -> Vec<Named<'_>> {
    let portals = config.portals.iter();
    let mut found: Vec<_> = portals
        .flat_map(|portal| of_portal(config, portal))
        .collect();
    if let State::Postgres(state) = &config.state {
        let file = &state.url_file;
        let why = match file.read() {
            Err(error) => Some(Unusable::Unreadable(error.to_string())),
            Ok(_) => wrong_url(file).err().map(Unusable::Wrong),
        };
        found.extend(why.map(|why| (file.key(), why)));
    }
    found
}

fn of_portal<'c>(config: &Config, portal: &'c Portal) -> Vec<Named<'c>> {
    let read = |file: &'c HiddenPath, content: fn(&Pem) -> Result<(), PemError>| {
        let read = Pem::read(file).and_then(|pem| content(&pem));
        read.map_err(|error| (file.key(), error.into()))
    };
    let certificates = |pem: &Pem| pem.certificates().map(drop);
    let key = ApiKey::read(&portal.key).map(drop);
    let mut results = vec![key.map_err(|error| (portal.key.key(), error.into()))];
    results.extend(portal.ca_file.iter().map(|file| read(file, certificates)));
    let mut place = portal.key.key();
    if let Some(own) = &portal.client_certificate {
        place = own.cert_file.key();
        results.push(read(&own.cert_file, certificates));
        results.push(read(&own.key_file, |pem| pem.key().map(drop)));
    }
    let mut found: Vec<_> = results.into_iter().filter_map(Result::err).collect();
    if found.is_empty() {
        let (collect, request) = (&config.collect, &config.request);
        let observer = Arc::new(Unobserved);
        let client = Client::new(portal, collect, request, observer, &Throttles::default());
        let wrong = |error: BuildError| (place, Unusable::Wrong(error.to_string()));
        found.extend(client.prepare().err().map(wrong));
    }
    found
}
