//! What kustomize builds from the example satisfies the schemas of Kubernetes and its limits of size.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::super::{list, tool};
use super::pod;
use crate::support::process::output;
use crate::support::repository::root;
use crate::support::schema::satisfied;

/// The version of Kubernetes whose schemas are used.
const VERSION: &str = "v1.37.0";

/// Larger objects cannot be applied on the side of the client, because `kubectl apply` writes a copy into an annotation.
const MAX_BYTES: usize = 256 * 1024;

/// What kustomize builds of a folder; none where kubectl could not be installed.
fn kustomized(folder: &Path) -> Option<Vec<Value>> {
    let mut kubectl = tool("kubectl")?;
    kubectl.arg("kustomize").arg(folder);
    Some(serde_saphyr::from_multiple(&output(&mut kubectl)).unwrap())
}

/// The objects of the example.
fn objects() -> Option<Vec<Value>> {
    kustomized(&root().join("deploy/kubernetes/example"))
}

/// The objects of the exporter with a component.
fn with_component(component: &str) -> Option<Vec<Value>> {
    let folder = tempfile::tempdir_in(root().join("target")).unwrap();
    let manifests = "../../deploy/kubernetes";
    let kustomization =
        format!("resources: [{manifests}/exporter]\ncomponents: [{manifests}/{component}]\n");
    fs::write(folder.path().join("kustomization.yaml"), kustomization).unwrap();
    kustomized(folder.path())
}

/// The schemas of all objects, which refuse unknown keys.
fn schemas() -> PathBuf {
    let library = fs::read_dir(root().join("target/tools/lib")).unwrap();
    let mut packages = library.map(|python| python.unwrap().path().join("site-packages"));
    let schemas = "kubernetes_validate/kubernetes-json-schema";
    let folder = packages.next().unwrap().join(schemas);
    folder.join(format!("{VERSION}-local-strict/_definitions.json"))
}

/// Asserts that Kubernetes knows every key of these objects, and returns the kinds of those that are not its own.
#[track_caller]
pub(super) fn accepted(objects: &[Value]) -> Vec<&str> {
    let file = schemas();
    let schemas: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let mut others = Vec::new();
    for object in objects {
        let is_for = |schema: &Value| {
            let mut keys = ["apiVersion", "kind"].into_iter();
            keys.all(|key| schema["properties"][key]["enum"][0] == object[key])
        };
        let mut known = schemas["$defs"].as_object().unwrap().iter();
        match known.find(|(_, schema)| is_for(schema)) {
            Some((name, _)) => {
                let part = format!("#/$defs/{name}");
                satisfied(&file, Some(&part), std::slice::from_ref(object));
            }
            None => others.push(object["kind"].as_str().unwrap()),
        }
    }
    others
}

/// The object of this kind.
pub(super) fn of_kind<'a>(objects: &'a [Value], kind: &str) -> &'a Value {
    let mut objects = objects.iter();
    let found = objects.find(|object| object["kind"] == kind);
    found.unwrap_or_else(|| panic!("there is no {kind}"))
}

#[test]
fn kubernetes_accepts_every_object() {
    let Some(objects) = objects() else { return };
    assert_eq!(accepted(&objects), ["PrometheusRule", "ServiceMonitor"]);
    assert_eq!(objects.len(), 11);
    for object in objects {
        let size = object.to_string().len();
        assert!(size < MAX_BYTES, "{object}");
    }
}

#[test]
fn a_pod_and_its_standby_have_a_database_and_no_volume() {
    let Some(objects) = with_component("standby") else {
        return;
    };
    assert_eq!(accepted(&objects), [""; 0]);
    let set = &of_kind(&objects, "StatefulSet")["spec"];
    assert_eq!(set["replicas"], 2);
    assert_eq!(set["podManagementPolicy"], "Parallel");
    assert_eq!(set["volumeClaimTemplates"], Value::Null);
    let container = &set["template"]["spec"]["containers"][0];
    assert_eq!(container["args"], pod()["containers"][0]["args"]);
    assert!(list(&container["volumeMounts"]).all(|mount| mount["name"] != "state"));
    let policy = &of_kind(&objects, "NetworkPolicy")["spec"];
    assert_eq!(policy["egress"][2]["ports"][0]["port"], 5432);
    let budget = &of_kind(&objects, "PodDisruptionBudget")["spec"];
    assert_eq!(budget["selector"], set["selector"]);
}
