//! Messages of document pipelines, and the class of each.

use super::normalise;

fn check(messages: &[(&str, &str)]) {
    for (reason, class) in messages {
        assert_eq!(&normalise(reason), class, "{reason}");
    }
}

#[test]
fn messages_of_parsers() {
    check(&[
        (
            "pdf parse error: invalid xref table at offset 912345",
            "pdf parse error: invalid xref table at offset <n>",
        ),
        (
            "PDF is password-protected: cannot decrypt without a password",
            "PDF is password-protected: cannot decrypt without a password",
        ),
        (
            "No extractable text found (12 pages); file may be a scan of an empty sheet",
            "No extractable text found (<n> pages); file may be a scan of an empty sheet",
        ),
        (
            "UnicodeDecodeError: 'utf-8' codec can't decode byte 0x8f in position 123: invalid start byte",
            "UnicodeDecodeError: <text> codec can't decode byte <n> in position <n>: invalid start byte",
        ),
        (
            "Syntax Error (1024): Illegal character <2d> in hex string",
            "Syntax Error (<n>): Illegal character <<n>> in hex string",
        ),
        (
            "expected b'%PDF-' but got b'PK\\x03\\x04'",
            "expected b<text> but got b<text>",
        ),
        (
            "Unsupported MIME type application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            "Unsupported MIME type application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        ),
        (
            "chunk 12 has 9,120 tokens, the model accepts 8192",
            "chunk <n> has <n> tokens, the model accepts <n>",
        ),
        (
            "pages 1, 2, 3 and 7–9 are empty",
            "pages <n> and <n> are empty",
        ),
        ("bad cells at [(1, 2), (3, 4)]", "bad cells at [(<n>)]"),
        (
            "cannot convert Отчёт.docx: soffice exited with code 77",
            "cannot convert <file>: soffice exited with code <n>",
        ),
        (
            "xmlParseEntityRef: no name, word/document.xml:2:1057",
            "xmlParseEntityRef: no name, <path>:<time>",
        ),
    ]);
}

#[test]
fn messages_of_ocr_and_speech() {
    check(&[
        (
            "OCR timed out after 30s on page 5 of /var/lib/portal/tmp/7f3c.pdf",
            "OCR timed out after <n> on page <n> of <path>",
        ),
        (
            "Image too small to scale!! (2x36 vs min width of 3)",
            "Image too small to scale!! (<n> vs min width of <n>)",
        ),
        (
            "Tesseract: Estimating resolution as 300 dpi, 12.5 % confident",
            "Tesseract: Estimating resolution as <n> confident",
        ),
        (
            "transcription failed at 12:34: no speech segment decoded in 30s window",
            "transcription failed at <time>: no speech segment decoded in <n> window",
        ),
        (
            "whisper: failed to load audio 'Запись 12.m4a': Invalid data found when processing input",
            "whisper: failed to load audio <text>: Invalid data found when processing input",
        ),
        (
            "Audio is 2h13m long (limit 90 min)",
            "Audio is <n> long (limit <n>)",
        ),
        (
            "[00:01:02.340 --> 00:01:05.120] no speech",
            "[<time>] no speech",
        ),
    ]);
}

#[test]
fn messages_of_services_and_networks() {
    check(&[
        (
            "Embedding service returned 503 Service Unavailable (request 0e8d9ba5-6a5a-4d53-b2a1-3a3f6d9a1b22)",
            "Embedding service returned <n> Service Unavailable (request <n>)",
        ),
        (
            "429 Too Many Requests from embeddings endpoint, retry after 30 s, request id req_0123456789abcdef",
            "<n> Too Many Requests from embeddings endpoint, retry after <n>, request id <n>",
        ),
        (
            "HTTPConnectionPool(host='embed.internal', port=8080): Max retries exceeded with url: /v1/embeddings (Caused by ConnectTimeoutError)",
            "HTTPConnectionPool(host=<text>, port=<n>): Max retries exceeded with url: <path> (Caused by ConnectTimeoutError)",
        ),
        (
            "GET https://user@minio.kb.svc:9000/kb/a%20b.pdf?X-Amz-Date=20260301T000000Z&n=1: HTTP/1.1 502 Bad Gateway",
            "GET <url>: HTTP/<n> Bad Gateway",
        ),
        (
            "dial tcp 10.0.12.7:6379: connect: connection refused",
            "dial tcp <address>: connect: connection refused",
        ),
        (
            "dial tcp [fe80::1%eth0]:6379: i/o timeout after 3 retries",
            "dial tcp <address>: i/o timeout after <n> retries",
        ),
        (
            "getaddrinfo ENOTFOUND vectors.prod.internal",
            "getaddrinfo ENOTFOUND <address>",
        ),
        (
            "upstream localhost:8001 did not answer in 1,500 ms",
            "upstream <address> did not answer in <n>",
        ),
        (
            "certificate of kb.example.com expired on Mon, 02 Mar 2026 15:04:05 GMT",
            "certificate of <address> expired on <time>",
        ),
        (
            "mail to Ops <ops@kb.example> failed at 2026-03-01T10:20:30.456+03:00",
            "mail to Ops <<email>> failed at <time>",
        ),
    ]);
}

