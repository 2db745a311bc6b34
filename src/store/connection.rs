//! Connections of either engine, and the pause after a server could not be used.

use std::sync::Once;
use std::time::Duration;

use ::url::Url;
use sqlx::any::AnyConnectOptions;
use sqlx::{AnyConnection, ConnectOptions as _};
use tokio::time::{Instant, timeout};

use crate::clock::Moment;
use crate::config::HiddenPath;
use crate::store::error::StoreError;
use crate::store::tables::rows;
use crate::store::url;

/// A server that takes longer to accept a connection cannot be used.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) async fn connect(url: &Url) -> Result<AnyConnection, StoreError> {
    static DRIVERS: Once = Once::new();
    DRIVERS.call_once(sqlx::any::install_default_drivers);
    // Statements have what portals sent.
    let options = AnyConnectOptions::from_url(url)?.disable_statement_logging();
    Ok(options.connect().await?)
}

/// Connects to the first host that takes writes, of those in the URL that a file has.
pub(super) async fn connect_to_server(
    url_file: &HiddenPath,
    needs_writes: bool,
) -> Result<AnyConnection, StoreError> {
    let mut refused = StoreError::NotOpened;
    for url in urls(url_file)? {
        let connected = timeout(PATIENCE, connect_to_host(&url, needs_writes)).await;
        let late = || {
            let seconds = PATIENCE.as_secs();
            StoreError::Away(format!("no connection within {seconds} seconds"))
        };
        match connected.unwrap_or_else(|_| Err(late())) {
            Ok(connection) => return Ok(connection),
            Err(error) => refused = error,
        }
    }
    Err(refused)
}

/// The URL of each host. The file is read at each connect.
fn urls(url_file: &HiddenPath) -> Result<Vec<Url>, StoreError> {
    let text = url_file.read();
    let text = text.map_err(|error| StoreError::Away(error.to_string()))?;
    let wrong = |why| StoreError::Away(format!("{url_file} cannot be used: {why}"));
    parse(&text).map_err(wrong)
}

fn parse(text: &[u8]) -> Result<Vec<Url>, String> {
    url::parse(String::from_utf8_lossy(text).trim())
}

/// Fails if a file cannot be read or has no URL of a database.
pub(crate) fn wrong_url(url_file: &HiddenPath) -> Result<(), String> {
    urls(url_file).map(drop).map_err(|error| error.to_string())
}

async fn connect_to_host(url: &Url, needs_writes: bool) -> Result<AnyConnection, StoreError> {
    let mut connection = connect(url).await?;
    let standby = "SELECT 1 WHERE current_setting('transaction_read_only') = 'on'";
    if needs_writes && !rows(&mut connection, standby.to_owned()).await?.is_empty() {
        return Err(StoreError::Away("the server is read-only".to_owned()));
    }
    Ok(connection)
}

/// The first pause after a server could not be used; the longer it is away, the less often it is asked.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Why there is a pause, if there is one.
#[derive(Debug, Default)]
pub(super) struct Pause(Option<Away>);

#[derive(Debug)]
struct Away {
    error: StoreError,
    until: Instant,
    length: Duration,
}

impl Pause {
    /// Fails while it lasts, for the reason of it.
    pub fn check(&self) -> Result<(), StoreError> {
        let now = Moment::now().steady;
        match &self.0 {
            Some(away) if now < away.until => Err(away.error.clone()),
            _ => Ok(()),
        }
    }

    /// Starts, or starts again and lasts twice as long.
    pub fn start(&mut self, error: &StoreError) {
        let length = self.0.as_ref().map_or(FIRST_PAUSE, |away| away.length * 2);
        let length = length.min(LONGEST_PAUSE);
        self.0 = Some(Away {
            error: error.clone(),
            until: Moment::now().steady + length,
            length,
        });
    }

    /// The server can be used.
    pub fn end(&mut self) {
        self.0 = None;
    }
}
