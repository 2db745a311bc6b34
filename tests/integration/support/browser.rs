//! A real browser: Chromium without a window, driven by its own driver.

use std::path::PathBuf;
use std::process::Command;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use super::exporter::{client, json_of};
use super::process::{Process, free_port};

/// Where `tests/run` puts axe-core, which judges how accessible a page is; `*` is the version of Python.
const AXE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/target/tools/lib/*/site-packages/axe_playwright_python/axe.min.js"
);

/// A browser with one page.
pub(crate) struct Browser {
    /// Where the driver takes commands.
    session: String,
    _driver: Process,
}

/// How a page is looked at.
#[derive(Clone, Copy)]
pub(crate) struct Screen {
    pub(crate) name: &'static str,
    pub(crate) width: u32,
    pub(crate) scheme: &'static str,
}

/// A desk, a desk at night, a telephone.
pub(crate) const SCREENS: [Screen; 3] = [
    Screen {
        name: "light",
        width: 1280,
        scheme: "light",
    },
    Screen {
        name: "dark",
        width: 1280,
        scheme: "dark",
    },
    Screen {
        name: "telephone",
        width: 390,
        scheme: "light",
    },
];

impl Browser {
    /// Starts a browser.
    pub(crate) async fn start() -> Self {
        // By itself, the driver takes a port of IPv6, and ends where another process has that one of IPv4.
        let port = free_port();
        let mut command = Command::new("chromedriver");
        let mut driver = Process::start(command.arg(format!("--port={port}")));
        driver.says("successfully on port ").await;
        let arguments = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--hide-scrollbars",
        ];
        let options = json!({"goog:chromeOptions": {"args": arguments}});
        let sessions = format!("http://127.0.0.1:{port}/session");
        let asked = json!({"capabilities": {"alwaysMatch": options}});
        let session = sent(client().post(&sessions).body(asked.to_string())).await;
        Self {
            session: format!("{sessions}/{}", session["sessionId"].as_str().unwrap()),
            _driver: driver,
        }
    }

    /// Opens an address on a screen.
    pub(crate) async fn open(&self, url: &str, screen: Screen) {
        let metrics = json!({
            "width": screen.width, "height": 1000, "deviceScaleFactor": 1, "mobile": screen.width < 500,
        });
        self.command("Emulation.setDeviceMetricsOverride", metrics)
            .await;
        let scheme = json!({"name": "prefers-color-scheme", "value": screen.scheme});
        self.command("Emulation.setEmulatedMedia", json!({"features": [scheme]}))
            .await;
        self.post("url", &json!({"url": url})).await;
    }

    /// The value of an expression in the page.
    pub(crate) async fn value(&self, expression: &str) -> Value {
        self.run("sync", &format!("return ({expression});")).await
    }

    /// What axe-core finds serious or critical: rule, and the elements.
    pub(crate) async fn serious_faults(&self) -> Vec<String> {
        let Some(Ok(axe)) = glob::glob(AXE).unwrap().next() else {
            // Set by tests/run where the tools cannot be installed.
            assert!(
                std::env::var_os("KB_WITHOUT_TOOLS").is_some(),
                "{AXE} is missing: use tests/run"
            );
            return Vec::new();
        };
        let axe = std::fs::read_to_string(axe).unwrap();
        self.run("sync", &axe).await;
        let script =
            "const done = arguments[0]; axe.run().then(result => done(result.violations));";
        let violations = self.run("async", script).await;
        let violations = violations.as_array().unwrap().iter();
        violations
            .filter(|violation| {
                ["serious", "critical"].contains(&violation["impact"].as_str().unwrap_or_default())
            })
            .map(|violation| {
                let elements = violation["nodes"].as_array().unwrap().iter();
                let elements: Vec<_> = elements.map(|node| node["html"].to_string()).collect();
                format!("{}: {}", violation["id"], elements.join(" "))
            })
            .collect()
    }

    /// Fails where the page has a serious fault of accessibility, or is wider than its screen.
    pub(crate) async fn is_sound(&self, page: &str) {
        let faults = self.serious_faults().await;
        assert!(faults.is_empty(), "{page}: {faults:#?}");
        let root = "document.documentElement";
        let wider = format!("{root}.scrollWidth > {root}.clientWidth");
        let is_wide = self.value(&wider).await;
        assert_eq!(is_wide, Value::Bool(false), "{page} is too wide");
    }

    /// Shows the page as people see it who lack some colours, such as `deuteranopia`, or `none` of that.
    pub(crate) async fn see_with(&self, deficiency: &str) {
        let name = "Emulation.setEmulatedVisionDeficiency";
        self.command(name, json!({"type": deficiency})).await;
    }

    /// The text of the first element that a selector finds.
    pub(crate) async fn text(&self, selector: &str) -> String {
        let text = format!("document.querySelector({selector:?})?.innerText");
        let text = self.value(&text).await;
        let words: Vec<_> = text
            .as_str()
            .unwrap_or_default()
            .split_whitespace()
            .collect();
        words.join(" ")
    }

    /// Writes a picture of the whole page to `target/screenshots`.
    pub(crate) async fn picture(&self, name: &str) {
        let height = self.value("document.documentElement.scrollHeight").await;
        let width = self.value("document.documentElement.clientWidth").await;
        let metrics =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.command("Emulation.setDeviceMetricsOverride", metrics)
            .await;
        let picture = sent(client().get(format!("{}/screenshot", self.session))).await;
        let picture = BASE64_STANDARD.decode(picture.as_str().unwrap()).unwrap();
        let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/target/screenshots"));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("{name}.png")), picture).unwrap();
    }

    /// A command of the browser's own protocol.
    async fn command(&self, name: &str, parameters: Value) {
        let command = json!({"cmd": name, "params": parameters});
        self.post("goog/cdp/execute", &command).await;
    }

    async fn run(&self, how: &str, script: &str) -> Value {
        let script = json!({"script": script, "args": []});
        self.post(&format!("execute/{how}"), &script).await
    }

    async fn post(&self, command: &str, body: &Value) -> Value {
        let url = format!("{}/{command}", self.session);
        sent(client().post(url).body(body.to_string())).await
    }

    /// Ends the browser.
    pub(crate) async fn close(self) {
        sent(client().delete(&self.session)).await;
    }
}

/// The value that the driver answers with.
async fn sent(request: reqwest::RequestBuilder) -> Value {
    let response = request.send().await.unwrap();
    let status = response.status();
    let value = json_of(response).await["value"].take();
    assert_eq!(status, 200, "{value}");
    value
}
