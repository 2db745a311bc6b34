//! The progress of a scan, on the terminal.

use std::fmt::Write;
use std::io::{IsTerminal, stderr};
use std::sync::Arc;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::snapshot::{FolderState, FolderView, Snapshot};
use crate::telemetry;

const RATE: u8 = 10;

/// The time from one frame to the next.
pub(super) const FRAME_TIME: Duration = Duration::from_millis(1000 / RATE as u64);

const TEMPLATE: &str = "{spinner} {bar:30} {msg}, {rate} per second, {eta} left";

/// A progress bar on standard error. It is removed when the scan ends.
pub(super) struct Bar(ProgressBar);

impl Bar {
    /// A bar, if standard error is a terminal.
    pub fn on_terminal() -> Option<Self> {
        let target = ProgressDrawTarget::stderr_with_hz(RATE);
        stderr().is_terminal().then(|| Self::new(target))
    }

    fn new(target: ProgressDrawTarget) -> Self {
        telemetry::clear_line_first(true);
        let rate = |state: &ProgressState, text: &mut dyn Write| {
            // Writing to a string cannot fail.
            let _ = write!(text, "{:.0}", state.per_sec());
        };
        let style = ProgressStyle::with_template(TEMPLATE)
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .with_key("rate", rate)
            .progress_chars("=> ");
        Self(ProgressBar::with_draw_target(Some(0), target).with_style(style))
    }

    /// Draws a frame, if a list was read.
    pub fn show(&self, frame: Option<Frame>) {
        let Some(frame) = frame else { return };
        self.0.set_length(frame.expected_rows);
        self.0.set_position(frame.rows);
        self.0.set_message(frame.text);
        // It turns while a portal does not answer, too.
        self.0.tick();
    }

    /// Removes the bar from the terminal.
    pub fn clear(&self) {
        self.0.finish_and_clear();
        telemetry::clear_line_first(false);
    }
}

/// What a frame of the bar shows.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Frame {
    /// Files of folders that are counted, or the rows that were read if those are more: counting by boundaries reads few of them.
    rows: u64,
    /// Files by the lists, or `rows` if those are more.
    expected_rows: u64,
    pub text: String,
}

impl Frame {
    /// `None` while no folder is known.
    pub fn of(snapshot: &Snapshot, rows: u64) -> Option<Self> {
        let folders = || snapshot.portals.iter().flat_map(|p| p.folders.values());
        let done = || folders().filter(|folder| folder.state != FolderState::Unseen);
        let files = |folder: &Arc<FolderView>| folder.reported_files.unwrap_or(0);
        let rows = done().map(files).fold(0, u64::saturating_add).max(rows);
        let expected_rows = folders().map(files).fold(0, u64::saturating_add).max(rows);
        let (done, folders) = (done().count(), folders().count());
        (folders > 0).then(|| Self {
            rows,
            expected_rows,
            text: format!("{done} of {folders} folders, {rows} of {expected_rows} files"),
        })
    }
}
