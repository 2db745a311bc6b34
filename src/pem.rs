//! Certificates and private keys in PEM form.

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use thiserror::Error;

use crate::config::{FileError, HiddenPath};

/// Why certificates or a key cannot be used. It quotes nothing of the text.
#[derive(Debug, Error)]
pub enum PemError {
    #[error(transparent)]
    Unreadable(#[from] FileError),
    #[error("{origin} holds no {what} in PEM form")]
    Content { origin: String, what: &'static str },
}

/// A text in PEM form, which may be secret.
#[derive(Hash)]
pub struct Pem {
    /// Where it is from, for errors.
    origin: String,
    text: Vec<u8>,
}

impl Pem {
    pub fn read(file: &HiddenPath) -> Result<Self, PemError> {
        Ok(Self {
            origin: file.to_string(),
            text: file.read()?,
        })
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.text
    }

    /// All certificates; at least one.
    pub fn certificates(&self) -> Result<Vec<CertificateDer<'static>>, PemError> {
        let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&self.text).collect();
        let certificates = read.ok().filter(|certificates| !certificates.is_empty());
        certificates.ok_or_else(|| self.without("certificate"))
    }

    /// The first private key.
    pub fn key(&self) -> Result<PrivateKeyDer<'static>, PemError> {
        PrivateKeyDer::from_pem_slice(&self.text).map_err(|_| self.without("private key"))
    }

    fn without(&self, what: &'static str) -> PemError {
        let origin = self.origin.clone();
        PemError::Content { origin, what }
    }
}
