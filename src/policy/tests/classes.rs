//! Which folder tries a class, and when every folder is sent.

use super::*;

/// This number of folders with two files each that failed with a timeout.
fn failing(folders: u128) -> Setup {
    let folders = (1..=folders).map(|number| TestFolder::failing(number, 2));
    Setup::with(folders.collect())
}

#[test]
fn one_folder_tries_a_class_and_when_its_files_come_back_all_are_sent() {
    let mut setup = failing(20);
    let first = setup.sent();
    assert_eq!(first.len(), 1);
    assert_eq!(
        setup.decide().folders[&folder(first[0])].choice,
        Choice::Send { is_trial: true }
    );
    setup.ledger.tried(100, NOON, "timeout", 4, 4);
    assert_eq!(setup.sent().len(), 20, "all at once");
    setup.now = NOON.after(HOUR * 2);
    assert_eq!(setup.sent().len(), 1, "it is good for two hours");
}

#[test]
fn after_a_try_in_vain_the_class_pauses_and_the_hold_names_class_and_folder() {
    let mut setup = failing(20);
    setup.ledger.tried(7, NOON, "timeout", 4, 0);
    let hold = setup.hold().expect("the class pauses");
    assert_eq!(hold.reason, Reason::Class);
    let cause = Cause::Class {
        class: class("timeout"),
        folder: Some(folder(7)),
    };
    assert_eq!(hold.cause, Some(cause));
    assert_eq!(hold.until, Some(NOON.after(HOUR)));
}

#[test]
fn at_most_two_tries_an_hour_whatever_the_classes_are_called() {
    let folders = (1..=20).map(|number| {
        let mut folder = TestFolder::failing(number, 0);
        folder.fail(2, &format!("text {number}"), ago(HOUR));
        folder
    });
    let setup = Setup::with(folders.collect());
    assert_eq!(setup.sent().len(), 2);
}

#[test]
fn folders_whose_requests_are_refused_use_up_no_try_of_the_others() {
    let mut setup = failing(4);
    for number in 1..=3 {
        let id = setup.ledger.intend(number, NOON, "timeout", &[number]);
        setup.ledger.settle(id, refused(403, None));
    }
    assert_eq!(setup.sent(), [4]);
}

#[test]
fn a_large_folder_in_which_files_still_fail_waits_for_a_quiet_half_hour_and_at_most_a_day() {
    let sends = |oldest: Duration, newest: Duration| {
        let mut folder = TestFolder::failing(1, 0);
        folder.fail(150, "timeout", ago(oldest));
        folder.fail(1, "timeout", ago(newest));
        !Setup::with(vec![folder]).sent().is_empty()
    };
    let minute = Duration::from_mins(1);
    assert!(!sends(HOUR * 23, minute * 15));
    assert!(sends(HOUR * 23, minute * 31));
    assert!(sends(HOUR * 24, minute * 15));
}
