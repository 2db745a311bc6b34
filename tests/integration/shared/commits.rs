//! The connection is cut in the middle of a commit: whether it happened is found out, and an attempt is sent at most once.

use super::ledger::{self, WRITES_ATTEMPT, WRITES_OUTCOME};
use super::scene::{Shared, until_writable};
use crate::reindex::scene::only_with_a_reason;
use crate::support::exporter::Exporter;
use crate::support::postgres::proxy::{AtCommit, Proxy};
use crate::support::server::REINDEX_FAILED;
use crate::support::wait::until;
use crate::support::workspace::Workspace;

/// A process that can make an attempt as soon as one more file fails, and the way to the server.
struct Distant {
    shared: Shared,
    proxy: Proxy,
    exporter: Exporter,
    _workspace: Workspace,
}

impl Distant {
    async fn start() -> Self {
        let shared = Shared::with("enforce", only_with_a_reason).await;
        shared.meet_long_ago().await;
        // The lease does not end while the process finds out.
        let (proxy, distant) = shared.distant("20s").await;
        let exporter = Exporter::start(&distant).await;
        shared.held(&exporter, "nothing_eligible").await;
        Self {
            shared,
            proxy,
            exporter,
            _workspace: distant,
        }
    }

    /// Lets the attempt begin.
    fn begin(&self) {
        self.shared.fail_for_a_reason("f.pdf");
    }

    /// Waits until the proxy interfered with a commit.
    async fn cut(&self) {
        until("the connection is cut", async || self.proxy.commits() == 1).await;
    }

    /// In the end the portal was asked once, and accepted that. An intent that was not acknowledged was not sent.
    async fn accepted_once(self, outcomes: &[&str]) {
        until_writable(&self.exporter, true).await;
        self.shared.attempted(&self.exporter, "accepted").await;
        self.exporter.collections(3).await;
        assert_eq!(self.shared.sent(), 1);
        assert_eq!(ledger::outcomes(&self.shared.database), outcomes);
        self.exporter.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn an_intent_whose_commit_did_not_arrive_is_made_later() {
    let distant = Distant::start().await;
    distant.proxy.at_commit(AtCommit::CutBefore, WRITES_ATTEMPT);
    distant.begin();
    distant.cut().await;
    distant.accepted_once(&["accepted"]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn an_intent_whose_commit_was_not_answered_is_withdrawn_and_made_later() {
    for cut in [AtCommit::CutAfter, AtCommit::CloseAfter] {
        let distant = Distant::start().await;
        distant.proxy.at_commit(cut, WRITES_ATTEMPT);
        distant.begin();
        distant.cut().await;
        assert_eq!(ledger::attempts(&distant.shared.database).len(), 1);
        if cut == AtCommit::CloseAfter {
            until_writable(&distant.exporter, false).await;
            assert_eq!(distant.shared.sent(), 0);
            distant.proxy.open();
        }
        distant.accepted_once(&["not_sent", "accepted"]).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn what_the_portal_answered_is_written_down_although_the_connection_is_cut() {
    for cut in [AtCommit::CutBefore, AtCommit::CutAfter] {
        let distant = Distant::start().await;
        distant.shared.portal.hold(REINDEX_FAILED);
        distant.begin();
        distant.shared.first_sent().await;
        distant.proxy.at_commit(cut, WRITES_OUTCOME);
        distant.shared.portal.heal();
        distant.cut().await;
        distant.accepted_once(&["accepted"]).await;
    }
}
