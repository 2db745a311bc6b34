//! The time that a text costs is linear in its length, whatever is repeated in it.

use std::hint::black_box;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use super::normalise;

/// What is repeated, alone and beside one another.
const UNITS: [&str; 40] = [
    ":",
    "::",
    "1:",
    "ab:",
    "Mon ",
    "пн ",
    "may ",
    "1 Jan ",
    "de ",
    "'",
    "\"",
    "''",
    "【",
    "»",
    "″",
    "&quot;",
    "&#x",
    "/a ",
    "/a",
    "a/",
    "(",
    " (",
    "$",
    "~$",
    "C:\\",
    "a@",
    "b.",
    ".pdf",
    "1",
    "12 ",
    "e9 ",
    "dead",
    "-",
    "=",
    "年",
    "上午",
    "星期三",
    "\\x",
    "é",
    "\u{ad}",
];

/// The lengths of the texts: what is quadratic costs 64 times as much for the long one.
const SHORT: usize = 512;
const LONG: usize = 8 * SHORT;

/// Times the cost of the short text that the long one may cost: far from 8 and from 64, as costs are measured inexactly.
const MOST: u32 = 24;

/// Below this, what is measured says nothing.
const LEAST: Duration = Duration::from_micros(200);

fn repeated(unit: &str, length: usize) -> String {
    unit.chars().cycle().take(length).collect()
}

/// What this thread took of a processor so far: other work on the machine does not count.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.try_into().unwrap()
}

/// The least of a few measurements.
fn cost(text: &str) -> Duration {
    let measure = |_| {
        let start = processor_time();
        black_box(normalise(black_box(text)));
        processor_time() - start
    };
    (0..5).map(measure).min().unwrap()
}

#[test]
fn what_a_text_costs_grows_as_its_length() {
    let pairs = UNITS
        .iter()
        .flat_map(|first| UNITS.iter().map(move |second| [*first, second].concat()));
    for unit in UNITS.iter().map(|unit| (*unit).to_owned()).chain(pairs) {
        let is_linear = || {
            let long = cost(&repeated(&unit, LONG));
            long < LEAST || long < cost(&repeated(&unit, SHORT)) * MOST
        };
        assert!(is_linear() || is_linear() || is_linear(), "{unit:?}");
    }
}
