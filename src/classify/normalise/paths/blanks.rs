//! Names of files with blanks or brackets in them, where no quotation marks say where they end.

use super::super::letters::Sort;
use super::ends_with_extension;

/// Parts in brackets that the name of a file has at most, with those of its folders.
const BRACKETS: usize = 3;

/// Words of a name behind its first one, and behind the last slash.
const WORDS: usize = 4;

/// How far the end of a name is looked for, in bytes.
const FAR: usize = 200;

/// Longest text in the brackets of a name, in bytes.
const LONGEST_IN_BRACKETS: usize = 24;

/// Where a path ends that was read up to a blank: with the word that ends with an extension, if its last name has none yet.
///
/// It does not go on beyond the punctuation of a sentence, a quotation mark or another root.
pub(super) fn beyond(text: &str, start: usize, end: usize) -> Option<usize> {
    if has_extension(&text[start..end]) {
        return None;
    }
    let mut words = 0;
    let mut at = end;
    while words < WORDS && at - end < FAR {
        let word = text[at..].strip_prefix(' ')?;
        let place = at + 1;
        let word = &word[..word.floor_char_boundary(FAR)];
        let word = &word[..word.find(ends_word).unwrap_or(word.len())];
        let name = word.trim_end_matches('.');
        if !may_go_on(word) {
            return None;
        }
        if ends_with_extension(name) {
            return Some(place + name.len());
        }
        words = if word.contains(['/', '\\']) {
            0
        } else {
            words + 1
        };
        at = place + word.len();
    }
    None
}

/// Whether a word may be part of a name: no other root, and not a sign alone.
fn may_go_on(word: &str) -> bool {
    let first = word.chars().next().map(|first| (first, Sort::of(first)));
    match first {
        Some((first, Sort::Joiner)) => !matches!(first, '/' | '\\' | '~' | '.'),
        Some((first, Sort::Mark)) => matches!(first, '(' | '（' | '[' | '&' | '№'),
        Some(_) => true,
        None => false,
    }
}

