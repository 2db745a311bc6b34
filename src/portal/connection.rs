//! What connects to a portal, built from the configuration and its certificate files.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use reqwest::redirect::Policy;
use reqwest::{Certificate, ClientBuilder, Identity, Request, Response};
use thiserror::Error;

use crate::config::{self, Portal, Proxy};
use crate::pem::{Pem, PemError};

/// Sends a request and returns the head of the answer: over HTTP, and in tests without a network.
pub(crate) trait Transport: Send + Sync {
    fn send(&self, request: Request) -> BoxFuture<'_, reqwest::Result<Response>>;
}

impl Transport for reqwest::Client {
    fn send(&self, request: Request) -> BoxFuture<'_, reqwest::Result<Response>> {
        Box::pin(self.execute(request))
    }
}

/// Why a client cannot be built.
#[derive(Debug, Error)]
pub enum BuildError {
    /// A file that the configuration names cannot be used.
    #[error(transparent)]
    Pem(#[from] PemError),
    #[error("cert_file with key_file cannot be used: {0}")]
    Identity(reqwest::Error),
    #[error("proxy_url cannot be used: {0}")]
    Proxy(reqwest::Error),
    #[error(
        "cannot set up HTTP: {0}; when no certificates are installed on this machine, set ca_file"
    )]
    Http(#[from] reqwest::Error),
}

/// The way to a portal.
#[derive(Clone)]
pub(super) struct Connection {
    pub transport: Arc<dyn Transport>,
    /// A hash of the certificate files that it was built from.
    pub files: u64,
}

impl Connection {
    /// Reads the certificate files, and builds another connection than the last one if they are others. Blocks for small files; sends nothing.
    pub fn new(
        portal: &Portal,
        request: &config::Request,
        concurrency: usize,
        last: Option<&Self>,
    ) -> Result<Self, BuildError> {
        let authorities = portal.ca_file.as_ref().map(Pem::read).transpose()?;
        let certificate = portal.client_certificate.as_ref();
        let chain = certificate.map(|it| Pem::read(&it.cert_file)).transpose()?;
        let key = certificate.map(|it| Pem::read(&it.key_file)).transpose()?;
        let mut hasher = DefaultHasher::new();
        (&authorities, &chain, &key).hash(&mut hasher);
        let files = hasher.finish();
        if let Some(last) = last.filter(|last| last.files == files) {
            return Ok(last.clone());
        }
        crate::tls::install_provider();
        // Answers are unpacked where their size is limited.
        let mut builder = reqwest::Client::builder()
            .user_agent(&portal.user_agent)
            .connect_timeout(request.connect_timeout)
            .no_gzip()
            .redirect(Policy::none())
            .retry(reqwest::retry::never())
            .pool_max_idle_per_host(concurrency);
        builder = with_proxy(builder, &portal.proxy)?;
        if let Some(authorities) = authorities {
            builder = builder.tls_certs_only(trusted(&authorities)?);
        } else if portal.base_url.as_url().scheme() == "http" {
            // Without TLS, no certificates of the machine are looked for.
            builder = builder.tls_certs_only([]);
        }
        if let Some((chain, key)) = chain.zip(key) {
            builder = builder.identity(identity(&chain, &key)?);
        }
        let transport = Arc::new(builder.build()?);
        Ok(Self { transport, files })
    }
}

fn with_proxy(builder: ClientBuilder, proxy: &Proxy) -> Result<ClientBuilder, BuildError> {
    Ok(match proxy {
        Proxy::None => builder.no_proxy(),
        Proxy::Environment => builder,
        Proxy::Address(address) => {
            let proxy = reqwest::Proxy::all(address.clone()).map_err(BuildError::Proxy)?;
            builder.no_proxy().proxy(proxy)
        }
    })
}

/// With `ca_file`, that authority alone is trusted.
fn trusted(authorities: &Pem) -> Result<Vec<Certificate>, BuildError> {
    let authorities = authorities.certificates()?;
    let authorities = authorities.iter().map(|der| Certificate::from_der(der));
    Ok(authorities.collect::<Result<_, _>>()?)
}

fn identity(chain: &Pem, key: &Pem) -> Result<Identity, BuildError> {
    chain.certificates()?;
    key.key()?;
    let both = [chain.as_bytes(), key.as_bytes()].join(&b'\n');
    Identity::from_pem(&both).map_err(BuildError::Identity)
}
