use std::pin::pin;
use std::time::Duration;

use futures_util::future::join_all;
use futures_util::poll;
use headers::Authorization;

use super::*;
use crate::clock::Moment;

fn users(users: &[(&str, &str, u32)]) -> BTreeMap<String, PasswordHash> {
    let hash = |(user, password, cost): &(&str, &str, u32)| {
        let hash = bcrypt::hash(password, *cost).unwrap();
        ((*user).to_owned(), PasswordHash(hash))
    };
    users.iter().map(hash).collect()
}

fn asked(user: &str, password: &str) -> Basic {
    Authorization::basic(user, password).0
}

#[tokio::test(start_paused = true)]
async fn a_check_that_began_goes_on_when_its_client_hangs_up_and_so_does_the_rest_after_it() {
    let passwords = Passwords::default();
    let users = users(&[("alice", "right", 8)]);
    let began = Moment::now().steady;
    for number in 0..20 {
        let guess = asked("alice", &format!("guess {number}"));
        let check = pin!(passwords.check(&users, &guess));
        assert!(poll!(check).is_pending(), "the client hangs up");
    }
    let guess = asked("alice", "guess 20");
    let verdict = passwords.check(&users, &guess).await;
    assert!(!verdict);
    let right = asked("alice", "right");
    assert!(passwords.check(&users, &right).await);
    // A check of this cost takes more than a millisecond; the paused clock shows the rests alone.
    let rests = 2 * REST * Duration::from_millis(1);
    assert!(began.elapsed() > rests, "{:?}", began.elapsed());
    assert_eq!(
        passwords.known.lock().unwrap().len(),
        3,
        "those whose turn it was"
    );
}

#[tokio::test(start_paused = true)]
async fn a_right_password_waits_for_one_check_of_each_client_that_guesses() {
    let passwords = Passwords::default();
    let users = users(&[("alice", "right", 4)]);
    let guessing = async |client: usize| {
        for number in 0.. {
            let guess = asked("alice", &format!("{client} {number}"));
            let verdict = passwords.check(&users, &guess).await;
            assert!(!verdict);
        }
    };
    let right = asked("alice", "right");
    let begun = async {
        tokio::time::sleep(Duration::from_millis(1)).await;
        passwords.check(&users, &right).await
    };
    tokio::select! {
        _ = join_all((0..5).map(guessing)) => panic!("they guess for ever"),
        is_right = begun => assert!(is_right),
    }
    let checked = passwords.known.lock().unwrap().len();
    assert!(checked <= 12, "{checked} were checked first");
}

#[tokio::test]
async fn many_requests_with_one_password_need_one_check() {
    let passwords = Passwords::default();
    let users = users(&[("alice", "right", 4)]);
    let right = asked("alice", "right");
    let checks = (0..300).map(|_| passwords.check(&users, &right));
    let verdicts = join_all(checks).await;
    assert!(verdicts.iter().all(|is_right| *is_right));
    assert_eq!(passwords.known.lock().unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_unknown_user_is_checked_too_and_never_let_in() {
    let passwords = Passwords::default();
    let users = users(&[("alice", "one", 4), ("bob", "two", 5)]);
    for password in ["one", "two"] {
        assert!(!passwords.check(&users, &asked("carol", password)).await);
    }
    assert_eq!(passwords.known.lock().unwrap().len(), 2);
    assert!(passwords.check(&users, &asked("alice", "one")).await);
    let nobody = BTreeMap::new();
    assert!(!passwords.check(&nobody, &asked("carol", "")).await);
}

#[tokio::test]
async fn a_user_who_left_or_has_another_password_is_checked_again() {
    let passwords = Passwords::default();
    let before = users(&[("alice", "one", 4), ("bob", "two", 4)]);
    let after = users(&[("alice", "other", 4)]);
    let check = async |users, user, password| passwords.check(users, &asked(user, password)).await;
    assert!(check(&before, "alice", "one").await);
    assert!(check(&before, "bob", "two").await);
    assert!(!check(&after, "alice", "one").await);
    assert!(!check(&after, "bob", "two").await);
    assert!(check(&after, "alice", "other").await);
}
