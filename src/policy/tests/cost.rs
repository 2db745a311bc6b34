//! What a decision costs: what is of the portal is read once, not once for each folder.

use super::*;
use crate::clock::measure;

/// A portal in which so many folders have failed files, and so many attempts were made in them, one a minute.
fn portal(folders: u128, attempts: u128) -> Setup {
    let mut setup = Setup::with((1..=folders).map(|of| TestFolder::failing(of, 3)).collect());
    for number in 0..attempts {
        let minutes = u32::try_from(attempts - number).unwrap();
        let of = number % folders + 1;
        let name = format!("class {}", number % 40);
        setup
            .ledger
            .tried(of, ago(MINUTE * minutes), &name, 2, number % 3);
    }
    for folder in &mut setup.folders {
        folder.rules.budget.files = 1_000;
    }
    setup
}

/// The shortest of some times that a decision takes.
fn cost(setup: &Setup) -> Duration {
    let times = (0..5).map(|_| measure(|| setup.decide()).1);
    times.min().unwrap()
}

#[test]
fn a_decision_costs_folders_and_attempts_and_not_folders_times_attempts() {
    let (few, many) = (portal(10, 10_000), portal(1_000, 10_000));
    let folders = cost(&portal(1_000, 1_000));
    let (few, many) = (cost(&few), cost(&many));
    assert!(
        many < (few + folders) * 5,
        "{many:?}: {few:?} and {folders:?}"
    );
}

#[test]
fn folders_that_the_budget_holds_do_not_cost_their_square() {
    let held = |folders| {
        let mut setup = portal(folders, 0);
        for folder in &mut setup.folders {
            folder.rules.budget.files = 2;
            folder.fail(1, "reset", ago(HOUR));
        }
        cost(&setup)
    };
    let (few, many) = (held(500), held(2_000));
    assert!(many < few * 10, "{many:?}, and {few:?} for a quarter");
}

#[test]
#[ignore = "prints figures"]
fn figures() {
    for (folders, attempts) in [(300, 50_000), (5_000, 5_000), (5_000, 50_000)] {
        let took = cost(&portal(folders, attempts));
        println!("{folders} folders, {attempts} attempts: {took:?}");
    }
}
