//! A configuration file.

use std::collections::HashSet;

use chrono::Utc;

use super::assert_one_line;
use kb_exporter::config::{Config, KeySource, Schedule};

/// Stands in the bytes wherever somebody wrote a key into the file.
const PLACE: u8 = b'$';

/// That key.
const KEY: &str = "kbk_4fZq81xWm27TsYbN";

/// How much of a key must not be seen anywhere, in bytes.
const PIECE: usize = 8;

/// The longest line of an error, in characters.
const ERROR: usize = 999;

/// A configuration file, in which `$` stands for a key: what is refused has an error of one line without any of the key, and what is
/// taken can be run.
///
/// # Panics
/// When that does not hold.
pub fn configuration(bytes: &[u8]) {
    match Config::from_yaml("kb.yml", with_key(bytes)) {
        Ok(config) => assert_usable(&config),
        Err(error) => {
            let message = error.to_string();
            assert_one_line(&message, ERROR);
            assert_secret(&message, bytes);
        }
    }
}

fn with_key(bytes: &[u8]) -> Vec<u8> {
    let pieces: Vec<_> = bytes.split(|byte| *byte == PLACE).collect();
    pieces.join(KEY.as_bytes())
}

/// Asserts that nothing of the key is in the error but what the bytes said without it.
fn assert_secret(message: &str, bytes: &[u8]) {
    let has = |text: &[u8], piece: &[u8]| text.windows(PIECE).any(|window| window == piece);
    for piece in KEY.as_bytes().windows(PIECE) {
        let is_shown = has(message.as_bytes(), piece) && !has(bytes, piece);
        assert!(!is_shown, "a part of the key is in the error");
    }
}

fn assert_usable(config: &Config) {
    assert!(!config.portals.is_empty());
    let names: HashSet<_> = config.portals.iter().map(|portal| &portal.name).collect();
    assert_eq!(names.len(), config.portals.len(), "a name twice");
    for portal in &config.portals {
        assert!(matches!(
            portal.base_url.as_url().scheme(),
            "http" | "https"
        ));
        let shown = format!("{:?}", portal.key);
        assert!(!shown.contains(KEY), "{shown}");
        if let KeySource::Environment(name) = &portal.key {
            assert!(!name.expose().contains(KEY));
        }
    }
    if let Schedule::Cron(line) = &config.collect.schedule {
        let now = Utc::now();
        assert!(line.next_after(&now).is_some_and(|next| next > now));
    }
}
