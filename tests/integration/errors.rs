//! The classes of errors, as `errors --explain` tells them.

use crate::support::process::run;
use crate::support::workspace::program;

#[test]
fn a_reason_is_explained_without_a_portal() {
    let explain = |arguments: &[&str], input: &str| {
        let output = run(
            program().args(["errors", "--explain"]).args(arguments),
            input,
        );
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let printed = explain(&["page 7 of 'a b.pdf' lost"], "");
    assert!(
        printed.contains("no rule: masked") && printed.contains("page <n>"),
        "{printed}"
    );
    let reason = "conversion of Annual report 2026.docx failed";
    let printed = explain(&[reason, "--file", "Annual report 2026.docx"], "");
    assert!(printed.contains("conversion of <file> failed"), "{printed}");
    let printed = explain(
        &["-", "--each-line"],
        "page 1 lost\n\npage 2 lost\nno text\n",
    );
    assert_eq!(printed.matches("page <n> lost").count(), 2, "{printed}");
    assert_eq!(
        printed.matches("no text").count(),
        2,
        "class and reason: {printed}"
    );
    let printed = explain(
        &["-", "--each-line", "--output", "json"],
        "page 1 lost\n\nno text\n",
    );
    let objects = printed
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let objects: Vec<serde_json::Value> = objects.collect();
    let classes: Vec<_> = objects.iter().map(|object| &object["class"]).collect();
    assert_eq!(classes, ["page <n> lost", "unspecified", "no text"]);
    assert!(
        objects.iter().all(|object| object["by"].is_string()),
        "{printed}"
    );

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kb.yml");
    let portal = "portals: [{name: a, base_url: 'https://p.example', api_key_env: K}]";
    let rules = "errors: {rules: [{match: 'xref', class: broken pdf}], masks: [{name: tenant, match: 'of [a-z]+'}]}";
    std::fs::write(&file, format!("{portal}\n{rules}\n")).unwrap();
    let printed = explain(
        &[
            "invalid xref table",
            "--config.file",
            file.to_str().unwrap(),
        ],
        "",
    );
    assert!(
        printed.contains("broken pdf") && printed.contains("rule 1: xref"),
        "{printed}"
    );
    let printed = explain(
        &[
            "quota of acme exceeded",
            "--config.file",
            file.to_str().unwrap(),
        ],
        "",
    );
    assert!(printed.contains("quota <tenant> exceeded"), "{printed}");
}
