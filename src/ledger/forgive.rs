//! What people take back: limits pass over what was before. The facts stay where they are.
//!
//! A request is a row in the table `forgiven`, which any process may write. The program that holds the ledger takes it in before it
//! decides the next time, or at its next start.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, params};

use crate::classify::Class;
use crate::ledger::error::LedgerError;
use crate::ledger::{database, rows, schema};
use crate::model::{FolderId, PortalAddress, Timestamp};

/// What people take back in a portal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Forgiven {
    /// All of what follows, but for [`Self::Clock`].
    Everything,
    /// The cooldown of a folder, and the attempts that its files have behind them.
    Folder(FolderId),
    /// What attempts told of a class of error.
    Class(Class),
    /// What the breaker, and the pause of a portal that does not carry out requests, are made from.
    Breaker,
    /// Times in the future: they were written by a clock that was ahead, and are taken for the time of the request.
    Clock,
}

impl Forgiven {
    fn words(&self) -> (&'static str, Option<String>) {
        match self {
            Self::Everything => ("everything", None),
            Self::Folder(folder) => ("folder", Some(folder.to_string())),
            Self::Class(class) => ("class", Some(class.as_str().to_owned())),
            Self::Breaker => ("breaker", None),
            Self::Clock => ("clock", None),
        }
    }

    pub(super) fn from_words(kind: &str, target: Option<&str>) -> Option<Self> {
        Some(match (kind, target) {
            ("everything", None) => Self::Everything,
            ("folder", Some(id)) => Self::Folder(FolderId::parse(id)?),
            ("class", Some(class)) => Self::Class(rows::class(class)),
            ("breaker", None) => Self::Breaker,
            ("clock", None) => Self::Clock,
            _ => return None,
        })
    }
}

impl fmt::Display for Forgiven {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.words() {
            (kind, Some(target)) => write!(f, "{kind} {target}"),
            (kind, None) => f.write_str(kind),
        }
    }
}

/// What people took back, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forgiveness {
    /// Attempts that were made until then are passed over.
    pub at: Timestamp,
    /// What they took back.
    pub what: Forgiven,
}

/// How long another process may write before this one gives up.
const PATIENCE: Duration = Duration::from_secs(10);

/// Writes a request for the program that holds the ledger of a state folder. Needs no lock, blocks.
///
/// Fails where there is no ledger, or one of another version.
pub fn ask_to_forgive(
    folder: &Path,
    portal: &PortalAddress,
    forgiveness: &Forgiveness,
) -> Result<(), LedgerError> {
    let path = database::path_in(folder);
    if !path.exists() {
        return Err(LedgerError::Missing { path });
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(&path, flags)?;
    connection.busy_timeout(PATIENCE)?;
    let found = schema::known_version(&connection, &path)?;
    if found != schema::VERSION {
        return Err(LedgerError::Older { path });
    }
    schema::configure(&connection)?;
    let (kind, target) = forgiveness.what.words();
    let (portal, at) = (portal.as_str(), forgiveness.at.as_millis());
    connection.execute(
        "INSERT INTO forgiven (portal, at, kind, target) VALUES (?1, ?2, ?3, ?4)",
        params![portal, at, kind, target],
    )?;
    Ok(())
}

/// Until when attempts are passed over, by what asks for them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PassedOver {
    everything: Option<Timestamp>,
    breaker: Option<Timestamp>,
    folders: HashMap<FolderId, Timestamp>,
    classes: HashMap<Class, Timestamp>,
}

impl PassedOver {
    pub fn note(&mut self, Forgiveness { at, what }: &Forgiveness) {
        match what {
            Forgiven::Everything => self.everything = self.everything.max(Some(*at)),
            Forgiven::Breaker => self.breaker = self.breaker.max(Some(*at)),
            Forgiven::Folder(folder) => {
                let until = self.folders.entry(*folder).or_insert(*at);
                *until = (*until).max(*at);
            }
            Forgiven::Class(class) => {
                let until = self.classes.entry(class.clone()).or_insert(*at);
                *until = (*until).max(*at);
            }
            Forgiven::Clock => {}
        }
    }

    /// For limits of a folder.
    pub fn folder(&self, folder: FolderId) -> Option<Timestamp> {
        self.everything.max(self.folders.get(&folder).copied())
    }

    /// For what is known of a class.
    pub fn class(&self, class: &Class) -> Option<Timestamp> {
        self.everything.max(self.classes.get(class).copied())
    }

    /// For the breaker.
    pub fn breaker(&self) -> Option<Timestamp> {
        self.everything.max(self.breaker)
    }

    /// Moves every time by so many milliseconds.
    pub fn moved(&self, by: i64) -> Self {
        let moved = |time: Timestamp| time.moved(by);
        Self {
            everything: self.everything.map(moved),
            breaker: self.breaker.map(moved),
            folders: self
                .folders
                .iter()
                .map(|(id, time)| (*id, moved(*time)))
                .collect(),
            classes: self
                .classes
                .iter()
                .map(|(class, time)| (class.clone(), moved(*time)))
                .collect(),
        }
    }
}
