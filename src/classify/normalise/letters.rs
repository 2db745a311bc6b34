//! What a character is to the normaliser.

use std::borrow::Cow;

use crate::text;

/// The part that a character plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// White space of any kind, line breaks among it.
    Space,
    /// Of a script that parts words with spaces, and whatever is no other sort.
    Letter,
    /// A digit or another number of any script.
    Digit,
    /// Of a script that is written without spaces, or that glues its particles to numbers: Chinese, kana, hangul, Thai.
    Dense,
    /// Holds the parts of a token together, such as `-` and `/`.
    Joiner,
    /// May open a quotation.
    Quote,
    /// Any other punctuation, a symbol, or a character that is not shown.
    Mark,
}

impl Sort {
    /// The sort of a character.
    pub fn of(character: char) -> Self {
        match u8::try_from(character) {
            Ok(byte) if byte.is_ascii() => ASCII[usize::from(byte)],
            _ => beyond_ascii(character),
        }
    }

    /// Whether it is what a word or a number is made of, in a script with spaces.
    pub fn is_word(self) -> bool {
        matches!(self, Self::Letter | Self::Digit)
    }
}

const ASCII: [Sort; 128] = {
    let mut sorts = [Sort::Mark; 128];
    let mut byte = 0_u8;
    while byte < 128 {
        sorts[byte as usize] = match byte {
            b'\t'..=b'\r' | b' ' => Sort::Space,
            b'0'..=b'9' => Sort::Digit,
            b'A'..=b'Z' | b'a'..=b'z' => Sort::Letter,
            b'_' | b'-' | b'.' | b'/' | b'\\' | b'%' | b'+' | b'~' => Sort::Joiner,
            b'"' | b'\'' | b'`' => Sort::Quote,
            _ => Sort::Mark,
        };
        byte += 1;
    }
    sorts
};

fn beyond_ascii(character: char) -> Sort {
    match character {
        // The most frequent ones; the others come last.
        '×' | '÷' | '’' | '–' | '—' | '…' | '、' | '。' | '」' | '』' | '》' | '，' | '：'
        | '；' | '（' | '）' => Sort::Mark,
        // Latin, Cyrillic.
        '\u{c0}'..='\u{24f}' | '\u{400}'..='\u{52f}' => Sort::Letter,
        // Han, kana, hangul.
        '\u{4e00}'..='\u{9fff}' | '\u{3040}'..='\u{30ff}' | '\u{ac00}'..='\u{d7a3}' => Sort::Dense,
        '«' | '‹' | '“' | '„' | '‘' | '‚' | '「' | '『' | '《' | '〈' | '＂' | '»' | '”' | '‟'
        | '″' | '＇' | '〝' | '❝' | '﹁' | '﹃' | '【' => Sort::Quote,
        '−' => Sort::Joiner,
        _ if character.is_whitespace() => Sort::Space,
        _ if is_hidden(character) => Sort::Mark,
        _ if character.is_numeric() => Sort::Digit,
        _ if is_dense(character) => Sort::Dense,
        _ if is_mark(character) => Sort::Mark,
        _ => Sort::Letter,
    }
}

/// Whether a character is not shown, or does harm where it is: a soft hyphen is no part of a word.
pub(super) fn is_hidden(character: char) -> bool {
    text::is_unsafe(character) || matches!(character, '\u{ad}' | '\u{180e}')
}

/// The rarer letters of scripts without spaces.
fn is_dense(character: char) -> bool {
    matches!(character,
        '\u{e00}'..='\u{109f}' // Thai, Lao, Tibetan, Burmese
        | '\u{1100}'..='\u{11ff}'
        | '\u{1780}'..='\u{17ff}' // Khmer
        | '\u{3005}'..='\u{3007}'
        | '\u{3105}'..='\u{318f}'
        | '\u{31a0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{a960}'..='\u{a97f}'
        | '\u{d7b0}'..='\u{d7ff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ffdc}'
        | '\u{20000}'..='\u{3ffff}')
}

/// Punctuation and symbols.
fn is_mark(character: char) -> bool {
    matches!(character,
        '\u{a1}'..='\u{a9}' | '\u{ab}'..='\u{ac}' | '\u{ae}'..='\u{b4}' | '\u{b6}'..='\u{b9}' | '\u{bb}'..='\u{bf}'
        | '\u{589}' | '\u{60c}' | '\u{61b}'..='\u{61f}' | '\u{66a}'..='\u{66d}' | '\u{6d4}'
        | '\u{964}'..='\u{965}'
        | '\u{2010}'..='\u{205e}'
        | '\u{20a0}'..='\u{20cf}' // currencies
        | '\u{2103}' | '\u{2109}' | '\u{2116}' // degrees, the sign for `number`
        | '\u{2190}'..='\u{2bff}' // arrows, frames, symbols
        | '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3020}' | '\u{3030}' | '\u{303d}'..='\u{303f}'
        | '\u{fe10}'..='\u{fe19}' | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff01}'..='\u{ff20}' | '\u{ff3b}'..='\u{ff40}' | '\u{ff5b}'..='\u{ff65}'
        | '\u{fffc}'..='\u{fffd}'
        | '\u{1f000}'..='\u{1faff}') // pictures
}

