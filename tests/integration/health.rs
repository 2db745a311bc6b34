//! Health, as others ask for it, and the page for people.

use kb_simulator::faults::Target;

use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::process::free_port;
use crate::support::wait::until;
use crate::support::workspace::Workspace;

/// An address at which nobody answers.
fn nowhere() -> String {
    format!("http://127.0.0.1:{}", free_port())
}

#[tokio::test]
async fn a_process_is_ready_once_the_folders_were_counted_and_then_for_good() {
    let portal = Portal::start().await;
    portal.folder("Inbox");
    portal.hold("/files");
    let workspace = Workspace::each_second(&[("main", portal.base_url())]);
    let exporter = Exporter::start(&workspace).await;
    portal.until_asked("/files", 0).await;
    assert_eq!(exporter.status("/readyz").await, 503);
    assert_eq!(exporter.status("/livez").await, 200);
    portal.heal();
    until("ready", async || exporter.status("/readyz").await == 200).await;
    portal.refuse(Target::List, 500);
    exporter.until_value("kb_portal_up", &[], 0.0).await;
    assert_eq!(exporter.status("/readyz").await, 200);
}

#[tokio::test]
async fn all_portals_must_have_answered_or_failed() {
    let portal = Portal::start().await;
    portal.hold("/mine");
    let portals = [("down", nowhere()), ("slow", portal.base_url())];
    let workspace = Workspace::new(&portals);
    let exporter = Exporter::start(&workspace).await;
    let failed = [("portal", "down"), ("result", "failure")];
    exporter
        .until_value("kb_collection_runs_total", &failed, 1.0)
        .await;
    assert_eq!(exporter.status("/readyz").await, 503);
}

#[tokio::test]
async fn health_passes_when_every_folder_is_counted() {
    let portal = Portal::start().await;
    let folder = portal.folder("Inbox");
    let workspace = Workspace::new(&[("main", portal.base_url())]);
    let exporter = Exporter::start(&workspace).await;
    exporter.collected().await;
    let response = exporter.get("/health").await;
    assert_eq!(response.status(), 200);
    assert_eq!(
        response.headers()["content-type"],
        "application/health+json"
    );
    let health = exporter.json("/health").await;
    assert_eq!(health["status"], "pass");
    let folder = &health["checks"][format!("folder:main:{folder}")][0];
    assert_eq!(
        (&folder["status"], &folder["name"]),
        (&"pass".into(), &"Inbox".into())
    );
    assert!(
        folder["observedValue"].is_u64(),
        "the age of the counts: {folder}"
    );
    assert!(folder["nextRun"].is_string(), "{folder}");
}

#[tokio::test]
async fn health_warns_of_a_folder_that_cannot_be_counted_and_says_why() {
    for (status, reason) in [(403, "forbidden"), (500, "error")] {
        let portal = Portal::start().await;
        portal.folder("Inbox");
        let folder = portal.folder("Closed");
        portal.refuse(Target::Folder(folder), status);
        let workspace = Workspace::new(&[("main", portal.base_url())]);
        let exporter = Exporter::start(&workspace).await;
        exporter.collected().await;
        assert_eq!(exporter.status("/health").await, 200);
        let health = exporter.json("/health").await;
        assert_eq!(health["status"], "warn");
        let folder = &health["checks"][format!("folder:main:{folder}")][0];
        assert_eq!(
            (&folder["status"], &folder["reason"]),
            (&"warn".into(), &reason.into())
        );
        assert_eq!(health["checks"]["portal:main"][0]["status"], "pass");
    }
}

#[tokio::test]
async fn health_warns_when_most_folders_answer_404_or_left_the_key_and_when_it_may_use_none() {
    let portal = Portal::start().await;
    let folders = ["A", "B", "C"].map(|name| portal.folder(name));
    let workspace = Workspace::each_second(&[("main", portal.base_url())]);
    let exporter = Exporter::start(&workspace).await;
    exporter.collected().await;
    let note = async |text: &str| {
        until(text, async || {
            let health = exporter.json("/health").await;
            let said = health["checks"]["portal:main"][0]["output"].to_string();
            health["status"] == "warn" && said.contains(text)
        })
        .await;
        let page = exporter.get("/").await.text().await.unwrap();
        assert!(!page.contains("Nothing is wrong"), "{text}");
    };
    let key = kb_simulator::Options::default().key;
    portal.world(|world| world.key_folders(&key, [folders[0]]));
    note("most folders left within a day: 2 of 3").await;
    // The list still has it.
    portal.refuse(Target::Folder(folders[0]), 404);
    note("most folders left within a day: 3 of 3").await;
    portal.world(|world| world.key_folders(&key, []));
    note("the key may use no folder").await;
}

#[tokio::test]
async fn health_fails_when_no_portal_can_be_collected_and_life_goes_on() {
    let workspace = Workspace::new(&[("main", nowhere())]);
    let exporter = Exporter::start(&workspace).await;
    let metrics = exporter.collected().await;
    let reason = metrics.value("kb_portal_unavailable", &[("reason", "unreachable")]);
    assert_eq!(reason, Some(1.0));
    assert_eq!(exporter.status("/health").await, 503);
    assert_eq!(exporter.status("/readyz").await, 200);
    let health = exporter.json("/health").await;
    assert_eq!(health["status"], "fail");
    assert_eq!(health["checks"]["portal:main"][0]["reason"], "unreachable");
    for path in ["/livez", "/healthz"] {
        assert_eq!(exporter.status(path).await, 200, "{path}");
    }
}
