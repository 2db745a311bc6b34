//! Makes HTML of the runbook while the program is built (`build.rs`).

use std::path::PathBuf;
use std::{env, fs};

use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

const RUNBOOK: &str = "alerts/runbook.md";

/// Writes the page to a file that the program includes.
pub fn write() {
    println!("cargo::rerun-if-changed={RUNBOOK}");
    let text = fs::read_to_string(RUNBOOK).unwrap_or_else(|error| panic!("{RUNBOOK}: {error}"));
    let folder = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let file = folder.join("runbook.html");
    fs::write(&file, page(&text)).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
}

/// Sections have the anchors that alerts link to, and the contents below the title lead to them. Links to other documents are their text.
fn page(text: &str) -> String {
    let mut events: Vec<_> = Parser::new_ext(text, Options::ENABLE_TABLES).collect();
    let contents = contents(&name_sections(&mut events));
    let mut are_links = Vec::new();
    let events = events.into_iter().flat_map(|event| match event {
        Event::Start(Tag::Link {
            link_type,
            dest_url,
            title,
            id,
        }) => {
            let address = address(&dest_url);
            are_links.push(address.is_some());
            let link = address.map(|address| {
                let dest_url = address.into();
                Event::Start(Tag::Link {
                    link_type,
                    dest_url,
                    title,
                    id,
                })
            });
            [link, None]
        }
        Event::End(TagEnd::Link) => [are_links.pop().unwrap_or(false).then_some(event), None],
        Event::End(TagEnd::Heading(HeadingLevel::H1)) => {
            [Some(event), Some(Event::Html(contents.clone().into()))]
        }
        event => [Some(event), None],
    });
    let mut page = String::new();
    html::push_html(&mut page, events.flatten());
    page
}

/// Where a link leads to: a section, relative to the first folder as on all pages, or elsewhere; `None` if it is to a document that is not served.
fn address(link: &str) -> Option<String> {
    if link.starts_with('#') {
        return Some(format!("runbook{link}"));
    }
    link.contains("://").then(|| link.to_owned())
}

/// Gives each section its anchor: its name in small letters. Returns the names.
fn name_sections(events: &mut [Event<'_>]) -> Vec<String> {
    let mut names = Vec::new();
    for place in 1..events.len() {
        let (before, rest) = events.split_at_mut(place);
        let (Event::Start(Tag::Heading { id, .. }), Event::Text(text)) =
            (&mut before[place - 1], &rest[0])
        else {
            continue;
        };
        *id = Some(CowStr::from(text.to_lowercase()));
        names.push(text.to_string());
    }
    names
}

/// A list of the sections that opens on a click.
fn contents(names: &[String]) -> String {
    let sections = names.iter().skip(1);
    let sections = sections.map(|name| {
        format!(
            "<li><a href=\"runbook#{}\">{name}</a></li>",
            name.to_lowercase()
        )
    });
    let sections: String = sections.collect();
    format!("<details><summary>Contents</summary><ul>{sections}</ul></details>\n")
}
