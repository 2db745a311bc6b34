//! The `process_*` metrics that all exporters have, read from `/proc` at each scrape.
//!
//! The collector of the `prometheus` crate rounds processor time to whole seconds and brings a second version of `rustix`.

use std::fs;

use prometheus::core::{Collector, Desc};
use prometheus::proto::MetricFamily;
use prometheus::{Counter, Gauge, Result};
use rustix::param::{clock_ticks_per_second, page_size};
use rustix::process::{Resource, getrlimit};

use crate::metrics::samples::float;

pub(super) struct Process {
    cpu: Counter,
    max_fds: Gauge,
    open_fds: Gauge,
    resident_memory: Gauge,
    start_time: Gauge,
    threads: Gauge,
    virtual_memory: Gauge,
}

impl Process {
    pub(super) fn new() -> Result<Self> {
        Ok(Self {
            cpu: Counter::new(
                "process_cpu_seconds_total",
                "Total user and system CPU time spent in seconds.",
            )?,
            max_fds: Gauge::new(
                "process_max_fds",
                "Maximum number of open file descriptors.",
            )?,
            open_fds: Gauge::new("process_open_fds", "Number of open file descriptors.")?,
            resident_memory: Gauge::new(
                "process_resident_memory_bytes",
                "Resident memory size in bytes.",
            )?,
            start_time: Gauge::new(
                "process_start_time_seconds",
                "Start time of the process since unix epoch in seconds.",
            )?,
            threads: Gauge::new("process_threads", "Number of OS threads in the process.")?,
            virtual_memory: Gauge::new(
                "process_virtual_memory_bytes",
                "Virtual memory size in bytes.",
            )?,
        })
    }

    fn collectors(&self) -> [&dyn Collector; 7] {
        [
            &self.cpu,
            &self.max_fds,
            &self.open_fds,
            &self.resident_memory,
            &self.start_time,
            &self.threads,
            &self.virtual_memory,
        ]
    }
}

impl Collector for Process {
    fn desc(&self) -> Vec<&Desc> {
        let collectors = self.collectors().into_iter();
        collectors.flat_map(Collector::desc).collect()
    }

    fn collect(&self) -> Vec<MetricFamily> {
        if let Some(stat) = fs::read_to_string("/proc/self/stat")
            .ok()
            .as_deref()
            .and_then(Stat::parse)
        {
            self.cpu.reset();
            self.cpu.inc_by(stat.cpu_seconds);
            self.threads.set(stat.threads);
            self.virtual_memory.set(stat.virtual_bytes);
            self.resident_memory.set(stat.resident_bytes);
            if let Some(boot) = boot_time() {
                self.start_time.set(boot + stat.started_after_boot);
            }
        }
        if let Ok(entries) = fs::read_dir("/proc/self/fd") {
            self.open_fds.set(float(entries.count() as u64));
        }
        let limit = getrlimit(Resource::Nofile).current;
        self.max_fds.set(limit.map_or(f64::INFINITY, float));
        let collectors = self.collectors().into_iter();
        collectors.flat_map(Collector::collect).collect()
    }
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
