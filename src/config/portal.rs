//! One portal to watch.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::config::address::{BaseUrl, Proxy, WebUrl};
use crate::config::error::Fault;
use crate::config::folders::FolderFilter;
use crate::config::form::{self, FilePath, Form as _, scalar};
use crate::config::hidden::{Hidden, HiddenPath};
use crate::config::key::{KeyFile, KeySource, VariableName};
use crate::model::PortalName;

/// The default of the header `User-Agent`.
const USER_AGENT: &str = concat!("kb-exporter/", env!("CARGO_PKG_VERSION"));

/// One portal to watch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Portal {
    /// The value of the label `portal`.
    pub name: PortalName,
    /// The address of the administrator part.
    pub base_url: BaseUrl,
    /// Where the key is found.
    pub key: KeySource,
    pub web_url: Option<WebUrl>,
    /// Certificates to trust instead of the system's, in PEM.
    pub ca_file: Option<HiddenPath>,
    /// The client certificate for TLS.
    pub client_certificate: Option<ClientCertificate>,
    /// The proxy.
    pub proxy: Proxy,
    /// The header `User-Agent`; a valid header value.
    pub user_agent: String,
    /// Which folders are watched.
    pub folders: FolderFilter,
}

/// A client certificate and its private key, both in PEM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientCertificate {
    /// The certificate chain.
    pub cert_file: HiddenPath,
    /// The private key.
    pub key_file: HiddenPath,
}

impl Portal {
    /// A portal with its required values and defaults for all others.
    pub fn new(name: PortalName, base_url: BaseUrl, key: KeySource) -> Self {
        Self {
            name,
            base_url,
            key,
            web_url: None,
            ca_file: None,
            client_certificate: None,
            proxy: Proxy::None,
            user_agent: USER_AGENT.to_owned(),
            folders: FolderFilter::default(),
        }
    }
}

/// One portal to watch.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PortalKeys {
    /// The value of the label `portal`; each portal has its own
    #[serde(with = "Name")]
    #[schemars(example = &"main")]
    pub name: PortalName,
    /// The address of the administrator part, with its path
    #[serde(with = "BaseUrl")]
    #[schemars(example = &"https://portal.example/admin")]
    pub base_url: BaseUrl,
    /// The file that holds the key; this or `api_key_env` is required
    #[serde(default, with = "KeyFile")]
    #[schemars(example = &"/run/secrets/kb-key")]
    pub api_key_file: Option<PathBuf>,
    /// The variable that holds the key; a key itself is refused
    #[serde(default, with = "VariableName")]
    #[schemars(example = &"KB_API_KEY")]
    pub api_key_env: Option<String>,
    /// Where people see a folder; its page links there
    #[serde(default, with = "WebUrl")]
    #[schemars(example = &"https://portal.example/library/{folder_id}")]
    pub web_url: Option<WebUrl>,
    /// Certificates (PEM) to trust
    #[serde(default, with = "FilePath")]
    #[schemars(example = &"/etc/ssl/portal-ca.pem")]
    pub ca_file: Option<PathBuf>,
    /// Client certificate (PEM); only together with `key_file`
    #[serde(default, with = "FilePath")]
    #[schemars(example = &"/etc/ssl/client.pem")]
    pub cert_file: Option<PathBuf>,
    /// Private key (PEM) of the client certificate
    #[serde(default, with = "FilePath")]
    #[schemars(example = &"/etc/ssl/client.key")]
    pub key_file: Option<PathBuf>,
    /// The proxy for the portal; `environment` uses the usual variables
    #[serde(default, with = "Proxy")]
    pub proxy_url: Proxy,
    /// The header `User-Agent`
    #[serde(default = "user_agent", with = "UserAgent")]
    pub user_agent: String,
    /// Allows `http://` to a host other than loopback, which sends the key unencrypted
    #[serde(default)]
    pub allow_plain_http: bool,
    /// Which of the key's folders are watched
    #[serde(default, deserialize_with = "form::section")]
    #[schemars(with = "Option<FolderFilter>")]
    pub folders: FolderFilter,
}

pub(super) fn user_agent() -> String {
    USER_AGENT.to_owned()
}

