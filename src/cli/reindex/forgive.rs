//! `kb-exporter reindex forgive` removes what the ledger records against an attempt.

use anyhow::{Context, Result, anyhow};
use clap::{ArgGroup, Args};

use super::{is_named, without_attempts};
use crate::attempts::{Book, Forgiven};
use crate::classify::{Class, RESERVED};
use crate::cli::settings;
use crate::config::Config;
use crate::model::FolderId;
use crate::store;

/// What is forgiven.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("what").args(["folder", "class", "clock"])))]
pub(in crate::cli) struct ForgiveArgs {
    /// Forgive in the portal with this configured name. Without another flag, everything but `--clock` is reset.
    #[arg(long, value_name = "PORTAL")]
    portal: String,
    /// Reset the cooldown and the attempts of this folder, given by its id or its name at the last attempt.
    #[arg(long, value_name = "FOLDER")]
    folder: Option<String>,
    /// Reset the results of earlier attempts for this error class. Of an attempt with more than 50 classes, the files of the further ones
    /// count as the class `other`.
    #[arg(long, value_name = "CLASS")]
    class: Option<String>,
    /// Replace times in the future, which a wrong clock wrote, by the current time. Correct the clock first.
    #[arg(long)]
    clock: bool,
}

/// Writes to the ledger what is forgiven, and returns a sentence for people.
pub(super) fn forgive(config: &Config, args: &ForgiveArgs) -> Result<String> {
    let (state, portals) = (&config.state, &config.portals);
    let mut found = portals.iter();
    let portal = found.find(|portal| portal.name.as_str() == args.portal);
    let portal = portal.with_context(|| {
        let known = portals.iter().map(|portal| portal.name.as_str());
        let near = settings::known_names(&args.portal, known);
        format!("the configuration has no portal {:?}{near}", args.portal)
    })?;
    let address = portal.base_url.normalised();
    let books = store::books(state).context("nothing can be forgiven")?;
    let book = books.get(&address);
    let book = book.context("no attempt was ever made in the portal")?;
    let what = match (&args.folder, &args.class) {
        (Some(folder), _) => Some(Forgiven::Folder(folder_of(book, folder)?)),
        (_, Some(class)) => Some(Forgiven::Class(class_of(book, class)?)),
        _ if args.clock => None,
        _ => Some(Forgiven::Everything),
    };
    // Without it, times in the future.
    store::forgive(state, &address, what.as_ref()).context("nothing was forgiven")?;
    Ok("written to the ledger; kb-exporter applies it with its next collection of the portal, or when it starts\n".to_owned())
}

/// The class with this name, if files of it were sent, or the name is reserved.
fn class_of(book: &Book, name: &str) -> Result<Class> {
    let sent = book.known_classes().map(Class::as_str);
    let known: Vec<_> = sent.chain(RESERVED).collect();
    if known.contains(&name) {
        return Ok(Class::from_label(name));
    }
    let near = settings::known_names(name, known.into_iter());
    Err(anyhow!("no file of the class {name:?} was ever sent{near}"))
}

/// The folder with this id or name. A name that several folders have is not enough.
fn folder_of(book: &Book, wanted: &str) -> Result<FolderId> {
    let folders = book.folders();
    let found = folders.filter(|(id, folder)| is_named(*id, folder.name.label(), wanted));
    let found: Vec<FolderId> = found.map(|(id, _)| id).collect();
    match *found.as_slice() {
        [folder] => Ok(folder),
        [] => {
            let names = book.folders().map(|(_, folder)| folder.name.label());
            Err(without_attempts(wanted, names))
        }
        _ => {
            let ids: Vec<String> = found.iter().map(FolderId::to_string).collect();
            Err(anyhow!(
                "{} folders have the name {wanted:?}; name one by its id: {}",
                ids.len(),
                ids.join(", ")
            ))
        }
    }
}
