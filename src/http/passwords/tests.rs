mod credentials;

use std::net::Ipv4Addr;
use std::pin::pin;
use std::time::Duration;

use futures_util::future::join_all;
use futures_util::poll;

use super::*;
use crate::clock::Moment;

fn users(users: &[(&str, &str, u32)]) -> BTreeMap<String, String> {
    let hash = |(user, password, cost): &(&str, &str, u32)| {
        let hash = bcrypt::hash(password, *cost).unwrap();
        ((*user).to_owned(), hash)
    };
    users.iter().map(hash).collect()
}

fn asked(user: &str, password: &str) -> Credentials {
    Credentials {
        user: user.to_owned(),
        password: password.to_owned(),
    }
}

fn network(number: u32) -> Network {
    Network::of(Ipv4Addr::from_bits(number).into())
}

#[tokio::test(start_paused = true)]
async fn a_check_goes_on_when_its_client_hangs_up_and_so_does_the_rest_after_it() {
    let passwords = Passwords::default();
    let users = users(&[("alice", "right", 8)]);
    let began = Moment::now().steady;
    for number in 0..20 {
        let guess = asked("alice", &format!("guess {number}"));
        let check = pin!(passwords.check(&users, &guess, network(1)));
        assert!(poll!(check).is_pending(), "the client hangs up");
    }
    let right = asked("alice", "right");
    {
        let check = pin!(passwords.check(&users, &right, network(1)));
        assert!(poll!(check).is_pending(), "Prometheus hangs up too");
    }
    for number in 0..20 {
        let guess = asked("alice", &format!("guess {number}"));
        let verdict = passwords.check(&users, &guess, network(1)).await;
        assert_eq!(verdict, Err(Refusal::Password));
    }
    // A check of this cost takes more than a millisecond; the paused clock shows the rests alone.
    let rests = 19 * REST * Duration::from_millis(1);
    assert!(began.elapsed() > rests, "{:?}", began.elapsed());
    let verdict = passwords.check(&users, &right, network(1)).await;
    assert_eq!(verdict, Ok(()));
    assert_eq!(lock(&passwords.checks).results.len(), 21, "each once");
}

#[tokio::test(start_paused = true)]
async fn of_too_many_checks_those_of_the_client_with_most_are_given_up() {
    let passwords = Passwords::default();
    let users = users(&[("alice", "right", 4)]);
    let guesses = (0..2 * WAITING).map(|number| asked("alice", &number.to_string()));
    let guesses: Vec<_> = guesses.collect();
    let right = asked("alice", "right");
    let greedy = guesses.iter().map(|guess| (guess, network(1)));
    let all = [(&right, network(2))].into_iter().chain(greedy);
    let checks = all.map(|(asked, network)| passwords.check(&users, asked, network));
    let verdicts = join_all(checks).await;
    assert_eq!(verdicts[0], Ok(()));
    let busy = verdicts
        .iter()
        .filter(|verdict| **verdict == Err(Refusal::Waiting));
    assert!(busy.count() >= WAITING);
    assert!(lock(&passwords.checks).waiting.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_right_password_is_checked_whoever_else_guesses() {
    let passwords = Passwords::default();
    let users = users(&[("alice", "right", 4)]);
    let guesses: Vec<_> = (0..30).map(|n| asked("alice", &n.to_string())).collect();
    let right = asked("alice", "right");
    // Five clients behind the same address, and 200 other networks.
    let neighbours = guesses[..5].iter().map(|guess| (guess, network(1)));
    let others = (2..200).map(|n| (&guesses[n as usize % 25 + 5], network(n)));
    let all = neighbours.chain(others).chain([(&right, network(1))]);
    let checks = all.map(|(asked, network)| passwords.check(&users, asked, network));
    let mut verdicts = join_all(checks).await;
    assert_eq!(verdicts.pop(), Some(Ok(())));
    assert!(
        verdicts
            .iter()
            .all(|verdict| *verdict == Err(Refusal::Password))
    );
}

#[tokio::test]
async fn many_requests_with_one_password_need_one_check() {
    let passwords = Passwords::default();
    let users = users(&[("alice", "right", 4)]);
    let right = asked("alice", "right");
    let checks = (0..300).map(|number| passwords.check(&users, &right, network(number)));
    let verdicts = join_all(checks).await;
    assert!(verdicts.iter().all(Result::is_ok));
    assert_eq!(lock(&passwords.checks).results.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_unknown_user_takes_as_long_as_a_known_one_whatever_the_password() {
    let passwords = Passwords::default();
    let users = users(&[("alice", "one", 4), ("bob", "two", 5)]);
    for password in ["one", "two"] {
        let stranger = asked("carol", password);
        let prepared = passwords.prepare(&users, &stranger).unwrap();
        let again = passwords.prepare(&users, &stranger).unwrap();
        assert!(users.values().any(|hash| *hash == prepared.hash));
        assert_eq!(prepared.hash, again.hash, "always the same user's");
        let verdict = passwords.check(&users, &stranger, network(1)).await;
        assert_eq!(verdict, Err(Refusal::Password));
    }
    let chosen = |n: usize| {
        passwords
            .prepare(&users, &asked(&n.to_string(), ""))
            .unwrap()
    };
    let hashes: std::collections::HashSet<_> = (0..64).map(|n| chosen(n).hash).collect();
    assert_eq!(
        hashes.len(),
        2,
        "no user's hash stands for all unknown ones"
    );
    let nobody = BTreeMap::new();
    let verdict = passwords
        .check(&nobody, &asked("carol", ""), network(1))
        .await;
    assert_eq!(verdict, Err(Refusal::Password));
}

#[tokio::test]
async fn a_user_who_left_or_has_another_password_is_checked_again() {
    let passwords = Passwords::default();
    let before = users(&[("alice", "one", 4), ("bob", "two", 4)]);
    let after = users(&[("alice", "other", 4)]);
    let check = async |users, user, password| {
        passwords
            .check(users, &asked(user, password), network(1))
            .await
    };
    assert_eq!(check(&before, "alice", "one").await, Ok(()));
    assert_eq!(check(&before, "bob", "two").await, Ok(()));
    assert_eq!(check(&after, "alice", "one").await, Err(Refusal::Password));
    assert_eq!(check(&after, "bob", "two").await, Err(Refusal::Password));
    assert_eq!(check(&after, "alice", "other").await, Ok(()));
}
