//! Takes this process's share of the rate of each portal, where other processes share the ledger.

use std::sync::Arc;

use tokio::time::{MissedTickBehavior, interval};
use tracing::debug;

use crate::config::Rate;
use crate::ledger::{PortalLedger, SHARING_INTERVAL};
use crate::portal::Throttles;

/// Takes a share from time to time. Does not end by itself; nothing to do where the rate has no limit.
pub(super) async fn share_rate(ledger: PortalLedger, throttles: Arc<Throttles>, rate: Rate) {
    let Rate::PerSecond(rate) = rate else {
        return;
    };
    let mut interval = interval(SHARING_INTERVAL);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        interval.tick().await;
        let demand = throttles.demand(ledger.address());
        match ledger.take_share(rate, demand).await {
            Ok(share) => throttles.set_share(ledger.address(), share),
            // The share stays as it is.
            Err(error) => {
                debug!(portal = %ledger.address(), %error, "the share of the rate cannot be taken");
            }
        }
    }
}
