//! The kill switch file (docs/reindexing.md, Stop it).

use std::io::ErrorKind;
use std::path::Path;

use crate::config::Reindex;

/// Whether any of the configured files exists, or cannot be checked.
pub async fn is_on(reindex: &Reindex) -> bool {
    let rules = reindex.all_rules();
    for path in rules.filter_map(|rules| rules.kill_switch_file.as_deref()) {
        if stands(path).await {
            return true;
        }
    }
    false
}

/// A file that is not there stops nothing if its folder is there: a folder that is missing may be one that is not mounted.
async fn stands(path: &Path) -> bool {
    let found = tokio::fs::symlink_metadata(path).await;
    if !found.is_err_and(|error| error.kind() == ErrorKind::NotFound) {
        return true;
    }
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = tokio::fs::metadata(folder.unwrap_or(Path::new("."))).await;
    !folder.is_ok_and(|folder| folder.is_dir())
}
