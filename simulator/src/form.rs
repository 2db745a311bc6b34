//! Reads the multipart form of an upload. Files are looked at as they stream by and not kept.

use axum::extract::Multipart;
use axum::extract::multipart::{Field, MultipartError};

use super::content::ContentReader;
use super::refusal::Refusal;
use super::upload::{MAX_FILES, Sent};

/// Bytes that the form's text fields may have together.
const TEXT_LIMIT: usize = 1 << 20;

/// What an upload brings.
#[derive(Debug)]
pub(super) struct Form {
    pub files: Vec<Sent>,
    /// None when the field is absent.
    pub paths: Option<Vec<String>>,
}

/// Reads a whole form; unknown fields are ignored, and of files and paths one more than allowed is kept.
pub(super) async fn read(mut multipart: Multipart) -> Result<Form, Refusal> {
    let mut files = Vec::new();
    let mut paths = Vec::new();
    let mut room = TEXT_LIMIT;
    while let Some(field) = multipart.next_field().await.map_err(unreadable)? {
        match field.name() {
            Some("files") if files.len() <= MAX_FILES => files.push(read_file(field).await?),
            Some("relativePaths") if paths.len() <= MAX_FILES => {
                paths.push(read_text(field, &mut room).await?);
            }
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

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::extract::{FromRequest, Multipart, Request};

    use super::{Form, TEXT_LIMIT, read};
    use crate::Refusal;

    async fn form(parts: &[String]) -> Result<Form, Refusal> {
        let mut body = parts.concat();
        body.push_str("--edge--\r\n");
        let request = Request::post("/")
            .header("content-type", "multipart/form-data; boundary=edge")
            .body(Body::from(body))
            .unwrap();
        read(Multipart::from_request(request, &()).await.unwrap()).await
    }

    fn part(head: &str, content: &str) -> String {
        format!("--edge\r\nContent-Disposition: form-data; {head}\r\n\r\n{content}\r\n")
    }

    #[tokio::test]
    async fn of_too_many_files_and_paths_only_one_more_than_allowed_is_kept() {
        let file = part("name=\"files\"; filename=\"a.txt\"", "x");
        let path = part("name=\"relativePaths\"", "");
        let form = form(&[vec![file; 70], vec![path; 70]].concat())
            .await
            .unwrap();
        assert_eq!((form.files.len(), form.paths.unwrap().len()), (51, 51));
    }

    #[tokio::test]
    async fn paths_have_a_limit_together() {
        let long = "x".repeat(TEXT_LIMIT / 2);
        let path = part("name=\"relativePaths\"", &long);
        assert!(form(&[path.clone(), path.clone()]).await.is_ok());
        let refusal = form(&[path.clone(), path.clone(), path]).await.unwrap_err();
        assert_eq!(refusal.reason(), "body_unreadable");
    }

    #[tokio::test]
    async fn unknown_fields_are_ignored() {
        let form = form(&[part("name=\"comment\"", "hello")]).await.unwrap();
        assert!(form.files.is_empty() && form.paths.is_none());
    }
}
