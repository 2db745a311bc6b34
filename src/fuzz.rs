//! Fuzz targets: what must hold of any bytes that come from outside, asserted.
//!
//! Each function takes bytes, gives them to a part of the program as they would come to it, and panics where a promise is
//! broken. The module is built for tests and for `cargo fuzz`, which sets `cfg(fuzzing)`; it is no part of the program.
//! The seeds are in `fuzz/corpus`; the tests here run them and mutations of them.

mod answers;
mod configuration;
mod exposition;
mod reader;
#[cfg(test)]
mod tests;

pub use answers::{folder_list, page, reason, retry_after};
pub use configuration::configuration;
pub use exposition::exposition;

use crate::text;

/// Asserts that a text for people is one line that no terminal misreads, and of at most this many characters.
fn assert_one_line(text: &str, characters: usize) {
    let unsafe_character = text.chars().find(|character| text::is_unsafe(*character));
    assert_eq!(unsafe_character, None, "{text:?}");
    let length = text.chars().count();
    assert!(length <= characters, "{length} characters: {text:?}");
}
