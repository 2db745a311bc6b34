//! Names with values, as JSON, Python, the console of Node and logfmt write them, also behind words and cut off.

use std::sync::LazyLock;

use regex::Regex;

use crate::classify::expression::regex;

/// A name with its value, which a sign ends or the next name; or a text that has no name.
static FIELD: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r#"(?s)(?P<quote>\\?["'])?(?P<name>\b[A-Za-z_@][\w.-]{0,40})\\?['"]?\s{0,9}(?P<sign>:|=>?)\s*(?:(?:(?:\{\s*["'][^"'\n]{1,60}["']\s*:\s*)?\[\s*)?[bu]?(?:"#,
        r#"\\"(?P<escaped>.*?)(?:\\"|\z)|(?:"(?P<double>(?:(?:[^"\\{]|\\.)(?:[^"\\]|\\.)*)?)(?:"|\z)(?:\s*\+\s*"[^"]*")*|'(?P<single>(?:(?:[^'\\{]|\\.)(?:[^'\\]|\\.)*)?)(?:'|\z)(?:\s*\+\s*'[^']*')*)"#,
        r#"(?P<close>\s*(?:[,;|)\]}>\n]|\z)|\s+\\?["']?[\w.-]+\\?["']?[=:])?)"#,
        r#"|(?P<plain>[^\s"'`,;={}\[\]()<>:](?:[^"'`,;={}()<>\[\]\n]|\[[^\[\]\n]*\])*?)(?P<end>,|;|\n|\z|[\])}>]|\s[\w.-]+=))"#,
        r#"|\\["']|"(?:[^"\\{\[]|\\.)(?:[^"\\]|\\.)*"|'(?:[^'\\{\[]|\\.)(?:[^'\\]|\\.)*'"#
    ))
});

/// Where a text has an object or a list of texts.
static OBJECT: LazyLock<Regex> = LazyLock::new(|| regex(r#"\{[^{}]*["']|\[\s*\{?\\?["']"#));

/// The name of an exception that precedes its message, with the modules that it is in: it is no field.
static EXCEPTION: LazyLock<Regex> = LazyLock::new(|| regex(r"\.[A-Z]|\w(?:Error|Exception)\z"));

/// Names of fields with the message, the most particular first, and of those that say something without one.
const MESSAGES: &str = include_str!("messages.txt");

/// What logs call what was done; why it failed follows.
const DONE: [&str; 2] = ["msg", "message"];

/// Names that an entry of a log has, and an answer has not.
const LOG: [&str; 5] = ["level", "lvl", "severity", "ts", "logger"];

struct Field<'a> {
    name: String,
    value: &'a str,
    is_word: bool,
}

/// The message among the fields, behind the words before all of them.
pub(super) fn read(text: &str) -> Option<String> {
    let object = OBJECT.find(text).map(|object| object.start());
    let is_object = object.is_some();
    if !text.contains('=') && !is_object {
        return None;
    }
    let (start, fields) = fields(text, object.unwrap_or_default());
    let opening = text.find('{').filter(|_| is_object).or(start);
    let before = &text[..opening.min(start).unwrap_or_default()];
    let before = before.strip_suffix("b'").unwrap_or(before);
    let before = without_opening(before);
    let is_whole = before.is_empty() || before.ends_with([':', '-', '=']);
    let is_message = |field: &Field<'_>| !field.is_word || field.value.contains(' ');
    let has_pairs = is_object || fields.iter().any(is_message) || fields.len() > 1;
    let mut groups: Vec<_> = MESSAGES.lines().filter(|_| has_pairs).collect();
    let is_log = fields.iter().any(|field| LOG.contains(&&*field.name));
    let is_answer = is_object && !is_log;
    if is_answer && has_pairs {
        // An object names the error by a word and explains it in its message; a log says in its message what was done.
        groups.swap(1, 2);
    }
    let found = groups
        .into_iter()
        .find_map(|names| said(&fields, names, is_object && is_whole))?;
    let done = fields
        .iter()
        .find(|field| !is_answer && DONE.contains(&&*field.name));
    let done = done.map_or("", |done| done.value);
    let said = if found.starts_with(done) {
        found
    } else {
        format!("{done}: {found}")
    };
    let space = if before.is_empty() { "" } else { " " };
    let before = before.trim_start_matches(['<', '[', '(']);
    let before = before.trim_end_matches('=');
    Some(format!("{before}{space}{}", super::unescaped(&said)))
}

/// The words before an object, without the signs that open it.
fn without_opening(before: &str) -> &str {
    let before = before.trim_end_matches(|sign: char| "<([{ \n".contains(sign));
    let opens = |quote: &char| before.ends_with(*quote) && before.matches(*quote).count() % 2 == 1;
    if ['\'', '"'].iter().any(opens) {
        without_opening(&before[..before.len() - 1])
    } else {
        before
    }
}

/// The value of the first field with one of these names. A word without quotes is a message where there is no object; a code is one where
/// there is nothing else.
fn said(fields: &[Field<'_>], names: &str, is_object: bool) -> Option<String> {
    let is_code = names.starts_with("code");
    let has_letters = |value: &str| value.chars().filter(|sign| sign.is_alphabetic()).count() > 2;
    let fits = |field: &&Field<'_>| match (is_code, field.is_word) {
        (true, _) => is_object && field.value.chars().any(char::is_alphanumeric),
        (false, true) => !is_object && has_letters(field.value),
        (false, false) => has_letters(field.value),
    };
    let is_blank =
        |value: &str| matches!(value, "None" | "null" | "true" | "false" | "True" | "False");
    let mut of = |name: &str| {
        fields
            .iter()
            .find(|field| field.name == name && fits(field) && !is_blank(field.value))
    };
    let field = names.split(' ').find_map(&mut of)?;
    let is_number = is_code && field.is_word;
    Some(if is_number {
        format!("{} {}", field.name, field.value)
    } else {
        field.value.to_owned()
    })
}

/// Where the first field begins, and all of them. What looks like a field before an object, or like a quotation in a sentence, is none.
fn fields(text: &str, opening: usize) -> (Option<usize>, Vec<Field<'_>>) {
    let (mut start, mut fields, mut at) = (None, Vec::new(), 0);
    while let Some(found) = FIELD.captures_at(text, at).filter(|_| fields.len() < 1_000) {
        // What ends a value may begin the next name.
        let end = found.get(0).map_or(text.len(), |all| all.end());
        let sign = found.name("end").or_else(|| found.name("close"));
        at = sign.map_or(end, |sign| sign.start());
        let Some(name) = found.name("name") else {
            continue;
        };
        let is_word = found.name("plain").is_some();
        let may_be_text = found.name("quote").is_none();
        let colon = found
            .name("sign")
            .filter(|sign| may_be_text && sign.as_str() == ":");
        if let Some(colon) = colon {
            let is_text = if is_word {
                name.start() < opening
            } else {
                found.name("close").is_none()
            };
            if is_text || EXCEPTION.is_match(name.as_str()) {
                at = colon.end();
                continue;
            }
        }
        start = start.or(Some(name.start()));
        let value = ["escaped", "double", "single", "plain"]
            .iter()
            .find_map(|kind| found.name(kind));
        let letters = name.as_str().chars().filter(char::is_ascii_alphanumeric);
        fields.push(Field {
            name: letters.collect::<String>().to_ascii_lowercase(),
            value: value.map_or("", |value| value.as_str().trim()),
            is_word,
        });
    }
    (start, fields)
}
