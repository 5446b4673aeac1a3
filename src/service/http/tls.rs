//! TLS of the service's own: a certificate and its key from two files, which are read again when they change.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use rustls::ServerConfig;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::Instant;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// The files of a certificate, PEM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate, followed by those that lead to its authority.
    pub cert: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

/// Why the files can't be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file can't be read, or holds something else.
    #[error("{}: {why}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// They don't belong together, or can't be used for TLS.
    #[error("{} and {} can't be used together: {why}", files.cert.display(), files.key.display())]
    Pair {
        /// The files.
        files: TlsFiles,
        /// What is wrong with them.
        why: String,
    },
}

/// How long a handshake may take.
const HANDSHAKE_TIME: Duration = Duration::from_secs(10);

/// How often the files are looked at, at most.
const LOOKED_AT: Duration = Duration::from_secs(1);

/// Makes connections secure.
pub(crate) struct Tls {
    acceptor: TlsAcceptor,
    certificate: Arc<Certificate>,
}

/// The certificate that is shown, as the files had it last.
#[derive(Debug)]
struct Certificate {
    files: TlsFiles,
    provider: Arc<CryptoProvider>,
    current: RwLock<Arc<CertifiedKey>>,
    looked: Mutex<(Instant, Stamps)>,
}

/// When the files were written, and how long they are.
type Stamps = [Option<(SystemTime, u64)>; 2];

impl Tls {
    /// Reads the files.
    pub(crate) fn load(files: &TlsFiles) -> Result<Self, TlsError> {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let stamps = stamps(files);
        let current = RwLock::new(Arc::new(read(files, &provider)?));
        let looked = Mutex::new((Instant::now(), stamps));
        let certificate =
            Arc::new(Certificate { files: files.clone(), provider: Arc::clone(&provider), current, looked });
        let broken = |error: rustls::Error| TlsError::Pair { files: files.clone(), why: error.to_string() };
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(broken)?
            .with_no_client_auth()
            .with_cert_resolver(Arc::clone(&certificate) as Arc<dyn ResolvesServerCert>);
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self { acceptor: TlsAcceptor::from(Arc::new(config)), certificate })
    }

    /// Shakes hands with a client.
    pub(super) async fn accept<S>(&self, stream: S) -> io::Result<TlsStream<S>>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        if self.certificate.is_due() {
            let certificate = Arc::clone(&self.certificate);
            let _ = tokio::task::spawn_blocking(move || certificate.refresh()).await;
        }
        let shaken = tokio::time::timeout(HANDSHAKE_TIME, self.acceptor.accept(stream)).await;
        shaken.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl Certificate {
    /// Whether the files were not looked at for a while; who asks looks at them.
    fn is_due(&self) -> bool {
        let mut looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        let due = looked.0.elapsed() >= LOOKED_AT;
        if due {
            looked.0 = Instant::now();
        }
        due
    }

    /// Reads the files again where they changed; those that can't be used are left, and the old ones stay in force.
    fn refresh(&self) {
        let found = stamps(&self.files);
        {
            let mut looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
            if looked.1 == found {
                return;
            }
            looked.1 = found;
        }
        match read(&self.files, &self.provider) {
            Ok(new) => {
                *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(new);
                tracing::info!("the certificate was read again");
            }
            Err(error) => tracing::warn!(%error, "the new certificate can't be used; the old one stays in force"),
        }
    }
}

impl ResolvesServerCert for Certificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner)))
    }
}

fn stamps(files: &TlsFiles) -> Stamps {
    [&files.cert, &files.key].map(|path| {
        let metadata = fs::metadata(path).ok()?;
        Some((metadata.modified().ok()?, metadata.len()))
    })
}

fn read(files: &TlsFiles, provider: &CryptoProvider) -> Result<CertifiedKey, TlsError> {
    let cert = contents(&files.cert)?;
    let wrong = |path: &Path, why: String| TlsError::File { path: path.to_owned(), why };
    let certs = CertificateDer::pem_slice_iter(&cert)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| wrong(&files.cert, format!("is not a PEM file: {error}")))?;
    if certs.is_empty() {
        return Err(wrong(&files.cert, "has no certificate in it (PEM)".to_owned()));
    }
    let key = PrivateKeyDer::from_pem_slice(&contents(&files.key)?)
        .map_err(|_| wrong(&files.key, "has no private key in it (PEM, without a password)".to_owned()))?;
    CertifiedKey::from_der(certs, key, provider)
        .map_err(|error| TlsError::Pair { files: files.clone(), why: error.to_string() })
}

fn contents(path: &Path) -> Result<Vec<u8>, TlsError> {
    /// Certificates are small; whatever is larger is another file.
    const MOST: u64 = 1024 * 1024;
    let wrong = |why: String| TlsError::File { path: path.to_owned(), why };
    let metadata = fs::metadata(path).map_err(|error| wrong(error.to_string()))?;
    if !metadata.is_file() || metadata.len() > MOST {
        return Err(wrong("is not a certificate or key file".to_owned()));
    }
    fs::read(path).map_err(|error| wrong(error.to_string()))
}
