//! Units of measure behind numbers: a closed list.

use super::cursor::Cursor;
use super::letters::Sort;

/// Longest unit of the list, in bytes.
const LONGEST: usize = 24;

/// Where the unit ends that stands behind a number, after one space or none; the same place if there is none.
pub(super) fn skip(text: &str, place: usize) -> usize {
    let mut cursor = Cursor::new(text, place);
    cursor.take_space();
    skip_sign(cursor)
        .or_else(|| skip_dense(cursor))
        .or_else(|| skip_word(cursor))
        .map_or(place, Cursor::place)
}

fn skip_sign(mut cursor: Cursor<'_>) -> Option<Cursor<'_>> {
    cursor.take_if(|sign| matches!(sign, '%' | '‰' | '％' | '٪'))?;
    cursor.is_end_of_token().then_some(cursor)
}

fn skip_dense(mut cursor: Cursor<'_>) -> Option<Cursor<'_>> {
    let rest = cursor.rest();
    let unit = dense_units(cursor.peek()?)
        .iter()
        .find(|unit| rest.starts_with(**unit))?;
    cursor.skip(unit.len());
    // Alone, this sign is a minute; before another one it mostly begins a word.
    let begins_word = *unit == "分" && is_dense(cursor);
    (!begins_word).then_some(cursor)
}

/// Units of scripts without spaces by their first sign, the longer of two that begin alike first.
fn dense_units(first: char) -> &'static [&'static str] {
    match first {
        '秒' => &["秒"],
        '毫' => &["毫秒", "毫米"],
        '微' => &["微秒"],
        '分' => &["分钟", "分鐘", "分"],
        '小' => &["小时", "小時"],
        '时' | '時' => &["时间", "時間"],
        '天' => &["天"],
        '字' => &["字节", "字節"],
        '兆' => &["兆字节", "兆"],
        'バ' => &["バイト"],
        'ミ' => &["ミリ秒"],
        '밀' => &["밀리초"],
        '초' => &["초"],
        '분' => &["분"],
        '시' => &["시간"],
        '일' => &["일"],
        '바' => &["바이트"],
        'น' => &["นาที"],
        'ว' => &["วินาที"],
        'ช' => &["ชั่วโมง"],
        _ => &[],
    }
}

fn is_dense(cursor: Cursor<'_>) -> bool {
    cursor.peek().map(Sort::of) == Some(Sort::Dense)
}

fn skip_word(mut cursor: Cursor<'_>) -> Option<Cursor<'_>> {
    is_unit(cursor.take_word()).then_some(())?;
    let mut rate = cursor;
    if rate.take('/') && is_unit(rate.take_word()) {
        cursor = rate;
    }
    cursor.is_end_of_token().then_some(cursor)
}

/// Whether a word is a unit, in whatever case it is written.
pub(super) fn is_unit(word: &str) -> bool {
    if word.is_empty() || word.len() > LONGEST {
        false
    } else if word.is_ascii() {
        let mut lower = [0; LONGEST];
        let lower = &mut lower[..word.len()];
        lower.copy_from_slice(word.as_bytes());
        lower.make_ascii_lowercase();
        is_ascii_unit(lower)
    } else {
        is_other_unit(&word.to_lowercase())
    }
}

#[rustfmt::skip]
fn is_ascii_unit(lower: &[u8]) -> bool {
    matches!(lower,
        // Time.
        b"ns" | b"us" | b"ms" | b"s" | b"m" | b"h" | b"d" | b"nsec" | b"usec" | b"msec" | b"sec" | b"secs" | b"min"
        | b"mins" | b"hr" | b"hrs" | b"am" | b"pm"
        | b"nanosecond" | b"nanoseconds" | b"microsecond" | b"microseconds" | b"millisecond" | b"milliseconds"
        | b"second" | b"seconds" | b"minute" | b"minutes" | b"hour" | b"hours" | b"day" | b"days" | b"week" | b"weeks"
        | b"month" | b"months" | b"year" | b"years"
        | b"sek" | b"sekunde" | b"sekunden" | b"minuten" | b"stunde" | b"stunden" | b"tag" | b"tage" | b"tagen"
        // Data.
        | b"b" | b"k" | b"g" | b"kb" | b"mb" | b"gb" | b"tb" | b"pb" | b"ki" | b"mi" | b"gi" | b"ti" | b"kib" | b"mib" | b"gib" | b"tib" | b"pib"
        | b"bit" | b"bits" | b"byte" | b"bytes" | b"kbit" | b"mbit" | b"gbit" | b"bps" | b"kbps" | b"mbps" | b"gbps"
        | b"kilobytes" | b"megabytes" | b"gigabytes"
        // The rest.
        | b"hz" | b"khz" | b"mhz" | b"ghz" | b"dpi" | b"fps" | b"px" | b"pt" | b"mm" | b"cm" | b"km" | b"kg"
        | b"percent" | b"prozent"
    )
}

#[rustfmt::skip]
fn is_other_unit(lower: &str) -> bool {
    matches!(lower,
        "нс" | "мкс" | "мс" | "с" | "сек" | "секунд" | "секунда" | "секунды" | "секунду" | "миллисекунд"
        | "мин" | "минут" | "минута" | "минуты" | "минуту" | "ч" | "час" | "часа" | "часов"
        | "д" | "дн" | "день" | "дня" | "дней" | "сут" | "суток"
        | "бит" | "байт" | "байта" | "байтов" | "б" | "кб" | "мб" | "гб" | "тб" | "киб" | "миб" | "гиб" | "тиб"
        | "килобайт" | "мегабайт" | "гигабайт" | "кбит" | "мбит"
        | "гц" | "кгц" | "мм" | "см" | "м" | "км" | "кг" | "процент" | "процента" | "процентов"
        | "µs" | "μs"
        | "ثانية" | "ثوان" | "ثواني" | "دقيقة" | "دقائق" | "ساعة" | "ساعات" | "بايت"
    )
}

/// Whether letters that are written together with a number are a unit or make an ordinal or a factor of it.
pub(super) fn is_suffix(letters: &str) -> bool {
    matches!(letters, "st" | "nd" | "rd" | "th" | "x" | "X" | "х" | "p")
        || matches!(letters, "й" | "го" | "му" | "я" | "е")
        || is_unit(letters)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rest(text: &str) -> &str {
        &text[skip(text, 2)..]
    }

    #[test]
    fn a_unit_belongs_to_its_number() {
        for text in [
            "12ms",
            "12 ms",
            "12 KiB",
            "12 %",
            "12 ％",
            "12 с",
            "12 МБ",
            "12\u{a0}секунд",
            "12秒",
            "12 毫秒",
            "12 MB/s",
            "12 µs",
            "12 ثانية",
            "12 Stunden",
        ] {
            assert_eq!(rest(text), "", "{text}");
        }
        assert_eq!(rest("12 ms."), ".");
        assert_eq!(rest("12 秒后重试"), "后重试");
        assert_eq!(rest("12分钟后"), "后");
    }

    #[test]
    fn what_is_counted_is_no_unit() {
        for counted in [
            " retries", " pages", "  ms", " ms-1", " s3", " s'il", " MB/file", "分析", "页", " %s",
        ] {
            let text = format!("12{counted}");
            assert_eq!(rest(&text), counted);
        }
    }
}
