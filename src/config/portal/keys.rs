//! The keys of one portal as they are written, and the checks between them.

use std::path::PathBuf;

use serde::Deserialize;
use serde::de::Deserializer;
use serde_saphyr::{Location, Spanned};

use super::{ClientCertificate, Portal, USER_AGENT, parse_name};
use crate::config::address::{BaseUrl, Proxy};
use crate::config::error::Fault;
use crate::config::folders::FolderFilter;
use crate::config::key::{KeyFile, KeySource, NoLiteralKey, VariableName};
use crate::config::scalar::{self, FilePath};
use crate::config::yaml;
use crate::model::PortalName;

/// One entry of `portals`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::config) struct PortalKeys {
    pub(in crate::config) name: Spanned<Name>,
    base_url: Spanned<BaseUrl>,
    #[serde(default)]
    api_key_file: Option<KeyFile>,
    #[serde(default)]
    api_key_env: Option<Spanned<VariableName>>,
    #[serde(default, rename = "api_key", alias = "key", alias = "token")]
    _no_key: NoLiteralKey,
    #[serde(default, deserialize_with = "scalar::optional_path")]
    ca_file: Option<PathBuf>,
    #[serde(default)]
    cert_file: Option<Spanned<FilePath>>,
    #[serde(default)]
    key_file: Option<Spanned<FilePath>>,
    #[serde(default)]
    proxy_url: Proxy,
    #[serde(default)]
    user_agent: UserAgent,
    #[serde(default, deserialize_with = "scalar::flag")]
    allow_plain_http: bool,
    #[serde(default, deserialize_with = "scalar::section")]
    folders: FolderFilter,
}

impl PortalKeys {
    /// The portal at `path`, whose entry begins at `start`.
    pub(in crate::config) fn check(self, path: &str, start: Location) -> Result<Portal, Fault> {
        let about = |key: &str, message: &str| Fault::about(yaml::child(path, key), message);
        if self.base_url.value.is_plain_beyond_loopback() && !self.allow_plain_http {
            let message = "http:// would send the key unencrypted: use https://, or set allow_plain_http: true";
            return Err(about("base_url", message).at(self.base_url.referenced));
        }
        let key = match (self.api_key_file, self.api_key_env) {
            (Some(file), None) => KeySource::File(file.0),
            (None, Some(variable)) => KeySource::Environment(variable.value.0),
            (Some(_), Some(variable)) => {
                let message = "api_key_file is there too; only one of the two can hold";
                return Err(about("api_key_env", message).at(variable.referenced));
            }
            (None, None) => {
                let message = "api_key_file or api_key_env is missing: where is the key found?";
                return Err(Fault::about(path, message).at(start));
            }
        };
        let client_certificate = match (self.cert_file, self.key_file) {
            (None, None) => None,
            (Some(cert), Some(key)) => Some(ClientCertificate {
                cert_file: cert.value.0,
                key_file: key.value.0,
            }),
            (Some(cert), None) => {
                let message = "key_file is missing; a client certificate needs both";
                return Err(about("cert_file", message).at(cert.referenced));
            }
            (None, Some(key)) => {
                let message = "cert_file is missing; a client certificate needs both";
                return Err(about("key_file", message).at(key.referenced));
            }
        };
        Ok(Portal {
            name: self.name.value.0,
            base_url: self.base_url.value,
            key,
            ca_file: self.ca_file,
            client_certificate,
            proxy: self.proxy_url,
            user_agent: self.user_agent.0,
            folders: self.folders,
        })
    }
}

/// A portal's name.
pub(in crate::config) struct Name(PortalName);

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        scalar::parse(deserializer, parse_name).map(Self)
    }
}

/// The value of the header `User-Agent`.
struct UserAgent(String);

impl Default for UserAgent {
    fn default() -> Self {
        Self(USER_AGENT.to_owned())
    }
}

impl<'de> Deserialize<'de> for UserAgent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        scalar::parse(deserializer, |text| {
            let printable =
                !text.is_empty() && text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
            if printable && text.trim() == text {
                return Ok(Self(text.to_owned()));
            }
            Err(
                "a User-Agent has printable ASCII characters only, without spaces around it"
                    .to_owned(),
            )
        })
    }
}
