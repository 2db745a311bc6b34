//! The table of masks: they find the parts of a reason that differ from file to file.
//!
//! A text is read once, from left to right. If several rows match, the first one applies. Words are a row too, the last one,
//! so that no mask begins within a word.

use std::sync::LazyLock;

use regex_automata::meta::Regex;

use crate::classify::CLASS_CHARACTERS;
use crate::classify::line::Line;

/// A letter of a script that is written with blanks between words, or a mark above one.
const LETTER: &str = r"[A-Za-zÀ-\u{dff}\u{10a0}-\u{10ff}\u{1e00}-\u{1fff}]";

/// The same, a digit or an underscore.
const WORD: &str = r"[0-9A-Za-z_À-\u{dff}\u{10a0}-\u{10ff}\u{1e00}-\u{1fff}０-９]";

const ANY_WORD: &str = r"[0-9A-Za-z_À-\u{1fff}\u{3005}-\u{3007}\u{3040}-\u{9fff}\u{ac00}-\u{d7af}]";

/// The masks, the most particular ones first: a name, the pattern, the text that replaces a match (nothing if it stays),
/// and an example with its class. A code is a short number behind a word that says so.
#[rustfmt::skip]
static MASKS: [[&str; 5]; 18] = [
    ["placeholder", "<[a-z][a-z0-9_-]{0,30}>", "",
        "page <n> of <my-mask>", "page <n> of <my-mask>"],
    ["code", concat!(
        r"(?i:sqlstate[ :=\[(]{0,3}[0-9a-z]{5}(?-u:\b)|(?:ORA|TNS|PLS)-[0-9]{4,5}(?-u:\b)",
        r"|http(?:/[0-9](?:\.[0-9])?)?(?: error| status)?(?: code)?:? [1-5][0-9]{2}(?-u:\b)",
        r"|(?:(?:status|code|errno|exit(?:ed)?(?: with)?(?: code| status)?|(?:win|os )?error(?: ?code)?|signal|rc)(?: |[ =(\[#]{1,2}|=['\x22])",
        r"|(?:status|code|errno|exit status): ?)-?(?:0x[0-9a-f]{8}|[a-z]?[0-9]{1,5})(?-u:\b))"), "",
        "soffice exited with code 77 on page 3", "soffice exited with code 77 on page <n>"],
    ["exception", concat!(
        r"[A-Za-z_][0-9A-Za-z_]*(?:\.[A-Za-z_][0-9A-Za-z_]*)*\.[A-Z][0-9A-Za-z_]*[a-z][0-9A-Za-z_]{3,}",
        r"|[A-Z][0-9A-Za-z_]*(?:Error|Exception)(?-u:\b)"), "",
        "psycopg2.errors.UniqueViolation: Http2Error", "psycopg2.errors.UniqueViolation: Http2Error"],
    ["hardware or IPv4 address", concat!(
        r"(?i:[0-9a-f]{1,2}(?:[:-][0-9a-f]{1,2}){5,7}(?-u:\b))",
        r"|(?:[0-9A-Za-z.-]{1,63}/)?[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?:/[0-9]+|:[0-9]+)?(?-u:\b)(?: ?\([0-9A-Za-z.-]*\))?"), "<address>",
        "dial tcp db-1/10.0.12.7:6379 of 00:11:43:e3:ba:c3", "dial tcp <address> of <address>"],
    ["date", concat!(
        r"[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}(?:[T _]?[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,:][0-9]+)?)?)?(?: ?Z(?-u:\b)| ?[+-][0-9]{2}:?[0-9]{2}(?-u:\b))?",
        r"|[0-9]{1,2}[./-][0-9]{1,2}[./-](?:20)?[0-9]{2}(?-u:\b)(?:,? [0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?)?",
        "|[0-9]{2,4} ?年 ?[0-9]{1,2} ?月 ?[0-9]{1,2} ?日(?: ?[上下]午)?(?: ?[0-9]{1,2}(?::|[时時点] ?)[0-9]{1,2}分?)?"), "<time>",
        "at 2026-03-01T10:20:30.456+03:00 or 01.03.2026 10:20", "at <time> or <time>"],
    ["date with a name", concat!(
        r"(?:[A-Z][a-z]{2,8}, )?[0-9]{1,2}\.?(?: de)?[ -]{letter}{3,12}\.?(?: de)?[ -](?:19|20)[0-9]{2}(?-u:\b)",
        "(?:,? [0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?(?: GMT| UTC| [+-][0-9]{4})?",
        r"|(?i:(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? +)?(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)[a-z]* +[0-9]{1,2}(?-u:\b)",
        r",?(?: +[0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?(?: +[a-z]{3,4}(?-u:\b))?(?: +[12][0-9]{3}(?-u:\b))?)"), "<time>",
        "since Sat Jul  9 22:53:22 PDT 2005, not 6 января 2026", "since <time>, not <time>"],
    ["time of day", r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?:[.,][0-9]+)?(?-u:\b)(?: ?[ap]\.?m(?-u:\b)\.?)?", "<time>",
        "lost at 12:34 or 1:02:03.5 pm", "lost at <time> or <time>"],
    ["URL", r#"(?i:[a-z][a-z0-9+.-]{1,20}://(?:[^\s"'<>()\[\]{},;]*[^\s"'<>()\[\]{},;:.])?)"#, "<url>",
        "GET https://user@minio:9000/kb/a%20b.pdf?n=1: refused", "GET <url>: refused"],
    ["mailbox", "{word}(?:[.+-]?{word})*@{word}+(?:[.-]{word}+)+", "<email>",
        "mail to o.ps@kb.example failed", "mail to <email> failed"],
    ["IPv6 address", concat!(
        r"(?i:(?:[0-9a-f]{0,4}:){2,7}(?:[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+|[0-9a-f]{1,4}(?-u:\b))(?:%[0-9a-z]+)?",
        r"|\[(?:[0-9a-f]{0,4}:){2,7}[0-9a-f.]{0,15}(?:%[0-9a-z]+)?\](?::[0-9]+)?)"), "<address>",
        "dial tcp [fe80::1%eth0]:6379 or ::1", "dial tcp <address> or <address>"],
    ["host", concat!(
        r"localhost(?::[0-9]+)?(?-u:\b)|(?:{word}+(?:\.|-+))*{word}+\.[a-z][a-z0-9-]+:[0-9]+(?-u:\b)",
        r"|[A-Za-z][A-Za-z-]*[0-9][0-9A-Za-z-]*:[0-9]{2,5}(?-u:\b)",
        r"|(?:[a-z0-9][a-z0-9-]*\.){2,}[a-z][a-z0-9-]+(?-u:\b)"), "<address>",
        "neither vectors.prod.internal nor kb.io:80", "neither <address> nor <address>"],
    ["path of Windows",
        r#"(?:\\\\\?\\)?(?:[A-Za-z]:|\\)?\\(?:[^\\\s:*?"<>|]+(?: [^\\\s:*?"<>|]+){0,2}\\)*[^\\\s:?"<>|,;)]*"#,
        "<path>", r"C:\Program Files\a.exe and \\fs01\kb$\b.pdf are locked", "<path> and <path> are locked"],
    ["path", concat!(
        r#"(?:(?:[~.]{0,2}|\${word}+)/[^\s,;:"'<>|()\[\]{}=/]+(?:/|(?: \(?{word}+\)?)?/)?"#,
        "|{word}+(?:[-.]{word}+)*/{word}+(?:[-.]{word}+)*/)",
        r#"(?:[^\s,;:"'<>|()\[\]{}=]|'{letter}|\([^\s()]*\))*"#), "<path>",
        "no access to /данные/l'été_(1).eml, $HOME/b or kb/2026/c.pdf", "no access to <path> or <path>"],
    ["quotation", concat!(
        r#""(?:[^"\s\\]|\\.)(?:[^"\\]|\\.)*(?:"|\z)|""|''|[bru]?'(?:[^'\s\\]|\\.)(?:[^'\\]|\\.|'{letter})*(?:'|\z)"#,
        r"|`[^`]+`|[«„“‘][^»“”’]*(?:[»“”’]|\z)|[「『《〈][^」』》〉]*(?:[」』》〉]|\z)"), "<text>",
        "cannot open 'l'été 2026' of «Договор №5», try \"an", "cannot open <text> of <text>, try <text>"],
    ["value", r#"=[^\s,;=(){}\[\]"'<]+"#, "=<value>",
        "rhost=kb.io user=root code=5", "rhost=<value> user=<value> code=5"],
    ["file", concat!(
        r"(?:~\$)?{any-word}+(?:[-.+~]+{any-word}+)*(?: ?[(（][^()（）\r\n]{1,12}[)）](?:[-.+]*{any-word}+)*)?",
        r"\.+(?:[a-z][a-z0-9]{1,3}|[0-9][a-z]|[A-Z]{3,4})(?-u:\b)"), "<file>",
        "cannot read report_v2 (1).docx", "cannot read <file>"],
    ["number or id", concat!(
        r"(?:(?:{letter}|_)(?:{letter}|_|(?:[-/\\@+#$*~%&^]+|\.){word})*[-/\\@+#$*~%&^]*\.?|[-/\\@+#$*~%&^±№.]{0,2})",
        "[0-9٠-٩۰-۹０-９]",
        r"(?:{word}|[.:,][0-9]|(?:[-_/\\@+:#$*~%&^]+|\.){word})*(?: ?%)?|[0-9a-fA-F]{8,}(?-u:\b)"), "<n>",
        "page 7–9 of req_01ab-7c took 1,024.5ms, pid 12", "page <n> of <n> took <n>, pid <n>"],
    ["word", "{letter}+(?:['’]{letter}*|[-./]{letter}+)*|_+", "",
        "don't read the users' files", "don't read the users' files"],
];

static TABLE: LazyLock<Regex> = LazyLock::new(|| {
    let patterns = MASKS.map(|[_, pattern, ..]| {
        let pattern = pattern.replace("{letter}", LETTER);
        let pattern = pattern.replace("{word}", WORD);
        pattern.replace("{any-word}", ANY_WORD)
    });
    Regex::new_many(&patterns).expect("each row is compiled by the tests")
});

/// A text with the matches of the masks replaced, up to the maximum length of a class.
pub(super) fn masked(text: &str) -> String {
    let mut line = Line::default();
    let mut read = 0;
    for found in TABLE.find_iter(text) {
        line.text(&text[read..found.start()]);
        match MASKS[found.pattern().as_usize()] {
            [_, _, "", ..] => line.word(&text[found.range()]),
            [_, _, placeholder, ..] => line.placeholder(placeholder),
        }
        read = found.end();
        if line.is_full() {
            return line.finish(CLASS_CHARACTERS);
        }
    }
    line.text(&text[read..]);
    line.finish(CLASS_CHARACTERS)
}

#[cfg(test)]
mod tests;
