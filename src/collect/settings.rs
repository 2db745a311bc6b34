//! What a collector needs to know of the configuration.

use std::sync::Arc;
use std::time::Duration;

use chrono_tz::Tz;

use crate::classify::{ClassLimits, Classifier};
use crate::collect::full_scan::ScanLimits;
use crate::config::{Config, Errors, FolderFilter, Rate, Reindex, Strategy};
use crate::model::{PortalAddress, PortalName};

/// What a collector needs to know of the configuration.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Its portal.
    pub portal: PortalName,
    /// Where it is, normalised.
    pub address: PortalAddress,
    /// The folders that are collected.
    pub filter: FolderFilter,
    /// How folders are counted.
    pub strategy: Strategy,
    /// How often every page is read all the same.
    pub full_every: Duration,
    /// Bounds of a scan.
    pub scan: ScanLimits,
    /// Ends a collection.
    pub timeout: Duration,
    /// How often a quiet folder is read.
    pub quiet_every: Duration,
    /// Requests that the portal is sent.
    pub rate: Rate,
    /// Counts that are older are withdrawn, at least.
    pub stale_after: Duration,
    /// Folders, at most.
    pub max_folders: usize,
    /// Classes of error, at most.
    pub classes: ClassLimits,
    /// How reasons are grouped into classes.
    pub errors: Arc<Errors>,
    /// What reasons mean.
    pub classifier: Arc<Classifier>,
    /// The rules of reindexing.
    pub reindex: Arc<Reindex>,
    /// The time zone of their windows.
    pub zone: Tz,
}

impl Settings {
    /// Takes the settings of one portal.
    #[must_use]
    pub fn new(portal: &crate::config::Portal, config: &Config) -> Self {
        let Config {
            collect, errors, ..
        } = config;
        Self {
            portal: portal.name.clone(),
            address: portal.base_url.normalised(),
            filter: portal.folders.clone(),
            strategy: collect.strategy,
            full_every: collect.full_every,
            scan: ScanLimits {
                in_flight: collect.concurrency.get(),
                max_pages: collect.max_pages_per_folder.get(),
            },
            timeout: collect.timeout,
            quiet_every: collect.quiet_every,
            rate: collect.max_requests_per_second,
            stale_after: collect.stale_after,
            max_folders: collect.max_folders,
            classes: ClassLimits {
                portal: errors.max_classes,
                folder: errors.max_classes_per_folder,
            },
            errors: Arc::new(errors.clone()),
            classifier: Arc::new(errors.classifier()),
            reindex: Arc::new(config.reindex.clone()),
            zone: collect.timezone,
        }
    }
}
