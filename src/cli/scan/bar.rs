//! The progress of a scan, on the terminal.

use std::convert::Infallible;
use std::io::{IsTerminal, stderr};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokio::time::{MissedTickBehavior, interval};
use tracing::Level;

use crate::collect::progress::Progress;
use crate::snapshot::{FolderState, Publisher, Snapshot};

/// Frames in a second.
const RATE: u8 = 10;

const TEMPLATE: &str = "{spinner} {bar:30} {msg}, {per_sec:0}, {eta} left";

/// Shows a bar until it is dropped, if standard error is a terminal that no lines of the log need.
pub(super) async fn show(publisher: &Publisher, progress: &Progress) -> Infallible {
    if !stderr().is_terminal() || tracing::enabled!(Level::WARN) {
        return std::future::pending().await;
    }
    let bar = Bar::new();
    let mut ticks = interval(Duration::from_secs(1) / u32::from(RATE));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        bar.draw(&publisher.current(), progress.rows());
    }
}

/// A progress bar on standard error, which is removed when it is dropped.
struct Bar(ProgressBar);

impl Bar {
    fn new() -> Self {
        let style = ProgressStyle::with_template(TEMPLATE);
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        let style = style.progress_chars("=> ");
        let target = ProgressDrawTarget::stderr_with_hz(RATE);
        Self(ProgressBar::with_draw_target(Some(0), target).with_style(style))
    }

    /// Shows how many files are in folders that are counted, or the rows that were read if those are more: counting by boundaries reads few of
    /// them. Shows nothing while no folder is known.
    fn draw(&self, snapshot: &Snapshot, rows: u64) {
        let folders = snapshot.portals.iter().flat_map(|it| it.folders.values());
        let (mut done, mut known, mut files, mut all) = (0, 0, 0_u64, 0_u64);
        for folder in folders {
            let reported = folder.reported_files.unwrap_or(0);
            known += 1;
            all = all.saturating_add(reported);
            if folder.state != FolderState::Unseen {
                done += 1;
                files = files.saturating_add(reported);
            }
        }
        if known > 0 {
            let (rows, all) = (files.max(rows), all.max(rows));
            let message = format!("{done} of {known} folders, {rows} of {all} files");
            self.0.set_message(message);
            self.0.set_length(all);
            self.0.set_position(rows);
            // It turns while a portal does not answer, too.
            self.0.tick();
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
