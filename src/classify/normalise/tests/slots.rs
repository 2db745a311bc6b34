//! Slots: the same message with one part that differs from file to file is one class, whatever chance puts there.

use super::normalise;

/// Every value makes the same class of a message.
fn check(message: &str, class: &str, values: &[&str]) {
    for value in values {
        assert_eq!(normalise(&message.replace("{}", value)), class, "{value}");
    }
}

#[test]
fn an_id_is_one_class_whatever_it_looks_like() {
    check(
        "object {} lost",
        "object <n> lost",
        &[
            "12345678",
            "1234567a",
            "deadbeef",
            "abcd",
            "0e8d9ba5-6a5a-4d53-b2a1-3a3f6d9a1b22",
            "8496836731771408713",
            "job-fdecba",
            "req_0123",
            "req-badcab",
            "Mw4oJ63Tr-",
            "puG+R5zrxKwO0fwAvQcxVQ==",
            "ee8CosGC/Py8fXlZn/RU2g==",
            "/m7RwdZM73ZneTMayHrsVA==",
            "t2Lgw9W2XfP+hE+/rsi6bAx2MtRPWxm7djHcH4RsrjA=",
            "ED6A/FF94E234",
            "5461/16A60A57",
            "B6-96-8E-F9-3D-E6",
            "92-30-38-80-68-94",
            "25 50 4b e9",
            "e9 de ad be",
            "0xdead",
            "0x1f",
        ],
    );
}

#[test]
fn a_code_is_one_class_whatever_it_looks_like() {
    check(
        "SQLSTATE[{}]",
        "SQLSTATE[<n>]",
        &["23505", "42P01", "HY000"],
    );
    check("parser {}", "parser <n>", &["2.6.8", "2.6.8-rc1", "2.6b2"]);
    check("{} страницу", "<n> страницу", &["84-ю", "84-ей", "84"]);
    check(
        "character {} is not allowed",
        "character <n> is not allowed",
        &[
            "U+CFAD",
            "U+00AD",
            "\\xad",
            "\\x8c",
            "\\x03\\x04",
            "\\u00ad",
            "\\ubdef",
            "&#xafbb;",
            "&#173;",
        ],
    );
}

#[test]
fn words_of_hexadecimal_letters_stay() {
    for text in [
        "dead letter queue is full",
        "Face added to the facade, a decade faded",
        "feed faced a THREAD_DEAD",
        "no cafe, no beef",
        "id=word level=off",
    ] {
        assert_eq!(normalise(text), text);
    }
}

#[test]
fn an_address_is_one_class_in_every_form() {
    check(
        "connect ECONNREFUSED {} at once",
        "connect ECONNREFUSED <address> at once",
        &[
            "10.0.0.1",
            "10.0.0.1:30484",
            "10.0.0.0/8",
            "::1",
            "::",
            ":::80",
            "::1:10472",
            "::ffff:10.0.0.1",
            "::ffff:10.205.167.155:13147",
            "[fe80::1]:80",
            "[::]:17215",
            "dead:beef::cafe",
            "dead:beef::cafe/64",
            "fe80::866f%br-1a2b3c",
            "2001:db8::8a2e:370:7334",
            "ab:cd:ef:ab:cd:ef",
            "00:11:22:33:44:55",
        ],
    );
    for text in [
        "std::io::Error",
        "Foo::Bar",
        "a::b",
        "dead::beef",
        "::error::x",
    ] {
        assert_eq!(normalise(text), text);
    }
}

#[test]
fn a_date_is_one_class_in_every_language() {
    check(
        "expired {}, see log",
        "expired <time>, see log",
        &[
            "2026-03-01",
            "6 september 2026",
            "6 May 2026",
            "6 may 2026",
            "10. Oktober 2027",
            "Mittwoch, 5. April 2028",
            "Sonntag, den 14. November 2027",
            "20 mars 2028",
            "vendredi 3 novembre 2028 07:54",
            "14 de octubre de 2027",
            "3 de março de 2026",
            "8 giugno 2026",
            "9 sierpnia 2026",
            "26 січня 2028",
            "03/01/26 10:20",
            "01.03.26 10:20",
            "01.03.2026 10:20 p.m.",
            "2026 年 3 月 1 日",
            "2026年3月1日 上午10:20",
            "2026年3月1日下午3点20分",
            "2026年3月1日 星期三 10:20",
            "2026年3月1日",
            "星期五 10:20",
            "2026年3月1日(水) 10:20",
            "2026년 3월 1일 오후 3:20",
        ],
    );
}

