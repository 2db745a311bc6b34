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

/// An open connection.
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
    // Connection, authorisation, resources, shutdown: the connection cannot be used any more.
    let ended = ["08", "28", "3D", "53", "57P", "XX", "25P03"];
    if ended.iter().any(|class| code.code().starts_with(class)) {
        SqlError::Away(message)
    } else {
        SqlError::Postgres(message)
    }
}

pub(super) fn with_causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    let causes: Vec<String> = causes.map(ToString::to_string).collect();
    causes.join(": ")
}
