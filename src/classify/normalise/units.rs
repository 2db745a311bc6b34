//! Units of measure behind numbers: a closed list.

use super::cursor::Cursor;
use super::letters::{self, Sort};

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
        '千' => &["千字节", "千字節"],
        'メ' => &["メガバイト"],
        'キ' => &["キロバイト"],
        'ギ' => &["ギガバイト"],
        '메' => &["메가바이트"],
        '킬' => &["킬로바이트"],
        '기' => &["기가바이트"],
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

/// Whether a token is a number with a unit for each of another one: `12MB/s`, as `12 MB/s`.
pub(super) fn is_rate(token: &str) -> bool {
    let is_number = |character: char| {
        Sort::of(character) == Sort::Digit || matches!(character, '.' | ',' | '-' | '+')
    };
    let Some((amount, each)) = token.split_once('/') else {
        return false;
    };
    let unit = amount.trim_start_matches(is_number);
    unit.len() < amount.len() && is_unit(unit) && is_unit(each)
}

/// Whether a word is a unit, in whatever case it is written.
fn is_unit(word: &str) -> bool {
    if word.is_empty() || word.len() > LONGEST {
        false
    } else if word.is_ascii() {
        let mut lower = [0; LONGEST];
        let lower = &mut lower[..word.len()];
        lower.copy_from_slice(word.as_bytes());
        lower.make_ascii_lowercase();
        is_ascii_unit(lower)
    } else {
        is_other_unit(&letters::small(word))
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
        | b"seconde" | b"secondes" | b"heure" | b"heures" | b"jour" | b"jours" | b"mois" | b"ans"
        | b"segundo" | b"segundos" | b"minuto" | b"minutos" | b"hora" | b"horas" | b"dia" | b"dias"
        | b"secondi" | b"minuti" | b"ore" | b"giorno" | b"giorni"
        | b"sekund" | b"sekundy" | b"minut" | b"minuty" | b"godzin" | b"godziny" | b"dni"
        // Data.
        | b"b" | b"k" | b"g" | b"kb" | b"mb" | b"gb" | b"tb" | b"pb" | b"ki" | b"mi" | b"gi" | b"ti" | b"kib" | b"mib" | b"gib" | b"tib" | b"pib"
        | b"bit" | b"bits" | b"byte" | b"bytes" | b"kbit" | b"mbit" | b"gbit" | b"bps" | b"kbps" | b"mbps" | b"gbps"
        | b"kilobyte" | b"megabyte" | b"gigabyte" | b"terabyte" | b"kilobytes" | b"megabytes" | b"gigabytes" | b"terabytes"
        | b"kbyte" | b"mbyte" | b"gbyte" | b"kbytes" | b"mbytes" | b"gbytes"
        | b"o" | b"ko" | b"mo" | b"go" | b"octet" | b"octets"
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
        | "д" | "дн" | "день" | "дня" | "дней" | "сут" | "суток" | "неделя" | "недели" | "недель"
        | "месяц" | "месяца" | "месяцев" | "год" | "лет" | "día" | "días"
        | "бит" | "байт" | "байта" | "байтов" | "б" | "кб" | "мб" | "гб" | "тб" | "киб" | "миб" | "гиб" | "тиб"
        | "килобайт" | "мегабайт" | "гигабайт" | "килобайта" | "мегабайта" | "гигабайта" | "кбит" | "мбит"
        | "гц" | "кгц" | "мм" | "см" | "м" | "км" | "кг" | "процент" | "процента" | "процентов"
        | "µs" | "μs"
        | "ثانية" | "ثوان" | "ثواني" | "دقيقة" | "دقائق" | "ساعة" | "ساعات" | "بايت"
    )
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
            "12 Mo",
            "12 octets",
            "12 jours",
            "12 días",
            "12 giorni",
            "12 godzin",
            "12 Megabyte",
            "12 kByte",
            "12 мегабайта",
            "12 недели",
            "12 лет",
            "12千字节",
            "12 メガバイト",
            "12메가바이트",
        ] {
            assert_eq!(rest(text), "", "{text}");
        }
        assert_eq!(rest("12 ms."), ".");
        assert_eq!(rest("12 秒后重试"), "后重试");
        assert_eq!(rest("12分钟后"), "后");
    }

    #[test]
    fn a_rate_is_a_number() {
        for token in ["12MB/s", "1.5KiB/sec", "12МБ/с"] {
            assert!(is_rate(token), "{token}");
        }
        for token in ["12/s", "MB/s", "12MB/file", "12MB"] {
            assert!(!is_rate(token), "{token}");
        }
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
