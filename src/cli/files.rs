//! `kb-exporter files`: the failed and flagged files, one a row.

mod folder;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use serde_json::Value;

use crate::classify::Class;
use crate::cli::output::OutputArgs;
use crate::cli::scan::tables;
use crate::cli::settings::ConfigArgs;
use crate::cli::view::{self, Form, List};
use crate::cli::visit::{self, visit};
use crate::cli::{exit, output, settings};
use crate::collect::Settings;
use crate::config::FolderPattern;
use crate::model::Status;
use crate::portal::{ListedFolder, Session};

const COLUMNS: &str = "folder name status class reason created";

const OTHER: &str = "metrics show the classes beyond errors.max_classes_per_folder as \"other\"; here, each file has its own class: leave --class out";

/// Which files are listed, and how.
#[derive(Debug, Args)]
pub(super) struct FilesArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// List only folders with this id, or whose name matches this shell glob.
    #[arg(long, value_name = "FOLDER", value_parser = FolderPattern::parse)]
    folder: Option<FolderPattern>,
    /// List only files with this status.
    #[arg(long, value_name = "STATUS", value_parser = Status::WITH_REASON.map(Status::as_str))]
    status: Option<String>,
    /// List only files with this error class.
    #[arg(long, value_name = "CLASS")]
    class: Option<String>,
    #[command(flatten)]
    output: OutputArgs<Form>,
}

/// Why files of a folder that was read may be missing.
const WHY_MISSING: &str = "files may be missing, because the folder changed while it was read, or its list has fewer files than it says, or repeats some; with collect.strategy full, every page is read";

/// Lists the files of every portal. The exit code is 1 if some folder could not be read, or some of its files.
pub(super) fn run(args: &FilesArgs) -> Result<ExitCode> {
    let config = settings::config(&args.config)?;
    let found = RefCell::new(Found::default());
    let health = settings::runtime()?.block_on(visit(&config, async |session, of, folder| {
        args.read(session, of, folder, &found).await
    }));
    let Found {
        folders,
        mut files,
        mut said,
    } = found.into_inner();
    if args.folder.is_some() && folders == 0 && health.is_complete() {
        said.push("no folder that is watched has this id or a name that matches --folder".into());
    }
    let is_complete = health.is_complete() && said.is_empty();
    said.extend(exit::uncounted(&health));
    said.extend(args.class.as_ref().and_then(|it| unknown_class(it, &files)));
    let names = health.portals.iter().flat_map(tables::named);
    let names = names.map(|(name, folder)| (folder.view.id.to_string(), name));
    let names: BTreeMap<_, _> = names.collect();
    files.retain(|file| args.admits(file));
    for file in &mut files {
        let name = file["folder_id"].as_str().and_then(|id| names.get(id));
        file["folder"] = name.cloned().into();
    }
    files.sort_by_key(|file| file["folder"].to_string());
    let list = List::new("files", COLUMNS, files);
    output::print(&view::text_of(&[list], args.output.form())?)?;
    exit::tell(&said);
    Ok(exit::code(is_complete))
}

/// What was found in all portals.
#[derive(Default)]
struct Found {
    /// Folders that were asked for.
    folders: usize,
    files: Vec<Value>,
    /// What may be missing, for people.
    said: Vec<String>,
}

impl FilesArgs {
    /// Reads a folder, if it is asked for.
    async fn read(
        &self,
        session: &Session,
        settings: &Settings,
        folder: &ListedFolder,
        found: &RefCell<Found>,
    ) -> visit::Answer {
        let name = folder.name.label();
        let pattern = self.folder.as_ref();
        if pattern.is_some_and(|it| !it.matches(folder.id, name)) {
            return Ok(None);
        }
        let (files, is_whole) = folder::read(session, settings, folder).await;
        let mut found = found.borrow_mut();
        found.folders += 1;
        found.files.extend(files);
        if let Ok(false) = is_whole {
            let portal = &settings.portal.name;
            let said = format!("portal {portal}, folder {name}: {WHY_MISSING}");
            found.said.push(said);
        }
        is_whole.map(|_| None)
    }

    fn admits(&self, file: &Value) -> bool {
        let is =
            |wanted: &Option<String>, field| wanted.as_ref().is_none_or(|it| file[field] == *it);
        is(&self.status, "status") && is(&self.class, "class")
    }
}

/// Why no file has a class, if so.
fn unknown_class(class: &str, files: &[Value]) -> Option<String> {
    let classes = || files.iter().filter_map(|file| file["class"].as_str());
    if classes().any(|known| known == class) {
        return None;
    }
    if class == Class::Other.as_str() {
        return Some(OTHER.to_owned());
    }
    let known = settings::known_names(class, classes());
    Some(format!(
        "no file that was read has the class {class:?}{known}"
    ))
}
