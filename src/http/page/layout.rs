//! What all pages have in common: head, navigation, tables; numbers and times for people.

use chrono::{DateTime, Utc};
use indicatif::HumanCount;
use maud::{DOCTYPE, Markup, html};

use crate::health::Severity;
use crate::http::route::Route;
use crate::model::Timestamp;

/// The class, the symbol and the colour for how bad things are: another one for each.
const fn look(severity: Option<Severity>) -> [&'static str; 3] {
    match severity {
        None => ["well", "✓", "1a7f37"],
        Some(Severity::Info | Severity::Notice) => ["note", "i", "6e7781"],
        Some(Severity::Warn) => ["warn", "!", "bf6a02"],
        Some(Severity::Fail) => ["fail", "✕", "cf222e"],
    }
}

pub(super) const fn class(severity: Option<Severity>) -> &'static str {
    look(severity)[0]
}

pub(super) const fn symbol(severity: Option<Severity>) -> &'static str {
    look(severity)[1]
}

/// The icon of the tab. It is within the page: an exporter that is gone serves none.
fn icon(severity: Option<Severity>) -> String {
    let [_, symbol, colour] = look(severity);
    format!(
        "data:image/svg+xml,<svg xmlns='http:%2F%2Fwww.w3.org/2000/svg' viewBox='0 0 16 16'><circle cx='8' cy='8' r='8' fill='%23{colour}'/>\
         <text x='8' y='12' font-size='12' fill='white' text-anchor='middle'>{symbol}</text></svg>"
    )
}

/// A whole page. All text is escaped by the templates. The script replaces the parts with `data-part` by newer ones.
///
/// `here`: the page's own link. Links are relative to the first folder, whatever a proxy has before that.
pub(super) fn page(
    title: &str,
    [here, metrics]: [&str; 2],
    severity: Option<Severity>,
    content: &Markup,
) -> Markup {
    let path = here.split('?').next().unwrap_or_default();
    let base = "../".repeat(path.matches('/').count().saturating_sub(1));
    let links = [
        ("/", "Overview"),
        (Route::Errors.as_str(), "Errors"),
        (Route::Configuration.as_str(), "Configuration"),
        (metrics, "Metrics"),
        (Route::Runbook.as_str(), "Runbook"),
    ];
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                base href={ "./" (base) };
                title { (symbol(severity)) " " (title) " – kb-exporter" }
                link rel="icon" href=(icon(severity));
                link rel="stylesheet" href={ "." (Route::Style.as_str()) };
                script src={ "." (Route::Script.as_str()) } defer {}
            }
            body {
                a.skip href={ (here) "#main" } { "Skip to content" }
                header {
                    a.brand href="./" { "kb-exporter" }
                    nav aria-label="Pages" {
                        @for (link, name) in links {
                            a href={ "." (link) } aria-current=[(link == &path[1..]).then_some("page")] { (name) }
                        }
                    }
                    p #as-of.quiet { "Version " (env!("CARGO_PKG_VERSION")) }
                }
                p #gone.fail role="alert" hidden {}
                main #main { (content) }
            }
        }
    }
}

/// A column of a table: its title, and the class of its cells.
pub(super) type Column = (&'static str, &'static str);

/// A table. It scrolls by itself if it is wider than the screen; a narrow screen has the title beside each cell.
pub(super) fn table<const N: usize>(
    label: &str,
    columns: [Column; N],
    rows: impl IntoIterator<Item = [Markup; N]>,
) -> Markup {
    let cell = |place, (title, class): Column, cell: Markup| {
        html! {
            @if place == 0 { th class=(class) scope="row" { (cell) } }
            @else { td class=(class) data-label=(title) { (cell) } }
        }
    };
    html! {
        div.scroll tabindex="0" role="region" aria-label=(label) {
            table {
                thead { tr { @for (title, class) in columns { th class=(class) scope="col" { (title) } } } }
                tbody {
                    @for row in rows {
                        tr { @for (place, (column, content)) in columns.into_iter().zip(row).enumerate() { (cell(place, column, content)) } }
                    }
                }
            }
        }
    }
}

/// How the script shows a point in time.
#[derive(Clone, Copy)]
pub(super) enum As {
    /// The time of day, and the day if it is another one.
    Clock,
    /// "40 s ago"
    Ago,
    /// "2 h 10 min"
    For,
    /// "in 20 s"
    In,
}

/// A point in time. Without the script it is the whole time.
pub(super) fn time(time: Timestamp, shown: As) -> Markup {
    let shown = match shown {
        As::Clock => "clock",
        As::Ago => "ago",
        As::For => "for",
        As::In => "in",
    };
    html! { time datetime=(time) data-as=(shown) { (DateTime::<Utc>::from(time).format("%Y-%m-%d %H:%M UTC")) } }
}

/// A sentence from elsewhere, with its points in time as those of the pages.
pub(super) fn sentence(text: &str) -> Markup {
    html! {
        @for part in text.split_inclusive(' ') {
            @let word = part.trim_end_matches([' ', ';', ',', ':', ')']);
            @match Timestamp::parse(word) {
                Some(at) => { (time(at, As::Clock)) (part[word.len()..]) },
                None => (part),
            }
        }
    }
}

/// A number with separators between its thousands.
pub(super) fn number(number: u64) -> String {
    HumanCount(number).to_string()
}

/// `one` thing, or a number of `many`.
pub(super) fn things(count: u64, one: &str, many: &str) -> String {
    let word = if count == 1 { one } else { many };
    format!("{} {word}", number(count))
}

/// By how much a number changed, with its sign.
pub(super) fn change(change: i64) -> String {
    let sign = match change {
        1.. => "+",
        0 => "±",
        _ => "−",
    };
    format!("{sign}{}", number(change.unsigned_abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_exact() {
        for (count, text) in [
            (0, "0"),
            (999, "999"),
            (1_428, "1,428"),
            (12_345_678, "12,345,678"),
        ] {
            assert_eq!(number(count), text);
        }
        for (grown, text) in [(57, "+57"), (0, "±0"), (-1_000, "−1,000")] {
            assert_eq!(change(grown), text);
        }
        assert_eq!(
            (things(1, "file", "files"), things(1_000, "file", "files")),
            ("1 file".to_owned(), "1,000 files".to_owned())
        );
    }
}
