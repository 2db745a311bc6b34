//! `--config.check`: reads the configuration and everything that it names. What can be replaced while the exporter runs is a warning.

use std::process::ExitCode;

use anyhow::Result;

use crate::cli::settings::ConfigArgs;
use crate::cli::web::WebArgs;
use crate::cli::{output, settings};
use crate::config::{Config, ConfigError, Portal, State};
use crate::portal::{ApiKey, Throttles};
use crate::store::wrong_url;

/// Reports that everything is right, or what is wrong.
pub(super) fn run(args: &ConfigArgs, web: &WebArgs) -> Result<ExitCode> {
    let config = settings::config(args)?;
    if let State::Path(path) = &config.state
        && path.exists()
        && !path.is_dir()
    {
        let why = format!("{} is not a folder", path.display());
        let file = args.file.as_ref().map(|file| file.display().to_string());
        let error = ConfigError::about("state.path", why);
        return Err(error.in_file(&file.unwrap_or_default()).into());
    }
    let unread = match web.server.config() {
        Ok(_) => None,
        Err(error) if error.is_of_now => Some(error.to_string()),
        Err(error) => return Err(error.into()),
    };
    let warnings = config.warnings().into_iter();
    let warnings = warnings.chain(unusable(&config)).chain(unread);
    let warnings: Vec<_> = warnings.map(|it| format!("warning: {it}\n")).collect();
    let warnings = warnings.concat();
    let portals = config.portals.len();
    let reindexing = config.reindex.strongest_mode().as_str();
    output::print(&format!(
        "the configuration is correct: {portals} portal(s)\nreindexing: {reindexing}\n{warnings}"
    ))?;
    Ok(ExitCode::SUCCESS)
}

/// What cannot be used now, and may be replaced while the exporter runs, such as a key that is a credential of a service that does not run. The
/// sentences name the keys of the configuration.
fn unusable(config: &Config) -> Vec<String> {
    let portals = config.portals.iter().enumerate();
    let of_portals = portals.flat_map(|(index, portal)| {
        let unusable = of_portal(config, portal).into_iter();
        unusable.map(move |why| format!("portals[{index}]: {why}"))
    });
    let database = match &config.state {
        State::Postgres(state) => wrong_url(&state.url_file).err(),
        State::Path(_) | State::Temporary => None,
    };
    of_portals.chain(database).collect()
}

fn of_portal(config: &Config, portal: &Portal) -> Vec<String> {
    let key = ApiKey::read(&portal.key).err().map(|it| it.to_string());
    let own = portal.client_certificate.iter();
    let own = own.flat_map(|own| [&own.cert_file, &own.key_file]);
    let files = portal.ca_file.iter().chain(own);
    let unreadable = files.filter_map(|file| Some(file.read().err()?.to_string()));
    let mut unusable: Vec<_> = key.into_iter().chain(unreadable).collect();
    if unusable.is_empty() {
        let client = settings::client(config, portal, &Throttles::default());
        unusable.extend(client.prepare().err().map(|error| error.to_string()));
    }
    unusable
}
