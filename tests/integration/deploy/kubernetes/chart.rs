//! The chart: what Helm makes of it is what kustomize has, under the name of a release, and mistakes in the values are refused.

use serde_json::{Value, json};

use super::super::tool;
use super::built::{accepted, of_kind};
use super::{list, manifest, output, root, text, texts, yaml};
use crate::support::process::run;
use crate::support::workspace::program;

const CHART: &str = "deploy/kubernetes/chart";

/// Loads the chart as Helm does, and prints what its templates become with the values of the standard input.
const RENDER: &str = "
import json, sys
import helm_python
with helm_python.Chart.load(sys.argv[1]) as chart:
    texts = chart.render(json.load(sys.stdin), name='watch', namespace='knowledge')
print('\\n---\\n'.join(text for name, text in texts.items() if name.endswith('.yaml') and text.strip()))
";

/// The objects of a release with these values, or the reason why there is none.
fn rendered(values: &Value) -> Option<Result<Vec<Value>, String>> {
    let mut python = tool("python")?;
    python.args(["-c", RENDER]).arg(root().join(CHART));
    let output = run(&mut python, &values.to_string());
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Some(if output.status.success() {
        Ok(serde_saphyr::from_multiple(&text(output.stdout)).unwrap())
    } else {
        Err(text(output.stderr))
    })
}

/// Two pods with a database.
fn replicas() -> Value {
    let portal = json!({"name": "main", "base_url": "https://portal.example", "api_key_file": "/run/secrets/kb-exporter/main"});
    let state = json!({"path": null, "postgres_url_file": "/run/secrets/kb-exporter/database"});
    let config = json!({"portals": [portal], "state": state});
    json!({"replicas": 2, "config": config, "args": ["--log.level=debug"]})
}

#[test]
fn helm_finds_nothing_wrong_with_the_chart() {
    let Some(mut python) = tool("python") else {
        return;
    };
    let lint = "import helm_python, json, sys; print(json.dumps(helm_python.lint(sys.argv[1], {}, strict=True)))";
    python.args(["-c", lint]).arg(root().join(CHART));
    let report: Value = serde_json::from_str(&output(&mut python)).unwrap();
    assert_eq!(report["total_charts_linted"], 1);
    let information = 1;
    let mut messages = list(&report["messages"]);
    assert!(
        messages.all(|message| message["severity"] == information),
        "{report:#}"
    );
    let chart = yaml(format!("{CHART}/Chart.yaml"));
    for key in ["version", "appVersion"] {
        assert_eq!(chart[key], env!("CARGO_PKG_VERSION"), "{key}");
    }
}

#[test]
fn a_release_is_what_kustomize_has_under_its_name() {
    let Some(objects) = rendered(&json!({})) else {
        return;
    };
    let objects = objects.unwrap();
    assert_eq!(accepted(&objects), [""; 0]);
    assert_eq!(objects.len(), 4);
    let set = of_kind(&objects, "StatefulSet");
    assert_eq!(set["metadata"]["name"], "watch");
    let pod = &set["spec"]["template"];
    assert_eq!(
        pod["metadata"]["labels"],
        set["spec"]["selector"]["matchLabels"]
    );
    for key in ["Service", "NetworkPolicy"] {
        let object = &of_kind(&objects, key)["spec"];
        let selector = match key {
            "Service" => &object["selector"],
            _ => &object["podSelector"]["matchLabels"],
        };
        assert_eq!(selector, &pod["metadata"]["labels"], "{key}");
    }

    let mut expected = manifest("statefulset")["spec"]["template"]["spec"].clone();
    let image = format!("registry.example/kb-exporter:{}", env!("CARGO_PKG_VERSION"));
    expected["containers"][0]["image"] = image.into();
    expected["volumes"][0]["configMap"]["name"] = "watch".into();
    expected["volumes"][1]["secret"]["defaultMode"] = 0o400.into();
    expected["topologySpreadConstraints"][0]["labelSelector"]["matchLabels"] =
        pod["metadata"]["labels"].clone();
    assert_eq!(pod["spec"], expected);
}

