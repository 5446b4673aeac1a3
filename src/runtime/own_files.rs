//! Pictures and videos of the local workspace, read by its socket: whoever has the port of their addresses by now is not
//! asked.

use std::sync::{Arc, OnceLock};

use reqwest::header::{ACCEPT, HeaderMap, HeaderValue};
use reqwest::{Method, Response};
use url::Url;

use super::connection::LocalWorkspace;
use crate::client::Locate as _;

/// Reads what the local workspace handed out addresses of, once it is connected to.
#[derive(Clone, Default)]
pub struct OwnFiles {
    workspace: Arc<OnceLock<Arc<LocalWorkspace>>>,
}

impl OwnFiles {
    /// This is the workspace.
    pub fn connected(&self, workspace: Arc<LocalWorkspace>) {
        let _ = self.workspace.set(workspace);
    }

    /// What stands at an address; nothing where it is not the workspace's, and has to be asked for elsewhere.
    ///
    /// # Errors
    /// Where the workspace's process can't be reached.
    pub async fn ask(&self, url: &Url, accepted: &str) -> Option<reqwest::Result<Response>> {
        let mut headers = HeaderMap::new();
        headers.extend(HeaderValue::from_str(accepted).ok().map(|accepted| (ACCEPT, accepted)));
        self.ask_with(&Method::GET, url, &headers).await
    }

    /// The same by another method, or with other headers.
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub async fn ask_with(&self, method: &Method, url: &Url, headers: &HeaderMap) -> Option<reqwest::Result<Response>> {
        let workspace = self.workspace.get().filter(|workspace| workspace.handed_out(url))?;
        let first = send(&workspace.socket()?, method, url, headers).await;
        if !first.as_ref().is_err_and(reqwest::Error::is_connect) {
            return Some(first);
        }
        // Its process has ended: the next one is waited for, or is this one.
        match workspace.socket_again().await {
            Some(socket) => Some(send(&socket, method, url, headers).await),
            None => Some(first),
        }
    }
}

#[cfg(unix)]
async fn send(socket: &std::path::Path, method: &Method, url: &Url, headers: &HeaderMap) -> reqwest::Result<Response> {
    let builder = reqwest::Client::builder()
        .unix_socket(socket)
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .tls_certs_only([]);
    builder.build()?.request(method.clone(), url.clone()).headers(headers.clone()).send().await
}

/// Never called: without sockets the workspace's addresses are asked themselves.
#[cfg(not(unix))]
async fn send(_: &std::path::Path, method: &Method, url: &Url, headers: &HeaderMap) -> reqwest::Result<Response> {
    reqwest::Client::new().request(method.clone(), url.clone()).headers(headers.clone()).send().await
}
