//! One portal, and where its state is stored, from the environment, for a start without a file (docs/configuration.md, Environment).

use std::path::PathBuf;

use crate::config::error::Fault;
use crate::config::form::{FilePath, ShownPath};
use crate::config::hidden::{Hidden, HiddenPath};
use crate::config::key::KeyFile;
use crate::config::portal::Name;
use crate::config::{BaseUrl, Config, KeySource, Portal, State};
use crate::model::PortalName;

const BASE_URL: &str = "KB_BASE_URL";
const API_KEY: &str = "KB_API_KEY";
const API_KEY_FILE: &str = "KB_API_KEY_FILE";
const PORTAL_NAME: &str = "KB_PORTAL_NAME";
const CA_FILE: &str = "KB_CA_FILE";
const STATE_PATH: &str = "KB_STATE_PATH";

/// What the environment configures.
pub(super) fn config(variable: &impl Fn(&str) -> Option<String>) -> Result<Config, Fault> {
    let state = match variable(STATE_PATH).filter(|path| !path.is_empty()) {
        Some(path) => {
            let path = ShownPath::parse(&path);
            State::Path(path.map_err(|message| Fault::about(STATE_PATH, message))?)
        }
        None => State::Temporary,
    };
    Ok(Config {
        state,
        ..Config::for_portal(portal(variable)?)
    })
}

/// The portal that the environment names. Only the name of the key's variable is stored, never the key.
fn portal(variable: &impl Fn(&str) -> Option<String>) -> Result<Portal, Fault> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    let base_url = base_url(set(BASE_URL))?;
    let key = match (set(API_KEY), set(API_KEY_FILE)) {
        (Some(_), None) => {
            let shown = format!("the environment variable {API_KEY}");
            KeySource::Environment(Hidden::new(API_KEY, &shown, API_KEY.to_owned()))
        }
        (None, Some(file)) => KeySource::File(path(API_KEY_FILE, KeyFile::parse(&file))?),
        (Some(_), Some(_)) => {
            let message = format!("{API_KEY_FILE} is set too; only one of the two can hold");
            return Err(Fault::about(API_KEY, message));
        }
        (None, None) => {
            let message =
                format!("neither this nor {API_KEY_FILE} is set; one of them is required");
            return Err(Fault::about(API_KEY, message));
        }
    };
    let ca_file = set(CA_FILE).map(|file| path(CA_FILE, FilePath::parse(&file)));
    Ok(Portal {
        ca_file: ca_file.transpose()?,
        ..Portal::new(name(set(PORTAL_NAME))?, base_url, key)
    })
}

fn path(variable: &str, path: Result<PathBuf, String>) -> Result<HiddenPath, Fault> {
    path.map(|path| HiddenPath::file(variable, path))
        .map_err(|message| Fault::about(variable, message))
}

fn base_url(text: Option<String>) -> Result<BaseUrl, Fault> {
    let about = |message: String| Fault::about(BASE_URL, message);
    let Some(text) = text else {
        let message =
            "is not set; set it to the portal's address, or name a file with --config.file";
        return Err(about(message.to_owned()));
    };
    let url = BaseUrl::parse(&text).map_err(about)?;
    if url.is_plain_beyond_loopback() {
        let message = "http:// would send the key unencrypted: use https://, or a configuration file with allow_plain_http: true";
        return Err(about(message.to_owned()));
    }
    Ok(url)
}

fn name(text: Option<String>) -> Result<PortalName, Fault> {
    let text = text.unwrap_or_else(|| "default".to_owned());
    Name::parse(&text).map_err(|message| Fault::about(PORTAL_NAME, message))
}

#[cfg(test)]
mod tests {
    use crate::config::{Config, ConfigError, HiddenPath, KeySource, State};

    fn start(variables: &[(&str, &str)]) -> Result<Config, ConfigError> {
        Config::from_environment(|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    const BASE: (&str, &str) = ("KB_BASE_URL", "https://portal.example/admin");
    const KEY: (&str, &str) = ("KB_API_KEY", "kbk_secret");

    #[test]
    fn an_address_and_a_key_are_enough() {
        let config = start(&[BASE, KEY]).unwrap();
        let [portal] = config.portals.as_slice() else {
            panic!("one portal");
        };
        assert_eq!(portal.name.as_str(), "default");
        assert_eq!(portal.base_url.to_string(), "https://portal.example/admin");
        let KeySource::Environment(name) = &portal.key else {
            panic!("the environment");
        };
        assert_eq!(name.expose(), "KB_API_KEY");
        assert_eq!(config.state, State::Temporary);
        assert!(!format!("{config:?}").contains("kbk_secret"));
    }

    #[test]
    fn the_other_variables_are_used_too() {
        let config = start(&[
            BASE,
            ("KB_API_KEY", ""),
            ("KB_API_KEY_FILE", "/run/secrets/kb-key"),
            ("KB_PORTAL_NAME", "main"),
            ("KB_CA_FILE", "/etc/ssl/ca.pem"),
            ("KB_STATE_PATH", "/srv/kb-exporter"),
        ])
        .unwrap();
        assert_eq!(config.state, State::Path("/srv/kb-exporter".into()));
        let portal = &config.portals[0];
        let key = HiddenPath::file("KB_API_KEY_FILE", "/run/secrets/kb-key");
        assert_eq!(portal.key, KeySource::File(key));
        assert_eq!(portal.name.as_str(), "main");
        let ca_file = portal.ca_file.as_ref().unwrap();
        assert_eq!(ca_file.expose().to_str(), Some("/etc/ssl/ca.pem"));
    }

    #[test]
    fn an_error_has_the_name_of_the_variable() {
        let plain = ("KB_BASE_URL", "http://portal.example");
        let table: &[(&[(&str, &str)], &str)] = &[
            (
                &[KEY],
                "KB_BASE_URL: is not set; set it to the portal's address, or name a file with --config.file",
            ),
            (
                &[BASE],
                "KB_API_KEY: neither this nor KB_API_KEY_FILE is set; one of them is required",
            ),
            (
                &[BASE, KEY, ("KB_API_KEY_FILE", "/key")],
                "KB_API_KEY: KB_API_KEY_FILE is set too; only one of the two can hold",
            ),
            (
                &[plain, KEY],
                "KB_BASE_URL: http:// would send the key unencrypted: use https://, or a configuration file with allow_plain_http: true",
            ),
            (
                &[BASE, KEY, ("KB_PORTAL_NAME", " main")],
                "KB_PORTAL_NAME: a name has 1 to 100 printable characters, without spaces around it",
            ),
        ];
        for (variables, message) in table {
            let error = start(variables).unwrap_err();
            assert_eq!(error.to_string(), *message);
        }
    }

    #[test]
    fn a_key_in_the_place_of_a_file_is_not_shown() {
        for variable in ["KB_API_KEY_FILE", "KB_CA_FILE"] {
            let other = if variable == "KB_CA_FILE" { KEY } else { BASE };
            let error = start(&[BASE, other, (variable, "sk4Qf8sLq02mZrT7yPw1")]).unwrap_err();
            let error = error.to_string();
            assert!(error.starts_with(&format!("{variable}: ")), "{error}");
            assert!(!error.contains("sk4Q"), "{error}");
        }
    }
}
