//! A panel: its queries, and how they are shown.

use serde_json::{Value, json};

use super::colours;

/// A panel without a position.
pub(super) struct Panel {
    /// In columns; a dashboard has 24.
    pub(super) width: u64,
    /// In rows of 38 pixels.
    pub(super) height: u64,
    instant: bool,
    targets: Vec<Target>,
    overrides: Vec<Value>,
    json: Value,
}

/// A query and the name of its series. `{{label}}` in the name is replaced by the value of the label.
struct Target {
    legend: String,
    expression: String,
}

/// How a graph is drawn.
#[derive(Clone, Copy)]
pub(super) enum Style {
    /// A line for each series.
    Lines,
    /// Stacked lines.
    Stacked,
    /// Stacked bars, one for each step, for events.
    Bars,
}

impl Panel {
    fn new(kind: &str, title: &str, description: &str, options: Value) -> Self {
        let mut json = json!({
            "type": kind,
            "title": title,
            "description": description,
            "datasource": datasource(),
            "fieldConfig": {"defaults": {"unit": "short"}},
            "transformations": [],
        });
        json["options"] = options;
        Self {
            width: 12,
            height: 8,
            instant: true,
            targets: Vec::new(),
            overrides: Vec::new(),
            json,
        }
    }

    /// The current value. It shows no older value if there is no current one.
    pub(super) fn stat(title: &str, description: &str) -> Self {
        let options = json!({
            "colorMode": "value",
            "graphMode": "none",
            "justifyMode": "auto",
            "orientation": "auto",
            "textMode": "value",
            "wideLayout": true,
            "reduceOptions": last(),
        });
        Self::new("stat", title, description, options).size(6, 3)
    }

    /// A bar for each series, all in the same colour.
    pub(super) fn bars(title: &str, description: &str, colour: &str) -> Self {
        let options = json!({
            "displayMode": "basic",
            "orientation": "horizontal",
            "showUnfilled": true,
            "valueMode": "text",
            "namePlacement": "left",
            "sizing": "auto",
            "minVizHeight": 16,
            "minVizWidth": 8,
            "maxVizHeight": 24,
            "legend": {"showLegend": false, "displayMode": "list", "placement": "bottom", "calcs": []},
            "reduceOptions": last(),
            "text": {"titleSize": 12, "valueSize": 12},
        });
        let panel = Self::new("bargauge", title, description, options);
        panel.default("min", 0).default("color", fixed(colour))
    }

    /// Values over time.
    pub(super) fn graph(title: &str, description: &str, style: Style) -> Self {
        let (draw, width, fill, stacking) = match style {
            Style::Lines => ("line", 1, 0, "none"),
            Style::Stacked => ("line", 1, 30, "normal"),
            Style::Bars => ("bars", 0, 80, "normal"),
        };
        let options = json!({
            "legend": {"displayMode": "list", "placement": "bottom", "showLegend": true, "calcs": []},
            "tooltip": {"mode": "multi", "sort": "desc"},
        });
        let custom = json!({
            "drawStyle": draw,
            "lineWidth": width,
            "fillOpacity": fill,
            "stacking": {"mode": stacking, "group": "A"},
            "showPoints": "never",
            "spanNulls": false,
        });
        let mut panel = Self::new("timeseries", title, description, options);
        panel.instant = false;
        panel
            .default("custom", custom)
            .default("color", json!({"mode": "palette-classic"}))
            .default("min", 0)
    }

    /// A table without columns yet.
    pub(super) fn table(title: &str, description: &str) -> Self {
        let options = json!({
            "showHeader": true,
            "cellHeight": "sm",
            "footer": {"show": false, "reducer": ["sum"], "countRows": false, "fields": ""},
        });
        let custom = json!({"align": "auto", "cellOptions": {"type": "auto"}});
        Self::new("table", title, description, options)
            .default("custom", custom)
            .default(
                "mappings",
                json!([{"type": "special", "options": {"match": "nan", "result": {"text": "-"}}}]),
            )
            .none("-")
            .size(24, 10)
    }

    /// Markdown.
    pub(super) fn text(title: &str, description: &str, content: &str) -> Self {
        let options = json!({"mode": "markdown", "content": content});
        Self::new("text", title, description, options)
            .unit("none")
            .none("-")
    }

