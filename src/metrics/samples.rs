//! Puts samples together to families, in the types of the prometheus crate, which writes the exposition.

use std::collections::BTreeMap;

use prometheus::proto::{
    Bucket, Counter, Gauge, Histogram, LabelPair, Metric, MetricFamily, MetricType,
};

use crate::memory::IndexingTimes;
use crate::metrics::catalogue::Family;

/// Collects samples.
#[derive(Default)]
pub(super) struct Samples(BTreeMap<&'static str, (&'static Family, Vec<Metric>)>);

impl Samples {
    /// Adds the sample of a gauge or counter; `labels` in the order of the family's.
    pub fn add(&mut self, family: &'static Family, labels: &[&str], value: f64) {
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
        self.push(family, metric);
    }

    /// Adds the sample of a gauge where there is a value.
    pub fn add_some(&mut self, family: &'static Family, labels: &[&str], value: Option<f64>) {
        if let Some(value) = value {
            self.add(family, labels, value);
        }
    }

    /// Adds a histogram.
    pub fn add_histogram(
        &mut self,
        family: &'static Family,
        labels: &[&str],
        times: &IndexingTimes,
    ) {
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
        let mut metric = labelled(family, labels);
        metric.set_histogram(histogram);
        self.push(family, metric);
    }

    /// The families, sorted by name; none is empty.
    pub fn families(self) -> impl Iterator<Item = MetricFamily> {
        self.0.into_values().map(|(family, metrics)| {
            let mut proto = MetricFamily::default();
            proto.set_name(family.name.to_owned());
            proto.set_help(family.help.to_owned());
            proto.set_field_type(family.kind);
            proto.set_metric(metrics);
            proto
        })
    }

    fn push(&mut self, family: &'static Family, metric: Metric) {
        let (_, metrics) = self
            .0
            .entry(family.name)
            .or_insert_with(|| (family, Vec::new()));
        metrics.push(metric);
    }
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
