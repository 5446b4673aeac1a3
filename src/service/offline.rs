//! What can be done to a data folder without serving it, while another process may: keys, grants, the audit log, an
//! import, a backup, a subscription's secret, the player's form.

use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::backup::{self, Backup};
use super::blobs::{BlobError, Remote, S3Place};
use super::guests::GuestBook;
use super::needle::{Needle, Parts};
use super::sample::import;
use super::store::{DATABASE, DatabasePlace, Entry, Identity, Imported, Store, StoreError, check_moved};
use super::{ServiceError, blobs, folder, forget};
use crate::domain::{ApiKey, StoreUrl, WebhookId, WebhookSecret};

pub use super::store::{
    AuditRecord, Forgotten, GrantRecord, KeyRecord, MoveProgress, Moved, MovedTable, NewKey, RevokedKey, Way,
};

/// Where a workspace is kept: in a folder, or in a database beside which the folder has little.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// The folder.
    pub data: PathBuf,
    /// The database, where that is not in the folder.
    pub database: Option<DatabasePlace>,
}

impl From<&Path> for Kept {
    fn from(data: &Path) -> Self {
        Self { data: data.to_owned(), database: None }
    }
}

impl From<&PathBuf> for Kept {
    fn from(data: &PathBuf) -> Self {
        data.as_path().into()
    }
}

impl From<&Self> for Kept {
    fn from(kept: &Self) -> Self {
        kept.clone()
    }
}

/// The database of a workspace, which another process may serve at the same time, and the owner of its first workspace.
async fn open(of: impl Into<Kept>) -> Result<(Store, Identity), ServiceError> {
    let Kept { data, database } = of.into();
    let store = if let Some(place) = &database {
        Store::open_shared(place).await?
    } else {
        folder::make(&data)?;
        Store::open(&data)?
    };
    let owner = store.own_workspace().await?;
    Ok((store, owner))
}

/// Brings a database of PostgreSQL to the version that this program knows, or only looks (`check`). The version that it
/// had, and the one that is known here.
///
/// # Errors
/// [`ServiceError`] where it was written by a later version, can't be reached or refuses.
pub async fn migrate(database: &DatabasePlace, check: bool) -> Result<(usize, usize), ServiceError> {
    Ok(Store::migrate_shared(database, check).await?)
}

/// What was moved, and what has to be known about the files beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moving {
    /// What was moved.
    pub moved: Moved,
    /// The folder in which the files of uploaded videos are, or have to be.
    pub files: PathBuf,
    /// How many of them aren't there.
    pub missing: usize,
    /// The named workspaces of the folder, which stay in it.
    pub staying: Vec<String>,
}

/// Moves the workspace of a data folder into an empty database of PostgreSQL, or back. Nobody may serve either meanwhile.
/// A move that was cut off goes on where it was.
///
/// # Errors
/// [`ServiceError::Folder`] where the folder is served; else where there is nothing to move, the place isn't empty, or one
/// of the two can't be read or written.
pub async fn move_workspace(
    data: &Path,
    place: &DatabasePlace,
    way: Way,
    mut tell: impl FnMut(MoveProgress) + Send + 'static,
) -> Result<Moving, ServiceError> {
    if way == Way::ToDatabase && !data.join(DATABASE).is_file() {
        return Err(StoreError::Moving(format!("{} contains no workspace", data.display())).into());
    }
    let taken = folder::Folder::take(data)?;
    let (folder, place) = (data.to_owned(), place.clone());
    let work = tokio::task::spawn_blocking(move || super::store::move_workspace(&folder, &place, way, &mut tell));
    let moved = work.await.map_err(|_| StoreError::Lost)??;
    drop(taken);
    let files = blobs::kept_in(data);
    let missing = moved.files.iter().filter(|id| !files.join(id).is_file()).count();
    let named = folder::workspaces(data).map_err(refused(data))?.into_iter().skip(1);
    let staying = named.filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned())).collect();
    Ok(Moving { moved, files, missing, staying })
}

