//! A theme file of one's own is read again when it is saved. Nothing is asked meanwhile: the system says so.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::tasks::Tasks;
use crate::settings::{Depth, FileFault, Folders, Theme, read_text};
use crate::studio::event::Event;

/// Saving a file is several things to a system: what happens within so long is one.
const GATHER: Duration = Duration::from_millis(120);
/// So many changes may wait for a studio that is slow to look; more are one.
const WAITING: usize = 64;

/// The theme of a name, and what is wrong in its file.
#[must_use]
pub fn load_theme(folders: &Folders, name: &str, depth: Depth) -> (Theme, Vec<FileFault>) {
    match own_theme(folders, name) {
        Ok(own) => Theme::load(name, own.as_deref(), depth),
        // A file that is there but can't be read is named; the theme that Cutaway brings stands in for it.
        Err(fault) => (Theme::load("dark", None, depth).0, vec![fault]),
    }
}

/// The person's own theme file of a name, where there is one.
///
/// # Errors
/// Where there is one that can't be read.
fn own_theme(folders: &Folders, name: &str) -> Result<Option<String>, FileFault> {
    let plain = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
    match folders.config() {
        Ok(folder) if plain => read_text(&folder.join("themes").join(format!("{name}.toml"))),
        _ => Ok(None),
    }
}

/// The folders that are watched, each once however many studios watch a file in it, all of them by one watcher: systems
/// allow few.
#[derive(Default)]
pub struct Watchers {
    all: Arc<All>,
}

#[derive(Default)]
struct All {
    /// Made with the first folder. Whatever begins and ends to be watched does so while this is held.
    system: Mutex<Option<RecommendedWatcher>>,
    /// Held for moments only, as the watcher's own thread takes it too.
    folders: Arc<Mutex<Folder>>,
}

/// The folders that are watched, and whom their changes are told.
type Folder = HashMap<PathBuf, (Weak<Watched>, broadcast::Sender<PathBuf>)>;

/// A folder that is watched.
struct Watched {
    folder: PathBuf,
    changed: broadcast::Sender<PathBuf>,
    all: Arc<All>,
}

impl Drop for Watched {
    fn drop(&mut self) {
        let mut system = lock(&self.all.system);
        // Somebody may have begun to watch it again meanwhile.
        let is_last =
            |folders: &Folder| folders.get(&self.folder).is_some_and(|(watched, _)| watched.strong_count() == 0);
        let mut folders = lock(&self.all.folders);
        if is_last(&folders) {
            folders.remove(&self.folder);
            drop(folders);
            if let Some(system) = &mut *system {
                let _ = system.unwatch(&self.folder);
            }
        }
    }
}

fn lock<T>(what: &Mutex<T>) -> MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Tells whoever watches the folder of a file that something happened to it.
fn watcher(folders: Arc<Mutex<Folder>>) -> notify::Result<RecommendedWatcher> {
    notify::recommended_watcher(move |change: notify::Result<notify::Event>| {
        // Reading it is a change to some systems: that would never end.
        for path in change.into_iter().filter(|change| !change.kind.is_access()).flat_map(|change| change.paths) {
            let told = {
                let folders = lock(&folders);
                path.parent().and_then(|folder| folders.get(folder)).map(|(_, changed)| changed.clone())
            };
            let _ = told.map(|changed| changed.send(path));
        }
    })
}

/// A studio watches the file of the theme that is in use, until this is dropped.
pub struct Watching {
    _folder: Arc<Watched>,
    _stop: DropGuard,
}

/// The changes in a folder that is watched.
pub struct Following {
    changes: broadcast::Receiver<PathBuf>,
    _folder: Arc<Watched>,
}

impl Following {
    /// The next file that something happened to.
    ///
    /// # Errors
    /// Where more happened than could wait, or nothing will any more.
    pub async fn next(&mut self) -> Result<PathBuf, RecvError> {
        self.changes.recv().await
    }
}

impl Watchers {
    /// Tells what happens to the files of a folder.
    ///
    /// # Errors
    /// Where the system can't watch it.
    pub fn follow(&self, folder: &Path) -> notify::Result<Following> {
        let watched = self.of(folder)?;
        Ok(Following { changes: watched.changed.subscribe(), _folder: watched })
    }

