//! The examples of the table, what distinguishes causes, and what must hold of any text.

use std::hint::black_box;
use std::time::Duration;

use proptest::prelude::*;
use proptest::sample::select;
use rustix::time::{ClockId, clock_gettime};

use super::*;
use crate::classify::Classifier;
use crate::text;

fn class(reason: &str) -> String {
    Classifier::default()
        .explain(Some(reason))
        .class
        .to_string()
}

/// Every value makes the same class of a message.
fn check(message: &str, expected: &str, values: &str) {
    for value in values.split(" | ").map(str::trim) {
        assert_eq!(class(&message.replace("{}", value)), expected, "{value}");
    }
}

/// Each line stays what it is.
fn stays(lines: &str) {
    for line in lines.trim().lines().map(str::trim) {
        assert_eq!(class(line), line);
    }
}

#[test]
fn each_row_does_what_its_example_says() {
    for Row { name, example, .. } in &*ROWS {
        let (reason, expected) = example.split_once('\t').unwrap();
        assert_eq!(class(reason), expected, "{name}");
    }
}

#[test]
fn what_distinguishes_causes_stays() {
    stays(
        "SQLSTATE 23505
        SQLSTATE[42P01]
        SQLSTATE: HY000
        ORA-01653: unable to extend table
        TNS-12541
        HTTP 502
        HTTP/1.1 503 Service Unavailable
        HTTP status 404
        HTTP error 500
        status 502
        status=503
        status: 200
        status code 429
        error 13
        error code: 0x80070005
        code E42
        code=-1
        errno 28
        [Errno 2] No such file or directory
        [WinError 5] Access is denied
        Permission denied (os error 13)
        exit code 137
        exit status 1
        exited with code 77
        killed by signal 9
        connect ECONNREFUSED
        EACCES: permission denied
        java.io.IOException: zipfile.BadZipFile
        psycopg2.errors.UniqueViolation
        urllib3.exceptions.MaxRetryError
        libGL.so.1: cannot open shared object file
        Unsupported filter /JBIG2Decode
        PDF version 1.7 is not supported
        curl: (6) Could not resolve host
        received fatal TLS alert 40
        Http2Error at Utf8Error",
    );
}

#[test]
fn what_differs_from_file_to_file_is_one_class_each() {
    check(
        "object {} lost",
        "object <n> lost",
        "12345678 | 1234567a | deadbeef | 0e8d9ba5-6a5a-4d53-b2a1-3a3f6d9a1b22 | -5 | req_0123 | 0xdead | 1,024 | ERR-7 | node7 | ٣٠ \
         | puG+R5zrxKwO0fwAvQcxVQ | worker-bxmhq | 23'123 | 2.6.8-rc1 | １２ | 50% | 50 % | 1e-6 | 12ms | 12 ms | 1h30m | 12 МБ",
    );
    check(
        "connect to {} at once",
        "connect to <address> at once",
        "10.0.0.1 | 10.0.0.1:30484 | 10.0.0.0/8 | db-1.prod/10.0.0.1:80 | 10.0.0.1 (db.prod) | ::1 | ::ffff:10.0.0.1 | [fe80::1]:80 \
         | fe80::1%eth0 | 2001:db8::8a2e:370:7334 | 00:11:22:33:44:55 | localhost | localhost:80 | kb.io:443 | es01.prod.internal \
         | r6---sn-7.example.com:443 | es01:9200 | db-1:5432",
    );
    check(
        "expired {}, see log",
        "expired <time>, see log",
        "2026-03-01 | 2026-03-01T10:20:30Z | 2026/03/01 10:20 | 01.03.2026 10:20 | 03/01/26 | 6 September 2026 | 6 May 2026 \
         | 10. Oktober 2027 | 14 de octubre de 2027 | 26 січня 2028 | Mon, 02 Mar 2026 15:04:05 GMT | Mar  2 15:04:05 2026 \
         | March 2, 2026 | 10:20 | 10:20:30.5 | 10:20 p.m. | 5/1/2024 3:04:05 PM | 2026年3月1日 下午3点20分 | 2026 年 3 月 1 日",
    );
    check(
        "cannot read {}: denied",
        "cannot read <path>: denied",
        r"/var/lib/a.pdf | /отчёт/Договор_v0.8.csv | D:\Положение об отделе\о_2.PDF | \\?\C:\kb\a.pdf | $HOME/a/b.pdf | ~/a | ./a/b | /附件（一）_1/план_🚀.docx | kb/2026/a.pdf | /a b/c.pdf | /tmp",
    );
    check(
        "{} already exists",
        "<file> already exists",
        "report.pdf | report (1).pdf | Акт_сверки_(копия)_v0.2.msg | отчёт_16.xlsx | ~$a.docx | a.7z | SCAN.PDF | 报告.pdf | minutes/may.docx | docs/intro.md",
    );
    check(
        "file {} is damaged",
        "file <text> is damaged",
        "'a b' | \"a b\" | 'l'été 2026' | `a` | «a b» | „a b“ | “a b” | 「a」 | 《a b》 | b'%PDF-' | b'PK\\x03' | \"a \\\" b\" | ''",
    );
    check(
        "file {}",
        "file <text>",
        "'Annual rep | \"x | «Отч | 'a \\'b",
    );
    check(
        "user={} failed",
        "user=<value> failed",
        "root | 7 | a.b@c | /tmp/x",
    );
}

