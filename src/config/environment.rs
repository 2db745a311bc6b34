//! One portal, and where its state is stored, from the environment, for a start without a file (docs/configuration.md, Environment).

use std::str::FromStr;

use crate::config::path::{HiddenPath, ShownPath, VariableName};
use crate::config::portal::PLAIN_HTTP;
use crate::config::{BaseUrl, Config, ConfigError, KeySource, Portal, State};
use crate::model::PortalName;

const BASE_URL: &str = "KB_BASE_URL";
const API_KEY: &str = VariableName::USUAL;
const API_KEY_FILE: &str = "KB_API_KEY_FILE";
const PORTAL_NAME: &str = "KB_PORTAL_NAME";
const CA_FILE: &str = "KB_CA_FILE";

impl Config {
    /// Takes one portal from the environment; all else has its default. A variable that is empty counts as not set. Only the name of the key's
    /// variable is stored, never the key.
    pub fn from_environment(
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ConfigError> {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let state = read("KB_STATE_PATH", set, ShownPath::parse)?;
        let base_url = read(BASE_URL, set, BaseUrl::parse)?.ok_or_else(|| {
            let message =
                "is not set; set it to the portal's address, or name a file with --config.file";
            ConfigError::about(BASE_URL, message)
        })?;
        if base_url.is_plain_beyond_loopback() {
            return Err(ConfigError::about(BASE_URL, PLAIN_HTTP));
        }
        let key_file = read(API_KEY_FILE, set, HiddenPath::parse)?;
        let key = match (key_file, set(API_KEY)) {
            (Some(file), None) => KeySource::File(file.of(API_KEY_FILE)),
            (None, Some(_)) => KeySource::Environment(VariableName::usual()),
            (Some(_), Some(_)) => {
                let message = format!("{API_KEY_FILE} is set too; remove one of the two");
                return Err(ConfigError::about(API_KEY, message));
            }
            (None, None) => {
                let message =
                    format!("{API_KEY_FILE} or {API_KEY} is missing; one of them is required");
                return Err(ConfigError::about("", message));
            }
        };
        let name = set(PORTAL_NAME).unwrap_or_else(|| "default".to_owned());
        let name = PortalName::from_str(&name);
        let name = name.map_err(|it| ConfigError::about(PORTAL_NAME, format!("expected {it}")))?;
        let ca_file = read(CA_FILE, set, HiddenPath::parse)?;
        let portal = Portal {
            ca_file: ca_file.map(|file| file.of(CA_FILE)),
            ..Portal::new(name, base_url, key)
        };
        Ok(Config {
            state: state.map_or(State::Temporary, |path| State::Path(path.0)),
            ..Config::for_portal(portal)
        })
    }
}

fn read<T>(
    variable: &str,
    set: impl Fn(&str) -> Option<String>,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<Option<T>, ConfigError> {
    let read = set(variable).map(|text| parse(&text)).transpose();
    read.map_err(|message| ConfigError::about(variable, message))
}

#[cfg(test)]
mod tests {
    use crate::config::{Config, ConfigError};

    fn start(variables: &[(&str, &str)]) -> Result<Config, ConfigError> {
        Config::from_environment(|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    const BASE: (&str, &str) = ("KB_BASE_URL", "https://portal.example/admin");
    const KEY: (&str, &str) = ("KB_API_KEY", "kbk_secret");

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
                "KB_API_KEY_FILE or KB_API_KEY is missing; one of them is required",
            ),
            (
                &[BASE, KEY, ("KB_API_KEY_FILE", "/key")],
                "KB_API_KEY: KB_API_KEY_FILE is set too; remove one of the two",
            ),
            (
                &[plain, KEY],
                "KB_BASE_URL: http:// would send the key unencrypted: use https://, or set allow_plain_http: true in the configuration file",
            ),
            (
                &[BASE, KEY, ("KB_PORTAL_NAME", " main")],
                "KB_PORTAL_NAME: expected a name of 1 to 100 printable characters, without spaces around it, and not . or ..",
            ),
        ];
        for (variables, message) in table {
            let error = start(variables).unwrap_err();
            assert_eq!(error.to_string(), *message);
        }
    }
}
