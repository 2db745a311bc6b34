//! Reads the tables of the ledger.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::attempts::{
    Attempt, AttemptId, Book, ClassResult, ClassTotals, FileState, FolderLedger, Forgiven, Judged,
    SentFile, StateCounts, Totals, Verdict,
};
use crate::classify::Class;
use crate::model::{FileMap, FolderId, FolderName, PortalAddress, PortalName, Timestamp};
use crate::store::error::StoreError;
use crate::store::statement::{Connection, Row, Statement};

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

/// The names of the counters of a class in `total.what`, before its text.
pub(super) const RECOVERED: &str = "recovered ";
pub(super) const REFAILED: &str = "refailed ";

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
    let mut sent = sent(connection, portal).await?;
    let select = |columns: &str, table: &str| {
        let select = format!("SELECT {columns} FROM {table} WHERE portal = ");
        Statement::new(&select).value(portal)
    };
    select("*", "attempt")
        .text(" ORDER BY id")
        .each(connection, |row| {
            let attempt = attempt(&row, &mut sent)?;
            book.folder_or_new(attempt.folder).name = attempt.name.clone();
            book.track.set(attempt);
            Ok(())
        })
        .await?;
    select("folder, file, n", "tried")
        .each(connection, |row| {
            let n = u32::try_from(row.number("n")?).unwrap_or(u32::MAX);
            let folder = book.folder_or_new(row.folder()?);
            folder.file_attempts.insert(row.file()?, n);
            Ok(())
        })
        .await?;
    totals(connection, portal, &mut book).await?;
    let forgiven = forgivenesses(connection, portal).await?;
    for (what, until) in &forgiven.attempts {
        book.track.forgive(what, *until);
    }
    book.doubted = forgiven.doubted;
    book.clock_forgiven = forgiven.clock;
    Ok(book)
}

/// The files of each attempt that waits for its verdict.
async fn sent(
    connection: &mut Connection,
    portal: &PortalAddress,
) -> Result<BTreeMap<i64, FileMap<SentFile>>, StoreError> {
    let mut sent: BTreeMap<i64, FileMap<SentFile>> = BTreeMap::new();
    let select =
        Statement::new("SELECT attempt, file, class, name, state FROM sent WHERE portal = ");
    select
        .value(portal)
        .each(connection, |row| {
            let file = SentFile {
                state: word(FileState::ALL, FileState::as_str, row.text("state")?)?,
                class: Class::from_label(row.text("class")?),
                name: row.text_if_any("name")?.map(Arc::from),
            };
            let files = sent.entry(row.number("attempt")?).or_default();
            files.insert(row.file()?, file);
            Ok(())
        })
        .await?;
    Ok(sent)
}

fn attempt(row: &Row, sent: &mut BTreeMap<i64, FileMap<SentFile>>) -> Result<Attempt, StoreError> {
    let time = |column: &str| Ok::<_, StoreError>(Timestamp::from_millis(row.number(column)?));
    let id = row.number("id")?;
    let entry = row.text("entry")?;
    let entry = PortalName::new(entry)
        .ok_or_else(|| StoreError::Content(format!("the name of a portal {entry:?}")))?;
    let outcome = row.text_if_any("outcome")?;
    let outcome = outcome.map(|text| {
        let outcome = serde_json::from_str(text)?;
        Ok::<_, StoreError>((time("answered")?, outcome))
    });
    let results: Results = serde_json::from_str(row.text("results")?)?;
    let judged = row.text_if_any("verdict")?.map(|text| {
        Ok::<_, StoreError>(Judged {
            at: time("judged")?,
            verdict: word(Verdict::ALL, Verdict::as_str, text)?,
            files: results.files.unwrap_or_default(),
        })
    });
    let is_open = row.number("is_open")? == 1;
    let watched = is_open.then(|| Arc::new(sent.remove(&id).unwrap_or_default()));
    Ok(Attempt {
        id: AttemptId::new(id),
        portal: entry,
        folder: row.folder()?,
        name: FolderName::new(row.text("name")?),
        is_trial: row.number("is_trial")? == 1,
        intended: time("intended")?,
        files: row.number("files")?.unsigned_abs(),
        classes: results.classes,
        outcome: outcome.transpose()?,
        watched,
        judged: judged.transpose()?,
    })
}

/// The value that a text stands for.
fn word<T: Copy, const N: usize>(
    all: [T; N],
    text_of: fn(T) -> &'static str,
    text: &str,
) -> Result<T, StoreError> {
    let found = all.into_iter().find(|value| text_of(*value) == text);
    found.ok_or_else(|| StoreError::Content(format!("{text:?} in the ledger")))
}

/// Reads the counters: those of folders by their names, those of classes without a folder.
async fn totals(
    connection: &mut Connection,
    portal: &PortalAddress,
    book: &mut Book,
) -> Result<(), StoreError> {
    let mut folders: BTreeMap<FolderId, Map<String, Json>> = BTreeMap::new();
    let select = Statement::new("SELECT folder, what, n FROM total WHERE portal = ").value(portal);
    select
        .each(connection, |row| {
            let (what, n) = (row.text("what")?, row.number("n")?.unsigned_abs());
            if row.text("folder")?.is_empty() {
                class_total(&mut book.classes, what, n);
            } else {
                let folder = folders.entry(row.folder()?).or_default();
                folder.insert(what.to_owned(), n.into());
            }
            Ok(())
        })
        .await?;
    for (id, counters) in folders {
        let totals: Totals = serde_json::from_value(Json::Object(counters))?;
        let folder: &mut FolderLedger = book.folder_or_new(id);
        folder.totals = totals;
    }
    Ok(())
}

fn class_total(classes: &mut BTreeMap<Class, ClassTotals>, what: &str, n: u64) {
    if let Some(class) = what.strip_prefix(RECOVERED) {
        let class = Class::from_label(class);
        classes.entry(class).or_default().recovered = n;
    } else if let Some(class) = what.strip_prefix(REFAILED) {
        let class = Class::from_label(class);
        classes.entry(class).or_default().refailed = n;
    }
}

/// Reads what people forgave.
pub(super) async fn forgivenesses(
    connection: &mut Connection,
    portal: &PortalAddress,
) -> Result<Forgivenesses, StoreError> {
    let mut all = Forgivenesses::default();
    let select = Statement::new("SELECT what, until FROM forgiven WHERE portal = ");
    select
        .value(portal)
        .each(connection, |row| {
            let (what, until) = (row.text("what")?, row.number("until")?);
            if what == FORGIVEN_CLOCK {
                all.clock = Some(Timestamp::from_millis(until));
            } else if let Some(what) = Forgiven::parse(what) {
                all.attempts.push((what, AttemptId::new(until)));
            }
            Ok(())
        })
        .await?;
    let select = Statement::new("SELECT doubted FROM lease WHERE portal = ").value(portal);
    let rows = select.fetch(connection).await?;
    let doubted = rows.first().map(|row| row.number("doubted")).transpose()?;
    all.doubted = doubted.filter(|at| *at > 0).map(Timestamp::from_millis);
    Ok(all)
}
