//! Writes the samples of one family in the text format 0.0.4.
//!
//! The types of the prometheus crate take several times the memory of the text, so they are used for events alone.

use std::borrow::Cow;
use std::io::{self, Write};

use crate::history::IndexingTimes;

/// Up to here, a float has every whole number.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Writes the samples of one family.
pub(super) struct Samples<'a> {
    sink: &'a mut dyn Write,
    name: &'static str,
    names: &'static [&'static str],
    /// The HELP and TYPE lines, until the first sample: a family without samples is left out.
    head: String,
    /// How many labels have the values of [`Self::about`], and these as the begin of each line has them.
    shared: usize,
    labels: Vec<u8>,
    line: Vec<u8>,
    result: io::Result<()>,
}

impl<'a> Samples<'a> {
    /// For a family with this name and labels; `head` has its HELP and TYPE lines.
    pub fn new(
        name: &'static str,
        names: &'static [&'static str],
        head: String,
        sink: &'a mut dyn Write,
    ) -> Self {
        Self {
            sink,
            name,
            names,
            head,
            shared: 0,
            labels: b"{".to_vec(),
            line: Vec::new(),
            result: Ok(()),
        }
    }

    /// From here on, samples have these values of the first labels.
    pub fn about(&mut self, values: &[&str]) -> &mut Self {
        self.shared = values.len();
        self.labels.truncate(1);
        for (label, value) in self.names.iter().zip(values) {
            push_label(&mut self.labels, label, value);
        }
        self
    }

    /// Adds the sample of a gauge or counter; `values` are those of the further labels, in their order.
    pub fn add(&mut self, values: &[&str], value: f64) {
        let labels = &self.names[self.shared..];
        debug_assert_eq!(labels.len(), values.len(), "{}", self.name);
        self.write("", labels.iter().zip(values), value);
    }

    /// The same without further labels, if there is a value.
    pub fn add_if_known(&mut self, value: Option<f64>) {
        if let Some(value) = value {
            self.add(&[], value);
        }
    }

    pub fn add_histogram(&mut self, times: &IndexingTimes) {
        for (bound, count) in times.cumulative() {
            let bound = bound.to_string();
            self.write("_bucket", [(&"le", &&*bound)], float(count));
        }
        self.write("_bucket", [(&"le", &"+Inf")], float(times.count));
        self.write("_sum", [], float(times.sum_millis) / 1000.0);
        self.write("_count", [], float(times.count));
    }

    /// Ends the family; fails if a sample could not be written.
    pub fn finish(self) -> io::Result<()> {
        self.result
    }

    fn write<'l>(
        &mut self,
        suffix: &str,
        labels: impl IntoIterator<Item = (&'l &'l str, &'l &'l str)>,
        value: f64,
    ) {
        let line = &mut self.line;
        line.clear();
        line.extend(std::mem::take(&mut self.head).into_bytes());
        line.extend(self.name.as_bytes());
        line.extend(suffix.as_bytes());
        line.extend(&self.labels);
        for (label, value) in labels {
            push_label(line, label, value);
        }
        match line.pop() {
            Some(b'{') | None => {}
            Some(last) => line.extend([last, b'}']),
        }
        if self.result.is_ok() {
            let written = match whole(value) {
                Some(value) => writeln!(line, " {value}"),
                None => writeln!(line, " {value}"),
            };
            self.result = written.and_then(|()| self.sink.write_all(line));
        }
    }
}

/// Adds a label to a line, after a comma unless it is the first.
fn push_label(line: &mut Vec<u8>, label: &str, value: &str) {
    if line.last() != Some(&b'{') {
        line.push(b',');
    }
    line.extend(label.as_bytes());
    line.extend(b"=\"");
    line.extend(escaped(value).as_bytes());
    line.push(b'"');
}

/// The value of a label as the text format has it.
fn escaped(value: &str) -> Cow<'_, str> {
    if !value.contains(['\\', '"', '\n']) {
        return value.into();
    }
    let escaped = value.replace('\\', r"\\").replace('"', "\\\"");
    escaped.replace('\n', "\\n").into()
}

/// A whole number, which is written faster than one that may have digits after the point.
#[expect(clippy::cast_possible_truncation, reason = "it is in the range")]
fn whole(value: f64) -> Option<i64> {
    (value.fract() == 0.0 && value.abs() < EXACT).then_some(value as i64)
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
