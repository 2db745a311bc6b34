//! How many transactions a database has committed.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// Names the file that has the address of the PostgreSQL server.
const POSTGRES: &str = "KB_BENCH_POSTGRES_URL_FILE";

/// Where an index of SQLite's write-ahead log has the counter of transactions (<https://sqlite.org/walformat.html>, `iChange`).
const CHANGES_AT: usize = 8;

/// The file that has the address of the PostgreSQL server, if the state is there.
pub fn postgres() -> Option<PathBuf> {
    env::var_os(POSTGRES).map(PathBuf::from)
}

/// Transactions so far of the PostgreSQL server, if there is one, or else of these state folders.
pub fn committed<'a>(states: impl Iterator<Item = &'a Path>) -> Result<u64> {
    match postgres() {
        Some(file) => of_postgres(&file),
        None => states.map(of_sqlite).sum(),
    }
}

fn of_sqlite(state: &Path) -> Result<u64> {
    let index = std::fs::read(state.join("state.db-shm")).context("no state.db-shm")?;
    let counter = index.get(CHANGES_AT..CHANGES_AT + 4);
    let counter = counter.context("state.db-shm is too short")?;
    Ok(u32::from_ne_bytes(counter.try_into()?).into())
}

fn of_postgres(file: &Path) -> Result<u64> {
    let address = std::fs::read_to_string(file).context("cannot read the address")?;
    let query = "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()";
    let output = Command::new("psql")
        .args(["--no-psqlrc", "-At", "-c", query, address.trim()])
        .output()
        .context("cannot start psql")?;
    ensure!(output.status.success(), "psql failed: {}", output.status);
    Ok(String::from_utf8(output.stdout)?.trim().parse()?)
}
