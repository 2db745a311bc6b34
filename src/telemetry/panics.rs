//! A panic as an event of the log.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::panic::{self, PanicHookInfo};
use std::thread;

/// Logs every panic from here on as one error event: where and what, and with `RUST_BACKTRACE` the beginning of the backtrace.
pub fn log_panics() {
    panic::set_hook(Box::new(log));
}

fn log(panic: &PanicHookInfo<'_>) {
    let message = panic.payload_as_str().unwrap_or("no message");
    let location = panic.location().map(tracing::field::display);
    let thread = thread::current();
    let backtrace = Backtrace::capture();
    let backtrace = (backtrace.status() == BacktraceStatus::Captured)
        .then(|| tracing::field::display(&backtrace));
    tracing::error!(
        location,
        thread = thread.name(),
        backtrace,
        "panic: {message}"
    );
}

#[cfg(test)]
mod tests {
    use super::super::tests::logged;
    use super::super::{Format, LevelFilter};
    use super::*;

    #[test]
    fn a_panic_is_one_line_of_the_log() {
        let line = logged(LevelFilter::ERROR, Format::Logfmt, || {
            log_panics();
            let caught = panic::catch_unwind(|| panic!("a folder called \"{}\"", "\u{1b}[2J\nx"));
            assert!(caught.is_err());
            drop(panic::take_hook());
        });
        assert_eq!(line.lines().count(), 1, "{line}");
        assert!(line.contains(" level=error "), "{line}");
        assert!(
            line.contains(r#" msg="panic: a folder called \"\u001b[2J\nx\"" "#),
            "{line}"
        );
        assert!(line.contains(concat!(" location=", file!(), ":")), "{line}");
    }
}