/// The program accepts the configuration that the chart has where nothing else is given.
#[test]
fn the_configuration_of_a_release_is_right() {
    let Some(objects) = rendered(&json!({})) else {
        return;
    };
    let objects = objects.unwrap();
    let map = of_kind(&objects, "ConfigMap");
    let file = tempfile::NamedTempFile::new().unwrap();
    let configuration = map["data"]["kb-exporter.yml"].as_str().unwrap();
    std::fs::write(file.path(), configuration).unwrap();
    let portal = json!({"name": "main", "base_url": "https://portal.example/admin", "api_key_file": "/run/secrets/kb-exporter/main"});
    let configuration: Value = serde_saphyr::from_str(configuration).unwrap();
    assert_eq!(configuration["portals"], json!([portal]));
    let mut check = program();
    check.args(["config", "schema"]);
    let schema: Value = serde_json::from_str(&output(&mut check)).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    assert!(validator.is_valid(&configuration), "{configuration:#}");
}

#[test]
fn two_pods_have_a_database_and_no_flags_but_those_of_the_values() {
    let Some(objects) = rendered(&replicas()) else {
        return;
    };
    let objects = objects.unwrap();
    assert_eq!(accepted(&objects), [""; 0]);
    let spec = &of_kind(&objects, "StatefulSet")["spec"];
    assert_eq!(spec["replicas"], 2);
    assert_eq!(spec["volumeClaimTemplates"], Value::Null);
    let args = texts(&spec["template"]["spec"]["containers"][0]["args"]);
    let container = &manifest("statefulset")["spec"]["template"]["spec"]["containers"][0];
    let expected = [texts(&container["args"]), vec!["--log.level=debug"]].concat();
    assert_eq!(args, expected);
    let policy = &of_kind(&objects, "NetworkPolicy")["spec"]["egress"][1]["ports"];
    assert_eq!(policy[1]["port"], 5432);
    of_kind(&objects, "PodDisruptionBudget");
}

#[test]
fn the_links_of_the_alerts_are_those_of_the_values() {
    let values = json!({"monitoring": {
        "enabled": true,
        "runbookUrl": "https://wiki.example/kb",
        "dashboardUrl": "https://grafana.intra/",
        "externalUrl": "https://kb.intra",
    }});
    let Some(objects) = rendered(&values) else {
        return;
    };
    let mut rules = program();
    rules.args(["rules", "--runbook-url=https://wiki.example/kb"]);
    rules.arg("--dashboard-url=https://grafana.intra");
    rules.arg("--web.external-url=https://kb.intra");
    let expected: Value = serde_saphyr::from_str(&output(&mut rules)).unwrap();
    let objects = objects.unwrap();
    assert_eq!(of_kind(&objects, "PrometheusRule")["spec"], expected);
}

#[test]
fn monitoring_has_the_alerts_and_every_dashboard() {
    let values = json!({"monitoring": {"enabled": true, "labels": {"release": "stack"}}});
    let Some(objects) = rendered(&values) else {
        return;
    };
    let objects = objects.unwrap();
    assert_eq!(accepted(&objects), ["ServiceMonitor", "PrometheusRule"]);
    let rules = of_kind(&objects, "PrometheusRule");
    let object = "deploy/kubernetes/monitoring/prometheusrule.yaml";
    assert_eq!(rules["spec"], yaml(object)["spec"]);
    assert_eq!(rules["metadata"]["labels"]["release"], "stack");
    let monitor = of_kind(&objects, "ServiceMonitor");
    assert_eq!(
        monitor["spec"]["selector"]["matchLabels"],
        of_kind(&objects, "Service")["spec"]["selector"]
    );
    let maps = objects
        .iter()
        .filter(|object| object["kind"] == "ConfigMap");
    let boards = maps.filter(|map| map["metadata"]["labels"]["grafana_dashboard"] == "1");
    let names: Vec<_> = boards
        .flat_map(|board| board["data"].as_object().unwrap().iter())
        .map(|(name, board)| {
            let shipped: Value = serde_json::from_str(&text(format!("dashboards/{name}"))).unwrap();
            let board: Value = serde_json::from_str(board.as_str().unwrap()).unwrap();
            assert_eq!(board, shipped, "{name}");
            name
        })
        .collect();
    assert_eq!(names.len(), 4, "{names:?}");
}

#[test]
fn wrong_values_are_refused_with_the_reason() {
    for (values, reason) in [
        (json!({"replica": 2}), "'replica' not allowed"),
        (json!({"replicas": 2}), "set config.state.postgres_url_file"),
        (json!({"replicas": 0}), "replicas"),
    ] {
        let Some(refused) = rendered(&values) else {
            return;
        };
        let why = refused.unwrap_err();
        assert!(why.contains(reason), "{values}: {why}");
    }
}
