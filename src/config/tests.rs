//! Whole files that are taken, and how they are read.

mod refusals;
mod schema;

use regex::Regex;

use super::*;

/// The example as it is when the comment signs before its keys are removed.
pub(super) fn full_example() -> String {
    let commented_out = Regex::new(r"(?m)^( *)# ( *[a-z_]+:)").unwrap();
    commented_out.replace_all(EXAMPLE, "$1$2").into_owned()
}

/// A portal on the first line, so that the keys under test begin on the second.
const PORTAL: &str = "portals: [{name: a, base_url: https://p, api_key_env: K}]\n";

#[test]
fn the_example_changes_nothing_in_the_portal() {
    for example in [EXAMPLE, &full_example()] {
        let config = Config::from_yaml("example.yml", example).unwrap();
        assert_eq!(config.reindex.strongest_mode(), Mode::Off);
    }
}

#[test]
fn a_file_is_read_and_named_in_its_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kb.yml");
    let name = path.display().to_string();
    let read = || Config::from_file(&path).map_err(|error| error.to_string());

    let missing = read().unwrap_err();
    assert!(
        missing.starts_with(&format!("{name}: cannot be read: ")),
        "{missing}"
    );

    std::fs::write(&path, PORTAL).unwrap();
    assert_eq!(read().unwrap().portals.len(), 1);

    std::fs::write(&path, b"portals:\n  - name: \xff").unwrap();
    assert_eq!(read().unwrap_err(), format!("{name}: is not UTF-8 text"));

    std::fs::write(&path, vec![b'#'; 2 << 20]).unwrap();
    let large = format!("{name}: cannot be read: it is larger than 1048576 bytes");
    assert_eq!(read().unwrap_err(), large);
}
