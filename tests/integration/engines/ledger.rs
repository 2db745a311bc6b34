//! The ledger.

use std::time::Duration;

use kb_exporter::classify::Class;
use kb_exporter::ledger::{
    ActiveMode, Addresses, AttemptId, FileState, Intent, Ledger, LedgerError, Lost, Misfit,
    Outcome, PortalLedger, Review, SentFile, Verdict,
};
use kb_exporter::model::{FileKey, FolderId, PortalAddress, PortalName, Shard};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::*;

/// A process that may act.
struct Holder {
    ledger: Ledger,
    portal: PortalLedger,
    stop: CancellationToken,
    active: JoinHandle<()>,
}

impl Place {
    /// A process that opens the ledger, as soon as it may act.
    async fn holder(&self) -> Holder {
        let ledger = if self.in_database {
            Ledger::on_server(&self.url_file(), Shard::default(), Duration::from_secs(30))
        } else {
            Ledger::open(self.folder.path(), Addresses::default()).0
        };
        let address = PortalAddress::from("https://portal.example/");
        let portal = ledger.portal(&address);
        let (stop, active) = (CancellationToken::new(), portal.clone());
        let token = stop.clone();
        let active = tokio::spawn(async move { active.stay_active(&token).await });
        wait_for("the process may act", async || {
            let _ = portal.follow().await;
            (portal.view().is_ok() && portal.may_act()).then_some(())
        })
        .await;
        Holder {
            ledger,
            portal,
            stop,
            active,
        }
    }
}

impl Holder {
    async fn stop(self) {
        self.stop.cancel();
        self.active.await.unwrap();
        self.portal.stop_acting().await;
        self.ledger.close().await;
    }

    /// Writes the intent of an attempt with two files.
    async fn intend(&self, number: u128) -> Result<AttemptId, LedgerError> {
        let main = PortalName::new("main").unwrap();
        let file = |number| {
            let key = FileKey {
                link: number,
                id: number,
            };
            (key, SentFile::new(Class::Text("timeout".into())))
        };
        let at = self.portal.now().wall;
        let files = vec![file(1), file(2)];
        let intent = Intent::new(main, folder(number), ActiveMode::Enforce, at, files);
        let known = self.portal.view().unwrap();
        self.portal.intend(intent, &known).await
    }

    async fn settle(&self, id: AttemptId, outcome: Outcome) {
        let at = self.portal.now().wall;
        self.portal.settle(id, at, outcome).await.unwrap();
    }
}

fn folder(number: u128) -> FolderId {
    Uuid::from_u128(number).into()
}

#[tokio::test]
async fn attempts_with_every_outcome_are_read_by_the_next_process() {
    for place in Place::all().await {
        let first = place.holder().await;
        let outcomes = [
            Outcome::Accepted { updated: 2 },
            Outcome::Refused {
                status: 429,
                retry_after: Some(Duration::from_secs(90)),
            },
            Outcome::Unknown {
                why: Lost::Status(503),
            },
        ];
        let mut ids = Vec::new();
        for (number, outcome) in (1..).zip(outcomes) {
            let id = first.intend(number).await.unwrap();
            first.settle(id, outcome).await;
            ids.push(id);
        }
        let second = FileKey { link: 2, id: 2 };
        let review = Review {
            changed: vec![(second, FileState::Done)],
            verdict: Some(Verdict::Partial),
        };
        let at = first.portal.now().wall;
        first.portal.review(ids[0], at, review).await.unwrap();
        let written = first.portal.view().unwrap();
        first.stop().await;
        let next = place.holder().await;
        assert_eq!(next.portal.view().unwrap(), written, "{place:?}");
        let id = next.intend(4).await.unwrap();
        assert!(ids.iter().all(|earlier| *earlier < id), "{place:?}: {id}");
        next.stop().await;
    }
}

#[tokio::test]
async fn a_folder_has_one_attempt_at_a_time() {
    for place in Place::all().await {
        let holder = place.holder().await;
        let id = holder.intend(1).await.unwrap();
        let again = holder.intend(1).await;
        assert!(
            matches!(again, Err(LedgerError::Misfit(Misfit::Unjudged(other))) if other == id),
            "{place:?}: {again:?}"
        );
        holder.intend(2).await.unwrap();
        holder.stop().await;
    }
}
