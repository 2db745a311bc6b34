//! What headers say who asks.

use axum::http::HeaderValue;

use super::super::*;

fn read(values: &[&[u8]]) -> Option<(String, String)> {
    let values = values.iter().map(|value| HeaderValue::from_bytes(value));
    let headers = values.map(|value| (AUTHORIZATION, value.unwrap()));
    let read = Credentials::of(&headers.collect())?;
    Some((read.user, read.password))
}

#[test]
fn user_and_password_are_parted_at_the_first_colon() {
    let long = format!(
        "Basic {}",
        BASE64_STANDARD.encode("a".repeat(20_000) + ":b")
    );
    for (header, user, password) in [
        ("Basic YTpi", "a", "b"),
        ("bAsIc YTpi", "a", "b"),
        ("Basic   YTpi ", "a", "b"),
        ("Basic YTpiOmM=", "a", "b:c"),
        ("Basic Og==", "", ""),
        ("Basic YTo=", "a", ""),
        ("Basic w6Q6AA==", "ä", "\0"),
        (&long, &"a".repeat(20_000), "b"),
    ] {
        let expected = Some((user.to_owned(), password.to_owned()));
        assert_eq!(read(&[header.as_bytes()]), expected, "{header}");
    }
}

#[test]
fn what_is_malformed_is_nobody() {
    for headers in [
        &[][..],
        &[&b""[..]],
        &[b"Basic"],
        &[b"Basic "],
        &[b"BasicYTpi"],
        &[b"Basic\tYTpi"],
        &[b"Bearer YTpi"],
        &[b"Basic YWI="],
        &[b"Basic YTp"],
        &[b"Basic YTo"],
        &[b"Basic YTp="],
        &[b"Basic YTpi===="],
        &[b"Basic YT pi"],
        &[b"Basic YTpi,Basic YTpi"],
        &[b"Basic YTr_"],
        &[b"Basic /zpi"],
        &[b"Basic \xff\xfe"],
        &[b"Basic YTpi", b"Basic YTpi"],
    ] {
        assert_eq!(read(headers), None, "{headers:?}");
    }
}
