//! The containers of `compose.yml` may do little, have all files that they need, and find each other.

use std::path::PathBuf;

use serde_json::{Map, Value};

use super::{list, texts, tool};
use crate::support::process::output;
use crate::support::repository::{root, yaml};

const FILE: &str = "deploy/compose.yml";

/// The services by name.
pub(super) fn services() -> Map<String, Value> {
    yaml(FILE)["services"].as_object().unwrap().clone()
}

/// The file of the repository that a service has at a path.
pub(super) fn mounted(service: &Value, path: &str) -> PathBuf {
    let mounts = mounts(service);
    let mut mounts = mounts.into_iter();
    let mount = mounts.find(|mount| mount.target == path);
    mount
        .unwrap_or_else(|| panic!("nothing is mounted at {path}"))
        .source
}

/// The path that the health check of a service asks for, at the port that the service publishes.
pub(super) fn health_path(service: &Value) -> String {
    let check = texts(&service["healthcheck"]["test"]);
    assert_eq!(check[..5], ["CMD", "wget", "-q", "-O", "/dev/null"]);
    let port = texts(&service["ports"])[0].rsplit(':').next().unwrap();
    let path = check[5].strip_prefix(&format!("http://127.0.0.1:{port}"));
    path.unwrap().to_owned()
}

/// A file or folder of the repository, and where a container finds it.
struct Mount {
    source: PathBuf,
    target: String,
}

/// What a service has from the repository.
fn mounts(service: &Value) -> Vec<Mount> {
    let volumes = texts(&service["volumes"]).into_iter();
    let files = volumes.filter(|volume| volume.starts_with('.'));
    files
        .map(|volume| {
            let (source, rest) = volume.split_once(':').unwrap();
            let target = rest.strip_suffix(":ro");
            let target = target.unwrap_or_else(|| panic!("{volume} can be written"));
            Mount {
                source: root().join("deploy").join(source),
                target: target.to_owned(),
            }
        })
        .collect()
}

#[test]
fn containers_have_no_privileges() {
    for (name, service) in services() {
        assert_eq!(texts(&service["cap_drop"]), ["ALL"], "{name}");
        assert_eq!(service["read_only"], true, "{name}");
        let options = texts(&service["security_opt"]);
        assert_eq!(options, ["no-new-privileges:true"], "{name}");
        let user = service["user"].as_str().unwrap();
        let (user, _group) = user.split_once(':').unwrap();
        assert!(user.parse::<u32>().unwrap() > 0, "{name}");
    }
}

#[test]
fn every_file_that_is_mounted_is_there() {
    let services = services();
    let mounts: Vec<_> = services.values().flat_map(mounts).collect();
    assert_eq!(mounts.len(), 6);
    for mount in mounts {
        assert!(mount.source.exists(), "{}", mount.source.display());
    }
}

#[test]
fn a_profile_runs_the_demo_or_the_exporter_with_its_configuration_and_key() {
    let config = |profile: &str| -> Option<Value> {
        let mut command = tool("docker-compose")?;
        command
            .current_dir(root())
            .env("KB_CONFIG", "/etc/kb.yml")
            .env("KB_KEY", "/etc/kb-key");
        command.args(["--file", FILE, "--profile", profile]);
        command.args(["config", "--format", "json"]);
        Some(serde_json::from_str(&output(&mut command)).unwrap())
    };
    let Some(demo) = config("demo") else { return };
    let portal = config("portal").unwrap();
    for (config, other) in [(&demo, "exporter"), (&portal, "demo")] {
        assert_eq!(config["services"][other], Value::Null);
        assert_eq!(config["services"].as_object().unwrap().len(), 4);
    }
    let exporter = &portal["services"]["exporter"];
    let sources: Vec<_> = list(&exporter["volumes"])
        .map(|volume| volume["source"].as_str().unwrap())
        .collect();
    assert_eq!(sources, ["/etc/kb.yml", "exporter"]);
    assert_eq!(exporter["read_only"], true);
    assert_eq!(exporter["secrets"][0]["target"], "/run/secrets/kb-key");
    assert_eq!(portal["secrets"]["kb-key"]["file"], "/etc/kb-key");
}
