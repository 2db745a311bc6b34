//! The file and the files that it names, read again when they change.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::clock::Moment;
use crate::config::{ConfigError, HiddenPath, read as file};
use crate::metrics::WebConfigFacts;
use crate::model::Timestamp;
use crate::pem::{Pem, PemError};

use super::WebConfig;

/// The web configuration file, read again when it changes.
pub struct WebConfigFile {
    path: PathBuf,
    loaded: Mutex<Loaded>,
}

struct Loaded {
    files: Files,
    config: Arc<WebConfig>,
    /// Why the files as they are now are not in use, if so, and since when those in use are.
    fault: Option<ConfigError>,
    since: Timestamp,
}

/// A file as it was when it was read: inode, size, and the time of the last change in seconds and nanoseconds; `None` if there is no file.
/// Another one in its place, or another text in it, has another stamp.
type Stamp = Option<(u64, u64, i64, i64)>;

fn stamp(file: &Path) -> Stamp {
    let file = fs::metadata(file).ok()?;
    Some((file.ino(), file.size(), file.ctime(), file.ctime_nsec()))
}

/// The files that were read. Stamps are from before, so that a change while one is read is seen the next time.
pub(super) struct Files {
    /// What paths are relative to.
    folder: PathBuf,
    stamps: Vec<(PathBuf, Stamp)>,
}

impl Files {
    fn of(path: &Path) -> Self {
        Self {
            folder: path.parent().unwrap_or(Path::new("")).to_owned(),
            stamps: vec![(path.to_owned(), stamp(path))],
        }
    }

    fn changed(&self) -> bool {
        let mut stamps = self.stamps.iter();
        stamps.any(|(file, before)| stamp(file) != *before)
    }

    /// Reads what the file of a key of `tls_server_config` holds, if the key is set.
    pub(super) fn read<T>(
        &mut self,
        key: &'static str,
        file: Option<PathBuf>,
        content: fn(&Pem) -> Result<T, PemError>,
    ) -> Result<Option<T>, ConfigError> {
        let Some(file) = file.map(|file| self.folder.join(file)) else {
            return Ok(None);
        };
        self.stamps.push((file.clone(), stamp(&file)));
        let pem = Pem::read(&HiddenPath::file(key, file));
        let read = pem.and_then(|pem| content(&pem)).map(Some);
        read.map_err(|error| {
            let mut fault = ConfigError::about("tls_server_config", error.to_string());
            fault.is_of_now = matches!(error, PemError::Unreadable(_));
            fault
        })
    }
}

impl WebConfigFile {
    /// Reads the file and the files that it names.
    pub fn open(path: &Path) -> Result<Self, ConfigError> {
        let mut loaded = Loaded {
            files: Files::of(path),
            config: Arc::default(),
            fault: None,
            since: Moment::now().wall,
        };
        loaded.read(path)?;
        Ok(Self {
            path: path.to_owned(),
            loaded: Mutex::new(loaded),
        })
    }

    /// The configuration in use.
    pub fn current(&self) -> Arc<WebConfig> {
        Arc::clone(&self.loaded().config)
    }

    /// Why the files as they are now are not in use, if so.
    pub fn fault(&self) -> Option<ConfigError> {
        self.loaded().fault.clone()
    }

    /// What the metrics show.
    pub fn facts(&self) -> WebConfigFacts {
        let loaded = self.loaded();
        WebConfigFacts {
            reload_successful: loaded.fault.is_none(),
            loaded: loaded.since,
            certificate_expiry: loaded.config.tls.as_ref().and_then(|tls| tls.expiry),
        }
    }

    /// Files that changed are read. If they cannot be used, this is logged once, and the previous ones stay in use.
    fn loaded(&self) -> MutexGuard<'_, Loaded> {
        let loaded = self.loaded.lock();
        let mut loaded = loaded.unwrap_or_else(PoisonError::into_inner);
        if loaded.files.changed() {
            let read = loaded.read(&self.path);
            loaded.fault = read.err();
            match &loaded.fault {
                None => {
                    tracing::info!(file = %self.path.display(), "the web configuration was reloaded");
                }
                Some(error) => {
                    tracing::error!(%error, "the changed web configuration cannot be used; the previous one stays in use");
                }
            }
        }
        loaded
    }
}

impl Loaded {
    /// Reads a configuration that protects no less than the one before.
    fn read(&mut self, path: &Path) -> Result<(), ConfigError> {
        self.files = Files::of(path);
        let name = path.display().to_string();
        let document: Option<_> = file::yaml(&name, &file::bytes_of(path)?)?;
        let config = WebConfig::new(document.unwrap_or_default(), &mut self.files);
        let config = config.and_then(|config| config.replacing(&self.config));
        self.config = Arc::new(config.map_err(|fault| fault.in_file(&name))?);
        self.since = Moment::now().wall;
        Ok(())
    }
}
