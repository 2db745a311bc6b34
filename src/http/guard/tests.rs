use super::*;

#[test]
fn a_page_of_another_site_is_told_by_its_headers() {
    for (headers, expected) in [
        (&[("host", "kb:15732")][..], false),
        (&[("sec-fetch-site", "same-origin")], false),
        (&[("sec-fetch-site", "none")], false),
        (&[("sec-fetch-site", "same-site")], true),
        (&[("sec-fetch-site", "cross-site")], true),
        (&[("host", "kb:1"), ("origin", "http://kb:1")], false),
        (&[("host", "kb:1"), ("origin", "https://kb:1")], false),
        (&[("host", "kb:1"), ("origin", "http://kb:2")], true),
        (&[("host", "kb:1"), ("origin", "http://evil.example")], true),
        (&[("host", "kb:1"), ("origin", "null")], true),
        (&[("origin", "http://evil.example")], true),
        // Behind a proxy that changes the host.
        (
            &[
                ("host", "kb"),
                ("origin", "https://kb.example"),
                ("sec-fetch-site", "same-origin"),
            ],
            false,
        ),
    ] {
        let pairs = headers.iter().map(|(name, value)| {
            let name = axum::http::HeaderName::from_static(name);
            (name, value.parse().unwrap())
        });
        assert_eq!(is_cross_site(&pairs.collect()), expected, "{headers:?}");
    }
}
