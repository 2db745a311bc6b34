//! Stacks of other languages than Python.

use std::borrow::Cow;

/// Begins the exception that led to the one above it, in Java.
const CAUSE: &str = "\nCaused by: ";

/// Lines that only a stack follows, in Rust, PHP and Lua.
const HEADERS: [&str; 3] = ["stack backtrace:", "stack trace:", "stack traceback:"];

/// Begin a line of .NET that parts the stacks of two exceptions, in its languages.
const DIVIDERS: [&str; 3] = ["--- End of ", "--- Ende der ", "--- Конец трассировки "];

/// What a line is to a stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    /// Says something else.
    Other,
    /// Names a place in a program.
    Frame,
    /// Nothing but a stack follows.
    Header,
}

/// Leaves out the lines of a stack. Of exceptions that led to one another, the last one is left: it is the reason of the
/// others.
///
/// Without such a cause the first line always stays, because something must. Of a text that is longer than what is `read`,
/// only the last cause is looked for.
pub(super) fn left_out<'a>(text: &'a str, read: &'a str) -> Cow<'a, str> {
    if read.lines().all(|line| Line::of(line) == Line::Other) {
        return Cow::Borrowed(read);
    }
    if let Some(place) = text.rfind(CAUSE) {
        let cause = text[place..].trim_start().lines().next();
        return Cow::Borrowed(super::start_of(cause.unwrap_or_default()));
    }
    let mut kept = String::with_capacity(read.len());
    for (number, line) in whole_lines(text, read).lines().enumerate() {
        let of_stack = Line::of(line);
        if number == 0 || of_stack == Line::Other {
            kept.push_str(line);
            kept.push('\n');
        }
        if of_stack == Line::Header {
            break;
        }
    }
    Cow::Owned(kept)
}

/// What is read of several lines, without the one that it ends within.
fn whole_lines<'a>(text: &str, read: &'a str) -> &'a str {
    match read.rfind('\n') {
        Some(end) if read.len() < text.len() => &read[..end],
        _ => read,
    }
}

impl Line {
    fn of(line: &str) -> Self {
        let told = line.trim();
        let is_indented = line.starts_with([' ', '\t']);
        if is_goroutine(told)
            || HEADERS
                .iter()
                .any(|header| header.eq_ignore_ascii_case(told))
        {
            Self::Header
        } else if (is_indented && is_place(told))
            || is_numbered(told)
            || is_address(told)
            || DIVIDERS.iter().any(|divider| told.starts_with(divider))
        {
            Self::Frame
        } else {
            Self::Other
        }
    }
}

/// Whether an indented line is a frame of Java, .NET, JavaScript, Rust (`at …`, `... 12 more`) or Ruby (`from …`), the start of
/// one, or the last line of PHP.
fn is_place(told: &str) -> bool {
    let Some((word, place)) = told.split_once(' ') else {
        return matches!(told, "a" | "at");
    };
    match word {
        "at" | "..." => true,
        "from" => place.starts_with('/') || place.contains(":in "),
        "thrown" => place.starts_with("in /"),
        // .NET translates its word, and a name follows that has a dot in it.
        "в" | "bei" | "在" => {
            let name = place.split([' ', '(']).next();
            name.is_some_and(|name| name.contains('.'))
        }
        _ => false,
    }
}

/// Whether a line is a frame of PHP (`#0 /srv/a.php(12): run()`) or of a debugger (`#0  0x7f12 in run ()`).
fn is_numbered(told: &str) -> bool {
    let number = told.strip_prefix('#').and_then(|told| told.split_once(' '));
    number.is_some_and(|(number, place)| {
        number.starts_with(|digit: char| digit.is_ascii_digit())
            && (place.contains('(') || place.trim_start().starts_with(['/', '[', '{']))
    })
}

/// Whether a line is a frame of glibc: `/lib/libc.so.6(abort+0x12) [0x7f12]`.
fn is_address(told: &str) -> bool {
    let address = told.split_once(" [0x");
    address.is_some_and(|(place, address)| {
        place.contains('/') && !place.contains(' ') && address.ends_with(']')
    })
}

