//! Makes HTML of the documents while the program is built (`build.rs`).

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

/// The documents that the exporter serves, in the order of its list. A document is known by the name of its file.
const DOCUMENTS: [&str; 11] = [
    "alerts/runbook.md",
    "docs/troubleshooting.md",
    "docs/first-hour.md",
    "docs/metrics.md",
    "docs/installation.md",
    "docs/operations.md",
    "docs/shared-state.md",
    "docs/reindexing.md",
    "docs/configuration.md",
    "docs/portal.md",
    "docs/architecture.md",
];

/// Writes a page of each document, and `documents.rs`, the list of their names, titles and pages.
pub fn write() {
    let folder = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let documents = DOCUMENTS.map(|path| {
        println!("cargo::rerun-if-changed={path}");
        let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let name = name(path);
        let (title, body) = page(name, &text);
        let file = folder.join(name).with_extension("html");
        fs::write(&file, body).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let file = file.display().to_string();
        format!("({name:?}, {title:?}, include_str!({file:?}))")
    });
    let (number, documents) = (documents.len(), documents.join(", "));
    let code = format!("const DOCUMENTS: [(&str, &str, &str); {number}] = [{documents}];");
    let file = folder.join("documents.rs");
    fs::write(&file, code).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
}

fn name(path: &str) -> &str {
    Path::new(path)
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or(path)
}

/// The title of a document, and its page. Headings have the anchors that the links of the documents name, and the contents below the title lead
/// to the sections; links to what is not served, and pictures, are their text.
fn page(name: &str, text: &str) -> (String, String) {
    let mut events: Vec<_> = Parser::new_ext(text, Options::ENABLE_TABLES).collect();
    let headings = name_headings(&mut events);
    let title = headings.first().map_or("", |heading| &heading.text);
    let mut contents = Some(contents(name, &headings));
    let mut are_links = Vec::new();
    let events = events.into_iter().flat_map(|event| match event {
        Event::Start(Tag::Link {
            link_type,
            dest_url,
            title,
            id,
        }) => {
            let served = served(name, &dest_url);
            are_links.push(served.is_some());
            let link = served.map(|served| {
                let dest_url = served.into();
                Event::Start(Tag::Link {
                    link_type,
                    dest_url,
                    title,
                    id,
                })
            });
            [None, link]
        }
        Event::End(TagEnd::Link) => [None, are_links.pop().unwrap_or(false).then_some(event)],
        Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => [None, None],
        Event::End(TagEnd::Heading(HeadingLevel::H1)) => [
            Some(event),
            contents.take().map(|list| Event::Html(list.into())),
        ],
        Event::Start(Tag::Table(_)) => {
            let open = "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table\">";
            [Some(Event::Html(open.into())), Some(event)]
        }
        Event::End(TagEnd::Table) => [Some(event), Some(Event::Html("</div>\n".into()))],
        event => [None, Some(event)],
    });
    let mut body = String::new();
    html::push_html(&mut body, events.flatten());
    (title.to_owned(), body)
}

struct Heading {
    level: HeadingLevel,
    text: String,
    anchor: String,
}

/// Gives each heading its anchor.
fn name_headings(events: &mut [Event<'_>]) -> Vec<Heading> {
    let (mut headings, mut begin, mut anchors) = (Vec::new(), 0, HashMap::new());
    for place in 0..events.len() {
        match &events[place] {
            Event::Start(Tag::Heading { .. }) => begin = place,
            Event::End(TagEnd::Heading(level)) => {
                let level = *level;
                let text: String = events[begin..place].iter().map(text_of).collect();
                let anchor = anchor(&text, &mut anchors);
                if let Event::Start(Tag::Heading { id, .. }) = &mut events[begin] {
                    *id = Some(anchor.clone().into());
                }
                headings.push(Heading {
                    level,
                    text,
                    anchor,
                });
            }
            _ => {}
        }
    }
    headings
}

/// A list of the sections that opens on a click.
fn contents(name: &str, headings: &[Heading]) -> String {
    let sections = headings
        .iter()
        .filter(|heading| heading.level == HeadingLevel::H2);
    let sections = sections.map(|Heading { text, anchor, .. }| {
        format!("<li><a href=\"docs/{name}#{anchor}\">{text}</a></li>")
    });
    let sections: String = sections.collect();
    format!("<details><summary>Contents</summary><ul>{sections}</ul></details>\n")
}

fn text_of<'a>(event: &'a Event<'_>) -> &'a str {
    match event {
        Event::Text(text) | Event::Code(text) => text,
        _ => "",
    }
}

/// The anchor of a heading, as forges make them: words with `-` between them, and a number behind one that was there before.
fn anchor(text: &str, known: &mut HashMap<String, usize>) -> String {
    let kept = |character: &char| character.is_alphanumeric() || "-_ ".contains(*character);
    let anchor: String = text.to_lowercase().chars().filter(kept).collect();
    let anchor = anchor.replace(' ', "-");
    let times = known.entry(anchor.clone()).or_default();
    *times += 1;
    match *times {
        1 => anchor,
        times => format!("{anchor}-{}", times - 1),
    }
}

/// The address of what a document links to, if the exporter serves it or it is elsewhere. It is relative to the first folder, as on all pages.
fn served(document: &str, link: &str) -> Option<String> {
    if link.contains("://") {
        return Some(link.to_owned());
    }
    let path = link.split('#').next().filter(|path| !path.is_empty());
    let path = name(path.unwrap_or(document));
    let anchor = link.find('#').map_or("", |begin| &link[begin..]);
    let mut documents = DOCUMENTS.into_iter();
    let found = documents.find(|known| name(known) == path)?;
    Some(format!("docs/{}{anchor}", name(found)))
}
