//! The status pages in a real browser.

mod states;

use std::collections::BTreeMap;

use kb_simulator::Status;
use serde_json::json;

use crate::support::browser::{Browser, SCREENS};
use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::wait::until;
use crate::support::workspace::Workspace;

/// Files by folder id and status.
type Counts = BTreeMap<(String, String), u64>;

const HOSTILE: &str = "<script>document.title = 'taken'</script><b>bold</b> & \"co\"";

/// A portal with some folders, one of them hostile, and an exporter that has counted them.
async fn counted(schedule: &str) -> (Portal, Workspace, Exporter) {
    let portal = Portal::start().await;
    for (name, failed) in [("Inbox", 3), ("Reports & plans", 1), ("Empty", 0)] {
        let folder = portal.folder(name);
        for number in 0..failed {
            portal.file(folder, &format!("failed {number}.pdf"), Status::Failed);
        }
        portal.file(folder, "done.pdf", Status::Done);
    }
    portal.folder(" ");
    let hostile = portal.folder(HOSTILE);
    let file = portal.file(hostile, "a.pdf", Status::Failed);
    let reason = format!("{HOSTILE}\u{1b}[2J");
    let changed =
        portal.world(|world| world.set_status(hostile, file, Status::Failed, Some(&reason)));
    changed.unwrap();
    let workspace = Workspace::with(&[("main", portal.base_url())], |config| {
        config["collect"]["schedule"] = schedule.into();
        config["reindex"] = json!({"mode": "dry_run"});
    });
    let exporter = Exporter::start(&workspace).await;
    exporter.collected().await;
    (portal, workspace, exporter)
}

/// The numbers of the table that a page shows.
async fn shown(browser: &Browser) -> Counts {
    let cells = browser
        .value(
            "[...document.querySelectorAll('tbody tr')].flatMap(row => [...row.querySelectorAll('[data-status]')].map(cell => \
             [row.querySelector('a').getAttribute('href').split('/').pop(), cell.dataset.status, parseInt(cell.textContent)]))",
        )
        .await;
    let cells = cells.as_array().unwrap().iter();
    cells
        .map(|cell| {
            let text = |index: usize| cell[index].as_str().unwrap().to_owned();
            ((text(0), text(1)), cell[2].as_u64().unwrap())
        })
        .collect()
}

#[tokio::test]
async fn the_pages_show_the_numbers_of_the_metrics_and_keep_hostile_text_text() {
    let (_portal, _workspace, exporter) = counted("1h").await;
    let metrics = exporter.metrics().await;
    let browser = Browser::start().await;
    let url = |path: &str| format!("http://{}{path}", exporter.address());
    browser.open(&url("/"), SCREENS[0]).await;
    let expected: Counts = metrics
        .all("kb_folder_files", &[])
        .filter(|sample| ["failed", "flagged"].contains(&sample.labels["status"].as_str()))
        .map(|sample| {
            let key = (
                sample.labels["folder_id"].clone(),
                sample.labels["status"].clone(),
            );
            (key, sample.count())
        })
        .collect();
    assert_eq!(expected.len(), 2 * 5);
    assert_eq!(shown(&browser).await, expected);

    let names = browser
        .value("[...document.querySelectorAll('tbody th a')].map(link => link.textContent)")
        .await;
    assert!(
        names.as_array().unwrap().contains(&json!(HOSTILE)),
        "{names}"
    );
    let ids = "[...document.querySelectorAll('tbody th a')].filter(link => link.href.endsWith('/' + link.textContent)).length";
    assert_eq!(browser.value(ids).await, 1, "who has no name has an id");
    let hostile = "[...document.querySelectorAll('tbody th a')].find(link => link.textContent.includes('bold')).click()";
    browser.value(hostile).await;
    let is_open = async || browser.text("h1").await == HOSTILE;
    until("the folder's page", is_open).await;
    let example = browser.text("main").await;
    assert!(example.contains("What to do"), "{example}");
    browser.open(&url("/errors"), SCREENS[0]).await;
    let text = browser.text("main").await;
    assert!(text.contains(HOSTILE) && !text.contains('\u{1b}'), "{text}");
    let taken = browser
        .value("[document.title, document.querySelectorAll('main b, main script').length]")
        .await;
    assert_eq!(taken[1], 0);
    assert_ne!(taken[0], "taken");
    browser.close().await;
}

