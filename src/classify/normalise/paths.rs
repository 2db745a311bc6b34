//! Paths, addresses with a scheme, and names of files.

use super::addresses;
use super::letters::{self, Sort};
use super::mask::Mask;

/// Longest known extension, in bytes.
const LONGEST_EXTENSION: usize = 7;

/// Where a path ends that begins at a place with the root of its file system, its home or its folder.
pub(super) fn rooted_end(text: &str, place: usize) -> Option<usize> {
    let roots = ["/", "//", "~/", "./", "../", ".\\", "..\\", "\\\\"];
    let rest = &text[place..];
    matches!(rest.as_bytes().first(), Some(b'/' | b'~' | b'.' | b'\\')).then_some(())?;
    roots
        .iter()
        .any(|root| rest.starts_with(root) && begins_component(text, place + root.len()))
        .then(|| locator_end(text, place))
}

/// Whether a path that begins with a drive (`C:\`) goes on behind its colon.
pub(super) fn is_behind_drive(text: &str, colon: usize) -> bool {
    matches!(text.as_bytes().get(colon + 1), Some(b'/' | b'\\'))
        && !text[colon + 1..].starts_with("//")
}

fn begins_component(text: &str, place: usize) -> bool {
    match letters::at(text, place) {
        Some((character, Sort::Joiner)) => {
            matches!(character, '.' | '_' | '%' | '~' | '-') && {
                letters::is_word_at(text, place + 1)
            }
        }
        Some((_, sort)) => sort.is_word() || sort == Sort::Dense,
        None => false,
    }
}

/// Where a path or an address ends that was recognised at a place: before white space, a quotation mark, what brackets it, or
/// a text without spaces behind the name of a file; without the punctuation of the sentence.
pub(super) fn locator_end(text: &str, place: usize) -> usize {
    let mut depth = 0_u32;
    let mut end = text.len();
    let mut previous = Sort::Mark;
    for (offset, character) in text[place..].char_indices() {
        let here = place + offset;
        let sort = Sort::of(character);
        let stops = match character {
            '(' | '[' | '{' => {
                depth += 1;
                false
            }
            ')' | ']' | '}' => {
                depth = depth.wrapping_sub(1);
                depth == u32::MAX
            }
            '\'' | '’' => {
                !(previous.is_word() && letters::is_word_at(text, here + character.len_utf8()))
            }
            _ if sort == Sort::Dense => {
                previous != Sort::Dense && ends_with_extension(&text[place..here])
            }
            _ => never_in_locator(character, sort),
        };
        if stops {
            end = here;
            break;
        }
        previous = sort;
    }
    let sentence = ['.', ',', ';', ':', '!', '?', '(', '[', '{'];
    place + text[place..end].trim_end_matches(sentence).len()
}

fn never_in_locator(character: char, sort: Sort) -> bool {
    match sort {
        Sort::Space | Sort::Quote => true,
        Sort::Mark => {
            !character.is_ascii() || character.is_control() || matches!(character, '<' | '>' | '|')
        }
        _ => false,
    }
}

/// Whether a token with a slash or a backslash in it says where something is.
///
/// One slash between words is a choice (`and/or`), one between numbers is part of a number (`3/10`).
pub(super) fn relative(token: &str, has_digit: bool) -> Option<Mask> {
    let slashes = slashes(token);
    let backslash = token.rfind('\\');
    let is_path = slashes > 1
        || backslash.is_some_and(|place| place > 0 || has_digit)
        || (slashes == 1 && (has_digit || ends_with_extension(token)));
    let host = token.split_once('/').map(|(host, _)| host);
    if slashes > 0 && host.is_some_and(addresses::is_host) {
        Some(Mask::Url)
    } else {
        is_path.then_some(Mask::Path)
    }
}

/// Slashes that are not between two digits.
fn slashes(token: &str) -> usize {
    let bytes = token.as_bytes();
    let is_digit = |place: usize| bytes.get(place).is_some_and(u8::is_ascii_digit);
    let parts_numbers = |place: usize| place > 0 && is_digit(place - 1) && is_digit(place + 1);
    (0..bytes.len())
        .filter(|place| bytes[*place] == b'/' && !parts_numbers(*place))
        .count()
}

/// Whether a token ends with an extension that files have, behind a name.
pub(super) fn ends_with_extension(token: &str) -> bool {
    let extension_length = token
        .bytes()
        .rev()
        .take(LONGEST_EXTENSION + 1)
        .take_while(u8::is_ascii_alphanumeric)
        .count();
    let (name, extension) = token.split_at(token.len() - extension_length);
    name.len() > 1 && name.ends_with('.') && is_extension(extension)
}

