//! The `process_*` families that all exporters have.

use crate::metrics::family::families;
use crate::metrics::process::{max_fds, open_fds};

families! {
    CPU_SECONDS: Counter "process_cpu_seconds_total" &[], Exporter(|facts| Some(facts.process?.cpu_seconds)),
        "Total user and system CPU time spent in seconds.";
    MAX_FDS: Gauge "process_max_fds" &[], Exporter(|facts| facts.process.and_then(|_| max_fds())),
        "Maximum number of open file descriptors.";
    OPEN_FDS: Gauge "process_open_fds" &[], Exporter(|facts| facts.process.and_then(|_| open_fds())),
        "Number of open file descriptors.";
    RESIDENT_MEMORY: Gauge "process_resident_memory_bytes" &[], Exporter(|facts| Some(facts.process?.resident_bytes)),
        "Resident memory size in bytes.";
    START_TIME: Gauge "process_start_time_seconds" &[], Exporter(|facts| facts.process?.started()),
        "Start time of the process since unix epoch in seconds.";
    THREADS: Gauge "process_threads" &[], Exporter(|facts| Some(facts.process?.threads)),
        "Number of OS threads in the process.";
    VIRTUAL_MEMORY: Gauge "process_virtual_memory_bytes" &[], Exporter(|facts| Some(facts.process?.virtual_bytes)),
        "Virtual memory size in bytes.";
}
