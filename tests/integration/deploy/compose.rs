//! The containers of `compose.yml` may do little, have all files that they need, and find each other.

use std::path::PathBuf;

use regex::Regex;
use serde_json::{Map, Value};

use super::{list, output, root, text, texts, tool, yaml};

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

/// The names by which other services find a service.
fn names(service: &Value) -> Vec<&str> {
    texts(&service["networks"]["default"]["aliases"])
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
fn ports_are_on_the_loopback_interface() {
    let mut ports = 0;
    for (name, service) in services() {
        for port in texts(&service["ports"]) {
            assert!(port.starts_with("127.0.0.1:"), "{name}: {port}");
            ports += 1;
        }
    }
    assert_eq!(ports, 5);
}

#[test]
fn images_have_a_version_or_are_built_here() {
    let version = Regex::new(r"^docker\.io/[a-z/]+:v?\d+\.\d+\.\d+$").unwrap();
    for (name, service) in services() {
        let image = service["image"].as_str().unwrap();
        assert!(
            service.get("build").is_some() || version.is_match(image),
            "{name}: {image}"
        );
    }
}

#[test]
fn the_image_runs_the_exporter_as_the_user_of_the_service() {
    let exporter = &services()["demo"];
    let build = exporter["build"].as_object().unwrap();
    assert_eq!(build["context"], "..");
    let image = text(build["dockerfile"].as_str().unwrap());
    let user = exporter["user"].as_str().unwrap();
    assert!(image.contains(&format!("\nUSER {user}\n")), "{image}");
    assert!(
        image.contains("\nENTRYPOINT [\"kb-exporter\"]\n"),
        "{image}"
    );
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
fn prometheus_and_grafana_find_what_they_need() {
    let services = services();
    let is_served = |address: &str, name: &str| {
        let (host, port) = address.split_once(':').unwrap();
        let service = &services[name];
        let served = texts(&service["ports"])
            .iter()
            .any(|served| served.ends_with(&format!(":{port}")));
        served && names(service).contains(&host)
    };
    let prometheus = yaml(mounted(
        &services["prometheus"],
        "/etc/prometheus/prometheus.yml",
    ));
    let scraped = &prometheus["scrape_configs"][0];
    let target = texts(&scraped["static_configs"][0]["targets"])[0];
    assert!(is_served(target, "exporter"), "{target}");
    let alertmanagers = &prometheus["alerting"]["alertmanagers"];
    let target = texts(&alertmanagers[0]["static_configs"][0]["targets"])[0];
    assert!(is_served(target, "alertmanager"), "{target}");
    for rules in texts(&prometheus["rule_files"]) {
        mounted(&services["prometheus"], rules);
    }

    let grafana = &services["grafana"];
    let provisioned = |what| format!("/etc/grafana/provisioning/{what}/kb-exporter.yml");
    let source = yaml(mounted(grafana, &provisioned("datasources")));
    let source = &source["datasources"][0];
    let url = source["url"].as_str().unwrap();
    assert!(
        is_served(url.strip_prefix("http://").unwrap(), "prometheus"),
        "{url}"
    );
    assert_eq!(
        source["jsonData"]["timeInterval"],
        scraped["scrape_interval"]
    );
    let boards = yaml(mounted(grafana, &provisioned("dashboards")));
    let folder = boards["providers"][0]["options"]["path"].as_str().unwrap();
    let home = grafana["environment"]["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]
        .as_str()
        .unwrap();
    let home = home.strip_prefix(folder).unwrap().trim_start_matches('/');
    assert!(mounted(grafana, folder).join(home).exists(), "{home}");
}

/// Grafana 13 removes the data source of Prometheus before it notices that it cannot write the update.
#[test]
fn grafana_does_not_update_plugins_that_it_cannot_write() {
    let grafana = &services()["grafana"];
    assert_eq!(grafana["read_only"], true);
    assert_eq!(
        grafana["environment"]["GF_PLUGINS_PREINSTALL_AUTO_UPDATE"],
        "false"
    );
}

#[test]
fn the_exporter_listens_where_its_port_is_published() {
    let services = services();
    for (name, command) in [
        ("demo", "--web.listen-address=0.0.0.0:15732"),
        (
            "exporter",
            "--config.file=/etc/kb-exporter/kb-exporter.yml",
        ),
    ] {
        let exporter = &services[name];
        assert_eq!(texts(&exporter["command"])[1], command);
        assert_eq!(texts(&exporter["ports"]), ["127.0.0.1:15732:15732"]);
        let check = texts(&exporter["healthcheck"]["test"]);
        assert_eq!(check, ["CMD", "kb-exporter", "healthcheck"]);
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
