//! Builds a client from the configuration.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use reqwest::redirect::Policy;
use reqwest::{Certificate, ClientBuilder, Identity};
use thiserror::Error;

use crate::config::{ClientCertificate, Collect, Portal, Proxy, Request};
use crate::portal::client::Client;
use crate::portal::observe::Observer;
use crate::portal::throttles::Throttles;

/// Why a client cannot be built.
#[derive(Debug, Error)]
pub enum BuildError {
    /// A file that the configuration names cannot be read.
    #[error("cannot read {}: {cause}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's error.
        cause: std::io::Error,
    },
    /// A file that the configuration names does not hold what it should.
    #[error("{} holds no usable {what}: {cause}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What was expected.
        what: &'static str,
        /// The TLS library's error.
        cause: reqwest::Error,
    },
    /// The proxy's address cannot be used.
    #[error("proxy_url cannot be used: {0}")]
    Proxy(reqwest::Error),
    /// The HTTP client cannot be made.
    #[error(
        "cannot set up HTTP: {0}; when no certificates are installed on this machine, set ca_file"
    )]
    Http(reqwest::Error),
}

impl Client {
    /// Builds a client for one portal, with the throttle that is in use there, if there is one. Reads the certificate files; sends
    /// nothing.
    pub fn build(
        portal: &Portal,
        collect: &Collect,
        request: &Request,
        observer: Arc<dyn Observer>,
        throttles: &Throttles,
    ) -> Result<Arc<Self>, BuildError> {
        let concurrency = collect.concurrency.get();
        let builder = reqwest::Client::builder()
            .user_agent(&portal.user_agent)
            .timeout(request.timeout)
            .connect_timeout(request.connect_timeout)
            .redirect(Policy::none())
            .retry(reqwest::retry::never())
            .pool_max_idle_per_host(concurrency);
        let builder = with_proxy(builder, &portal.proxy)?;
        let builder = with_authorities(builder, portal)?;
        let builder = with_certificate(builder, portal.client_certificate.as_ref())?;
        Ok(Arc::new(Self {
            http: builder.build().map_err(BuildError::Http)?,
            base: portal.base_url.as_url().clone(),
            key: portal.key.clone(),
            throttle: throttles.of(portal, collect),
            retries: request.retries,
            timeout: request.timeout,
            max_body_bytes: request.max_body_bytes,
            concurrency,
            observer,
        }))
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
fn with_authorities(builder: ClientBuilder, portal: &Portal) -> Result<ClientBuilder, BuildError> {
    let Some(path) = &portal.ca_file else {
        return Ok(match portal.base_url.as_url().scheme() {
            "http" => builder.tls_certs_only([]),
            _ => builder,
        });
    };
    let bundle = Certificate::from_pem_bundle(&read(path)?);
    Ok(builder.tls_certs_only(usable(bundle, path, "certificate")?))
}

fn with_certificate(
    builder: ClientBuilder,
    certificate: Option<&ClientCertificate>,
) -> Result<ClientBuilder, BuildError> {
    let Some(certificate) = certificate else {
        return Ok(builder);
    };
    let path = &certificate.cert_file;
    let pem = [read(path)?, read(&certificate.key_file)?].join(&b'\n');
    let identity = usable(Identity::from_pem(&pem), path, "certificate with its key")?;
    Ok(builder.identity(identity))
}

fn read(path: &Path) -> Result<Vec<u8>, BuildError> {
    fs::read(path).map_err(|cause| BuildError::File {
        path: path.to_owned(),
        cause,
    })
}

fn usable<T>(
    content: reqwest::Result<T>,
    path: &Path,
    what: &'static str,
) -> Result<T, BuildError> {
    content.map_err(|cause| BuildError::Content {
        path: path.to_owned(),
        what,
        cause,
    })
}
