//! Dates and times of day in scripts without spaces: their signs, parts of a day and weekdays.

use super::Cursor;
use super::Sort;

/// Signs of a year, a month and a day behind its number.
const CALENDAR_SIGNS: [char; 6] = ['年', '月', '日', '년', '월', '일'];

/// Signs of an hour, a minute and a second behind its number, and of a day or of any number in order.
const CLOCK_SIGNS: [char; 10] = ['时', '時', '点', '點', '分', '秒', '시', '분', '초', '号'];

/// Halves of a day.
const HALVES: [&str; 8] = [
    "上午", "下午", "午前", "午後", "오전", "오후", "凌晨", "晚上",
];

/// What stands before the sign of a weekday, in Chinese.
const WEEK: [&str; 4] = ["星期", "礼拜", "周", "週"];

/// What stands behind the sign of a weekday, in Japanese and Korean.
const DAY_OF_WEEK: [&str; 2] = ["曜日", "요일"];

/// The signs that all of these end with.
const LAST_SIGNS: [char; 16] = [
    '午', '前', '後', '전', '후', '晨', '上', '一', '二', '三', '四', '五', '六', '天', '日', '일',
];

/// Whether a sign of a date or a time is next; a blank may part a number from the sign of a year, a month or a day.
pub(super) fn is_next(mut cursor: Cursor<'_>) -> bool {
    let blank = match cursor.rest().as_bytes() {
        [b' ', 0x80..=0xff, ..] => cursor.take_space(),
        [0x80..=0xff, ..] => false,
        _ => return false,
    };
    cursor.peek().is_some_and(|sign| {
        CALENDAR_SIGNS.contains(&sign) || (!blank && CLOCK_SIGNS.contains(&sign))
    })
}

/// `2026年3月1日 10时20分`, `2026년 3월 1일`.
pub(super) fn date(mut cursor: Cursor<'_>) -> Option<Cursor<'_>> {
    let mut end = None;
    for part in 0..7 {
        let mut next = cursor;
        if part > 0 {
            next.take_space();
        }
        if !matches!(next.take_digits(), 1..=4) {
            break;
        }
        let mut sign = next;
        if sign.take_space() && is_next(sign) {
            next = sign;
        }
        let calendar = next
            .take_if(|sign| CALENDAR_SIGNS.contains(&sign))
            .is_some();
        // One sign of a clock alone is a duration.
        let clock = part > 0 && !calendar;
        let clocked = next.take_if(|sign| CLOCK_SIGNS.contains(&sign)).is_some();
        if calendar || (clock && clocked) {
            end = Some(next);
        } else if !clocked {
            break;
        }
        cursor = next;
    }
    end
}

/// `上午`, `星期三`, `(水)`: what stands beside a date or a time.
pub(super) fn day_part(mut cursor: Cursor<'_>) -> Option<Cursor<'_>> {
    if matches!(cursor.rest().as_bytes(), [] | [b'(', 0..=b'~', ..] | [0..=b'\'' | b')'..=b'~', ..])
    {
        return None;
    }
    let bracketed = cursor.take('(') || cursor.take('（');
    let rest = cursor.rest();
    let half = HALVES.iter().find(|half| rest.starts_with(**half));
    let length = match half {
        Some(half) => half.len(),
        None => weekday_length(rest).or_else(|| bracketed.then(|| weekday_sign(rest)).flatten())?,
    };
    cursor.skip(length);
    (!bracketed || cursor.take(')') || cursor.take('）')).then_some(cursor)
}

/// The length of the name of a weekday that a text begins with.
fn weekday_length(text: &str) -> Option<usize> {
    if let Some(week) = WEEK.iter().find(|week| text.starts_with(**week)) {
        return weekday_sign(&text[week.len()..]).map(|sign| week.len() + sign);
    }
    let sign = weekday_sign(text)?;
    let day = DAY_OF_WEEK
        .iter()
        .find(|day| text[sign..].starts_with(**day))?;
    Some(sign + day.len())
}

fn weekday_sign(text: &str) -> Option<usize> {
    let sign = text.chars().next()?;
    "一二三四五六天日月火水木金土월화수목금토일"
        .contains(sign)
        .then(|| sign.len_utf8())
}

/// A text in a script without spaces, without the half of a day or the weekday at its end that belongs to a time behind it.
pub(in super::super) fn without_day_part<'a>(run: &'a str, behind: &str) -> &'a str {
    let next = behind.strip_prefix(' ').unwrap_or(behind).chars().next();
    if next.map(Sort::of) != Some(Sort::Digit) {
        return run;
    }
    let mut kept = run;
    while let Some(shorter) = without_one(kept) {
        kept = shorter;
    }
    kept
}

fn without_one(run: &str) -> Option<&str> {
    if !run.ends_with(LAST_SIGNS) {
        return None;
    }
    if let Some(kept) = HALVES.iter().find_map(|half| run.strip_suffix(half)) {
        return Some(kept);
    }
    // The longest name has three signs.
    let starts = run.char_indices().rev().take(3).map(|(start, _)| start);
    starts
        .filter(|start| weekday_length(&run[*start..]) == Some(run.len() - start))
        .last()
        .map(|start| &run[..start])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_day_goes_with_the_time_behind_it() {
        for (run, kept) in [
            ("于上午", "于"),
            ("下午", ""),
            ("于星期三", "于"),
            ("周五晚上", ""),
            ("水曜日", ""),
            ("월요일", ""),
            ("三", "三"),
            ("周期", "周期"),
        ] {
            assert_eq!(without_day_part(run, "10:20"), kept, "{run}");
            assert_eq!(without_day_part(run, " 10:20"), kept, "{run}");
            assert_eq!(without_day_part(run, "失败"), run);
        }
    }

    #[test]
    fn a_part_of_a_day_goes_with_the_date_before_it() {
        for part in ["上午", "星期三", "周五", "水曜日", "(水)", "（월）"] {
            let end = day_part(Cursor::new(part, 0)).map(Cursor::place);
            assert_eq!(end, Some(part.len()), "{part}");
        }
        for text in ["水", "周期", "(x)", "(水", "三"] {
            assert!(day_part(Cursor::new(text, 0)).is_none(), "{text}");
        }
    }
}
