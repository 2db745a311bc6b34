//! The page of the configuration in use.

use maud::{Markup, html};

use crate::http::page::Configuration;
use crate::http::page::layout::{As, time};

pub(super) fn content(configuration: &Configuration) -> Markup {
    html! {
        h1 { "Configuration" }
        p {
            "In use since " (time(configuration.facts.loaded, As::Clock)) ". "
            @if !configuration.facts.reload_successful {
                span.fail { "The changed file could not be used." } " The log has the reason. "
            }
            "Paths of secrets and comments are left out."
        }
        pre tabindex="0" { (configuration.shown) }
    }
}
