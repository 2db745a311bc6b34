//! Which series and labels a `PromQL` expression names, held against those that there are.

use std::collections::{BTreeMap, BTreeSet};

use kb_exporter::metrics::families::ALL;
use promql_parser::label::Matchers;
use promql_parser::parser::{
    self, AggregateExpr, BinaryExpr, Call, Expr, LabelModifier, VectorSelector,
};

/// Names of labels.
pub(crate) type Labels = BTreeSet<String>;

/// What Prometheus adds to every series that it scrapes.
const TARGET: [&str; 2] = ["job", "instance"];

/// What a histogram's series add to the name of their family.
const SUFFIXES: [&str; 3] = ["_bucket", "_count", "_sum"];

/// What an alert may have.
const ALERT: [&str; 7] = [
    "alertname",
    "alertstate",
    "severity",
    "portal",
    "folder_id",
    "reason",
    "problem",
];

/// The usual metrics of a process.
const PROCESS: [&str; 7] = [
    "process_cpu_seconds_total",
    "process_max_fds",
    "process_open_fds",
    "process_resident_memory_bytes",
    "process_start_time_seconds",
    "process_threads",
    "process_virtual_memory_bytes",
];

/// The series that may be named, with the labels that they have.
#[derive(Clone)]
pub(crate) struct Registry(BTreeMap<String, Labels>);

impl Registry {
    /// What a scrape of the program gives.
    pub(crate) fn of_the_program() -> Self {
        let mut registry = Self(BTreeMap::new());
        registry.add("up", &[]);
        // Prometheus writes it for each alert, with the labels of the alert.
        registry.add("ALERTS", &ALERT);
        for name in PROCESS {
            registry.add(name, &[]);
        }
        for family in ALL.iter() {
            registry.add(family.name, family.labels);
            if family.kind == kb_exporter::metrics::families::Kind::Histogram {
                registry.0.remove(family.name);
                let with_border = [family.labels, &["le"]].concat();
                registry.add(&format!("{}_bucket", family.name), &with_border);
                for suffix in ["_count", "_sum"] {
                    registry.add(&format!("{}{suffix}", family.name), family.labels);
                }
            }
        }
        registry
    }

    /// A series that is scraped.
    pub(crate) fn add(&mut self, name: &str, labels: &[&str]) {
        let labels = labels.iter().chain(&TARGET).map(ToString::to_string);
        self.0.insert(name.to_owned(), labels.collect());
    }

    /// A series that a rule records; several rules may.
    pub(crate) fn record(&mut self, name: &str, labels: Labels) {
        self.0.entry(name.to_owned()).or_default().extend(labels);
    }

    /// The labels of a series.
    pub(crate) fn labels(&self, name: &str) -> Option<&Labels> {
        self.0.get(name)
    }
}

/// The family that a series belongs to.
pub(crate) fn family(series: &str) -> &str {
    let stripped = SUFFIXES
        .iter()
        .find_map(|suffix| series.strip_suffix(suffix));
    let is_family = |name: &&str| ALL.iter().any(|family| family.name == *name);
    stripped.filter(is_family).unwrap_or(series)
}

/// A series that an expression names.
pub(crate) struct Selector {
    pub(crate) name: String,
    /// Its matchers, as they are written: `portal=~"$portal"`.
    pub(crate) matchers: BTreeSet<String>,
    /// The functions and aggregations around it, the innermost first.
    pub(crate) inside: Vec<String>,
}

/// What was found in an expression.
#[derive(Default)]
pub(crate) struct Reading {
    pub(crate) selectors: Vec<Selector>,
    /// The labels that its result may have.
    pub(crate) labels: Labels,
    /// Names that there are not.
    pub(crate) problems: Vec<String>,
    inside: Vec<String>,
}

/// Reads an expression; fails where it is none.
#[track_caller]
pub(crate) fn read(expression: &str, registry: &Registry) -> Reading {
    let parsed = parser::parse(expression).unwrap_or_else(|error| panic!("{error}: {expression}"));
    let mut reading = Reading::default();
    reading.labels = reading.walk(&parsed, registry);
    reading
}

impl Reading {
    /// Returns the labels that the result of an expression may have.
    fn walk(&mut self, expression: &Expr, registry: &Registry) -> Labels {
        match expression {
            Expr::Aggregate(aggregate) => self.aggregate(aggregate, registry),
            Expr::Binary(binary) => self.binary(binary, registry),
            Expr::Call(call) => self.call(call, registry),
            Expr::VectorSelector(selector) => self.selector(selector, registry),
            Expr::MatrixSelector(matrix) => self.selector(&matrix.vs, registry),
            Expr::Paren(paren) => self.walk(&paren.expr, registry),
            Expr::Unary(unary) => self.walk(&unary.expr, registry),
            Expr::Subquery(subquery) => self.walk(&subquery.expr, registry),
            Expr::NumberLiteral(_) | Expr::StringLiteral(_) | Expr::Extension(_) => Labels::new(),
        }
    }

