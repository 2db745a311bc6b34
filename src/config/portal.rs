//! One portal to watch.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use crate::config::address::{BaseUrl, Proxy, WebUrl};
use crate::config::folders::FolderFilter;
use crate::config::hidden::{Hidden, HiddenPath};
use crate::config::path::{KeyFile, SecretPath, VariableName};
use crate::config::value::{section, written_as_text};
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

/// Where the key is found. Never the key itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    File(HiddenPath),
    /// The environment variable that holds it.
    Environment(Hidden<String>),
}

impl KeySource {
    /// The key of the configuration, or the environment variable, that says so.
    pub fn key(&self) -> &str {
        match self {
            Self::File(file) => file.key(),
            Self::Environment(variable) => variable.key(),
        }
    }
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

impl Serialize for Portal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        PortalKeys::from(self.clone()).serialize(serializer)
    }
}

/// One portal to watch.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PortalKeys {
    /// The value of the label `portal`; each portal has its own
    #[schemars(example = &"main")]
    pub name: Name,
    /// The address of the administrator part, with its path
    #[schemars(example = &"https://portal.example/admin")]
    base_url: BaseUrl,
    /// The file that holds the key; this or `api_key_env` is required
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "KeyFile", example = &"/run/secrets/kb-key")]
    api_key_file: Option<KeyFile>,
    /// The variable that holds the key; a key itself is refused
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "VariableName", example = &"KB_API_KEY")]
    api_key_env: Option<VariableName>,
    /// Where people see a folder; its page links there
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "WebUrl", example = &"https://portal.example/library/{folder_id}")]
    web_url: Option<WebUrl>,
    /// Certificates (PEM) to trust
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SecretPath", example = &"/etc/ssl/portal-ca.pem")]
    ca_file: Option<SecretPath>,
    /// Client certificate (PEM); only together with `key_file`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SecretPath", example = &"/etc/ssl/client.pem")]
    cert_file: Option<SecretPath>,
    /// Private key (PEM) of the client certificate
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SecretPath", example = &"/etc/ssl/client.key")]
    key_file: Option<SecretPath>,
    /// The proxy for the portal; `environment` uses the usual variables
    #[serde(default)]
    proxy_url: Proxy,
    /// The header `User-Agent`
    #[serde(default)]
    // With the version, the documentation would change with each.
    #[schemars(extend("default" = "kb-exporter/VERSION"))]
    user_agent: UserAgent,
    /// Allows `http://` to a host other than loopback, which sends the key unencrypted
    #[serde(default)]
    allow_plain_http: bool,
    /// Which of the key's folders are watched
    #[serde(default, deserialize_with = "section")]
    #[schemars(with = "Option<FolderFilter>")]
    folders: FolderFilter,
}

impl PortalKeys {
    /// The portal at `path`, such as `portals[0]`; the error is a sentence.
    pub(super) fn check(self, path: &str) -> Result<Portal, String> {
        if self.base_url.is_plain_beyond_loopback() && !self.allow_plain_http {
            return Err(format!("base_url: {PLAIN_HTTP}"));
        }
        let file = |key: &str, file: SecretPath| HiddenPath::file(&format!("{path}.{key}"), file.0);
        Ok(Portal {
            name: self.name.0,
            base_url: self.base_url,
            key: match (self.api_key_file, self.api_key_env) {
                (Some(key), None) => {
                    KeySource::File(HiddenPath::file(&format!("{path}.api_key_file"), key.0))
                }
                (None, Some(variable)) => {
                    let key = format!("{path}.api_key_env");
                    let shown = format!("the environment variable that {key} names");
                    KeySource::Environment(Hidden::new(&key, &shown, variable.0))
                }
                (Some(_), Some(_)) => {
                    let both = "api_key_file and api_key_env are both set; remove one";
                    return Err(both.to_owned());
                }
                (None, None) => {
                    let none = "api_key_file or api_key_env is missing; one of them is required";
                    return Err(none.to_owned());
                }
            },
            web_url: self.web_url,
            ca_file: self.ca_file.map(|path| file("ca_file", path)),
            client_certificate: match (self.cert_file, self.key_file) {
                (None, None) => None,
                (Some(certificate), Some(key)) => Some(ClientCertificate {
                    cert_file: file("cert_file", certificate),
                    key_file: file("key_file", key),
                }),
                _ => {
                    return Err("a client certificate needs both cert_file and key_file".to_owned());
                }
            },
            proxy: self.proxy_url,
            user_agent: self.user_agent.0,
            folders: self.folders,
        })
    }
}

/// Why an address is refused.
pub(super) const PLAIN_HTTP: &str = "http:// would send the key unencrypted: use https://, or set allow_plain_http: true in the configuration file";

impl From<Portal> for PortalKeys {
    fn from(portal: Portal) -> Self {
        let file = |file: HiddenPath| SecretPath(file.expose().clone());
        let (cert_file, key_file) = portal
            .client_certificate
            .map(|own| (file(own.cert_file), file(own.key_file)))
            .unzip();
        let (api_key_file, api_key_env) = match portal.key {
            KeySource::File(file) => (Some(KeyFile(file.expose().clone())), None),
            KeySource::Environment(name) => (None, Some(VariableName(name.expose().clone()))),
        };
        Self {
            name: Name(portal.name),
            allow_plain_http: portal.base_url.is_plain_beyond_loopback(),
            base_url: portal.base_url,
            api_key_file,
            api_key_env,
            web_url: portal.web_url,
            ca_file: portal.ca_file.map(file),
            cert_file,
            key_file,
            proxy_url: portal.proxy,
            user_agent: UserAgent(portal.user_agent),
            folders: portal.folders,
        }
    }
}

/// The name of a portal.
#[derive(Clone, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(
    title = "a name",
    extend("minLength" = 1, "maxLength" = PortalName::MAX_CHARACTERS),
    inline
)]
pub(super) struct Name(pub PortalName);

impl Name {
    pub fn parse(text: &str) -> Result<Self, String> {
        PortalName::new(text).map(Self).ok_or_else(|| {
            format!(
                "a name has 1 to {} printable characters, without spaces around it, and is not . or ..",
                PortalName::MAX_CHARACTERS
            )
        })
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str())
    }
}

/// The value of the header `User-Agent`.
#[derive(Clone, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(
    title = "printable ASCII",
    extend("pattern" = "^[!-~]([ -~]*[!-~])?$"),
    inline
)]
struct UserAgent(String);

impl UserAgent {
    fn parse(text: &str) -> Result<Self, String> {
        let printable = text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        if printable && !text.is_empty() && text.trim() == text {
            return Ok(Self(text.to_owned()));
        }
        Err("a User-Agent has printable ASCII characters only, without spaces around it".to_owned())
    }
}

impl Default for UserAgent {
    fn default() -> Self {
        Self(USER_AGENT.to_owned())
    }
}

impl fmt::Display for UserAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

written_as_text!(Name, UserAgent);
