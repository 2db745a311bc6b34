//! A gzip stream that is small on the wire and large when it is unpacked.

/// Blanks that one round of the stream unpacks to: eight copies of the longest length.
const ROUND: usize = 8 * 258;

/// Packs at least so many blanks, which JSON does not mind, 160 to one.
///
/// A deflate block with fixed codes (RFC 1951, section 3.2.6): a blank, then copies of it. The trailer is missing.
pub(super) fn blanks(bytes: usize) -> Vec<u8> {
    let mut bits = Bits(vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255], 0);
    bits.push(1, 1);
    bits.push(0b01, 2);
    bits.push_code(0x30 + u32::from(b' '), 8);
    for _ in 0..bytes.div_ceil(ROUND) * 8 {
        // Length 258 is symbol 285; distance 1 is symbol 0.
        bits.push_code(0b1100_0101, 8);
        bits.push_code(0, 5);
    }
    bits.push_code(0, 7);
    bits.0
}

/// Bytes that are filled bit by bit, from the lowest, and the bits of the last one that are in use.
struct Bits(Vec<u8>, u32);

impl Bits {
    fn push(&mut self, value: u32, width: u32) {
        for bit in 0..width {
            if self.1.is_multiple_of(8) {
                self.0.push(0);
            }
            let set = u8::from(value >> bit & 1 == 1) << (self.1 % 8);
            if let Some(last) = self.0.last_mut() {
                *last |= set;
            }
            self.1 += 1;
        }
    }

    /// Codes are packed from their highest bit.
    fn push_code(&mut self, code: u32, width: u32) {
        self.push(code.reverse_bits() >> (32 - width), width);
    }
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::http::header::CONTENT_ENCODING;
    use axum::routing::get;
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn it_unpacks_to_a_hundred_times_its_size() {
        let packed = blanks(1_000_000);
        assert!(packed.len() < 10_000);
        let answer = get(async || ([(CONTENT_ENCODING, "gzip")], packed));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async { axum::serve(listener, Router::new().fallback(answer)).await });
        let client = reqwest::Client::builder().no_proxy().tls_certs_only([]);
        let mut response = client.build().unwrap().get(url).send().await.unwrap();
        let mut unpacked = 0;
        // The trailer is missing, so the end is an error.
        while let Ok(Some(chunk)) = response.chunk().await {
            assert!(chunk.iter().all(|byte| *byte == b' '));
            unpacked += chunk.len();
        }
        assert!(unpacked >= 1_000_000, "{unpacked}");
    }
}
