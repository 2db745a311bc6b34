//! The settings of a collector.

use std::sync::Arc;

use crate::classify::{ClassLimits, Classifier};
use crate::config::{Collect, Config, Errors, Portal, Reindex, Request};
use crate::model::PortalAddress;
use crate::schedule::Due;
use crate::store::EntryKey;

/// The settings of a collector.
#[derive(Debug, Clone)]
pub struct Settings {
    pub portal: Portal,
    /// Its normalised address.
    pub address: PortalAddress,
    /// What is stored of it.
    pub entry: EntryKey,
    /// When and how folders are read.
    pub collect: Collect,
    /// How requests are made.
    pub request: Request,
    /// How reasons are grouped into classes.
    pub errors: Arc<Errors>,
    /// Finds the class of a reason.
    pub classifier: Arc<Classifier>,
    pub reindex: Arc<Reindex>,
}

impl Settings {
    /// The settings of one portal.
    pub fn new(portal: &Portal, config: &Config) -> Self {
        let address = portal.base_url.normalised();
        let before = config.portals.iter();
        let before = before.take_while(|other| other.name != portal.name);
        let same = before.filter(|other| other.base_url.normalised() == address);
        Self {
            portal: portal.clone(),
            entry: EntryKey::new(&address, same.count()),
            address,
            collect: config.collect.clone(),
            request: config.request.clone(),
            errors: Arc::new(config.errors.clone()),
            classifier: Arc::new(config.errors.classifier()),
            reindex: Arc::new(config.reindex.clone()),
        }
    }

    /// When collections are due, from now on.
    pub(super) fn due(&self) -> Due {
        let Collect {
            schedule,
            timezone,
            jitter,
            ..
        } = &self.collect;
        Due::new(schedule.clone(), *timezone, *jitter)
    }

    /// Whether a collection would find the same with other settings.
    pub(super) fn collects_like(&self, other: &Self) -> bool {
        self.portal == other.portal
            && self.collect == other.collect
            && self.request == other.request
            && self.errors == other.errors
    }

    /// Maximum number of error classes.
    pub(super) fn class_limits(&self) -> ClassLimits {
        ClassLimits {
            portal: self.errors.max_classes,
            folder: self.errors.max_classes_per_folder,
            rule_classes: self.classifier.rule_classes(),
        }
    }
}
