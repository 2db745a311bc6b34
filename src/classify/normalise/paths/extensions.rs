//! Extensions of the names of files: a closed list.

/// Longest known extension, in bytes.
const LONGEST_EXTENSION: usize = 10;

/// Whether a token ends with an extension that files have, behind a name.
pub(in super::super) fn ends_with_extension(token: &str) -> bool {
    let extension_length = token
        .bytes()
        .rev()
        .take(LONGEST_EXTENSION + 1)
        .take_while(u8::is_ascii_alphanumeric)
        .count();
    let (name, extension) = token.split_at(token.len() - extension_length);
    name.len() > 1 && name.ends_with('.') && is_extension(extension) && !is_of_program(name)
}

/// Whether what stands before an extension makes it a part of a program.
fn is_of_program(name: &str) -> bool {
    matches!(name, "self." | "this." | "Node." | "Vue.")
}

/// Whether letters are an extension of the list, in small letters or in capitals; with one capital only what names no part of
/// a program (`System.Text.Json` is no file).
fn is_extension(extension: &str) -> bool {
    let bytes = extension.as_bytes();
    if bytes.len() > LONGEST_EXTENSION {
        return false;
    }
    let mut lower = [0; LONGEST_EXTENSION];
    let lower = &mut lower[..bytes.len()];
    lower.copy_from_slice(bytes);
    lower.make_ascii_lowercase();
    let one_case = lower == bytes || !bytes.iter().any(u8::is_ascii_lowercase);
    (one_case || is_of_documents(lower)) && is_known(lower)
}

/// Extensions that people write with a capital.
fn is_of_documents(lower: &[u8]) -> bool {
    matches!(
        lower,
        b"pdf"
            | b"doc"
            | b"docx"
            | b"xls"
            | b"xlsx"
            | b"ppt"
            | b"pptx"
            | b"rtf"
            | b"odt"
            | b"jpg"
            | b"jpeg"
            | b"png"
            | b"tif"
            | b"tiff"
            | b"msg"
    )
}

#[rustfmt::skip]
fn is_known(lower: &[u8]) -> bool {
    matches!(lower,
        // Documents.
        b"pdf" | b"doc" | b"docx" | b"docm" | b"dotx" | b"odt" | b"ott" | b"rtf" | b"txt" | b"md" | b"rst"
        | b"xls" | b"xlsx" | b"xlsm" | b"xlsb" | b"ods" | b"csv" | b"tsv" | b"ppt" | b"pptx" | b"pptm" | b"pps" | b"ppsx"
        | b"odp" | b"odg" | b"vsd" | b"vsdx" | b"epub" | b"fb2" | b"mobi" | b"djvu"
        | b"djv" | b"xps" | b"tex" | b"html" | b"htm" | b"xhtml" | b"mht" | b"mhtml" | b"chm"
        | b"hwp" | b"hwpx" | b"wps" | b"key" | b"pages" | b"numbers" | b"p7s" | b"p7m" | b"sig"
        | b"eml" | b"msg" | b"mbox" | b"pst" | b"ics" | b"vcf"
        // Data, programs.
        | b"xml" | b"xsd" | b"json" | b"jsonl" | b"yaml" | b"yml" | b"toml" | b"ini" | b"cfg" | b"conf" | b"log" | b"sql"
        | b"sqlite" | b"db" | b"mdb" | b"accdb" | b"dbf" | b"ndjson" | b"avro" | b"parquet" | b"ipynb" | b"py" | b"js" | b"ts" | b"rs" | b"go" | b"java" | b"cs" | b"cpp"
        | b"rb" | b"php" | b"sh" | b"bat" | b"exe" | b"dll" | b"so" | b"jar" | b"bin" | b"dat" | b"tmp" | b"bak" | b"part" | b"crdownload"
        // Archives.
        | b"zip" | b"7z" | b"rar" | b"tar" | b"gz" | b"tgz" | b"bz2" | b"xz" | b"zst" | b"iso" | b"cab"
        // Pictures.
        | b"jpg" | b"jpeg" | b"png" | b"gif" | b"bmp" | b"tif" | b"tiff" | b"webp" | b"svg" | b"heic" | b"heif" | b"avif" | b"ico"
        | b"psd" | b"dwg" | b"dxf" | b"eps"
        // Sound and film.
        | b"mp3" | b"wav" | b"ogg" | b"oga" | b"opus" | b"flac" | b"aac" | b"m4a" | b"wma" | b"amr" | b"aiff" | b"aif"
        | b"mp4" | b"m4v" | b"mkv" | b"avi" | b"mov" | b"wmv" | b"webm" | b"mpg" | b"mpeg" | b"3gp" | b"flv" | b"srt"
        | b"vtt"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_their_extension() {
        for file in [
            "a.pdf",
            "отчёт.PDF",
            "报告.docx",
            "a.tar.gz",
            ".hidden.txt",
            "a.7z",
            "..pdf",
            "Report.Docx",
            "a.p7s",
            "a.crdownload",
        ] {
            assert!(ends_with_extension(file), "{file}");
        }
        for name in [
            ".pdf",
            "pdf",
            "System.Text.Json",
            "zipfile.BadZipFile",
            "a.unknown",
            "a.pdf2",
            "a.DoCs",
            "self.db",
            "Node.js",
        ] {
            assert!(!ends_with_extension(name), "{name}");
        }
    }
}