/// A new API key for the workspace of a data folder.
///
/// # Errors
/// [`ServiceError`] where the folder or its database can't be opened or written.
pub async fn add_key(data: impl Into<Kept>, new: NewKey) -> Result<ApiKey, ServiceError> {
    let (store, owner) = open(data).await?;
    Ok(store.add_key(&owner, new).await?)
}

/// The guests of a database of PostgreSQL; nothing where the workspace is in a folder, which has files for them.
///
/// # Errors
/// [`ServiceError`] where the database can't be opened.
pub async fn guest_book(kept: &Kept) -> Result<Option<GuestBook>, ServiceError> {
    if kept.database.is_none() {
        return Ok(None);
    }
    let (store, _) = open(kept).await?;
    Ok(Some(GuestBook::new(Arc::new(store), tokio::runtime::Handle::current())))
}

/// Ends the API keys that were made for a process, or a part of one, that is over.
///
/// # Errors
/// [`ServiceError`] where the folder or its database can't be opened or written.
pub async fn end_process_keys(data: impl Into<Kept>, process: String) -> Result<(), ServiceError> {
    let (store, _) = open(data).await?;
    Ok(store.end_process_keys(Some(process)).await?)
}

/// The API keys of a data folder's workspace, the oldest first.
///
/// # Errors
/// [`ServiceError`] where the folder or its database can't be opened.
pub async fn keys(data: impl Into<Kept>) -> Result<Vec<KeyRecord>, ServiceError> {
    let (store, owner) = open(data).await?;
    Ok(store.keys(owner.workspace).await?)
}

/// Ends an API key, known by its id or name, with everything that came of it; also on a running service.
///
/// # Errors
/// [`ServiceError`] where there is no such key, several have the name, or the database can't be opened or written.
pub async fn revoke_key(data: impl Into<Kept>, wanted: &str) -> Result<RevokedKey, ServiceError> {
    let (store, owner) = open(data).await?;
    Ok(store.revoke_key(owner.workspace, wanted.to_owned()).await?)
}

/// What was approved for clients of a data folder's workspace, the oldest first.
///
/// # Errors
/// [`ServiceError`] where the folder or its database can't be opened.
pub async fn grants(data: impl Into<Kept>) -> Result<Vec<GrantRecord>, ServiceError> {
    let (store, owner) = open(data).await?;
    Ok(store.grants(owner.workspace).await?)
}

/// Ends a grant with its tokens; also on a running service.
///
/// # Errors
/// [`ServiceError`] where there is no such grant, or the database can't be opened or written.
pub async fn revoke_grant(data: impl Into<Kept>, id: &str) -> Result<GrantRecord, ServiceError> {
    let (store, owner) = open(data).await?;
    Ok(store.revoke_grant(owner.workspace, id.to_owned()).await?)
}

/// The latest entries of a data folder's audit log since a moment (milliseconds since 1970), `most` of them, the oldest
/// first.
///
/// # Errors
/// [`ServiceError`] where the folder or its database can't be opened.
pub async fn audit(data: impl Into<Kept>, since: Option<i64>, most: u32) -> Result<Vec<AuditRecord>, ServiceError> {
    let (store, _) = open(data).await?;
    Ok(store.audit(since, most).await?)
}

/// Records in a data folder's audit log what was done to the folder beside its database: `action` is the command, `record`
/// the id of what was changed.
///
/// # Errors
/// [`ServiceError`] where the folder or its database can't be opened or written.
pub async fn note(
    data: impl Into<Kept>,
    action: &str,
    record: Option<String>,
    detail: Option<String>,
) -> Result<(), ServiceError> {
    let (store, owner) = open(data).await?;
    Ok(store.add_audit(Entry::local(owner.workspace, action, record, detail)).await?)
}

