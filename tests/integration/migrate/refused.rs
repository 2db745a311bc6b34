//! What is not copied, and why.

use rusqlite::Connection;

use super::*;

#[tokio::test]
async fn both_the_folder_and_the_database_must_be_known() {
    let story = Move::new().await;
    let output = story.migrate("postgres");
    assert_eq!(output.status.code(), Some(1));
    let says = String::from_utf8(output.stderr).unwrap();
    assert!(says.contains("state.postgres_url_file"), "{says}");
}

#[tokio::test]
async fn a_source_that_is_missing_or_empty_is_refused_and_not_made() {
    let mut story = Move::new().await;
    story.use_database("state");
    let says = story.refused("postgres");
    assert!(says.contains("state.db"), "{says}");
    assert!(!story.folder("state").exists());
    let says = story.refused("path");
    assert!(says.contains("there is nothing to copy"), "{says}");
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
    assert!(says.contains("stop kb-exporter"), "{says}");
    exporter.stop().await;
    story.migrated("postgres");
}

/// A lease that is over does not count, whoever had it.
#[tokio::test]
async fn a_database_is_refused_until_the_lease_of_a_process_that_was_killed_ends() {
    let mut story = Move::used().await;
    story.use_database("state");
    story.migrated("postgres");
    let lease = "INSERT INTO kb_ledger.lease SELECT 'https://portal.example/', 3, 4, 'holder', 1,
                 (extract(epoch FROM clock_timestamp()) * 1000)::bigint";
    story.database.sql(&format!("{lease} + 600000"));
    story.use_database("back");
    let says = story.refused("path");
    assert!(
        says.contains("in shard 3 of https://portal.example/"),
        "{says}"
    );
    story
        .database
        .sql("UPDATE kb_ledger.lease SET until = until - 600001");
    story.migrated("path");
}

#[tokio::test]
async fn a_target_that_is_not_empty_is_refused_and_left_as_it_is() {
    let mut story = Move::used().await;
    story.use_database("state");
    story.migrated("postgres");
    let before = rows::all(&story.folder("state"));
    let says = story.refused("postgres");
    assert!(
        says.contains("DROP SCHEMA kb_state, kb_ledger CASCADE"),
        "{says}"
    );
    let says = story.refused("path");
    assert!(says.contains("state.db exists; move it away"), "{says}");
    assert_eq!(rows::all(&story.folder("state")), before);
    // As the message says.
    story
        .database
        .sql("DROP SCHEMA kb_state, kb_ledger CASCADE");
    story.migrated("postgres");
}

/// What cannot be read is not copied, and nothing of the rest is.
#[tokio::test]
async fn a_source_that_makes_no_sense_is_not_copied_in_part() {
    let mut story = Move::used().await;
    rows::fill(&story.folder("state"), 9);
    let ledger = Connection::open(story.folder("state").join("ledger.db")).unwrap();
    ledger
        .execute("UPDATE attempt SET outcome = 'wish' WHERE id = 3", [])
        .unwrap();
    drop(ledger);
    story.use_database("state");
    let says = story.refused("postgres");
    assert!(
        says.contains("data that kb-exporter did not write"),
        "{says}"
    );
    for table in ["kb_state.folder", "kb_ledger.portal"] {
        let rows = format!("SELECT count(*) FROM {table}");
        assert_eq!(story.database.value(&rows), "0", "{table}");
    }
}

#[tokio::test]
async fn a_copy_that_fails_leaves_no_files() {
    let mut story = Move::used().await;
    rows::fill(&story.folder("state"), 9);
    story.use_database("state");
    story.migrated("postgres");
    story
        .database
        .sql("UPDATE kb_ledger.attempt SET outcome = 'wish' WHERE id = 3");
    story.use_database("back");
    story.refused("path");
    let names = std::fs::read_dir(story.folder("back")).unwrap();
    let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["lock"]);
}
