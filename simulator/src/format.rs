//! File formats that the portal accepts (docs/portal.md, Uploads, rules 4 to 7).

/// One accepted format.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Format {
    /// Extension without the dot, in lower case.
    pub extension: &'static str,
    /// `mimeType` of its files.
    pub mime: &'static str,
    /// What processing makes of it.
    pub kind: Kind,
    /// How its content begins.
    signature: Signature,
}

/// What processing makes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Its text can be read as it is.
    Text,
    /// Its text has to be extracted.
    Document,
    /// Its text has to be recognised.
    Image,
    /// It has to be converted to text first.
    Media,
}

/// First bytes that tell a binary format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Signature {
    Unchecked,
    Pdf,
    Zip,
    Ole,
    Png,
    Jpeg,
    Wave,
    Mp3,
    Ogg,
    Flac,
    Matroska,
    IsoMedia,
}

impl Signature {
    fn matches(self, head: &[u8]) -> bool {
        match self {
            Self::Unchecked => true,
            Self::Pdf => head.starts_with(b"%PDF-"),
            Self::Zip => head.starts_with(b"PK\x03\x04"),
            Self::Ole => head.starts_with(b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"),
            Self::Png => head.starts_with(b"\x89PNG\r\n\x1A\n"),
            Self::Jpeg => head.starts_with(b"\xFF\xD8\xFF"),
            Self::Wave => head.starts_with(b"RIFF") && head.get(8..12) == Some(b"WAVE"),
            Self::Mp3 => head.starts_with(b"ID3") || is_mpeg_frame(head),
            Self::Ogg => head.starts_with(b"OggS"),
            Self::Flac => head.starts_with(b"fLaC"),
            Self::Matroska => head.starts_with(b"\x1A\x45\xDF\xA3"),
            Self::IsoMedia => head.get(4..8) == Some(b"ftyp"),
        }
    }
}

fn is_mpeg_frame(head: &[u8]) -> bool {
    matches!(head, [0xFF, second, ..] if second & 0xE0 == 0xE0)
}

impl Format {
    /// The format of a file name's extension, whatever its case.
    pub fn of_name(filename: &str) -> Option<&'static Self> {
        let (_, extension) = filename.rsplit_once('.')?;
        FORMATS
            .iter()
            .find(|format| format.extension.eq_ignore_ascii_case(extension))
    }

    /// Whether content that begins like this can be of this format; always so for text.
    pub fn fits(&self, head: &[u8]) -> bool {
        self.signature.matches(head)
    }
}

macro_rules! formats {
    ($($kind:ident $signature:ident $extension:literal $mime:literal;)*) => {
        &[$(Format { extension: $extension, mime: $mime, kind: Kind::$kind, signature: Signature::$signature }),*]
    };
}

/// Every accepted format, in the order of docs/portal.md (Uploads, rule 6).
pub(super) static FORMATS: &[Format] = formats! {
    Document Pdf "pdf" "application/pdf";
    Document Zip "docx" "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
    Document Ole "doc" "application/msword";
    Document Zip "xlsx" "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
    Document Ole "xls" "application/vnd.ms-excel";
    Document Zip "pptx" "application/vnd.openxmlformats-officedocument.presentationml.presentation";
    Document Ole "ppt" "application/vnd.ms-powerpoint";
    Document Zip "odt" "application/vnd.oasis.opendocument.text";
    Document Zip "ods" "application/vnd.oasis.opendocument.spreadsheet";
    Document Zip "odp" "application/vnd.oasis.opendocument.presentation";
    Text Unchecked "txt" "text/plain";
    Text Unchecked "csv" "text/csv";
    Text Unchecked "md" "text/markdown";
    Text Unchecked "html" "text/html";
    Text Unchecked "htm" "text/html";
    Text Unchecked "json" "application/json";
    Text Unchecked "eml" "message/rfc822";
    Text Unchecked "srt" "application/x-subrip";
    Image Png "png" "image/png";
    Image Jpeg "jpg" "image/jpeg";
    Image Jpeg "jpeg" "image/jpeg";
    Media Wave "wav" "audio/wav";
    Media Mp3 "mp3" "audio/mpeg";
    Media Ogg "ogg" "audio/ogg";
    Media Flac "flac" "audio/flac";
    Media IsoMedia "m4a" "audio/mp4";
    Media Matroska "webm" "video/webm";
    Media Matroska "weba" "audio/webm";
    Media IsoMedia "mp4" "video/mp4";
    Media Matroska "mkv" "video/x-matroska";
    Media IsoMedia "mov" "video/quicktime";
};

#[cfg(test)]
mod tests {
    use super::{Format, Kind};

    #[test]
    fn the_extension_decides_whatever_its_case() {
        assert_eq!(Format::of_name("Report.PDF").unwrap().extension, "pdf");
        assert_eq!(Format::of_name("a.b.srt").unwrap().kind, Kind::Text);
        assert_eq!(Format::of_name("setup.exe"), None);
        assert_eq!(Format::of_name("pdf"), None);
    }

    #[test]
    fn each_binary_format_is_told_by_its_first_bytes() {
        let heads: [(&[u8], &[&str]); 12] = [
            (b"%PDF-1.7", &["pdf"]),
            (
                b"PK\x03\x04..",
                &["docx", "xlsx", "pptx", "odt", "ods", "odp"],
            ),
            (b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", &["doc", "xls", "ppt"]),
            (b"\x89PNG\r\n\x1A\n", &["png"]),
            (b"\xFF\xD8\xFF\xE0", &["jpg", "jpeg"]),
            (b"RIFF\x01\x02\x03\x04WAVEfmt ", &["wav"]),
            (b"ID3\x04", &["mp3"]),
            (b"\xFF\xFB\x90\x00", &["mp3"]),
            (b"OggS", &["ogg"]),
            (b"fLaC", &["flac"]),
            (b"\x1A\x45\xDF\xA3", &["webm", "weba", "mkv"]),
            (b"\0\0\0\x20ftypisom", &["m4a", "mp4", "mov"]),
        ];
        for (head, fitting) in heads {
            let binary = super::FORMATS.iter().filter(|f| f.kind != Kind::Text);
            for format in binary {
                let expected = fitting.contains(&format.extension);
                assert_eq!(format.fits(head), expected, "{} {head:?}", format.extension);
            }
        }
    }

    #[test]
    fn text_is_never_checked() {
        for format in super::FORMATS.iter().filter(|f| f.kind == Kind::Text) {
            assert!(format.fits(b"%PDF-1.7"), "{}", format.extension);
        }
    }
}