#[test]
fn messages_of_databases_and_stores() {
    check(&[
        (
            "could not serialize access due to concurrent update: INSERT INTO chunks_12 (file_id=0e8d9ba5-6a5a-4d53-b2a1-3a3f6d9a1b22)",
            "could not serialize access due to concurrent update: INSERT INTO <n> (file_id=<n>)",
        ),
        (
            "psycopg2.errors.UniqueViolation: duplicate key value violates unique constraint \"files_pkey\"",
            "<n>.errors.UniqueViolation: duplicate key value violates unique constraint <text>",
        ),
        (
            "NoSuchKey: the object kb/2026/0e8d9ba5 does not exist",
            "NoSuchKey: the object <path> does not exist",
        ),
        (
            "ORA-01653: unable to extend table KB.FILES by 128 in tablespace USERS",
            "<n>: unable to extend table KB.FILES by <n> in tablespace USERS",
        ),
        (
            "disk quota exceeded: 10.5GiB of 10 GiB used (105 %)",
            "disk quota exceeded: <n> of <n> used (<n>)",
        ),
        (
            "worker killed: memory limit of 2048 MiB exceeded (pid 123, file deadbeef)",
            "worker killed: memory limit of <n> exceeded (pid <n>, file <n>)",
        ),
        (
            "{\"error\":{\"code\":\"E42\",\"message\":\"bad \\\"input\\\"\"},\"status\":500}",
            "bad <text>",
        ),
        (
            "{\\\"error\\\": \\\"bad input\\\", \\\"status\\\": 500}",
            "{<text>: <n>}",
        ),
    ]);
}

#[test]
fn messages_of_scanners_for_malware() {
    check(&[
        (
            "ClamAV: Win.Test.EICAR_HDB-1 FOUND in stream (instream: 68 bytes)",
            "ClamAV: <n> FOUND in stream (instream: <n>)",
        ),
        (
            "C:\\Program Files\\Scan\\scan.exe /file:D:\\in\\a.zip returned 3",
            "<path> returned <n>",
        ),
        (
            "\\\\fs01\\kb$\\Договоры\\Договор №5.docx is locked by DOMAIN\\user1",
            "<path> is locked by <path>",
        ),
        (
            "Possible prompt injection: text looks like a foreign instruction (chunk 3, score 0.87)",
            "Possible prompt injection: text looks like a foreign instruction (chunk <n>, score <n>)",
        ),
    ]);
}

#[test]
fn stacks_of_java_and_python() {
    check(&[
        (
            "org.apache.tika.exception.TikaException: Unexpected RuntimeException from org.apache.tika.parser.pdf.PDFParser@4f2a\n\tat org.apache.tika.parser.CompositeParser.parse(CompositeParser.java:304)\n\tat org.apache.tika.Tika.parse(Tika.java:1)\nCaused by: java.io.IOException: Missing root object",
            "Caused by: java.io.IOException: Missing root object",
        ),
        (
            "Traceback (most recent call last):\n  File \"/app/worker/extract.py\", line 41, in extract\nzipfile.BadZipFile: Bad CRC-32 for file 'word/document.xml'",
            "zipfile.BadZipFile: Bad <n> for file <text>",
        ),
        (
            "Traceback (most recent call last):\n  File \"a.py\", line 1\n\ntorch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB (GPU 0; 23.69 GiB total capacity)\n",
            "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate <n> (GPU <n> total capacity)",
        ),
        (
            "TypeError: x is undefined\n    at read (/app/pdf.js:12:3)\n    at async run (/app/main.js:7:1)",
            "TypeError: x is undefined",
        ),
    ]);
}

#[test]
fn messages_in_russian() {
    check(&[
        (
            "Не удалось открыть файл «Договор №5 от 01.02.2026.docx»: файл повреждён",
            "Не удалось открыть файл <text>: файл повреждён",
        ),
        (
            "Превышено время ожидания (30 с) при обработке страницы 12",
            "Превышено время ожидания (<n>) при обработке страницы <n>",
        ),
        (
            "Размер файла 1 024 МБ больше 500МБ",
            "Размер файла <n> больше <n>",
        ),
        (
            "Отчёт.pdf загружен в понедельник, 5 января 2026 г. в 10:20 МСК",
            "<file> загружен в <time>. в <time>",
        ),
        (
            "Нет доступа к /данные/Входящие/письмо.eml: отказано",
            "Нет доступа к <path>: отказано",
        ),
        (
            "Нет файла deadbeef. Ошибка 5.",
            "Нет файла <n>. Ошибка <n>.",
        ),
        ("Ошибка E1234: нет текста", "Ошибка <n>: нет текста"),
    ]);
}

