//! Writes the samples of one family in the text format 0.0.4.
//!
//! The types of the prometheus crate take several times the memory of the text, so they are used for events alone.

use std::borrow::Cow;
use std::io::{self, Write};

use crate::history::IndexingTimes;

/// Writes the samples of one family.
pub(super) struct Samples<'a> {
    pub(super) sink: &'a mut dyn Write,
    /// The HELP and TYPE lines, until the first sample: a family without samples is left out.
    pub(super) head: Option<String>,
    pub(super) name: &'static str,
    pub(super) labels: &'static [&'static str],
    pub(super) result: io::Result<()>,
}

impl Samples<'_> {
    /// Adds the sample of a gauge or counter; `values` are in the order of the labels.
    pub fn add(&mut self, values: &[&str], value: f64) {
        self.add_part("", values, None, value);
    }

    /// The same if there is a value.
    pub fn add_if_known(&mut self, values: &[&str], value: Option<f64>) {
        if let Some(value) = value {
            self.add(values, value);
        }
    }

    pub fn add_histogram(&mut self, values: &[&str], times: &IndexingTimes) {
        for (bound, count) in times.cumulative() {
            self.add_part("_bucket", values, Some(&bound.to_string()), float(count));
        }
        self.add_part("_bucket", values, Some("+Inf"), float(times.count));
        self.add_part("_sum", values, None, float(times.sum_millis) / 1000.0);
        self.add_part("_count", values, None, float(times.count));
    }

    /// Ends the family; fails if a sample could not be written.
    pub fn finish(self) -> io::Result<()> {
        self.result
    }

    fn add_part(&mut self, suffix: &str, values: &[&str], bound: Option<&str>, value: f64) {
        if self.result.is_ok() {
            self.result = self.write(suffix, values, bound, value);
        }
    }

    fn write(
        &mut self,
        suffix: &str,
        values: &[&str],
        bound: Option<&str>,
        value: f64,
    ) -> io::Result<()> {
        debug_assert_eq!(self.labels.len(), values.len(), "{}", self.name);
        if let Some(head) = self.head.take() {
            self.sink.write_all(head.as_bytes())?;
        }
        write!(self.sink, "{}{suffix}", self.name)?;
        let bound = bound.map(|bound| ("le", bound));
        let labels = self.labels.iter().copied().zip(values.iter().copied());
        let mut separator = '{';
        for (label, value) in labels.chain(bound) {
            write!(self.sink, "{separator}{label}=\"{}\"", escaped(value))?;
            separator = ',';
        }
        let end = if separator == ',' { "}" } else { "" };
        writeln!(self.sink, "{end} {value}")
    }
}

/// The value of a label as the text format has it.
fn escaped(value: &str) -> Cow<'_, str> {
    if !value.contains(['\\', '"', '\n']) {
        return value.into();
    }
    let escaped = value.replace('\\', r"\\").replace('"', "\\\"");
    escaped.replace('\n', "\\n").into()
}

/// A count as the exposition has it; exact up to 2^53.
#[expect(clippy::cast_precision_loss, reason = "the format has only floats")]
pub(super) fn float(count: u64) -> f64 {
    count as f64
}

/// 1 if something holds, or else 0.
pub(super) fn flag(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}