/// Whether a line begins a stack of Go: `goroutine 12 [running]:`.
fn is_goroutine(told: &str) -> bool {
    told.starts_with("goroutine ") && told.ends_with("]:")
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use super::super::{READ_BYTES, telling};

    #[test]
    fn frames_are_left_out_of_other_texts() {
        check(&[
            (
                "java.io.IOException: broken\n\tat a.B.c(B.java:1)\n\t... 12 more",
                "java.io.IOException: broken",
            ),
            (
                "java.io.IOException: broken\n\tat a.B.c(B.java:1)\n\ta",
                "java.io.IOException: broken",
            ),
            (
                "Error: broken\n    at async run (/app/a.js:1:2)",
                "Error: broken",
            ),
            (
                "System.IO.IOException: busy\r\n   at A.B()\r\n--- End of stack trace from previous location ---\r\n   at C.D()",
                "System.IO.IOException: busy",
            ),
            (
                "System.IO.IOException: Файл занят\n   в System.IO.FileStream..ctor(String path) в C:\\x.cs:строка 3\n\
             --- Конец трассировки стека из предыдущего расположения ---\n   в System.IO",
                "System.IO.IOException: Файл занят",
            ),
            (
                "System.IO.IOException: Datei belegt\n   bei System.IO.File.Open() in C:\\x.cs:Zeile 3.",
                "System.IO.IOException: Datei belegt",
            ),
            (
                "panic: index out of range [7]\n\ngoroutine 19 [chan receive, 5 minutes]:\nmain.run(0xc000)\n\t/app/a.go:7 +0x1d\nexit status 2",
                "panic: index out of range [7]",
            ),
            (
                "goroutine 1 [running]:\nmain.main()\n\t/app/a.go:7",
                "goroutine 1 [running]:",
            ),
            (
                "thread 'main' panicked at src/a.rs:1:2:\nbad page\nstack backtrace:\n   0: kb::read\n             at /src/a.rs:3:4",
                "thread 'main' panicked at src/a.rs:1:2:\nbad page",
            ),
            (
                "/app/x.rb:3:in `read': bad page (RuntimeError)\n\tfrom /app/y.rb:7:in `run'\n\tfrom /app/z",
                "/app/x.rb:3:in `read': bad page (RuntimeError)",
            ),
            (
                "PHP Fatal error: Uncaught Exception: bad page\nStack trace:\n#0 {main}\n  thrown in /srv/x.php on line 3",
                "PHP Fatal error: Uncaught Exception: bad page",
            ),
            (
                "Exception: bad page\n#0 /srv/y.php(12): run()\n#1 [internal function]: a\n#2 {main}\n  thrown in /srv/x.php on line 3",
                "Exception: bad page",
            ),
            (
                "Segmentation fault\n#0  0x00007f12 in FPDF_Load () from /usr/lib/libpdfium.so\n#12 main () at main.c:3",
                "Segmentation fault",
            ),
            (
                "Segmentation fault\n/usr/lib/libpdfium.so(FPDF_Load+0x1f) [0x7f12]\n/usr/lib/libc.so.6(+0x3) [0x7f13]",
                "Segmentation fault",
            ),
        ]);
    }

    #[test]
    fn the_last_cause_is_the_reason_of_a_stack() {
        let frames = "\tat a.B.c(B.java:1)\n".repeat(500);
        let text = format!(
            "kb.Failed: job 7\n{frames}Caused by: kb.Bad: page\n{frames}Caused by: java.io.EOFException: end\r\n{frames}"
        );
        check(&[
            (&text, "Caused by: java.io.EOFException: end"),
            ("a\n\tat b.C.d(C.java)\nCaused by: ", "Caused by:"),
            (
                "a failed\nCaused by: b\nb is so",
                "a failed\nCaused by: b\nb is so",
            ),
            (
                "Error: a\n\nCaused by:\n    0: b\n    1: c",
                "Error: a\n\nCaused by:\n    0: b\n    1: c",
            ),
        ]);
    }

    #[test]
    fn lines_that_are_no_frames_stay() {
        for text in [
            "failed\nat page 3",
            "failed\n#1 bad font\n#2 bad image",
            "failed\n   в разделе 5",
            "failed\n--- page 3 ---",
            "failed\nsee [0x7f12]",
            "failed\n# Fonts (bad)",
            "failed to read\n  from the store",
            "failed\ngoroutine died",
        ] {
            assert_eq!(telling(text), text);
        }
    }

    #[test]
    fn a_frame_that_the_limit_cuts_is_left_out() {
        let text = format!("bad page\n{}", "   at A.B()\n".repeat(1_000));
        assert_eq!(telling(&text), "bad page\n");
        let text = format!("bad page\n{}", "word ".repeat(1_000));
        assert_eq!(telling(&text).len(), READ_BYTES);
    }
}
