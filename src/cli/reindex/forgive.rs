//! `kb-exporter reindex forgive` removes what the ledger records against an attempt.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::SystemTime;

use anyhow::{Context, Result, anyhow};
use clap::{ArgGroup, Args};

use crate::cli::reindex::explained;
use crate::config::Portal;
use crate::ledger::{self, Forgiven, Forgiveness, LedgerView};
use crate::model::{FolderId, PortalAddress};
use crate::text;

/// What is taken back.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("what").args(["folder", "class", "breaker", "clock"])))]
pub(in crate::cli) struct ForgiveArgs {
    /// The portal, by its configured name. Without any of the flags below: all that they name but the last one.
    #[arg(long, value_name = "PORTAL")]
    portal: String,
    /// The cooldown of the folder with this id, or with this name at its last attempt, and the attempts that its files have used up.
    #[arg(long, value_name = "FOLDER")]
    folder: Option<String>,
    /// The results of earlier attempts for an error class.
    #[arg(long, value_name = "CLASS")]
    class: Option<String>,
    /// The attempts without effect that the breaker counts, and those that the portal did not carry out.
    #[arg(long)]
    breaker: bool,
    /// Times in the future, which a wrong clock wrote: they count as now. Set the clock right first.
    #[arg(long)]
    clock: bool,
}

/// Writes what is taken back to the ledger of a state folder; says what was written.
pub(super) fn forgive(state: &Path, portals: &[Portal], args: &ForgiveArgs) -> Result<String> {
    let portal = portals
        .iter()
        .find(|portal| portal.name.as_str() == args.portal)
        .ok_or_else(|| unknown_portal(portals, &args.portal))?;
    let address = portal.base_url.normalised();
    let views = ledger::views(state).map_err(explained);
    let what = what(&views.context("nothing can be forgiven")?, &address, args)?;
    let said = said(&what);
    let at = SystemTime::now().into();
    ledger::ask_to_forgive(state, &address, &Forgiveness { at, what })
        .map_err(explained)
        .context("nothing was forgiven")?;
    Ok(format!(
        "{said}: written to the ledger. kb-exporter takes it in with its next collection of the portal, or when it starts.\n"
    ))
}

fn what(
    views: &BTreeMap<PortalAddress, LedgerView>,
    address: &PortalAddress,
    args: &ForgiveArgs,
) -> Result<Forgiven> {
    let view = views.get(address);
    let view = view.ok_or_else(|| anyhow!("nothing was ever attempted in the portal"))?;
    if let Some(folder) = &args.folder {
        return Ok(Forgiven::Folder(folder_of(view, folder)?));
    }
    if let Some(name) = &args.class {
        let known = view.classes().keys().find(|class| class.as_str() == name);
        let class = known.ok_or_else(|| {
            anyhow!(
                "no file with an error of the class {name:?} was ever sent; `kb-exporter reindex classes` lists those that were"
            )
        })?;
        return Ok(Forgiven::Class(class.clone()));
    }
    Ok(match (args.breaker, args.clock) {
        (true, _) => Forgiven::Breaker,
        (_, true) => Forgiven::Clock,
        _ => Forgiven::Everything,
    })
}

/// The folder with this id or name. A name that several folders have is not enough.
fn folder_of(view: &LedgerView, wanted: &str) -> Result<FolderId> {
    let folders = view.folders();
    let is_wanted =
        |id: FolderId, name: &str| id.to_string().eq_ignore_ascii_case(wanted) || name == wanted;
    let found: Vec<FolderId> = folders
        .filter(|(id, book)| is_wanted(*id, book.name.label()))
        .map(|(id, _)| id)
        .collect();
    match *found.as_slice() {
        [folder] => Ok(folder),
        [] => Err(anyhow!(
            "nothing was ever attempted in a folder {wanted:?}; `kb-exporter reindex history` lists those in which something was"
        )),
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

fn unknown_portal(portals: &[Portal], wanted: &str) -> anyhow::Error {
    let names: Vec<&str> = portals.iter().map(|portal| portal.name.as_str()).collect();
    anyhow!(
        "the configuration has no portal {wanted:?}; it has {}",
        names.join(", ")
    )
}

fn said(what: &Forgiven) -> String {
    match what {
        Forgiven::Everything => {
            "cooldowns, used up attempts, what is known of classes, and the breaker of the portal"
                .to_owned()
        }
        Forgiven::Folder(folder) => format!("cooldown and used up attempts of the folder {folder}"),
        Forgiven::Class(class) => {
            format!(
                "what is known of the class {}",
                text::one_line(class.as_str())
            )
        }
        Forgiven::Breaker => "the breaker of the portal".to_owned(),
        Forgiven::Clock => "times in the future".to_owned(),
    }
}
