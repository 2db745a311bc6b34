//! Reads the multipart form of an upload. Files are looked at as they stream by and not kept.

use axum::extract::Multipart;
use axum::extract::multipart::{Field, MultipartError};

use super::content::ContentReader;
use super::refusal::Refusal;
use super::upload::Sent;

/// Bytes that the form's text fields may have together.
const TEXT_LIMIT: usize = 1 << 20;

/// What an upload brings.
#[derive(Debug)]
pub(super) struct Form {
    pub files: Vec<Sent>,
    /// None when the field is absent.
    pub paths: Option<Vec<String>>,
}

/// Reads a whole form; unknown fields are ignored.
pub(super) async fn read(mut multipart: Multipart) -> Result<Form, Refusal> {
    let mut files = Vec::new();
    let mut paths = Vec::new();
    let mut room = TEXT_LIMIT;
    while let Some(field) = multipart.next_field().await.map_err(unreadable)? {
        match field.name() {
            Some("files") => files.push(read_file(field).await?),
            Some("relativePaths") => paths.push(read_text(field, &mut room).await?),
            _ => {}
        }
    }
    let paths = (!paths.is_empty()).then(|| in_either_form(paths));
    Ok(Form { files, paths })
}

/// The field may be repeated, or be one string that holds a JSON array.
fn in_either_form(mut paths: Vec<String>) -> Vec<String> {
    if let [only] = &*paths
        && let Ok(listed) = serde_json::from_str(only)
    {
        paths = listed;
    }
    paths
}

async fn read_file(mut field: Field<'_>) -> Result<Sent, Refusal> {
    let filename = field.file_name().ok_or(Refusal::FileName)?.to_owned();
    let content_type = field.content_type().map(str::to_owned);
    let mut content = ContentReader::default();
    while let Some(chunk) = field.chunk().await.map_err(unreadable)? {
        content.push(&chunk);
    }
    Ok(Sent {
        filename,
        content_type,
        content: content.finish(),
    })
}

async fn read_text(mut field: Field<'_>, room: &mut usize) -> Result<String, Refusal> {
    let mut bytes = Vec::new();
    while let Some(chunk) = field.chunk().await.map_err(unreadable)? {
        *room = room
            .checked_sub(chunk.len())
            .ok_or_else(|| Refusal::Body("the relative paths are too long".to_owned()))?;
        bytes.extend_from_slice(&chunk);
    }
    String::from_utf8(bytes).map_err(|error| Refusal::Body(error.to_string()))
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the shape that map_err takes"
)]
fn unreadable(error: MultipartError) -> Refusal {
    Refusal::Body(error.body_text())
}
