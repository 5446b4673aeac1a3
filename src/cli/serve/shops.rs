//! `cutaway serve player-embed` and `serve shop-secret`: what a workspace agrees with its shops.

use clap::Args;

use super::{ServeError, say};
use crate::domain::site_origin;
use crate::service::offline::{self, Kept};

/// Who may embed the player.
#[derive(Debug, Clone, Args)]
pub struct PlayerEmbed {
    /// The origins of the sites, such as https://shop.example.com; without any, print the current setting
    #[arg(value_name = "ORIGIN", conflicts_with_all = ["anyone", "nobody"], value_parser = site_origin)]
    origins: Vec<String>,
    /// Let every site embed it (the default)
    #[arg(long, conflicts_with = "nobody")]
    anyone: bool,
    /// Let no site embed it
    #[arg(long)]
    nobody: bool,
}

/// The secret that shops sign purchases with.
#[derive(Debug, Clone, Args)]
pub struct ShopSecret {
    /// Create a new secret; the old one stops working
    #[arg(long)]
    new: bool,
}

impl PlayerEmbed {
    pub(super) async fn run(&self, data: &Kept) -> Result<(), ServeError> {
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
    pub(super) async fn run(&self, data: &Kept) -> Result<(), ServeError> {
        Ok(say(offline::shop_secret(data, self.new).await?.expose())?)
    }
}
