//! Reasons of several lines and wrapped ones.

use super::*;

fn of(reason: &str) -> String {
    sentence(reason).0
}

fn check(cases: &[(&str, &str)]) {
    for (reason, part) in cases {
        assert_eq!(of(reason).trim_end(), *part, "{reason}");
    }
}

#[test]
fn no_structure_is_found_in_nothing() {
    for reader in &READERS.rows {
        assert_eq!(reader.said(""), None, "{}", reader.name);
    }
}

#[test]
fn a_stack_of_python_is_its_exception() {
    let frames =
        "  File \"/app/worker.py\", line 12, in run\n    with open(p) as f:\n         ~~~~^^^\n"
            .repeat(500);
    let exception = "sqlalchemy.exc.IntegrityError: (psycopg2.Error) duplicate";
    let text =
        format!("job: Traceback (most recent call last):\n{frames}{exception}\n[SQL: INSERT]\n");
    assert_eq!(of(&text), exception);
    assert_eq!(of(&text.replace('\n', "\r\n")), exception);
    assert_eq!(of(&text.replace('\n', "\\n")), exception);
    check(&[
        (
            "KeyError: 'a'\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File \"a.py\", line 1\nkb.BadFile: b\nnote",
            "kb.BadFile: b",
        ),
        (
            "  + Exception Group Traceback (most recent call last):\n  |   File \"/app/run.py\", line 3, in <module>\n  | ExceptionGroup: 1 sub-exception\n  +-+---------------- 1 ----------------\n    | Traceback (most recent call last):\n    |   File \"/app/a.py\", line 7, in read\n    |     read(page)\n    | ValueError: page 7 is broken\n    +------------------------------------\n",
            "ValueError: page 7 is broken",
        ),
        ("failed\n  File \"a.py\", line 3\nKeyError", "KeyError"),
        ("Traceback (most recent call last):\nKeyError\n", "KeyError"),
        (
            "File \"a.pdf\" is bad\nFile \"b.pdf\", too",
            "File \"b.pdf\", too",
        ),
    ]);
}

#[test]
fn a_stack_of_java_is_its_last_cause() {
    check(&[(
        "TikaException: Unexpected\n\tat a.B.c(B.java:304)\nCaused by: java.io.IOException: Missing root\n\tat a.B(B.java:1)\n\t... 12 more",
        "java.io.IOException: Missing root",
    )]);
}

#[test]
fn frames_are_left_out_of_other_texts() {
    check(&[
        (
            "IOException: broken\n\tat a.B.c(B.java:1)\n\t... 12 more",
            "IOException: broken",
        ),
        (
            "Error: broken\n    at async run (/app/a.js:1:2)\n    at x (a.js:7:1)",
            "Error: broken",
        ),
        ("broken\\n\\tat a.B.c(B.java:1)\\n\\tat d.E", "broken"),
        ("broken\r\tat a.B.c(B.java:1)\r", "broken"),
        (
            "a.rb:1:in 'run': broken (KeyError)\n\tfrom a.rb:2:in 'main'",
            "a.rb:1:in 'run': broken (KeyError)",
        ),
        (
            "Ошибка: нет\n   в Kb.Reader.Read(String path)\n--- Конец трассировки стека ---",
            "Ошибка: нет",
        ),
        (
            "panic: broken\n\ngoroutine 1 [running]:\nmain.main()\n\t/a.go:8",
            "panic: broken",
        ),
        (
            "PHP Fatal error: broken\nStack trace:\n#0 /srv/a.php(12): run()",
            "PHP Fatal error: broken",
        ),
        (
            "thread 'main' panicked at broken\nstack backtrace:\n   0: rust_begin_unwind",
            "thread 'main' panicked at broken",
        ),
        ("two\nlines at work", "lines at work"),
    ]);
}

#[test]
fn the_failure_of_a_log_or_a_database_is_its_line() {
    check(&[
        (
            "Error: index\n\nCaused by:\n    0: store\n    1: disk is full\n\nStack backtrace:\n   0: main\n   1: run",
            "disk is full",
        ),
        (
            "{\"level\":\"info\",\"msg\":\"open\"}\n{\"level\":\"error\",\"msg\":\"embed failed\",\"err\":\"no room\"}\n{\"level\":\"info\",\"msg\":\"bye\"}",
            "embed failed: no room",
        ),
        (
            "level=info msg=open\nlevel=error msg=\"embed failed\" err=\"no room\"\nlevel=info msg=bye",
            "embed failed: no room",
        ),
        (
            "ERROR:  null value in column \"a\" violates not-null constraint\nDETAIL:  Failing row contains (7, Winter).",
            "ERROR:  null value in column \"a\" violates not-null constraint",
        ),
        ("b'disk is full'", "disk is full"),
    ]);
}

#[test]
fn what_follows_the_middle_of_a_long_text_begins_behind_a_sign() {
    let middle = format!(
        "{} password: {}, lost",
        "word ".repeat(7_000),
        "secret".repeat(5_460)
    );
    assert!(middle.len() > SEARCHED_BYTES);
    let searched = searched(&middle);
    assert!(
        searched.ends_with("\n, lost"),
        "{}",
        &searched[searched.len() - 50..]
    );
}

#[test]
fn a_wrapped_reason_is_what_it_says() {
    check(&[
        (" \"OCR engine crashed\"\n", "OCR engine crashed"),
        ("'can not open it'", "can not open it"),
        ("«Файл повреждён»", "Файл повреждён"),
        (r#""cannot open \"a.pdf\"""#, r#"cannot open \"a.pdf\""#),
        (r#"{"error":"file is protected"}"#, "file is protected"),
        (
            r#"{"error":{"message":"too long","type":"invalid"}}"#,
            "too long",
        ),
        (
            r#"{"detail":[{"loc":["body",3],"msg":"field required"}]}"#,
            "field required",
        ),
        (
            r#"{"error":true,"message":" ","reason":"no space left"}"#,
            "no space left",
        ),
        (r#"{"code":429}"#, "code 429"),
        (r#"{"error":"cut o"#, "cut o"),
        (r#"{"error":"{\"error\":\"inner\"}"}"#, "inner"),
        (r#"{"detail":"a failed\n\tat b.C.d(C.java)"}"#, "a failed"),
    ]);
    for text in [
        "'chunk_7'",
        "'a.pdf' is not 'b.pdf'",
        "\"a\" \"b\"",
        "'",
        "{}",
        "{x} is missing",
    ] {
        assert_eq!(of(text), text);
    }
}

#[test]
fn no_more_is_read_than_needed_and_no_path_is_broken() {
    assert_eq!(of(&"я".repeat(10_000)).len(), READ_BYTES);
    assert_eq!(of(&format!("{}word", " ".repeat(10_000))), "word");
    let frames = "\n\tat kb.Reader.read(Reader.java:7)".repeat(1_000);
    for length in READ_BYTES..READ_BYTES + 50 {
        assert_eq!(of(&format!("failed{}", &frames[..length])), "failed");
    }
    let deep = format!("{}1{}", r#"{"error":"#.repeat(200), "}".repeat(200));
    assert_eq!(of(&deep), deep);
    for text in [
        r"cannot open C:\new\temp\report.pdf",
        r"cannot open \\fs\nroot\temp",
    ] {
        assert_eq!(of(text), text);
    }
}
