//! Whether a client prefers gzip (RFC 9110, 12.5.3).

use axum::http::HeaderMap;
use axum::http::header::ACCEPT_ENCODING;

/// Whether the client prefers gzip to plain text. Without the header it is plain text.
pub(super) fn prefers_gzip(headers: &HeaderMap) -> bool {
    let values = headers.get_all(ACCEPT_ENCODING).iter();
    let values = values.filter_map(|value| value.to_str().ok());
    let codings = values.flat_map(|value| value.split(','));
    let codings: Vec<(&str, f32)> = codings.filter_map(coding).collect();
    let quality = |names: &[&str]| {
        let is_named = |name: &str| names.iter().any(|one| name.eq_ignore_ascii_case(one));
        let coding = codings.iter().find(|(name, _)| is_named(name));
        coding.map(|(_, quality)| *quality)
    };
    let gzip = quality(&["gzip", "x-gzip"]).or_else(|| quality(&["*"]));
    // Plain text needs no mention, and is then the last choice.
    let plain = quality(&["identity"]).unwrap_or(0.0);
    gzip.is_some_and(|gzip| gzip > 0.0 && gzip >= plain)
}

/// The name and the quality value of a coding; `None` if it is malformed.
fn coding(text: &str) -> Option<(&str, f32)> {
    let (name, parameter) = text.split_once(';').unwrap_or((text, "q=1"));
    let (key, quality) = parameter.split_once('=')?;
    let quality = quality.trim_end().parse().ok()?;
    let is_valid = key.trim().eq_ignore_ascii_case("q") && (0.0..=1.0).contains(&quality);
    is_valid.then_some((name.trim(), quality))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn prefers(values: &[&'static str]) -> bool {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(ACCEPT_ENCODING, HeaderValue::from_static(value));
        }
        prefers_gzip(&headers)
    }

    #[test]
    fn gzip_is_sent_to_clients_that_prefer_it() {
        for values in [
            &["gzip"][..],
            &["GZIP"],
            &["x-gzip"],
            &["*"],
            &["deflate, gzip"],
            &["deflate", "gzip;q=0.001"],
            &["gzip;q=1.0, *;q=0"],
            &["gzip ; q=0.8 , identity;q=0.5"],
            &["gzip, identity"],
            &["identity;q=0, *;q=0.1"],
        ] {
            assert!(prefers(values), "{values:?}");
        }
    }

    #[test]
    fn plain_text_is_sent_to_all_others() {
        for values in [
            &[][..],
            &[""],
            &["identity"],
            &["deflate, br"],
            &["gzip;q=0"],
            &["gzip;Q=0.000"],
            &["gzip;q=0, *"],
            &["*;q=0"],
            &["gzip;q=0.5, identity"],
            &["gzip;q=0, identity;q=0"],
            &["gzip;q=2"],
            &["gzip;q=NaN"],
            &["gzip;q=1;q=1"],
            &["gzip;level=1"],
            &["gzip;q=yes"],
            &["gzip;q=-1"],
            &["gzipped"],
        ] {
            assert!(!prefers(values), "{values:?}");
        }
    }
}
