//! The classes of errors, as `errors --explain` tells them.

use serde_json::Value;

use crate::support::process::output_with;
use crate::support::workspace::program;

const CONFIG: &str = "
portals: [{name: a, base_url: 'https://p.example', api_key_env: K}]
errors:
  rules: [{match: '^(invalid )?xref', class: broken pdf}]
  masks: [{name: tenant, match: 'of [a-z]+'}]
";

#[test]
fn a_reason_is_explained_without_a_portal() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("kb.yml"), CONFIG).unwrap();
    // As a Windows editor writes it, and not all of it is text.
    let reason = b"\xef\xbb\xbfxref lost\n\xff";
    std::fs::write(folder.path().join("reason.txt"), reason).unwrap();
    let explain = |arguments: &[&str], input: &str| {
        let mut command = program();
        command.current_dir(&folder).args(["errors", "--explain"]);
        output_with(command.args(arguments), input)
    };
    let report = "conversion of Annual report 2026.docx failed";
    for (arguments, says) in [
        (
            &["page 7 of 'a b.pdf' lost"][..],
            ["no rule: masked", "page <n>"],
        ),
        (
            &[report, "--file", "Annual report 2026.docx"],
            ["conversion of <file> failed"; 2],
        ),
        (
            &["reason.txt", "--config.file=kb.yml"],
            ["broken pdf", "rule 1: "],
        ),
        (
            &["invalid xref table", "--config.file=kb.yml"],
            ["broken pdf", "rule 1: "],
        ),
        (
            &["quota of acme exceeded", "--config.file=kb.yml"],
            ["quota <tenant> exceeded"; 2],
        ),
    ] {
        let printed = explain(arguments, "");
        assert!(says.iter().all(|says| printed.contains(says)), "{printed}");
    }
    let lines = "page 1 lost\n\npage 2 lost\nno text\n";
    let printed = explain(&["-", "--each-line"], lines);
    assert_eq!(printed.matches("page <n> lost").count(), 2, "{printed}");
    let printed = explain(&["-", "--each-line", "--output", "json"], lines);
    let objects = printed.lines().map(serde_json::from_str);
    let objects: Vec<Value> = objects.map(Result::unwrap).collect();
    let classes: Vec<_> = objects.iter().map(|object| &object["class"]).collect();
    let expected = ["page <n> lost", "unspecified", "page <n> lost", "no text"];
    assert_eq!(classes, expected);
    let has_way = objects.iter().all(|object| object["by"].is_string());
    assert!(has_way, "{printed}");
}
