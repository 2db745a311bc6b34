//! Names of months, weekdays and zones: English and Russian.

use super::Sort;

/// Longest name of the lists of Russian names, in bytes.
const LONGEST: usize = 24;

/// Whether a word names a month or a weekday, before the text given.
///
/// Of a Russian word that is known only where a number may follow.
pub(super) fn is_name(word: &str, behind: &str) -> bool {
    if word.is_ascii() {
        is_english(word, weekday) || is_english(word, month)
    } else {
        let number = behind.trim_start_matches([' ', ',', '.']).chars().next();
        number.map(Sort::of) == Some(Sort::Digit) && is_russian(word, is_russian_name)
    }
}

/// Whether a word names a month.
pub(super) fn is_month(word: &str) -> bool {
    if word.is_ascii() {
        is_english(word, month)
    } else {
        is_russian(word, is_russian_month)
    }
}

/// Whether a word is a name, or the beginning of one; it has a capital, as `may` and `sun` are words.
fn is_english(word: &str, name: fn([u8; 3]) -> Option<&'static str>) -> bool {
    let [first @ b'A'..=b'Z', second, third, ..] = word.as_bytes() else {
        return false;
    };
    let start = [
        *first,
        second.to_ascii_lowercase(),
        third.to_ascii_lowercase(),
    ];
    name(start)
        .and_then(|name| name.get(..word.len()))
        .is_some_and(|name| name.eq_ignore_ascii_case(word))
}

/// The month whose name begins so.
fn month(start: [u8; 3]) -> Option<&'static str> {
    Some(match &start {
        b"Jan" => "January",
        b"Feb" => "February",
        b"Mar" => "March",
        b"Apr" => "April",
        b"May" => "May",
        b"Jun" => "June",
        b"Jul" => "July",
        b"Aug" => "August",
        b"Sep" => "September",
        b"Oct" => "October",
        b"Nov" => "November",
        b"Dec" => "December",
        _ => return None,
    })
}

/// The weekday whose name begins so.
fn weekday(start: [u8; 3]) -> Option<&'static str> {
    Some(match &start {
        b"Mon" => "Monday",
        b"Tue" => "Tuesday",
        b"Wed" => "Wednesday",
        b"Thu" => "Thursday",
        b"Fri" => "Friday",
        b"Sat" => "Saturday",
        b"Sun" => "Sunday",
        _ => return None,
    })
}

fn is_russian(word: &str, is_name: fn(&str) -> bool) -> bool {
    word.len() <= LONGEST && is_name(&word.to_lowercase())
}

#[rustfmt::skip]
fn is_russian_month(lower: &str) -> bool {
    matches!(lower,
        "январь" | "января" | "янв" | "февраль" | "февраля" | "фев" | "февр" | "март" | "марта" | "мар"
        | "апрель" | "апреля" | "апр" | "май" | "мая" | "июнь" | "июня" | "июн" | "июль" | "июля" | "июл"
        | "август" | "августа" | "авг" | "сентябрь" | "сентября" | "сен" | "сент" | "октябрь" | "октября" | "окт"
        | "ноябрь" | "ноября" | "ноя" | "нояб" | "декабрь" | "декабря" | "дек"
    )
}

#[rustfmt::skip]
fn is_russian_name(lower: &str) -> bool {
    is_russian_month(lower) || matches!(lower,
        "понедельник" | "понедельника" | "вторник" | "вторника" | "среда" | "среду" | "среды" | "четверг" | "четверга"
        | "пятница" | "пятницу" | "пятницы" | "суббота" | "субботу" | "субботы" | "воскресенье" | "воскресенья"
        | "пн" | "вт" | "ср" | "чт" | "пт" | "сб" | "вс"
    )
}

/// Whether a word behind a time belongs to it.
#[rustfmt::skip]
pub(super) fn is_zone(word: &str) -> bool {
    matches!(word,
        "UTC" | "GMT" | "Z" | "MSK" | "МСК" | "CET" | "CEST" | "EET" | "EEST" | "WET" | "BST" | "IST" | "JST" | "KST"
        | "EST" | "EDT" | "CST" | "CDT" | "MST" | "MDT" | "PST" | "PDT" | "AM" | "PM" | "am" | "pm"
        | "г" | "года" | "году"
    )
}
