//! Families of this process: its configuration, and what it was built from.

use crate::metrics::family::families;
use crate::metrics::samples::flag;

/// The values of the labels of `kb_exporter_build_info`.
const BUILD: [&str; 3] = [
    env!("CARGO_PKG_VERSION"),
    env!("KB_REVISION"),
    env!("KB_RUSTC"),
];

families! {
    KILL_SWITCH: Gauge "kb_reindex_kill_switch" &[], Exporter(|facts| Some(flag(facts.kill_switch))),
        "Whether the kill switch stops all attempts.";
    BUILD_INFO: Gauge "kb_exporter_build_info" &["version", "revision", "rustc"],
        ExporterSamples(|_, samples| samples.add(&BUILD, 1.0)),
        "Version, revision and compiler of the exporter, constant 1.";
    RELOAD_SUCCESSFUL: Gauge "kb_exporter_config_last_reload_successful" &[],
        Exporter(|facts| Some(flag(facts.config.reload_successful))),
        "Whether the last configuration reload succeeded.";
    RELOAD_TIMESTAMP: Gauge "kb_exporter_config_last_reload_success_timestamp_seconds" &[],
        Exporter(|facts| Some(facts.config.loaded.as_seconds())),
        "Time of the last successful configuration reload.";
    WEB_RELOAD_SUCCESSFUL: Gauge "kb_exporter_web_config_last_reload_successful" &[],
        Exporter(|facts| Some(flag(facts.web?.reload_successful))),
        "Whether the current web configuration file is in use. Absent without --web.config.file.";
    WEB_RELOAD_TIMESTAMP: Gauge "kb_exporter_web_config_last_reload_success_timestamp_seconds" &[],
        Exporter(|facts| Some(facts.web?.loaded.as_seconds())),
        "Time at which the web configuration and the certificate in use were read. Absent without --web.config.file.";
    CERTIFICATE_EXPIRY: Gauge "kb_exporter_certificate_expiry_timestamp_seconds" &[],
        Exporter(|facts| Some(facts.web?.certificate_expiry?.as_seconds())),
        "Earliest time at which a certificate that the server sends expires. Absent without TLS.";
}
