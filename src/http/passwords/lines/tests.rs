use std::net::Ipv4Addr;

use super::*;

fn network(number: u32) -> Network {
    Network::of(Ipv4Addr::from_bits(number).into())
}

fn add(lines: &mut Lines<u32>, of: u32, item: u32) -> Result<Option<u32>, Full> {
    lines.add(network(of), item, |_| false)
}

#[test]
fn lines_take_turns_and_each_keeps_its_order() {
    let mut lines = Lines::default();
    for (of, item) in [(1, 10), (1, 11), (1, 12), (2, 20), (3, 30), (3, 31)] {
        assert_eq!(add(&mut lines, of, item), Ok(None));
    }
    let order: Vec<_> = std::iter::from_fn(|| lines.next()).collect();
    assert_eq!(order, [10, 20, 30, 11, 31, 12]);
}

#[test]
fn a_long_line_drops_the_last_that_is_abandoned_and_none_that_is_waited_for() {
    let mut lines = Lines::default();
    for item in 0..40 {
        assert_eq!(add(&mut lines, 1, item), Ok(None));
    }
    let is_even = |item: &u32| item.is_multiple_of(2);
    assert_eq!(lines.add(network(1), 40, is_even), Ok(Some(38)));
    let mut left: Vec<_> = std::iter::from_fn(|| lines.next()).collect();
    left.sort_unstable();
    assert_eq!(left, [(0..38).collect(), vec![39, 40]].concat());
}

#[test]
fn whoever_comes_again_is_taken_although_others_fill_the_line() {
    let mut lines = Lines::default();
    let taken = (0..10_000).any(|_| {
        for _ in 0..3 {
            let _ = lines.add(network(1), 0, |item| *item == 0);
        }
        let _ = lines.add(network(1), 1, |item| *item == 0);
        lines.next() == Some(1)
    });
    assert!(taken);
}

#[test]
fn there_is_a_limit_to_the_networks_that_wait() {
    let mut lines = Lines::default();
    for number in 0..256 {
        assert_eq!(add(&mut lines, number, 0), Ok(None));
    }
    assert_eq!(add(&mut lines, 256, 0), Err(Full));
    assert_eq!(add(&mut lines, 255, 0), Ok(None));
}
