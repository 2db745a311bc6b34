//! Quoted text, in the quotes of every script.

use super::letters;

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

/// Where a quotation ends whose opening sign is at a place: behind its closing sign, or else with the text, which then was
/// cut within the quotation.
pub(super) fn end(text: &str, place: usize, quote: char) -> usize {
    if let Some(closing) = closing_of_list(&text[place..]) {
        let end = text[place..].find(closing);
        return end.map_or(text.len(), |end| place + end + closing.len());
    }
    skip(text, place + quote.len_utf8(), Quotation::opened_by(quote))
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
        } else if quotation.closes(text, from + offset, character) {
            return from + offset + character.len_utf8();
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rest(text: &str) -> &str {
        let quote = text.chars().next().unwrap();
        &text[end(text, 0, quote)..]
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
}