#[test]
fn a_quotation_is_one_class_in_the_marks_of_every_language() {
    check(
        "file {} is damaged",
        "file <text> is damaged",
        &[
            "'a b'",
            "”a b”",
            "»a b«",
            "‟a b”",
            "″a b″",
            "＇a b＇",
            "〝a b〞",
            "❝a b❞",
            "﹁a b﹂",
            "【a b】",
            "&quot;a b&quot;",
            "&#39;a b&#39;",
            "''a b''",
            "``a b''",
            "'O''Brien'",
            "'dosya.pdf'nin",
        ],
    );
    for text in ["a 【b", "» a", "x” y ” z", "the &quot; sign", "a \\” b"] {
        assert_eq!(normalise(text), text);
    }
}

#[test]
fn hosts_and_mailboxes_are_one_class_each() {
    check(
        "host {} was not found",
        "host <address> was not found",
        &[
            "db.prod.internal",
            "db.example.com",
            "db.io",
            "node7.ai",
            "es01.example.com.br",
            "tika.gov.it",
            "例え.jp",
            "es01.例え.jp:6452",
            "minio.münchen.de:42353",
            "xn--80ak6aa92e.com",
            "x.xn--p1ai",
            "EMBEDDINGS.S3.EU-WEST-1.AMAZONAWS.COM",
            "QDRANT.ПРИМЕР.РФ",
        ],
    );
    check(
        "mail to {} failed",
        "mail to <email> failed",
        &[
            "ops@example.com",
            "用户@example.com",
            "a@b.xn--p1ai",
            "ivan@例え.jp",
        ],
    );
    for text in [
        "torch.cuda.OutOfMemoryError",
        "kb.tasks.index",
        "ASP.NET",
        "System.Text.Json",
    ] {
        assert_eq!(normalise(text), text);
    }
}

#[test]
fn paths_and_files_are_one_class_each() {
    check(
        "cannot read {}: denied",
        "cannot read <path>: denied",
        &[
            "/var/lib/a.pdf",
            "/отчёт/Договор поставки v0.8.csv",
            "D:\\Положение об отделе\\Приказ_3\\о 2.PDF",
            "\\\\?\\C:\\kb\\a.pdf",
            "$HOME/a/b.pdf",
            "/附件（一）_1/план_🚀.docx",
            "/Акт_(копия)/a&b.msg",
            "kb/附件（一）/a.pdf",
        ],
    );
    check(
        "{} already exists",
        "<file> already exists",
        &[
            "report.pdf",
            "report (1).pdf",
            "report (21).m4a",
            "Акт_сверки_(копия)_v0.2.msg",
            "附件（一）_958.pptx",
            "отчёт_16.Docx",
            "~$a.docx",
            "a.p7s",
            "a.crdownload",
        ],
    );
    for text in [
        "TCP/IP/UDP",
        "GPU/CPU/NPU",
        "and/or",
        "it is busy (x)",
        "cost $a",
    ] {
        assert_eq!(normalise(text), text);
    }
}

#[test]
fn an_amount_is_one_class_in_every_unit() {
    check(
        "file of {}: too large",
        "file of <n>: too large",
        &[
            "12",
            "12 MB",
            "12 Mo",
            "12Ko",
            "12 octets",
            "12 jours",
            "12 Megabyte",
            "12 MByte",
            "12kByte",
            "12 мегабайта",
            "12 недели",
            "12 лет",
            "12千字节",
            "12 メガバイト",
            "12메가바이트",
            "12 días",
            "12 giorni",
            "12 godzin",
            "12MB/s",
            "12 MB/s",
            "12.5MB/s",
        ],
    );
}
