//! What is promised of every request, checked against the requests that the portal saw.

use kb_exporter::config::ReindexRules;

use crate::week::{Answer, Request, Week};

/// Checks the newest request against those before it.
pub fn hold(week: &Week, rules: &ReindexRules) {
    let Some((newest, before)) = week.requests.split_last() else {
        return;
    };
    let minutes = |duration: std::time::Duration| duration.as_secs() / 60;
    let since = |other: &Request| u64::from(newest.at - other.at);
    assert!(!newest.while_stopped, "the kill switch is on: {newest:?}");
    let last = before.iter().rfind(|other| other.folder == newest.folder);
    if let Some(last) = last {
        assert!(
            since(last) >= minutes(rules.cooldown),
            "within the cooldown of {last:?}: {newest:?}"
        );
        assert!(
            !newest.while_waiting || since(last) >= minutes(rules.verify_after),
            "while {last:?} is under way: {newest:?}"
        );
    }
    let recent = week.requests.iter();
    let recent: Vec<_> = recent
        .filter(|other| since(other) < minutes(rules.budget.per))
        .collect();
    let files: u64 = recent.iter().map(|request| request.files).sum();
    assert!(files <= rules.budget.files, "too many files: {newest:?}");
    assert!(
        charged(&recent) <= rules.budget.actions,
        "too many requests: {newest:?}"
    );
}

/// Of requests in a row that were forbidden, the first one is charged.
fn charged(requests: &[&Request]) -> u64 {
    let (mut charged, mut forbidden) = (0, false);
    for request in requests {
        let is_forbidden = request.answer == Answer::Forbidden;
        charged += u64::from(!(is_forbidden && forbidden));
        forbidden = is_forbidden;
    }
    charged
}
