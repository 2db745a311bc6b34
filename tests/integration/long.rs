//! The stories that are long or random. `tests/long` runs them; a run of all tests has each of them in a short form with a fixed seed.

use crate::reindex::kills;
use crate::shared::storm;
use crate::soak;
use crate::support::random::Random;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "use tests/long"]
async fn soak_full() {
    soak::soak("full", Random::given()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "use tests/long"]
async fn soak_sorted() {
    soak::soak("sorted", Random::given()).await;
}

#[tokio::test]
#[ignore = "use tests/long"]
async fn kills() {
    kills::no_limit_is_broken(Random::given()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "use tests/long"]
async fn storm() {
    storm::no_limit_is_broken(&storm::LARGE, Random::given()).await;
}
