//! Figures, and the table that shows them.

use std::time::Duration;

use comfy_table::Table;

use crate::table::table;

/// How long scrapes took.
#[derive(Debug, Default)]
pub struct Measured(pub Vec<Duration>);

/// One form of the exposition: its name, its size in bytes, and scrapes of the program's own server, of a bare socket, and of one that
/// renders at each scrape.
pub struct Row {
    pub name: &'static str,
    pub bytes: usize,
    pub exporter: Measured,
    pub bare: Measured,
    pub anew: Measured,
}

impl Row {
    fn lines(&self) -> [[String; 7]; 3] {
        let (bare, anew) = (self.bare.quantile(0.5), self.anew.quantile(0.5));
        [
            ("", &self.exporter),
            (", bare socket", &self.bare),
            (", rendered at each scrape", &self.anew),
        ]
        .map(|(who, measured)| {
            let median = measured.quantile(0.5);
            [
                format!("{}{who}", self.name),
                format!("{:.1}", real(self.bytes) / 1e6),
                milliseconds(median),
                milliseconds(measured.quantile(0.99)),
                format!("{:.0}", measured.per_second()),
                format!("{:.2}", median.div_duration_f64(bare)),
                format!("{:.3}", median.div_duration_f64(anew)),
            ]
        })
    }
}

impl Measured {
    /// The time that so many hundredths of the scrapes kept to.
    fn quantile(&self, share: f64) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort();
        let place = real(sorted.len().saturating_sub(1)) * share;
        let mut above = sorted.into_iter().zip(0_usize..);
        above
            .find(|(_, at)| real(*at) + 0.5 >= place)
            .map_or(Duration::ZERO, |(time, _)| time)
    }

    fn per_second(&self) -> f64 {
        real(self.0.len()) / self.0.iter().sum::<Duration>().as_secs_f64()
    }
}

#[expect(clippy::cast_precision_loss, reason = "it is shown with few digits")]
fn real(number: usize) -> f64 {
    number as f64
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1}", 1000.0 * time.as_secs_f64())
}

/// Shows the rows, each with its baselines.
pub fn render(rows: &[Row]) -> Table {
    let header = [
        "",
        "MB",
        "median ms",
        "99 % ms",
        "scrapes/s",
        "of the bare socket",
        "of rendering each time",
    ];
    table(header, rows.iter().flat_map(Row::lines))
}
