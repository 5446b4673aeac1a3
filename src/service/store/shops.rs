//! What a workspace has agreed with its shops: the secret that they sign purchases with, and who may embed the player.

use super::db::{self, OptionalExtension as _, params};
use super::webhooks::new_secret;
use super::{Store, StoreError};
use crate::domain::WebhookSecret;

/// The project behind a player's address, as far as purchases in it are concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShopOfPlayer {
    /// Its workspace.
    pub workspace: i64,
    /// What the workspace's shops sign with; nothing where no secret was made.
    pub secret: Option<WebhookSecret>,
}

impl Store {
    /// Whose purchases the player of this publish id reports; nothing where there is no such project.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn shop_of_player(&self, publish_id: String) -> Result<Option<ShopOfPlayer>, StoreError> {
        self.readers
            .run(move |connection| {
                let sql = "SELECT workspace.id, workspace.shop_secret FROM project
                    JOIN workspace ON workspace.id = project.workspace WHERE project.publish_id = ?1";
                let read = |row: &db::Row<'_>| {
                    let secret: Option<String> = row.get(1)?;
                    Ok(ShopOfPlayer { workspace: row.get(0)?, secret: secret.as_deref().map(WebhookSecret::new) })
                };
                Ok(connection.prepare_cached(sql)?.query_row([publish_id], read).optional()?)
            })
            .await
    }

    /// The secret that a workspace's shops sign purchases with; made where there is none, or where a `new` one is wanted,
    /// which ends the one before.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn shop_secret(&self, workspace: i64, new: bool) -> Result<WebhookSecret, StoreError> {
        self.write(move |transaction| {
            let sql = "UPDATE workspace SET shop_secret = CASE WHEN ?3 <> 0 OR shop_secret IS NULL THEN ?2 ELSE shop_secret END WHERE id = ?1
                RETURNING shop_secret";
            let kept: String = transaction.query_row(sql, params![workspace, new_secret()?, new], |row| row.get(0))?;
            Ok(WebhookSecret::new(&kept))
        })
        .await
    }

    /// The origins whose pages may embed the players of a workspace's projects; nothing where all may.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn player_embed(&self, workspace: i64) -> Result<Option<Vec<String>>, StoreError> {
        self.readers
            .run(move |connection| {
                let sql = "SELECT player_embed FROM workspace WHERE id = ?1";
                let kept: Option<String> = connection.query_row(sql, [workspace], |row| row.get(0))?;
                Ok(kept.map(|kept| serde_json::from_str(&kept)).transpose()?)
            })
            .await
    }

    /// Says which origins' pages may embed the players of a workspace's projects; nothing where all may.
    ///
    /// # Errors
    /// [`StoreError`] where the database refuses.
    pub async fn set_player_embed(&self, workspace: i64, origins: Option<Vec<String>>) -> Result<(), StoreError> {
        self.write(move |transaction| {
            let kept = origins.as_ref().map(serde_json::to_string).transpose()?;
            transaction.execute("UPDATE workspace SET player_embed = ?2 WHERE id = ?1", params![workspace, kept])?;
            Ok(())
        })
        .await
    }
}
