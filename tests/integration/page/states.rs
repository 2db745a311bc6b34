//! What somebody sees first, in each state: the sentence and the numbers, held against the metrics, on every screen.

use kb_exposition::Exposition;
use kb_simulator::faults::Target;
use kb_simulator::{NewFile, Status};
use serde_json::json;
use uuid::Uuid;

use crate::support::browser::{Browser, SCREENS};
use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::wait::{until, wait_for};
use crate::support::workspace::Workspace;

/// From right to left, and as long as a name can be.
const ARABIC: &str = "ملفات العقود القديمة";

/// A browser on the first page of an exporter.
struct Page {
    browser: Browser,
    url: String,
}

impl Page {
    async fn open(exporter: &Exporter) -> Self {
        let browser = Browser::start().await;
        let url = format!("http://{}", exporter.address());
        browser.open(&url, SCREENS[0]).await;
        Self { browser, url }
    }

    /// Waits until the sentence says all this, and looks at it on every screen.
    async fn says(&self, state: &str, words: &[&str]) {
        let sentence = wait_for(&format!("the page says {words:?}"), async || {
            self.browser.open(&self.url, SCREENS[0]).await;
            let sentence = self.browser.text("h1").await;
            words
                .iter()
                .all(|word| sentence.contains(word))
                .then_some(sentence)
        })
        .await;
        let title = self.browser.value("document.title").await;
        let title = title.as_str().unwrap();
        assert!(title.ends_with(" – kb-exporter"), "{title} of {sentence}");
        self.look(state).await;
    }

    /// The same where the list of the portal cannot be read, for these reasons.
    async fn says_unreadable(&self, state: &str, why: &[&str]) {
        let fact = ["Portal main: its folders cannot be read since "];
        self.says(state, &[&fact, why].concat()).await;
    }

    /// Pictures of the page as it is, on every screen and without colours; none has a serious fault or is wider than its screen.
    async fn look(&self, state: &str) {
        for screen in SCREENS {
            self.browser.open(&self.url, screen).await;
            let name = format!("state-{state}-{}", screen.name);
            self.browser.is_sound(&name).await;
            self.browser.picture(&name).await;
        }
        self.browser.open(&self.url, SCREENS[0]).await;
    }

    /// The four numbers are those of the metrics.
    async fn counts_as(&self, metrics: &Exposition) {
        let sum = |statuses: &[&str]| -> u64 {
            let all = metrics.all("kb_folder_files", &[]);
            let of = all.filter(|sample| statuses.contains(&sample.labels["status"].as_str()));
            of.map(kb_exposition::Sample::count).sum()
        };
        for (name, statuses) in [
            ("failed", &["failed"][..]),
            ("flagged", &["flagged"]),
            ("waiting", &["pending", "processing"]),
        ] {
            let shown = self
                .browser
                .text(&format!("[data-total={name}] .big"))
                .await;
            assert_eq!(shown.replace(',', ""), sum(statuses).to_string(), "{name}");
        }
    }
}

fn fail(portal: &Portal, folder: Uuid, count: u64, reason: &str) {
    for number in 0..count {
        let file = NewFile::new(format!("{reason} {number}.pdf"), Status::Pending);
        let file = portal.add(folder, &file);
        let failed = |world: &mut kb_simulator::World| {
            world.set_status(folder, file, Status::Failed, Some(reason))
        };
        portal.world(failed).unwrap();
    }
}

/// A portal of which nothing is wrong, and what watches it each second. The first folder is the inbox.
async fn quiet() -> (Portal, [Uuid; 3], Workspace) {
    let portal = Portal::start().await;
    let long = "Reports of the northern region ".repeat(8);
    let folders = ["Inbox", &long, ARABIC].map(|name| portal.folder(name));
    for folder in folders {
        for number in 0..200 {
            portal.file(folder, &format!("{number}.pdf"), Status::Done);
        }
    }
    let mut workspace = Workspace::each_second(&[("main", portal.base_url())]);
    workspace.change(|config| {
        config["reindex"] = json!({"mode": "dry_run"});
        config["portals"][0]["web_url"] = "https://portal.example/library/{folder_id}".into();
    });
    (portal, folders, workspace)
}

