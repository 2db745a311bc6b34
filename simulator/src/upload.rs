//! Uploads: what is rejected, what is skipped, and how the rest is stored (docs/portal.md, Uploads, rules 1 to 8).

use uuid::Uuid;

use super::content::{Content, blueprint};
use super::document::Place;
use super::format::{Format, Kind};
use super::options::Limits;
use super::refusal::Refusal;
use super::world::World;

/// Files that one request may bring (rule 1).
pub(super) const MAX_FILES: usize = 50;

/// One file as it was sent.
#[derive(Debug)]
pub struct Sent {
    /// The name of the part, without any folders in it.
    pub filename: String,
    /// The content type of the part.
    pub content_type: Option<String>,
    /// What is known of its content.
    pub content: Content,
}

/// The answer to an upload.
#[derive(Debug, Default, PartialEq, Eq)]
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
    /// Names of the recordings that were not stored (rule 7).
    pub skipped: Vec<String>,
}

/// What became of one file.
#[derive(Debug, PartialEq, Eq)]
pub struct Stored {
    /// The file's id.
    pub id: Uuid,
    /// Its name as sent.
    pub filename: String,
    /// The path where it is stored; empty for the root.
    pub relative_path: String,
    /// The portal had this content.
    pub deduplicated: bool,
    /// The folder had this content at this path.
    pub already_in_folder: bool,
}

/// One file that no rule rejects.
enum Vetted {
    Store(Upload),
    Skip(String),
}

/// One file to be stored.
struct Upload {
    filename: String,
    path: String,
    format: &'static Format,
    content: Content,
}

impl World {
    /// Stores files in a folder, all or, when a rule rejects one, none.
    ///
    /// Content that the folder has at this path is left alone, even when another file there has the name.
    /// A replaced file's link keeps its id.
    pub fn upload(
        &mut self,
        folder: Uuid,
        sent: Vec<Sent>,
        paths: Option<Vec<String>>,
    ) -> Result<Receipt, Refusal> {
        let index = self.held_index(folder)?;
        let vetted = vet(sent, paths, self.options.transcription, self.options.limits)?;
        let mut receipt = Receipt::default();
        for file in vetted {
            match file {
                Vetted::Store(upload) => self.put(index, upload, &mut receipt),
                Vetted::Skip(filename) => receipt.skipped.push(filename),
            }
        }
        Ok(receipt)
    }

    fn put(&mut self, index: usize, upload: Upload, receipt: &mut Receipt) {
        let known = self.by_content.get(&upload.content.fingerprint).copied();
        let here = known.is_some_and(|document| self.is_at(document, index, &upload.path));
        let document =
            known.unwrap_or_else(|| self.store(blueprint(&upload.content, upload.format)));
        if !here {
            let replaced = self.place(index, document, &upload.filename, &upload.path);
            receipt.replaced += usize::from(replaced);
        }
        receipt.deduplicated += usize::from(known.is_some());
        receipt.uploaded += usize::from(known.is_none());
        receipt.already_in_folder += usize::from(here);
        receipt.files.push(Stored {
            id: self.documents[document].id,
            filename: upload.filename,
            relative_path: upload.path,
            deduplicated: known.is_some(),
            already_in_folder: here,
        });
    }

    /// Puts a stored file at a name and path, and says whether it took another one's place.
    fn place(&mut self, index: usize, document: usize, filename: &str, path: &str) -> bool {
        let taken = self.folders[index].find(filename, path);
        match taken {
            Some(link) => {
                let folder = index;
                self.repoint(Place { folder, link }, document);
            }
            None => self.link(index, document, filename, path),
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

fn vet(
    sent: Vec<Sent>,
    paths: Option<Vec<String>>,
    transcription: bool,
    limits: Limits,
) -> Result<Vec<Vetted>, Refusal> {
    let files = sent.len();
    match files {
        0 => return Err(Refusal::NoFiles),
        1..=MAX_FILES => {}
        _ => return Err(Refusal::TooManyFiles),
    }
    let paths = paths.unwrap_or_else(|| vec![String::new(); files]);
    if paths.len() != files {
        let paths = paths.len();
        return Err(Refusal::PathCount { files, paths });
    }
    let pairs = sent.into_iter().zip(paths);
    pairs
        .map(|(sent, path)| vet_one(sent, &path, transcription, limits))
        .collect()
}

fn vet_one(sent: Sent, path: &str, transcription: bool, limits: Limits) -> Result<Vetted, Refusal> {
    let path = clean_path(path).ok_or_else(|| Refusal::PathLeaves(path.to_owned()))?;
    let filename = base_name(&sent.filename).ok_or(Refusal::FileName)?;
    let filename = filename.to_owned();
    let Some(format) = Format::of_name(&filename) else {
        return Err(Refusal::Extension(filename));
    };
    if format.kind == Kind::Media && !transcription {
        return Ok(Vetted::Skip(filename));
    }
    let limit = match format.kind {
        Kind::Media => limits.media,
        Kind::Text | Kind::Document | Kind::Image => limits.document,
    };
    if sent.content.size > limit {
        return Err(Refusal::TooLarge { filename, limit });
    }
    if format.extension == "eml" && !is_mail(sent.content_type.as_deref()) {
        return Err(Refusal::MailType(filename));
    }
    if !format.fits(&sent.content.head) {
        return Err(Refusal::Content(filename));
    }
    Ok(Vetted::Store(Upload {
        filename,
        path,
        format,
        content: sent.content,
    }))
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
