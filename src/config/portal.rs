//! One portal to watch.

use schemars::JsonSchema;
use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};

use crate::config::address::{BaseUrl, Proxy, WebUrl};
use crate::config::folders::FolderFilter;
use crate::config::path::{HiddenPath, VariableName};
use crate::config::value::{Text, section};
use crate::model::PortalName;

/// Why an address is refused.
pub(super) const PLAIN_HTTP: &str = "http:// would send the key unencrypted: use https://, or set allow_plain_http: true in the configuration file";

/// One portal to watch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "PortalKeys")]
pub struct Portal {
    pub name: PortalName,
    pub base_url: BaseUrl,
    #[serde(flatten)]
    pub key: KeySource,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub web_url: Option<WebUrl>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ca_file: Option<HiddenPath>,
    #[serde(flatten)]
    pub client_certificate: Option<ClientCertificate>,
    #[serde(rename = "proxy_url")]
    pub proxy: Proxy,
    /// A valid header value.
    pub user_agent: String,
    pub folders: FolderFilter,
}

/// Where the key is found. Never the key itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub enum KeySource {
    #[serde(rename = "api_key_file")]
    File(HiddenPath),
    #[serde(rename = "api_key_env")]
    Environment(VariableName),
}

/// A client certificate and its private key, both in PEM.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClientCertificate {
    pub cert_file: HiddenPath,
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
            user_agent: own_name(),
            folders: FolderFilter::default(),
        }
    }
}

/// One portal to watch.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PortalKeys {
    /// The value of the label `portal`; each portal has its own
    #[serde(with = "Text::<PortalName>")]
    #[schemars(title = "a name", extend("maxLength" = PortalName::MAX_CHARACTERS), example = &"main")]
    name: PortalName,
    /// The address of the administrator part, with its path
    #[schemars(example = &"https://portal.example/admin")]
    base_url: BaseUrl,
    /// The file that holds the key; this or `api_key_env` is required
    #[schemars(example = &"/run/secrets/kb-key")]
    api_key_file: Option<HiddenPath>,
    /// The variable that holds the key; a key itself is refused
    #[schemars(example = &"KB_API_KEY")]
    api_key_env: Option<VariableName>,
    /// Where people see a folder; its page links there
    #[schemars(example = &"https://portal.example/library/{folder_id}")]
    web_url: Option<WebUrl>,
    /// Certificates (PEM) to trust
    #[schemars(example = &"/etc/ssl/portal-ca.pem")]
    ca_file: Option<HiddenPath>,
    /// Client certificate (PEM); only together with `key_file`
    #[schemars(example = &"/etc/ssl/client.pem")]
    cert_file: Option<HiddenPath>,
    /// Private key (PEM) of the client certificate
    #[schemars(example = &"/etc/ssl/client.key")]
    key_file: Option<HiddenPath>,
    /// The proxy for the portal; `environment` uses the usual variables
    #[serde(default)]
    proxy_url: Proxy,
    /// The header `User-Agent`
    #[serde(default = "own_name", deserialize_with = "user_agent")]
    // With the version, the documentation would change with each.
    #[schemars(title = "printable ASCII", extend("default" = "kb-exporter/VERSION", "pattern" = "^[!-~]([ -~]*[!-~])?$"))]
    user_agent: String,
    /// Allows `http://` to a host other than loopback, which sends the key unencrypted
    #[serde(default)]
    allow_plain_http: bool,
    /// Which of the key's folders are watched
    #[serde(default, deserialize_with = "section")]
    #[schemars(with = "Option<FolderFilter>")]
    folders: FolderFilter,
}

impl TryFrom<PortalKeys> for Portal {
    type Error = String;

    fn try_from(keys: PortalKeys) -> Result<Self, String> {
        if keys.base_url.is_plain_beyond_loopback() && !keys.allow_plain_http {
            return Err(format!("base_url: {PLAIN_HTTP}"));
        }
        let key = match (keys.api_key_file, keys.api_key_env) {
            (Some(file), None) => KeySource::File(file.of("api_key_file")),
            (None, Some(variable)) => KeySource::Environment(variable),
            (Some(_), Some(_)) => {
                return Err("api_key_file and api_key_env are both set; remove one".to_owned());
            }
            (None, None) => {
                let none = "api_key_file or api_key_env is missing; one of them is required";
                return Err(none.to_owned());
            }
        };
        let client_certificate = match (keys.cert_file, keys.key_file) {
            (None, None) => None,
            (Some(certificate), Some(key)) => Some(ClientCertificate {
                cert_file: certificate.of("cert_file"),
                key_file: key.of("key_file"),
            }),
            _ => return Err("a client certificate needs both cert_file and key_file".to_owned()),
        };
        Ok(Self {
            web_url: keys.web_url,
            ca_file: keys.ca_file.map(|file| file.of("ca_file")),
            client_certificate,
            proxy: keys.proxy_url,
            user_agent: keys.user_agent,
            folders: keys.folders,
            ..Self::new(keys.name, keys.base_url, key)
        })
    }
}

fn own_name() -> String {
    concat!("kb-exporter/", env!("CARGO_PKG_VERSION")).to_owned()
}

/// Reads what the header `User-Agent` can have.
fn user_agent<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    let is_printable = text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    if is_printable && !text.is_empty() && text.trim() == text {
        return Ok(text);
    }
    let expected = "a User-Agent has printable ASCII characters only, without spaces around it";
    Err(D::Error::custom(expected))
}