/// What the deliveries of a subscription in a data folder's workspace are signed with.
///
/// # Errors
/// [`ServiceError`] where there is no such subscription, or the folder or its database can't be opened.
pub async fn webhook_secret(data: impl Into<Kept>, webhook: WebhookId) -> Result<WebhookSecret, ServiceError> {
    let (store, owner) = open(data).await?;
    Ok(store.webhook_secret(owner.workspace, webhook).await?)
}

/// Whether the viewers of a data folder's projects are asked for name and address at the end.
///
/// # Errors
/// [`ServiceError`] where the folder or its database can't be opened or written.
pub async fn set_player_form(data: impl Into<Kept>, on: bool) -> Result<(), ServiceError> {
    let (store, owner) = open(data).await?;
    Ok(store.set_player_form(owner.workspace, on).await?)
}

/// Removes the made-up visits of the sample's projects; how many there were. The projects stay.
///
/// # Errors
/// [`ServiceError`] where the folder or its database can't be opened or written.
pub async fn remove_sample_visits(data: impl Into<Kept>) -> Result<i64, ServiceError> {
    let (store, _) = open(data).await?;
    Ok(store.remove_sample_visits().await?)
}

/// The origins whose pages may embed the players of a data folder's projects; nothing where all may.
///
/// # Errors
/// [`ServiceError`] where the folder or its database can't be opened.
pub async fn player_embed(data: impl Into<Kept>) -> Result<Option<Vec<String>>, ServiceError> {
    let (store, owner) = open(data).await?;
    Ok(store.player_embed(owner.workspace).await?)
}

/// Says which origins' pages may embed the players of a data folder's projects; nothing where all may.
///
/// # Errors
/// [`ServiceError`] where the folder or its database can't be opened or written.
pub async fn set_player_embed(data: impl Into<Kept>, origins: Option<Vec<String>>) -> Result<(), ServiceError> {
    let (store, owner) = open(data).await?;
    Ok(store.set_player_embed(owner.workspace, origins).await?)
}

/// What a data folder's shops sign purchases with; made where there is none, or where a `new` one is wanted.
///
/// # Errors
/// [`ServiceError`] where the folder or its database can't be opened or written.
pub async fn shop_secret(data: impl Into<Kept>, new: bool) -> Result<WebhookSecret, ServiceError> {
    let (store, owner) = open(data).await?;
    Ok(store.shop_secret(owner.workspace, new).await?)
}

/// Takes NDJSON products into a store of a data folder's workspace.
///
/// # Errors
/// [`ServiceError::Import`]; the batches before it stay.
pub async fn import_products(
    data: impl Into<Kept>,
    app_url: &StoreUrl,
    lines: impl BufRead,
    progress: impl FnMut(u64),
) -> Result<Imported, ServiceError> {
    let (store, owner) = open(data).await?;
    Ok(import(&store, owner.workspace, app_url, lines, progress).await?)
}

/// Copies the database and the videos of a data folder into one tar file: all as it was at one moment, or nothing. Where it
/// is said how many to `keep`, those before it are `FILE.1`, `FILE.2` and so on; else it replaces the one before.
///
/// # Errors
/// [`ServiceError::Backup`]; a file that was there before stays as it is.
pub async fn backup(data: &Path, file: &Path, keep: Option<u32>) -> Result<Backup, ServiceError> {
    check_moved(data)?;
    let (data, file) = (data.to_owned(), file.to_owned());
    let work = tokio::task::spawn_blocking(move || backup::write(&data, &file, keep));
    work.await.map_err(|_| ServiceError::Store(StoreError::Lost))?.map_err(ServiceError::Backup)
}

/// What came of forgetting a person.
#[derive(Debug, Default)]
pub struct Forgetting {
    /// What was removed, in all workspaces of the folder.
    pub removed: Forgotten,
    /// Files of the user in the state folder that hold the address, and stay as they are.
    pub left: Vec<PathBuf>,
    /// Drafts of guests from which it was removed while a studio had them open, which may write it again.
    pub open: Vec<PathBuf>,
}

