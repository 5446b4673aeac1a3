//! A connection of its own for one upload, where nothing lies between: a service that refuses a file early answers and
//! closes while the file is still being written, and the broken writing must not hide the answer.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::FutureExt;
use hyper::body::Incoming;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::proxy::matcher::Matcher;
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use rustls_platform_verifier::BuilderVerifierExt as _;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_util::task::AbortOnDropHandle;
use tower::ServiceExt as _;
use url::Url;

use crate::settings::is_loopback;

/// A line that goes on listening when it can't be spoken to any more.
#[derive(Debug)]
pub(super) struct Listening<S> {
    line: S,
    broken: bool,
}

impl<S> Listening<S> {
    /// A line that stands.
    pub(super) fn on(line: S) -> Self {
        Self { line, broken: false }
    }

    /// What came of speaking; of a line that broke nothing ever comes, and what is read says how it ends.
    fn heard<T>(&mut self, spoken: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        match spoken {
            Poll::Ready(Err(error)) if is_hung_up(&error) => {
                self.broken = true;
                Poll::Pending
            }
            spoken => spoken,
        }
    }
}

fn is_hung_up(error: &io::Error) -> bool {
    use io::ErrorKind as Kind;
    matches!(error.kind(), Kind::BrokenPipe | Kind::ConnectionReset | Kind::ConnectionAborted)
}

impl<S: AsyncRead + Unpin> AsyncRead for Listening<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.line).poll_read(cx, into)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Listening<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.broken {
            return Poll::Pending;
        }
        let written = Pin::new(&mut self.line).poll_write(cx, bytes);
        self.heard(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if self.broken {
            return Poll::Pending;
        }
        let written = Pin::new(&mut self.line).poll_write_vectored(cx, pieces);
        self.heard(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.line.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.broken {
            return Poll::Pending;
        }
        let flushed = Pin::new(&mut self.line).poll_flush(cx);
        self.heard(flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.broken {
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.line).poll_shutdown(cx)
    }
}

/// What came of sending over a line of its own. The line is let go when the last field is dropped.
pub(super) struct Spoken {
    pub(super) answer: http::Response<Incoming>,
    /// Carries the bytes of the answer.
    pub(super) carrier: AbortOnDropHandle<()>,
}

/// Whether something lies between: then the line can't be one's own.
pub(super) fn is_proxied(url: &Url) -> bool {
    url.as_str().parse().is_ok_and(|uri| Matcher::from_system().intercept(&uri).is_some())
}

/// The proxy between, as `http://proxy.example:3128`: without the name and password that lead through it.
pub(super) fn proxy(url: &Url) -> Option<String> {
    // Plain requests to this machine go to it directly, whatever the environment says.
    if url.scheme() == "http" && is_loopback(url) {
        return None;
    }
    let intercept = Matcher::from_system().intercept(&url.as_str().parse().ok()?)?;
    let (scheme, host) = (intercept.uri().scheme_str().unwrap_or("http"), intercept.uri().host()?);
    let port = intercept.uri().port_u16().map_or_else(String::new, |port| format!(":{port}"));
    Some(format!("{scheme}://{host}{port}"))
}

/// Opens a line to the host of an address, whichever of its addresses answers.
pub(super) async fn open(url: &Url, patience: Duration) -> io::Result<Listening<TcpStream>> {
    let uri: http::Uri = url.as_str().parse().map_err(io::Error::other)?;
    let mut connector = HttpConnector::new();
    connector.enforce_http(false);
    connector.set_nodelay(true);
    connector.set_connect_timeout(Some(patience));
    let line = connector.oneshot(uri).await.map_err(io::Error::other)?;
    Ok(Listening::on(line.into_inner()))
}

/// How lines are secured: by the certificates that the system trusts, as all other connections are.
pub(super) fn security() -> Result<Arc<ClientConfig>, rustls::Error> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    let mut config = config.with_platform_verifier()?.with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

/// Secures a line to the host of an address.
pub(super) async fn secure(
    line: Listening<TcpStream>,
    url: &Url,
    config: Arc<ClientConfig>,
) -> io::Result<impl AsyncRead + AsyncWrite + Send + Unpin + 'static> {
    let host = url.host_str().unwrap_or_default();
    let name = host.trim_start_matches('[').trim_end_matches(']').to_owned();
    let name = ServerName::try_from(name).map_err(io::Error::other)?;
    TlsConnector::from(config).connect(name, line).await
}

/// Sends a request over it, and returns with the answer's head.
pub(super) async fn speak(
    line: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    request: http::Request<reqwest::Body>,
) -> hyper::Result<Spoken> {
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(line)).await?;
    let carrier = AbortOnDropHandle::new(tokio::spawn(FutureExt::boxed(async move {
        // How it ended is told to whoever waits for the answer.
        let _ = connection.await;
    })));
    let answer = sender.send_request(request).await?;
    Ok(Spoken { answer, carrier })
}
