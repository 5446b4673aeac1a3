//! What other studios do in the folder of the journals, and what this one asks of them.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc::{UnboundedSender, WeakUnboundedSender};
use tokio_util::sync::CancellationToken;

use super::{Opened, Wish, file, handing};
use crate::domain::ProjectId;
use crate::runtime::house::House;
use crate::runtime::tasks::Tasks;
use crate::runtime::themes::Following;
use crate::studio::steps::Found;

/// How often a folder is looked at where the system can't tell of changes in it.
const LOOK: Duration = Duration::from_secs(1);

/// What was found when a journal was asked for that another studio held.
#[derive(Debug)]
pub struct TakenOver {
    pub(super) path: PathBuf,
    pub(super) found: Found,
    pub(super) opened: Option<Opened>,
    /// Cancelled where nobody waits for it any more.
    pub(super) over: CancellationToken,
}

/// Hears what other studios do in the folder of the journals.
pub(super) struct Watch {
    house: Arc<House>,
    tasks: Tasks,
    wishes: WeakUnboundedSender<Wish>,
    is_on: bool,
}

impl Watch {
    /// Hears nothing yet.
    pub(super) fn new(house: &Arc<House>, tasks: &Tasks, wishes: &UnboundedSender<Wish>) -> Self {
        Self { house: Arc::clone(house), tasks: tasks.clone(), wishes: wishes.downgrade(), is_on: false }
    }

    /// Begins to hear; whether it did now. Where the system can't tell of changes, the folder is looked at again and again: a
    /// studio that wants a project would take it from this one as from one that is stopped.
    pub(super) fn begin(&mut self, folder: &Path) -> bool {
        if self.is_on {
            return false;
        }
        self.is_on = true;
        match self.house.themes().follow(folder) {
            Ok(changes) => {
                self.tasks.spawn(hear(changes, self.wishes.clone()));
                true
            }
            Err(error) => {
                tracing::warn!(%error, "the drafts are looked at every second, as the system doesn't report changes");
                self.tasks.spawn(look_again(self.wishes.clone()));
                true
            }
        }
    }

    /// Asks for a journal on a thread of its own: others are kept meanwhile.
    /// What ends that is returned.
    pub(super) fn take_over(&self, path: PathBuf, project: &ProjectId) -> CancellationToken {
        let (wishes, over, project) = (self.wishes.clone(), self.tasks.over().child_token(), project.clone());
        let end = over.clone();
        drop(self.tasks.block(move || {
            let (found, opened) = handing::take_over(&path, &over);
            if let Some(wishes) = wishes.upgrade() {
                let _ = wishes.send(Wish::TakenOver(project, TakenOver { path, found, opened, over }));
            }
        }));
        end
    }
}

/// Looks at the folder every second.
async fn look_again(wishes: WeakUnboundedSender<Wish>) {
    loop {
        tokio::time::sleep(LOOK).await;
        let is_heard = wishes.upgrade().is_some_and(|wishes| wishes.send(Wish::Look(None)).is_ok());
        if !is_heard {
            return;
        }
    }
}

/// Hands on what happened in the folder.
async fn hear(mut folder: Following, wishes: WeakUnboundedSender<Wish>) {
    loop {
        let changed = match folder.next().await {
            Ok(path) => Some(path),
            Err(RecvError::Lagged(_)) => None,
            Err(RecvError::Closed) => return,
        };
        // What is written to a journal is written by whoever holds it.
        let concerns = |path: &Path| {
            let name = path.file_name().map(|name| name.to_string_lossy());
            handing::wanted(path).is_some() || name.is_some_and(|name| file::is_journal(&name))
        };
        if changed.as_deref().is_none_or(concerns) {
            let Some(wishes) = wishes.upgrade() else { return };
            if wishes.send(Wish::Look(changed)).is_err() {
                return;
            }
        }
    }
}
