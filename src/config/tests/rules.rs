//! What holds for every file.

use proptest::prelude::*;

use super::refusals::error;
use super::{Config, full_example};
use crate::text;

proptest! {
    // Each case reads the whole example several times.
    #![proptest_config(ProptestConfig { cases: 80, ..ProptestConfig::default() })]

    #[test]
    fn whatever_the_file_holds_the_first_mistake_is_one_short_line(
        name in any::<String>(),
        noise in any::<String>(),
        cut in 0..full_example().len(),
        repeated in 1_usize..200,
    ) {
        let example = full_example();
        let (start, end) = example.split_at(cut);
        let inserted = format!("{start}{}{end}", noise.repeat(repeated));
        for yaml in [noise.as_str(), &inserted, start] {
            if let Err(error) = Config::from_yaml(&name, yaml) {
                let line = error.to_string();
                prop_assert!(line.chars().count() < 1000, "{line}");
                prop_assert!(!line.chars().any(text::is_unsafe), "{line}");
            }
        }
    }

    #[test]
    fn a_secret_is_never_shown_whatever_its_place(
        secret in "[A-Za-z0-9]{12,40}",
        name in "api_key|key|token|password|authorization|headers",
        cut in 0..full_example().len(),
    ) {
        let portal = "portals:\n  - name: a\n    base_url: https://p\n";
        for line in [
            format!("{name}: {secret}"),
            format!("{name}: [{secret}]"),
            format!("{name}: {{a: {secret}}}"),
            format!("{name}: \"{secret}\nx"),
            format!("{name}:{secret}\n    a: b"),
            format!("{name}{secret}: 1"),
            format!("{secret}: 1\n    {secret}: 2"),
            format!("name: !{secret} a"),
            format!("base_url: &{secret} a\n    proxy_url: *{secret}x"),
        ] {
            let message = error(&format!("{portal}    {line}\n"));
            prop_assert!(!message.contains(&secret), "{message}");
        }
        let example = full_example();
        let (start, end) = example.split_at(cut);
        for piece in [secret.clone(), format!("\"{secret}\""), format!(" {secret}: "), format!("\n{secret}\n")] {
            if let Err(error) = Config::from_yaml("kb.yml", format!("{start}{piece}{end}")) {
                prop_assert!(!error.to_string().contains(&secret), "{error}");
            }
        }
    }
}
