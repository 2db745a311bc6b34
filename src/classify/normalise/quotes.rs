//! Quoted text, in the quotes of every script.

use super::letters::{self, Sort};
use super::paths;

/// How a quotation mark is written where a text is part of a page in HTML.
const ENTITIES: [&str; 4] = ["&quot;", "&#34;", "&apos;", "&#39;"];

/// Where a quotation ends.
#[derive(Debug, Clone, Copy)]
struct Quotation {
    closing: &'static [char],
    /// The closing sign is an apostrophe as well: within a word it closes nothing.
    apostrophe: bool,
    /// A backslash takes its meaning from a closing sign.
    escapes: bool,
}

impl Quotation {
    fn opened_by(quote: char) -> Self {
        let (closing, apostrophe): (&'static [char], _) = match quote {
            '\'' => (&['\''], true),
            '`' => (&['`', '\''], true),
            '‘' | '‚' => (&['’', '‘'], true),
            '“' => (&['”'], false),
            '„' => (&['“', '”'], false),
            '«' => (&['»'], false),
            '‹' => (&['›'], false),
            '「' => (&['」'], false),
            '『' => (&['』'], false),
            '《' => (&['》'], false),
            '〈' => (&['〉'], false),
            '＂' => (&['＂'], false),
            _ => (&['"'], false),
        };
        Self {
            closing,
            apostrophe,
            escapes: quote.is_ascii(),
        }
    }

    fn closes(self, text: &str, place: usize, character: char) -> bool {
        self.closing.contains(&character)
            && !(self.apostrophe && letters::is_word_at(text, place + character.len_utf8()))
    }
}

/// What closes a quotation after a sign that closes quotations in other languages, or is no quotation mark in most texts.
fn closing_of_rare(quote: char) -> Option<&'static [char]> {
    Some(match quote {
        '”' | '‟' => &['”'],
        '»' => &['«'],
        '″' => &['″'],
        '＇' => &['＇'],
        '〝' => &['〞', '〟'],
        '❝' => &['❞'],
        '﹁' => &['﹂'],
        '﹃' => &['﹄'],
        '【' => &['】'],
        _ => return None,
    })
}

/// Whether a backslash before a sign makes it a quotation mark of a text that was quoted as a whole.
pub(super) fn is_escapable(sign: char) -> bool {
    Sort::of(sign) == Sort::Quote && closing_of_rare(sign).is_none()
}

/// Whether a quotation mark opens nothing right behind a word.
pub(super) fn is_closing_behind_word(quote: char) -> bool {
    matches!(quote, '\'' | '"' | '`' | '”' | '»' | '″' | '＇')
}

/// Quotation marks that have no partner in the rest of a text, so that none is looked for again.
#[derive(Debug, Default)]
pub(super) struct Alone(Vec<char>);

impl Alone {
    /// Where a quotation ends whose opening sign is at a place; nothing if the sign is rare and stands alone.
    pub fn end(&mut self, text: &str, place: usize, quote: char) -> Option<usize> {
        let Some(closing) = closing_of_rare(quote) else {
            return Some(end(text, place, quote));
        };
        let from = place + quote.len_utf8();
        let begins = letters::at(text, from).is_some_and(|(_, sort)| sort != Sort::Space);
        if !begins || self.0.contains(&quote) {
            return None;
        }
        let found = text[from..]
            .char_indices()
            .find(|(_, sign)| closing.contains(sign));
        if found.is_none() {
            self.0.push(quote);
        }
        found.map(|(offset, sign)| from + offset + sign.len_utf8())
    }
}

/// Where a quotation ends that begins with an entity of HTML.
pub(super) fn entity_end(text: &str, place: usize) -> Option<usize> {
    let rest = &text[place..];
    let mark = ENTITIES.iter().find(|mark| rest.starts_with(**mark))?;
    let said = rest[mark.len()..].find(mark)?;
    Some(place + mark.len() + said + mark.len())
}

/// Where a quotation ends whose opening sign is at a place: behind its closing sign, or else with the text, which then was
/// cut within the quotation.
fn end(text: &str, place: usize, quote: char) -> usize {
    if let Some(end) = doubled_end(text, place, quote) {
        return end;
    }
    if let Some(closing) = closing_of_list(&text[place..]) {
        let end = text[place..].find(closing);
        return end.map_or(text.len(), |end| place + end + closing.len());
    }
    skip(text, place + quote.len_utf8(), Quotation::opened_by(quote))
}

/// Where a quotation ends whose signs are all doubled: `''a''`, or as TeX has them.
fn doubled_end(text: &str, place: usize, quote: char) -> Option<usize> {
    let (opening, closing) = match quote {
        '\'' => ("''", "''"),
        '"' => ("\"\"", "\"\""),
        '`' => ("``", "''"),
        _ => return None,
    };
    let said = text[place..].strip_prefix(opening)?;
    let first = said.chars().next().map(Sort::of)?;
    let begins = first.is_word() || first == Sort::Dense;
    let end = begins.then(|| said.find(closing)).flatten()?;
    Some(text.len() - said.len() + end + closing.len())
}

/// What closes a quoted list of quotations, such as a command in an error of Python: `'['soffice', 'a.docx']'`.
fn closing_of_list(text: &str) -> Option<&'static str> {
    let closing = match text.as_bytes() {
        [b'\'', b'[', b'\'', ..] => "]'",
        [b'\'', b'{', b'\'', ..] => "}'",
        [b'"', b'[', b'"', ..] => "]\"",
        [b'"', b'{', b'"', ..] => "}\"",
        _ => return None,
    };
    letters::is_word_at(text, 3).then_some(closing)
}

