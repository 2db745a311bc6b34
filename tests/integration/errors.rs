//! The classes of errors, as operators meet them: labels, the page, `scan` and `errors --explain`.

use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::process::run;
use crate::support::workspace::{Workspace, program};

use kb_simulator::{NewFile, Status};
use uuid::Uuid;

/// A folder whose files failed for these reasons.
fn fill(portal: &Portal, name: &str, reasons: impl IntoIterator<Item = String>) -> Uuid {
    let folder = portal.folder(name);
    for (number, reason) in reasons.into_iter().enumerate() {
        let file = NewFile::new(format!("{number:05}.pdf"), Status::Failed).because(reason);
        portal.add(folder, &file);
    }
    folder
}

#[tokio::test]
async fn people_see_an_example_of_each_class_and_since_when_it_is_known() {
    const HOSTILE: &str = "<script>alert('x')</script> on page 7\n\u{1b}[2J";
    let portal = Portal::start().await;
    fill(
        &portal,
        "Inbox",
        [HOSTILE.to_owned(), HOSTILE.replace('7', "8")],
    );
    fill(&portal, "Archive", [HOSTILE.replace('7', "9")]);
    let workspace = Workspace::new(&[("main", portal.base_url())]);
    let exporter = Exporter::start(&workspace).await;
    exporter.collected().await;

    let page = exporter.get("/errors").await.text().await.unwrap();
    assert!(!page.contains("<script>"), "{page}");
    assert!(
        page.contains("&lt;script&gt;alert('x')&lt;/script&gt; on page"),
        "{page}"
    );
    assert!(!page.contains('\u{1b}'), "{page}");
    for shown in [
        "first seen",
        "<td class=\"n\" data-label=\"Failed\">3<",
        "data-label=\"Folders\">2<",
    ] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    exporter.stop().await;
}

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
