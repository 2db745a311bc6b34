//! Paths, addresses with a scheme, and names of files.

mod blanks;
mod extensions;

use super::addresses;
use super::letters::{self, Sort};
use super::mask::Mask;

pub(super) use blanks::beyond_brackets;
pub(super) use extensions::ends_with_extension;

/// Longest part of a choice such as `TCP/IP/UDP`, in bytes.
const LONGEST_ACRONYM: usize = 5;

/// Where a path ends that begins at a place with the root of its file system, its home or its folder.
pub(super) fn rooted_end(text: &str, place: usize) -> Option<usize> {
    let roots = [
        "/", "//", "~/", "./", "../", ".\\", "..\\", "\\\\", "\\\\?\\", "\\\\.\\",
    ];
    let rest = &text[place..];
    matches!(rest.as_bytes().first(), Some(b'/' | b'~' | b'.' | b'\\')).then_some(())?;
    roots
        .iter()
        .any(|root| rest.starts_with(root) && begins_component(text, place + root.len()))
        .then(|| path_end(text, place))
}

/// Where a path ends that was recognised at a place, with the blanks in the names of its files.
pub(super) fn path_end(text: &str, place: usize) -> usize {
    let end = locator_end(text, place);
    blanks::beyond(text, place, end).unwrap_or(end)
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
            '（' if ends_with_extension(&text[place..here]) => true,
            '(' | '[' | '{' | '（' => {
                depth += 1;
                false
            }
            ')' | ']' | '}' | '）' => {
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
    let sentence = ['.', ',', ';', ':', '!', '?', '(', '[', '{', '（'];
    place + text[place..end].trim_end_matches(sentence).len()
}

fn never_in_locator(character: char, sort: Sort) -> bool {
    match sort {
        Sort::Space | Sort::Quote => true,
        Sort::Mark => {
            letters::is_hidden(character)
                || matches!(
                    character,
                    '<' | '>'
                        | '|'
                        | '，'
                        | '。'
                        | '：'
                        | '；'
                        | '、'
                        | '！'
                        | '？'
                        | '…'
                        | '’'
                        | '›'
                        | '」'
                        | '』'
                        | '》'
                        | '〉'
                        | '】'
                        | '〞'
                        | '〟'
                        | '❞'
                        | '﹂'
                        | '﹄'
                        | '→'
                        | '⇒'
                        | '←'
                        | '•'
                        | '\u{fffd}'
                )
        }
        _ => false,
    }
}

/// Whether a token with a slash or a backslash in it says where something is.
///
/// One slash between words is a choice (`and/or`), one between numbers is part of a number (`3/10`); one beside an id or a
/// number is none.
pub(super) fn relative(token: &str, is_code: bool) -> Option<Mask> {
    if is_choice_of_acronyms(token) {
        return None;
    }
    let slashes = slashes(token);
    let backslash = token.rfind('\\');
    let is_path = slashes > 1
        || backslash.is_some_and(|place| place > 0 || is_code)
        || (slashes == 1 && (is_code || ends_with_extension(token)));
    let host = token.split_once('/').map(|(host, _)| host);
    if slashes > 0 && host.is_some_and(addresses::is_host) {
        Some(Mask::Url)
    } else {
        is_path.then_some(Mask::Path)
    }
}

/// `TCP/IP/UDP`.
fn is_choice_of_acronyms(token: &str) -> bool {
    let is_acronym = |part: &str| {
        (1..=LONGEST_ACRONYM).contains(&part.len())
            && part.bytes().all(|byte| byte.is_ascii_uppercase())
    };
    token.split('/').all(is_acronym)
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
            ("\\\\?\\C:\\kb\\a.pdf b", " b"),
            ("/附件（一）/a（二）.pdf：坏", "：坏"),
            ("/a.pdf（坏）", "（坏）"),
            ("/план_🚀.docx b", " b"),
            ("/отчёт/Договор поставки v0.8.csv: b", ": b"),
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
            "TCP/IP/UDP",
            "GPU/CPU/NPU",
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
}