#[test]
fn messages_in_chinese_and_japanese() {
    check(&[
        ("无法打开第12页", "无法打开第<n>页"),
        ("正在处理第3/10页时出错", "正在处理第<n>页时出错"),
        ("文件《合同2026.docx》已损坏", "文件<text>已损坏"),
        ("错误E1234：等待30秒后超时", "错误<n>：等待<n>后超时"),
        ("无法解析报告.pdf，请重试", "<file>，请重试"),
        (
            "2026年3月1日10时20分连接10.0.0.1:5432失败",
            "<time>连接<address>失败",
        ),
        ("访问http://minio:9000/kb/报告.pdf失败", "访问<url>失败"),
        (
            "「請求書.pdf」の3ページ目を読み取れません",
            "<text>の<n>ページ目を読み取れません",
        ),
        ("１２ページ目が空です", "<n>ページ目が空です"),
    ]);
}

#[test]
fn messages_in_german_french_and_arabic() {
    check(&[
        (
            "Datei „Bericht 2026.pdf“ konnte nach 3 Versuchen nicht geöffnet werden (12,5 MB)",
            "Datei <text> konnte nach <n> Versuchen nicht geöffnet werden (<n>)",
        ),
        (
            "Zeitüberschreitung nach 30 Sekunden am 01.03.2026 um 10:20 Uhr",
            "Zeitüberschreitung nach <n> am <time> um <time> Uhr",
        ),
        (
            "Impossible d'ouvrir l'été.pdf : aujourd'hui 3 erreurs",
            "Impossible d'ouvrir <file> : aujourd'hui <n> erreurs",
        ),
        (
            "تعذر فتح الملف «تقرير ٢٠٢٦.pdf» في الصفحة ١٢",
            "تعذر فتح الملف <text> في الصفحة <n>",
        ),
        ("انتهت المهلة بعد ٣٠ ثانية", "انتهت المهلة بعد <n>"),
    ]);
}

#[test]
fn forms_of_the_same_number_are_one_class() {
    for amount in [
        "12 ms",
        "12ms",
        "1,024 KiB",
        "30 с",
        "-5",
        "1.5",
        "50%",
        "50 %",
        "٣٠ ثانية",
        "1 234 567",
        "1e-6",
        "1h30m",
    ] {
        assert_eq!(
            normalise(&format!("took {amount}, too long")),
            "took <n>, too long",
            "{amount}"
        );
    }
}

#[test]
fn words_stay() {
    for text in [
        "and/or read/write I/O",
        "don't l'été п'ять",
        "java.io.IOException: zipfile.BadZipFile",
        "std::bad_alloc a::b",
        "the users' files may fail",
        "no such file or directory",
        "e.g. --flag=off [WARN] (none) {x} a|b C++ R&D #tag @user 100",
    ] {
        let text = text.trim_end_matches("100").trim_end();
        assert_eq!(normalise(text), text);
    }
}

#[test]
fn a_quotation_that_was_cut_off_is_still_one() {
    for text in [
        "cannot open 'Annual rep",
        "cannot open \"x",
        "cannot open «Отч",
        "cannot open 'a \\'b",
    ] {
        assert_eq!(normalise(text), "cannot open <text>");
    }
    assert_eq!(normalise("a 5\" disk"), "a <n>\" disk");
}

#[test]
fn a_class_is_one_line() {
    assert_eq!(normalise(" a\n\tb\u{1b} \u{2028}c "), "a b\u{fffd} c");
    assert_eq!(normalise("a\u{202e}b"), "a\u{fffd}b");
    assert_eq!(normalise("a\u{ad}b\u{180e}"), "a\u{fffd}b\u{fffd}");
    for blank in ["", " ", "\n\t\u{a0}\u{2029}"] {
        assert_eq!(normalise(blank), "");
    }
    assert_ne!(normalise("\u{1b}"), "");
}

#[test]
fn what_is_too_long_is_cut_and_says_so() {
    assert_eq!(normalise(&"я".repeat(500)), "<n>");
    assert_eq!(
        normalise(&"法".repeat(500)),
        format!("{}…", "法".repeat(119))
    );
    let words = normalise(&"word ".repeat(500));
    assert_eq!(words, format!("{}word…", "word ".repeat(23)));
    assert_eq!(normalise(&words), words);
}
