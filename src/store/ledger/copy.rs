//! A copy of the ledger of a folder beside it, in the file of the state: a ledger that was deleted, or restored from a backup, forgets no attempt
//! that was made since.

use sqlx::{AnyConnection, Row as _};
use tracing::warn;

use crate::attempts::LedgerView;
use crate::model::PortalAddress;
use crate::store::database::Database;
use crate::store::error::StoreError;
use crate::store::place::{Access, Part, Place};
use crate::store::statement::query;

/// In PostgreSQL one database has both, and there is no copy.
#[derive(Debug)]
pub(super) struct Copy(Option<Database>);

impl Copy {
    pub fn of(place: &Place) -> Self {
        Self(match place {
            Place::Folder(_) => Some(Database::new(place.clone(), Part::State, Access::Serve)),
            Place::Server(_) => None,
        })
    }

    /// What was known of a portal when something was written last; `None` if there is no copy, or it cannot be read.
    pub async fn read(&mut self, portal: &PortalAddress) -> Option<LedgerView> {
        let read = async |connection: &mut AnyConnection| {
            let read = "SELECT document FROM ledger_copy WHERE portal = $1";
            let rows = query(connection, read, [portal.as_str().into()]).await?;
            let view = rows.first().map(|row| {
                let document: &str = row.try_get("document")?;
                Ok::<_, StoreError>(serde_json::from_str(document)?)
            });
            view.transpose()
        };
        match self.0.as_mut()?.transaction(read).await {
            Ok(view) => view,
            Err(error) => {
                warn!(%portal, %error, "the copy of the reindex ledger cannot be read");
                None
            }
        }
    }

    /// Writes what is known of a portal. That it cannot be written only means that a ledger that is lost is not noticed.
    pub async fn write(&mut self, portal: &PortalAddress, view: &LedgerView) {
        let Some(database) = &mut self.0 else {
            return;
        };
        let write = async |connection: &mut AnyConnection| {
            let write = "INSERT INTO ledger_copy (portal, document) VALUES ($1, $2)
                         ON CONFLICT (portal) DO UPDATE SET document = excluded.document";
            let row = [portal.as_str().into(), serde_json::to_string(view)?.into()];
            query(connection, write, row).await.map(drop)
        };
        if let Err(error) = database.transaction(write).await {
            warn!(%portal, %error, "the copy of the reindex ledger cannot be written");
        }
    }

    pub async fn close(&mut self) {
        if let Some(database) = &mut self.0 {
            database.close().await;
        }
    }
}
