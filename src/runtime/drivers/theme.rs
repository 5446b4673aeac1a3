//! The driver of the theme: reads it, and watches its file where it is the person's own.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::context::Context;
use crate::runtime::themes::{Watching, load_theme};
use crate::settings::{Depth, Target, Theme};
use crate::studio::event::Event;

/// Knows which theme is in use.
#[derive(Default)]
pub struct ThemeDriver {
    in_use: Arc<ThemeInUse>,
}

#[derive(Default)]
struct ThemeInUse {
    /// How often a theme was chosen.
    chosen: AtomicU64,
    watched: tokio::sync::Mutex<Watched>,
}

#[derive(Default)]
struct Watched {
    watching: Option<Watching>,
    /// Whether it was said that the file can't be watched.
    said_unwatched: bool,
}

impl ThemeDriver {
    /// Watches the file of the theme that is in use, and reads it first where `reads`.
    pub fn choose(&self, name: String, reads: bool, context: &Context) {
        let number = self.in_use.chosen.fetch_add(1, Ordering::Relaxed) + 1;
        let (theme, context) = (Arc::clone(&self.in_use), context.clone());
        let tasks = context.tasks.clone();
        tasks.spawn(async move {
            let mut watched = theme.watched.lock().await;
            if theme.chosen.load(Ordering::Relaxed) != number {
                // Another one was chosen meanwhile.
                return;
            }
            watched.watching = None;
            let of = context.clone();
            let begun = context.tasks.block(move || {
                let (host, house, depth) = (&of.host, &of.house, of.depth);
                let events = of.events.clone();
                let tell = move |event| drop(events.send(event));
                let watched =
                    house.themes().watch(&host.folders, &name, depth, dress(&of.target, depth), &of.tasks, tell);
                if reads {
                    let (theme, faults) = load_theme(&host.folders, &name, depth);
                    of.tell(Event::ThemeRead { theme: Arc::new(dress(&of.target, depth)(theme)), faults });
                }
                watched
            });
            match begun.await {
                Ok(Ok(watching)) => watched.watching = watching,
                Ok(Err(error)) if !std::mem::replace(&mut watched.said_unwatched, true) => {
                    context.tell(Event::NotKept(format!(
                        "Changes in the theme's file aren't shown live ({error}): choose the theme again to load them."
                    )));
                }
                _ => {}
            }
        });
    }
}

/// What the profile does to any theme: the frames of one that is live have a color of their own.
fn dress(target: &Target, depth: Depth) -> impl Fn(Theme) -> Theme + Send + use<> {
    let (live, colour) = (target.live, target.colour.clone());
    move |theme| if live { theme.for_live(colour.as_deref(), depth) } else { theme }
}
