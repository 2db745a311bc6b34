//! Line breaks that are written in another way than as a line feed.

use std::borrow::Cow;

/// Begins a traceback of Python in one line. All that is written as a line break in it is one.
const TRACEBACK: &str = "Traceback (most recent call last):\\n ";

/// Whether a text may hold a line break, in whatever way it is written.
pub(super) fn may_be_in(text: &str) -> bool {
    // Without a way out of the loop, the compiler compares many bytes at once.
    text.bytes().fold(false, |found, byte| {
        found | matches!(byte, b'\n' | b'\r' | b'\\')
    })
}

/// A text, which begins with no white space, with line feeds for carriage returns, and for line breaks and tabs that are written
/// with a backslash. Where it holds nothing else, it is the first of them as it is written.
pub(super) fn unified(text: &str) -> Cow<'_, str> {
    if !text.contains(['\\', '\r']) {
        return Cow::Borrowed(text);
    }
    let unified = with_line_feeds(text);
    if unified.trim().is_empty() {
        Cow::Borrowed(&text[..2])
    } else {
        Cow::Owned(unified)
    }
}

fn with_line_feeds(text: &str) -> String {
    let is_traceback = text.contains(TRACEBACK);
    let mut unified = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(place) = rest.find(['\\', '\r']) {
        let (before, from) = rest.split_at(place);
        unified.push_str(before);
        let (length, meaning) = match written(&unified, from, is_traceback) {
            Some(character) => (2, character),
            None if from.starts_with('\r') => (1, '\n'),
            None => (1, '\\'),
        };
        unified.push(meaning);
        rest = &from[length..];
    }
    unified + rest
}

/// What a backslash stands for with the letter behind it, where the two are a line break or a tab.
fn written(before: &str, from: &str, is_traceback: bool) -> Option<char> {
    let meaning = match from.get(..2)? {
        "\\n" | "\\r" => '\n',
        "\\t" => '\t',
        _ => return None,
    };
    let is_escaped = before.ends_with('\\');
    (!is_escaped && (is_traceback || is_break(before, &from[2..]))).then_some(meaning)
}

/// Whether a break that is written between two texts is one, and not a part of a Windows path (`kb\new\temp`): it follows on
/// another one, or nothing comes that the name of a folder goes on with.
fn is_break(before: &str, after: &str) -> bool {
    let mut after = after.chars();
    let goes_on = match after.next() {
        Some('\\') => !matches!(after.next(), Some('n' | 'r' | 't')),
        // A class has a placeholder where a name began, or is cut there.
        Some(next) => matches!(next, 'a'..='z' | '0'..='9' | '_' | '.' | '<' | '…'),
        None => false,
    };
    !goes_on || before.ends_with(['\n', '\t'])
}

#[cfg(test)]
mod tests {
    use super::super::telling;
    use super::super::tests::check;

    #[test]
    fn a_line_break_may_be_written_in_another_way() {
        check(&[
            (
                r"Connection failed\nRetry later",
                "Connection failed\nRetry later",
            ),
            (
                r"Ошибка:\nпопробуйте\r\nпозже",
                "Ошибка:\nпопробуйте\n\nпозже",
            ),
            (r"failed \n", "failed"),
            (r"failed\n\tat a.B.c(B.java:1)\n\tat d.E", "failed"),
            ("failed\r\tat a.B.c(B.java:1)\r\tat d.E", "failed"),
            ("failed\r\n\tat a.B.c(B.java:1)\r\n", "failed"),
            (r"\nRetry later", "Retry later"),
            (r"'failed\nRetry later'", "failed\nRetry later"),
            (r" \t\n \t", r"\t"),
        ]);
        let traceback = "Traceback (most recent call last):\n  File \"a.py\", line 3, in run\nkb.BadFile: not a file";
        for line_break in ["\r", "\\n", "\\r\\n"] {
            let text = traceback.replace('\n', line_break);
            assert_eq!(telling(&text), "kb.BadFile: not a file");
        }
        let windows =
            r#"Traceback (most recent call last):\n  File "C:\\new\\a.py", line 3\nkb.BadFile"#;
        assert_eq!(telling(windows), "kb.BadFile");
    }

    #[test]
    fn a_path_holds_no_line_break() {
        for text in [
            r"cannot open C:\new\temp\report.pdf",
            r"cannot open kb\new\7.pdf",
            r"cannot open \\fs\root\temp",
            r"cannot open \temp\a.pdf",
            r"cannot open kb\plan_(old)\report.pdf",
            r"cannot open C:\t\Report.docx",
            r"cannot open D:\r2026\n_1",
            r"cannot open C:\\new\\Temp",
            r"\n",
            r"the end is \",
        ] {
            assert_eq!(telling(text), text);
        }
    }
}
