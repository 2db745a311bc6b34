//! A clock that is set while processes run, by Debian's `libfaketime`.

use std::fs;
use std::path::PathBuf;

/// The clock of the processes that are started with it.
pub(crate) struct Clock {
    file: PathBuf,
    library: PathBuf,
}

impl Clock {
    /// The right one, as long as it is not set. The file says by how much it is wrong.
    pub(crate) fn in_file(file: PathBuf) -> Self {
        let library = library();
        let clock = Self { file, library };
        clock.set("+0");
        clock
    }

    /// Sets the clock so much before or after the right time.
    pub(crate) fn set(&self, offset: &str) {
        // A reader must never find an empty file.
        let new = self.file.with_extension("new");
        fs::write(&new, offset).unwrap();
        fs::rename(new, &self.file).unwrap();
    }

    /// What makes a process use this clock.
    pub(crate) fn environment(&self) -> [(&'static str, PathBuf); 4] {
        [
            ("LD_PRELOAD", self.library.clone()),
            ("FAKETIME_TIMESTAMP_FILE", self.file.clone()),
            ("FAKETIME_NO_CACHE", "1".into()),
            ("FAKETIME_DONT_FAKE_MONOTONIC", "1".into()),
        ]
    }
}

fn library() -> PathBuf {
    let triples = fs::read_dir("/usr/lib").unwrap().flatten();
    let mut found = triples.map(|triple| triple.path().join("faketime/libfaketimeMT.so.1"));
    let found = found.find(|library| library.exists());
    found.expect("libfaketime is not installed: use tests/run")
}