/// The character at a place, and its sort.
pub(super) fn at(text: &str, place: usize) -> Option<(char, Sort)> {
    match text.as_bytes().get(place) {
        Some(byte) if byte.is_ascii() => Some((char::from(*byte), ASCII[usize::from(*byte)])),
        _ => {
            let character = text[place..].chars().next()?;
            Some((character, beyond_ascii(character)))
        }
    }
}

/// Whether a word or a number is at a place, in a script with spaces.
pub(super) fn is_word_at(text: &str, place: usize) -> bool {
    at(text, place).is_some_and(|(_, sort)| sort.is_word())
}

/// Whether a token that is read up to a place ends there: no word goes on, not even behind a joiner.
pub(super) fn ends_at(text: &str, place: usize) -> bool {
    match at(text, place) {
        Some((_, Sort::Letter | Sort::Digit) | ('_', _)) => false,
        Some((character, Sort::Joiner)) => !matches!(
            at(text, place + character.len_utf8()),
            Some((_, Sort::Letter | Sort::Digit | Sort::Dense))
        ),
        Some((apostrophe @ ('\'' | '’'), _)) => !is_word_at(text, place + apostrophe.len_utf8()),
        None | Some(_) => true,
    }
}

/// The letters at the start of a text, of scripts with spaces.
pub(super) fn word(text: &str) -> &str {
    start_of(text, Sort::Letter, u8::is_ascii_alphabetic)
}

/// A word in small letters, as it is if it has no capitals of Latin or Cyrillic.
pub(super) fn small(word: &str) -> Cow<'_, str> {
    let is_capital = |character| matches!(character, 'A'..='Z' | 'À'..='Þ' | 'Ā'..='ž' | 'Ѐ'..='Я');
    if word.contains(is_capital) {
        Cow::Owned(word.to_lowercase())
    } else {
        Cow::Borrowed(word)
    }
}

/// The digits at the start of a text, of any script.
pub(super) fn digits(text: &str) -> &str {
    start_of(text, Sort::Digit, u8::is_ascii_digit)
}

/// The start of a text that is all of one sort.
fn start_of(text: &str, sort: Sort, of_sort: fn(&u8) -> bool) -> &str {
    let length = text.bytes().take_while(of_sort).count();
    if text.as_bytes().get(length).is_none_or(u8::is_ascii) {
        return &text[..length];
    }
    let end = text[length..].find(|character| Sort::of(character) != sort);
    end.map_or(text, |end| &text[..length + end])
}

/// Where text of a script without spaces ends that goes on at a place.
pub(super) fn dense_end(text: &str, place: usize) -> usize {
    let mut end = place;
    loop {
        // Most of Han: three bytes each.
        while matches!(text.as_bytes().get(end), Some(0xe5..=0xe9)) {
            end += 3;
        }
        match at(text, end) {
            Some((character, Sort::Dense)) => end += character.len_utf8(),
            _ => return end,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_script_has_its_sorts() {
        for (sort, characters) in [
            (Sort::Space, " \t\n\r\u{a0}\u{85}\u{2028}\u{3000}\u{202f}"),
            (Sort::Letter, "azéßяЁعשα\u{301}\u{200d}"),
            (Sort::Digit, "09٣３²½Ⅷ①〇๕"),
            (Sort::Dense, "法あカ한ไ々"),
            (Sort::Joiner, "_-./\\%+~−"),
            (Sort::Quote, "\"'`«„“‘‹「『《〈”»＇〝❝﹁‟″【"),
            (
                Sort::Mark,
                "(<:,@、。：№€’」】\u{1b}\u{202e}\u{fffd}→😀\u{ad}\u{180e}",
            ),
        ] {
            for character in characters.chars() {
                assert_eq!(Sort::of(character), sort, "{character:?}");
            }
        }
    }

    #[test]
    fn no_digit_of_any_script_passes_for_something_else() {
        for character in (0..=0x10_ffff).filter_map(char::from_u32) {
            assert_eq!(
                character.is_numeric(),
                Sort::of(character) == Sort::Digit,
                "{character:?}"
            );
        }
    }

    #[test]
    fn a_run_of_one_sort_is_read_whole() {
        assert_eq!(word("abcдеф1"), "abcдеф");
        assert_eq!(digits("12٣x"), "12٣");
        assert_eq!(digits("12法"), "12");
        assert_eq!(dense_end("法あ한ไx", 0), "法あ한ไ".len());
        for character in ('\u{5000}'..='\u{9fff}').chain('\u{400}'..='\u{4ff}') {
            let expected = if character < '\u{500}' {
                Sort::Letter
            } else {
                Sort::Dense
            };
            assert_eq!(Sort::of(character), expected);
        }
    }

    #[test]
    fn a_token_does_not_end_where_a_word_goes_on() {
        for (text, ends) in [
            ("12", true),
            ("12 a", true),
            ("12.", true),
            ("12页", true),
            ("12a", false),
            ("12.a", false),
            ("12-页", false),
            ("12's", false),
            ("12_", false),
        ] {
            assert_eq!(ends_at(text, 2), ends, "{text}");
        }
    }
}
