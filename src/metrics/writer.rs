//! Writes families through the prometheus crate, which knows the format.
//!
//! The crate's own types take several times the room of the text. So they hold a part of one family at a time.

use std::io::Write;

use prometheus::proto::{
    Bucket, Counter, Gauge, Histogram, LabelPair, Metric, MetricFamily, MetricType,
};
use prometheus::{Encoder, TextEncoder};

use crate::history::IndexingTimes;
use crate::metrics::catalogue::Family;

/// Samples of one part.
const PART: usize = 500;

/// Takes the samples of one family.
pub(super) struct Samples<'a> {
    sink: &'a mut dyn Write,
    family: &'static Family,
    part: MetricFamily,
    text: Vec<u8>,
    first: bool,
    result: prometheus::Result<()>,
}

/// Writes one family. One without samples is left out.
pub(super) fn write_family(
    sink: &mut dyn Write,
    family: &'static Family,
    fill: impl FnOnce(&mut Samples<'_>),
) -> prometheus::Result<()> {
    let mut samples = Samples {
        sink,
        family,
        part: empty(family),
        text: Vec::new(),
        first: true,
        result: Ok(()),
    };
    fill(&mut samples);
    samples.end_part();
    samples.result
}

impl Samples<'_> {
    /// Adds the sample of a gauge or counter; `labels` in the order of the family's.
    pub fn add(&mut self, labels: &[&str], value: f64) {
        self.push(simple(self.family, labels, value));
    }

    /// Adds the sample of a gauge where there is a value.
    pub fn add_some(&mut self, labels: &[&str], value: Option<f64>) {
        if let Some(value) = value {
            self.add(labels, value);
        }
    }

    /// Adds a histogram.
    pub fn add_histogram(&mut self, labels: &[&str], times: &IndexingTimes) {
        let mut histogram = Histogram::default();
        let buckets = times.cumulative().map(|(bound, count)| {
            let mut bucket = Bucket::default();
            bucket.set_upper_bound(f64::from(bound));
            bucket.set_cumulative_count(count);
            bucket
        });
        histogram.set_bucket(buckets.collect());
        histogram.set_sample_count(times.count);
        histogram.set_sample_sum(float(times.sum_millis) / 1000.0);
        let mut metric = labelled(self.family, labels);
        metric.set_histogram(histogram);
        self.push(metric);
    }

    fn push(&mut self, metric: Metric) {
        self.part.mut_metric().push(metric);
        if self.part.get_metric().len() == PART {
            self.end_part();
        }
    }

    fn end_part(&mut self) {
        if self.result.is_ok() && !self.part.get_metric().is_empty() {
            self.result = self.write_part();
        }
        self.part.mut_metric().clear();
    }

    /// Writes a part of the family; its HELP and TYPE are said in the first one.
    fn write_part(&mut self) -> prometheus::Result<()> {
        self.text.clear();
        TextEncoder::new().encode(std::slice::from_ref(&self.part), &mut self.text)?;
        let head = if self.first { 0 } else { comments(&self.text) };
        self.first = false;
        Ok(self.sink.write_all(&self.text[head..])?)
    }
}

/// A family with one sample.
pub(super) fn single(family: &'static Family, labels: &[&str], value: f64) -> MetricFamily {
    let mut proto = empty(family);
    proto.set_metric(vec![simple(family, labels, value)]);
    proto
}

/// A count as the exposition has it; exact up to 2^53.
#[expect(clippy::cast_precision_loss, reason = "the format has only floats")]
pub(super) fn float(count: u64) -> f64 {
    count as f64
}

/// A difference of counts as the exposition has it; exact up to 2^53 either way.
#[expect(clippy::cast_precision_loss, reason = "the format has only floats")]
pub(super) fn signed(difference: i64) -> f64 {
    difference as f64
}

pub(super) fn flag(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

fn empty(family: &Family) -> MetricFamily {
    let mut proto = MetricFamily::default();
    proto.set_name(family.name.to_owned());
    proto.set_help(family.help.to_owned());
    proto.set_field_type(family.kind);
    proto
}

fn simple(family: &Family, labels: &[&str], value: f64) -> Metric {
    let mut metric = labelled(family, labels);
    if family.kind == MetricType::COUNTER {
        let mut counter = Counter::default();
        counter.set_value(value);
        metric.set_counter(counter);
    } else {
        let mut gauge = Gauge::default();
        gauge.set_value(value);
        metric.set_gauge(gauge);
    }
    metric
}

fn labelled(family: &Family, values: &[&str]) -> Metric {
    debug_assert_eq!(family.labels.len(), values.len(), "{}", family.name);
    let pairs = family.labels.iter().zip(values).map(|(name, value)| {
        let mut pair = LabelPair::default();
        pair.set_name((*name).to_owned());
        pair.set_value((*value).to_owned());
        pair
    });
    Metric::from_label(pairs.collect())
}

/// Bytes of the lines at the beginning that are comments.
fn comments(text: &[u8]) -> usize {
    let lines = text.split_inclusive(|byte| *byte == b'\n');
    let comments = lines.take_while(|line| line.starts_with(b"#"));
    comments.map(<[u8]>::len).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::catalogue;

    #[test]
    fn a_family_of_many_parts_has_one_head_and_every_sample_in_order() {
        let mut text = Vec::new();
        let numbers = 0..PART * 5 / 2;
        write_family(&mut text, &catalogue::PORTAL_FOLDERS, |samples| {
            for number in numbers.clone() {
                samples.add(&[&number.to_string()], float(number as u64));
            }
        })
        .unwrap();
        let text = String::from_utf8(text).unwrap();
        let is_comment = |line: &&str| line.starts_with('#');
        let (head, samples): (Vec<_>, Vec<_>) = text.lines().partition(is_comment);
        assert_eq!(head.len(), 2);
        assert!(text.starts_with(&head.join("\n")));
        let line = |number| format!("kb_portal_folders{{portal=\"{number}\"}} {number}");
        assert_eq!(samples, numbers.map(line).collect::<Vec<_>>());
    }

    #[test]
    fn a_family_without_samples_is_left_out() {
        let mut text = Vec::new();
        write_family(&mut text, &catalogue::PORTAL_UP, |_| {}).unwrap();
        assert!(text.is_empty());
    }
}
