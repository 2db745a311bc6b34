//! Checks of a simulated portal.

use std::time::Duration;

use super::*;
use crate::cli::testing::{KEY, Scene};
use crate::config::{BaseUrl, HiddenPath};

/// What a check says, which is complete or not.
async fn checked(scene: &Scene, is_complete: bool) -> String {
    let health = check(scene.config.clone()).await;
    let text = view::text_of(&tables::lists(&health), Form::Table).unwrap();
    assert_eq!(health.is_complete(), is_complete, "{text}");
    text
}

#[tokio::test]
async fn every_folder_that_can_be_read_shows_its_files() {
    let scene = Scene::new(&[("Inbox", 101), ("Archive", 0), ("Inbox", 1)]).await;
    let text = checked(&scene, true).await;
    let [first, _, second] = scene.folders()[..] else {
        panic!("it has three folders")
    };
    for (folder, files) in [
        ("Archive".to_owned(), 0),
        (format!("Inbox ({first})"), 101),
        (format!("Inbox ({second})"), 1),
    ] {
        let row = format!("│ main   ┆ {folder:<44} ┆ {files:>5} ┆ can be read │");
        assert!(text.contains(&row), "{row}: {text}");
    }
    assert!(text.contains("off in 3 folders"), "{text}");
}

#[tokio::test]
async fn a_deleted_folder_is_gone_and_no_fault_unless_most_are() {
    let scene = Scene::new(&[("Inbox", 1), ("Old", 5)]).await;
    let old = scene.folders()[1];
    scene
        .simulator
        .with(|world| world.delete_folder(old))
        .unwrap();
    let text = checked(&scene, true).await;
    assert!(text.contains("deleted since"), "{text}");
    let inbox = scene.folders()[0];
    let deleted = scene.simulator.with(|world| world.delete_folder(inbox));
    deleted.unwrap();
    let text = checked(&scene, false).await;
    assert!(text.contains("most folders left within a day"), "{text}");
}

#[tokio::test]
async fn a_revoked_key_is_one_row_with_the_reason() {
    let scene = Scene::new(&[("Inbox", 1)]).await;
    scene.simulator.with(|world| world.revoke_key(KEY));
    let text = checked(&scene, false).await;
    assert!(
        text.contains("status 401") && !text.contains("Inbox"),
        "{text}"
    );
    assert!(!text.contains(KEY));
}

#[tokio::test]
async fn a_folder_that_left_the_keys_set_after_it_was_listed_fails_the_check() {
    let scene = Scene::with_turn(&[("Inbox", 1), ("Secret", 1)], |world| {
        let inbox = world.folder_ids()[0];
        world.key_folders(KEY, [inbox]);
    })
    .await;
    let text = checked(&scene, false).await;
    assert!(
        text.contains("Secret") && text.contains("status 403"),
        "{text}"
    );
    assert!(text.contains("1 ┆ can be read"), "{text}");
}

#[tokio::test]
async fn only_what_the_configuration_admits_is_tried() {
    let mut scene = Scene::new(&[("Inbox", 1), ("Archive 1", 1)]).await;
    let exclude = "exclude: [\"Archive *\"]";
    scene.config.portals[0].folders = serde_saphyr::from_str(exclude).unwrap();
    let text = checked(&scene, true).await;
    assert!(!text.contains("Archive"), "{text}");
    assert_eq!(scene.simulator.with(|world| world.requests().count()), 2);
}

#[tokio::test]
async fn folders_beyond_the_limit_are_reported_and_not_tried() {
    let mut scene = Scene::new(&[("a", 1), ("b", 1), ("c", 1)]).await;
    scene.config.collect.max_folders = 2;
    let text = checked(&scene, false).await;
    assert!(
        text.contains("folders beyond collect.max_folders, which are not collected: 1"),
        "{text}"
    );
}

#[tokio::test]
async fn a_portal_in_trouble_changes_nothing_for_another() {
    let mut scene = Scene::new(&[("Inbox", 1)]).await;
    let mut other = scene.config.portals[0].clone();
    other.ca_file = Some(HiddenPath::file("ca_file", "/nonexistent/ca.pem"));
    scene.config.portals.push(other);
    let text = checked(&scene, false).await;
    assert!(
        text.contains("1 ┆ can be read")
            && text.contains("the file that ca_file names cannot be read"),
        "{text}"
    );
}

#[tokio::test]
async fn a_portal_that_hangs_is_asked_twice_and_no_longer_than_a_request_may_take() {
    let silent = tokio::net::TcpListener::bind(("127.0.0.1", 0))
        .await
        .unwrap();
    let address = silent.local_addr().unwrap();
    let mut scene = Scene::new(&[]).await;
    scene.config.portals[0].base_url = BaseUrl::parse(&format!("http://{address}")).unwrap();
    scene.config.request.timeout = Duration::from_millis(100);
    scene.config.request.retries = 4;
    let accepted = async {
        let mut connections = Vec::new();
        loop {
            connections.push(silent.accept().await.unwrap());
            if connections.len() > 2 {
                return;
            }
        }
    };
    tokio::select! {
        text = checked(&scene, false) => assert!(text.contains("no complete answer within 100ms"), "{text}"),
        () = accepted => panic!("it is asked more than twice"),
    }
}

#[tokio::test]
async fn a_port_that_speaks_no_tls_is_said() {
    let mut scene = Scene::new(&[("Inbox", 1)]).await;
    let address = scene.config.portals[0].base_url.to_string();
    let address = address.replace("http://", "https://");
    scene.config.portals[0].base_url = BaseUrl::parse(&address).unwrap();
    let text = checked(&scene, false).await;
    assert!(text.contains("the port speaks no TLS"), "{text}");
}

#[tokio::test]
async fn a_pattern_that_matches_nothing_is_said() {
    let mut scene = Scene::new(&[("Inbox", 1), ("Contracts", 1)]).await;
    let include = "include: [\"Contracts\", \"Inbux\"]";
    scene.config.portals[0].folders = serde_saphyr::from_str(include).unwrap();
    let text = checked(&scene, false).await;
    let said = "that match no folder that the key may use: folders.include[1]";
    assert!(text.contains(said), "{text}");
}

#[tokio::test]
async fn a_key_without_folders_fails_the_check() {
    let scene = Scene::new(&[]).await;
    let text = checked(&scene, false).await;
    assert!(text.contains("no folder to collect"), "{text}");
    let said = text.matches("the key may use no folder").count();
    assert_eq!(said, 1, "{text}");
}
