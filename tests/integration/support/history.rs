//! A past for a Prometheus server: what an exporter says now, as if it had been at work for hours.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use super::process::output;
use super::prometheus::data;
use kb_exposition::{Exposition, Sample};

/// How long the past is, and how far two scrapes are apart, in seconds.
const LENGTH: u32 = 6 * 3600;
const STEP: u32 = 60;

/// The exporters that say the same: several may watch one portal.
const INSTANCES: [&str; 2] = ["one:15732", "other:15732"];

/// Writes six hours that end now into the data of a server that is started with this folder, and returns when they end.
///
/// Counters grow evenly from 0 to what they are; times go along with the time; everything else was always as it is.
pub(crate) fn write(exposition: &Exposition, folder: &Path) -> f64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let end = now.as_secs() / u64::from(STEP) * u64::from(STEP);
    let file = folder.join("history.txt");
    fs::write(&file, open_metrics(exposition, u32::try_from(end).unwrap())).unwrap();
    let mut promtool = Command::new("promtool");
    promtool.args(["tsdb", "create-blocks-from", "openmetrics"]);
    output(promtool.arg(file).arg(data(folder)));
    f64::from(u32::try_from(end).unwrap())
}

fn open_metrics(exposition: &Exposition, end: u32) -> String {
    let mut text = String::new();
    let up = Sample {
        name: "up".to_owned(),
        labels: std::collections::BTreeMap::new(),
        value: 1.0,
    };
    let samples = exposition.samples.iter().chain([&up]);
    let series =
        samples.flat_map(|sample| INSTANCES.map(|instance| (sample, series_of(sample, instance))));
    for (sample, series) in series {
        for before in (0..=LENGTH)
            .step_by(STEP as usize)
            .map(|passed| LENGTH - passed)
        {
            let value = value_before(sample, f64::from(before));
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{series} {value} {}", end - before);
        }
    }
    text + "# EOF\n"
}

fn series_of(sample: &Sample, instance: &str) -> String {
    let target = [("job", "kb-exporter"), ("instance", instance)];
    let own = sample
        .labels
        .iter()
        .map(|(name, value)| (&**name, &**value));
    let labels: Vec<_> = target
        .into_iter()
        .chain(own)
        .map(|(name, value)| format!("{name}=\"{}\"", escaped(value)))
        .collect();
    format!("{}{{{}}}", sample.name, labels.join(","))
}

fn value_before(sample: &Sample, seconds: f64) -> f64 {
    let is = |endings: &[&str]| endings.iter().any(|ending| sample.name.ends_with(ending));
    if is(&["_total", "_bucket", "_count", "_sum"]) {
        sample.value * (1.0 - seconds / f64::from(LENGTH))
    } else if is(&["_timestamp_seconds"]) && sample.value > 0.0 {
        sample.value - seconds
    } else {
        sample.value
    }
}

fn escaped(value: &str) -> String {
    value
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}
