//! Reasons as a document pipeline gives them in `indexError`: half prose, half internals, with ids, numbers and paths that differ each time.

use fastrand::Rng;
use uuid::Uuid;

/// Why a file failed or was flagged: a text in which `{id}` stands for a UUID, `{xx}` for two hexadecimal digits, `{stack}` for the many lines of
/// a stack, and a number in braces for any number from 1 to that one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reason(&'static str);

impl Reason {
    pub const PASSWORD: Self = Self("PDF is password-protected: cannot decrypt without a password");
    pub const NO_TEXT: Self =
        Self("No extractable text found ({400} pages); file may be a scan of an empty sheet");
    pub const OCR_TIMEOUT: Self =
        Self("OCR timed out after {600}s on page {400} of /var/lib/portal/tmp/{id}.pdf");
    pub const EMBEDDING_UNAVAILABLE: Self =
        Self("Embedding service returned 503 Service Unavailable (request {id})");
    pub const WORKER_LOST: Self = Self(
        "Processing lease expired: worker indexer-{8}-{xx}{xx} stopped responding after {600} seconds",
    );
    pub const TRANSCRIPTION: Self =
        Self("transcription failed at minute {90}: no speech segment decoded in {600}s window");
    pub const INSTRUCTION: Self = Self(
        "Possible prompt injection: text looks like a foreign instruction (chunk {200}, score 0.{99})",
    );
    pub const HIDDEN_TEXT: Self =
        Self("Hidden text on page {200}: white on white, set aside for review");

    /// Failures that lie in the file: processing it again does not help.
    pub const LASTING: [Self; 11] = [
        Self::PASSWORD,
        Self(
            "[{\"type\":\"pdf_parse\",\"offset\":{9000000},\"msg\":\"the xref table is invalid\"}]",
        ),
        Self(
            "Traceback (most recent call last):\nFile \"/app/worker/extract.py\", line {400}, in extract\nreturn archive.read(name)\nzipfile.BadZipFile: Bad CRC-32 for file 'word/document.xml'",
        ),
        Self::NO_TEXT,
        Self(
            "UnicodeDecodeError: 'utf-8' codec can't decode byte 0x{xx} in position {1000000}: invalid start byte",
        ),
        Self("chunk {900} has 1{9999} tokens, the model accepts 8192"),
        Self(
            "> File \"/app/read.py\", line {400}, in read\n    raise ValueError(page)\n          └ {90}\n\nValueError: page is empty",
        ),
        Self(
            "ffmpeg version 6.1 Copyright (c) 2000-2024 the FFmpeg developers\n  libavutil 58. {90}.100\nmoov atom not found",
        ),
        Self("Command '['gs', '-dBATCH', '/tmp/{id}.pdf']' returned non-zero exit status 1."),
        Self("KeyError: \"There is no item named 'word/{90}.xml' in the archive\""),
        Self("level=error msg=\"ocr failed\" err=\"password required\" page={90}"),
    ];

    /// Failures that lie in the portal: processing the file again mostly helps.
    pub const PASSING: [Self; 13] = [
        Self::OCR_TIMEOUT,
        Self::EMBEDDING_UNAVAILABLE,
        Self(
            "{\"stack\":\"{stack}\",\"message\":\"429 Too Many Requests from embeddings endpoint, retry after {600} s\",\"id\":\"{xx}{xx}{xx}{xx}\"}",
        ),
        Self(
            "could not serialize access due to concurrent update: INSERT INTO chunks_{64} (file_id={id})",
        ),
        Self(
            "Elasticsearch exception [type=mapper_parsing_exception, reason=failed to parse document {65000}]; nested: ElasticsearchParseException[Error parsing {id}]; nested: CircuitBreakingException[Data too large];",
        ),
        Self(
            "{ message: 'the index is read-only', stack: 'Error: x\\n' + '    at run (/app/index.js:{6}:1)', id: '{id}' }",
        ),
        Self::WORKER_LOST,
        Self(
            "Error code: 429 - {'error': {'message': 'quota exceeded', 'code': None, 'request': '{id}'}}",
        ),
        Self("Client error '413 Request Entity Too Large' for url 'https://embed.example/v{9}'"),
        Self("WorkerLostError('Worker exited prematurely: signal 9 (SIGKILL) Job: {900}.')"),
        Self(
            "<!DOCTYPE html>\n<html><head><title>kb.example | 524: A timeout occurred</title></head><body>Ray ID: {xx}{xx}</body></html>",
        ),
        Self(
            "<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code><Message>Request has expired</Message><RequestId>{id}</RequestId></Error>",
        ),
        Self("the embedder refused Authorization: Bearer QwErTy{xx}{xx} (request {id})"),
    ];

    pub const SUSPICIONS: [Self; 4] = [
        Self::INSTRUCTION,
        Self::HIDDEN_TEXT,
        Self("Text asks the assistant to reveal credentials (chunk {200})"),
        Self("Text tells the reader to send data to an unknown address ({9} links)"),
    ];

    pub fn text(self, rng: &mut Rng) -> String {
        let mut parts = self.0.split('{');
        let mut text = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            // Other braces belong to the reason.
            let filled = part
                .split_once('}')
                .and_then(|(name, rest)| Some((filled(name, rng)?, rest)));
            match filled {
                Some((value, rest)) => text.extend([&*value, rest]),
                None => text.extend(["{", part]),
            }
        }
        text
    }
}

/// A value for a placeholder, if the name is that of one.
fn filled(name: &str, rng: &mut Rng) -> Option<String> {
    match (name, name.parse()) {
        ("id", _) => Some(random_uuid(rng).to_string()),
        ("stack", _) => Some("    at embed (/app/dist/embed.js:10:5)\\n".repeat(120)),
        ("xx", _) => Some(format!("{:02x}", rng.u8(..))),
        (_, Ok(most)) => Some(rng.u32(1..=most).to_string()),
        _ => None,
    }
}

/// A random UUID that depends on the generator alone.
pub(super) fn random_uuid(rng: &mut Rng) -> Uuid {
    uuid::Builder::from_random_bytes(rng.u128(..).to_be_bytes()).into_uuid()
}
