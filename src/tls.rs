//! The cryptography of TLS: `ring`, which needs no C library.

use std::sync::Arc;

use rustls::crypto::{CryptoProvider, ring};

/// What a TLS configuration is built with.
pub fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

/// Lets `reqwest`, which uses the default of the process, build clients.
pub fn install_provider() {
    // Fails if it is installed already, which is fine.
    drop(ring::default_provider().install_default());
}
