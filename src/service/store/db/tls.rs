//! TLS to a server of PostgreSQL, with the rustls that is there. The proof of a password is bound to the server's certificate
//! (SCRAM-SHA-256-PLUS; `tls-server-end-point` of RFC 5929, section 4), so that nobody in between can pass it on.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use der::asn1::{AnyRef, ObjectIdentifier};
use der::{Decode as _, Reader as _};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use sha2::{Digest as _, Sha256, Sha384, Sha512};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_rustls::TlsConnector;

/// Speaks TLS to whichever server is connected to.
#[derive(Clone)]
pub(super) struct Tls(Arc<ClientConfig>);

impl Tls {
    pub(super) fn new(config: ClientConfig) -> Self {
        Self(Arc::new(config))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> MakeTlsConnect<S> for Tls {
    type Stream = Encrypted<S>;
    type TlsConnect = Greeting;
    type Error = io::Error;

    fn make_tls_connect(&mut self, host: &str) -> io::Result<Greeting> {
        Ok(Greeting { connector: TlsConnector::from(Arc::clone(&self.0)), host: host.to_owned() })
    }
}

/// What greets one server. A connection that takes no TLS has a name that need not be one.
pub(super) struct Greeting {
    connector: TlsConnector,
    host: String,
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for Greeting {
    type Stream = Encrypted<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Encrypted<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move {
            let name = ServerName::try_from(self.host);
            let name = name.map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
            self.connector.connect(name, stream).await.map(Encrypted)
        })
    }
}

/// An encrypted connection.
pub(super) struct Encrypted<S>(tokio_rustls::client::TlsStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Encrypted<S> {
    fn channel_binding(&self) -> ChannelBinding {
        let (_, session) = self.0.get_ref();
        let certificate = session.peer_certificates().and_then(|chain| chain.first());
        certificate
            .and_then(|certificate| end_point(certificate))
            .map_or_else(ChannelBinding::none, ChannelBinding::tls_server_end_point)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Encrypted<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Encrypted<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}

/// The hash of a certificate by the function that it is signed with, and by SHA-256 where that is SHA-1. Nothing where its
/// signature has no such function, as Ed25519's.
fn end_point(certificate: &[u8]) -> Option<Vec<u8>> {
    // The names of RSA (RFC 8017, A.2.4) and of ECDSA (RFC 5758, section 3.2).
    Some(match signed_with(certificate)?.to_string().as_str() {
        "1.2.840.113549.1.1.5" | "1.2.840.113549.1.1.11" | "1.2.840.10045.4.1" | "1.2.840.10045.4.3.2" => {
            Sha256::digest(certificate).to_vec()
        }
        "1.2.840.113549.1.1.12" | "1.2.840.10045.4.3.3" => Sha384::digest(certificate).to_vec(),
        "1.2.840.113549.1.1.13" | "1.2.840.10045.4.3.4" => Sha512::digest(certificate).to_vec(),
        _ => return None,
    })
}

/// What a certificate is signed with: behind what is signed (RFC 5280, section 4.1).
fn signed_with(certificate: &[u8]) -> Option<ObjectIdentifier> {
    let whole = AnyRef::from_der(certificate).ok()?;
    let read = whole.sequence(|parts| {
        let _signed: AnyRef<'_> = parts.decode()?;
        let algorithm: AnyRef<'_> = parts.decode()?;
        let _signature: AnyRef<'_> = parts.decode()?;
        algorithm.sequence(|parts| {
            let name: ObjectIdentifier = parts.decode()?;
            let _parameters: Option<AnyRef<'_>> = parts.decode()?;
            Ok::<_, der::Error>(name)
        })
    });
    read.ok()
}

#[cfg(test)]
mod tests {
    use rustls::pki_types::CertificateDer;
    use rustls::pki_types::pem::PemObject as _;

    use super::*;

    #[test]
    fn certificates_are_hashed_as_they_are_signed() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/localhost.pem");
        let certificate = CertificateDer::from_pem_file(file).unwrap();
        let name = signed_with(&certificate).unwrap().to_string();
        assert!(["1.2.840.113549.1.1.11", "1.2.840.10045.4.3.2"].contains(&name.as_str()), "{name}");
        assert_eq!(end_point(&certificate), Some(Sha256::digest(&certificate).to_vec()));
        for broken in [&certificate[..certificate.len() - 1], &certificate[1..], b"", b"0\x80"] {
            assert_eq!(end_point(broken), None);
        }
    }
}
