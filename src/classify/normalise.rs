//! The class of a reason for which there is no rule: its text, with what differs from file to file masked.
//!
//! One pass over the text. It finds tokens, decides for each what becomes of it by its own characters and a few that
//! follow, and writes the line. Nothing is remembered between two reasons: the same text gives the same class everywhere and always.
//!
//! A class is its own class. Placeholders stay what they are, and nothing that is kept holds a digit; what decides over a
//! masked part is always in that part, so that the line reads as it was written.

mod addresses;
mod codes;
mod colons;
mod cursor;
mod dates;
mod letters;
mod line;
mod lines;
mod mask;
mod numbers;
mod paths;
mod quotes;
#[cfg(test)]
mod tests;
mod token;
mod units;

use letters::Sort;
use line::Line;
use mask::Mask;
use token::{Token, Verdict};

/// Longest group of an address with colons, in bytes.
const GROUP: usize = 4;

/// The class of a reason: one line of at most 120 characters, without control characters; empty only for a blank reason.
///
/// Takes time that is linear in the length of the reason, whatever it holds.
pub(crate) fn normalise(reason: &str) -> String {
    let text = lines::telling(reason);
    let mut pass = Pass {
        text: &text,
        at: 0,
        mixed_until: 0,
        glued: false,
        alone: quotes::Alone::default(),
        line: Line::new(),
    };
    while let Some((character, sort)) = letters::at(pass.text, pass.at)
        && !pass.line.is_full()
    {
        pass.step(character, sort);
    }
    pass.line.finish()
}

/// The way through one text.
struct Pass<'a> {
    text: &'a str,
    at: usize,
    /// Where the mixed token ends whose parts are read one by one.
    mixed_until: usize,
    /// A word or a placeholder stands right before: a quotation mark here opens nothing.
    glued: bool,
    alone: quotes::Alone,
    line: Line,
}

