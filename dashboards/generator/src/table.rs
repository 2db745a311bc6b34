//! Tables: one row for each set of label values, one column for each query.

use serde_json::{Value, json};

use super::colours;
use super::panel::{Panel, fixed, mappings};

/// A column: its title, its query, and its properties.
pub(super) struct Column {
    title: &'static str,
    expression: String,
    properties: Vec<Value>,
}

/// A column with the default properties of the panel.
pub(super) fn column(title: &'static str, expression: &str) -> Column {
    Column {
        title,
        expression: expression.to_owned(),
        properties: Vec::new(),
    }
}

impl Column {
    fn with(mut self, id: &str, value: impl Into<Value>) -> Self {
        self.properties
            .push(json!({"id": id, "value": value.into()}));
        self
    }

    pub(super) fn width(self, pixels: u64) -> Self {
        self.with("custom.width", pixels)
    }

    /// Shows a bar in the colour of `word`. Its length is relative to the other rows.
    pub(super) fn bar(self, word: &str) -> Self {
        let cell = json!({"type": "gauge", "mode": "basic", "valueDisplayMode": "text"});
        self.with("custom.cellOptions", cell)
            .with("color", fixed(colours::of(word)))
            .with("min", 0)
            .with("fieldMinMax", true)
            .with("custom.minWidth", 90)
    }

    /// The query, with the title of the column in the label `column`.
    fn named(&self) -> String {
        format!(
            r#"label_replace({}, "column", "{}", "", "")"#,
            self.expression, self.title
        )
    }

    /// Hides the column. It can still sort the rows.
    pub(super) fn hidden(mut self) -> Self {
        self.properties.extend(out_of_sight());
        self
    }

    /// Shows another title than the one in the query.
    pub(super) fn shown_as(self, title: &str) -> Self {
        self.with("displayName", title)
    }

    pub(super) fn share(self) -> Self {
        self.with("unit", "percentunit").with("decimals", 1)
    }

    /// Shows no decimal places, because the increase of a counter is extrapolated.
    pub(super) fn whole(self) -> Self {
        self.with("decimals", 0)
    }

    pub(super) fn seconds(self) -> Self {
        self.with("unit", "s").with("decimals", 0).width(85)
    }

    /// Shows words instead of numbers: number, text, colour.
    pub(super) fn words(self, words: &[(&str, &str, &str)]) -> Self {
        self.with("mappings", mappings(words))
            .with("custom.cellOptions", json!({"type": "color-text"}))
            .with("custom.align", "center")
    }
}

/// A label that is shown as a column, or that is hidden and used only in the links of other columns.
pub(super) struct Label {
    name: &'static str,
    title: Option<&'static str>,
    properties: Vec<Value>,
}

/// A label and the title of its column.
pub(super) fn label(name: &'static str, title: &'static str) -> Label {
    Label {
        name,
        title: Some(title),
        properties: Vec::new(),
    }
}

/// A hidden label that only links need.
pub(super) fn hidden(name: &'static str) -> Label {
    Label {
        name,
        title: None,
        properties: Vec::new(),
    }
}

impl Label {
    pub(super) fn width(mut self, pixels: u64) -> Self {
        self.properties
            .push(json!({"id": "custom.width", "value": pixels}));
        self
    }

    /// Links to the dashboard of the folder.
    pub(super) fn leading_to_folder(self) -> Self {
        self.link(
            "Open the folder",
            "/d/kb-folder?var-portal=${__data.fields.portal:percentencode}\
             &var-folder=${__data.fields.folder_id:percentencode}",
        )
    }

    /// Links to the dashboard Knowledge base with the portal selected.
    pub(super) fn leading_to_portal(self) -> Self {
        self.link(
            "Open the portal's folders",
            "/d/kb-knowledge-base?var-portal=${__data.fields.portal:percentencode}",
        )
    }

    fn link(mut self, title: &str, url: &str) -> Self {
        let url = format!(
            "{url}&${{datasource:queryparam}}&${{job:queryparam}}&${{instance:queryparam}}&${{__url_time_range}}"
        );
        let link = json!([{"title": title, "url": url, "targetBlank": false}]);
        self.properties.push(json!({"id": "links", "value": link}));
        self
    }

    fn overrides(&self) -> Value {
        let mut properties = self.properties.clone();
        match self.title {
            Some(title) => properties.extend([
                json!({"id": "displayName", "value": title}),
                // Without this, a name such as `2024` or `8e9` is shown as a number.
                json!({"id": "unit", "value": "string"}),
                json!({"id": "custom.filterable", "value": true}),
            ]),
            None => properties.extend(out_of_sight()),
        }
        properties.into()
    }
}

/// Older versions of Grafana use the first property, newer versions the second.
fn out_of_sight() -> [Value; 2] {
    [
        json!({"id": "custom.hidden", "value": true}),
        json!({"id": "custom.hideFrom", "value": {"viz": true, "legend": false, "tooltip": false}}),
    ]
}

/// A table with one row for each set of label values, sorted by the column `worst` in descending order. If the queries have no
/// result, `nothing` is its only row.
pub(super) fn table(
    title: &str,
    description: &str,
    labels: &[Label],
    columns: &[Column],
    worst: &str,
    nothing: Option<&Column>,
) -> Panel {
    let cells: Vec<_> = columns.iter().map(Column::named).collect();
    let mut query = cells.join(" or ");
    if let Some(nothing) = nothing {
        query = format!("{query} or on () {}", nothing.named());
    }
    let mut panel = Panel::table(title, description).query("{{column}}", &query);
    for label in labels {
        panel = panel.overriding("byName", label.name, label.overrides());
    }
    for column in columns {
        panel = panel.overriding("byName", column.title, column.properties.clone().into());
    }
    panel.transformations(transformations(labels, columns, worst))
}

/// Each series is one cell, in the column that its label `column` names. Series with the same other labels form one row.
fn transformations(labels: &[Label], columns: &[Column], worst: &str) -> Value {
    let names = labels.iter().map(|label| label.name);
    let order: serde_json::Map<_, _> = names
        .chain(columns.iter().map(|column| column.title))
        .enumerate()
        .map(|(index, name)| (name.to_owned(), index.into()))
        .collect();
    json!([
        {"id": "labelsToFields", "options": {"mode": "columns", "valueLabel": "column"}},
        {"id": "merge", "options": {}},
        {"id": "organize", "options": {
            "excludeByName": {"Time": true},
            "indexByName": order,
            "renameByName": {},
        }},
        {"id": "sortBy", "options": {"fields": {}, "sort": [{"field": worst, "desc": true}]}},
    ])
}
