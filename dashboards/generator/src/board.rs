//! A dashboard: its settings, its variables, and the positions of its panels.

use serde_json::{Value, json};

use super::panel::{Panel, datasource};

/// The width of a dashboard, in columns.
const COLUMNS: u64 = 24;

/// Placeholders in queries. `EMPTY` is 0 if the list of folders was read and is empty. `UNKNOWN` is NaN if there is an exporter.
/// `NO_FOLDERS` is `EMPTY`, or else `UNKNOWN`. So a panel can distinguish "nothing" from "not known".
const NO_FOLDERS: &str = "(EMPTY or UNKNOWN)";
const EMPTY: &str = "0 * (sum(max by (portal) (kb_portal_folders{PORTAL})) == 0)";
const UNKNOWN: &str = "NaN * sum(kb_portal_up{PORTAL})";
/// Matchers for the variables of the dashboard, by the labels that a series has.
const OWN: &str = r#"job=~"$job", instance=~"$instance""#;
const PORTAL: &str = r#"job=~"$job", instance=~"$instance", portal=~"$portal""#;
const ONE_FOLDER: &str =
    r#"job=~"$job", instance=~"$instance", portal=~"$portal", folder_id=~"$folder""#;

/// A dashboard under construction.
pub(super) struct Board {
    uid: &'static str,
    title: &'static str,
    description: &'static str,
    has_folder: bool,
    panels: Vec<Value>,
    y: u64,
}

impl Board {
    pub(super) fn new(uid: &'static str, title: &'static str, description: &'static str) -> Self {
        Self {
            uid,
            title,
            description,
            has_folder: false,
            panels: Vec::new(),
            y: 0,
        }
    }

    /// Adds a variable to select folders.
    pub(super) fn by_folder(mut self) -> Self {
        self.has_folder = true;
        self
    }

    /// Adds a row with a title and panels. The panels fill lines from the left. All panels of a line must have the same height.
    pub(super) fn row(mut self, title: &str, panels: impl IntoIterator<Item = Panel>) -> Self {
        self.panels.push(json!({
            "id": self.panels.len() + 1,
            "type": "row",
            "title": title,
            "collapsed": false,
            "gridPos": {"x": 0, "y": self.y, "w": COLUMNS, "h": 1},
            "panels": [],
        }));
        self.y += 1;
        let (mut x, mut height) = (0, 0);
        for panel in panels {
            if x + panel.width > COLUMNS {
                self.y += height;
                x = 0;
            }
            let (width, id) = (panel.width, self.panels.len() + 1);
            height = panel.height;
            let placed = panel.placed(id, x, self.y, |expression| self.written(expression));
            self.panels.push(placed);
            x += width;
        }
        self.y += height;
        self
    }

    /// The expression with its placeholders replaced.
    fn written(&self, expression: &str) -> String {
        let folder = if self.has_folder { ONE_FOLDER } else { PORTAL };
        expression
            .replace("NO_FOLDERS", NO_FOLDERS)
            .replace("EMPTY", EMPTY)
            .replace("UNKNOWN", UNKNOWN)
            .replace("FOLDER", folder)
            .replace("PORTAL", PORTAL)
            .replace("OWN", OWN)
    }

    /// The name of the file, and its text.
    pub(super) fn file(&self) -> (String, String) {
        let name = self.uid.trim_start_matches("kb-");
        let mut json = self.json();
        json.sort_all_objects();
        (format!("{name}.json"), format!("{json:#}\n"))
    }

    fn json(&self) -> Value {
        json!({
            "uid": self.uid,
            "title": self.title,
            "description": self.description,
            "tags": ["kb-exporter"],
            "schemaVersion": 42,
            "version": 1,
            "editable": false,
            "graphTooltip": 1,
            "refresh": "1m",
            "timezone": "browser",
            "time": {"from": "now-6h", "to": "now"},
            "fiscalYearStartMonth": 0,
            "liveNow": false,
            "weekStart": "",
            "annotations": {"list": []},
            "links": [{
                "title": "kb-exporter",
                "type": "dashboards",
                "tags": ["kb-exporter"],
                "asDropdown": false,
                "icon": "external link",
                "includeVars": true,
                "keepTime": true,
                "targetBlank": false,
                "tooltip": "",
                "url": "",
            }],
            "templating": {"list": self.variables()},
            "panels": self.panels,
        })
    }

    fn variables(&self) -> Vec<Value> {
        let mut list = vec![
            json!({
                "name": "datasource",
                "label": "Data source",
                "type": "datasource",
                "query": "prometheus",
                "regex": "",
                "current": {},
                "hide": 0,
                "includeAll": false,
                "multi": false,
                "options": [],
                "refresh": 1,
                "skipUrlSync": false,
            }),
            variable(
                "job",
                "Job",
                "label_values(kb_exporter_build_info, job)",
                "",
            ),
            variable(
                "instance",
                "Instance",
                r#"label_values(kb_exporter_build_info{job=~"$job"}, instance)"#,
                "",
            ),
            variable(
                "portal",
                "Portal",
                r#"label_values(kb_portal_up{job=~"$job", instance=~"$instance"}, portal)"#,
                "",
            ),
        ];
        if self.has_folder {
            // The list shows names; the value is the id, which a rename does not change.
            list.push(variable(
                "folder",
                "Folder",
                r#"query_result(group by (folder, folder_id) (kb_folder_up{job=~"$job", instance=~"$instance", portal=~"$portal"}))"#,
                r#"/folder="(?<text>.*)",\s*folder_id="(?<value>[^"]+)"/"#,
            ));
        }
        list
    }
}

fn variable(name: &str, label: &str, query: &str, regex: &str) -> Value {
    json!({
        "name": name,
        "label": label,
        "type": "query",
        "datasource": datasource(),
        "query": {"query": query, "refId": "StandardVariableQuery"},
        "definition": query,
        "regex": regex,
        "refresh": 2,
        "sort": 5,
        "multi": true,
        "includeAll": true,
        "allValue": ".+",
        "current": {"selected": true, "text": ["All"], "value": ["$__all"]},
        "hide": 0,
        "options": [],
        "skipUrlSync": false,
    })
}