impl Pass<'_> {
    fn step(&mut self, character: char, sort: Sort) {
        match sort {
            Sort::Space => {
                self.line.space();
                self.pass_by(character);
            }
            Sort::Quote => self.quote(character),
            Sort::Mark => self.mark(character),
            Sort::Joiner if character == '\\' && self.escaped_quote() => {}
            Sort::Digit if self.moment() => {}
            Sort::Letter | Sort::Digit | Sort::Dense | Sort::Joiner => self.token(),
        }
    }

    fn pass_by(&mut self, character: char) {
        self.at += character.len_utf8();
        self.glued = false;
    }

    fn mask(&mut self, mask: Mask, end: usize) {
        self.line.mask(mask);
        self.at = end;
        self.glued = true;
    }

    fn quote(&mut self, quote: char) {
        let opens = !(self.glued && quotes::is_closing_behind_word(quote));
        let end = opens
            .then(|| self.alone.end(self.text, self.at, quote))
            .flatten();
        if let Some(end) = end {
            self.mask(Mask::Text, end);
        } else {
            self.line.mark(quote);
            self.pass_by(quote);
        }
    }

    /// A quotation in a text that was quoted as a whole: `\"…\"`.
    fn escaped_quote(&mut self) -> bool {
        let next = self.text[self.at + 1..].chars().next();
        let Some(quote) = next.filter(|next| quotes::is_escapable(*next)) else {
            return false;
        };
        let end = quotes::escaped_end(self.text, self.at + 1, quote);
        self.mask(Mask::Text, end);
        true
    }

    fn mark(&mut self, mark: char) {
        if let Some((mask, end)) = self.masked_from(mark) {
            self.mask(mask, end);
        } else {
            self.line.mark(mark);
            self.pass_by(mark);
        }
    }

    /// What begins with a mark and is masked, and where it ends.
    fn masked_from(&self, mark: char) -> Option<(Mask, usize)> {
        let (text, at) = (self.text, self.at);
        match mark {
            '<' => Mask::read(&text[at..]).map(|mask| (mask, at + mask.placeholder().len())),
            ':' if !self.glued && text[at..].starts_with("::") => colons::read_shortened(text, at),
            '[' => colons::bracketed_end(text, at).map(|end| (Mask::Address, end)),
            '&' => self.entity(),
            '$' => self.path_of_variable().map(|end| (Mask::Path, end)),
            _ => None,
        }
    }

    /// A quotation mark or another character as HTML writes it.
    fn entity(&self) -> Option<(Mask, usize)> {
        let quotation = quotes::entity_end(self.text, self.at).filter(|_| !self.glued);
        let number = || codes::entity_end(self.text, self.at).map(|end| (Mask::Number, end));
        quotation.map(|end| (Mask::Text, end)).or_else(number)
    }

    /// Where a path ends that begins with the name of a variable: `$HOME/a`.
    fn path_of_variable(&self) -> Option<usize> {
        let place = self.at + 1;
        letters::is_word_at(self.text, place).then_some(())?;
        let token = token::read(self.text, place);
        (token.verdict == Verdict::Masked(Mask::Path)).then_some(token.end)
    }

    /// A date or a time that begins with a digit.
    fn moment(&mut self) -> bool {
        if let Some(end) = dates::end(self.text, self.at) {
            self.mask(Mask::Time, end);
            return true;
        }
        let digits = letters::digits(&self.text[self.at..]);
        self.text[self.at + digits.len()..].starts_with(':') && self.colons()
    }

    /// A time of day or an address with colons.
    fn colons(&mut self) -> bool {
        let Some((mask, end)) = colons::read(self.text, self.at) else {
            return false;
        };
        let end = match mask {
            Mask::Time => dates::tail(self.text, end),
            _ => end,
        };
        self.mask(mask, end);
        true
    }

    fn token(&mut self) {
        let token = if self.at < self.mixed_until {
            token::read_part(self.text, self.at, self.mixed_until)
        } else {
            token::read(self.text, self.at)
        };
        let Token { end, verdict } = token;
        let text = &self.text[self.at..end];
        if text.len() <= GROUP && self.text[end..].starts_with(':') && self.colons() {
            return;
        }
        if text.len() == 2
            && let Some(end) = codes::dump_end(self.text, self.at)
        {
            self.mask(Mask::Number, end);
            return;
        }
        if let Some(end) = paths::beyond_brackets(self.text, self.at, end)
            && let Some(mask) = verdict.mask_of_name(text)
        {
            self.mask(mask, end);
            return;
        }
        match verdict {
            Verdict::Word => self.word(text),
            Verdict::Mixed => self.mixed_until = end,
            Verdict::Dense => {
                let kept = dates::without_day_part(text, &self.text[end..]);
                if !kept.is_empty() {
                    self.line.dense(kept);
                    self.glued = false;
                }
                if kept.len() < text.len() {
                    self.mask(Mask::Time, end);
                }
                self.at = end;
            }
            Verdict::Marks => {
                text.chars().for_each(|mark| self.line.mark(mark));
                self.at = end;
                self.glued = false;
            }
            Verdict::Masked(mask @ Mask::Number) => self.mask(mask, numbers::tail(self.text, end)),
            Verdict::Masked(mask) => self.mask(mask, end),
            Verdict::MaskedBefore(mask, place) => {
                self.line.mask(mask);
                self.line.word(&text[place..]);
                self.at = end;
                self.glued = true;
            }
            Verdict::MaskedFrom(mask, place) => {
                self.line.word(&text[..place]);
                self.mask(mask, end);
            }
        }
    }

    fn word(&mut self, word: &str) {
        if let Some(end) = dates::named_end(self.text, self.at, word) {
            self.mask(Mask::Time, end);
            return;
        }
        self.line.word(word);
        let start = self.at;
        self.at += word.len();
        self.glued = !token::is_prefix_of_quotation(self.text, start, self.at);
    }
}