/// The same for a quotation in a text that was quoted itself, so that a backslash stands before its signs.
pub(super) fn escaped_end(text: &str, place: usize, quote: char) -> usize {
    let quotation = Quotation {
        escapes: false,
        ..Quotation::opened_by(quote)
    };
    skip(text, place + quote.len_utf8(), quotation)
}

fn skip(text: &str, from: usize, quotation: Quotation) -> usize {
    let mut characters = text[from..].char_indices();
    while let Some((offset, character)) = characters.next() {
        if quotation.escapes && character == '\\' {
            characters.next();
            continue;
        }
        let place = from + offset;
        if quotation.closes(text, place, character) {
            if !is_doubled_within(text, place, character) {
                return place + character.len_utf8();
            }
            characters.next();
        } else if quotation.closing.contains(&character)
            && let Some(end) = suffix_end(text, from, place)
        {
            return end;
        }
    }
    text.len()
}

/// Whether a sign is doubled within a word, as databases write an apostrophe: `'O''Brien'`.
fn is_doubled_within(text: &str, place: usize, sign: char) -> bool {
    let behind = place + sign.len_utf8();
    let before = text[..place].chars().next_back().map(Sort::of);
    sign.is_ascii()
        && text[behind..].starts_with(sign)
        && before.is_some_and(Sort::is_word)
        && letters::is_word_at(text, behind + sign.len_utf8())
}

/// Where a suffix ends that is written behind the quoted name of a file, as in Turkish: `'dosya.pdf'nin`.
fn suffix_end(text: &str, from: usize, apostrophe: usize) -> Option<usize> {
    if !paths::ends_with_extension(&text[from..apostrophe]) {
        return None;
    }
    let (sign, _) = letters::at(text, apostrophe)?;
    let suffix = apostrophe + sign.len_utf8();
    Some(suffix + letters::word(&text[suffix..]).len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rest(text: &str) -> &str {
        let quote = text.chars().next().unwrap();
        let end = Alone::default().end(text, 0, quote);
        end.map_or("none", |end| &text[end..])
    }

    #[test]
    fn a_quotation_ends_with_the_sign_that_belongs_to_its_opening() {
        for text in [
            "'a' b",
            "\"a 'b' c\" b",
            "`a` b",
            "`a' b",
            "«a \"b» b",
            "„a“ b",
            "„a” b",
            "“a” b",
            "‘a’ b",
            "‹a› b",
            "「a」 b",
            "『a』 b",
            "《a》 b",
            "〈a〉 b",
            "”a” b",
            "‟a” b",
            "»a« b",
            "″a″ b",
            "＇a＇ b",
            "〝a〞 b",
            "❝a❞ b",
            "﹁a﹂ b",
            "【a】 b",
            "''a c'' b",
            "\"\"a\"\" b",
            "``a c'' b",
        ] {
            assert_eq!(rest(text), " b", "{text}");
        }
    }

    #[test]
    fn apostrophes_and_escaped_quotes_end_nothing() {
        assert_eq!(rest("'don't' b"), " b");
        assert_eq!(rest("‘don’t’ b"), " b");
        assert_eq!(rest(r#""a \" c" b"#), " b");
        assert_eq!(rest(r"'a\\' b"), " b");
        assert_eq!(rest("'文件'不存在"), "不存在");
    }

    #[test]
    fn a_quoted_list_of_quotations_is_one() {
        assert_eq!(rest("'['soffice', '--to', 'a b']' failed"), " failed");
        assert_eq!(rest(r#""{"a": ["b"]}" failed"#), " failed");
        assert_eq!(rest("'[' expected"), " expected");
        assert_eq!(rest("'['soffice', 'a"), "");
    }

    #[test]
    fn a_quotation_that_is_cut_ends_with_the_text() {
        for text in ["'a b", "\"a 'b'", "«a", "'a\\"] {
            assert_eq!(rest(text), "", "{text}");
        }
        assert_eq!(escaped_end(r#""a\" b"#, 0, '"'), 4);
    }

    #[test]
    fn rare_signs_quote_only_where_they_have_a_partner() {
        for text in ["”a b", "» a «", "【a", "″a", "‟a“", "〝"] {
            assert_eq!(rest(text), "none", "{text}");
        }
        let text = "【a 【b";
        let mut alone = Alone::default();
        assert_eq!(alone.end(text, 0, '【'), None);
        assert_eq!(alone.end(text, 5, '【'), None);
        assert_eq!(alone.end("“a", 0, '“'), Some(4));
    }

    #[test]
    fn doubled_signs_and_suffixes_belong_to_a_quotation() {
        for text in ["'O''Brien' b", "\"a\"\"c\" b", "'dosya.pdf'nin b", "'' b"] {
            assert_eq!(rest(text), " b", "{text}");
        }
        assert_eq!(rest("'a'nin b"), "");
    }

    #[test]
    fn entities_quote_in_pairs() {
        assert_eq!(entity_end("&quot;a b&quot; c", 0), Some(15));
        assert_eq!(entity_end("&#39;a&#39;", 0), Some(11));
        for text in ["&quot;a", "&quot;a&#34;", "&amp;a&amp;"] {
            assert_eq!(entity_end(text, 0), None, "{text}");
        }
    }
}
