//! A theme file of one's own is read again when it is saved. Nothing is asked meanwhile: the system says so.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::world::load_theme;
use crate::settings::{Depth, Folders, Theme};
use crate::studio::event::Event;

/// Saving a file is several things to a system: what happens within so long is one.
const GATHER: Duration = Duration::from_millis(120);

/// Watches the file of the theme that is in use, until it is dropped.
pub struct Watched {
    _watcher: RecommendedWatcher,
}

/// Watches the file of a theme, where it is one of the person's own: each time it is saved, the theme is reported, with
/// what `dress` puts on it. None where there is nothing to watch.
///
/// # Errors
/// Where the system can't watch it: it has no way to, or too much is watched already.
pub fn watch(
    folders: &Folders,
    name: &str,
    depth: Depth,
    dress: impl Fn(Theme) -> Theme + Send + 'static,
    events: UnboundedSender<Event>,
) -> notify::Result<Option<Watched>> {
    let Ok(folder) = folders.config().map(|folder| folder.join("themes")) else { return Ok(None) };
    let file: PathBuf = folder.join(format!("{name}.toml"));
    if !file.is_file() {
        return Ok(None);
    }
    let (saved, mut waiting) = unbounded_channel();
    let mut watcher = notify::recommended_watcher(move |change: notify::Result<notify::Event>| {
        // Reading it is a change to some systems: that would never end.
        let is_change = |change: &notify::Event| !change.kind.is_access() && change.paths.contains(&file);
        if change.is_ok_and(|change| is_change(&change)) {
            let _ = saved.send(());
        }
    })?;
    // Editors put another file in its place, so it is the folder that is watched.
    watcher.watch(&folder, RecursiveMode::NonRecursive)?;
    let (folders, name) = (folders.clone(), name.to_owned());
    tokio::spawn(async move {
        while waiting.recv().await.is_some() {
            tokio::time::sleep(GATHER).await;
            while waiting.try_recv().is_ok() {}
            let (theme, faults) = load_theme(&folders, &name, depth);
            if events.send(Event::ThemeRead { theme: Arc::new(dress(theme)), faults }).is_err() {
                return;
            }
        }
    });
    Ok(Some(Watched { _watcher: watcher }))
}

#[cfg(test)]
mod tests {
    use ratatui::style::Color;

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
        assert!(
            watch(&folders, "mine", Depth::True, |theme| theme, events.clone()).unwrap().is_none(),
            "there is nothing to watch"
        );
        std::fs::create_dir_all(&themes).unwrap();
        std::fs::write(themes.join("mine.toml"), theme("#010203")).unwrap();
        let watched =
            watch(&folders, "mine", Depth::True, |theme| theme.for_live(Some("#070809"), Depth::True), events);
        let watched = watched.unwrap();
        assert!(watched.is_some());
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
