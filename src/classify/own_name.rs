//! The name of a file in its own reason. No mask can tell where a name with spaces begins, but the row has the name.

use std::borrow::Cow;

use crate::classify::reader::READ_BYTES;

/// What a name is replaced by.
const PLACEHOLDER: &str = "<file>";

/// Minimum length in characters of a name that is replaced without its extension: a shorter one may be any word.
const SHORTEST_STEM: usize = 4;

/// Longest name, in bytes, that is also found in other letter case and with other blanks: no file system has longer ones.
const LONGEST_NAME: usize = 1_024;

/// Replaces the name of the file, with and without its extension, and a path that ends with it.
pub(super) fn replace<'r>(reason: &'r str, name: &str) -> Cow<'r, str> {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let names = [name, stem].into_iter();
    let names = names.filter(|it| is_distinctive(it) || (*it == name && stem != name));
    names.fold(Cow::Borrowed(reason), |text, name| {
        match replaced(&text, name) {
            Some(replaced) => Cow::Owned(replaced),
            None => text,
        }
    })
}

/// Whether a name is no common word, such as `Document`.
fn is_distinctive(name: &str) -> bool {
    let is_word = name.bytes().all(|byte| byte.is_ascii_alphabetic());
    !is_word && name.chars().count() >= SHORTEST_STEM
}

/// The text with every occurrence replaced; `None` if there is none.
fn replaced(text: &str, name: &str) -> Option<String> {
    let mut parts = String::new();
    let mut rest = 0;
    for (at, length) in occurrences(text, name) {
        if at < rest {
            continue;
        }
        let (before, after) = (&text[rest..at], &text[at + length..]);
        if before.ends_with(is_letter) || after.starts_with(is_letter) {
            continue;
        }
        parts.push_str(without_folders(before));
        parts.push_str(PLACEHOLDER);
        rest = at + length;
    }
    (rest > 0).then(|| parts + &text[rest..])
}

/// Where the name occurs, and how many bytes each occurrence has. In a long text, a name with blanks or of another script is searched only as
/// it is: that takes time that is linear in both.
fn occurrences(text: &str, name: &str) -> Vec<(usize, usize)> {
    let places = |text: &str, name: &str| {
        let exact = text.match_indices(name);
        exact.map(|(at, _)| (at, name.len())).collect()
    };
    if name.is_ascii() && !name.contains(' ') {
        return places(&text.to_ascii_lowercase(), &name.to_ascii_lowercase());
    }
    if text.len() > READ_BYTES || name.len() > LONGEST_NAME {
        return places(text, name);
    }
    let Some(first) = name.chars().next() else {
        return Vec::new();
    };
    // Most places are ruled out by their first letter.
    let may_begin = |(_, found): &(usize, char)| {
        is_same_letter(first, *found) || first.is_whitespace() && found.is_whitespace()
    };
    let starts = text.char_indices().filter(may_begin);
    let occurrence = |(at, _)| Some((at, length_of(name, &text[at..])?));
    starts.filter_map(occurrence).collect()
}

/// How many bytes at the start of a text are the name, if they are: in upper or lower case, and with other blanks.
fn length_of(name: &str, text: &str) -> Option<usize> {
    let mut rest = text;
    let mut follows_blank = false;
    for expected in name.chars() {
        let is_blank = expected.is_whitespace();
        if is_blank && follows_blank {
            continue;
        }
        follows_blank = is_blank;
        let found = rest.chars().next()?;
        rest = if is_blank && found.is_whitespace() {
            rest.trim_start()
        } else if is_same_letter(expected, found) {
            &rest[found.len_utf8()..]
        } else {
            return None;
        };
    }
    Some(text.len() - rest.len()).filter(|length| *length > 0)
}

fn is_same_letter(one: char, other: char) -> bool {
    let is_same = || !one.is_ascii() && one.to_lowercase().eq(other.to_lowercase());
    one.eq_ignore_ascii_case(&other) || is_same()
}

/// The text without the folders at its end.
fn without_folders(text: &str) -> &str {
    if !text.ends_with(['/', '\\']) {
        return text;
    }
    let is_outside = |(_, character): &(usize, char)| {
        character.is_whitespace() || "\"'`<>(){}[]«»“”„=,;".contains(*character)
    };
    let end = text.char_indices().rev().find(is_outside);
    end.map_or("", |(at, character)| &text[..at + character.len_utf8()])
}

/// Whether a letter or digit shows that a name goes on. Some scripts are written without spaces between words.
fn is_letter(character: char) -> bool {
    let is_without_spaces = matches!(character, '\u{e00}'..='\u{eff}' | '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}');
    character.is_alphanumeric() && !is_without_spaces
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_name_is_replaced_with_and_without_its_extension_and_with_its_folders() {
        for (name, reason, expected) in [
            (
                "Annual report 2026.docx",
                "conversion failed for Annual report 2026.docx (exit status 77)",
                "conversion failed for <file> (exit status 77)",
            ),
            (
                "Annual report 2026.docx",
                "Annual report 2026: no text, see /data/in/Annual report 2026.docx",
                "<file>: no text, see <file>",
            ),
            (
                r"a b.pdf",
                r"open C:\in\a b.pdf: denied",
                "open <file>: denied",
            ),
            (
                "Отчёт за май.pdf",
                "не читается «Отчёт за май»",
                "не читается «<file>»",
            ),
            (
                "合同 二.pdf",
                "无法打开合同 二.pdf文件",
                "无法打开<file>文件",
            ),
            (
                "scan.pdf",
                "no text in scan.pdf, not a scan",
                "no text in <file>, not a scan",
            ),
            ("a.pdf", "data.pdf is not a.pdf2", "data.pdf is not a.pdf2"),
            (
                "Document.pdf",
                "Document is encrypted",
                "Document is encrypted",
            ),
            ("1.pdf", "page 1 of 1.pdf lost", "page 1 of <file> lost"),
            (
                "Годовой  акт.pdf",
                "cannot read ГОДОВОЙ\u{a0}акт.PDF now",
                "cannot read <file> now",
            ),
            ("README", "README is empty", "README is empty"),
            ("", "no name", "no name"),
            (".pdf", "a.pdf", "a.pdf"),
        ] {
            assert_eq!(replace(reason, name), expected, "{name}");
        }
    }

    proptest! {
        #[test]
        fn any_name_and_reason_are_read_without_a_panic(name in any::<String>(), before in any::<String>(), after in any::<String>()) {
            replace(&format!("{before}{name}{after}"), &name);
        }

        #[test]
        fn the_name_between_blanks_is_always_replaced(name in "[a-zа-я0-9 ._-]{1,30}\\.[a-z]{3}") {
            let reason = format!("x: {} !", name.trim());
            prop_assert_eq!(replace(&reason, name.trim()), "x: <file> !");
        }
    }
}
