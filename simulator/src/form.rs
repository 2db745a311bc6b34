//! Reads the multipart form of an upload. Files are examined as they stream by and not stored.

use axum::extract::Multipart;
use axum::extract::multipart::{Field, MultipartError};

use super::content::Content;
use super::refusal::Refusal;
use super::upload::{MAX_FILES, Sent};

#[derive(Debug)]
pub(super) struct Form {
    pub files: Vec<Sent>,
    /// None when the field is absent.
    pub paths: Option<Vec<String>>,
}

/// Reads a whole form. Unknown fields are ignored, and so are files and paths from the second on that is too many.
pub(super) async fn read(mut multipart: Multipart) -> Result<Form, Refusal> {
    let mut files = Vec::new();
    let mut paths = Vec::new();
    while let Some(field) = multipart.next_field().await.map_err(unreadable)? {
        match field.name() {
            Some("files") if files.len() <= MAX_FILES => files.push(read_file(field).await?),
            Some("relativePaths") if paths.len() <= MAX_FILES => {
                let path = read_content(field).await?;
                let path = path.whole().and_then(|path| str::from_utf8(path).ok());
                let path = path.ok_or_else(|| Refusal::Body("a path cannot be read".to_owned()))?;
                paths.push(path.to_owned());
            }
            _ => {}
        }
    }
    // The field may be repeated, or be one string that holds a JSON array.
    if let [only] = &*paths
        && let Ok(listed) = serde_json::from_str(only)
    {
        return Ok(Form {
            files,
            paths: Some(listed),
        });
    }
    let paths = (!paths.is_empty()).then_some(paths);
    Ok(Form { files, paths })
}

async fn read_file(field: Field<'_>) -> Result<Sent, Refusal> {
    Ok(Sent {
        filename: field.file_name().ok_or(Refusal::FileName)?.to_owned(),
        content_type: field.content_type().map(str::to_owned),
        content: read_content(field).await?,
    })
}

async fn read_content(mut field: Field<'_>) -> Result<Content, Refusal> {
    let mut content = Content::default();
    while let Some(chunk) = field.chunk().await.map_err(unreadable)? {
        content.push(&chunk);
    }
    Ok(content)
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

    use super::{Form, read};
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
    async fn of_too_many_files_and_paths_only_one_more_than_allowed_is_read() {
        let file = part("name=\"files\"; filename=\"a.txt\"", "x");
        let path = part("name=\"relativePaths\"", "");
        let form = form(&[vec![file; 70], vec![path; 70]].concat())
            .await
            .unwrap();
        assert_eq!((form.files.len(), form.paths.unwrap().len()), (51, 51));
    }

    #[tokio::test]
    async fn a_path_has_a_limit() {
        let path = |length| part("name=\"relativePaths\"", &"x".repeat(length));
        assert!(form(&[path(64 * 1024)]).await.is_ok());
        let refusal = form(&[path(64 * 1024 + 1)]).await.unwrap_err();
        assert_eq!(refusal.code(), (400, "body_unreadable"));
    }

    #[tokio::test]
    async fn unknown_fields_are_ignored() {
        let form = form(&[part("name=\"comment\"", "hello")]).await.unwrap();
        assert!(form.files.is_empty() && form.paths.is_none());
    }
}
