//! Reasons as a document pipeline gives them in `indexError`: half prose, half internals, with ids, numbers and paths that differ each time.

use fastrand::Rng;
use uuid::Uuid;

/// Why processing of a file ends in an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ailment {
    Password,
    CorruptPdf,
    BrokenArchive,
    NoText,
    OcrTimeout,
    Encoding,
    TooManyTokens,
    EmbeddingUnavailable,
    EmbeddingRateLimit,
    Database,
    OutOfMemory,
    ObjectMissing,
    WorkerLost,
    Transcription,
}

impl Ailment {
    /// Those that lie in the file: trying again does not help.
    pub const LASTING: [Self; 6] = [
        Self::Password,
        Self::CorruptPdf,
        Self::BrokenArchive,
        Self::NoText,
        Self::Encoding,
        Self::TooManyTokens,
    ];

    /// Those that lie in the portal: trying again mostly helps.
    pub const PASSING: [Self; 7] = [
        Self::OcrTimeout,
        Self::EmbeddingUnavailable,
        Self::EmbeddingRateLimit,
        Self::Database,
        Self::OutOfMemory,
        Self::ObjectMissing,
        Self::WorkerLost,
    ];

    /// The reason as it stands in the row.
    pub fn tell(self, rng: &mut Rng) -> String {
        let id = random_uuid(rng);
        let page = rng.u32(1..400);
        let seconds = rng.u32(30..600);
        match self {
            Self::Password => "PDF is password-protected: cannot decrypt without a password".into(),
            Self::CorruptPdf => format!(
                "pdf parse error: invalid xref table at offset {}",
                rng.u32(1_000..9_000_000)
            ),
            Self::BrokenArchive => format!(
                "Traceback (most recent call last):\n  File \"/app/worker/extract.py\", line {}, in extract\nzipfile.BadZipFile: Bad CRC-32 for file 'word/document.xml'",
                rng.u32(40..400)
            ),
            Self::NoText => format!(
                "No extractable text found ({page} pages); file may be a scan of an empty sheet"
            ),
            Self::OcrTimeout => format!(
                "OCR timed out after {seconds}s on page {page} of /var/lib/portal/tmp/{id}.pdf"
            ),
            Self::Encoding => format!(
                "UnicodeDecodeError: 'utf-8' codec can't decode byte 0x{:02x} in position {}: invalid start byte",
                rng.u8(0x80..),
                rng.u32(..1_000_000)
            ),
            Self::TooManyTokens => format!(
                "chunk {} has {} tokens, the model accepts 8192",
                rng.u32(1..900),
                rng.u32(8_193..40_000)
            ),
            Self::EmbeddingUnavailable => {
                format!("Embedding service returned 503 Service Unavailable (request {id})")
            }
            Self::EmbeddingRateLimit => format!(
                "429 Too Many Requests from embeddings endpoint, retry after {seconds} s, request id req_{:016x}",
                rng.u64(..)
            ),
            Self::Database => format!(
                "could not serialize access due to concurrent update: INSERT INTO chunks_{} (file_id={id})",
                rng.u32(..64)
            ),
            Self::OutOfMemory => format!(
                "worker killed: memory limit of 2048 MiB exceeded (pid {}, file {id})",
                rng.u32(100..65_000)
            ),
            Self::ObjectMissing => format!(
                "NoSuchKey: the object kb/{}/{id} does not exist",
                rng.u32(2023..2027)
            ),
            Self::WorkerLost => format!(
                "Processing lease expired: worker indexer-{}-{:05x} stopped responding after {seconds} seconds",
                rng.u32(1..9),
                rng.u32(..0xF_FFFF)
            ),
            Self::Transcription => format!(
                "transcription failed at {:02}:{:02}: no speech segment decoded in {seconds}s window",
                rng.u32(..90),
                rng.u32(..60)
            ),
        }
    }
}

/// Why a file is set aside for an administrator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Suspicion {
    Instruction,
    HiddenText,
    Credentials,
    Links,
}

impl Suspicion {
    pub const ALL: [Self; 4] = [
        Self::Instruction,
        Self::HiddenText,
        Self::Credentials,
        Self::Links,
    ];

    /// The reason as it stands in the row.
    pub fn tell(self, rng: &mut Rng) -> String {
        let chunk = rng.u32(1..200);
        match self {
            Self::Instruction => format!(
                "Possible prompt injection: text looks like a foreign instruction (chunk {chunk}, score 0.{})",
                rng.u32(70..100)
            ),
            Self::HiddenText => {
                format!("Hidden text on page {chunk}: white on white, set aside for review")
            }
            Self::Credentials => {
                format!("Text asks the assistant to reveal credentials (chunk {chunk})")
            }
            Self::Links => format!(
                "Text tells the reader to send data to an unknown address ({} links)",
                rng.u32(1..9)
            ),
        }
    }
}

/// A random UUID that depends on the generator alone.
pub(super) fn random_uuid(rng: &mut Rng) -> Uuid {
    uuid::Builder::from_random_bytes(rng.u128(..).to_be_bytes()).into_uuid()
}