    fn of(&self, folder: &Path) -> notify::Result<Arc<Watched>> {
        let mut system = lock(&self.all.system);
        let known = lock(&self.all.folders).get(folder).and_then(|(watched, _)| watched.upgrade());
        if let Some(watched) = known {
            return Ok(watched);
        }
        let system = match &mut *system {
            Some(system) => system,
            none => none.insert(watcher(Arc::clone(&self.all.folders))?),
        };
        // Editors put another file in its place, so it is the folder that is watched.
        system.watch(folder, RecursiveMode::NonRecursive)?;
        let (changed, _) = broadcast::channel(WAITING);
        let all = Arc::clone(&self.all);
        let watched = Arc::new(Watched { folder: folder.to_owned(), changed: changed.clone(), all });
        lock(&self.all.folders).insert(folder.to_owned(), (Arc::downgrade(&watched), changed));
        Ok(watched)
    }

    /// Watches the file of a theme, where it is one of the person's own: each time it is saved, the theme is told, with
    /// what `dress` puts on it. None where there is nothing to watch.
    ///
    /// # Errors
    /// Where the system can't watch it: it has no way to, or too much is watched already.
    pub fn watch(
        &self,
        folders: &Folders,
        name: &str,
        depth: Depth,
        dress: impl Fn(Theme) -> Theme + Send + 'static,
        tasks: &Tasks,
        tell: impl Fn(Event) + Send + 'static,
    ) -> notify::Result<Option<Watching>> {
        let Ok(folder) = folders.config().map(|folder| folder.join("themes")) else { return Ok(None) };
        let file: PathBuf = folder.join(format!("{name}.toml"));
        if !file.is_file() {
            return Ok(None);
        }
        let watched = self.of(&folder)?;
        let (mut changes, stop) = (watched.changed.subscribe(), CancellationToken::new());
        let (folders, name, stopped) = (folders.clone(), name.to_owned(), stop.clone());
        tasks.spawn(async move {
            let following = async move {
                loop {
                    match changes.recv().await {
                        Ok(path) if path == file => {}
                        Err(RecvError::Lagged(_)) => {}
                        Ok(_) => continue,
                        Err(RecvError::Closed) => return,
                    }
                    tokio::time::sleep(GATHER).await;
                    changes = changes.resubscribe();
                    let (of, named) = (folders.clone(), name.clone());
                    let read = tokio::task::spawn_blocking(move || load_theme(&of, &named, depth)).await;
                    let Ok((theme, faults)) = read else { continue };
                    tell(Event::ThemeRead { theme: Arc::new(dress(theme)), faults });
                }
            };
            let _ = stopped.run_until_cancelled(following).await;
        });
        Ok(Some(Watching { _folder: watched, _stop: stop.drop_guard() }))
    }
}

#[cfg(test)]
mod tests {
    use ratatui::style::Color;
    use tokio::sync::mpsc::unbounded_channel;

    use super::*;

    fn theme(accent: &str) -> String {
        format!("[roles]\naccent = \"{accent}\"\n")
    }

    #[tokio::test]
    async fn a_theme_is_read_again_when_it_is_saved() {
        let folder = tempfile::tempdir().unwrap();
        let folders = Folders::under(folder.path());
        let themes = folders.config().unwrap().join("themes");
        let (events, mut told) = unbounded_channel();
        let (watchers, tasks) = (Watchers::default(), Tasks::new(events.clone()));
        let watch = |name: &str, dress: fn(Theme) -> Theme| {
            let events = events.clone();
            watchers.watch(&folders, name, Depth::True, dress, &tasks, move |event| drop(events.send(event))).unwrap()
        };
        assert!(watch("mine", |theme| theme).is_none(), "there is nothing to watch");
        std::fs::create_dir_all(&themes).unwrap();
        std::fs::write(themes.join("mine.toml"), theme("#010203")).unwrap();
        let watched = watch("mine", |theme| theme.for_live(Some("#070809"), Depth::True));
        assert!(watched.is_some());
        // Whoever watches the same folder needs no watcher of their own, and may end before.
        drop(watch("mine", |theme| theme));
        // In place, and by another file in its place, as editors do.
        std::fs::write(themes.join("other.toml"), theme("#ffffff")).unwrap();
        std::fs::write(themes.join("mine.toml"), theme("#040506")).unwrap();
        let accent = |event: Option<Event>| match event {
            Some(Event::ThemeRead { theme, faults }) => {
                let frame = theme.frame.and_then(|frame| frame.fg);
                assert_eq!(frame, Some(Color::Rgb(7, 8, 9)), "frames stay as a live profile wants them");
                (theme.accent.fg, faults.len())
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(accent(told.recv().await), (Some(Color::Rgb(4, 5, 6)), 0));
        std::fs::write(themes.join("new"), "[roles]\naccent = \"no colour\"\n").unwrap();
        std::fs::rename(themes.join("new"), themes.join("mine.toml")).unwrap();
        assert_eq!(accent(told.recv().await).1, 1, "what is wrong in it is named");
    }
}
