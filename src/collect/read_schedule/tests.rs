//! No folder waits for ever, what is pressing comes first, and no more is begun than there is budget for.

mod library;

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use uuid::Uuid;

use super::*;
use crate::config::Rate;

use library::Library;

const MINUTE: Duration = Duration::from_mins(1);
const QUIET_EVERY: Duration = Duration::from_mins(5);
const TIMEOUT: Duration = Duration::from_mins(10);
const NEEDS: [Need; 4] = [Need::Unfinished, Need::New, Need::Pressing, Need::Quiet];

fn id(number: usize) -> FolderId {
    Uuid::from_u128(number as u128).into()
}

/// The request budget of a minute for this number of requests in addition to the list.
fn budget(requests: u32) -> RequestBudget {
    let rate = Rate::PerSecond((f64::from(requests) + 1.5) / 60.0);
    let budget = RequestBudget::new(rate, MINUTE, TIMEOUT).unwrap();
    assert_eq!(budget.requests, u64::from(requests));
    budget
}

fn candidates(folders: &[(Need, u64, u64)]) -> Vec<ReadCandidate> {
    let candidate =
        |(number, &(need, minutes, requests)): (usize, &(Need, u64, u64))| ReadCandidate {
            id: id(number),
            need,
            waited: Duration::from_mins(minutes),
            requests,
        };
    folders.iter().enumerate().map(candidate).collect()
}

/// The numbers of the folders that are chosen when nothing else is being read.
fn chosen(folders: &[(Need, u64, u64)], requests: u32) -> Vec<usize> {
    let budget = budget(requests);
    let due = choose(
        candidates(folders),
        Some((budget, budget.remaining(&[], &[]))),
        QUIET_EVERY,
    );
    let number = |due: &FolderId| (0..folders.len()).find(|number| id(*number) == *due);
    due.iter().filter_map(number).collect()
}

#[test]
fn what_is_chosen_and_in_which_order() {
    use Need::{New, Pressing, Quiet, Unfinished};
    for (story, folders, requests, expected) in [
        (
            "all fit: the longest waiting first",
            vec![(Quiet, 1, 1), (Pressing, 2, 1), (Quiet, 3, 1)],
            3,
            vec![2, 1, 0],
        ),
        (
            "all fit: what was not read in time first",
            vec![(Quiet, 3, 1), (Unfinished, 1, 1)],
            3,
            vec![1, 0],
        ),
        (
            "what is pressing before what waits",
            vec![(Quiet, 4, 1), (Pressing, 1, 1)],
            1,
            vec![1],
        ),
        (
            "what was never read before what is pressing",
            vec![(Pressing, 4, 1), (New, 1, 1)],
            1,
            vec![1],
        ),
        (
            "what was not read in time before all",
            vec![(New, 4, 1), (Unfinished, 1, 1)],
            1,
            vec![1],
        ),
        (
            "the quiet in turn",
            vec![(Quiet, 1, 1), (Quiet, 3, 1), (Quiet, 2, 1)],
            2,
            vec![1, 2],
        ),
        (
            "a quarter for the overdue",
            vec![
                (Pressing, 1, 1),
                (Pressing, 2, 1),
                (Pressing, 3, 1),
                (Pressing, 4, 1),
                (Quiet, 9, 1),
                (Quiet, 8, 1),
            ],
            4,
            vec![3, 2, 1, 4],
        ),
        (
            "pressing folders may be overdue as well",
            vec![(Pressing, 9, 1), (Pressing, 2, 1), (Quiet, 8, 1)],
            2,
            vec![0, 1],
        ),
        (
            "what does not fit leaves budget for what does",
            vec![(Pressing, 2, 3), (Pressing, 1, 3), (Quiet, 1, 1)],
            4,
            vec![0, 2],
        ),
        (
            "one that is oversized, and others in parallel",
            vec![
                (Quiet, 9, 50),
                (Quiet, 8, 50),
                (Pressing, 1, 1),
                (Pressing, 1, 1),
                (Pressing, 1, 1),
            ],
            8,
            vec![2, 3, 4, 0],
        ),
    ] {
        assert_eq!(chosen(&folders, requests), expected, "{story}");
    }
}

#[test]
fn while_an_oversized_read_is_under_way_no_other_is_begun() {
    let budget = budget(8);
    let folders = candidates(&[(Need::Unfinished, 20, 40), (Need::Quiet, 9, 1)]);
    let remaining = budget.remaining(&[], &[40]);
    assert_eq!(
        choose(folders, Some((budget, remaining)), QUIET_EVERY),
        [id(1)]
    );
}

fn folder() -> impl Strategy<Value = (Need, u64, u64)> {
    let requests = prop_oneof![4 => 1_u64..5, 1 => 5_u64..200];
    (select(&NEEDS[..]), 0_u64..30, requests)
}

