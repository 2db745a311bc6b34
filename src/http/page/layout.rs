//! What all pages have in common: head, navigation, times and shares for people.

use std::time::Duration;

use maud::{DOCTYPE, Markup, html};

use crate::health::Status;
use crate::http::route::Route;
use crate::model::Timestamp;
use crate::snapshot::whole_seconds;

pub(in crate::http) const STYLE: &str = include_str!("static/style.css");

/// The script that refreshes a page.
pub(in crate::http) const SCRIPT: &str = include_str!("static/refresh.js");

/// A whole page. All text is escaped by the templates.
pub(super) fn page(title: &str, metrics: &str, now: Timestamp, content: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) " – kb-exporter" }
                link rel="stylesheet" href=(Route::Style.as_str());
                script src=(Route::Script.as_str()) defer {}
            }
            body {
                a.skip href="#main" { "Skip to content" }
                header {
                    a.brand href="/" { "kb-exporter" }
                    nav aria-label="Pages" {
                        a href="/" { "Folders" }
                        a href=(Route::Errors.as_str()) { "Errors" }
                        a href=(Route::Configuration.as_str()) { "Configuration" }
                        a href=(metrics) { "Metrics" }
                        a href=(Route::Health.as_str()) { "Health" }
                        a href=(Route::Documents.as_str()) { "Documentation" }
                    }
                }
                main #main {
                    (content)
                    p.quiet { "As of " (time(now)) ". Version " (env!("CARGO_PKG_VERSION")) "." }
                }
            }
        }
    }
}

/// A table that scrolls by itself if it is wider than the screen. A head has a title and a class of its column.
pub(super) fn table(
    label: &str,
    heads: &[(&str, &str)],
    rows: impl IntoIterator<Item = Markup>,
) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(label) {
            table {
                thead {
                    tr { @for (title, class) in heads { th class=(class) scope="col" { (title) } } }
                }
                tbody { @for row in rows { tr { (row) } } }
            }
        }
    }
}

/// A status as a word and a colour.
pub(super) fn status(status: Status) -> Markup {
    let word = match status {
        Status::Pass => "pass",
        Status::Warn => "warn",
        Status::Fail => "fail",
    };
    html! { span class=(word) { (word) } }
}

pub(super) fn time(time: Timestamp) -> Markup {
    let text = time.to_string();
    html! { time.time datetime=(text) { (text) } }
}

/// An age, in its two largest units.
pub(super) fn age(age: Duration) -> String {
    let age = whole_seconds(age).to_string();
    let units: Vec<_> = age.split(' ').take(2).collect();
    units.join(" ")
}

/// A share of a total, in percent.
#[expect(
    clippy::cast_precision_loss,
    reason = "one digit after the point is shown"
)]
pub(super) fn share(part: u64, total: u64) -> String {
    if part == 0 || total == 0 {
        return "0 %".to_owned();
    }
    let percent = part as f64 * 100.0 / total as f64;
    if percent < 0.1 {
        "< 0.1 %".to_owned()
    } else if percent < 10.0 {
        format!("{percent:.1} %")
    } else {
        format!("{percent:.0} %")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_and_shares_are_short() {
        for (seconds, text) in [
            (0, "0s"),
            (59, "59s"),
            (61, "1m 1s"),
            (7_200, "2h"),
            (90_061, "1day 1h"),
        ] {
            assert_eq!(age(Duration::from_secs(seconds)), text);
        }
        for (part, total, text) in [
            (0, 0, "0 %"),
            (1, 5_000, "< 0.1 %"),
            (3, 100, "3.0 %"),
            (1, 2, "50 %"),
        ] {
            assert_eq!(share(part, total), text);
        }
    }
}
