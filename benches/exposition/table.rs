//! Figures, and the table that shows them.

use std::time::Duration;

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, Table};

/// How long scrapes took.
#[derive(Debug, Default)]
pub struct Measured(Vec<Duration>);

/// One form of the exposition.
pub struct Row {
    name: &'static str,
    bytes: usize,
    /// From the program's own server.
    pub exporter: Measured,
    /// From a bare socket.
    pub bare: Measured,
    /// From one that renders at each scrape.
    pub anew: Measured,
}

impl Row {
    /// Begins with no scrape.
    pub fn new(name: &'static str, bytes: usize) -> Self {
        Self {
            name,
            bytes,
            exporter: Measured::default(),
            bare: Measured::default(),
            anew: Measured::default(),
        }
    }

    fn lines(&self) -> [[String; 7]; 3] {
        let (bare, anew) = (self.bare.quantile(0.5), self.anew.quantile(0.5));
        [
            (self.name.to_owned(), &self.exporter),
            (format!("{}, bare socket", self.name), &self.bare),
            (
                format!("{}, rendered at each scrape", self.name),
                &self.anew,
            ),
        ]
        .map(|(name, measured)| {
            let median = measured.quantile(0.5);
            [
                name,
                format!("{:.1}", millions(self.bytes)),
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
    /// Adds one scrape.
    pub fn add(&mut self, took: Duration) {
        self.0.push(took);
        self.0.sort();
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "it is the number of one of a few hundred scrapes"
    )]
    fn quantile(&self, share: f64) -> Duration {
        let last = self.0.len().saturating_sub(1);
        self.0[(last as f64 * share).round() as usize]
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "there are a few hundred scrapes"
    )]
    fn per_second(&self) -> f64 {
        self.0.len() as f64 / self.0.iter().sum::<Duration>().as_secs_f64()
    }
}

#[expect(clippy::cast_precision_loss, reason = "it is shown with one digit")]
fn millions(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1}", 1000.0 * time.as_secs_f64())
}

/// Shows the rows, each with its baselines.
pub fn render(rows: &[Row]) -> Table {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED);
    table.set_header([
        "",
        "MB",
        "median ms",
        "99 % ms",
        "scrapes/s",
        "of the bare socket",
        "of rendering each time",
    ]);
    for line in rows.iter().flat_map(Row::lines) {
        table.add_row(line);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}
