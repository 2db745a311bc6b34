//! Overrides, and how values are written.

use super::*;
use crate::config::Config;
use uuid::Uuid;

fn reindex(yaml: &str) -> Reindex {
    let portals = "portals: [{name: a, base_url: https://p, api_key_env: K}]";
    let text = format!("{portals}\nreindex: {yaml}\n");
    let config = Config::from_yaml("kb.yml", &text).unwrap();
    config.reindex
}

#[test]
fn the_first_override_that_fits_wins_and_keeps_what_it_does_not_change() {
    let reindex = reindex(
        r#"{max_attempts: 7, budget: {per: 2h, files: 3}, windows: ["* * 1 * * *"], folders: [
             {match: "In*", cooldown: 2h, budget: {files: 9}, windows: []},
             {match: "*box", cooldown: 3h}]}"#,
    );
    let rules = |name| reindex.for_folder(Uuid::nil().into(), name);
    let inbox = rules("Inbox");
    assert_eq!(inbox.cooldown, Duration::from_hours(2));
    assert_eq!(inbox.max_attempts.get(), 7);
    assert_eq!(inbox.budget.per, Duration::from_hours(2));
    assert_eq!(inbox.budget.files, 9);
    assert!(inbox.windows.is_empty());
    assert_eq!(rules("Outbox").cooldown, Duration::from_hours(3));
    assert_eq!(rules("Outbox").windows.len(), 1);
    assert_eq!(rules("Other"), &reindex.rules);
}

#[test]
fn off_may_be_written_as_other_tools_write_it() {
    for off in ["off", "false", "\"off\""] {
        assert_eq!(reindex(&format!("{{mode: {off}}}")).rules.mode, Mode::Off);
    }
}
