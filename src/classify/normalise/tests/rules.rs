//! What holds for any text, above all for texts that are written to break it.

use proptest::prelude::*;
use proptest::sample::select;

use super::normalise;
use crate::text;

/// Parts that mean something to the normaliser, alone or beside one another.
const PIECES: [&str; 169] = [
    // Placeholders, and what is nearly one.
    "<n>",
    "<text>",
    "<time>",
    "<path>",
    "<file>",
    "<address>",
    "<url>",
    "<email>",
    "<n",
    "n>",
    "<",
    ">",
    "<>",
    "<<",
    "<i",
    "d>",
    "<N>",
    // Quotes.
    "'",
    "\"",
    "`",
    "«",
    "»",
    "„",
    "“",
    "”",
    "‘",
    "’",
    "‹",
    "›",
    "「",
    "」",
    "『",
    "《",
    "》",
    "〈",
    "\\\"",
    "\\'",
    "b'",
    "'s",
    "＂",
    "″",
    "【",
    "】",
    "〝",
    "&quot;",
    "''",
    ".pdf'n",
    "~$",
    "（",
    "）",
    " (a).pdf",
    "上午",
    "星期三",
    "dead:beef::",
    "xn--a",
    "例え.jp",
    // Joiners and punctuation.
    "/",
    "\\",
    "//",
    "\\\\",
    "://",
    ":",
    "::",
    ".",
    "..",
    ",",
    "-",
    "_",
    "+",
    "~",
    "%",
    "@",
    "#",
    "&",
    "=",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "|",
    ";",
    "!",
    "…",
    "–",
    "−",
    "*",
    "$",
    // Words.
    "a",
    "b",
    "c",
    "x",
    "T",
    "Z",
    "word",
    "may",
    "May",
    "Mon",
    "января",
    "пн",
    "г",
    "UTC",
    "ms",
    "MB/s",
    "с",
    "deadbeef",
    "cafe",
    "abcd",
    "U+",
    "\\x",
    "&#xad;",
    "==",
    "A1b2C3d4E5f6G7h8/",
    "fe80",
    "faced",
    "std",
    "http",
    "https://",
    "HTTP/",
    "C:\\",
    "localhost",
    "pdf",
    ".pdf",
    ".com",
    "example.com",
    "java.io",
    "Error",
    "other",
    "at ",
    "Traceback (most recent call last):\n",
    "File \"x\", line 1",
    "\n",
    "\r\n",
    "\n\tat x",
    // Numbers.
    "1",
    "12",
    "2026",
    "0x1f",
    "1e5",
    "12:30",
    "2026-03-01",
    "10.0.0.1",
    "e1",
    "٣",
    "１２",
    "½",
    "Ⅷ",
    "①",
    "〇",
    "๕",
    "12ms",
    // Other scripts.
    "页",
    "秒",
    "分",
    "年",
    "月",
    "报告",
    "の",
    "페이지",
    "ไทย",
    "я",
    "é",
    "e\u{301}",
    "\u{301}",
    "שלום",
    "ملف",
    "😀",
    "\u{200d}",
];

fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => select(&PIECES[..]).prop_map(str::to_owned),
        2 => Just(" ".to_owned()),
        1 => any::<char>().prop_map(String::from),
        1 => select(&["\u{1b}", "\u{202e}", "\u{200b}", "\u{fffd}", "\u{a0}", "\u{2028}", "\u{ad}"][..]).prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Long rows of few pieces, which are cut.
fn rows() -> impl Strategy<Value = String> {
    let row = (
        prop::collection::vec(select(&PIECES[..]), 1..4),
        1_usize..120,
    )
        .prop_map(|(pieces, times)| pieces.concat().repeat(times));
    prop::collection::vec(row, 1..4).prop_map(|rows| rows.concat())
}

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![4 => pieces(), 2 => rows(), 1 => any::<String>(), 1 => "\\PC{0,300}"]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn a_class_is_its_own_class(reason in texts()) {
        let class = normalise(&reason);
        prop_assert_eq!(normalise(&class), class);
    }

    #[test]
    fn a_class_is_short_safe_and_on_one_line(reason in texts()) {
        let class = normalise(&reason);
        prop_assert!(class.chars().count() <= 120, "{}", class);
        prop_assert!(!class.chars().any(text::is_unsafe), "{:?}", class);
        prop_assert!(!class.contains("  ") && class.trim() == class, "{:?}", class);
        prop_assert!(class.chars().all(|c| c == ' ' || !c.is_whitespace()), "{:?}", class);
        prop_assert_eq!(class.is_empty(), reason.trim().is_empty());
    }

    #[test]
    fn a_class_holds_no_digit(reason in texts()) {
        let class = normalise(&reason);
        prop_assert!(!class.chars().any(char::is_numeric), "{}", class);
    }

    #[test]
    fn what_a_quotation_says_makes_no_class(said in "[^'\\\\]{0,40}", other in "[^'\\\\]{0,40}") {
        let class = |said: &str| normalise(&format!("cannot open '{said}' today"));
        prop_assert_eq!(class(&said), class(&other));
    }
}

/// A part that is kept must not mean something else once its neighbour is masked or cut off.
#[test]
fn neighbours_do_not_change_what_is_kept() {
    for (reason, class) in [
        ("页b'a://", "页b'<url>"),
        ("1秒b'<n>", "<n>b'<n>"),
        ("deadbeef'https://x", "<n>'<url>"),
        ("a@java.ioя-https://x", "<email>-<url>"),
        (".pdf'n1例え.jp\\\\", "<n><address>\\\\"),
        ("例え.jp.例え.jp.例え.jp.", "<address>."),
        ("x (a).pdf\\a://", "<file>\\<url>"),
        ("x (a).pdf.页.com", "<file>.<address>"),
        ("À (a).pdf(1", "<file>(<n>"),
        ("aa\naa\naa\naa\n", "<n>"),
        ("::上午 5", "::<time> <n>"),
        ("aa aa aa aa«x»", "aa aa aa aa<text>"),
    ] {
        assert_eq!(normalise(reason), class);
        assert_eq!(normalise(class), class);
    }
    for piece in [
        "<deadbeef.x",
        "C:",
        "ab:",
        "dead:beef::",
        "::",
        "<N> 2026の.pdf.秒",
        "HTTP/1x ”",
    ] {
        for length in 100..200 {
            let cut = normalise(&piece.chars().cycle().take(length).collect::<String>());
            assert_eq!(normalise(&cut), cut, "{piece}");
        }
    }
}