    fn aggregate(&mut self, aggregate: &AggregateExpr, registry: &Registry) -> Labels {
        self.inside.push(aggregate.op.to_string());
        let inner = self.walk(&aggregate.expr, registry);
        self.inside.pop();
        let named = match aggregate.param.as_deref() {
            Some(Expr::StringLiteral(label)) => Labels::from([label.val.clone()]),
            Some(parameter) => {
                self.walk(parameter, registry);
                Labels::new()
            }
            None => Labels::new(),
        };
        let grouped = match &aggregate.modifier {
            Some(LabelModifier::Include(labels)) => self.known(&labels.labels, &inner),
            Some(LabelModifier::Exclude(labels)) => {
                let left_out = self.known(&labels.labels, &inner);
                inner.difference(&left_out).cloned().collect()
            }
            None => Labels::new(),
        };
        let selects_series = matches!(aggregate.op.to_string().as_str(), "topk" | "bottomk");
        let kept = if selects_series { inner } else { grouped };
        kept.union(&named).cloned().collect()
    }

    fn binary(&mut self, binary: &BinaryExpr, registry: &Registry) -> Labels {
        let left = self.walk(&binary.lhs, registry);
        let right = self.walk(&binary.rhs, registry);
        let both = left.union(&right).cloned().collect();
        if let Some(modifier) = &binary.modifier {
            let matching = modifier
                .matching
                .iter()
                .flat_map(|matching| &matching.labels().labels);
            let grouped = modifier
                .card
                .labels()
                .into_iter()
                .flat_map(|grouped| &grouped.labels);
            self.known(matching.chain(grouped), &both);
        }
        match binary.op.to_string().as_str() {
            "and" | "unless" => left,
            _ => both,
        }
    }

    fn call(&mut self, call: &Call, registry: &Registry) -> Labels {
        self.inside.push(call.func.name.to_owned());
        let arguments = call
            .args
            .args
            .iter()
            .map(|argument| self.walk(argument, registry));
        let mut labels: Labels = arguments.flatten().collect();
        self.inside.pop();
        let texts: Vec<_> = call
            .args
            .args
            .iter()
            .filter_map(|argument| text(argument))
            .collect();
        match (call.func.name, texts.as_slice()) {
            ("label_replace", [made, _, source, _]) => {
                if !source.is_empty() {
                    self.known([source], &labels);
                }
                labels.insert(made.clone());
            }
            ("label_join", [made, _, sources @ ..]) => {
                self.known(sources, &labels);
                labels.insert(made.clone());
            }
            ("scalar" | "absent", _) => labels.clear(),
            _ => {}
        }
        labels
    }

    fn selector(&mut self, selector: &VectorSelector, registry: &Registry) -> Labels {
        let name = selector.name.clone().unwrap_or_default();
        let labels = registry.labels(&name).cloned();
        if labels.is_none() {
            self.problems.push(format!("no series {name}"));
        }
        let labels = labels.unwrap_or_default();
        let Matchers { matchers, .. } = &selector.matchers;
        self.known(matchers.iter().map(|matcher| &matcher.name), &labels);
        self.selectors.push(Selector {
            name,
            matchers: matchers.iter().map(ToString::to_string).collect(),
            inside: self.inside.iter().rev().cloned().collect(),
        });
        labels
    }

    /// The labels that are named; those that there are not are noted.
    fn known<'a>(
        &mut self,
        named: impl IntoIterator<Item = &'a String>,
        labels: &Labels,
    ) -> Labels {
        let named: Labels = named.into_iter().cloned().collect();
        for unknown in named.difference(labels) {
            self.problems.push(format!("no label {unknown}"));
        }
        named
    }
}

fn text(expression: &Expr) -> Option<String> {
    match expression {
        Expr::StringLiteral(literal) => Some(literal.val.clone()),
        _ => None,
    }
}

#[test]
fn a_name_that_is_not_there_is_found_wherever_it_stands() {
    let registry = Registry::of_the_program();
    for (expression, problem) in [
        ("sum by (portal) (kb_folder_up)", None),
        ("kb_folder_upp", Some("no series kb_folder_upp")),
        (
            "kb_folder_indexing_seconds",
            Some("no series kb_folder_indexing_seconds"),
        ),
        ("kb_folder_up{status=\"done\"}", Some("no label status")),
        ("sum by (status) (kb_folder_up)", Some("no label status")),
        (
            "sum by (status) (sum by (portal) (kb_folder_files))",
            Some("no label status"),
        ),
        (
            "kb_folder_up * on (reason) kb_folder_consistent",
            Some("no label reason"),
        ),
        (
            "label_replace(kb_portal_up, \"a\", \"$1\", \"folder\", \"(.*)\")",
            Some("no label folder"),
        ),
        (
            "sum by (a) (label_replace(kb_portal_up, \"a\", \"b\", \"\", \"\"))",
            None,
        ),
        (
            "count by (le) (rate(kb_folder_indexing_seconds_bucket[5m]))",
            None,
        ),
        ("sum by (folder) (topk by (portal) (1, kb_folder_up))", None),
        (
            "topk by (status) (1, kb_folder_up)",
            Some("no label status"),
        ),
        (
            "count by (le) (rate(kb_folder_indexing_seconds_count[5m]))",
            Some("no label le"),
        ),
    ] {
        let problems = read(expression, &registry).problems;
        assert_eq!(
            problems.first().map(String::as_str),
            problem,
            "{expression}"
        );
    }
}
