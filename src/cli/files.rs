//! `kb-exporter files`: the failed and flagged files, one a row.

mod folder;

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use serde_json::Value;
use tracing::{error, warn};

use crate::classify::Class;
use crate::cli::output::OutputArgs;
use crate::cli::settings::ConfigArgs;
use crate::cli::view::{self, Form, List};
use crate::cli::{exit, output, settings};
use crate::collect::Settings;
use crate::collect::admission::admit;
use crate::config::{Config, FolderPattern, Portal};
use crate::model::Status;
use crate::portal::{PortalError, Session, Throttles};

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

/// Lists the files of every portal. The exit code is 1 if some folder could not be read, or some of its files.
pub(super) fn run(args: &FilesArgs) -> Result<ExitCode> {
    let config = settings::config(&args.config)?;
    let mut found = settings::runtime()?.block_on(find(&config, args));
    if args.folder.is_some() && found.folders == 0 && found.is_complete {
        error!("no folder that is watched has this id or a name that matches --folder");
        found.is_complete = false;
    }
    if let Some(class) = &args.class {
        warn_if_unknown(class, &found.files);
    }
    let mut files = found.files;
    files.retain(|file| args.admits(file));
    let list = List::new("files", COLUMNS, files);
    output::print(&view::text_of(&[list], args.output.form())?)?;
    Ok(exit::code(found.is_complete))
}

impl FilesArgs {
    fn admits(&self, file: &Value) -> bool {
        let is =
            |wanted: &Option<String>, field| wanted.as_ref().is_none_or(|it| file[field] == *it);
        is(&self.status, "status") && is(&self.class, "class")
    }
}

/// Says why no file has a class, if so.
fn warn_if_unknown(class: &str, files: &[Value]) {
    let classes = || files.iter().filter_map(|file| file["class"].as_str());
    if classes().any(|known| known == class) {
        return;
    }
    if class == Class::Other.as_str() {
        warn!("{OTHER}");
        return;
    }
    let near = settings::nearest_name(class, classes());
    warn!("no file that was read has the class {class:?}{near}");
}

/// What was found in all portals.
struct Found {
    files: Vec<Value>,
    /// Folders that were asked for.
    folders: usize,
    /// Whether all of them were read, and no file may be missing.
    is_complete: bool,
}

/// Why files of a folder that was read may be missing.
const WHY_MISSING: &str = "the folder changed while it was read, or its list has fewer files than it says, or repeats some; with collect.strategy full, every page is read";

async fn find(config: &Config, args: &FilesArgs) -> Found {
    let mut found = Found {
        files: Vec::new(),
        folders: 0,
        is_complete: true,
    };
    let throttles = Throttles::default();
    for portal in &config.portals {
        let read = found.read(config, portal, &throttles, args);
        if let Err(error) = read.await {
            error!(portal = %portal.name, %error, "the files cannot be listed");
            found.is_complete = false;
        }
    }
    found
}

impl Found {
    /// Reads the folders of one portal. Those that cannot be read are reported.
    async fn read(
        &mut self,
        config: &Config,
        portal: &Portal,
        throttles: &Throttles,
        args: &FilesArgs,
    ) -> Result<(), PortalError> {
        let session = Session::open(&settings::client(config, portal, throttles)).await?;
        let listing = session.folders(config.collect.timeout).await?;
        let settings = Settings::new(portal, config);
        for listed in admit(&listing, &settings).folders {
            let pattern = args.folder.as_ref();
            if pattern.is_some_and(|it| !it.matches(listed.id, listed.name.label())) {
                continue;
            }
            self.folders += 1;
            let (portal, folder) = (&portal.name, &listed.name);
            let (files, is_whole) = folder::read(&session, &settings, listed).await;
            self.files.extend(files);
            match is_whole {
                Ok(true) => continue,
                Ok(false) => warn!(%portal, %folder, why = WHY_MISSING, "files may be missing"),
                Err(error) => {
                    let error = error.of_folder(listed.id);
                    error!(%portal, %folder, error, "the folder cannot be read");
                }
            }
            self.is_complete = false;
        }
        Ok(())
    }
}
