//! Events: counters and histograms of this process, with labels from closed lists.

use std::sync::Arc;
use std::time::Duration;

use prometheus::core::Collector;
use prometheus::proto::Metric;
use prometheus::{
    CounterVec, Encoder, HistogramOpts, HistogramVec, IntCounterVec, Opts, Registry, Result,
    TextEncoder,
};

use crate::metrics::family::{Family, PORTAL, families};
use crate::model::PortalName;
use crate::policy::Reason;
use crate::portal::{Endpoint, Observer, RetryReason};
use crate::snapshot::RunResult;

families! {
    REQUESTS: Counter "kb_portal_requests_total" &["portal", "endpoint", "code"], Event,
        "Total number of requests to the portal by endpoint and response code. The code is error if there was no response.";
    REQUEST_DURATION: Histogram "kb_portal_request_duration_seconds" &["portal", "endpoint"], Event,
        "Duration of requests to the portal, up to the end of the response.";
    RETRIES: Counter "kb_portal_retries_total" &["portal", "endpoint", "reason"], Event,
        "Total number of retried requests by endpoint and reason.";
    THROTTLE: Counter "kb_portal_throttle_seconds_total" PORTAL, Event,
        "Total time that requests spent waiting for the rate limit.";
    PANICS: Counter "kb_collection_panics_total" PORTAL, Event,
        "Total number of panics in the exporter that ended a read or a collection.";
    RUNS: Counter "kb_collection_runs_total" &["portal", "result"], Event,
        "Total number of collections by result.";
    DECISIONS: Counter "kb_reindex_decisions_total" &["portal", "decision", "reason"], Event,
        "Total number of reindexing decisions by decision and reason.";
    HTTP_REQUESTS: Counter "kb_exporter_http_requests_total" &["handler", "code"], Event,
        "Total number of HTTP requests that were answered, by path and response code.";
    WRITE_DURATION: Histogram "kb_state_write_duration_seconds" &["store"], Event,
        "Duration of transactions that write to the store (state or ledger).";
}

/// Upper bounds of the request durations, in seconds.
const REQUEST_BUCKETS: [f64; 11] = [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0,
];

/// Upper bounds of the durations of writes, in seconds.
const WRITE_BUCKETS: [f64; 9] = [0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 2.5, 10.0, 30.0];

#[derive(Debug, Clone)]
pub struct Events {
    registry: Registry,
    requests: IntCounterVec,
    request_duration: HistogramVec,
    retries: IntCounterVec,
    throttle: CounterVec,
    panics: IntCounterVec,
    runs: IntCounterVec,
    decisions: IntCounterVec,
    write_duration: HistogramVec,
    http_requests: IntCounterVec,
}

impl Events {
    /// Makes the families and registers them. Fails when two of them have one name.
    pub fn new() -> Result<Self> {
        let registry = Registry::new();
        let options = |family: &Family| Opts::new(family.name, family.help);
        let counter = |family: &Family| {
            let counter = IntCounterVec::new(options(family), family.labels)?;
            registered(&registry, counter)
        };
        let histogram = |family: &Family, buckets: &[f64]| {
            let options = HistogramOpts::from(options(family)).buckets(buckets.to_vec());
            registered(&registry, HistogramVec::new(options, family.labels)?)
        };
        let throttle = CounterVec::new(options(&THROTTLE), THROTTLE.labels)?;
        Ok(Self {
            requests: counter(&REQUESTS)?,
            request_duration: histogram(&REQUEST_DURATION, &REQUEST_BUCKETS)?,
            write_duration: histogram(&WRITE_DURATION, &WRITE_BUCKETS)?,
            retries: counter(&RETRIES)?,
            throttle: registered(&registry, throttle)?,
            panics: counter(&PANICS)?,
            runs: counter(&RUNS)?,
            decisions: counter(&DECISIONS)?,
            http_requests: counter(&HTTP_REQUESTS)?,
            registry,
        })
    }

    /// An HTTP request was answered, or refused.
    pub fn answered(&self, handler: &str, code: u16) {
        let labels = [handler, &code.to_string()];
        self.http_requests.with_label_values(&labels).inc();
    }

