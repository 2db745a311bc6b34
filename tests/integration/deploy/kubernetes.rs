//! The manifests refer to each other correctly, grant no privileges, and have the alerts and dashboards of the repository.

mod built;

use std::collections::BTreeSet;
use std::env;
use std::fs;

use kb_exporter::config::Config;
use serde_json::{Value, json};

use super::{list, texts};
use crate::support::process::output;
use crate::support::repository::{root, text, yaml};
use crate::support::workspace::program;

/// With this variable set, the manifest of the alerts is written anew instead of being compared.
const UPDATE: &str = "UPDATE_DEPLOY";

/// A manifest of the exporter.
fn manifest(name: &str) -> Value {
    yaml(format!("deploy/kubernetes/exporter/{name}.yaml"))
}

/// The specification of the exporter's pod.
fn pod() -> Value {
    manifest("statefulset")["spec"]["template"]["spec"].clone()
}

/// The values of a key in the items of a list.
fn all<'a>(items: &'a Value, key: &str) -> BTreeSet<&'a str> {
    list(items)
        .map(|item| item[key].as_str().unwrap())
        .collect()
}

/// The path at which the container has a volume.
fn path_of(pod: &Value, volume: &str) -> String {
    let mut mounts = list(&pod["containers"][0]["volumeMounts"]);
    let mount = mounts.find(|mount| mount["name"] == volume).unwrap();
    mount["mountPath"].as_str().unwrap().to_owned()
}

#[test]
fn the_pod_satisfies_the_restricted_standard() {
    let pod = pod();
    let security = &pod["securityContext"];
    assert_eq!(security["runAsNonRoot"], true);
    let user = format!(
        "USER {}:{}\n",
        security["runAsUser"], security["runAsGroup"]
    );
    assert!(
        text("deploy/container/Containerfile").contains(&user),
        "{user}"
    );
    assert_eq!(security["fsGroup"], security["runAsGroup"]);
    assert_eq!(
        security["seccompProfile"],
        json!({"type": "RuntimeDefault"})
    );
    assert_eq!(pod["automountServiceAccountToken"], false);
    let container = json!({
        "allowPrivilegeEscalation": false,
        "readOnlyRootFilesystem": true,
        "capabilities": {"drop": ["ALL"]},
    });
    assert_eq!(list(&pod["containers"]).count(), 1);
    assert_eq!(pod["containers"][0]["securityContext"], container);
    assert!(pod["containers"][0]["resources"]["limits"]["memory"].is_string());
}

#[test]
fn every_object_selects_the_pod_and_its_port() {
    let stateful = manifest("statefulset");
    let labels = &stateful["spec"]["template"]["metadata"]["labels"];
    let service = manifest("service");
    let monitor = yaml("deploy/kubernetes/monitoring/servicemonitor.yaml");
    let policy = manifest("networkpolicy");
    for (what, selector) in [
        ("set", &stateful["spec"]["selector"]["matchLabels"]),
        ("service", &service["spec"]["selector"]),
        ("policy", &policy["spec"]["podSelector"]["matchLabels"]),
    ] {
        assert_eq!(selector, labels, "{what}");
    }
    assert_eq!(stateful["spec"]["serviceName"], service["metadata"]["name"]);
    assert_eq!(
        &monitor["spec"]["selector"]["matchLabels"],
        &service["metadata"]["labels"]
    );
    let job = monitor["spec"]["jobLabel"].as_str().unwrap();
    assert_eq!(
        service["metadata"]["labels"][job], "kb-exporter",
        "the alerts expect this job"
    );

    let port = &pod()["containers"][0]["ports"][0];
    assert_eq!(port["containerPort"], 15732);
    assert_eq!(service["spec"]["ports"][0]["targetPort"], port["name"]);
    assert_eq!(
        monitor["spec"]["endpoints"][0]["port"],
        service["spec"]["ports"][0]["name"]
    );
    assert_eq!(
        policy["spec"]["ingress"][0]["ports"][0]["port"],
        port["name"]
    );
}

#[test]
fn the_configuration_the_keys_and_the_state_are_where_the_exporter_looks() {
    let pod = pod();
    let claims = manifest("statefulset")["spec"]["volumeClaimTemplates"].clone();
    let claims = list(&claims).map(|claim| claim["metadata"]["name"].as_str().unwrap());
    let volumes: BTreeSet<_> = all(&pod["volumes"], "name")
        .into_iter()
        .chain(claims)
        .collect();
    assert_eq!(volumes, all(&pod["containers"][0]["volumeMounts"], "name"));

    let generated = &manifest("kustomization")["configMapGenerator"][0];
    let mounted = &list(&pod["volumes"])
        .find(|volume| volume["name"] == "configuration")
        .unwrap()["configMap"];
    assert_eq!(generated["name"], mounted["name"]);
    let file = texts(&generated["files"])[0];
    let flag = format!("--config.file={}/{file}", path_of(&pod, "configuration"));
    let arguments = texts(&pod["containers"][0]["args"]);
    assert_eq!(arguments[..2], ["run", &flag]);

    for folder in ["exporter", "example"] {
        let path = format!("deploy/kubernetes/{folder}/{file}");
        let configuration = yaml(&path);
        assert_eq!(configuration["state"]["path"], path_of(&pod, "state"));
        let key = configuration["portals"][0]["api_key_file"]
            .as_str()
            .unwrap();
        assert_eq!(key, format!("{}/main", path_of(&pod, "keys")));
        assert_eq!(Config::from_file(&root().join(path)).err(), None);
    }
    let keys = text("deploy/kubernetes/exporter/statefulset.yaml");
    assert!(
        keys.contains("defaultMode: 0400\n"),
        "others could read the keys"
    );
}

#[test]
fn the_rules_for_the_operator_are_those_of_prometheus() {
    let printed = output(program().args(["rules", "--output", "kubernetes"]));
    let file = "deploy/kubernetes/monitoring/prometheusrule.yaml";
    if env::var_os(UPDATE).is_some() {
        fs::write(root().join(file), &printed).unwrap();
    }
    assert!(
        text(file) == printed,
        "{file} is old; run the tests once with {UPDATE}=1"
    );
    assert!(!printed.contains("localhost"), "a pod has nobody there");
    let rules: Value = serde_saphyr::from_str(&output(program().arg("rules"))).unwrap();
    assert_eq!(yaml(file)["spec"], rules);
}
