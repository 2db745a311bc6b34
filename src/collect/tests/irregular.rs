//! Collections that lie far or unevenly apart, in paused time.

use axum::http::StatusCode;

use super::turns::{Crowd, count, longest_rest, seconds};
use super::*;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;

/// Three folders in which nothing changes, collected at these hours from this one on, and once at the start.
fn at_hours(hours: &[i64]) -> Crowd {
    let this_hour = Moment::now().wall.as_millis() / 3_600_000;
    let hours = hours.iter().map(|hour| (this_hour + hour) % 24);
    let hours: Vec<_> = hours.map(|hour| hour.to_string()).collect();
    let line = format!("0 {} * * *", hours.join(","));
    Crowd::on(Schedule::parse(&line).unwrap(), 3, |_| {})
}

#[tokio::test(start_paused = true)]
async fn every_collection_reads_every_folder_however_far_away_the_next_one_is() {
    for (hours, collections) in [(vec![2, 3, 4], 7), (vec![12], 2)] {
        let crowd = at_hours(&hours);
        seconds(29 * HOUR - MINUTE).await;
        let asked = crowd.asked();
        assert_eq!(count(&asked, &"/mine"), collections, "{hours:?}");
        for folder in &crowd.folders {
            assert_eq!(longest_rest(*folder, &asked), 1, "{hours:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_quiet_folder_is_read_in_every_collection_that_is_as_rare_as_its_reads() {
    let schedule = Schedule::Every(Duration::from_mins(10));
    let crowd = Crowd::on(schedule, 3, |_| {});
    seconds(3 * HOUR).await;
    for folder in &crowd.folders {
        assert_eq!(longest_rest(*folder, &crowd.asked()), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_list_that_failed_is_asked_again_after_a_minute_then_two_and_four() {
    let schedule = Schedule::Every(Duration::from_hours(1));
    let crowd = Crowd::on(schedule, 2, |config| config.request.retries = 0);
    crowd.refuse(&"/mine", StatusCode::INTERNAL_SERVER_ERROR);
    let mut passed = 0;
    for (minute, asked) in [(0, 1), (1, 2), (3, 3), (7, 4), (15, 5), (31, 6)] {
        let until = minute * MINUTE - MINUTE.min(minute * MINUTE) / 2;
        seconds(until - passed).await;
        if minute > 0 {
            assert_eq!(
                count(&crowd.asked(), &"/mine"),
                asked - 1,
                "before {minute}"
            );
        }
        passed = minute * MINUTE + 10;
        seconds(passed - until).await;
        assert_eq!(count(&crowd.asked(), &"/mine"), asked, "at {minute}");
    }
    crowd.heal();
    seconds(2 * HOUR - passed + 10).await;
    assert_eq!(crowd.up(), 2);
    assert_eq!(count(&crowd.asked(), &"/mine"), 8, "by the hour alone");
    crowd.refuse(&"/mine", StatusCode::INTERNAL_SERVER_ERROR);
    seconds(HOUR + MINUTE + 10).await;
    assert_eq!(count(&crowd.asked(), &"/mine"), 10, "after a minute again");
}