fn claimed(budget: RequestBudget, chosen: &[ReadCandidate]) -> u64 {
    chosen
        .iter()
        .map(|candidate| budget.claim(candidate.requests))
        .sum()
}

proptest! {
    #[test]
    fn all_are_chosen_in_the_order_of_their_waiting_where_all_fit(folders in vec(folder(), 0..40)) {
        let requests = folders.iter().map(|folder| folder.2).sum::<u64>().max(1);
        let due = chosen(&folders, u32::try_from(requests).unwrap());
        prop_assert_eq!(due.len(), folders.len());
        let order = due.iter().map(|number| (folders[*number].0 != Need::Unfinished, Reverse(folders[*number].1)));
        prop_assert!(order.is_sorted());
        let everything = choose(candidates(&folders), None, QUIET_EVERY);
        prop_assert_eq!(everything, due.iter().map(|number| id(*number)).collect::<Vec<_>>());
    }

    #[test]
    fn no_more_is_begun_than_there_is_budget_for_but_for_the_one_that_waited_longest(
        folders in vec(folder(), 1..60),
        requests in 1_u32..60,
        waiting in 0_u64..60,
    ) {
        let budget = budget(requests);
        let remaining = budget.remaining(&[waiting], &[]);
        let candidates = candidates(&folders);
        let due: BTreeSet<_> = choose(candidates.clone(), Some((budget, remaining)), QUIET_EVERY).into_iter().collect();
        let mut begun: Vec<_> = candidates.iter().filter(|candidate| due.contains(&candidate.id)).copied().collect();
        if claimed(budget, &begun) > remaining.requests {
            begun.sort_by_key(|candidate| (Reverse(candidate.waited), candidate.id));
            let first = begun.remove(0);
            prop_assert!(first.waited >= QUIET_EVERY && remaining.requests > 0);
        }
        prop_assert!(claimed(budget, &begun) <= remaining.requests);
        let oversized = begun.iter().filter(|candidate| budget.is_oversized(candidate.requests));
        prop_assert!(oversized.count() <= 1);
    }

    #[test]
    fn what_is_pressing_is_begun_at_once_where_three_quarters_of_the_budget_are_enough(
        mut folders in vec((select(&NEEDS[..]), 0_u64..30, 1_u64..4), 1..80),
        requests in 20_u32..60,
    ) {
        let mut pressing = 0;
        for folder in &mut folders {
            pressing += folder.2;
            if folder.0 != Need::Quiet && pressing > u64::from(requests * 3 / 4) {
                folder.0 = Need::Quiet;
            }
        }
        let due = chosen(&folders, requests);
        for (number, folder) in folders.iter().enumerate() {
            prop_assert!(folder.0 == Need::Quiet || due.contains(&number));
        }
    }

    /// Each interval begins to read the folder that waited longest once it is overdue; oversized ones wait for one another.
    #[test]
    fn no_folder_waits_for_ever(
        folders in vec((prop_oneof![9 => 1_u64..8, 1 => 8_u64..400], any::<bool>()), 1..40),
        requests in 1_u32..20,
    ) {
        let mut library = Library::new(requests, &folders);
        let oversized = folders.iter().filter(|folder| folder.0 > u64::from(requests)).count() as u64;
        let others = folders.len() as u64 - oversized;
        let bound = 5 + others + oversized * 11 + 1;
        for _ in 0..3 * bound {
            library.pass();
            prop_assert!(library.longest_wait() <= bound, "{} > {bound}", library.longest_wait());
        }
    }

    #[test]
    fn the_cycle_that_is_promised_is_reached(
        pressing in 0_usize..60,
        quiet in 0_usize..200,
        requests in 4_u32..60,
    ) {
        let folders: Vec<_> = (0..pressing + quiet).map(|number| (1, number < pressing)).collect();
        let mut library = Library::new(requests, &folders);
        let load = Load { pressing: pressing as u64, quiet: quiet as u64 };
        let cycle = load.cycle(library.budget).as_secs().div_ceil(60);
        let steady = 4 * (cycle + 5);
        for minute in 0..steady + 2 * cycle {
            library.pass();
            if minute >= steady {
                let longest = library.longest_wait();
                prop_assert!(longest <= cycle.max(5) + 1, "{longest} > {cycle}");
            }
        }
    }

    #[test]
    fn the_rate_is_used_up_while_folders_wait(count in 1_usize..200, requests in 1_u32..60) {
        let mut library = Library::new(requests, &vec![(1, false); count]);
        for _ in 0..20 {
            prop_assert_eq!(library.pass(), u64::from(requests).min(count as u64));
        }
    }
}
