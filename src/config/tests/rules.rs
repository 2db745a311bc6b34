//! What holds for every file.

use proptest::prelude::*;

use super::refusals::error;
use super::{Config, EXAMPLE};
use crate::text;

proptest! {
    #[test]
    fn whatever_the_file_holds_the_error_is_one_short_line(
        name in any::<String>(),
        noise in any::<String>(),
        cut in 0..EXAMPLE.len(),
        repeated in 1_usize..200,
    ) {
        let inserted = format!("{}{}{}", &EXAMPLE[..cut], noise.repeat(repeated), &EXAMPLE[cut..]);
        for yaml in [noise.as_str(), &inserted, &EXAMPLE[..cut]] {
            if let Err(error) = Config::from_yaml(&name, yaml) {
                let line = error.to_string();
                prop_assert!(line.chars().count() < 1000, "{line}");
                prop_assert!(!line.chars().any(text::is_unsafe), "{line}");
            }
        }
    }

    #[test]
    fn a_key_in_the_file_is_refused_and_never_shown(
        key in "kbk_[A-Za-z0-9_-]{4,40}|[A-Za-z0-9]{24,40}",
        name in "api_key|key|token|password|authorization|headers",
    ) {
        let portal = "portals:\n  - name: a\n    base_url: https://p\n";
        for line in [
            format!("{name}: {key}"),
            format!("{name}: [{key}]"),
            format!("{name}: {{a: {key}}}"),
            format!("{name}: \"{key}\nx"),
            format!("{name}:{key}\n    a: b"),
        ] {
            let message = error(&format!("{portal}    {line}\n"));
            prop_assert!(!message.contains(&key), "{message}");
        }
        for place in ["api_key_env", "api_key_file", "name", "base_url", "proxy_url"] {
            let text = format!("portals:\n  - {place}: kbk_{key}\n");
            prop_assert!(!error(&text).contains(&key));
        }
    }
}