#[tokio::test]
async fn the_first_sentence_says_which_folder_has_how_many_failures_since_when_and_why() {
    let (portal, [inbox, ..], workspace) = quiet().await;
    // The list was read, and no folder was counted.
    portal.hold("/files");
    let exporter = Exporter::start(&workspace).await;
    let page = Page::open(&exporter).await;
    let unknown = ": not counted yet; also 2 more folders";
    page.says("unknown", &[unknown]).await;
    let errors = exporter.get("/errors").await.text().await.unwrap();
    assert!(
        errors.contains("counts of 0 of 3 folders") && !errors.contains("No failed or flagged")
    );
    assert_eq!(exporter.json("/health").await["status"], "warn");

    portal.heal();
    page.says("well", &["Nothing is wrong"]).await;
    let errors = exporter.get("/errors").await.text().await.unwrap();
    assert!(errors.contains("No failed or flagged file."), "{errors}");

    // Of the files that failed, most have one reason.
    fail(&portal, inbox, 3, "no text layer");
    fail(&portal, inbox, 57, "OCR timed out");
    let failed = [("folder", "Inbox"), ("status", "failed")];
    let metrics = exporter
        .metrics_when("the files are counted", |metrics| {
            let mut entries = metrics.all("kb_folder_status_entries_total", &failed);
            entries.any(|sample| sample.count() == 60)
        })
        .await;
    let most = "Portal main: 60 of 60 files that finished in half an hour failed";
    let spike = "Inbox: 60 files failed in the last hour, 57 of them with OCR timed out";
    page.says("spike", &[most]).await;
    let also = page.browser.text(".also").await;
    assert!(also.contains(spike), "{also}");
    page.counts_as(&metrics).await;
    let change = page.browser.text("[data-total=failed] .change").await;
    assert_eq!(change, "+60");
    for (place, section) in [("h1", "kbportalfailing"), ("tbody", "kbfailedspike")] {
        let link = format!("document.querySelector('{place} .rule').getAttribute('href')");
        let link = page.browser.value(&link).await;
        assert_eq!(link, format!("runbook#{section}"));
    }
    for deficiency in ["deuteranopia", "achromatopsia"] {
        page.browser.see_with(deficiency).await;
        let name = format!("state-spike-{deficiency}");
        page.browser.picture(&name).await;
    }
    page.browser.see_with("none").await;

    let link = "document.querySelector('tbody th a').getAttribute('href')";
    let link = page.browser.value(link).await;
    let folder = exporter.get(&format!("/{}", link.as_str().unwrap())).await;
    let folder = folder.text().await.unwrap();
    let address = format!("https://portal.example/library/{inbox}");
    for shown in [&*address, " timed out ", "dry_run"] {
        assert!(folder.contains(shown), "{shown}: {folder}");
    }
    let errors = exporter.get("/errors").await.text().await.unwrap();
    for shown in ["?portal=main&amp;error=OCR+timed+out", ">+57<", ">+3<"] {
        assert!(errors.contains(shown), "{shown}: {errors}");
    }

    // A restart knows the day, also while the portal does not answer.
    exporter.stop().await;
    portal.hold("/");
    let exporter = Exporter::start(&workspace).await;
    let page = Page {
        url: format!("http://{}", exporter.address()),
        ..page
    };
    page.says("restarted", &[most]).await;
    page.browser.close().await;
}

#[tokio::test]
async fn what_was_never_known_is_not_said_to_be_counted_and_a_fault_outlives_a_restart() {
    let (portal, _, workspace) = quiet().await;
    portal.world(|world| world.revoke_key("kbk_demo"));
    let exporter = Exporter::start(&workspace).await;
    let page = Page::open(&exporter).await;
    page.says_unreadable("never", &["it rejects the key"]).await;
    let text = page.browser.text("main").await;
    for said in ["main: no folder is known", "No folder is known."] {
        assert!(text.contains(said), "{said}: {text}");
    }
    for not in ["counted", "No folder matches", "at most 0"] {
        assert!(!text.contains(not), "{not}: {text}");
    }
    let errors = exporter.get("/errors").await.text().await.unwrap();
    assert!(errors.contains("no folder is known"), "{errors}");

    let since = "document.querySelector('h1 time').dateTime";
    let before = page.browser.value(since).await;
    exporter.stop().await;
    let exporter = Exporter::start(&workspace).await;
    let page = Page {
        url: format!("http://{}", exporter.address()),
        ..page
    };
    page.says_unreadable("never", &["it rejects the key"]).await;
    assert_eq!(page.browser.value(since).await, before);
    page.browser.close().await;
}

#[tokio::test]
async fn a_fault_is_said_once_and_a_page_that_nobody_answers_says_so() {
    let (portal, [_, long, _], workspace) = quiet().await;
    let exporter = Exporter::start(&workspace).await;
    let page = Page::open(&exporter).await;
    page.says("quiet", &["Nothing is wrong"]).await;
    portal.refuse(Target::Folder(long), 500);
    let folder = [
        "Reports of the northern",
        ": not counted since ",
        "status 500",
    ];
    page.says("folder", &folder).await;
    let row = page.browser.text("tbody .why").await;
    assert!(row.starts_with("not counted since "), "{row}");
    portal.heal();
    portal.refuse(Target::List, 503);
    page.says_unreadable("down", &["it answers with errors", "status 503"])
        .await;
    let errors = exporter.get("/errors").await.text().await.unwrap();
    let age = [
        "counts of 3 of 3 folders, the oldest <time",
        "; the portal cannot be read since <time",
    ];
    for said in age {
        assert!(errors.contains(said), "{said}: {errors}");
    }
    let why = "[...document.querySelectorAll('tbody .why')].map(it => it.textContent)";
    let down = "its portal cannot be read What to do";
    assert_eq!(page.browser.value(why).await, json!([down, down, down]));
    portal.heal();
    portal.world(|world| world.revoke_key("kbk_demo"));
    page.says_unreadable("revoked", &["it rejects the key"])
        .await;

    // A tab in the background asks seldom, and does not take that for silence. Clocks are put forward, which waits for nobody.
    let hide = |is_hidden: bool| {
        format!(
            "(Object.defineProperty(document, 'hidden', {{get: () => {is_hidden}, configurable: true}}), \
             document.dispatchEvent(new Event('visibilitychange')))"
        )
    };
    let minute = "(Date.now = (now => () => now() + 60000)(Date.now), tick(), document.title)";
    let title = "document.title";
    let answered = async || page.browser.value("unanswered === null").await == true;
    page.browser.value(&hide(true)).await;
    until("an answer", async || answered().await).await;
    let shown = page.browser.value(title).await;
    assert_eq!(page.browser.value(minute).await, shown);
    page.browser.value("again()").await;
    until("an answer", async || answered().await).await;

    exporter.kill().await;
    page.browser.value(&hide(false)).await;
    until("a failed request", async || !answered().await).await;
    let title = page.browser.value(minute).await;
    assert_eq!(title, "✕ No answer – kb-exporter");
    let gone = page.browser.text("#gone").await;
    let words = "The exporter has not answered for 1 min. All numbers are from ";
    assert!(gone.starts_with(words), "{gone}");
    page.browser.picture("state-gone-light").await;
    page.browser.close().await;
}
