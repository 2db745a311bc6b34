//! Tracebacks of Python.

/// Stands above a traceback.
const HEADER: &str = "Traceback (most recent call last)";

/// Begins a frame.
const FRAME: &str = "File \"";

/// Goes on in a frame behind its path.
const PLACE: &str = ", line ";

/// Signs that draw the tree of a group of exceptions.
const TREE: [char; 3] = ['|', '+', '-'];

/// Whether a text may hold a traceback, with its header or without.
pub(super) fn may_be_traceback(text: &str) -> bool {
    text.contains(HEADER) || text.contains(FRAME)
}

/// The line of a traceback that names the exception: the first one behind the last frame and its source. It is the last line
/// as well, unless the exception explains itself in several. Of a group of exceptions it is the last one that has a frame.
///
/// A traceback that is cut within its frames is its first line; one without frames, its last.
pub(super) fn exception(text: &str) -> Option<&str> {
    let mut lines = text.trim().lines();
    let mut exception = None;
    let mut frame = None;
    let mut is_framed = false;
    for line in text.lines() {
        let told = line.trim_start_matches(is_indentation);
        let indentation = line.len() - told.len();
        if is_frame(told) {
            frame = Some(indentation);
            is_framed = true;
        } else if !told.is_empty() && frame.is_some_and(|frame| indentation < frame.max(1)) {
            exception = Some(told);
            frame = None;
        }
    }
    if exception.is_some() {
        exception
    } else if is_framed {
        lines.next()
    } else if text.contains(HEADER) {
        lines.next_back().map(str::trim_start)
    } else {
        None
    }
}

fn is_indentation(character: char) -> bool {
    character.is_whitespace() || TREE.contains(&character)
}

/// Whether a line without its indentation is a frame (`File "…", line 12`), or the start of one.
fn is_frame(told: &str) -> bool {
    let Some(path) = told.strip_prefix(FRAME) else {
        return false;
    };
    let place = path.split_once('"').map_or("", |(_, place)| place);
    place.starts_with(PLACE) || PLACE.starts_with(place)
}

#[cfg(test)]
mod tests {
    use super::super::telling;
    use super::super::tests::check;

    /// Frames of a Python traceback, with their source.
    const FRAMES: &str =
        "  File \"/app/worker.py\", line 12, in run\n    with open(p) as f:\n         ~~~~^^^\n";

    fn traceback(end: &str) -> String {
        format!("Traceback (most recent call last):\n{FRAMES}{FRAMES}{end}")
    }

    #[test]
    fn a_traceback_is_its_exception_however_long_it_is() {
        let frames = FRAMES.repeat(500);
        let text = format!(
            "Traceback (most recent call last):\n{frames}zipfile.BadZipFile: not a zip file\n\n"
        );
        assert_eq!(telling(&text), "zipfile.BadZipFile: not a zip file");
        let text = format!(
            "job failed: Traceback (most recent call last):\r\n{}KeyError\r\n",
            frames.replace('\n', "\r\n")
        );
        assert_eq!(telling(&text), "KeyError");
    }

    #[test]
    fn what_an_exception_adds_below_its_line_is_not_read() {
        for (end, exception) in [
            (
                "sqlalchemy.exc.IntegrityError: (psycopg2.Error) duplicate\n[SQL: INSERT]\n(Background on this error at: https://sqlalche.me/e/20/gkpj)\n",
                "sqlalchemy.exc.IntegrityError: (psycopg2.Error) duplicate",
            ),
            (
                "httpx.HTTPStatusError: Client error '429'\nFor more information check: https://httpstatuses.com/429",
                "httpx.HTTPStatusError: Client error '429'",
            ),
            (
                "pydantic_core.ValidationError: 1 validation error for Chunk\ntext\n  Field required\n    For further information visit https://errors.pydantic.dev/2.5/v/missing\n",
                "pydantic_core.ValidationError: 1 validation error for Chunk",
            ),
            (
                "RuntimeError: CUDA error: device-side assert triggered\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n\n",
                "RuntimeError: CUDA error: device-side assert triggered",
            ),
            (
                "psycopg2.errors.UniqueViolation: duplicate key\nDETAIL:  Key (id)=(7) already exists.\n",
                "psycopg2.errors.UniqueViolation: duplicate key",
            ),
            (
                "psycopg2.errors.UndefinedTable: no chunks\nLINE 1: SELECT * FROM chunks\n                      ^\n",
                "psycopg2.errors.UndefinedTable: no chunks",
            ),
            (
                "  [Previous line repeated 96 more times]\nRecursionError: too deep",
                "RecursionError: too deep",
            ),
            (
                "KeyError: 'a'\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File \"a.py\", line 1\nkb.BadFile: b\nnote",
                "kb.BadFile: b",
            ),
        ] {
            assert_eq!(telling(&traceback(end)), exception);
        }
    }

    #[test]
    fn a_group_of_exceptions_is_its_last_one() {
        let group = r#"  + Exception Group Traceback (most recent call last):
  |   File "/app/run.py", line 3, in <module>
  |     raise ExceptionGroup("many", errors)
  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/app/a.py", line 7, in read
    |     read(page)
    | ValueError: page 7 is broken
    +------------------------------------
"#;
        assert_eq!(telling(group), "ValueError: page 7 is broken");
        let without_frames = group.replace("File \"/app/a", "").replace("Traceback", "");
        let exception = "ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)";
        assert_eq!(telling(&without_frames), exception);
    }

    #[test]
    fn a_part_of_a_traceback_is_read_as_one() {
        check(&[
            (
                "File \"a.py\", line 3, in run\n    run()\nKeyError",
                "KeyError",
            ),
            ("failed\n  File \"a.py\", line 3\nKeyError", "KeyError"),
            (
                "job 7: Traceback (most recent call last):\n  File \"a.py\", line 3, in run\n    ru",
                "job 7: Traceback (most recent call last):",
            ),
            (
                "Traceback (most recent call last):\n  File \"/ap",
                "Traceback (most recent call last):",
            ),
            (
                "Traceback (most recent call last):\n  File \"a.py\", li",
                "Traceback (most recent call last):",
            ),
            ("Traceback (most recent call last):\nKeyError\n", "KeyError"),
            (
                "a\n  File \"x\", line 1\nKeyError: 'a'\n\nTraceback\n  File \"a\", line 3",
                "KeyError: 'a'",
            ),
            (
                "File \"a.pdf\" is bad\nFile \"b.pdf\", too",
                "File \"a.pdf\" is bad\nFile \"b.pdf\", too",
            ),
        ]);
    }
}
