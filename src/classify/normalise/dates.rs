//! Dates and times of day, as programs and people write them.
//!
//! Every function here reads a few parts at most, so that a text that never becomes a date costs little.

mod names;
mod signs;

use super::cursor::Cursor;
use super::letters::{self, Sort};

pub(super) use signs::without_day_part;

/// Names in a row that a date has at most: a weekday, a month, a name that was written twice.
const NAMES: usize = 3;

/// Where a date or a time ends that begins with a number, what goes with it included.
pub(super) fn end(text: &str, place: usize) -> Option<usize> {
    let start = Cursor::new(text, place);
    let mut cursor = start;
    let digits = cursor.take_digits();
    let end = match cursor.peek()? {
        '-' | '.' | '/' => calendar(start).or_else(|| named(start)),
        'T' | 't' | '_' if digits == 8 => {
            clock_behind_date(cursor).filter(|end| end.is_end_of_token())
        }
        _ if signs::is_next(cursor) => signs::date(start),
        _ => named(start),
    };
    Some(tail(text, end?.place()))
}

/// Where a date ends that begins with the name of a month or a weekday, which is as long as given.
pub(super) fn named_end(text: &str, place: usize, name: &str) -> Option<usize> {
    let mut cursor = Cursor::new(text, place);
    cursor.skip(name.len());
    if !names::is_name(name, cursor.rest()) {
        return None;
    }
    for _ in 0..NAMES {
        let mut next = cursor;
        next.take('.');
        skip_separators(&mut next)?;
        skip_word(&mut next, names::is_article);
        if next.peek().map(Sort::of) == Some(Sort::Digit) {
            let end = named(next).or_else(|| day(next)).unwrap_or(cursor);
            return Some(tail(text, end.place()));
        }
        let word = next.take_word();
        if !names::is_name(word, next.rest()) {
            return None;
        }
        cursor = next;
    }
    None
}

/// Where what follows a time and belongs to it ends: a zone, an offset, a year, a weekday.
pub(super) fn tail(text: &str, place: usize) -> usize {
    let mut end = Cursor::new(text, place);
    for _ in 0..4 {
        let mut next = end;
        next.take(',');
        next.take_space();
        let part = zone(next)
            .or_else(|| year(next))
            .or_else(|| signs::day_part(next));
        match part {
            Some(part) => end = part,
            None => break,
        }
    }
    end.place()
}