/// A database that somebody is removed from.
struct Removal {
    folder: PathBuf,
    store: Arc<Store>,
    /// Its files, where they are in S3.
    remote: Option<Remote>,
    owner: Identity,
    removed: Forgotten,
}

/// Removes a person from a data folder, with the named workspaces and the homes of SSH guests in it: the visits and
/// deliveries that hold the address go, every other text loses it, and no byte of it is left in the databases, the videos,
/// the drafts of guests, and the program's logs in its `state` folder. That it was done is recorded, without the address.
/// What else in the state folder holds it is its user's own and stays as it is. Where the workspace is in a database, its
/// server overwrites what was removed when it needs the room.
/// Files in S3, at `blobs`, are looked into like those of the folder.
///
/// # Errors
/// [`ServiceError::Email`] where it is no address; else where a database or a file can't be read or written.
pub async fn forget(
    kept: impl Into<Kept>,
    email: &str,
    state: Option<&Path>,
    blobs: Option<&S3Place>,
) -> Result<Forgetting, ServiceError> {
    let needle = Needle::new(email).ok_or_else(|| ServiceError::Email(email.to_owned()))?;
    let mut removals = Vec::new();
    let kept = kept.into();
    let data = kept.data.as_path();
    // A database has one workspace; the folder beside it may have files.
    let folders = match &kept.database {
        Some(_) => vec![data.to_owned()],
        None => folder::workspaces(data).map_err(refused(data))?,
    };
    for folder in folders {
        let (store, owner) = open(Kept { data: folder.clone(), database: kept.database.clone() }).await?;
        let store = Arc::new(store);
        let remote = remote(&store, &folder, blobs).await?;
        removals.push(Removal { folder, store, remote, owner, removed: Forgotten::default() });
    }
    for removal in &mut removals {
        removal.removed = removal.store.forget(needle.clone()).await?;
        removal.forget_remote(&needle).await?;
    }
    let folders: Vec<PathBuf> = removals.iter().map(|removal| removal.folder.clone()).collect();
    let state = state.map(Path::to_owned);
    let searched = tokio::task::spawn_blocking(move || searched(&folders, state.as_deref(), &needle));
    let searched = searched.await.map_err(|_| StoreError::Lost)??;
    for (file, hash) in searched.rewritten {
        // A named workspace stands inside of the data folder, and behind it in this list.
        let of = removals.iter().rposition(|removal| file.starts_with(&removal.folder)).unwrap_or_default();
        let Some(removal) = removals.get_mut(of) else { continue };
        removal.removed.others += 1;
        let id = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        // Of a log there is no such video, and nothing is kept.
        removal.store.rehash(id, hash).await?;
    }
    let mut forgetting = Forgetting { left: searched.left, open: searched.open, ..Forgetting::default() };
    for removal in removals {
        if removal.removed.drafts > 0 {
            let held = removal.store.held_guest_drafts().await?;
            forgetting.open.extend(held.into_iter().map(PathBuf::from));
        }
        removal.store.rewrite().await?;
        removal.store.note_forgotten(removal.owner.workspace, removal.removed).await?;
        forgetting.removed.visits += removal.removed.visits;
        forgetting.removed.deliveries += removal.removed.deliveries;
        forgetting.removed.others += removal.removed.others;
    }
    Ok(forgetting)
}

/// The files of a workspace in S3, where it has some.
async fn remote(store: &Arc<Store>, folder: &Path, blobs: Option<&S3Place>) -> Result<Option<Remote>, ServiceError> {
    let Some(kept_at) = store.place_of_files().await? else { return Ok(None) };
    let Some(place) = blobs.filter(|place| place.name() == kept_at) else {
        let why =
            format!("videos of this workspace are in {kept_at}; add --blobs {kept_at}, so that they are searched too");
        return Err(ServiceError::Files(why));
    };
    let opened = Remote::open(place, Arc::clone(store), folder).await;
    Ok(Some(opened.map_err(|error| ServiceError::Files(error.to_string()))?))
}

