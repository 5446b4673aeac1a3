//! What others write to a queue is heard of without asking: the system says so.

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::mpsc::UnboundedSender;

use super::asked::Ask;
use super::folder::QueueFolder;

/// Says so each time the journal of a queue is written, as long as it is kept. Where the system does not tell,
/// others are heard of while something is sent.
pub(super) fn watch(folder: &QueueFolder, asks: UnboundedSender<Ask>) -> Option<RecommendedWatcher> {
    let watcher = notify::recommended_watcher(move |change: notify::Result<notify::Event>| {
        // Reading it is a change to some systems: that would never end.
        let is_journal = |path: &std::path::PathBuf| path.file_name().is_some_and(|name| name == "journal");
        if change.is_ok_and(|change| !change.kind.is_access() && change.paths.iter().any(is_journal)) {
            let _ = asks.send(Ask::Changed);
        }
    });
    // The journal is written again at times, so it is the folder that is watched; what is noted of each is in one below.
    let watcher = watcher.and_then(|mut watcher| {
        watcher.watch(folder.path(), RecursiveMode::NonRecursive)?;
        Ok(watcher)
    });
    watcher.inspect_err(|error| tracing::debug!(%error, "the queue of the uploads is not watched")).ok()
}
