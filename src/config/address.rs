//! Addresses: of portals and of proxies. An address is never repeated in an error, since a password may be part of it.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use url::{Host, ParseError, Url};

use crate::config::value::read_from_text;
use crate::model::{FolderId, PortalAddress};

/// The path that follows the address of a portal in each request.
const INTERFACE: &str = "/api/admin/library-folders";

/// The address of the administrator part of a portal: `http` or `https`, perhaps with a path, and nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(into = "String", title = "an address", extend("pattern" = "^[Hh][Tt][Tt][Pp][Ss]?:"), inline)]
pub struct BaseUrl(Url);

impl BaseUrl {
    /// Takes an address; the error is a sentence that says what would be right, and never holds the address.
    pub fn parse(text: &str) -> Result<Self, String> {
        const EXAMPLE: &str = "https://portal.example/admin";
        let url = http_address(text, EXAMPLE)?;
        let path = url.path().trim_end_matches('/');
        if path.contains(INTERFACE) || path.ends_with("/api/admin") {
            return Err(format!(
                "the exporter adds {INTERFACE} itself: end the address before it, such as {EXAMPLE}"
            ));
        }
        if path.ends_with("/login") {
            return Err(format!(
                "people log in there: end the address before /login, such as {EXAMPLE}"
            ));
        }
        Ok(Self(url))
    }

    /// The address as a URL. Its path is as configured, with or without a slash at its end.
    pub fn as_url(&self) -> &Url {
        &self.0
    }

    /// The address without slashes at the end of its path, which identifies a portal.
    pub fn normalised(&self) -> PortalAddress {
        let mut url = self.0.clone();
        url.set_path(self.0.path().trim_end_matches('/'));
        PortalAddress::from(url.as_str())
    }

    /// Whether the key would cross a network unencrypted.
    pub fn is_plain_beyond_loopback(&self) -> bool {
        self.0.scheme() == "http" && !is_loopback(&self.0)
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str())
    }
}

/// Where people see a folder of a portal, with a place for the folder's id.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(
    title = "an address with `{folder_id}`",
    extend("pattern" = "^[Hh][Tt][Tt][Pp][Ss]?:.*\\{folder_id\\}"),
    inline
)]
pub struct WebUrl(String);

impl WebUrl {
    const PLACE: &str = "{folder_id}";

    fn parse(text: &str) -> Result<Self, String> {
        const EXAMPLE: &str = "https://portal.example/library/{folder_id}";
        http_url(&text.replace(Self::PLACE, "0"))
            .map_err(|why| format!("this is not an address such as {EXAMPLE}: {why}"))?;
        if !text.contains(Self::PLACE) {
            return Err(format!("the id of a folder has no place, as in {EXAMPLE}"));
        }
        Ok(Self(text.to_owned()))
    }

    pub fn of(&self, folder: FolderId) -> String {
        self.0.replace(Self::PLACE, &folder.to_string())
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "String", rename_all = "lowercase")]
#[schemars(into = "String", title = "an address, `none` or `environment`", inline)]
pub enum Proxy {
    #[default]
    None,
    /// As `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` say.
    Environment,
    #[serde(untagged)]
    Address(Url),
}

impl Proxy {
    fn parse(text: &str) -> Result<Self, String> {
        match text {
            "none" => Ok(Self::None),
            "environment" => Ok(Self::Environment),
            _ => http_address(text, "http://proxy.example:3128")
                .map(Self::Address)
                .map_err(|fault| format!("{fault}; \"none\" and \"environment\" are possible too")),
        }
    }
}

read_from_text!(BaseUrl, WebUrl, Proxy);

/// An http or https address without a login; the error is a part of a sentence.
pub(crate) fn http_url(text: &str) -> Result<Url, String> {
    match Url::parse(text) {
        // The parser takes the next part for the host.
        Ok(_) if text.contains(":///") => Err("it has no host".to_owned()),
        Ok(url) if !url.username().is_empty() || url.password().is_some() => {
            Err("it contains a user name or a password: remove them".to_owned())
        }
        Ok(url) if matches!(url.scheme(), "http" | "https") => Ok(url),
        Ok(_) | Err(ParseError::RelativeUrlWithoutBase) => {
            Err("it begins with http:// or https://".to_owned())
        }
        Err(error) => Err(error.to_string()),
    }
}

fn http_address(text: &str, example: &str) -> Result<Url, String> {
    let url =
        http_url(text).map_err(|why| format!("this is not an address such as {example}: {why}"))?;
    if url.query().is_some() || url.fragment().is_some() {
        return Err("the address must end with its path, without \"?\" and \"#\"".to_owned());
    }
    Ok(url)
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_portal_has_one_normalised_address() {
        let normalised = |text| BaseUrl::parse(text).unwrap().normalised();
        for (one, other) in [
            ("https://portal.example", "https://PORTAL.example:443/"),
            (
                "https://portal.example/admin",
                "https://portal.example/admin//",
            ),
            (
                "http://portal.example:80/a/../b",
                "http://portal.example/b/",
            ),
        ] {
            assert_eq!(normalised(one), normalised(other));
        }
        let other = normalised("https://portal.example/Admin");
        assert_ne!(normalised("https://portal.example/admin"), other);
    }

    #[test]
    fn plain_http_stays_on_this_host() {
        for (text, beyond) in [
            ("http://127.0.0.1:15733", false),
            ("http://127.9.9.9", false),
            ("http://[::1]:15733", false),
            ("http://localhost/admin", false),
            ("https://portal.example", false),
            ("http://portal.example", true),
            ("http://localhost.portal.example", true),
            ("http://127.0.0.1.portal.example", true),
            ("http://10.0.0.1", true),
            ("http://[::ffff:10.0.0.1]", true),
        ] {
            let url = BaseUrl::parse(text).unwrap();
            assert_eq!(url.is_plain_beyond_loopback(), beyond, "{text}");
        }
    }
}
