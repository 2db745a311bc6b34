//! The databases of the program.

use std::fmt;

/// A database of the program. In a folder each is a file of its own; a server has the tables of both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// What is known of folders. It can be rebuilt.
    State,
    /// The reindex ledger.
    Ledger,
}

impl Part {
    pub const ALL: [Self; 2] = [Self::State, Self::Ledger];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::State => "state",
            Self::Ledger => "ledger",
        }
    }

    /// The name of its file in a state folder.
    pub const fn file_name(self) -> &'static str {
        match self {
            Self::State => "state.db",
            Self::Ledger => "ledger.db",
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::State => "stored state",
            Self::Ledger => "reindex ledger",
        })
    }
}
