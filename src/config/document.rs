//! The configuration file as it is written: its sections, and the list of portals.

use std::fmt;

use schemars::JsonSchema;
use serde::de::{DeserializeSeed, Deserializer, Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

use crate::config::portal::PortalKeys;
use crate::config::state::StateKeys;
use crate::config::value::section;
use crate::config::{Collect, Errors, Portal, Reindex, Request, State};

/// The configuration of kb-exporter.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "kb-exporter configuration")]
pub struct Config {
    /// The portals to watch
    #[serde(deserialize_with = "portals")]
    #[schemars(with = "Vec<PortalKeys>", length(min = 1))]
    pub portals: Vec<Portal>,
    /// When and how the folders are read
    #[serde(default, deserialize_with = "section")]
    #[schemars(with = "Option<Collect>")]
    pub collect: Collect,
    /// Limits of a single request
    #[serde(default, deserialize_with = "section")]
    #[schemars(with = "Option<Request>")]
    pub request: Request,
    /// How reasons are grouped into classes
    #[serde(default, deserialize_with = "section")]
    #[schemars(with = "Option<Errors>")]
    pub errors: Errors,
    /// When failed files are sent to be processed again
    #[serde(default, deserialize_with = "section")]
    #[schemars(with = "Option<Reindex>")]
    pub reindex: Reindex,
    /// Where the program stores its state across restarts
    #[serde(default, deserialize_with = "section")]
    #[schemars(with = "Option<StateKeys>")]
    pub state: State,
}

/// Reads the portals: at least one, each under a name of its own.
fn portals<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Portal>, D::Error> {
    let portals = deserializer.deserialize_seq(List)?;
    if portals.is_empty() {
        return Err(D::Error::custom(
            "at least one portal is needed, with name, base_url and api_key_file or api_key_env",
        ));
    }
    Ok(portals)
}

struct List;

impl<'de> Visitor<'de> for List {
    type Value = Vec<Portal>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut portals = Vec::new();
        while let Some(portal) = list.next_element_seed(Behind(&portals))? {
            portals.push(portal);
        }
        Ok(portals)
    }
}

/// The portals that come before one.
struct Behind<'p>(&'p [Portal]);

impl<'de> DeserializeSeed<'de> for Behind<'_> {
    type Value = Portal;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Portal, D::Error> {
        let portal = PortalKeys::deserialize(deserializer)?
            .check(&format!("portals[{}]", self.0.len()))
            .map_err(D::Error::custom)?;
        let mut before = self.0.iter();
        if let Some(first) = before.position(|other| other.name == portal.name) {
            return Err(D::Error::custom(format!(
                "name: portals[{first}] has this name already; each portal needs a name of its own"
            )));
        }
        Ok(portal)
    }
}
