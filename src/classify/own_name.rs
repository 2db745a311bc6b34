//! The name of a file in its own reason. No mask can tell where a name with spaces begins, but the row has the name.

use std::borrow::Cow;

/// What a name is replaced by.
const PLACEHOLDER: &str = "<file>";

/// Minimum length in characters of a name that is replaced without its extension: a shorter one may be any word.
const SHORTEST_STEM: usize = 4;

/// Replaces the name of the file, with and without its extension, and a path that ends with it.
pub(super) fn replace<'r>(reason: &'r str, name: &str) -> Cow<'r, str> {
    let name = &Folded::of(name).text;
    let stem = name.rsplit_once('.').map_or(&**name, |(stem, _)| stem);
    let parts = [name, stem].into_iter();
    let parts = parts.filter(|part| is_distinctive(part) || (**part == *name && stem != name));
    let (mut shown, mut folded) = (Cow::Borrowed(reason), Folded::of(reason));
    for part in parts {
        if let Some(replaced) = folded.replaced(&shown, part) {
            folded = Folded::of(&replaced);
            shown = Cow::Owned(replaced);
        }
    }
    shown
}

/// Whether a name is no common word, such as `Document`.
fn is_distinctive(name: &str) -> bool {
    let is_word = name.bytes().all(|byte| byte.is_ascii_alphabetic());
    !is_word && name.chars().count() >= SHORTEST_STEM
}

/// A text in lower case and with single blanks.
struct Folded {
    text: String,
    /// Where each of its bytes comes from, and the end; empty if nothing moved.
    from: Vec<usize>,
}

impl Folded {
    fn of(text: &str) -> Self {
        // Most texts are so.
        if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) && !text.contains("  ") {
            return Self {
                text: text.to_ascii_lowercase(),
                from: Vec::new(),
            };
        }
        let mut folded = String::with_capacity(text.len());
        let mut from = Vec::with_capacity(text.len() + 1);
        for (at, letter) in text.char_indices() {
            if !letter.is_whitespace() {
                folded.extend(letter.to_lowercase());
            } else if !folded.ends_with(' ') {
                folded.push(' ');
            }
            from.resize(folded.len(), at);
        }
        from.push(text.len());
        Self { text: folded, from }
    }

    /// The text that it is of, with every occurrence of a folded name replaced; `None` if there is none.
    fn replaced(&self, text: &str, name: &str) -> Option<String> {
        let mut parts = String::new();
        let mut rest = 0;
        for (at, _) in self.text.match_indices(name) {
            let place = |at: usize| self.from.get(at).copied().unwrap_or(at);
            let (start, end) = (place(at), place(at + name.len()));
            let (before, after) = (&text[rest..start], &text[end..]);
            if !before.ends_with(is_letter) && !after.starts_with(is_letter) {
                parts += without_folders(before);
                parts += PLACEHOLDER;
                rest = end;
            }
        }
        (rest > 0).then(|| parts + &text[rest..])
    }
}

/// The text without the folders at its end.
fn without_folders(text: &str) -> &str {
    if !text.ends_with(['/', '\\']) {
        return text;
    }
    let is_of_path = |sign: char| !sign.is_whitespace() && !"\"'`<>(){}[]«»“”„=,;".contains(sign);
    text.trim_end_matches(is_of_path)
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
