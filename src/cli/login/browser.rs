//! Signing in in a browser that is sent back to this machine, or whose address is pasted.

use std::io;
use std::pin::pin;

use tokio::sync::mpsc::unbounded_channel;

use super::tell;
use crate::cli::{Failure, studio};
use crate::client::oauth::{AuthServer, PastedCode, Redirect};
use crate::runtime::host::children::open;
use crate::settings::{Environment, Tokens};
use crate::terminal::Capability;

/// Shows the address, opens it where that can be done, and takes what comes back: by redirect or pasted.
pub(super) async fn sign_in(server: &AuthServer, environment: &Environment) -> Result<Tokens, Failure> {
    let redirect = Redirect::listen().await?;
    let request = server.begin_code(&redirect.url)?;
    tell("Open this address in a browser and approve:");
    tell(&format!("  {}", request.address));
    tell(
        "If that browser runs on another machine, it ends at a page that can't be shown: paste that page's address here.",
    );
    let remote = Capability::of(|name| environment.get(name).map(str::to_owned)).remote;
    if let Some(opener) = studio::opener(environment, remote)
        && let Ok(mut command) = open(&opener, request.address.as_str())
    {
        // Where it can't be opened, it was shown.
        let _ = command.spawn();
    }
    let (sender, mut pasted) = unbounded_channel();
    // Left behind where the redirect comes first: nothing else reads what is typed then.
    std::thread::spawn(move || {
        for line in io::stdin().lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    // Once, so that a browser that is being listened to is not forgotten when something else is pasted.
    let back = {
        let mut redirected = pin!(redirect.wait(&request));
        loop {
            tokio::select! {
                back = &mut redirected => break back,
                line = pasted.recv() => match line.as_deref().map(PastedCode::read) {
                    Some(Ok(back)) => break back,
                    Some(Err(why)) => tell(&format!("That didn't work: {why}.")),
                    // Nothing more will be pasted: the redirect may still come.
                    None => break redirected.await,
                },
            }
        }
    };
    Ok(server.redeem(request, back).await?)
}
