//! A metric family: its name, type, labels and HELP text, and where its values come from.

use std::io::Write;

use crate::metrics::families::view::{Facts, FolderFacts, PortalFacts};
use crate::metrics::samples::Samples;
use crate::model::label_values;

pub(super) const PORTAL: &[&str] = &["portal"];
pub(super) const FOLDER: &[&str] = &["portal", "folder_id", "folder"];
pub(super) const FOLDER_STATUS: &[&str] = &["portal", "folder_id", "folder", "status"];
pub(super) const FOLDER_REASON: &[&str] = &["portal", "folder_id", "folder", "reason"];

#[derive(Debug, Clone, Copy)]
pub struct Family {
    pub name: &'static str,
    pub help: &'static str,
    pub kind: Kind,
    /// Its labels, in the order in which they are written.
    pub labels: &'static [&'static str],
    pub(super) source: Source,
}

label_values! {
    /// The type of a family, as its TYPE line has it.
    pub enum Kind {
        /// A value that goes up and down.
        Gauge = "gauge",
        /// A value that only goes up.
        Counter = "counter",
        Histogram = "histogram",
    }
}

/// Where the values of a family come from. A value of `None` leaves the series out. Samples of a portal or a folder have its labels already.
#[derive(Debug, Clone, Copy)]
pub(super) enum Source {
    /// The registry of [`crate::metrics::Events`].
    Event,
    Exporter(fn(&Facts) -> Option<f64>),
    ExporterSamples(fn(&Facts, &mut Samples<'_>)),
    Portal(fn(&PortalFacts<'_>) -> Option<f64>),
    PortalSamples(fn(&PortalFacts<'_>, &mut Samples<'_>)),
    Folder(fn(&FolderFacts<'_>) -> Option<f64>),
    FolderSamples(fn(&FolderFacts<'_>, &mut Samples<'_>)),
}

impl Family {
    /// Writes samples of this family into `sink`.
    pub(super) fn samples<'a>(&self, sink: &'a mut dyn Write) -> Samples<'a> {
        let (name, kind) = (self.name, self.kind.as_str());
        let head = format!("# HELP {name} {}\n# TYPE {name} {kind}\n", self.help);
        Samples::new(name, self.labels, head, sink)
    }
}

/// Declares families, and the list `FAMILIES` of them: constant, type, name, labels, source, HELP text.
macro_rules! families {
    ($($constant:ident: $kind:ident $name:literal $labels:expr, $source:ident $(($value:expr))?, $help:literal;)*) => {
        $(
            #[doc = $help]
            pub(super) const $constant: $crate::metrics::family::Family = $crate::metrics::family::Family {
                name: $name,
                help: $help,
                kind: $crate::metrics::family::Kind::$kind,
                labels: $labels,
                source: $crate::metrics::family::Source::$source $(($value))?,
            };
        )*

        pub(in crate::metrics) const FAMILIES: &[&$crate::metrics::family::Family] = &[$(&$constant),*];
    };
}

pub(super) use families;
