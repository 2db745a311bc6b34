//! One request and its answer.

use std::io::Read as _;

use flate2::read::MultiGzDecoder;
use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_ENCODING, CONTENT_LENGTH, DATE, HeaderMap,
    HeaderName, HeaderValue, RETRY_AFTER,
};
use reqwest::{Request, Response, StatusCode};
use tokio::task::yield_now;
use url::Url;

use crate::clock::Moment;
use crate::model::Timestamp;
use crate::portal::ask::Ask;
use crate::portal::error::{MAX_ERROR_BYTES, PortalError};
use crate::portal::key::{ApiKey, KeyError};
use crate::portal::retry::retry_after;

/// The answer to a request with status 200.
#[derive(Debug)]
pub(super) struct Reply {
    pub body: Vec<u8>,
    /// The portal's time (the header `Date`), if it says one.
    pub date: Option<Timestamp>,
}

pub(super) fn request(ask: Ask<'_>, base: &Url, key: &ApiKey) -> Result<Request, KeyError> {
    let mut request = Request::new(ask.endpoint().method(), ask.address(base));
    let may_have_a_body = !request.method().is_safe();
    let headers = request.headers_mut();
    headers.insert(AUTHORIZATION, key.header()?);
    headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
    if may_have_a_body {
        // Some servers answer 411 without it (RFC 9110, 8.6).
        headers.insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
    }
    Ok(request)
}

