//! The figures of installations of many sizes.

use super::*;

fn capacity(folders: u64, files: u64, failed: f64, rate: f64, shards: u16) -> Capacity {
    let installation = Installation {
        folders,
        files,
        failed,
        interval: Duration::from_mins(1),
        shards: NonZeroU16::new(shards).unwrap(),
        collect: Collect {
            max_requests_per_second: Rate::PerSecond(rate),
            ..Collect::default()
        },
    };
    Capacity::of(installation).unwrap().unwrap()
}

fn is(figure: f64, expected: f64) -> bool {
    (figure - expected).abs() <= expected.abs() * 1e-6
}

#[test]
fn a_small_portal_is_counted_within_its_first_interval_and_then_every_five_minutes() {
    let small = capacity(10, 1_000, 0.0, 5.0, 1);
    assert!(is(small.first_requests(), 11.0));
    assert!(small.first_seconds() < 3.0);
    assert!(is(small.idle_requests(), 1.0 + 10.0 / 5.0));
    assert!(is(small.quiet_seconds(), 300.0));
    assert!(is(small.idle_transactions(), 1.0 + 10.0 / 5.0));
    assert!(
        is(small.audit_requests(), 0.0),
        "each count reads every page"
    );
    assert!(small.usage().highest().1 < 1.0);
    assert_eq!(small.recommended_shards().get(), 1);
}

#[test]
fn folders_with_failed_files_are_counted_in_each_interval() {
    let idle = capacity(100, 10_000, 0.0, 5.0, 1);
    let failed = capacity(100, 10_000, 0.01, 5.0, 1);
    // Of a hundred folders with a hundred files each, 63 have at least one of the failed files.
    assert!((failed.pressing_folders() - 63.4).abs() < 0.1);
    assert!(failed.idle_requests() > 3.0 * idle.idle_requests());
    assert!(failed.series() > idle.series());
}

#[test]
fn a_billion_files_in_large_folders_cost_few_requests_for_counts_and_many_for_audits() {
    let large = capacity(1_000, 1_000_000_000, 0.0, 5.0, 1);
    assert!(is(large.first_requests(), 3_001.0));
    assert!(
        is(large.quiet_seconds(), large.cycle_seconds()),
        "folders take turns"
    );
    // A hundred million pages do not fit into a day.
    assert!(is(large.audit_requests(), 5.0 / 4.0 * 86_400.0));
    assert_eq!(large.usage().highest().0, Limit::Rate);
}

#[test]
fn processes_share_memory_and_series_and_not_the_rate() {
    let [one, four] = [1, 4].map(|shards| capacity(100_000, 1_000_000, 0.0, 500.0, shards));
    assert!(
        is(one.first_requests() + 3.0, four.first_requests()),
        "each asks for the list"
    );
    assert!((one.first_seconds() / four.first_seconds() - 1.0).abs() < 0.02);
    assert!(four.process_bytes() < 0.4 * one.process_bytes());
    assert!(is(one.text_bytes(), 4.0 * four.text_bytes()));
    assert!(one.change_listed_seconds() > four.change_listed_seconds());
    assert_eq!(one.usage().highest().0, Limit::Series);
    assert!(one.recommended_shards().get() > 1);
    assert_eq!(one.recommended_shards(), four.recommended_shards());
}

#[test]
fn a_rate_that_is_too_low_lets_folders_take_turns() {
    let [slow, fast] = [5.0, 50.0].map(|rate| capacity(10_000, 100_000, 0.0, rate, 1));
    assert!(slow.quiet_seconds() > 1_900.0 && is(fast.quiet_seconds(), 300.0));
    assert!(slow.wanted_rate() > 5.0 && is(slow.wanted_rate(), fast.wanted_rate()));
    assert!(slow.usage().rate > 1.0 && fast.usage().rate < 1.0);
    assert!(slow.change_unlisted_seconds() > 5.0 * fast.change_unlisted_seconds());
}

#[test]
fn no_size_gives_a_figure_that_is_no_number() {
    for folders in [1, 10, 1_000_000] {
        for files in [0, 1, 1_000_000_000_000] {
            for failed in [0.0, 0.5, 1.0] {
                let capacity = capacity(folders, files, failed, 0.001, 7);
                for figure in [
                    capacity.first_requests(),
                    capacity.first_seconds(),
                    capacity.idle_requests(),
                    capacity.change_unlisted_seconds(),
                    capacity.process_bytes(),
                    capacity.series(),
                    capacity.state_bytes(),
                    capacity.idle_transactions(),
                    capacity.audit_requests(),
                    capacity.usage().highest().1,
                ] {
                    assert!(
                        figure.is_finite() && figure >= 0.0,
                        "{folders} {files} {failed}"
                    );
                }
            }
        }
    }
}
