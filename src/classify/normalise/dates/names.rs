//! Names of months, weekdays and zones: English, Russian, and those of neighbours.

use super::Sort;
use super::letters;

/// Longest name of the lists in small letters, in bytes.
const LONGEST: usize = 24;

/// Whether a word names a month or a weekday, before the text given.
///
/// Unless it is English with a capital, that is known only where a number follows: a year behind the months of some languages.
pub(super) fn is_name(word: &str, behind: &str) -> bool {
    if is_english(word, weekday) || is_english(word, month) {
        return true;
    }
    number_behind(behind).is_some_and(|number| {
        let begins_with_year = number.starts_with("19") || number.starts_with("20");
        let has_year = begins_with_year && letters::digits(number).len() == 4;
        in_small_letters(word, |lower| {
            (!lower.is_ascii() && is_russian_name(lower))
                || is_english_in_small_letters(lower)
                || is_weekday(lower)
                || (has_year && is_month(lower))
        })
    })
}

/// The number that follows a name, behind what parts them.
fn number_behind(behind: &str) -> Option<&str> {
    let is_between = |byte: &u8| matches!(byte, b' ' | b',' | b'.');
    let parted = &behind[behind.bytes().take_while(is_between).count()..];
    // Few words are followed by one of these.
    if !matches!(
        parted.as_bytes(),
        [b'0'..=b'9' | b'd' | b'l' | 0x80..=0xff, ..]
    ) {
        return None;
    }
    let number = parted
        .strip_prefix("den ")
        .or_else(|| parted.strip_prefix("le "))
        .unwrap_or(parted);
    let first = number.chars().next()?;
    (Sort::of(first) == Sort::Digit).then_some(number)
}

/// Whether a word names a month that stands behind the number of a day.
pub(super) fn is_month_behind_day(word: &str) -> bool {
    is_english(word, month)
        || in_small_letters(word, |lower| {
            (!lower.is_ascii() && is_russian_month(lower))
                || is_english_in_small_letters(lower)
                || is_month(lower)
                || is_abbreviated(lower)
        })
}

/// Whether a word names a month only where a year follows, as it has another meaning.
pub(super) fn needs_year(word: &str) -> bool {
    is_abbreviated(word)
}

/// Words between a weekday and the day.
pub(super) fn is_article(word: &str) -> bool {
    matches!(word, "den" | "le")
}

/// Words between the day, the month and the year.
pub(super) fn is_of(word: &str) -> bool {
    matches!(word, "of" | "de" | "del")
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

fn in_small_letters(word: &str, is_name: impl FnOnce(&str) -> bool) -> bool {
    word.len() <= LONGEST && is_name(&letters::small(word))
}

/// English names that are no other words when they have no capital.
#[rustfmt::skip]
fn is_english_in_small_letters(lower: &str) -> bool {
    matches!(lower.as_bytes(),
        b"january" | b"february" | b"march" | b"april" | b"june" | b"july" | b"august" | b"september" | b"october" | b"november"
        | b"december" | b"monday" | b"tuesday" | b"wednesday" | b"thursday" | b"friday" | b"saturday" | b"sunday"
    )
}

#[rustfmt::skip]
fn is_abbreviated(word: &str) -> bool {
    matches!(word.as_bytes(),
        b"jan" | b"feb" | b"mar" | b"apr" | b"may" | b"jun" | b"jul" | b"aug" | b"sep" | b"sept" | b"oct" | b"nov" | b"dec"
    )
}

/// Months in German, French, Spanish, Portuguese, Italian, Polish and Ukrainian.
#[rustfmt::skip]
fn is_month(lower: &str) -> bool {
    if !lower.is_ascii() {
        return matches!(lower,
            "jänner" | "märz" | "février" | "août" | "décembre" | "févr" | "déc" | "março" | "września" | "października"
            | "січня" | "лютого" | "березня" | "квітня" | "травня" | "червня" | "липня" | "серпня" | "вересня" | "жовтня"
            | "листопада" | "грудня"
        );
    }
    // Of bytes the compiler makes a tree, of texts a row of comparisons.
    matches!(lower.as_bytes(),
        b"januar" | b"februar" | b"mai" | b"juni" | b"juli" | b"oktober" | b"dezember" | b"okt" | b"dez" | b"janvier"
        | b"mars" | b"avril" | b"juin" | b"juillet" | b"septembre" | b"octobre" | b"novembre" | b"janv" | b"juil"
        | b"enero" | b"febrero" | b"marzo" | b"abril" | b"mayo" | b"junio" | b"julio" | b"agosto" | b"septiembre"
        | b"octubre" | b"noviembre" | b"diciembre" | b"janeiro" | b"fevereiro" | b"maio" | b"junho" | b"julho"
        | b"setembro" | b"outubro" | b"novembro" | b"dezembro" | b"gennaio" | b"febbraio" | b"aprile" | b"maggio"
        | b"giugno" | b"luglio" | b"settembre" | b"ottobre" | b"dicembre" | b"stycznia" | b"lutego" | b"marca"
        | b"kwietnia" | b"maja" | b"czerwca" | b"lipca" | b"sierpnia" | b"listopada" | b"grudnia"
    )
}

/// Weekdays in the same languages.
#[rustfmt::skip]
fn is_weekday(lower: &str) -> bool {
    if !lower.is_ascii() {
        return matches!(lower,
            "miércoles" | "sábado" | "terça-feira" | "lunedì" | "martedì" | "mercoledì" | "giovedì" | "venerdì"
            | "poniedziałek" | "środa" | "piątek" | "понеділок" | "вівторок" | "середа" | "четвер" | "п'ятниця"
            | "п’ятниця" | "субота" | "неділя"
        );
    }
    // Of bytes the compiler makes a tree, of texts a row of comparisons.
    matches!(lower.as_bytes(),
        b"montag" | b"dienstag" | b"mittwoch" | b"donnerstag" | b"freitag" | b"samstag" | b"sonnabend" | b"sonntag"
        | b"lundi" | b"mardi" | b"mercredi" | b"jeudi" | b"vendredi" | b"samedi" | b"dimanche" | b"lunes" | b"martes"
        | b"jueves" | b"viernes" | b"domingo" | b"segunda-feira" | b"quarta-feira" | b"quinta-feira" | b"sexta-feira"
        | b"sabato" | b"domenica" | b"wtorek" | b"czwartek" | b"sobota" | b"niedziela"
    )
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
        | "г" | "года" | "году" | "р" | "року"
    )
}