/// Parts that mean something to a mask, alone or beside one another.
const PIECES: &str = r#"<n> <text> < > << ' " ` « » „ “ ’ 「 《 \" \' b' / \ // \\ :// : :: . .. , - _ + ~ % @ # & = ( ) [ ] { } | ;
    … – $ a b T Z word may Mon января г ms deadbeef U+ &#x fe80 http https:// HTTP/ C:\ localhost .pdf example.com java.io Error code
    sqlstate other \n {"error":" 1 12 2026 0x1f 1e5 12:30 2026-03-01 10.0.0.1 ٣ 页 年 報告 é 😀 Traceback File"#;

fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => select(PIECES.split_whitespace().collect::<Vec<_>>()).prop_map(str::to_owned),
        2 => select(&[" ", "\n", "\r", "\n\tat x", "\u{301}"][..]).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
        1 => select(&["\u{1b}", "\u{202e}", "\u{200b}", "\u{a0}", "\u{2028}"][..]).prop_map(str::to_owned),
    ];
    let pieces = (
        prop::collection::vec(piece, 0..40),
        prop_oneof![Just(1), 1_usize..60],
    );
    pieces.prop_map(|(pieces, times)| pieces.concat().repeat(times))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn a_class_is_short_safe_and_on_one_line(reason in texts()) {
        let class = class(&reason);
        prop_assert!(class.chars().count() <= CLASS_CHARACTERS, "{}", class);
        prop_assert!(!class.chars().any(text::is_unsafe), "{:?}", class);
        prop_assert!(!class.contains("  ") && class.trim() == class, "{:?}", class);
        prop_assert!(class.chars().all(|c| c == ' ' || !c.is_whitespace()), "{:?}", class);
        // Where breaks are written with backslashes, they may be all that is said.
        let is_said = !["\\r", "\\n", "\\t"].iter().fold(reason.clone(), |text, mark| text.replace(mark, "")).trim().is_empty();
        prop_assert!(class == "unspecified" || !reason.trim().is_empty(), "{:?}", reason);
        prop_assert!(class != "unspecified" || !is_said, "{:?}", reason);
    }

    /// On one line: of several, those that look like a stack are left out before.
    #[test]
    fn what_a_quotation_says_makes_no_class(quoted in "[^'\\\\\\s][^'\\\\\n\r]{0,40}", other in "[^'\\\\\\s][^'\\\\\n\r]{0,40}") {
        let class = |quoted: &str| class(&format!("cannot open '{quoted}' today"));
        prop_assert_eq!(class(&quoted), class(&other));
    }
}

/// What this thread took of a processor so far: other work on the machine does not count.
fn processor_time() -> Duration {
    clock_gettime(ClockId::ThreadCPUTime).try_into().unwrap()
}

/// The least of a few measurements of what a repeated text costs.
fn cost(unit: &str, length: usize) -> Duration {
    let text: String = unit.chars().cycle().take(length).collect();
    let measure = |_| {
        let start = processor_time();
        black_box(class(black_box(&text)));
        processor_time().saturating_sub(start)
    };
    (0..5).map(measure).min().unwrap()
}

#[test]
fn what_a_text_costs_grows_as_its_length() {
    const UNITS: &str = r#":|1:|ab:|Mon |may |1 Jan |'|"|'a |«|/a |/a|a/|(|$|C:\|\a b |a@|b.|a-|=|=a|.pdf|1|12 |dead|1.|1a:1g:|年|http://"#;
    let units = || UNITS.split('|');
    let pairs = units().flat_map(|first| units().map(move |second| [first, second].concat()));
    for unit in pairs {
        // What is quadratic costs 64 times as much for the long text.
        let is_linear = || {
            let long = cost(&unit, 8 * 512);
            long < Duration::from_micros(500) || long < cost(&unit, 512) * 24
        };
        assert!(is_linear() || is_linear() || is_linear(), "{unit:?}");
    }
}
