//! What this process did: counters and histograms, with labels from closed lists.

use std::sync::Arc;
use std::time::Duration;

use prometheus::core::Collector;
use prometheus::proto::{Metric, MetricFamily};
use prometheus::{
    CounterVec, HistogramOpts, HistogramVec, IntCounterVec, IntGaugeVec, Opts, Registry, Result,
};

use crate::metrics::catalogue::{self, Family};
use crate::model::PortalName;
use crate::policy::Reason;
use crate::portal::{Code, Endpoint, Observer, RetryReason};
use crate::snapshot::RunResult;

/// Upper bounds of the request durations, in seconds.
const REQUEST_BUCKETS: [f64; 11] = [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0,
];

/// The families of events; each doc comment is about what its HELP text says.
#[derive(Debug, Clone)]
pub struct Events {
    registry: Registry,
    requests: IntCounterVec,
    request_duration: HistogramVec,
    retries: IntCounterVec,
    throttle: CounterVec,
    runs: IntCounterVec,
    decisions: IntCounterVec,
}

impl Events {
    /// Makes the families and registers them. Fails when two of them have one name.
    pub fn new() -> Result<Self> {
        let registry = Registry::new();
        let counter = |family: &Family| {
            let vec = IntCounterVec::new(Opts::new(family.name, family.help), family.labels)?;
            registered(&registry, vec)
        };
        let throttle = &catalogue::PORTAL_THROTTLE;
        let throttle = CounterVec::new(Opts::new(throttle.name, throttle.help), throttle.labels)?;
        let duration = &catalogue::PORTAL_REQUEST_DURATION;
        let options = HistogramOpts::new(duration.name, duration.help);
        let options = options.buckets(REQUEST_BUCKETS.to_vec());
        let duration = HistogramVec::new(options, duration.labels)?;
        let events = Self {
            requests: counter(&catalogue::PORTAL_REQUESTS)?,
            request_duration: registered(&registry, duration)?,
            retries: counter(&catalogue::PORTAL_RETRIES)?,
            throttle: registered(&registry, throttle)?,
            runs: counter(&catalogue::COLLECTION_RUNS)?,
            decisions: counter(&catalogue::REINDEX_DECISIONS)?,
            registry,
        };
        events.register_process()?;
        Ok(events)
    }

    fn register_process(&self) -> Result<()> {
        let family = &catalogue::BUILD_INFO;
        let build = IntGaugeVec::new(Opts::new(family.name, family.help), family.labels)?;
        build
            .with_label_values(&[
                env!("CARGO_PKG_VERSION"),
                env!("KB_REVISION"),
                env!("KB_RUSTC"),
            ])
            .set(1);
        self.registry.register(Box::new(build))?;
        #[cfg(target_os = "linux")]
        self.registry.register(Box::new(
            prometheus::process_collector::ProcessCollector::for_self(),
        ))?;
        Ok(())
    }

    /// All families as they are now.
    pub(super) fn gather(&self) -> Vec<MetricFamily> {
        self.registry.gather()
    }

    /// The events of one portal. Every counter begins at 0 here, because `increase` does not see one that is born at 1.
    #[must_use]
    pub fn of(&self, portal: &PortalName) -> Arc<PortalEvents> {
        let name = portal.as_str();
        for endpoint in Endpoint::ALL {
            self.request_duration
                .with_label_values(&[name, endpoint.as_str()]);
            for reason in RetryReason::ALL {
                self.retries
                    .with_label_values(&[name, endpoint.as_str(), reason.as_str()]);
            }
        }
        for result in RunResult::ALL {
            self.runs.with_label_values(&[name, result.as_str()]);
        }
        for (decision, reason) in decisions() {
            self.decisions
                .with_label_values(&[name, decision, reason.as_str()]);
        }
        self.throttle.with_label_values(&[name]);
        Arc::new(PortalEvents {
            events: self.clone(),
            portal: portal.clone(),
        })
    }
}

/// Leaves out the series of portals that are not named, as those that the configuration no longer has.
pub(super) fn keep_portals(families: &mut Vec<MetricFamily>, portals: &[PortalName]) {
    let named = |name: &str| portals.iter().any(|portal| portal.as_str() == name);
    let stays = |metric: &Metric| {
        let mut labels = metric.get_label().iter();
        labels.all(|label| label.name() != "portal" || named(label.value()))
    };
    for family in families.iter_mut() {
        family.mut_metric().retain(stays);
    }
    families.retain(|family| !family.get_metric().is_empty());
}

/// Every decision that is counted, with its reason.
fn decisions() -> impl Iterator<Item = (&'static str, Reason)> {
    Reason::ALL.iter().flat_map(|reason| {
        let decisions: &[&str] = match reason {
            Reason::Eligible => &["trigger", "dry_run"],
            _ => &["hold"],
        };
        decisions.iter().map(|decision| (*decision, *reason))
    })
}

fn registered<C: Collector + Clone + 'static>(registry: &Registry, family: C) -> Result<C> {
    registry.register(Box::new(family.clone()))?;
    Ok(family)
}

/// The events of one portal.
#[derive(Debug)]
pub struct PortalEvents {
    events: Events,
    portal: PortalName,
}

impl PortalEvents {
    /// It was decided about a folder.
    pub fn decided(&self, decision: &str, reason: Reason) {
        let labels = [self.portal.as_str(), decision, reason.as_str()];
        self.events.decisions.with_label_values(&labels).inc();
    }

    /// A collection ended.
    pub fn ran(&self, result: RunResult) {
        self.events
            .runs
            .with_label_values(&[self.portal.as_str(), result.as_str()])
            .inc();
    }
}

impl Observer for PortalEvents {
    fn requested(&self, endpoint: Endpoint, code: Code, took: Duration) {
        let code = match code {
            Code::Status(status) => status.to_string(),
            Code::Error => "error".to_owned(),
        };
        let (portal, endpoint) = (self.portal.as_str(), endpoint.as_str());
        self.events
            .requests
            .with_label_values(&[portal, endpoint, &code])
            .inc();
        self.events
            .request_duration
            .with_label_values(&[portal, endpoint])
            .observe(took.as_secs_f64());
    }

    fn retried(&self, endpoint: Endpoint, reason: RetryReason) {
        self.events
            .retries
            .with_label_values(&[self.portal.as_str(), endpoint.as_str(), reason.as_str()])
            .inc();
    }

    fn throttled(&self, waited: Duration) {
        self.events
            .throttle
            .with_label_values(&[self.portal.as_str()])
            .inc_by(waited.as_secs_f64());
    }
}
