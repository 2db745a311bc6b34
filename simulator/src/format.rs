//! File formats that the portal accepts (simulator/README.md, rules 4 to 7).

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Format {
    /// Extension without the dot, in lower case.
    pub extension: &'static str,
    /// `mimeType` of its files.
    pub mime: &'static str,
    pub kind: Kind,
    /// Bytes that show the format, each with its offset: a content has at least one of them. Empty where it is not checked.
    magic: Magic,
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

type Magic = &'static [(usize, &'static [u8])];

const UNCHECKED: Magic = &[];
const PDF: Magic = &[(0, b"%PDF-")];
const ZIP: Magic = &[(0, b"PK\x03\x04")];
const OLE: Magic = &[(0, b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")];
const PNG: Magic = &[(0, b"\x89PNG\r\n\x1A\n")];
const JPEG: Magic = &[(0, b"\xFF\xD8\xFF")];
const WAVE: Magic = &[(8, b"WAVE")];
/// A tag, or a frame of MPEG 1 or 2, layer III, with or without a checksum.
const MP3: Magic = &[
    (0, b"ID3"),
    (0, b"\xFF\xFA"),
    (0, b"\xFF\xFB"),
    (0, b"\xFF\xF2"),
    (0, b"\xFF\xF3"),
];
const OGG: Magic = &[(0, b"OggS")];
const FLAC: Magic = &[(0, b"fLaC")];
const MATROSKA: Magic = &[(0, b"\x1A\x45\xDF\xA3")];
const ISO_MEDIA: Magic = &[(4, b"ftyp")];

impl Format {
    const fn new(extension: &'static str, mime: &'static str, kind: Kind, magic: Magic) -> Self {
        Self {
            extension,
            mime,
            kind,
            magic,
        }
    }

    /// The format of a file name's extension, whatever its case.
    pub fn of_name(filename: &str) -> Option<&'static Self> {
        let (_, extension) = filename.rsplit_once('.')?;
        FORMATS
            .iter()
            .find(|format| format.extension.eq_ignore_ascii_case(extension))
    }

    /// Whether a content may begin like this.
    pub fn fits(&self, head: &[u8]) -> bool {
        let begins = |(at, bytes): &(usize, &[u8])| {
            head.get(*at..).is_some_and(|rest| rest.starts_with(bytes))
        };
        self.magic.is_empty() || self.magic.iter().any(begins)
    }
}

/// Every accepted format, in the order of simulator/README.md (rule 6).
#[rustfmt::skip]
pub(super) static FORMATS: [Format; 31] = [
    Format::new("pdf", "application/pdf", Kind::Document, PDF),
    Format::new("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", Kind::Document, ZIP),
    Format::new("doc", "application/msword", Kind::Document, OLE),
    Format::new("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", Kind::Document, ZIP),
    Format::new("xls", "application/vnd.ms-excel", Kind::Document, OLE),
    Format::new("pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation", Kind::Document, ZIP),
    Format::new("ppt", "application/vnd.ms-powerpoint", Kind::Document, OLE),
    Format::new("odt", "application/vnd.oasis.opendocument.text", Kind::Document, ZIP),
    Format::new("ods", "application/vnd.oasis.opendocument.spreadsheet", Kind::Document, ZIP),
    Format::new("odp", "application/vnd.oasis.opendocument.presentation", Kind::Document, ZIP),
    Format::new("txt", "text/plain", Kind::Text, UNCHECKED),
    Format::new("csv", "text/csv", Kind::Text, UNCHECKED),
    Format::new("md", "text/markdown", Kind::Text, UNCHECKED),
    Format::new("html", "text/html", Kind::Text, UNCHECKED),
    Format::new("htm", "text/html", Kind::Text, UNCHECKED),
    Format::new("json", "application/json", Kind::Text, UNCHECKED),
    Format::new("eml", "message/rfc822", Kind::Text, UNCHECKED),
    Format::new("srt", "application/x-subrip", Kind::Text, UNCHECKED),
    Format::new("png", "image/png", Kind::Image, PNG),
    Format::new("jpg", "image/jpeg", Kind::Image, JPEG),
    Format::new("jpeg", "image/jpeg", Kind::Image, JPEG),
    Format::new("wav", "audio/wav", Kind::Media, WAVE),
    Format::new("mp3", "audio/mpeg", Kind::Media, MP3),
    Format::new("ogg", "audio/ogg", Kind::Media, OGG),
    Format::new("flac", "audio/flac", Kind::Media, FLAC),
    Format::new("m4a", "audio/mp4", Kind::Media, ISO_MEDIA),
    Format::new("webm", "video/webm", Kind::Media, MATROSKA),
    Format::new("weba", "audio/webm", Kind::Media, MATROSKA),
    Format::new("mp4", "video/mp4", Kind::Media, ISO_MEDIA),
    Format::new("mkv", "video/x-matroska", Kind::Media, MATROSKA),
    Format::new("mov", "video/quicktime", Kind::Media, ISO_MEDIA),
];

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
    fn each_binary_format_is_known_by_its_first_bytes() {
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