#[tokio::test]
async fn no_page_has_a_serious_fault_of_accessibility_on_any_screen() {
    let (_portal, _workspace, exporter) = counted("1h").await;
    let browser = Browser::start().await;
    let home = format!("http://{}", exporter.address());
    browser.open(&home, SCREENS[0]).await;
    let folder = browser
        .value("document.querySelector('tbody th a').getAttribute('href')")
        .await;
    let folder = folder.as_str().unwrap().to_owned();
    for screen in SCREENS {
        for (name, path) in [
            ("folders", "/"),
            ("folder", &*format!("/{folder}")),
            ("errors", "/errors"),
            ("configuration", "/config"),
            ("runbook", "/runbook#kbfailedspike"),
        ] {
            browser.open(&format!("{home}{path}"), screen).await;
            let name = format!("{name}-{}", screen.name);
            browser.is_sound(&name).await;
            browser.picture(&name).await;
        }
    }
    browser.close().await;
}

#[tokio::test]
async fn a_page_that_is_open_shows_newer_numbers_by_itself() {
    let (portal, _workspace, exporter) = counted("1s").await;
    let browser = Browser::start().await;
    browser
        .open(
            &format!("http://{}/?name=inbox", exporter.address()),
            SCREENS[0],
        )
        .await;
    // A click into the table does not stop it, and what is marked there stays marked.
    browser
        .value("(window.marker = 1, document.querySelector('tbody th a').focus(), 1)")
        .await;
    let failed = async || {
        browser
            .value("parseInt(document.querySelector('[data-status=failed]').textContent)")
            .await
    };
    assert_eq!(failed().await, 3);
    let link = browser
        .value("document.querySelector('tbody th a').getAttribute('href').split('/').pop()")
        .await;
    let inbox = link.as_str().unwrap().parse().unwrap();
    portal.file(inbox, "another.pdf", Status::Failed);
    let are_four = async || failed().await == 4;
    until("the page shows the fourth file", are_four).await;
    let focus = "document.activeElement.getAttribute('href')?.split('/').pop()";
    assert_eq!(browser.value(focus).await, link, "the link has the focus");
    browser
        .value("document.dispatchEvent(new KeyboardEvent('keydown', {key: '/', bubbles: true}))")
        .await;
    assert_eq!(
        browser.value("window.marker").await,
        1,
        "the page was not loaded anew"
    );
    browser.close().await;
}

#[tokio::test]
async fn many_folders_are_filtered_and_trouble_comes_first() {
    let portal = Portal::start().await;
    for number in 0..510 {
        let folder = portal.folder(&format!("Folder {number:04}"));
        if number == 123 {
            portal.file(folder, "bad.pdf", Status::Failed);
        }
    }
    let workspace = Workspace::new(&[("main", portal.base_url())]);
    let exporter = Exporter::start(&workspace).await;
    exporter.collected().await;
    let page = async |path: &str| exporter.get(path).await.text().await.unwrap();
    let first = page("/").await;
    assert!(first.contains("510 folders, of which the first 500 are shown"));
    let (_, table) = first.split_once("<tbody>").unwrap();
    assert_eq!(table.matches("<a href=\"folders/").count(), 500);
    let (top, _) = table.split_once("</tr>").unwrap();
    assert!(top.contains("Folder 0123"), "trouble comes first");
    let filtered = page("/?name=FOLDER+0123").await;
    assert!(filtered.contains("1 folder<") && filtered.contains("Folder 0123"));
    assert!(page("/?portal=other").await.contains("No folder matches."));
    let of_error = page("/?error=unspecified").await;
    assert!(
        of_error.contains("1 folder<") && of_error.contains("Folder 0123"),
        "{of_error}"
    );

    let compressed = exporter.get_accepting("/", "gzip").await;
    assert_eq!(compressed.headers()["content-encoding"], "gzip");
}

#[tokio::test]
async fn every_link_of_a_page_is_relative_so_that_a_proxy_may_serve_it_below_a_path() {
    let portal = Portal::start().await;
    let folder = portal.folder("Inbox");
    let workspace = Workspace::new(&[("main", portal.base_url())]);
    let exporter = Exporter::start(&workspace).await;
    exporter.collected().await;
    for (path, base) in [
        ("/", "./"),
        ("/?name=inbox", "./"),
        ("/errors", "./"),
        ("/config", "./"),
        ("/runbook", "./"),
        (&format!("/folders/main/{folder}"), "./../../"),
    ] {
        let response = exporter.get(path).await;
        assert_eq!(response.status(), 200, "{path}");
        let policy = response.headers()["content-security-policy"].to_str();
        assert!(policy.unwrap().contains("default-src 'none'"), "{path}");
        let page = response.text().await.unwrap();
        assert!(page.contains(&format!("<base href=\"{base}\">")), "{path}");
        for attribute in ["href", "src", "action"] {
            assert!(!page.contains(&format!(" {attribute}=\"/")), "{path}");
        }
    }
}