    /// The text of all families as they are now, without series of portals other than these: the configuration may have removed some.
    pub(super) fn text(&self, portals: &[&str]) -> Result<Vec<u8>> {
        let stays = |metric: &Metric| {
            let mut labels = metric.get_label().iter();
            labels.all(|label| label.name() != "portal" || portals.contains(&label.value()))
        };
        let mut families = self.registry.gather();
        for family in &mut families {
            family.mut_metric().retain(stays);
        }
        families.retain(|family| !family.get_metric().is_empty());
        let mut text = Vec::new();
        TextEncoder::new().encode(&families, &mut text)?;
        Ok(text)
    }

    /// The events of one portal. Every counter begins at 0 here, because `increase` does not see one that is born at 1.
    pub fn of(&self, portal: &PortalName) -> Arc<PortalEvents> {
        let name = portal.as_str();
        for endpoint in Endpoint::ALL.map(Endpoint::as_str) {
            self.request_duration.with_label_values(&[name, endpoint]);
            for reason in RetryReason::ALL.map(RetryReason::as_str) {
                self.retries.with_label_values(&[name, endpoint, reason]);
            }
        }
        for result in RunResult::ALL.map(RunResult::as_str) {
            self.runs.with_label_values(&[name, result]);
        }
        for reason in Reason::ALL {
            let decisions: &[&str] = match reason {
                Reason::Eligible => &["trigger", "dry_run"],
                _ => &["hold"],
            };
            for decision in decisions {
                let labels = [name, *decision, reason.as_str()];
                self.decisions.with_label_values(&labels);
            }
        }
        self.panics.with_label_values(&[name]);
        self.throttle.with_label_values(&[name]);
        Arc::new(PortalEvents {
            events: self.clone(),
            portal: portal.clone(),
        })
    }
}

fn registered<C: Collector + Clone + 'static>(registry: &Registry, family: C) -> Result<C> {
    registry.register(Box::new(family.clone()))?;
    Ok(family)
}

#[derive(Debug)]
pub struct PortalEvents {
    events: Events,
    portal: PortalName,
}

impl PortalEvents {
    /// Requests to the portal since the process started.
    pub fn requests(&self) -> u64 {
        let requests = Endpoint::ALL.map(|endpoint| {
            let labels = [self.portal.as_str(), endpoint.as_str()];
            let durations = &self.events.request_duration;
            durations.with_label_values(&labels).get_sample_count()
        });
        requests.iter().sum()
    }

    /// Counts a decision about a folder.
    pub fn decided(&self, decision: &str, reason: Reason) {
        let labels = [self.portal.as_str(), decision, reason.as_str()];
        self.events.decisions.with_label_values(&labels).inc();
    }

    /// A transaction wrote to a store, `state` or `ledger`, or could not.
    pub fn wrote(&self, store: &str, took: Duration) {
        let durations = &self.events.write_duration;
        let duration = durations.with_label_values(&[store]);
        duration.observe(took.as_secs_f64());
    }

    /// A panic ended a read, or a part for the portal.
    pub fn panicked(&self) {
        let panics = &self.events.panics;
        panics.with_label_values(&[self.portal.as_str()]).inc();
    }

    /// Panics since the process started.
    pub fn panics(&self) -> u64 {
        let panics = &self.events.panics;
        panics.with_label_values(&[self.portal.as_str()]).get()
    }

    pub fn ran(&self, result: RunResult) {
        let labels = [self.portal.as_str(), result.as_str()];
        self.events.runs.with_label_values(&labels).inc();
    }
}

impl Observer for PortalEvents {
    fn requested(&self, endpoint: Endpoint, status: Option<u16>, took: Duration) {
        let code = status.map_or("error".to_owned(), |status| status.to_string());
        let labels = [self.portal.as_str(), endpoint.as_str(), &code];
        self.events.requests.with_label_values(&labels).inc();
        let durations = &self.events.request_duration;
        let duration = durations.with_label_values(&labels[..2]);
        duration.observe(took.as_secs_f64());
    }

    fn retried(&self, endpoint: Endpoint, reason: RetryReason) {
        let labels = [self.portal.as_str(), endpoint.as_str(), reason.as_str()];
        self.events.retries.with_label_values(&labels).inc();
    }

    fn throttled(&self, waited: Duration) {
        let throttle = &self.events.throttle;
        let throttle = throttle.with_label_values(&[self.portal.as_str()]);
        throttle.inc_by(waited.as_secs_f64());
    }
}
