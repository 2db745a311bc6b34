//! Reads the tables of the ledger.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::attempts::{
    Attempt, AttemptId, Book, ClassResult, Forgiven, Judged, StateCounts, Verdict,
};
use crate::model::{FolderName, PortalAddress, PortalName, Timestamp};
use crate::store::error::StoreError;
use crate::store::packed::unpack;
use crate::store::statement::{Connection, Row, values};

/// The document in `attempt.results`.
#[derive(Serialize, Deserialize)]
pub(super) struct Results {
    pub classes: Arc<[ClassResult]>,
    /// How many files were in each state at the verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<StateCounts>,
}

/// In `forgiven.what`: times that are later than `until` were replaced by it.
pub(in crate::store) const FORGIVEN_CLOCK: &str = "clock";

/// In `reindexed.folder`: the counters are those of the classes.
pub(super) const CLASSES: &str = "";

/// What people forgave.
#[derive(Debug, Default)]
pub(super) struct Forgivenesses {
    pub attempts: Vec<(Forgiven, AttemptId)>,
    pub clock: Option<Timestamp>,
    pub doubted: Option<Timestamp>,
}

impl Forgivenesses {
    /// What of it is not known yet.
    pub fn since(&self, known: &Book) -> Self {
        let is_known = |(what, until): &(Forgiven, AttemptId)| {
            let mut all = known.track().forgiven();
            all.any(|(of, to)| of == what && to >= *until)
        };
        let attempts = self.attempts.iter().filter(|it| !is_known(it));
        Self {
            attempts: attempts.cloned().collect(),
            clock: self.clock.filter(|at| known.clock_forgiven != Some(*at)),
            doubted: self.doubted,
        }
    }
}

/// Reads what the ledger has of a portal.
pub(in crate::store) async fn book(
    connection: &mut Connection,
    portal: &PortalAddress,
) -> Result<Book, StoreError> {
    let mut book = Book::default();
    let attempts = "SELECT * FROM attempt WHERE portal = $1 ORDER BY id";
    connection
        .each(attempts, values![portal], |row| {
            let attempt = attempt(&row)?;
            book.folder_or_new(attempt.folder).name = attempt.name.clone();
            book.track.set(attempt);
            Ok(())
        })
        .await?;
    let folders = "SELECT folder, totals, tried FROM reindexed WHERE portal = $1";
    connection
        .each(folders, values![portal], |row| {
            let totals = row.get("totals")?;
            if row.get::<&str>("folder")? == CLASSES {
                book.classes = serde_json::from_str(totals)?;
                return Ok(());
            }
            let folder = book.folder_or_new(row.folder()?);
            folder.totals = serde_json::from_str(totals)?;
            let tried = row.get::<Option<&[u8]>>("tried")?;
            folder.file_attempts = tried.map(unpack).transpose()?.unwrap_or_default();
            Ok(())
        })
        .await?;
    let forgiven = forgivenesses(connection, portal).await?;
    for (what, until) in &forgiven.attempts {
        book.track.forgive(what, *until);
    }
    book.doubted = forgiven.doubted;
    book.clock_forgiven = forgiven.clock;
    Ok(book)
}

fn attempt(row: &Row) -> Result<Attempt, StoreError> {
    let time = |column: &str| Ok::<_, StoreError>(Timestamp::from_millis(row.get(column)?));
    let content = |text: &str| StoreError::Content(format!("{text:?} in the ledger"));
    let entry = row.get("entry")?;
    let outcome = row.get::<Option<&str>>("outcome")?;
    let outcome = outcome.map(|text| {
        let outcome = serde_json::from_str(text)?;
        Ok::<_, StoreError>((time("answered")?, outcome))
    });
    let results: Results = serde_json::from_str(row.get("results")?)?;
    let judged = row.get::<Option<&str>>("verdict")?.map(|text| {
        let mut all = Verdict::ALL.into_iter();
        let verdict = all.find(|verdict| verdict.as_str() == text);
        Ok::<_, StoreError>(Judged {
            at: time("judged")?,
            verdict: verdict.ok_or_else(|| content(text))?,
            files: results.files.unwrap_or_default(),
        })
    });
    let watched = row.get::<Option<&[u8]>>("watched")?.map(unpack);
    Ok(Attempt {
        id: AttemptId::new(row.get("id")?),
        portal: PortalName::new(entry).ok_or_else(|| content(entry))?,
        folder: row.folder()?,
        name: FolderName::new(row.get("name")?),
        is_trial: row.get::<i64>("is_trial")? == 1,
        intended: time("intended")?,
        files: row.get::<i64>("files")?.unsigned_abs(),
        classes: results.classes,
        outcome: outcome.transpose()?,
        watched: watched.transpose()?.map(Arc::new),
        judged: judged.transpose()?,
    })
}

/// Reads what people forgave.
pub(super) async fn forgivenesses(
    connection: &mut Connection,
    portal: &PortalAddress,
) -> Result<Forgivenesses, StoreError> {
    let mut all = Forgivenesses::default();
    let select = "SELECT what, until FROM forgiven WHERE portal = $1";
    for row in connection.query(select, values![portal]).await? {
        let (what, until) = (row.get("what")?, row.get("until")?);
        if what == FORGIVEN_CLOCK {
            all.clock = Some(Timestamp::from_millis(until));
        } else if let Some(what) = Forgiven::parse(what) {
            all.attempts.push((what, AttemptId::new(until)));
        }
    }
    let select = "SELECT doubted FROM lease WHERE portal = $1";
    let rows = connection.query(select, values![portal]).await?;
    let doubted = rows.first().map(|row| row.get("doubted")).transpose()?;
    all.doubted = doubted.filter(|at| *at > 0).map(Timestamp::from_millis);
    Ok(all)
}
