//! The classes of the texts that were classified recently.

use std::collections::HashMap;

use foldhash::quality::RandomState;

use crate::classify::Class;

/// Memory that a cache may use, in bytes. When it is full, it starts again empty.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// Approximate memory of an entry without its text, in bytes.
const ENTRY_BYTES: usize = 128;

#[derive(Debug, Default)]
pub(super) struct Cache {
    classes: HashMap<Box<str>, Class, RandomState>,
    bytes: usize,
}

impl Cache {
    /// The class of a text, if it is remembered.
    pub fn get(&self, text: &str) -> Option<Class> {
        self.classes.get(text).cloned()
    }

    /// Remembers the class of a text, unless the text is long.
    pub fn insert(&mut self, text: &str, class: &Class) {
        let bytes = text.len() + ENTRY_BYTES;
        if text.len() > MAX_BYTES / 256 {
            return;
        }
        if self.bytes + bytes > MAX_BYTES {
            *self = Self::default();
        }
        self.classes.insert(text.into(), class.clone());
        self.bytes += bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_bounded() {
        let mut cache = Cache::default();
        for number in 0..50_000 {
            let text = format!("{number:0width$}", width = number % 1_000);
            cache.insert(&text, &Class::Other);
            assert_eq!(cache.get(&text), Some(Class::Other));
            assert!(cache.bytes <= MAX_BYTES);
        }
        let bytes = cache.classes.keys().map(|text| text.len() + ENTRY_BYTES);
        assert_eq!(cache.bytes, bytes.sum::<usize>());
        let long = "x".repeat(16 * 1024 + 1);
        cache.insert(&long, &Class::Other);
        assert_eq!(cache.get(&long), None);
    }
}
