//! The classes of the texts that were seen lately.

use std::collections::HashMap;

use foldhash::quality::RandomState;

use crate::classify::Class;

/// The most texts, and the most bytes of them. What exceeds this begins anew.
const MAX_ENTRIES: usize = 16 * 1024;
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// Remembers the classes of texts.
#[derive(Debug, Default)]
pub(super) struct Cache {
    classes: HashMap<Box<str>, Class, RandomState>,
    bytes: usize,
}

impl Cache {
    /// The class of a text, where it is remembered.
    pub fn get(&self, text: &str) -> Option<Class> {
        self.classes.get(text).cloned()
    }

    /// Remembers the class of a text, unless that takes much of the room.
    pub fn insert(&mut self, text: &str, class: &Class) {
        if text.len() > MAX_BYTES / 256 {
            return;
        }
        if self.classes.len() >= MAX_ENTRIES || self.bytes + text.len() > MAX_BYTES {
            self.classes.clear();
            self.bytes = 0;
        }
        if self.classes.insert(text.into(), class.clone()).is_none() {
            self.bytes += text.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut cache = Cache::default();
        for number in 0..3 * MAX_ENTRIES {
            let text = format!("{number:0width$}", width = number % 1_000);
            cache.insert(&text, &Class::Other);
            assert_eq!(cache.get(&text), Some(Class::Other));
            assert!(cache.bytes <= MAX_BYTES && cache.classes.len() <= MAX_ENTRIES);
        }
        let bytes: usize = cache.classes.keys().map(|text| text.len()).sum();
        assert_eq!(cache.bytes, bytes);
        let long = "x".repeat(MAX_BYTES / 256 + 1);
        cache.insert(&long, &Class::Other);
        assert_eq!(cache.get(&long), None);
    }
}
