//! Uploads: what is rejected, what is skipped, and how the rest is stored (simulator/README.md, rules 1 to 8).

use serde::Serialize;
use uuid::Uuid;

use super::content::Content;
use super::document::Place;
use super::format::{Format, Kind};
use super::options::{Limits, Options};
use super::refusal::Refusal;
use super::world::World;

/// Files that one request may bring (rule 1).
pub(super) const MAX_FILES: usize = 50;

/// One file as it was sent.
#[derive(Debug)]
pub struct Sent {
    /// The name of the part, with or without folders in it.
    pub filename: String,
    /// The content type of the part.
    pub content_type: Option<String>,
    /// Facts about its content.
    pub content: Content,
}

#[derive(Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    /// Files whose content is new to the portal, replacing or not.
    pub uploaded: usize,
    /// Files whose content the portal had.
    pub deduplicated: usize,
    /// Files that took the place of another content under their name and path.
    pub replaced: usize,
    /// Files whose content the folder had at this path; nothing changed.
    pub already_in_folder: usize,
    /// One for each file stored or found.
    pub files: Vec<Stored>,
    /// The recordings that were not stored (rule 7).
    pub skipped_files: Vec<Skipped>,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Stored {
    pub id: Uuid,
    /// Its name without any folders.
    pub filename: String,
    /// The path where it is stored; empty for the root.
    pub relative_path: String,
    pub deduplicated: bool,
    /// The folder had this content at this path.
    pub already_in_folder: bool,
}

/// A file that was neither stored nor rejected.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// Its name without any folders.
    pub filename: String,
    /// Why; the values are not documented.
    pub reason: &'static str,
}

/// One file that no rule rejects.
struct Accepted {
    filename: String,
    path: String,
    format: &'static Format,
    content: Content,
}

impl World {
    /// Stores files in a folder, all or, when a rule rejects one, none.
    ///
    /// Content that the folder has at this path does not change, even when another file there has the name.
    /// A replaced file's link keeps its id.
    pub fn upload(
        &mut self,
        folder: Uuid,
        sent: Vec<Sent>,
        paths: Option<Vec<String>>,
    ) -> Result<Receipt, Refusal> {
        let index = self.held_index(folder)?;
        let accepted = check(sent, paths, &self.options)?;
        let mut receipt = Receipt::default();
        for file in accepted {
            if file.is_skipped(&self.options) {
                receipt.skipped_files.push(Skipped {
                    filename: file.filename,
                    reason: "transcription_disabled",
                });
            } else {
                self.put(index, file, &mut receipt);
            }
        }
        Ok(receipt)
    }

    fn put(&mut self, index: usize, file: Accepted, receipt: &mut Receipt) {
        let Accepted { filename, path, .. } = file;
        let known = self.by_content.get(&file.content.fingerprint()).copied();
        let already_in_folder = known.is_some_and(|document| self.is_at(document, index, &path));
        let document = known.unwrap_or_else(|| {
            let document = file.content.document(&mut self.rng, file.format);
            self.store(document)
        });
        if !already_in_folder {
            let replaced = self.place(index, document, &filename, &path);
            receipt.replaced += usize::from(replaced);
        }
        receipt.deduplicated += usize::from(known.is_some());
        receipt.uploaded += usize::from(known.is_none());
        receipt.already_in_folder += usize::from(already_in_folder);
        receipt.files.push(Stored {
            id: self.documents[document].id,
            filename,
            relative_path: path,
            deduplicated: known.is_some(),
            already_in_folder,
        });
    }

    /// Puts a stored file at a name and path, and says whether it took another one's place.
    fn place(&mut self, folder: usize, document: usize, filename: &str, path: &str) -> bool {
        let taken = self.folders[folder].find(filename, path);
        match taken {
            Some(link) => self.repoint(Place { folder, link }, document),
            None => self.link(folder, document, filename, path, self.now()),
        }
        taken.is_some()
    }

    fn is_at(&self, document: usize, index: usize, path: &str) -> bool {
        let mut places = self.documents[document].places.iter();
        places.any(|place| {
            place.folder == index && *self.folders[index].link(place.link).path == *path
        })
    }
}

fn check(
    sent: Vec<Sent>,
    paths: Option<Vec<String>>,
    options: &Options,
) -> Result<Vec<Accepted>, Refusal> {
    let files = sent.len();
    let paths = paths.unwrap_or_else(|| vec![String::new(); files]);
    match (files, paths.len()) {
        (0, _) => Err(Refusal::NoFiles),
        (_, _) if files > MAX_FILES => Err(Refusal::TooManyFiles),
        (_, paths) if paths != files => Err(Refusal::PathCount { files, paths }),
        _ => {
            let pairs = sent.into_iter().zip(paths);
            pairs
                .map(|(sent, path)| check_one(sent, &path, options))
                .collect()
        }
    }
}

fn check_one(sent: Sent, path: &str, options: &Options) -> Result<Accepted, Refusal> {
    let path = clean_path(path).ok_or_else(|| Refusal::PathLeaves(path.to_owned()))?;
    let filename = base_name(&sent.filename).ok_or(Refusal::FileName)?;
    let filename = filename.to_owned();
    let Some(format) = Format::of_name(&filename) else {
        return Err(Refusal::Extension(filename));
    };
    let accepted = Accepted {
        filename,
        path,
        format,
        content: sent.content,
    };
    if !accepted.is_skipped(options) {
        accepted.check_content(sent.content_type.as_deref(), options.limits)?;
    }
    Ok(accepted)
}

impl Accepted {
    /// Whether it is a recording that is not stored (rule 7).
    fn is_skipped(&self, options: &Options) -> bool {
        self.format.kind == Kind::Media && !options.transcription
    }

    fn check_content(&self, content_type: Option<&str>, limits: Limits) -> Result<(), Refusal> {
        let filename = self.filename.clone();
        let limit = match self.format.kind {
            Kind::Media => limits.media,
            Kind::Text | Kind::Document | Kind::Image => limits.document,
        };
        if self.content.size > limit {
            Err(Refusal::TooLarge { filename, limit })
        } else if self.format.extension == "eml" && !is_mail(content_type) {
            Err(Refusal::MailType(filename))
        } else if !self.format.fits(&self.content.head) {
            Err(Refusal::Content(filename))
        } else {
            Ok(())
        }
    }
}

/// The path with single slashes and without `.` and `..`; none when it leaves the folder. A backslash is a slash.
fn clean_path(path: &str) -> Option<String> {
    let mut parts = Vec::new();
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

fn base_name(filename: &str) -> Option<&str> {
    let name = filename.rsplit(['/', '\\']).next()?;
    (!matches!(name, "" | "." | "..")).then_some(name)
}

fn is_mail(content_type: Option<&str>) -> bool {
    let essence = content_type.and_then(|value| value.split(';').next());
    essence.is_some_and(|value| value.trim().eq_ignore_ascii_case("message/rfc822"))
}

#[cfg(test)]
mod tests {
    use super::clean_path;

    #[test]
    fn a_path_is_cleaned_and_must_stay_inside() {
        let table = [
            ("", Some("")),
            ("2024/05", Some("2024/05")),
            ("/2024//05/", Some("2024/05")),
            ("2024\\05", Some("2024/05")),
            ("a/./b/../c", Some("a/c")),
            ("..", None),
            ("a/../../b", None),
            ("..\\b", None),
        ];
        for (path, expected) in table {
            assert_eq!(clean_path(path).as_deref(), expected, "{path:?}");
        }
    }
}
