//! What to do about an error.

use std::error::Error;
use std::iter::successors;

/// What a status means, for the list of folders or for anything else.
pub(super) fn of_status(status: u16, is_list: bool) -> &'static str {
    match (status, is_list) {
        (301..=303 | 307 | 308, _) => {
            "a redirect, which is not followed; set base_url to the address it leads to"
        }
        (401, _) => "the key is missing, malformed, revoked or expired; issue a new one",
        (403, false) => {
            "refused: the folder is not in the key's set, or this address is not allowed"
        }
        (403, true) => {
            "the portal refuses the address of this host; or base_url is not the address of the administrator part"
        }
        (404, false) => "not found: the folder no longer exists",
        (404, true) => {
            "there is no list of folders: base_url is not the address of the administrator part, or the portal is too old"
        }
        (407, _) => "the proxy asks for a password; set it in proxy_url",
        (429, _) => "too many requests",
        (500..=599, _) => "the portal failed",
        _ => "an undocumented status",
    }
}

/// What caused an error. An error of input or output does not name the one that it holds as its source.
fn cause_of<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e (dyn Error + 'static)> {
    let io = error.downcast_ref::<std::io::Error>();
    let held = io.and_then(std::io::Error::get_ref);
    held.map(|held| held as &(dyn Error + 'static))
        .or_else(|| error.source())
}

/// What to do about a connection that could not be made.
pub(super) fn of_connection(error: &reqwest::Error) -> &'static str {
    use rustls::{CertificateError, Error as Tls, InvalidMessage};
    let first: &(dyn Error + 'static) = error;
    let mut causes = successors(Some(first), |cause| cause_of(*cause));
    match causes.find_map(|cause| cause.downcast_ref()) {
        Some(Tls::InvalidMessage(InvalidMessage::InvalidContentType)) => {
            "the port speaks no TLS: use its port for https, or http:// with allow_plain_http"
        }
        Some(Tls::InvalidCertificate(CertificateError::UnknownIssuer)) => {
            "nobody here knows who signed the portal's certificate: name the authority in ca_file, or let the portal send the intermediate certificate too"
        }
        Some(Tls::InvalidCertificate(CertificateError::Other(_))) => {
            "the portal's certificate cannot be used for a server: it may be that of an authority; give the portal one that the authority signed"
        }
        Some(Tls::InvalidCertificate(_)) => "the portal needs another certificate",
        _ => "is the address right and the portal running?",
    }
}
