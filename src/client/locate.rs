//! Finding a service again that has moved.

use std::path::PathBuf;

use futures_util::future::BoxFuture;
use url::Url;

use crate::domain::ApiKey;

/// Where a service is now.
#[derive(Debug, Clone)]
pub struct Located {
    /// The one address of all its hosts.
    pub base: Url,
    /// The socket that is connected to in place of the address.
    pub socket: Option<PathBuf>,
    /// The key it takes there.
    pub key: ApiKey,
}

/// Says where a service is now. The local workspace is served by whichever process came first; when that one ends,
/// another takes it over at another address, and no caller is to notice.
pub trait Locate: Send + Sync {
    /// Where it is, having started it if nobody serves it; or a sentence why it can't be.
    fn locate(&self) -> BoxFuture<'_, Result<Located, String>>;

    /// It has not answered for a while: where somebody stopped its process, that one is woken.
    fn rouse(&self) {}

    /// Whether the service handed out this address, so that it is asked for what stands there whoever else has the
    /// address by now.
    fn handed_out(&self, _address: &Url) -> bool {
        false
    }
}
