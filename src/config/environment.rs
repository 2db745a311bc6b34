//! One portal, and where its state is stored, from the environment, for a start without a file (docs/configuration.md, Environment).

use crate::config::error::ConfigError;
use crate::config::hidden::{Hidden, HiddenPath};
use crate::config::path::{KeyFile, SecretPath, ShownPath};
use crate::config::portal::{Name, PLAIN_HTTP};
use crate::config::{BaseUrl, Config, KeySource, Portal, State};

const BASE_URL: &str = "KB_BASE_URL";
const API_KEY: &str = "KB_API_KEY";
const API_KEY_FILE: &str = "KB_API_KEY_FILE";
const PORTAL_NAME: &str = "KB_PORTAL_NAME";
const CA_FILE: &str = "KB_CA_FILE";
const STATE_PATH: &str = "KB_STATE_PATH";

/// What the environment configures. Only the name of the key's variable is stored, never the key.
pub(super) fn config(variable: &impl Fn(&str) -> Option<String>) -> Result<Config, ConfigError> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    let state = read(STATE_PATH, set(STATE_PATH), ShownPath::parse)?;
    let name = set(PORTAL_NAME).or(Some("default".to_owned()));
    let name = read(PORTAL_NAME, name, Name::parse)?;
    let base_url = read(BASE_URL, set(BASE_URL), BaseUrl::parse)?;
    let (Some(name), Some(base_url)) = (name, base_url) else {
        let message =
            "is not set; set it to the portal's address, or name a file with --config.file";
        return Err(ConfigError::about(BASE_URL, message));
    };
    if base_url.is_plain_beyond_loopback() {
        return Err(ConfigError::about(BASE_URL, PLAIN_HTTP));
    }
    let key_file = read(API_KEY_FILE, set(API_KEY_FILE), KeyFile::parse)?;
    let key = match (key_file, set(API_KEY)) {
        (Some(file), None) => KeySource::File(HiddenPath::file(API_KEY_FILE, file.0)),
        (None, Some(_)) => {
            let shown = format!("the environment variable {API_KEY}");
            KeySource::Environment(Hidden::new(API_KEY, &shown, API_KEY.to_owned()))
        }
        (Some(_), Some(_)) => {
            let message = format!("{API_KEY_FILE} is set too; remove one of the two");
            return Err(ConfigError::about(API_KEY, &message));
        }
        (None, None) => {
            let message =
                format!("{API_KEY_FILE} or {API_KEY} is missing; one of them is required");
            return Err(ConfigError::because(&message));
        }
    };
    let ca_file = read(CA_FILE, set(CA_FILE), SecretPath::parse)?;
    let portal = Portal {
        ca_file: ca_file.map(|file| HiddenPath::file(CA_FILE, file.0)),
        ..Portal::new(name.0, base_url, key)
    };
    Ok(Config {
        state: state.map_or(State::Temporary, |path| State::Path(path.0)),
        ..Config::for_portal(portal)
    })
}

fn read<T>(
    variable: &str,
    text: Option<String>,
    parse: fn(&str) -> Result<T, String>,
) -> Result<Option<T>, ConfigError> {
    let read = text.map(|text| parse(&text)).transpose();
    read.map_err(|message| ConfigError::about(variable, &message))
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
                "KB_PORTAL_NAME: a name has 1 to 100 printable characters, without spaces around it, and is not . or ..",
            ),
        ];
        for (variables, message) in table {
            let error = start(variables).unwrap_err();
            assert_eq!(error.to_string(), *message);
        }
    }
}
