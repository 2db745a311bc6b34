//! What kustomize builds from the example satisfies the schemas of Kubernetes and its limits of size.

use std::fs;

use serde_json::Value;

use super::super::{list, output, root, tool};

/// The version of Kubernetes whose schemas are used.
const VERSION: &str = "v1.37.0";

/// Larger objects cannot be applied on the side of the client, because `kubectl apply` writes a copy into an annotation.
const MAX_BYTES: usize = 256 * 1024;

/// What kustomize builds; none where kubectl could not be installed.
fn objects() -> Option<Vec<Value>> {
    let mut kubectl = tool("kubectl")?;
    kubectl
        .arg("kustomize")
        .arg(root().join("deploy/kubernetes/example"));
    Some(serde_saphyr::from_multiple(&output(&mut kubectl)).unwrap())
}

/// The schemas of all objects, which refuse unknown keys.
fn schemas() -> Value {
    let library = fs::read_dir(root().join("target/tools/lib")).unwrap();
    let mut packages = library.map(|python| python.unwrap().path().join("site-packages"));
    let folder = packages
        .next()
        .unwrap()
        .join("kubernetes_validate/kubernetes-json-schema");
    let file = folder.join(format!("{VERSION}-local-strict/_definitions.json"));
    serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap()
}

/// The name of the schema for objects such as this; none where it is not an object of Kubernetes itself.
fn schema_of(schemas: &Value, object: &Value) -> Option<String> {
    let mut schemas = schemas["$defs"].as_object().unwrap().iter();
    let is_for = |schema: &Value| {
        ["apiVersion", "kind"]
            .iter()
            .all(|key| schema["properties"][key]["enum"][0] == object[key])
    };
    let (name, _) = schemas.find(|(_, schema)| is_for(schema))?;
    Some(name.clone())
}

#[test]
fn kubernetes_accepts_every_object() {
    let Some(objects) = objects() else { return };
    let mut schemas = schemas();
    let mut others = Vec::new();
    for object in &objects {
        let Some(schema) = schema_of(&schemas, object) else {
            others.push(object["kind"].as_str().unwrap());
            continue;
        };
        schemas["$ref"] = format!("#/$defs/{schema}").into();
        let validator = jsonschema::validator_for(&schemas).unwrap();
        let faults: Vec<_> = validator
            .iter_errors(object)
            .map(|fault| format!("{}: {fault}", fault.instance_path()))
            .collect();
        assert!(faults.is_empty(), "{schema}: {faults:#?}");
    }
    assert_eq!(objects.len(), 11);
    assert_eq!(others, ["PrometheusRule", "ServiceMonitor"]);
}

#[test]
fn no_object_is_too_large_to_be_applied() {
    let Some(objects) = objects() else { return };
    for object in objects {
        let size = object.to_string().len();
        assert!(
            size < MAX_BYTES,
            "{}: {size} bytes",
            object["metadata"]["name"]
        );
    }
}

#[test]
fn the_example_replaces_the_configuration_and_the_image() {
    let Some(objects) = objects() else { return };
    let of_kind = |kind| {
        objects
            .iter()
            .filter(move |object: &&Value| object["kind"] == kind)
    };
    let pod = &of_kind("StatefulSet").next().unwrap()["spec"]["template"]["spec"];
    let image = pod["containers"][0]["image"].as_str().unwrap();
    assert!(image.starts_with("registry.example/"), "{image}");
    let mut volumes = list(&pod["volumes"]);
    let used = &volumes
        .find(|volume| volume["name"] == "configuration")
        .unwrap()["configMap"]["name"];
    let mut maps = of_kind("ConfigMap");
    let map = maps.find(|map| &map["metadata"]["name"] == used).unwrap();
    let configuration = map["data"]["kb-exporter.yml"].as_str().unwrap();
    assert!(configuration.contains("mode: dry_run"), "{configuration}");
}
