//! This process, as `/proc` has it.
//!
//! The collector of the `prometheus` crate rounds processor time to whole seconds and brings a second version of `rustix`.

use std::fs;

use rustix::param::{clock_ticks_per_second, page_size};
use rustix::process::{Resource, getrlimit};

use crate::metrics::samples::float;

/// What `/proc/self/stat` says, in seconds and bytes (proc(5)).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Process {
    pub(super) cpu_seconds: f64,
    pub(super) threads: f64,
    started_after_boot: f64,
    pub(super) virtual_bytes: f64,
    pub(super) resident_bytes: f64,
}

impl Process {
    /// This process now.
    pub fn now() -> Option<Self> {
        Self::parse(&fs::read_to_string("/proc/self/stat").ok()?)
    }

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

    /// When it started, in seconds since 1970.
    pub(super) fn started(self) -> Option<f64> {
        let stat = fs::read_to_string("/proc/stat").ok()?;
        let boot = stat.lines().find_map(|line| line.strip_prefix("btime "))?;
        let boot: u64 = boot.trim().parse().ok()?;
        Some(float(boot) + self.started_after_boot)
    }
}

pub(super) fn open_fds() -> Option<f64> {
    let open = fs::read_dir("/proc/self/fd").ok()?;
    Some(float(open.count() as u64))
}

pub(super) fn max_fds() -> Option<f64> {
    getrlimit(Resource::Nofile).current.map(float)
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
            let stat = Process::parse(&format!("42 ({name}) {fields}")).unwrap();
            let expected = Process {
                cpu_seconds: 200.0 / ticks,
                threads: 7.0,
                started_after_boot: 1000.0 / ticks,
                virtual_bytes: 4096.0,
                resident_bytes: 2.0 * float(page_size() as u64),
            };
            assert_eq!(stat, expected, "{name}");
        }
        assert_eq!(Process::parse("42 (short) S 1"), None);
    }
}
