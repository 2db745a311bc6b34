//! What must hold of any bytes that come from outside.
//!
//! Each function gives bytes to a part of the program as they would reach it, and panics where a promise is broken. `tests/fuzz/main.rs`
//! runs them over the seeds and changed seeds, and `cargo fuzz` over whatever it finds.

mod answers;
mod configuration;

pub use answers::{folder_list, page, reason};
pub use configuration::configuration;

use kb_exporter::text;

/// Asserts that a text for people is one line that no terminal misreads, and of at most this many characters.
fn assert_one_line(text: &str, characters: usize) {
    let unsafe_character = text.chars().find(|character| text::is_unsafe(*character));
    assert_eq!(unsafe_character, None, "{text:?}");
    let length = text.chars().count();
    assert!(length <= characters, "{length} characters: {text:?}");
}
