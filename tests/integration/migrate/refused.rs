//! What is not copied, and why.

use super::*;
use crate::support::attempts::add;
use crate::support::sqlite::sql;

#[tokio::test]
async fn both_the_folder_and_the_database_must_be_configured() {
    let story = Move::new().await;
    let output = story.migrate("postgres");
    assert_eq!(output.status.code(), Some(1));
    let says = String::from_utf8(output.stderr).unwrap();
    assert!(
        says.contains("set state.postgres_url_file, and state.path"),
        "{says}"
    );
}

#[tokio::test]
async fn a_source_that_is_missing_or_empty_is_refused_and_not_made() {
    let mut story = Move::new().await;
    story.use_database("state");
    let says = story.refused("postgres");
    assert!(says.contains("there is no stored state yet"), "{says}");
    assert!(!story.folder("state").exists());
    let says = story.refused("path");
    assert!(says.contains("there is no reindex ledger yet"), "{says}");
    let schemas = "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'kb_%'";
    assert_eq!(story.database.value(schemas), "0");
    assert!(!story.folder("state").exists());
}

#[tokio::test]
async fn a_folder_that_a_process_uses_is_refused() {
    let mut story = Move::new().await;
    let exporter = Exporter::start(&story.workspace).await;
    exporter.collected().await;
    story.use_database("state");
    let says = story.refused("postgres");
    assert!(says.contains("in use by another process"), "{says}");
    exporter.stop().await;
    story.migrated("postgres");
}

/// A lease that is over does not count, whoever had it.
#[tokio::test]
async fn a_database_is_refused_until_the_lease_of_a_process_that_was_killed_ends() {
    let mut story = Move::used().await;
    story.use_database("state");
    story.migrated("postgres");
    story.database.store(
        "INSERT INTO lease SELECT 'https://portal.example/', '3/4', 'holder', 1,
         (extract(epoch FROM clock_timestamp()) * 1000)::bigint + 600000",
    );
    story.use_database("back");
    let says = story.refused("path");
    assert!(
        says.contains("shard 3/4 of https://portal.example/"),
        "{says}"
    );
    story
        .database
        .store("UPDATE lease SET until = until - 600001");
    story.migrated("path");
}

#[tokio::test]
async fn a_target_that_is_not_empty_is_refused_and_left_as_it_is() {
    let mut story = Move::used().await;
    story.use_database("state");
    story.migrated("postgres");
    let before = rows::all(&story.folder("state"));
    story.database.store(&add(r#"{"doubted":{"at":1}}"#));
    let says = story.refused("postgres");
    assert!(says.contains("it has been used since"), "{says}");
    let says = story.refused("path");
    assert!(says.contains("the files of a folder"), "{says}");
    assert_eq!(rows::all(&story.folder("state")), before);

    story.use_folder("other");
    let exporter = Exporter::start(&story.workspace).await;
    exporter.collected().await;
    exporter.stop().await;
    story.use_database("other");
    let says = story.refused("postgres");
    assert!(says.contains("DROP SCHEMA kb_exporter CASCADE"), "{says}");
    // As the message says.
    story.database.sql("DROP SCHEMA kb_exporter CASCADE");
    story.migrated("postgres");
    // The first folder would be a second ledger that acts.
    story.database.sql("DROP SCHEMA kb_exporter CASCADE");
    story.use_database("state");
    let says = story.refused("postgres");
    assert!(says.contains("was moved to"), "{says}");
}

/// What cannot be read is not copied, and nothing of the rest is.
#[tokio::test]
async fn a_source_that_makes_no_sense_is_not_copied_in_part() {
    for wrong in [
        r#"{"wish":{}}"#,
        r#"{"settled":{"id":1,"at":1,"outcome":"not_sent"}}"#,
    ] {
        let mut story = Move::used().await;
        sql(&story.folder("state").join("ledger.db"), &add(wrong));
        let before = rows::all(&story.folder("state"));
        story.use_database("state");
        let says = story.refused("postgres");
        assert!(
            says.contains("data that kb-exporter did not write"),
            "{says}"
        );
        for table in ["folder", "event"] {
            let rows = story
                .database
                .store(&format!("SELECT count(*) FROM {table}"));
            assert_eq!(rows, [["0"]], "{table}");
        }
        assert_eq!(rows::all(&story.folder("state")), before);
        let moved = "SELECT count(*) FROM store WHERE moved_to IS NOT NULL";
        assert_eq!(
            sql(&story.folder("state").join("ledger.db"), moved),
            [["0"]]
        );
    }
}

#[tokio::test]
async fn a_copy_that_fails_leaves_no_rows() {
    let mut story = Move::used().await;
    story.use_database("state");
    story.migrated("postgres");
    story.database.store(&add(r#"{"wish":{}}"#));
    story.use_database("back");
    story.refused("path");
    assert!(rows::all(&story.folder("back")).values().all(Vec::is_empty));
    let moved = "SELECT count(*) FROM store WHERE moved_to IS NOT NULL";
    assert_eq!(story.database.store(moved), [["0"]]);
}

#[tokio::test]
async fn what_was_moved_to_one_folder_is_not_moved_to_a_second_one() {
    let mut story = Move::used().await;
    story.use_database("state");
    story.migrated("postgres");
    story.use_database("back");
    story.migrated("path");
    story.use_database("second");
    let says = story.refused("path");
    assert!(says.contains("was moved to"), "{says}");
    assert!(says.contains("/back"), "{says}");
    let rows = rows::all(&story.folder("second"));
    assert!(rows.values().all(Vec::is_empty));
}
