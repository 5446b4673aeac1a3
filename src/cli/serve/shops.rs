//! `cutaway serve player-embed` and `serve shop-secret`: what a workspace agrees with its shops.

use std::path::Path;

use clap::Args;
use url::Url;

use super::{ServeError, say};
use crate::service::offline;

/// Who may embed the player.
#[derive(Debug, Clone, Args)]
pub struct PlayerEmbed {
    /// The shops' origins, such as https://shop.example.com; without any, prints who may
    #[arg(value_name = "ORIGIN", conflicts_with_all = ["anyone", "nobody"], value_parser = origin)]
    origins: Vec<String>,
    /// Let the pages of every site embed it, as at first
    #[arg(long, conflicts_with = "nobody")]
    anyone: bool,
    /// Let no page embed it
    #[arg(long)]
    nobody: bool,
}

/// The secret that shops sign purchases with.
#[derive(Debug, Clone, Args)]
pub struct ShopSecret {
    /// Make a new one; the one before is no longer accepted
    #[arg(long)]
    new: bool,
}

/// The origin of a site (RFC 6454), as browsers write it.
fn origin(text: &str) -> Result<String, String> {
    let url = Url::parse(text).map_err(|error| format!("{error}; give an origin, such as https://shop.example.com"))?;
    let bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
    if !matches!(url.scheme(), "http" | "https") || !bare || url.password().is_some() {
        return Err("must be an origin: scheme, host and port, such as https://shop.example.com".to_owned());
    }
    let origin = url.origin().ascii_serialization();
    // It becomes part of a policy, in which other characters have a meaning of their own.
    let plain =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b':' | b'/' | b'[' | b']');
    if !origin.bytes().all(plain) {
        return Err(format!("{origin} is no host that a browser goes to"));
    }
    Ok(origin)
}

impl PlayerEmbed {
    pub(super) async fn run(&self, data: &Path) -> Result<(), ServeError> {
        if self.anyone {
            return Ok(offline::set_player_embed(data, None).await?);
        }
        if self.nobody || !self.origins.is_empty() {
            return Ok(offline::set_player_embed(data, Some(self.origins.clone())).await?);
        }
        match offline::player_embed(data).await?.as_deref() {
            None => say("anyone")?,
            Some([]) => say("nobody")?,
            Some(origins) => say(&origins.join("\n"))?,
        }
        Ok(())
    }
}

impl ShopSecret {
    pub(super) async fn run(&self, data: &Path) -> Result<(), ServeError> {
        Ok(say(offline::shop_secret(data, self.new).await?.expose())?)
    }
}

#[cfg(test)]
mod tests {
    use super::origin;

    #[test]
    fn origins_are_written_as_browsers_write_them() {
        assert_eq!(origin("https://Shop.example.com:443/"), Ok("https://shop.example.com".to_owned()));
        assert_eq!(origin("http://127.0.0.1:8080"), Ok("http://127.0.0.1:8080".to_owned()));
        assert_eq!(origin("https://bücher.example"), Ok("https://xn--bcher-kva.example".to_owned()));
        for wrong in
            ["shop.example", "https://shop.example/cart", "https://u@shop.example", "data:,x", "*", "https://a;b"]
        {
            assert!(origin(wrong).is_err(), "{wrong}");
        }
    }
}
