//! Signing in by device code.

use std::io::{self, IsTerminal as _};

use super::tell;
use crate::cli::Failure;
use crate::client::oauth::AuthServer;
use crate::domain::text;
use crate::settings::Tokens;
use crate::studio::QrCode;

/// Shows the code and waits until it was approved; Ctrl-C gives up.
pub(super) async fn sign_in(server: &AuthServer) -> Result<Tokens, Failure> {
    let request = server.begin_device().await?;
    tell(&format!("Open {} in a browser, on any machine.", request.address));
    tell(&format!("On that page, approve the code {}", text::line(&request.user_code)));
    if io::stderr().is_terminal() {
        // Black on white, whatever the terminal's own colours: readers want the light edge.
        let rows = QrCode::of(request.whole_address.as_str()).and_then(|code| code.rows(u16::MAX, u16::MAX, false));
        for line in rows.into_iter().flatten() {
            tell(&format!("  \x1b[30;107m{line}\x1b[0m"));
        }
    }
    tell(&format!("Waiting up to {} minutes; Ctrl-C cancels.", request.lasts.as_secs().div_ceil(60)));
    Ok(server.wait_for_device(&request).await?)
}
