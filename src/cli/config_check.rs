//! `--config.check`: reads the configuration and everything that it names. What cannot be read now is a warning.

use std::process::ExitCode;

use anyhow::Result;

use crate::cli::settings::ConfigArgs;
use crate::cli::web::WebArgs;
use crate::cli::{output, settings};
use crate::config::{Config, ConfigError, Portal, State};
use crate::portal::{ApiKey, KeyError, Throttles};
use crate::store::wrong_url;

/// Reports that everything is right, or what is wrong.
pub(super) fn run(args: &ConfigArgs, web: &WebArgs) -> Result<ExitCode> {
    let config = settings::config(args)?;
    let unreadable = unreadable(&config).map_err(|error| match &args.file {
        Some(file) => error.in_file(&file.display().to_string()),
        None => error,
    })?;
    web.server.config()?;
    let warnings = config.warnings().into_iter().chain(unreadable);
    let warnings: Vec<_> = warnings.map(|it| format!("warning: {it}\n")).collect();
    let warnings = warnings.concat();
    let portals = config.portals.len();
    let reindexing = config.reindex.strongest_mode().as_str();
    output::print(&format!(
        "the configuration is correct: {portals} portal(s)\nreindexing: {reindexing}\n{warnings}"
    ))?;
    Ok(ExitCode::SUCCESS)
}

/// What cannot be read now, such as a key that is a credential of a service that does not run. Fails with the first file, or variable, whose content is
/// wrong. The sentences name the keys of the configuration.
fn unreadable(config: &Config) -> Result<Vec<String>, ConfigError> {
    let mut unreadable = Vec::new();
    for (index, portal) in config.portals.iter().enumerate() {
        let section = format!("portals[{index}]");
        let of_portal = of_portal(config, portal, &section);
        unreadable.extend(of_portal.map_err(|why| ConfigError::about(section, why))?);
    }
    match &config.state {
        State::Path(path) if path.exists() && !path.is_dir() => {
            let why = format!("{} is not a folder", path.display());
            return Err(ConfigError::about("state.path", why));
        }
        State::Postgres(state) => match state.url_file.read() {
            Ok(_) => wrong_url(&state.url_file).map_err(|why| ConfigError::about("state", why))?,
            Err(error) => unreadable.push(error.to_string()),
        },
        State::Path(_) | State::Temporary => {}
    }
    Ok(unreadable)
}

fn of_portal(config: &Config, portal: &Portal, section: &str) -> Result<Vec<String>, String> {
    let mut unreadable = match ApiKey::read(&portal.key) {
        Ok(_) => Vec::new(),
        Err(KeyError::File(error)) => vec![error.to_string()],
        Err(error @ KeyError::Unset(_)) => vec![format!("{section}: {error}")],
        Err(error) => return Err(error.to_string()),
    };
    let own = portal.client_certificate.iter();
    let own = own.flat_map(|own| [&own.cert_file, &own.key_file]);
    let files = portal.ca_file.iter().chain(own);
    unreadable.extend(files.filter_map(|file| Some(file.read().err()?.to_string())));
    if unreadable.is_empty() {
        let client = settings::client(config, portal, &Throttles::default());
        client.prepare().map_err(|error| error.to_string())?;
    }
    Ok(unreadable)
}
