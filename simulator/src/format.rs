//! File formats, by the extensions of names.

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Format {
    /// Extension without the dot, in lower case.
    pub extension: &'static str,
    /// `mimeType` of its files.
    pub mime: &'static str,
    pub kind: Kind,
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

impl Format {
    const fn new(extension: &'static str, mime: &'static str, kind: Kind) -> Self {
        Self {
            extension,
            mime,
            kind,
        }
    }

    /// The format of a file name's extension, whatever its case.
    pub fn of_name(filename: &str) -> Option<&'static Self> {
        let (_, extension) = filename.rsplit_once('.')?;
        FORMATS
            .iter()
            .find(|format| format.extension.eq_ignore_ascii_case(extension))
    }
}

/// Every format; the first is that of names without a known extension.
#[rustfmt::skip]
pub(super) static FORMATS: [Format; 31] = [
    Format::new("pdf", "application/pdf", Kind::Document),
    Format::new("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", Kind::Document),
    Format::new("doc", "application/msword", Kind::Document),
    Format::new("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", Kind::Document),
    Format::new("xls", "application/vnd.ms-excel", Kind::Document),
    Format::new("pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation", Kind::Document),
    Format::new("ppt", "application/vnd.ms-powerpoint", Kind::Document),
    Format::new("odt", "application/vnd.oasis.opendocument.text", Kind::Document),
    Format::new("ods", "application/vnd.oasis.opendocument.spreadsheet", Kind::Document),
    Format::new("odp", "application/vnd.oasis.opendocument.presentation", Kind::Document),
    Format::new("txt", "text/plain", Kind::Text),
    Format::new("csv", "text/csv", Kind::Text),
    Format::new("md", "text/markdown", Kind::Text),
    Format::new("html", "text/html", Kind::Text),
    Format::new("htm", "text/html", Kind::Text),
    Format::new("json", "application/json", Kind::Text),
    Format::new("eml", "message/rfc822", Kind::Text),
    Format::new("srt", "application/x-subrip", Kind::Text),
    Format::new("png", "image/png", Kind::Image),
    Format::new("jpg", "image/jpeg", Kind::Image),
    Format::new("jpeg", "image/jpeg", Kind::Image),
    Format::new("wav", "audio/wav", Kind::Media),
    Format::new("mp3", "audio/mpeg", Kind::Media),
    Format::new("ogg", "audio/ogg", Kind::Media),
    Format::new("flac", "audio/flac", Kind::Media),
    Format::new("m4a", "audio/mp4", Kind::Media),
    Format::new("webm", "video/webm", Kind::Media),
    Format::new("weba", "audio/webm", Kind::Media),
    Format::new("mp4", "video/mp4", Kind::Media),
    Format::new("mkv", "video/x-matroska", Kind::Media),
    Format::new("mov", "video/quicktime", Kind::Media),
];
