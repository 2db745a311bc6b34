//! Whether a client takes gzip (RFC 9110, 12.5.3).

use axum::http::HeaderMap;
use axum::http::header::ACCEPT_ENCODING;

/// How much a client likes a coding, in thousandths; 0 is not at all.
type Weight = u16;

/// Whether gzip is what the client likes best of gzip and plain text. Without the header it is plain text.
pub(super) fn prefers_gzip(headers: &HeaderMap) -> bool {
    let values = headers.get_all(ACCEPT_ENCODING).iter();
    let texts = values.filter_map(|value| value.to_str().ok());
    let codings: Vec<_> = texts
        .flat_map(|text| text.split(','))
        .filter_map(coding)
        .collect();
    let weight = |names: &[&str]| {
        let named =
            |(name, _): &&(&str, Weight)| names.iter().any(|one| name.eq_ignore_ascii_case(one));
        codings.iter().find(named).map(|(_, weight)| *weight)
    };
    let others = weight(&["*"]);
    let gzip = weight(&["gzip", "x-gzip"]).or(others).unwrap_or(0);
    // What is not compressed needs no mention, and is then the last choice.
    let plain = weight(&["identity"]).unwrap_or(0);
    gzip > 0 && gzip >= plain
}

/// A coding with its weight; `None` for what is neither.
fn coding(text: &str) -> Option<(&str, Weight)> {
    let mut parts = text.split(';').map(str::trim);
    let name = parts.next().filter(|name| !name.is_empty())?;
    let weight = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
    Some((name, weight.map_or(Some(1_000), thousandths)?))
}

/// Reads `0.5` as 500; at most 1, at most three digits behind the point.
fn thousandths(text: &str) -> Option<Weight> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = part.len() <= 3 && part.bytes().all(|byte| byte.is_ascii_digit());
    let part: Weight = format!("{part:0<3}").parse().ok().filter(|_| digits)?;
    match (whole, part) {
        ("0", part) => Some(part),
        ("1", 0) => Some(1_000),
        _ => None,
    }
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
    fn gzip_is_sent_to_those_who_like_it_best() {
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
    fn plain_text_is_sent_to_everyone_else() {
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
            &["gzip;q=0.0001"],
            &["gzip;q=yes"],
            &["gzip;q=-1"],
            &["gzipped"],
        ] {
            assert!(!prefers(values), "{values:?}");
        }
    }
}
