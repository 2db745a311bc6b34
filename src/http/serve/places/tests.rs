use std::net::Ipv4Addr;
use std::time::Duration;

use super::*;

fn places() -> Places {
    Places::new(Limits {
        connections: 4,
        share: 3,
        probes: 1,
        ..Limits::default()
    })
}

/// Takes places for clients, one each second.
fn take(places: &mut Places, clients: &[u32]) -> Vec<Option<Arc<Place>>> {
    let start = Moment::now().steady;
    let network = |client: u32| Network::of(Ipv4Addr::from_bits(client).into());
    let take = |(second, client): (u64, &u32)| {
        places.take(network(*client), start + Duration::from_secs(second))
    };
    (0..).zip(clients).map(take).collect()
}

/// Which of them are open.
fn open(taken: &[Option<Arc<Place>>]) -> Vec<bool> {
    let is_open = |place: &Arc<Place>| !place.close.is_cancelled() && !place.only_probes;
    let taken = taken.iter();
    taken
        .map(|place| place.as_ref().is_some_and(is_open))
        .collect()
}

#[test]
fn a_client_takes_its_share_and_then_its_own_oldest_leaves() {
    let mut places = places();
    let taken = take(&mut places, &[2, 1, 1, 1, 1]);
    assert_eq!(open(&taken), [true, false, true, true, true]);
}

#[test]
fn when_all_places_are_taken_the_oldest_of_all_leaves() {
    let mut places = places();
    let taken = take(&mut places, &[1, 2, 1, 2, 3]);
    assert_eq!(open(&taken), [false, true, true, true, true]);
}

#[test]
fn a_connection_with_a_request_stays_and_probes_have_places_of_their_own() {
    let mut places = places();
    let taken = take(&mut places, &[1, 2, 1, 2]);
    let mut answering: Vec<_> = taken.iter().flatten().map(Place::answering).collect();
    let late = take(&mut places, &[3]).remove(0).unwrap();
    assert!(late.only_probes);
    let replaced = take(&mut places, &[4]).remove(0).unwrap();
    assert!(late.close.is_cancelled() && replaced.only_probes);
    let busy = replaced.answering();
    assert!(take(&mut places, &[5])[0].is_none(), "no place at all");
    drop(busy);
    answering.remove(1);
    assert!(!take(&mut places, &[5]).remove(0).unwrap().only_probes);
    assert_eq!(open(&taken), [true, false, true, true]);
    drop((taken, answering, late, replaced));
    assert!(places.taken.iter().all(|place| place.upgrade().is_none()));
}

#[test]
fn the_addresses_of_one_client_are_one_network() {
    let network = |address: &str| Network::of(address.parse().unwrap());
    for (one, other, same) in [
        ("2001:db8:0:1::1", "2001:db8:0:1:ffff::2", true),
        ("2001:db8:0:1::1", "2001:db8:0:2::1", false),
        ("192.0.2.1", "192.0.2.2", false),
        ("::ffff:192.0.2.1", "192.0.2.1", true),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", false),
    ] {
        assert_eq!(network(one) == network(other), same, "{one} {other}");
    }
}