impl PortalKeys {
    /// The portal; nothing if there are mistakes. `place`: how a message names a key, and with `""` the portal as a whole.
    pub(super) fn check(
        mut self,
        place: &dyn Fn(&str) -> String,
        faults: &mut Vec<Fault>,
    ) -> Option<Portal> {
        let before = faults.len();
        if self.base_url.is_plain_beyond_loopback() && !self.allow_plain_http {
            let message = "http:// would send the key unencrypted: use https://, or set allow_plain_http: true in the configuration file";
            faults.push(Fault::about(place("base_url"), message));
        }
        let key = self.key(place).map_err(|fault| faults.push(fault));
        let certificate = self.client_certificate(place);
        let certificate = certificate.map_err(|fault| faults.push(fault));
        let ca_file = |file| HiddenPath::file(&place("ca_file"), file);
        let portal = Portal {
            name: self.name,
            base_url: self.base_url,
            key: key.ok()?,
            web_url: self.web_url,
            ca_file: self.ca_file.map(ca_file),
            client_certificate: certificate.ok()?,
            proxy: self.proxy_url,
            user_agent: self.user_agent,
            folders: self.folders,
        };
        (faults.len() == before).then_some(portal)
    }

    fn key(&mut self, place: &dyn Fn(&str) -> String) -> Result<KeySource, Fault> {
        let [in_file, in_variable] = ["api_key_file", "api_key_env"].map(place);
        match (self.api_key_file.take(), self.api_key_env.take()) {
            (Some(file), None) => {
                let file = HiddenPath::file(&in_file, file);
                Ok(KeySource::File(file))
            }
            (None, Some(variable)) => {
                let shown = if variable == in_variable {
                    format!("the environment variable {in_variable}")
                } else {
                    format!("the environment variable that {in_variable} names")
                };
                let variable = Hidden::new(&in_variable, &shown, variable);
                Ok(KeySource::Environment(variable))
            }
            (Some(_), Some(_)) => {
                let message = format!("{in_file} is set too; remove one of the two");
                Err(Fault::about(in_variable, message))
            }
            (None, None) => {
                let message =
                    format!("{in_file} or {in_variable} is missing; one of them is required");
                Err(Fault::about(place(""), message))
            }
        }
    }

    fn client_certificate(
        &mut self,
        place: &dyn Fn(&str) -> String,
    ) -> Result<Option<ClientCertificate>, Fault> {
        let file = |key: &str, file| HiddenPath::file(&place(key), file);
        let [key, missing] = match (self.cert_file.take(), self.key_file.take()) {
            (None, None) => return Ok(None),
            (Some(cert_file), Some(key_file)) => {
                return Ok(Some(ClientCertificate {
                    cert_file: file("cert_file", cert_file),
                    key_file: file("key_file", key_file),
                }));
            }
            (Some(_), None) => ["cert_file", "key_file"],
            (None, Some(_)) => ["key_file", "cert_file"],
        };
        let message = format!("{missing} is missing; a client certificate needs both");
        Err(Fault::about(place(key), message))
    }
}

/// The name of a portal.
pub(super) struct Name;

impl Name {
    pub fn parse(text: &str) -> Result<PortalName, String> {
        PortalName::new(text).ok_or_else(|| {
            format!(
                "a name has 1 to {} printable characters, without spaces around it, and is not . or ..",
                PortalName::MAX_CHARACTERS
            )
        })
    }
}

scalar! {
    Name as PortalName,
    read: Name::parse,
    schema: {
        "title": "a name",
        "type": "string",
        "minLength": 1,
        "maxLength": PortalName::MAX_CHARACTERS,
    }
}

/// The value of the header `User-Agent`.
struct UserAgent;

scalar! {
    UserAgent as String,
    read: |text| {
        let printable = text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        if printable && !text.is_empty() && text.trim() == text {
            return Ok(text.to_owned());
        }
        Err("a User-Agent has printable ASCII characters only, without spaces around it".to_owned())
    },
    // With the version, the documentation would change with each.
    json: |_own| "kb-exporter/VERSION",
    schema: { "title": "printable ASCII", "type": "string", "pattern": "^[!-~]([ -~]*[!-~])?$" }
}