/// Whether the last name of a path has an extension, of the list or not.
fn has_extension(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    name.rsplit_once('.').is_some_and(|(_, extension)| {
        extension.starts_with(|first: char| first.is_ascii_alphabetic())
            && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

fn ends_word(character: char) -> bool {
    matches!(Sort::of(character), Sort::Space | Sort::Quote)
        || matches!(
            character,
            ':' | ','
                | ';'
                | '<'
                | '>'
                | '|'
                | '='
                | '!'
                | '?'
                | '：'
                | '，'
                | '；'
                | '、'
                | '。'
                | '！'
                | '？'
        )
}

/// Where the name of a file ends that was read up to brackets: `report (1).pdf`, `Акт_(копия)_2.doc`, `附件（一）.docx`.
///
/// There is one word in the brackets, and behind them, without a blank, the name goes on to its extension.
pub(in super::super) fn beyond_brackets(text: &str, start: usize, end: usize) -> Option<usize> {
    let mut end = end;
    for _ in 0..BRACKETS {
        let tail = brackets_end(text, end)?;
        end = tail + tail_length(text, start, tail);
        if end == tail {
            return None;
        }
        if ends_with_extension(&text[start..end]) {
            return Some(end);
        }
    }
    None
}

fn brackets_end(text: &str, place: usize) -> Option<usize> {
    // Most tokens are told by a glance.
    let behind = text.as_bytes()[place..].strip_prefix(b" ");
    if !may_begin_brackets(behind.unwrap_or(&text.as_bytes()[place..])) {
        return None;
    }
    let said = text[place..]
        .trim_start_matches(|character| Sort::of(character) == Sort::Space)
        .strip_prefix(['(', '（'])?;
    let length = said
        .char_indices()
        .take_while(|(place, character)| *place <= LONGEST_IN_BRACKETS && is_of_word(*character))
        .map(|(place, character)| place + character.len_utf8())
        .last()?;
    let behind = said[length..].strip_prefix([')', '）'])?;
    Some(text.len() - behind.len())
}

/// Whether bytes may begin a bracket, or white space before one.
fn may_begin_brackets(bytes: &[u8]) -> bool {
    match bytes {
        // Of the signs with these first bytes, one is a bracket and one a space.
        [0xef, rest @ ..] => rest.starts_with(&[0xbc, 0x88]),
        [0xe3, rest @ ..] => rest.starts_with(&[0x80, 0x80]),
        [b'!'..=b'\'' | b')'..=b'~' | 0xc3..=0xe0 | 0xe4..=0xff, ..] | [] => false,
        _ => true,
    }
}

/// The length of what goes on as a token does, without joiners at its end; a text without spaces ends behind an extension.
fn tail_length(text: &str, start: usize, tail: usize) -> usize {
    let ends = |(offset, character): (usize, char)| match Sort::of(character) {
        Sort::Letter | Sort::Digit => false,
        // Behind the other joiners something else may begin.
        Sort::Joiner => !matches!(character, '.' | '_' | '-' | '+' | '/'),
        Sort::Dense => ends_with_extension(whole(&text[start..tail + offset])),
        _ => true,
    };
    let rest = &text[tail..];
    let length = rest
        .char_indices()
        .find(|at| ends(*at))
        .map_or(rest.len(), |(end, _)| end);
    whole(&rest[..length]).len()
}

/// A name without the joiners at its end.
fn whole(name: &str) -> &str {
    name.trim_end_matches(['.', '-', '+'])
}

fn is_of_word(character: char) -> bool {
    matches!(
        Sort::of(character),
        Sort::Letter | Sort::Digit | Sort::Dense
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rest_beyond<'a>(path: &str, behind: &'a str) -> Option<&'a str> {
        let text = [path, behind].concat();
        beyond(&text, 0, path.len()).map(|end| &behind[end - path.len()..])
    }

    #[test]
    fn a_path_goes_on_to_the_word_with_an_extension() {
        for (path, behind, rest) in [
            ("/отчёт/Договор", " поставки v0.8.csv: b", ": b"),
            (
                "C:\\объект",
                " v3.3\\Ёлка 966\\об отделе\\a 1.html is",
                " is",
            ),
            ("/Акт", " сверки (копия) 701.PDF", ""),
            ("/a", " b.pdf.", "."),
        ] {
            assert_eq!(rest_beyond(path, behind), Some(rest), "{behind}");
        }
        for (path, behind) in [
            ("/a.pdf", " b.pdf"),
            ("/a.lock", " b.pdf"),
            ("/a", ": b.pdf"),
            ("/a", " b, c.pdf"),
            ("/a", " 'b.pdf'"),
            ("/a", " /b.pdf"),
            ("/a", " -> b.pdf"),
            ("/a", " b c d e f.pdf"),
            ("/a", " is busy"),
        ] {
            assert_eq!(rest_beyond(path, behind), None, "{behind}");
        }
    }

    #[test]
    fn brackets_belong_to_the_name_of_a_file() {
        for (name, brackets, rest) in [
            ("report", " (1).pdf b", " b"),
            ("Акт_сверки_", "(копия)_v0.2.msg", ""),
            ("附件", "（一）_5.md：b", "：b"),
            ("附件", "（一）.md无法打开", "无法打开"),
            ("kb/a", "(1)/b.pdf", ""),
            ("kb/a", "(1)_2/b (2).pdf", ""),
        ] {
            let text = [name, brackets].concat();
            let end = beyond_brackets(&text, 0, name.len());
            assert_eq!(end.map(|end| &text[end..]), Some(rest), "{text}");
        }
        for brackets in [
            "(1)",
            "(a b).pdf",
            " (1) a.pdf",
            "().pdf",
            "(1), a.pdf",
            "[1].pdf",
        ] {
            let text = ["report", brackets].concat();
            assert_eq!(beyond_brackets(&text, 0, 6), None, "{text}");
        }
    }
}
