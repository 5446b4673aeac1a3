//! Which addresses deliveries may go to: those of the public internet, so that a subscription is no way into the
//! networks around the service.

use std::net::SocketAddr;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::settings::is_public;

/// The address is one of this machine or of a network around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the address isn't on the public internet; `serve --allow-private-webhooks` allows it")]
pub(super) struct Private;

/// Resolves names once, and hands out only the addresses that were looked at: those are what is connected to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Resolver {
    pub(super) allow_private: bool,
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let allow_private = self.allow_private;
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let allowed: Vec<SocketAddr> = found.filter(|address| allow_private || is_public(address.ip())).collect();
            if allowed.is_empty() {
                return Err(Private.into());
            }
            Ok::<Addrs, _>(Box::new(allowed.into_iter()))
        })
    }
}
