//! Showing how a queue stands.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::driver::{Driver, now_ms};
use crate::uploads::{Course, Overview, State, Upload};

impl Driver {
    pub(super) fn publish(&mut self) {
        let now = now_ms();
        // Progress changes nothing in the queue: it is copied when something in it does.
        let of = (self.journal.changes(), self.unsaved.len());
        if self.kept_of != of {
            let mut queue = self.journal.queue().clone();
            self.unsaved.iter().for_each(|(entry, _)| queue.apply(entry));
            (self.kept, self.kept_of) = (Arc::new(queue), of);
        }
        let mut courses = BTreeMap::new();
        for (id, sending) in &mut self.sending {
            let sent = sending.progress.sent();
            sending.speed.note(sent, now);
            courses.insert(*id, Course { sent, per_second: sending.speed.shown(now) });
        }
        let others: Vec<&Upload> =
            self.kept.uploads().iter().filter(|upload| matches!(upload.state, State::Sending { .. })).collect();
        self.speeds_of_others.retain(|id, _| others.iter().any(|upload| upload.id == *id));
        for upload in others {
            if courses.contains_key(&upload.id) {
                continue;
            }
            let sent = self.journal.folder().sent(upload.id).unwrap_or_default();
            let speed = self.speeds_of_others.entry(upload.id).or_default();
            speed.note(sent, now);
            courses.insert(upload.id, Course { sent, per_second: speed.shown(now) });
        }
        let fault = self.fault.clone().or_else(|| self.kept.halted.clone()).or_else(|| self.held_back.clone());
        let (queue, elsewhere) = (Arc::clone(&self.kept), self.elsewhere);
        let stopped = self.stopped.clone().filter(|_| self.sending.is_empty());
        let lengths = Arc::clone(self.lengths.known());
        let overview = Overview { queue, courses, elsewhere, fault, lengths };
        self.show.send_if_modified(|seen| {
            let changed = seen.overview != overview || seen.stopped != stopped;
            (seen.overview, seen.stopped) = (overview, stopped);
            changed
        });
    }
}
