//! Signing in at the authorization server, §5.3: OAuth 2.0 for the public client `cutaway` with the one scope. By device
//! code (RFC 8628), or by code with PKCE (RFC 7636) and a redirect to this machine (RFC 8252); from the server's metadata
//! (RFC 8414).

mod answer;
mod code;
mod device;
mod error;
mod metadata;
mod redirect;
mod server;

pub use code::{CodeRequest, PastedCode};
pub use device::DeviceRequest;
pub use error::OAuthError;
pub use redirect::Redirect;
pub use server::AuthServer;

/// The one client, which has no secret.
pub const CLIENT_ID: &str = "cutaway";
/// The one scope of §5.3.
pub const SCOPE: &str = "workspace";
