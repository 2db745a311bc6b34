//! One portal from the environment, for a start without a file (contract, Command line).

use std::path::PathBuf;

use crate::config::error::Fault;
use crate::config::portal::parse_name;
use crate::config::{BaseUrl, KeySource, Portal};
use crate::model::PortalName;

const BASE_URL: &str = "KB_BASE_URL";
const API_KEY: &str = "KB_API_KEY";
const API_KEY_FILE: &str = "KB_API_KEY_FILE";
const PORTAL_NAME: &str = "KB_PORTAL_NAME";
const CA_FILE: &str = "KB_CA_FILE";

/// The portal that the environment names. The key itself is not kept, only that there is one.
pub(super) fn portal(variable: &impl Fn(&str) -> Option<String>) -> Result<Portal, Fault> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    let base_url = base_url(set(BASE_URL))?;
    let key = match (set(API_KEY), set(API_KEY_FILE)) {
        (Some(_), None) => KeySource::Environment(API_KEY.to_owned()),
        (None, Some(file)) => KeySource::File(PathBuf::from(file)),
        (Some(_), Some(_)) => {
            let message = format!("{API_KEY_FILE} is set too; only one of the two can hold");
            return Err(Fault::about(API_KEY, message));
        }
        (None, None) => {
            let message =
                format!("neither this nor {API_KEY_FILE} is set: where is the key found?");
            return Err(Fault::about(API_KEY, message));
        }
    };
    Ok(Portal {
        ca_file: set(CA_FILE).map(PathBuf::from),
        ..Portal::new(name(set(PORTAL_NAME))?, base_url, key)
    })
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
    parse_name(&text).map_err(|message| Fault::about(PORTAL_NAME, message))
}
