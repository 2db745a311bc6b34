//! The table of masks: what differs from file to file in a reason, told by its shape alone.
//!
//! A text is read once from left to right. Where several masks fit at a place, the first of the table applies. Words are a row too, the
//! last one, so that no mask begins within a word.

use std::sync::LazyLock;

use regex_automata::meta::Regex;

use crate::classify::line::Line;

/// One row of the table.
struct Row {
    /// What it stands for.
    #[cfg_attr(not(test), expect(dead_code, reason = "says what a row is for"))]
    name: &'static str,
    /// What it fits.
    pattern: &'static str,
    /// What is written instead; none where the text stays.
    placeholder: Option<&'static str>,
    /// A text and its class: the test of the row.
    #[cfg_attr(not(test), expect(dead_code, reason = "the test of a row"))]
    example: [&'static str; 2],
}

/// A letter of a script that is written with blanks between words, or a mark above one.
macro_rules! letter {
    () => {
        r"[A-Za-zÀ-\u{dff}\u{10a0}-\u{10ff}\u{1e00}-\u{1fff}]"
    };
}

/// The same, a digit or an underscore.
macro_rules! word {
    () => {
        r"[0-9A-Za-z_À-\u{dff}\u{10a0}-\u{10ff}\u{1e00}-\u{1fff}０-９]"
    };
}

/// The same of any script.
macro_rules! any_word {
    () => {
        r"[0-9A-Za-z_À-\u{1fff}\u{3005}-\u{3007}\u{3040}-\u{9fff}\u{ac00}-\u{d7af}]"
    };
}

/// A number that is short enough to be a code, and not an amount or an id.
macro_rules! code {
    () => {
        r"-?(?:0x[0-9a-f]{8}|[a-z]?[0-9]{1,5})(?-u:\b)"
    };
}

/// A row that writes a placeholder.
const fn mask(
    name: &'static str,
    pattern: &'static str,
    placeholder: &'static str,
    example: [&'static str; 2],
) -> Row {
    Row {
        name,
        pattern,
        placeholder: Some(placeholder),
        example,
    }
}

/// A row that protects a text from the rows below.
const fn keep(name: &'static str, pattern: &'static str, example: [&'static str; 2]) -> Row {
    Row {
        name,
        pattern,
        placeholder: None,
        example,
    }
}

/// The masks, the most particular ones first.
const MASKS: [Row; 26] = [
    keep(
        "placeholder",
        r"<[a-z][a-z0-9_-]{0,30}>",
        ["page <n> of <my-mask>", "page <n> of <my-mask>"],
    ),
    keep(
        "SQLSTATE",
        r"(?i:sqlstate[ :=\[(]{0,3}[0-9a-z]{5}(?-u:\b))",
        ["SQLSTATE[42P01]: no table 7", "SQLSTATE[42P01]: no table <n>"],
    ),
    keep(
        "HTTP status",
        r"(?i:http(?:/[0-9](?:\.[0-9])?)?(?: error| status)?(?: code)?:? [1-5][0-9]{2}(?-u:\b))",
        ["HTTP/1.1 502 from node 7", "HTTP/1.1 502 from node <n>"],
    ),
    keep(
        "code after a word",
        concat!(
            r"(?i:(?:status|code|errno|exit(?:ed)?(?: with)?(?: code| status)?|(?:win|os )?error(?: ?code)?|signal|rc)(?: |[ =(\[#]{1,2}|=['\x22])",
            code!(),
            ")"
        ),
        ["soffice exited with code 77 on page 3", "soffice exited with code 77 on page <n>"],
    ),
    keep(
        "code after a colon",
        concat!(r"(?i:(?:status|code|errno|sqlcode|exit status): ?", code!(), ")"),
        ["status code: 503, page 3", "status code: 503, page <n>"],
    ),
    keep(
        "code with its maker",
        r"(?:ORA|TNS|PLS|SQL)-[0-9]{4,5}(?-u:\b)",
        ["ORA-01653: unable to extend by 128", "ORA-01653: unable to extend by <n>"],
    ),
    keep(
        "exception",
        concat!(
            r"[A-Za-z_][0-9A-Za-z_]*(?:\.[A-Za-z_][0-9A-Za-z_]*)*\.[A-Z][0-9A-Za-z_]*[a-z][0-9A-Za-z_]{3,}",
            r"|[A-Z][0-9A-Za-z_]*(?:Error|Exception)(?-u:\b)"
        ),
        ["psycopg2.errors.UniqueViolation: Http2Error", "psycopg2.errors.UniqueViolation: Http2Error"],
    ),
    mask(
        "hardware address",
        r"(?i:[0-9a-f]{1,2}(?:[:-][0-9a-f]{1,2}){5,7}(?-u:\b))",
        "<address>",
        ["lease of 00:11:43:e3:ba:c3 ended", "lease of <address> ended"],
    ),
    mask(
        "IPv4 address",
        r"(?:[0-9A-Za-z.-]*/)?[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?:/[0-9]+|:[0-9]+)?(?-u:\b)(?: ?\([0-9A-Za-z.-]*\))?",
        "<address>",
        ["dial tcp db-1/10.0.12.7:6379: refused", "dial tcp <address>: refused"],
    ),
    mask(
        "date",
        r"[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}(?:[T _]?[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,:][0-9]+)?)?)?(?: ?Z(?-u:\b)| ?[+-][0-9]{2}:?[0-9]{2}(?-u:\b))?",
        "<time>",
        ["at 2026-03-01T10:20:30.456+03:00 lost", "at <time> lost"],
    ),
    mask(
        "date with the day first",
        r"[0-9]{1,2}[./-][0-9]{1,2}[./-](?:20)?[0-9]{2}(?-u:\b)(?:,? [0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?)?",
        "<time>",
        ["at 01.03.2026 10:20 lost", "at <time> lost"],
    ),
    mask(
        "date with a name",
        concat!(
            r"(?:[A-Z][a-z]{2,8}, )?[0-9]{1,2}\.?(?: de)?[ -]", letter!(), r"{3,12}\.?(?: de)?[ -](?:19|20)[0-9]{2}(?-u:\b)",
            r"(?:,? [0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?(?: GMT| UTC| [+-][0-9]{4})?"
        ),
        "<time>",
        ["expired Mon, 02 Mar 2026 15:04:05 GMT, not 6 января 2026", "expired <time>, not <time>"],
    ),
    mask(
        "date with the month first",
        concat!(
            r"(?i:(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? +)?(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)[a-z]* +[0-9]{1,2}(?-u:\b)",
            r",?(?: +[0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?(?: +[a-z]{3,4}(?-u:\b))?(?: +[12][0-9]{3}(?-u:\b))?)"
        ),
        "<time>",
        ["since Sat Jul  9 22:53:22 PDT 2005: lost", "since <time>: lost"],
    ),
    mask(
        "Chinese date",
        r"[0-9]{2,4} ?年 ?[0-9]{1,2} ?月 ?[0-9]{1,2} ?日(?: ?[上下]午)?(?: ?[0-9]{1,2}(?::|[时時点] ?)[0-9]{1,2}分?)?",
        "<time>",
        ["2026年3月1日 10时20分失败", "<time>失败"],
    ),
    mask(
        "time of day",
        r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?:[.,][0-9]+)?(?-u:\b)(?: ?[ap]\.?m(?-u:\b)\.?)?",
        "<time>",
        ["lost at 12:34 or 1:02:03.5 pm", "lost at <time> or <time>"],
    ),
    mask(
        "URL",
        r#"(?i:[a-z][a-z0-9+.-]{1,20}://(?:[^\s"'<>()\[\]{},;]*[^\s"'<>()\[\]{},;:.])?)"#,
        "<url>",
        ["GET https://user@minio:9000/kb/a%20b.pdf?n=1: refused", "GET <url>: refused"],
    ),
    mask(
        "mailbox",
        concat!(word!(), r"(?:[.+-]?", word!(), r")*@", word!(), r"+(?:[.-]", word!(), r"+)+"),
        "<email>",
        ["mail to o.ps@kb.example failed", "mail to <email> failed"],
    ),
    mask(
        "IPv6 address",
        r"(?i:\[?(?:[0-9a-f]{0,4}:){2,7}(?:[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+|[0-9a-f]{1,4}(?-u:\b))(?:%[0-9a-z]+)?(?:\](?::[0-9]+)?)?)",
        "<address>",
        ["dial tcp [fe80::1%eth0]:6379: timeout", "dial tcp <address>: timeout"],
    ),
    mask(
        "host",
        concat!(
            r"localhost(?::[0-9]+)?(?-u:\b)|(?:", word!(), r"+(?:\.|-+))*", word!(), r"+\.[a-z][a-z0-9-]+:[0-9]+(?-u:\b)",
            r"|(?:[a-z0-9-]+\.){2,}[a-z][a-z0-9-]+(?-u:\b)"
        ),
        "<address>",
        ["no answer of vectors.prod.internal or kb.io:80 or localhost:8001", "no answer of <address> or <address> or <address>"],
    ),
    mask(
        "path of Windows",
        r#"(?:[A-Za-z]:|\\)?\\(?:[^\\\s:*?"<>|]+(?: [^\\\s:*?"<>|]+){0,2}\\)*[^\\\s:?"<>|,;)]*"#,
        "<path>",
        [r"C:\Program Files\a.exe and \\fs01\kb$\b.pdf are locked", "<path> and <path> are locked"],
    ),
    mask(
        "path",
        concat!(
            r#"(?:[~.]{0,2}|\$"#, word!(), r#"+)/[^\s,;:"'<>|()\[\]{}=/]+(?:/|(?: \(?"#, word!(), r#"+\)?)?/)?[^\s,;:"'<>|()\[\]{}=]*"#,
            "|", word!(), "+(?:[-.]", word!(), r#"+)*/"#, word!(), "+(?:[-.]", word!(), r#"+)*/[^\s,;:"'<>|()\[\]{}=]*"#
        ),
        "<path>",
        ["no access to /данные/a.eml, $HOME/b or kb/2026/c.pdf: denied", "no access to <path> or <path>: denied"],
    ),
    mask(
        "quotation",
        concat!(
            r#""(?:[^"\s\\]|\\.)(?:[^"\\]|\\.)*(?:"|\z)|""|''"#,
            r"|'(?:[^'\s\\]|\\.)(?:[^'\\]|\\.|'", letter!(), r")*(?:'|\z)",
            r"|`[^`]+`|[«„“‘][^»“”’]*(?:[»“”’]|\z)|[「『《〈][^」』》〉]*(?:[」』》〉]|\z)"
        ),
        "<text>",
        ["cannot open 'l'été 2026' of «Договор №5», try \"an", "cannot open <text> of <text>, try <text>"],
    ),
    mask(
        "value",
        r#"=[^\s,;=(){}\[\]"'<]+"#,
        "=<value>",
        ["rhost=kb.io user=root code=5", "rhost=<value> user=<value> code=5"],
    ),
    mask(
        "file",
        concat!(
            r"(?:~\$)?", any_word!(), r"+(?:[-.+~]+", any_word!(), r"+)*(?: ?[(（][^()（）\r\n]{1,12}[)）])?\.(?:[a-z][a-z0-9]{1,3}|[A-Z]{3,4})(?-u:\b)"
        ),
        "<file>",
        ["cannot read report_v2 (1).docx", "cannot read <file>"],
    ),
    mask(
        "number or id",
        concat!(
            r"(?:", letter!(), r"|_|(?:[-/\\@+#$*~%&^]+|\.)", word!(), r")*[-/\\@+#$*~%&^±№]*\.?[0-9٠-٩۰-۹０-９]",
            r"(?:", word!(), r"|[.:,][0-9]|(?:[-_/\\@+:#$*~%&^]+|\.)", word!(), r")*(?: ?%)?",
            r"|[0-9a-fA-F]{8,}(?-u:\b)"
        ),
        "<n>",
        ["page 7–9 of req_01ab-7c took 1,024.5ms, pid 12", "page <n> of <n> took <n>, pid <n>"],
    ),
    keep(
        "word",
        concat!(letter!(), "+(?:['’]", letter!(), "*|[-./]", letter!(), "+)*|_+"),
        ["don't read the users' files", "don't read the users' files"],
    ),
];

static TABLE: LazyLock<Regex> = LazyLock::new(|| {
    let patterns = MASKS.map(|mask| mask.pattern);
    Regex::new_many(&patterns).expect("each row is compiled by the tests")
});

/// Writes a text with what the masks fit replaced, as far as there is room in a class.
pub(super) fn write(text: &str, line: &mut Line) {
    let mut read = 0;
    for found in TABLE.find_iter(text) {
        line.text(&text[read..found.start()]);
        match MASKS[found.pattern().as_usize()].placeholder {
            Some(placeholder) => line.placeholder(placeholder),
            None => line.kept(&text[found.range()]),
        }
        read = found.end();
        if line.is_full() {
            return;
        }
    }
    line.text(&text[read..]);
}

#[cfg(test)]
mod tests;
