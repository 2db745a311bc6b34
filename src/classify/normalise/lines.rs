//! Which lines of a reason its class is of.

use std::borrow::Cow;

/// How much of a reason is looked at, in bytes.
const READ_BYTES: usize = 4 << 10;

/// Stands above a Python traceback.
const TRACEBACK: &str = "Traceback (most recent call last)";

/// The part of a reason that says what went wrong: the last line of a Python traceback, any other text without the frames of
/// its stack.
///
/// Beyond the first 4 KiB, only the last line is looked for.
pub(super) fn telling(reason: &str) -> Cow<'_, str> {
    let text = reason.trim_start();
    let read = start_of(text);
    if !read.contains('\n') {
        return Cow::Borrowed(read);
    }
    if read.contains(TRACEBACK) {
        let last = text.trim_end().rsplit('\n').next().unwrap_or_default();
        return Cow::Borrowed(start_of(last.trim_start()));
    }
    without_frames(read)
}

fn start_of(text: &str) -> &str {
    &text[..text.floor_char_boundary(READ_BYTES)]
}

/// Leaves out the lines that name a place in a program. The first line is never one: something must be left.
fn without_frames(text: &str) -> Cow<'_, str> {
    if !text.lines().skip(1).any(is_frame) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    for (number, line) in text.lines().enumerate() {
        if number == 0 || !is_frame(line) {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    Cow::Owned(kept)
}

/// Whether a line is a frame of Java, .NET, JavaScript (`at …`, `... 12 more`) or Python (`File "…", line 12`).
fn is_frame(line: &str) -> bool {
    let told = line.trim_start();
    let indented = told.len() < line.len();
    (indented && (told.starts_with("at ") || told.starts_with("... ")))
        || (told.starts_with("File \"") && told.contains("\", line "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_traceback_is_its_last_line_however_long_it_is() {
        let frames = "  File \"/app/worker.py\", line 12, in run\n    run()\n".repeat(500);
        let text = format!("{TRACEBACK}:\n{frames}zipfile.BadZipFile: not a zip file\n\n");
        assert_eq!(telling(&text), "zipfile.BadZipFile: not a zip file");
        let text = format!("job failed: {TRACEBACK}:\r\n{frames}  KeyError\r\n");
        assert_eq!(telling(&text), "KeyError");
    }

    #[test]
    fn frames_are_left_out_of_other_texts() {
        let text = "java.io.IOException: broken\n\tat a.B.c(B.java:1)\n\t... 12 more\nCaused by: X\n\tat d.E";
        assert_eq!(telling(text), "java.io.IOException: broken\nCaused by: X\n");
        assert_eq!(telling("a\nFile \"x.py\", line 3\nb"), "a\nb\n");
        assert_eq!(telling("failed\nat page 3"), "failed\nat page 3");
        assert_eq!(telling("  at the end"), "at the end");
    }

    #[test]
    fn no_more_is_looked_at_than_needed() {
        assert_eq!(telling(&"я".repeat(10_000)).len(), READ_BYTES);
        let late = format!("{}word", " ".repeat(10_000));
        assert_eq!(telling(&late), "word");
    }
}
