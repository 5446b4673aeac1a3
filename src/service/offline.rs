//! What can be done to a data folder without serving it, while another process may: a new key, an import, a backup, a
//! subscription's secret, the player's form.

use std::io::BufRead;
use std::path::Path;

use super::backup::{self, Backup};
use super::sample::import;
use super::store::{Imported, Store};
use super::{ServiceError, folder};
use crate::domain::{ApiKey, StoreUrl, WebhookId, WebhookSecret};

/// A new API key for the workspace of a data folder.
///
/// # Errors
/// [`ServiceError`] where the folder or its database can't be opened or written.
pub async fn add_key(data: &Path, name: Option<String>) -> Result<ApiKey, ServiceError> {
    folder::make(data)?;
    let store = Store::open(data)?;
    let owner = store.own_workspace().await?;
    Ok(store.add_key(&owner, name).await?)
}

/// What the deliveries of a subscription in a data folder's workspace are signed with.
///
/// # Errors
/// [`ServiceError`] where there is no such subscription, or the folder or its database can't be opened.
pub async fn webhook_secret(data: &Path, webhook: WebhookId) -> Result<WebhookSecret, ServiceError> {
    folder::make(data)?;
    let store = Store::open(data)?;
    let owner = store.own_workspace().await?;
    Ok(store.webhook_secret(owner.workspace, webhook).await?)
}

/// Whether the viewers of a data folder's projects are asked for name and address at the end.
///
/// # Errors
/// [`ServiceError`] where the folder or its database can't be opened or written.
pub async fn set_player_form(data: &Path, on: bool) -> Result<(), ServiceError> {
    folder::make(data)?;
    let store = Store::open(data)?;
    let owner = store.own_workspace().await?;
    Ok(store.set_player_form(owner.workspace, on).await?)
}

/// The origins whose pages may embed the players of a data folder's projects; nothing where all may.
///
/// # Errors
/// [`ServiceError`] where the folder or its database can't be opened.
pub async fn player_embed(data: &Path) -> Result<Option<Vec<String>>, ServiceError> {
    folder::make(data)?;
    let store = Store::open(data)?;
    let owner = store.own_workspace().await?;
    Ok(store.player_embed(owner.workspace).await?)
}

/// Says which origins' pages may embed the players of a data folder's projects; nothing where all may.
///
/// # Errors
/// [`ServiceError`] where the folder or its database can't be opened or written.
pub async fn set_player_embed(data: &Path, origins: Option<Vec<String>>) -> Result<(), ServiceError> {
    folder::make(data)?;
    let store = Store::open(data)?;
    let owner = store.own_workspace().await?;
    Ok(store.set_player_embed(owner.workspace, origins).await?)
}

/// What a data folder's shops sign purchases with; made where there is none, or where a `new` one is wanted.
///
/// # Errors
/// [`ServiceError`] where the folder or its database can't be opened or written.
pub async fn shop_secret(data: &Path, new: bool) -> Result<WebhookSecret, ServiceError> {
    folder::make(data)?;
    let store = Store::open(data)?;
    let owner = store.own_workspace().await?;
    Ok(store.shop_secret(owner.workspace, new).await?)
}

/// Takes NDJSON products into a store of a data folder's workspace.
///
/// # Errors
/// [`ServiceError::Import`]; the batches before it stay.
pub async fn import_products(
    data: &Path,
    app_url: &StoreUrl,
    lines: impl BufRead,
    progress: impl FnMut(u64),
) -> Result<Imported, ServiceError> {
    folder::make(data)?;
    let store = Store::open(data)?;
    let owner = store.own_workspace().await?;
    Ok(import(&store, owner.workspace, app_url, lines, progress).await?)
}

/// Copies the database and the videos of a data folder into one tar file: all as it was at one moment, or nothing.
///
/// # Errors
/// [`ServiceError::Backup`]; a file that was there before stays as it is.
pub async fn backup(data: &Path, file: &Path) -> Result<Backup, ServiceError> {
    let (data, file) = (data.to_owned(), file.to_owned());
    let work = tokio::task::spawn_blocking(move || backup::write(&data, &file));
    work.await.map_err(|_| ServiceError::Store(super::store::StoreError::Lost))?.map_err(ServiceError::Backup)
}
