//! What all pages have in common: head, navigation, tables; numbers and times for people.

use std::time::Duration;

use chrono::{DateTime, Utc};
use humantime::format_duration;
use indicatif::HumanCount;
use maud::{DOCTYPE, Markup, html};

use crate::http::route::Route;
use crate::model::Timestamp;

/// How things are, on a page as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Well,
    /// Not all is known yet.
    Unknown,
    /// Nothing fails, but somebody has something to do.
    Note,
    Warn,
    Fail,
}

impl State {
    /// Its name in the style sheet, its symbol, and colour and form of the icon: another one for each state.
    const fn look(self) -> [&'static str; 4] {
        match self {
            Self::Well => ["well", "✓", "1a7f37", "<circle cx='8' cy='8' r='7'/>"],
            Self::Unknown => ["unknown", "?", "6e7781", "<circle cx='8' cy='8' r='5'/>"],
            Self::Note => ["note", "i", "6e7781", "<circle cx='8' cy='8' r='5'/>"],
            Self::Warn => ["warn", "!", "bf6a02", "<path d='M8 1l7 14H1z'/>"],
            Self::Fail => ["fail", "✕", "cf222e", "<path d='M1 1h14v14H1z'/>"],
        }
    }

    pub(super) const fn class(self) -> &'static str {
        self.look()[0]
    }

    pub(super) const fn symbol(self) -> &'static str {
        self.look()[1]
    }

    /// The icon of the tab. It is within the page: an exporter that is gone serves none.
    fn icon(self) -> String {
        let [.., colour, form] = self.look();
        format!(
            "data:image/svg+xml,<svg xmlns='http:%2F%2Fwww.w3.org/2000/svg' viewBox='0 0 16 16' fill='%23{colour}'>{form}</svg>"
        )
    }
}

/// A whole page. All text is escaped by the templates. The script replaces the parts with `data-part` by newer ones.
///
/// `here`: the page's own link. Links are relative to the first folder, whatever a proxy has before that.
pub(super) fn page(
    title: &str,
    [here, metrics]: [&str; 2],
    state: State,
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
                title { (state.symbol()) " " (title) " – kb-exporter" }
                link rel="icon" href=(state.icon());
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

/// A table with the titles of its columns.
pub(super) fn table<const N: usize>(
    label: &str,
    columns: [Column; N],
    rows: impl IntoIterator<Item = [Markup; N]>,
) -> Markup {
    let heads =
        html! { @for (title, class) in columns { th class=(class) scope="col" { (title) } } };
    table_below(label, &heads, columns, rows)
}

/// A table below its heads. It scrolls by itself if it is wider than the screen; a narrow screen has the title beside each cell.
pub(super) fn table_below<const N: usize>(
    label: &str,
    heads: &Markup,
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
                thead { tr { (heads) } }
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

/// A duration, such as `46 ms`, `4.2 s` or `1day 1h`.
pub(super) fn took(time: Duration) -> String {
    match time.as_millis() {
        millis @ 0..1_000 => format!("{millis} ms"),
        1_000..10_000 => format!("{:.1} s", time.as_secs_f64()),
        _ => {
            let rounded = time.as_millis().saturating_add(500) / 1_000;
            let seconds = rounded.try_into().unwrap_or(u64::MAX);
            let text = format_duration(Duration::from_secs(seconds)).to_string();
            let units: Vec<_> = text.split(' ').take(2).collect();
            units.join(" ")
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

/// A share of a total, in percent.
#[expect(
    clippy::cast_precision_loss,
    reason = "one digit after the point is shown"
)]
pub(super) fn share(part: u64, total: u64) -> String {
    match part as f64 * 100.0 / total.max(1) as f64 {
        0.0 => "0 %".to_owned(),
        percent if percent < 0.1 => "< 0.1 %".to_owned(),
        percent if percent < 10.0 => format!("{percent:.1} %"),
        percent => format!("{percent:.0} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_exact() {
        for (millis, text) in [
            (0, "0 ms"),
            (46, "46 ms"),
            (4_249, "4.2 s"),
            (61_000, "1m 1s"),
            (90_061_000, "1day 1h"),
        ] {
            assert_eq!(took(Duration::from_millis(millis)), text);
        }
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
        for (part, total, text) in [
            (0, 0, "0 %"),
            (1, 5_000, "< 0.1 %"),
            (3, 100, "3.0 %"),
            (1, 2, "50 %"),
        ] {
            assert_eq!(share(part, total), text);
        }
        assert_eq!(
            (things(1, "file", "files"), things(1_000, "file", "files")),
            ("1 file".to_owned(), "1,000 files".to_owned())
        );
    }
}
