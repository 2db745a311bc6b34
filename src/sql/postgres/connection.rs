//! An open connection, and what its errors mean.

use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::time::timeout;
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

use crate::sql::error::SqlError;

/// A server that does not answer a statement within this time cannot be used.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// The server ends a statement after this time: before the client gives up, so that the error is known and the connection is still of use.
pub(super) const STATEMENT_TIMEOUT: Duration = Duration::from_secs(8);

pub(super) struct Connection {
    // Dropped before the runtime that it needs.
    pub client: Client,
    pub runtime: Runtime,
}

impl Connection {
    /// Waits for an answer of the server.
    pub fn wait<T>(
        &self,
        answer: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, SqlError> {
        let answer = self
            .runtime
            .block_on(async { timeout(PATIENCE, answer).await });
        match answer {
            Ok(answer) => answer.map_err(|error| explain(&error)),
            Err(_) => Err(SqlError::Away(format!(
                "no answer within {} seconds",
                PATIENCE.as_secs()
            ))),
        }
    }

    pub fn batch(&self, statements: &str) -> Result<(), SqlError> {
        self.wait(self.client.batch_execute(statements))
    }
}

/// The codes of errors of a statement, after which the connection is of use, or what they begin with. After any other error it may not be: the
/// server may shut down, or may have become a standby.
const OF_STATEMENT: [&str; 10] = [
    "21", "22", "23", "40", "42", "44", "54", "55", "57014", "P0",
];

/// What an error means, in words that do not have the URL.
pub(super) fn explain(error: &tokio_postgres::Error) -> SqlError {
    let Some(refused) = error.as_db_error() else {
        return SqlError::Away(with_causes(error));
    };
    let code = refused.code();
    if *code == SqlState::UNIQUE_VIOLATION {
        return SqlError::Duplicate;
    }
    let message = format!("{} (SQLSTATE {})", refused.message(), code.code());
    if OF_STATEMENT
        .iter()
        .any(|start| code.code().starts_with(start))
    {
        SqlError::Postgres(message)
    } else {
        SqlError::Away(message)
    }
}

pub(super) fn with_causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    let causes: Vec<String> = causes.map(ToString::to_string).collect();
    causes.join(": ")
}
