//! `kb-exporter files`: the failed and flagged files, one a row.

mod form;
mod read;

use std::collections::BTreeSet;
use std::io::{self, ErrorKind};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;
use clap::{Args, ValueEnum};
use tracing::{error, warn};

use crate::classify::Class;
use crate::cli::settings::ConfigArgs;
use crate::cli::{exit, output, settings, table};
use crate::collect::Settings;
use crate::collect::admission::admit;
use crate::config::{Config, FolderPattern, Portal};
use crate::model::Status;
use crate::portal::{ListedFolder, Throttles};

use form::Writer;
use read::{File, Reader};

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
    /// Print in this format: table, json or csv.
    #[arg(
        long,
        value_name = "FORM",
        default_value = "table",
        hide_possible_values = true
    )]
    output: Form,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Form {
    /// A table for people.
    Table,
    /// A JSON document with the list `files`, one file a line.
    Json,
    /// Comma-separated values for a spreadsheet.
    Csv,
}

impl FilesArgs {
    fn admits_folder(&self, folder: &ListedFolder) -> bool {
        let pattern = self.folder.as_ref();
        pattern.is_none_or(|pattern| pattern.matches(folder.id, folder.name.label()))
    }

    fn admits(&self, file: &File<'_>) -> bool {
        let is = |wanted: &Option<String>, value: &str| {
            let wanted = wanted.as_deref();
            wanted.is_none_or(|wanted| wanted == value)
        };
        is(&self.status, file.status) && is(&self.class, file.class)
    }
}

/// Whether nobody reads the output any more, as behind `| head`.
fn is_closed(error: &anyhow::Error) -> bool {
    let error = error.downcast_ref::<io::Error>();
    error.is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}

/// Lists the files of every portal. The exit code is 1 if some folder could not be read, or some of its files.
pub(super) fn run(args: &FilesArgs) -> Result<ExitCode> {
    let config = settings::config(&args.config)?;
    let mut writer = Writer::new(args.output, table::terminal_width());
    let throttles = Throttles::default();
    let (mut is_complete, mut folders) = (true, 0);
    let mut classes = Classes::default();
    let runtime = settings::runtime()?;
    for portal in &config.portals {
        let out = (&mut writer, &mut classes);
        let listed = list(&config, portal, &throttles, args, out);
        match runtime.block_on(listed) {
            Ok((is_whole, read)) => {
                is_complete &= is_whole;
                folders += read;
            }
            Err(error) if is_closed(&error) => return Ok(ExitCode::SUCCESS),
            Err(error) => {
                error!(portal = %portal.name, error = format!("{error:#}"), "the files cannot be listed");
                is_complete = false;
            }
        }
    }
    output::printed(writer.finish())?;
    if args.folder.is_some() && folders == 0 && is_complete {
        error!("no folder that is watched has this id or a name that matches --folder");
        is_complete = false;
    }
    if let Some(unknown) = args.class.as_deref().and_then(|class| classes.miss(class)) {
        warn!("{unknown}");
    }
    Ok(exit::code(is_complete))
}

/// The classes of the files that were read.
#[derive(Default)]
struct Classes(BTreeSet<String>);

impl Classes {
    fn note(&mut self, class: &str) {
        if !self.0.contains(class) {
            self.0.insert(class.to_owned());
        }
    }

    /// Why no file has a class, if so; for people.
    fn miss(&self, wanted: &str) -> Option<String> {
        if self.0.contains(wanted) {
            return None;
        }
        if wanted == Class::Other.as_str() {
            return Some("metrics show the classes beyond errors.max_classes_per_folder as \"other\"; here, each file has its own class: leave --class out".to_owned());
        }
        let near = settings::nearest_name(wanted, self.0.iter().map(String::as_str));
        Some(format!(
            "no file that was read has the class {wanted:?}{near}"
        ))
    }
}

/// Lists the files of one portal; returns whether every folder was read, and how many there are.
async fn list(
    config: &Config,
    portal: &Portal,
    throttles: &Throttles,
    args: &FilesArgs,
    (writer, classes): (&mut Writer, &mut Classes),
) -> Result<(bool, usize)> {
    let session = settings::session(config, portal, throttles).await?;
    let listing = session.folders(config.collect.timeout).await?;
    let settings = Settings::new(portal, config);
    let mut folders = admit(&listing, &settings).folders;
    folders.retain(|folder| args.admits_folder(folder));
    let reader = Reader {
        portal,
        session: &session,
        collect: &config.collect,
        classifier: Arc::new(config.errors.classifier()),
    };
    let (mut is_whole, read) = (true, folders.len());
    for folder in folders {
        let mut take = |file: &File<'_>| {
            classes.note(file.class);
            if args.admits(file) {
                writer.add(file)?;
            }
            Ok(())
        };
        match reader.read(folder, &mut take).await {
            Ok(None) => {}
            Ok(Some(why)) => {
                warn!(portal = %portal.name, folder = %folder.name, why, "files may be missing");
                is_whole = false;
            }
            Err(error) if error.is::<io::Error>() => {
                return Err(error.context("cannot write to standard output"));
            }
            Err(error) => {
                error!(portal = %portal.name, folder = %folder.name, %error, "the folder cannot be read");
                is_whole = false;
            }
        }
    }
    Ok((is_whole, read))
}