/// `2026-03-01`, `01.03.2026`, with a time behind it as ISO 8601 has it, or none.
fn calendar(mut cursor: Cursor<'_>) -> Option<Cursor<'_>> {
    let first = cursor.take_digits();
    let separator = cursor.take_if(|sign| matches!(sign, '-' | '.' | '/'))?;
    let second = cursor.take_digits();
    if !cursor.take(separator) {
        return None;
    }
    let third = cursor.take_digits();
    let is_date = match (first, second, third) {
        (4, 1..=2, 1..=2) | (1..=2, 1..=2, 4) => true,
        // Alone, `01.03.26` may be a version.
        (1..=2, 1..=2, 2) => is_before_clock(cursor),
        _ => false,
    };
    let end = clock_behind_date(cursor).unwrap_or(cursor);
    (is_date && end.is_end_of_token()).then_some(end)
}

fn is_before_clock(mut cursor: Cursor<'_>) -> bool {
    cursor.take(',');
    cursor.take_space() && matches!(cursor.take_digits(), 1..=2) && cursor.take(':')
}

/// `T10:20:30.456+01:00`, `_102030`.
fn clock_behind_date(mut cursor: Cursor<'_>) -> Option<Cursor<'_>> {
    cursor.take_if(|sign| matches!(sign, 'T' | 't' | '_'))?;
    clock(cursor)
}

/// Groups of digits with the signs of a time and its offset between them.
fn clock(mut cursor: Cursor<'_>) -> Option<Cursor<'_>> {
    (cursor.take_digits() > 0).then_some(())?;
    for _ in 0..6 {
        let mut group = cursor;
        let joined = group.take_if(|sign| matches!(sign, ':' | '.' | ',' | '-' | '+'));
        if joined.is_none() || group.take_digits() == 0 {
            break;
        }
        cursor = group;
    }
    cursor.take_if(|zone| matches!(zone, 'Z' | 'z'));
    Some(cursor)
}

/// `1 March 2026`, `01-Mar-26`, `2nd of` is none; `01/Mar/2026:10:20:30`.
fn named(mut cursor: Cursor<'_>) -> Option<Cursor<'_>> {
    matches!(cursor.take_digits(), 1..=2 | 4).then_some(())?;
    if matches!(cursor.peek(), Some('s' | 'n' | 'r' | 't')) {
        matches!(cursor.take_word(), "st" | "nd" | "rd" | "th").then_some(())?;
    }
    skip_separators(&mut cursor)?;
    skip_word(&mut cursor, names::is_of);
    let name = cursor.take_word();
    if !names::is_month_behind_day(name) {
        return None;
    }
    let mut year = cursor;
    year.take('.');
    if skip_separators(&mut year).is_some() {
        skip_word(&mut year, names::is_of);
        if let Some(end) = year_and_clock(year) {
            return Some(end);
        }
    }
    (cursor.is_end_of_token() && !names::needs_year(name)).then_some(cursor)
}

/// The year of a date with a name, and the time of day as web servers write it behind the year.
fn year_and_clock(mut year: Cursor<'_>) -> Option<Cursor<'_>> {
    matches!(year.take_digits(), 2 | 4).then_some(())?;
    let mut behind = year;
    let clocked = behind.take(':').then(|| clock(behind)).flatten();
    let end = clocked.unwrap_or(year);
    end.is_end_of_token().then_some(end)
}

/// A day or a year behind the name of a month; nothing if the number begins a date or a time of its own.
fn day(mut cursor: Cursor<'_>) -> Option<Cursor<'_>> {
    matches!(cursor.take_digits(), 1..=4).then_some(())?;
    let mut ordinal = cursor;
    if matches!(ordinal.take_word(), "st" | "nd" | "rd" | "th") {
        cursor = ordinal;
    }
    let starts_clock = cursor.peek() == Some(':');
    (!starts_clock && cursor.is_end_of_token()).then_some(cursor)
}

/// One or two of the signs that stand between the parts of a date.
fn skip_separators(cursor: &mut Cursor<'_>) -> Option<()> {
    let skip = |cursor: &mut Cursor<'_>| {
        cursor
            .take_if(|sign| matches!(sign, ',' | '.' | '-' | '/') || Sort::of(sign) == Sort::Space)
    };
    skip(cursor)?;
    skip(cursor);
    Some(())
}

/// Skips a word of a list and what parts it from the next one.
fn skip_word(cursor: &mut Cursor<'_>, is_in_list: fn(&str) -> bool) {
    let mut behind = *cursor;
    if is_in_list(behind.take_word()) && skip_separators(&mut behind).is_some() {
        *cursor = behind;
    }
}

/// `UTC`, `GMT+3`, `MSK`, `PM`, `+0300`, `+03:00`, `г.`
fn zone(mut cursor: Cursor<'_>) -> Option<Cursor<'_>> {
    if let Some(end) = half_of_day(cursor) {
        return Some(end);
    }
    let name = cursor.take_word();
    let named = names::is_zone(name);
    if !(named || name.is_empty()) {
        return None;
    }
    let end = offset(cursor, named).or(named.then_some(cursor))?;
    end.is_end_of_token().then_some(end)
}

/// `a.m.`, `p.m.`
fn half_of_day(mut cursor: Cursor<'_>) -> Option<Cursor<'_>> {
    if cursor.rest().as_bytes().get(1) != Some(&b'.') {
        return None;
    }
    cursor.take_if(|half| matches!(half, 'a' | 'p' | 'A' | 'P'))?;
    let is_whole = cursor.take('.')
        && cursor.take_if(|m| matches!(m, 'm' | 'M')).is_some()
        && cursor.take('.');
    (is_whole && cursor.is_end_of_token()).then_some(cursor)
}

/// `+3` behind the name of a zone, else `+0300` or `+03:00`.
fn offset(mut cursor: Cursor<'_>, named: bool) -> Option<Cursor<'_>> {
    cursor.take_if(|sign| matches!(sign, '+' | '-' | '−'))?;
    let digits = cursor.take_digits();
    let mut minutes = cursor;
    if matches!(digits, 1..=2) && minutes.take(':') && minutes.take_digits() == 2 {
        return Some(minutes);
    }
    (digits == 4 || (named && (1..=2).contains(&digits))).then_some(cursor)
}

fn year(mut cursor: Cursor<'_>) -> Option<Cursor<'_>> {
    let rest = cursor.rest();
    let digits = cursor.take_digits();
    let is_year = digits == 4 && (rest.starts_with("19") || rest.starts_with("20"));
    let starts_more = matches!(cursor.peek(), Some(':'));
    (is_year && !starts_more && cursor.is_end_of_token()).then_some(cursor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_to_their_end() {
        for date in [
            "2026-03-01",
            "2026/3/1",
            "01.03.2026",
            "3/1/2026",
            "2026-03-01T10:20:30",
            "2026-03-01T10:20:30.456Z",
            "2026-03-01T10:20:30,456+01:00",
            "2026-03-01_10-20-30",
            "20260301T102030Z",
            "20260301_102030",
            "2026-03-01 UTC",
            "01-Mar-2026",
            "01 Mar 26",
            "1 March 2026",
            "2nd Jan 2026",
            "01/Mar/2026:10:20:30 +0100",
            "5 января 2026 г",
            "5 января 2026 года",
            "5 мая",
            "2026年3月1日",
            "2026年3月1日 10时20分30秒",
            "10時20分",
            "2026년 3월 1일",
            "2026 年 3 月 1 日",
            "2026年3月1日 星期三",
            "2026年3月1日(水)",
            "2026년 3월 1일 월요일",
            "٢٠٢٦/٠٣/٠١",
            "6 september 2026",
            "6 may 2026",
            "5. Mai 2026",
            "24. Juni",
            "20 mars 2028",
            "5 de mayo de 2026",
            "3 de março de 2026",
            "7th of May 2026",
            "8 giugno 2026",
            "9 września 2026",
            "26 січня 2028 р",
        ] {
            assert_eq!(end(date, 0), Some(date.len()), "{date}");
        }
    }

    #[test]
    fn dates_may_begin_with_a_name() {
        for (date, name) in [
            ("Jan 2, 2026", "Jan"),
            ("January 2nd 2026", "January"),
            ("Mon, 02 Mar 2026", "Mon"),
            ("MARCH 2026", "MARCH"),
            ("Sept. 3", "Sept"),
            ("Mon Jan  2", "Mon"),
            ("понедельник, 5 января 2026 года", "понедельник"),
            ("Январь 2026", "Январь"),
            ("september 5, 2026", "september"),
            ("März 2026", "März"),
            ("Sonntag, den 14. November 2027", "Sonntag"),
            ("vendredi 3 novembre 2028", "vendredi"),
            ("segunda-feira, 3 de março de 2026", "segunda-feira"),
            ("lunedì 8 giugno 2026", "lunedì"),
            ("środa, 4 marca 2026", "środa"),
            ("вівторок, 1 червня 2026 року", "вівторок"),
        ] {
            assert_eq!(named_end(date, 0, name), Some(date.len()), "{date}");
        }
        assert_eq!(named_end("Mon 10:20", 0, "Mon"), Some(3));
        assert_eq!(end("03/01/26 10:20", 0), Some(8));
        assert_eq!(tail("10:20 p.m.", 5), 10);
    }

    #[test]
    fn other_numbers_and_words_are_no_dates() {
        for text in [
            "12 pages",
            "12 Maybe",
            "1.2.3",
            "2026-03-01.log",
            "2026-03-01/a",
            "12 may fail",
            "12 dec",
            "01.03.26",
            "12 de mayonesa",
            "5秒",
            "5分",
            "12-34-56",
            "3页",
            "20260301",
            "12-March-x",
        ] {
            assert_eq!(end(text, 0), None, "{text}");
        }
        for (text, name) in [
            ("may 3", "may"),
            ("Marker 5", "Marker"),
            ("Mars 5", "Mars"),
            ("sun 5", "sun"),
            ("Mon Mon Mon Mon 5", "Mon"),
            ("May fail", "May"),
        ] {
            assert_eq!(named_end(text, 0, name), None, "{text}");
        }
    }
}
