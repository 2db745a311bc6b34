//! Which error classes there are: for `--config.check`, and for `reindex forgive`.

use std::collections::BTreeSet;

use crate::classify::RESERVED;
use crate::config::{Config, State};
use crate::store::{self, LedgerError, Place, StoreError};

/// A warning for each class in the rules of reindexing that is not known. Reads the state, if there is any, and changes nothing.
pub(super) fn warnings(config: &Config) -> Vec<String> {
    let unknown = |had: &BTreeSet<String>| {
        let had = had.iter().map(String::as_str).collect();
        config.reindex.unknown_classes(&config.errors, &had)
    };
    let without_state = unknown(&BTreeSet::new());
    if without_state.is_empty() || config.state == State::Temporary {
        return without_state;
    }
    let (had, problems) = had(&config.state);
    match unknown(&had) {
        unknown if unknown.is_empty() => unknown,
        unknown => [problems, unknown].concat(),
    }
}

/// The classes that a failed file can have: those that a rule makes, those that known files have had, and the reserved ones. And why there may be
/// more.
pub(super) fn known(config: &Config) -> (BTreeSet<String>, Vec<String>) {
    let (mut known, problems) = had(&config.state);
    let rules = config.errors.rules.iter();
    known.extend(rules.map(|rule| rule.class.as_str().to_owned()));
    known.extend(RESERVED.map(str::to_owned));
    (known, problems)
}

/// The classes that have a slot in any stored folder.
fn known_classes(state: &State) -> anyhow::Result<BTreeSet<String>> {
    let Some(place) = Place::of(state) else {
        return Ok(BTreeSet::new());
    };
    Ok(store::known_classes(place)?)
}

/// The classes that known files have had, and why there may be more.
fn had(state: &State) -> (BTreeSet<String>, Vec<String>) {
    let mut problems = Vec::new();
    let mut had = known_classes(state).unwrap_or_else(|error| {
        problems.push(format!("the classes that files had are not known: {error}"));
        BTreeSet::new()
    });
    match store::books(state) {
        Ok(books) => had.extend(books.values().flat_map(|book| {
            let classes = book.known_classes();
            classes.map(|class| class.as_str().to_owned())
        })),
        Err(LedgerError::Store(StoreError::Missing)) => {}
        Err(error) => {
            problems.push(format!("the classes that were sent are not known: {error}"));
        }
    }
    (had, problems)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    use crate::attempts::{Intent, SentFile};
    use crate::classify::Class;
    use crate::cli::settings;
    use crate::config::{BaseUrl, HiddenPath, KeySource, Portal};
    use crate::model::{FileKey, Outcome, PortalName, Timestamp};
    use crate::store::Store;

    fn config(state: State) -> Config {
        let name = PortalName::new("main").unwrap();
        let address = BaseUrl::parse("https://portal.example").unwrap();
        let key = KeySource::File(HiddenPath::file("api_key_file", "/run/key"));
        let mut config = Config::for_portal(Portal::new(name, address, key));
        config.reindex.rules.never_classes = vec!["pasword".to_owned()];
        config.state = state;
        config
    }

    async fn send(folder: &std::path::Path, class: &str) {
        let store = Store::open(Place::folder(folder), Duration::MAX).await;
        let store = store.unwrap();
        let portal = "https://portal.example".into();
        let ledger = store.acquire(&portal, |_| {}).await;
        let key = FileKey { link: 1, id: 1 };
        let intent = Intent::new(
            PortalName::new("main").unwrap(),
            uuid::Uuid::nil().into(),
            Timestamp::from_millis(1_772_366_400_000),
            vec![(key, SentFile::new(Class::Text(class.into())))],
        );
        let (at, book) = (intent.at, ledger.book().unwrap());
        let id = ledger.intend(intent, &book).await.unwrap();
        ledger.settle(id, at, Outcome::NotSent).await.unwrap();
        store.close().await;
    }

    #[test]
    fn a_class_that_a_file_had_is_known_and_another_one_is_warned_of() {
        let folder = tempfile::tempdir().unwrap();
        let warned = || warnings(&config(State::Path(folder.path().to_owned())));
        let unknown = warnings(&config(State::Temporary));
        assert_eq!(unknown.len(), 1);
        assert!(
            unknown[0].contains("no known file has had it"),
            "{unknown:?}"
        );
        assert_eq!(warned(), unknown, "no state yet");
        let runtime = settings::runtime().unwrap();
        runtime.block_on(send(folder.path(), "password"));
        assert!(
            warned()[0].ends_with("is \"password\" meant?"),
            "{:?}",
            warned()
        );
        runtime.block_on(send(folder.path(), "pasword"));
        assert_eq!(warned(), [""; 0]);
    }

    #[test]
    fn a_state_that_cannot_be_read_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("state.db"), "no database").unwrap();
        let warned = warnings(&config(State::Path(folder.path().to_owned())));
        assert_eq!(warned.len(), 3, "{warned:?}");
        assert!(warned[..2].iter().all(|line| line.contains("not known: ")));
    }
}