pub(super) async fn receive(
    response: Response,
    most_bytes: usize,
    key: &ApiKey,
) -> Result<Reply, PortalError> {
    let now = Moment::now().wall;
    let (status, headers) = (response.status(), response.headers());
    if status != StatusCode::OK {
        let retry_after = text(headers, RETRY_AFTER).and_then(|wait| retry_after(wait, now));
        let body = body(response, MAX_ERROR_BYTES, key).await;
        let body = body.unwrap_or_default();
        return Err(PortalError::from_status(
            status.as_u16(),
            retry_after,
            &body,
        ));
    }
    let date = text(headers, DATE).and_then(|date| httpdate::parse_http_date(date).ok());
    let body = body(response, most_bytes, key).await?;
    if is_cut_off(&body) {
        let (cause, was_made) = ("the answer ends in the middle".to_owned(), true);
        return Err(PortalError::Connection { cause, was_made });
    }
    Ok(Reply {
        body,
        date: date.map(Timestamp::from),
    })
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

/// Reads a body up to a limit, which also holds for what a packed one unpacks to.
async fn body(mut response: Response, limit: usize, key: &ApiKey) -> Result<Vec<u8>, PortalError> {
    let encoding = text(response.headers(), CONTENT_ENCODING).unwrap_or_default();
    let is_packed = ["gzip", "x-gzip"]
        .iter()
        .any(|name| encoding.eq_ignore_ascii_case(name));
    let length = response.content_length().unwrap_or_default();
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    if length > limit {
        return Err(PortalError::TooLarge { limit });
    }
    let mut body = Vec::with_capacity(length);
    while let Some(piece) = response.chunk().await? {
        if body.len() + piece.len() > limit {
            return Err(PortalError::TooLarge { limit });
        }
        body.extend_from_slice(&piece);
    }
    // The connection is free when the task that owns it has run again: before that, the next request would open another one.
    yield_now().await;
    if is_packed {
        body = unpacked(&body, limit)?;
    }
    key.hide_in(&mut body);
    Ok(body)
}

fn unpacked(body: &[u8], limit: usize) -> Result<Vec<u8>, PortalError> {
    let mut unpacked = Vec::new();
    let mut reader = MultiGzDecoder::new(body).take(limit as u64 + 1);
    match reader.read_to_end(&mut unpacked) {
        Ok(size) if size > limit => Err(PortalError::TooLarge { limit }),
        Ok(_) => Ok(unpacked),
        Err(error) => Err(PortalError::Invalid {
            cause: format!("the body cannot be unpacked: {error}"),
        }),
    }
}

/// Whether a body is a JSON object whose end is missing: the connection broke, and no length said so.
fn is_cut_off(body: &[u8]) -> bool {
    let body = body.trim_ascii();
    body.first() == Some(&b'{') && body.last() != Some(&b'}')
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use axum::Router;
    use axum::serve::ListenerExt;
    use tokio::net::TcpListener;

    use super::*;

    fn packed(pieces: &[&str]) -> Vec<u8> {
        use std::io::Write as _;
        let pack = |piece: &&str| {
            let mut encoder =
                flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(piece.as_bytes()).unwrap();
            encoder.finish().unwrap()
        };
        pieces.iter().flat_map(pack).collect()
    }

    fn key() -> ApiKey {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "kbk_secret").unwrap();
        let path = crate::config::HiddenPath::file("api_key_file", file.path());
        ApiKey::read(&crate::config::KeySource::File(path)).unwrap()
    }

    /// Serves pages, in a runtime of its own: the order of the client's tasks must not depend on it.
    #[tokio::main(flavor = "current_thread")]
    async fn serve(listener: std::net::TcpListener, accepted: Arc<AtomicUsize>) {
        let listener = TcpListener::from_std(listener).unwrap();
        let listener = listener.tap_io(move |_| {
            accepted.fetch_add(1, Ordering::Relaxed);
        });
        let page = async || format!("{{\"data\":[{}0]}}", "0,".repeat(20_000));
        let served = axum::serve(listener, Router::new().fallback(page)).await;
        served.unwrap();
    }

    #[tokio::test]
    async fn requests_that_follow_one_another_share_a_connection() {
        let connections = Arc::new(AtomicUsize::new(0));
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let accepted = Arc::clone(&connections);
        std::thread::spawn(move || serve(listener, accepted));
        crate::tls::install_provider();
        let client = reqwest::Client::builder().pool_max_idle_per_host(1);
        let client = client.tls_certs_only([]).build().unwrap();
        let (requests, key) = (200, key());
        let reads = tokio::spawn(async move {
            for _ in 0..requests {
                let response = client.get(&url).send().await.unwrap();
                receive(response, 1 << 20, &key).await.unwrap();
            }
        });
        reads.await.unwrap();
        let connections = connections.load(Ordering::Relaxed);
        assert!(connections * 20 < requests, "{connections} connections");
    }

    #[tokio::test]
    async fn bodies_are_read_up_to_their_limit_in_each_spelling_of_gzip() {
        let key = key();
        let (plain, members) = ("{\"data\":[]}", ["{\"data\":", "[]}"]);
        for (encoding, sent) in [
            ("identity", plain.as_bytes().to_vec()),
            ("gzip", packed(&[plain])),
            ("GZIP", packed(&members)),
            ("x-gzip", packed(&members)),
        ] {
            for (limit, is_read) in [(plain.len(), true), (plain.len() - 1, false)] {
                let limit = limit.max(if is_read { sent.len() } else { 0 });
                let answer = axum::http::Response::builder().header(CONTENT_ENCODING, encoding);
                let answer = Response::from(answer.body(sent.clone()).unwrap());
                let read = body(answer, limit, &key).await;
                match read {
                    Ok(body) => assert!(is_read && body == plain.as_bytes(), "{encoding}"),
                    Err(PortalError::TooLarge { .. }) => assert!(!is_read, "{encoding}"),
                    Err(error) => panic!("{encoding}: {error}"),
                }
            }
        }
        let error = unpacked(b"{}", 10).unwrap_err();
        assert!(matches!(error, PortalError::Invalid { .. }), "{error}");
    }

    #[test]
    fn an_object_without_its_end_is_cut_off() {
        for (body, expected) in [
            ("{\"data\":[", true),
            ("{\"data\":[]} \n", false),
            ("<html>", false),
            ("[", false),
            ("", false),
        ] {
            assert_eq!(is_cut_off(body.as_bytes()), expected, "{body}");
        }
    }
}