/// Whether letters are an extension of the list, in small letters or in capitals (`System.Text.Json` is no file).
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
    one_case && is_known(lower)
}

#[rustfmt::skip]
fn is_known(lower: &[u8]) -> bool {
    matches!(lower,
        // Documents.
        b"pdf" | b"doc" | b"docx" | b"docm" | b"dotx" | b"odt" | b"ott" | b"rtf" | b"txt" | b"md" | b"rst"
        | b"xls" | b"xlsx" | b"xlsm" | b"xlsb" | b"ods" | b"csv" | b"tsv" | b"ppt" | b"pptx" | b"pptm" | b"pps" | b"ppsx"
        | b"odp" | b"odg" | b"vsd" | b"vsdx" | b"epub" | b"fb2" | b"mobi" | b"djvu"
        | b"djv" | b"xps" | b"tex" | b"html" | b"htm" | b"xhtml" | b"mht" | b"mhtml" | b"chm"
        | b"eml" | b"msg" | b"mbox" | b"pst" | b"ics" | b"vcf"
        // Data, programs.
        | b"xml" | b"xsd" | b"json" | b"jsonl" | b"yaml" | b"yml" | b"toml" | b"ini" | b"cfg" | b"conf" | b"log" | b"sql"
        | b"sqlite" | b"db" | b"parquet" | b"ipynb" | b"py" | b"js" | b"ts" | b"rs" | b"go" | b"java" | b"cs" | b"cpp"
        | b"rb" | b"php" | b"sh" | b"bat" | b"exe" | b"dll" | b"so" | b"jar" | b"bin" | b"dat" | b"tmp" | b"bak"
        // Archives.
        | b"zip" | b"7z" | b"rar" | b"tar" | b"gz" | b"tgz" | b"bz2" | b"xz" | b"zst" | b"iso" | b"cab"
        // Pictures.
        | b"jpg" | b"jpeg" | b"png" | b"gif" | b"bmp" | b"tif" | b"tiff" | b"webp" | b"svg" | b"heic" | b"heif" | b"ico"
        | b"psd" | b"dwg" | b"dxf" | b"eps"
        // Sound and film.
        | b"mp3" | b"wav" | b"ogg" | b"oga" | b"opus" | b"flac" | b"aac" | b"m4a" | b"wma" | b"amr" | b"aiff"
        | b"mp4" | b"m4v" | b"mkv" | b"avi" | b"mov" | b"wmv" | b"webm" | b"mpg" | b"mpeg" | b"3gp" | b"flv" | b"srt"
        | b"vtt"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rooted_path_ends_with_its_last_component() {
        for (text, rest) in [
            ("/var/lib/a.pdf", ""),
            ("/var/lib/a.pdf: no such file", ": no such file"),
            ("/data/R&D/plan(1).pdf, page", ", page"),
            ("/data/l'été/a.pdf' b", "' b"),
            ("/data/a)", ")"),
            ("/данные/отчёт.pdf.", "."),
            ("/数据/报告.pdf不存在", "不存在"),
            ("~/a%20b.txt", ""),
            ("../a/b", ""),
            ("\\\\server\\share\\a b", " b"),
            ("//server/share", ""),
            ("/.config", ""),
        ] {
            let end = rooted_end(text, 0);
            assert_eq!(end.map(|end| &text[end..]), Some(rest), "{text}");
        }
        for text in ["/", "//", "/ a", "~5", "...", "./", "a/b", "-/a"] {
            assert_eq!(rooted_end(text, 0), None, "{text}");
        }
    }

    #[test]
    fn a_choice_of_words_is_no_path() {
        for words in [
            "and/or",
            "I/O",
            "read/write",
            "application/pdf",
            "读/写",
            "w/",
            "3/10",
            "\\n",
        ] {
            assert_eq!(relative(words, words.contains('3')), None, "{words}");
        }
        for path in ["docs/a/b", "docs/a.pdf", "docs\\a", "отчёты/март.docx"] {
            assert_eq!(relative(path, false), Some(Mask::Path), "{path}");
        }
        assert_eq!(relative("docs/2026", true), Some(Mask::Path));
        assert_eq!(relative("example.com/docs", false), Some(Mask::Url));
    }

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
        ] {
            assert!(!ends_with_extension(name), "{name}");
        }
    }
}
