//! How a connection ends: what runs in it gives its terminals back, whoever sits there is told why, and the client leaves.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use russh::server::Handle;
use russh::{ChannelId, Disconnect};

use super::{Connection, Tokens};
use crate::ssh::channel;
use crate::ssh::shop::Shop;

/// A client whose channels have ended leaves by itself, with the exit code that it was given; it has so long for that.
const LEAVING: Duration = Duration::from_secs(2);

/// Where the whole server stops, what runs has so long for all of it: the process has to end within ten seconds, and a
/// client that takes nothing may be what it waits for.
const STOPPING: Duration = Duration::from_secs(4);

impl Connection {
    /// Closes the connection once it is to end and what runs in it has ended. What is written last waits in a queue of
    /// its own: a connection that was simply closed would leave terminals as they were drawn on.
    pub(super) fn end_in_order(&self, handle: Handle) {
        let (running, tokens, shop) = (self.running.clone(), self.tokens.clone(), Arc::clone(&self.shop));
        self.shop.tasks.spawn(FutureExt::boxed(async move {
            tokens.end.cancelled().await;
            running.close();
            let ending = shop.limits.ending;
            // Twice: what runs has so long to end, and then to show that it did.
            let stopped = async {
                shop.stop.cancelled().await;
                tokio::time::sleep(STOPPING).await;
            };
            tokio::select! {
                () = running.wait() => {}
                () = tokio::time::sleep(ending * 2) => {}
                () = stopped => {}
            }
            let leaving = LEAVING.min(ending);
            // To a client that was told to go first, no exit code would count.
            if tokio::time::timeout(leaving, tokens.close.cancelled()).await.is_err() {
                let why = why(&shop, &tokens).unwrap_or_default().to_owned();
                let told = async {
                    let _ = handle.disconnect(Disconnect::ByApplication, why, "en".to_owned()).await;
                    tokens.close.cancelled().await;
                };
                let _ = tokio::time::timeout(leaving, told).await;
            }
            tokens.close.cancel();
        }));
    }
}

/// Tells a client how something ended, for as long as it stays: where it has to leave, it has a bound, as it may take nothing.
pub(super) async fn in_time(tokens: &Tokens, telling: impl Future<Output = ()>) {
    let late = async {
        tokens.end.cancelled().await;
        tokio::time::sleep(LEAVING).await;
    };
    tokio::select! {
        () = telling => {}
        () = late => {}
    }
}

/// Why a connection ends, where that was decided here.
pub(super) fn why(shop: &Shop, tokens: &Tokens) -> Option<&'static str> {
    if shop.stop.is_cancelled() {
        Some("the server is stopping")
    } else if tokens.end.is_cancelled() && !tokens.close.is_cancelled() {
        Some("your key was revoked or changed")
    } else {
        None
    }
}

/// Ends the channel of a studio, with why it ended where somebody has to be told.
pub(super) async fn end_studio(
    handle: &Handle,
    id: ChannelId,
    ended: Result<Option<String>, String>,
    (shop, tokens): (&Shop, &Tokens),
) {
    let said = match &ended {
        Err(why) => {
            tracing::warn!(%why, "a guest's studio ended early");
            Some(why.clone())
        }
        Ok(idle) => {
            let why = idle.as_deref().or(why(shop, tokens));
            why.map(|why| format!("{why}; your drafts are kept"))
        }
    };
    if let Some(said) = said {
        let _ = handle.extended_data(id, 1, format!("cutaway: {said}\r\n")).await;
    }
    channel::end(handle, id, u8::from(ended.is_err())).await;
}
