//! The progress of a scan, on the terminal.

use std::convert::Infallible;
use std::fmt::Write;
use std::io::{IsTerminal, stderr};
use std::sync::Arc;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use tokio::time::{MissedTickBehavior, interval};

use crate::collect::progress::Progress;
use crate::snapshot::{FolderState, FolderView, Publisher, Snapshot};
use crate::telemetry;

/// Frames in a second.
const RATE: u8 = 10;

const FRAME_TIME: Duration = Duration::from_millis(1000 / RATE as u64);

const TEMPLATE: &str = "{spinner} {bar:30} {msg}, {rate} per second, {eta} left";

/// Shows a bar until it is dropped, if standard error is a terminal.
pub(super) async fn show(publisher: &Publisher, progress: &[Arc<Progress>]) -> Infallible {
    if !stderr().is_terminal() {
        return std::future::pending().await;
    }
    let bar = Bar::new();
    let mut ticks = interval(FRAME_TIME);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let rows = progress.iter().map(|progress| progress.rows()).sum();
        bar.draw(&publisher.current(), rows);
    }
}

/// A progress bar on standard error, which is removed when it is dropped.
struct Bar(ProgressBar);

impl Bar {
    fn new() -> Self {
        telemetry::clear_line_first(true);
        let rate = |state: &ProgressState, text: &mut dyn Write| {
            // Writing to a string cannot fail.
            let _ = write!(text, "{:.0}", state.per_sec());
        };
        let style = ProgressStyle::with_template(TEMPLATE)
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .with_key("rate", rate)
            .progress_chars("=> ");
        let target = ProgressDrawTarget::stderr_with_hz(RATE);
        Self(ProgressBar::with_draw_target(Some(0), target).with_style(style))
    }

    /// Shows how many files are in folders that are counted, or the rows that were read if those are more: counting by boundaries reads few of
    /// them. Shows nothing while no folder is known.
    fn draw(&self, snapshot: &Snapshot, rows: u64) {
        let folders = || snapshot.portals.iter().flat_map(|it| it.folders.values());
        let done = || folders().filter(|folder| folder.state != FolderState::Unseen);
        let files = |folder: &Arc<FolderView>| folder.reported_files.unwrap_or(0);
        let rows = done().map(files).fold(0, u64::saturating_add).max(rows);
        let all = folders().map(files).fold(0, u64::saturating_add).max(rows);
        let (done, folders) = (done().count(), folders().count());
        if folders == 0 {
            return;
        }
        self.0.set_length(all);
        self.0.set_position(rows);
        let message = format!("{done} of {folders} folders, {rows} of {all} files");
        self.0.set_message(message);
        // It turns while a portal does not answer, too.
        self.0.tick();
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
        telemetry::clear_line_first(false);
    }
}
