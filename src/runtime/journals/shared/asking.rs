//! A journal that another studio holds, and that is asked for.

use std::io;
use std::time::{Duration, Instant};

use super::super::handing::{PATIENCE, SILENCE};
use super::{LOOK, drawn};
use crate::service::guests::{DraftAsked, GuestHome};

/// How often it is looked for what others are to let go of.
pub(super) const ASK: Duration = Duration::from_millis(250);

/// A journal that is asked for.
pub(super) struct Asking {
    pub(super) name: String,
    /// Who asks.
    pub(super) who: String,
    begun: Instant,
    /// Since when its holder could have taken note of it.
    silent: Option<Instant>,
}

impl Asking {
    /// Nobody was asked yet.
    pub(super) fn new(name: String) -> Self {
        Self { name, who: drawn(), begun: Instant::now(), silent: None }
    }

    /// Asks for it. While others keep the database from answering, its holder can't take note either.
    pub(super) fn want(&mut self, home: &GuestHome) -> io::Result<DraftAsked> {
        let begun = Instant::now();
        let wanted = home.want_draft(&self.name, &self.who);
        if wanted.is_err() || begun.elapsed() > LOOK {
            self.silent = None;
        }
        if wanted.is_ok() {
            self.silent.get_or_insert_with(Instant::now);
        }
        wanted
    }

    /// Whether its holder has had time enough to take note of it.
    pub(super) fn is_unheard(&self) -> bool {
        self.silent.is_some_and(|since| since.elapsed() > SILENCE)
    }

    /// Whether it is still worth waiting for.
    pub(super) fn is_patient(&self) -> bool {
        self.begun.elapsed() < PATIENCE
    }
}
