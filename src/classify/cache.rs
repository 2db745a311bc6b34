//! The classes of the texts that were seen lately.

use std::collections::HashMap;

use foldhash::quality::RandomState;

use crate::classify::Class;

/// The most texts of a generation.
const MAX_ENTRIES: usize = 8 * 1024;

/// The most bytes of texts of a generation.
const MAX_BYTES: usize = 2 * 1024 * 1024;

/// Longest text that is remembered, in bytes.
const MAX_TEXT: usize = 16 * 1024;

/// Remembers the class of each text of two generations. The older one goes when the younger one is full.
#[derive(Debug, Default)]
pub(super) struct Cache {
    young: HashMap<Box<str>, Class, RandomState>,
    old: HashMap<Box<str>, Class, RandomState>,
    /// Bytes of the young texts.
    bytes: usize,
}

impl Cache {
    /// The class of a text, where it is remembered.
    pub fn get(&mut self, text: &str) -> Option<Class> {
        if let Some(class) = self.young.get(text) {
            return Some(class.clone());
        }
        let class = self.old.get(text)?.clone();
        self.insert(text, &class);
        Some(class)
    }

    /// Remembers the class of a text.
    pub fn insert(&mut self, text: &str, class: &Class) {
        if text.len() > MAX_TEXT {
            return;
        }
        if self.young.len() >= MAX_ENTRIES || self.bytes + text.len() > MAX_BYTES {
            self.old = std::mem::take(&mut self.young);
            self.bytes = 0;
        }
        self.bytes += text.len();
        self.young.insert(text.into(), class.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_is_bounded_and_what_comes_again_stays() {
        let mut cache = Cache::default();
        let often = Class::Unspecified;
        cache.insert("often", &often);
        for number in 0..5 * MAX_ENTRIES {
            let text = format!("{number:0width$}", width = number % 1_000);
            cache.insert(&text, &Class::Other);
            assert_eq!(cache.get("often"), Some(often.clone()), "{number}");
            let bytes: usize = cache.young.keys().chain(cache.old.keys()).map(|text| text.len()).sum();
            assert!(bytes <= 2 * MAX_BYTES || number % 1_000 > 0, "{bytes}");
            assert!(cache.young.len() + cache.old.len() <= 2 * MAX_ENTRIES);
        }
        assert_eq!(cache.get("1"), None, "it did not come again");
        cache.insert(&"x".repeat(MAX_TEXT + 1), &often);
        assert_eq!(cache.get(&"x".repeat(MAX_TEXT + 1)), None);
    }
}