impl Removal {
    /// Removes the person from files in S3. A copy of each is looked into, one after the other.
    async fn forget_remote(&mut self, needle: &Needle) -> Result<(), ServiceError> {
        let Some(remote) = &self.remote else { return Ok(()) };
        let failed = |error: BlobError| ServiceError::Files(error.to_string());
        remote.clear().await.map_err(failed)?;
        for (id, _) in self.store.files_in_s3().await? {
            let (needle, hash) = (needle.clone(), Arc::new(OnceLock::new()));
            let found = Arc::clone(&hash);
            let change = move |copy: &Path| {
                let changed = forget::overwrite(copy, &needle, Parts::Whole)?;
                if changed {
                    let _ = found.set(forget::hash(copy)?);
                }
                Ok(changed)
            };
            if remote.rewrite(id, &self.folder, change).await.map_err(failed)?
                && let Some(hash) = hash.get()
            {
                self.removed.others += 1;
                self.store.rehash(id.to_string(), *hash).await?;
            }
        }
        // Of videos that were deleted meanwhile, too, nothing is to stay.
        remote.clear().await.map_err(failed)?;
        Ok(())
    }
}

/// What came of looking into files.
#[derive(Default)]
struct Searched {
    /// Those that held the address, each with its hash now that it does not.
    rewritten: Vec<(PathBuf, [u8; 32])>,
    /// Those that are their user's own, and hold it.
    left: Vec<PathBuf>,
    /// Drafts that held it and that a studio has open.
    open: Vec<PathBuf>,
}

fn refused(path: &Path) -> impl FnOnce(std::io::Error) -> ServiceError + use<> {
    let path = path.to_owned();
    move |error| ServiceError::File { path, error }
}

/// Looks into the files of the data folder, the first of these, with the workspaces in it, and of the state folder.
fn searched(folders: &[PathBuf], state: Option<&Path>, needle: &Needle) -> Result<Searched, ServiceError> {
    let Some(data) = folders.first() else { return Ok(Searched::default()) };
    // Videos, what guests have, and what a backup or an upload that was cut off may have left.
    let mut files = forget::files(data).map_err(refused(data))?;
    // The databases are written again as a whole.
    let is_database = |file: &PathBuf| {
        let of_workspace = folders.iter().any(|folder| file.parent() == Some(folder));
        of_workspace && file.file_name().is_some_and(|name| name.to_string_lossy().starts_with(DATABASE))
    };
    files.retain(|file| !is_database(file));
    let (logs, own) = match state {
        Some(state) => forget::state(state).map_err(refused(state))?,
        None => Default::default(),
    };
    // Videos and what guests have are whole; the rest of the data may be what is left of a database.
    let mut whole: Vec<PathBuf> = folders.iter().map(|folder| blobs::kept_in(folder)).collect();
    whole.push(data.join(folder::SSH));
    let of = |file: PathBuf| {
        let is_whole = !file.starts_with(data) || whole.iter().any(|folder| file.starts_with(folder));
        (file, if is_whole { Parts::Whole } else { Parts::All })
    };
    let mut found = Searched::default();
    for (file, parts) in files.into_iter().chain(logs).map(of) {
        let draft = forget::overwrite_draft(&file, needle).map_err(refused(&file))?;
        if forget::overwrite(&file, needle, parts).map_err(refused(&file))? || draft.is_some() {
            let hash = forget::hash(&file).map_err(refused(&file))?;
            found.open.extend(draft.filter(|is_open| *is_open).map(|_| file.clone()));
            found.rewritten.push((file, hash));
        }
    }
    // Files of the user in the data folder are among the data.
    for file in own.into_iter().filter(|file| !file.starts_with(data)) {
        if forget::holds(&file, needle).map_err(refused(&file))? {
            found.left.push(file);
        }
    }
    found.left.sort();
    found.open.sort();
    Ok(found)
}
