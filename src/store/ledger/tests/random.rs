//! Whatever is changed in whatever order, the disk says what the memory says.

use proptest::prelude::*;

use super::*;
use crate::attempts::testing::{HORIZON, Step, listed, steps};

/// Takes a step through a handle.
async fn take(ledger: &PortalLedger, folder: &Folder, step: &Step, at: Timestamp) {
    let newest = ledger.view().unwrap();
    let event = step.event(&newest, at);
    // What does not fit is refused, and changes nothing.
    let _ = match event {
        Some(Event::Intended(intent)) => intend(ledger, intent).await.map(drop),
        Some(Event::Settled { id, at, outcome }) => ledger.settle(id, at, outcome).await,
        Some(Event::Reviewed { id, at, review }) => ledger.review(id, at, review).await,
        Some(Event::Renewed { folder, files }) => ledger.renew(folder, files).await,
        Some(Event::Forgiven(forgiven)) => {
            forgive(&state(folder.path()), &portal(), &forgiven.what).unwrap();
            ledger.follow().await.map(drop)
        }
        Some(_) => Ok(()),
        None => ledger.tidy(HORIZON, listed(step)).await,
    };
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn the_disk_says_what_the_memory_says(steps in steps()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let folder = Folder::new();
        let [found, known] = runtime.block_on(async {
            let (ledger, view) = reopen(&folder).await;
            let mut at = view.met();
            for (hours, step) in steps {
                at = at.moved(i64::from(hours) * 3_600_000 / 10);
                take(&ledger, &folder, &step, at).await;
            }
            ledger.interrupt(at).await.unwrap();
            [reopen(&folder).await.1, ledger.view().unwrap()]
        });
        prop_assert_eq!(&*found, &*known);
    }
}