    /// Sets the width in columns and the height in rows.
    pub(super) fn size(mut self, width: u64, height: u64) -> Self {
        (self.width, self.height) = (width, height);
        self
    }

    /// A query and the name of its series. `{{label}}` in the name is replaced by the value of the label.
    pub(super) fn query(mut self, legend: &str, expression: &str) -> Self {
        self.targets.push(Target {
            legend: legend.to_owned(),
            expression: expression.to_owned(),
        });
        self
    }

    pub(super) fn unit(self, unit: &str) -> Self {
        self.default("unit", unit)
    }

    /// The number of decimal places.
    pub(super) fn decimals(self, decimals: u64) -> Self {
        self.default("decimals", decimals)
    }

    /// The text that is shown instead of a missing value. It says why the value is missing.
    pub(super) fn none(self, text: &str) -> Self {
        self.default("noValue", text)
    }

    /// Colours by value: `first` from 0, the others from their value. Unknown values have no colour.
    pub(super) fn steps(self, first: &str, others: &[(f64, &str)]) -> Self {
        let unknown = [
            json!({"color": "text", "value": null}),
            json!({"color": first, "value": 0}),
        ];
        let others = others
            .iter()
            .map(|(from, colour)| json!({"color": colour, "value": from}));
        let steps: Vec<_> = unknown.into_iter().chain(others).collect();
        self.default("thresholds", json!({"mode": "absolute", "steps": steps}))
            .default("color", json!({"mode": "thresholds"}))
    }

    /// Shows words instead of numbers, each with its colour.
    pub(super) fn words(self, words: &[(&str, &str, &str)]) -> Self {
        self.steps("text", &[]).default("mappings", mappings(words))
    }

    /// Sets the colours of the series with these names.
    pub(super) fn colours(mut self, words: &[&str]) -> Self {
        for word in words {
            self = self.overriding("byName", word, colour(colours::of(word)));
        }
        self
    }

    /// Sets the colours of the series that are named by an HTTP status.
    pub(super) fn colours_of_codes(mut self) -> Self {
        for (codes, word) in colours::CODES {
            self = self.overriding("byRegexp", codes, colour(word));
        }
        self
    }

    /// Sets properties of the series or columns that match.
    pub(super) fn overriding(mut self, matcher: &str, of: &str, properties: Value) -> Self {
        let mut one = json!({"matcher": {"id": matcher, "options": of}});
        one["properties"] = properties;
        self.overrides.push(one);
        self
    }

    /// Transformations of the query results.
    pub(super) fn transformations(mut self, list: Value) -> Self {
        self.json["transformations"] = list;
        self
    }

    /// Sets a property of all fields.
    pub(super) fn default(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.json["fieldConfig"]["defaults"][name] = value.into();
        self
    }

    /// The panel at its position. `write` replaces the placeholders of its queries.
    pub(super) fn placed(
        mut self,
        id: usize,
        x: u64,
        y: u64,
        write: impl Fn(&str) -> String,
    ) -> Value {
        let targets = ('A'..).zip(&self.targets).map(|(letter, target)| {
            json!({
                "refId": letter.to_string(),
                "datasource": datasource(),
                "expr": write(&target.expression),
                "legendFormat": target.legend,
                "instant": self.instant,
                "range": !self.instant,
            })
        });
        self.json["targets"] = targets.collect();
        self.json["fieldConfig"]["overrides"] = self.overrides.into();
        self.json["id"] = id.into();
        self.json["gridPos"] = json!({"x": x, "y": y, "w": self.width, "h": self.height});
        self.json
    }
}

/// The data source that the variable selects.
pub(super) fn datasource() -> Value {
    json!({"type": "prometheus", "uid": "${datasource}"})
}

/// A fixed colour.
pub(super) fn fixed(colour: &str) -> Value {
    json!({"mode": "fixed", "fixedColor": colour})
}

/// Value mappings: number, text, colour.
pub(super) fn mappings(words: &[(&str, &str, &str)]) -> Value {
    let words = words.iter().enumerate().map(|(index, (value, text, colour))| {
        json!({"type": "value", "options": {*value: {"text": text, "color": colour, "index": index}}})
    });
    words.collect()
}

fn colour(name: &str) -> Value {
    json!([{"id": "color", "value": fixed(name)}])
}

fn last() -> Value {
    json!({"calcs": ["lastNotNull"], "fields": "", "values": false})
}
