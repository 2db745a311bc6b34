//! Builds what connects to a portal from the configuration.

use reqwest::redirect::Policy;
use reqwest::{Certificate, ClientBuilder, Identity};
use thiserror::Error;

use crate::config::{ClientCertificate, Portal, Proxy};
use crate::pem::{Pem, PemError};
use crate::portal::connection::Connection;

/// Why a client cannot be built.
#[derive(Debug, Error)]
pub enum BuildError {
    /// A file that the configuration names cannot be used.
    #[error(transparent)]
    Pem(#[from] PemError),
    /// The certificate and the key cannot be used together.
    #[error("cert_file with key_file cannot be used: {0}")]
    Identity(reqwest::Error),
    /// The proxy's address cannot be used.
    #[error("proxy_url cannot be used: {0}")]
    Proxy(reqwest::Error),
    /// The HTTP client cannot be made.
    #[error(
        "cannot set up HTTP: {0}; when no certificates are installed on this machine, set ca_file"
    )]
    Http(reqwest::Error),
}

/// The certificate files that the configuration names.
#[derive(Hash)]
pub(super) struct CertificateFiles {
    authorities: Option<Pem>,
    /// The chain, and its key.
    certificate: Option<[Pem; 2]>,
}

impl CertificateFiles {
    pub fn read(portal: &Portal) -> Result<Self, BuildError> {
        let Portal {
            ca_file,
            client_certificate,
            ..
        } = portal;
        let pair =
            |it: &ClientCertificate| Ok([Pem::read(&it.cert_file)?, Pem::read(&it.key_file)?]);
        let certificate = client_certificate.as_ref().map(pair);
        Ok(Self {
            authorities: ca_file.as_ref().map(Pem::read).transpose()?,
            certificate: certificate.transpose().map_err(BuildError::Pem)?,
        })
    }
}

impl Connection {
    /// Sends nothing.
    pub(super) fn build(&self, files: &CertificateFiles) -> Result<reqwest::Client, BuildError> {
        crate::tls::install_provider();
        let portal = &self.portal;
        // Answers are unpacked where their size is limited.
        let builder = reqwest::Client::builder()
            .user_agent(&portal.user_agent)
            .connect_timeout(self.connect_timeout)
            .no_gzip()
            .redirect(Policy::none())
            .retry(reqwest::retry::never())
            .pool_max_idle_per_host(self.concurrency);
        let builder = with_proxy(builder, &portal.proxy)?;
        let builder = with_authorities(builder, portal, files.authorities.as_ref())?;
        let builder = with_certificate(builder, files.certificate.as_ref())?;
        builder.build().map_err(BuildError::Http)
    }
}

fn with_proxy(builder: ClientBuilder, proxy: &Proxy) -> Result<ClientBuilder, BuildError> {
    match proxy {
        Proxy::None => Ok(builder.no_proxy()),
        Proxy::Environment => Ok(builder),
        Proxy::Address(address) => {
            let proxy = reqwest::Proxy::all(address.clone()).map_err(BuildError::Proxy)?;
            Ok(builder.no_proxy().proxy(proxy))
        }
    }
}

/// With `ca_file`, that authority alone is trusted; without TLS, no certificates of the machine are looked for.
fn with_authorities(
    builder: ClientBuilder,
    portal: &Portal,
    authorities: Option<&Pem>,
) -> Result<ClientBuilder, BuildError> {
    let Some(authorities) = authorities else {
        return Ok(match portal.base_url.as_url().scheme() {
            "http" => builder.tls_certs_only([]),
            _ => builder,
        });
    };
    let authorities = authorities.certificates()?;
    let authorities = authorities.iter().map(|der| Certificate::from_der(der));
    let authorities: Result<Vec<_>, _> = authorities.collect();
    Ok(builder.tls_certs_only(authorities.map_err(BuildError::Http)?))
}

fn with_certificate(
    builder: ClientBuilder,
    certificate: Option<&[Pem; 2]>,
) -> Result<ClientBuilder, BuildError> {
    let Some([chain, key]) = certificate else {
        return Ok(builder);
    };
    chain.certificates()?;
    key.key()?;
    let both = [chain.as_bytes(), key.as_bytes()].join(&b'\n');
    let identity = Identity::from_pem(&both).map_err(BuildError::Identity)?;
    Ok(builder.identity(identity))
}
