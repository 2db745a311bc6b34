//! The `process_*` metrics that all exporters have, read from `/proc` at each scrape.
//!
//! The collector of the `prometheus` crate rounds processor time to whole seconds and brings a second version of `rustix`.

use std::fmt::Write;
use std::fs;

use rustix::param::{clock_ticks_per_second, page_size};
use rustix::process::{Resource, getrlimit};

use crate::metrics::samples::float;

/// The text of the metrics that can be read.
pub(super) fn text() -> String {
    let stat = fs::read_to_string("/proc/self/stat");
    let stat = stat.ok().and_then(|stat| Stat::parse(&stat));
    let of_stat = |value: fn(&Stat) -> f64| stat.as_ref().map(value);
    let started = of_stat(|stat| stat.started_after_boot).zip(boot_time());
    let open_fds = fs::read_dir("/proc/self/fd").map(|entries| float(entries.count() as u64));
    let max_fds = getrlimit(Resource::Nofile).current;
    let metrics = [
        (
            "process_cpu_seconds_total counter",
            "Total user and system CPU time spent in seconds.",
            of_stat(|stat| stat.cpu_seconds),
        ),
        (
            "process_max_fds gauge",
            "Maximum number of open file descriptors.",
            Some(max_fds.map_or(f64::INFINITY, float)),
        ),
        (
            "process_open_fds gauge",
            "Number of open file descriptors.",
            open_fds.ok(),
        ),
        (
            "process_resident_memory_bytes gauge",
            "Resident memory size in bytes.",
            of_stat(|stat| stat.resident_bytes),
        ),
        (
            "process_start_time_seconds gauge",
            "Start time of the process since unix epoch in seconds.",
            started.map(|(after_boot, boot)| boot + after_boot),
        ),
        (
            "process_threads gauge",
            "Number of OS threads in the process.",
            of_stat(|stat| stat.threads),
        ),
        (
            "process_virtual_memory_bytes gauge",
            "Virtual memory size in bytes.",
            of_stat(|stat| stat.virtual_bytes),
        ),
    ];
    let mut text = String::new();
    for (metric, help, value) in metrics {
        let name = metric.split(' ').next().unwrap_or_default();
        if let Some(value) = value {
            let value = value.to_string().replace("inf", "+Inf");
            // Writing to a string cannot fail.
            let _ = write!(
                text,
                "# HELP {name} {help}\n# TYPE {metric}\n{name} {value}\n"
            );
        }
    }
    text
}

/// What `/proc/self/stat` says, in seconds and bytes (proc(5)).
#[derive(Debug, PartialEq)]
struct Stat {
    cpu_seconds: f64,
    threads: f64,
    started_after_boot: f64,
    virtual_bytes: f64,
    resident_bytes: f64,
}

impl Stat {
    fn parse(text: &str) -> Option<Self> {
        // The second field is the name of the program, which may contain spaces and parentheses.
        let (_, fields) = text.rsplit_once(") ")?;
        let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
        // Numbered from 1, as in the manual; the name was the second.
        let field = |number: usize| fields.get(number - 3)?.parse().ok().map(float);
        let seconds = |ticks: f64| ticks / float(clock_ticks_per_second());
        Some(Self {
            cpu_seconds: seconds(field(14)? + field(15)?),
            threads: field(20)?,
            started_after_boot: seconds(field(22)?),
            virtual_bytes: field(23)?,
            resident_bytes: field(24)? * float(page_size() as u64),
        })
    }
}

/// When the system was booted, in seconds since 1970.
fn boot_time() -> Option<f64> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    let line = stat.lines().find_map(|line| line.strip_prefix("btime "))?;
    line.trim().parse().ok().map(float)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_may_have_any_name() {
        let fields =
            "S 1 1 1 0 -1 0 0 0 0 0 150 50 0 0 20 0 7 0 1000 4096 2 18446744073709551615 1";
        let ticks = float(clock_ticks_per_second());
        for name in ["kb-exporter", "a) (b c) ", ""] {
            let stat = Stat::parse(&format!("42 ({name}) {fields}")).unwrap();
            let expected = Stat {
                cpu_seconds: 200.0 / ticks,
                threads: 7.0,
                started_after_boot: 1000.0 / ticks,
                virtual_bytes: 4096.0,
                resident_bytes: 2.0 * float(page_size() as u64),
            };
            assert_eq!(stat, expected, "{name}");
        }
        assert_eq!(Stat::parse("42 (short) S 1"), None);
    }
}
