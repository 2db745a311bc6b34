//! The ledger.

use std::time::Duration;

use kb_exporter::attempts::{AttemptId, FileState, Intent, Review, SentFile, Verdict};
use kb_exporter::classify::Class;
use kb_exporter::model::{
    FileKey, FolderId, FolderName, Lost, Outcome, PortalAddress, PortalName, Shard,
};
use kb_exporter::store::ledger::{Ledger, PortalLedger, Standing};
use uuid::Uuid;

use super::*;

/// A process that may act.
struct Holder {
    ledger: Ledger,
    portal: PortalLedger,
}

impl Place {
    /// A process that opens the ledger, as soon as it may act.
    async fn holder(&self) -> Holder {
        let ledger = if self.database.is_some() {
            let place = kb_exporter::store::Place::Server(self.url_file());
            Ledger::shared(place, Shard::default(), Duration::from_secs(30))
        } else {
            Ledger::in_folder(kb_exporter::store::Place::folder(self.folder.path()))
        };
        let address = PortalAddress::from("https://portal.example/");
        let portal = ledger.portal(&address);
        let standing = Standing {
            host: "host".to_owned(),
            pid: 1,
            digest: String::new(),
        };
        wait_for("the process may act", async || {
            let _ = portal.follow().await;
            let _ = portal.renew_lease(main(), standing.clone(), true).await;
            (portal.view().is_ok() && portal.may_act()).then_some(())
        })
        .await;
        Holder { ledger, portal }
    }
}

impl Holder {
    async fn stop(self) {
        self.portal.leave(main()).await.unwrap();
        self.ledger.close().await;
    }

    /// Writes the intent of an attempt with two files.
    async fn intend(&self) -> AttemptId {
        let main = main();
        let file = |number| {
            let key = FileKey {
                link: number,
                id: number,
            };
            (key, SentFile::new(Class::Text("timeout".into())))
        };
        let at = self.portal.now().wall;
        let files = vec![file(1), file(2)];
        let intent = Intent {
            name: FolderName::new("In\nbox"),
            ..Intent::new(main, inbox(), at, files)
        };
        let known = self.portal.view().unwrap();
        self.portal.intend(intent, &known).await.unwrap()
    }

    async fn settle(&self, id: AttemptId, outcome: Outcome) {
        let at = self.portal.now().wall;
        self.portal.settle(id, at, outcome).await.unwrap();
    }

    /// Writes which states the two files have now.
    async fn review(&self, id: AttemptId, states: [FileState; 2], verdict: Option<Verdict>) {
        let files = (1..).map(|number| FileKey {
            link: number,
            id: number,
        });
        let changed = files.zip(states).collect();
        let at = self.portal.now().wall;
        let review = Review { changed, verdict };
        self.portal.review(id, at, review).await.unwrap();
    }
}

fn main() -> PortalName {
    PortalName::new("main").unwrap()
}

fn inbox() -> FolderId {
    Uuid::from_u128(7).into()
}

#[tokio::test]
async fn attempts_with_every_outcome_are_read_by_the_next_process() {
    use FileState::{Done, Refailed, Waiting};
    for place in Place::all().await {
        let first = place.holder().await;
        let withdrawn = first.intend().await;
        first.settle(withdrawn, Outcome::NotSent).await;
        let refused = first.intend().await;
        let answer = Outcome::Refused {
            status: 429,
            retry_after: Some(Duration::from_secs(90)),
        };
        first.settle(refused, answer).await;
        let over = first.intend().await;
        first.settle(over, Outcome::Accepted { updated: 9 }).await;
        let verdict = Some(Verdict::Partial);
        first.review(over, [Done, Refailed], verdict).await;
        let watched = first.intend().await;
        let why = Lost::Status {
            status: 503,
            retry_after: None,
        };
        first.settle(watched, Outcome::Unknown { why }).await;
        first
            .review(watched, [FileState::Sent, Waiting], None)
            .await;
        let written = first.portal.view().unwrap();
        first.stop().await;

        let next = place.holder().await;
        let view = next.portal.view().unwrap();
        assert_eq!(view, written, "{place:?}");
        let totals = view.totals(inbox());
        assert_eq!((totals.accepted, totals.refused, totals.unknown), (1, 1, 1));
        assert_eq!((totals.requeued, totals.partial), (9, 1));
        assert_eq!((totals.files_recovered, totals.files_refailed), (1, 1));
        next.review(watched, [Done, Done], Some(Verdict::Recovered))
            .await;
        let id = next.intend().await;
        for earlier in [withdrawn, refused, over, watched] {
            assert!(earlier < id, "{place:?}: {earlier} {id}");
        }
        next.stop().await;
    }
}
