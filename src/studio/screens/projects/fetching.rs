//! Asking for projects: the list when it is shown, a project when it is selected.

use super::detail::{Detail, Offered};
use super::vocabulary::Turn;
use super::vocabulary::{Effect, Listed, Record};
use super::{BESIDE, Focus, Projects, ReadFor, Reading};
use crate::domain::{ProjectId, text};
use crate::graph::Fault;
use crate::studio::ground::{Alarm, Failure, Moment, NoticeKind, Remote, RequestId};
use crate::studio::screens::turn::Outcome;

/// A spinner is shown only for what takes longer, milliseconds.
pub const SPINNER_AFTER_MS: i64 = 300;
/// While the selection moves on, a project waits so long before it is read, milliseconds.
const FOLLOW_AFTER_MS: u64 = 80;

pub(super) fn remind(turn: &mut Turn, after_ms: u64) {
    let after_ms = SPINNER_AFTER_MS.unsigned_abs() + after_ms;
    turn.wake(Alarm::Spinner, after_ms);
}

pub(super) fn refused(failure: &Failure, turn: &mut Turn) {
    if failure.unauthorized {
        turn.outcomes.push(Outcome::Unauthorized);
    }
}

impl Projects {
    /// Asks for the projects and the selected one again; what is known stays until they are here.
    pub(super) fn refresh(&mut self, now: Moment, turn: &mut Turn) {
        if !turn.context.connected {
            return;
        }
        turn.cancel(self.list.waiting());
        let request = turn.next_id();
        self.list.load(request, now);
        turn.ask(Effect::List { request });
        remind(turn, 0);
        self.read_again(now, turn);
    }

    /// Takes the list.
    pub(super) fn listed_arrived(&mut self, list: Result<Listed, Failure>, now: Moment, turn: &mut Turn) {
        match list {
            Ok(list) => {
                if let Some(why) = &list.folders_problem {
                    turn.say(NoticeKind::Warning, format!("Couldn't load the folders; IDs are shown instead: {why}"));
                }
                let before = self.listed().map_or(0, |listed| listed.findings_count);
                if list.findings_count > 0 && list.findings_count != before {
                    let first = list.findings.first().map(String::as_str).unwrap_or_default();
                    let count = list.findings_count;
                    let say = format!("{count} fields don't match the API specification, such as: {first}");
                    turn.say(NoticeKind::Warning, text::line(&say).into_owned());
                }
                let is_wanted = self.wanted.is_some();
                self.replace_list(list);
                self.take_up(is_wanted);
            }
            Err(failure) => {
                refused(&failure, turn);
                self.list.settle(Err(failure.what));
            }
        }
        self.lay_out();
        self.follow(now, turn);
        self.lay_out_detail(now);
    }

    /// Whether what is said of a project can be seen.
    pub(super) fn shows_detail(&self) -> bool {
        self.area.width >= BESIDE || self.focus == Focus::Detail
    }

    /// After the selection moved: what is said of a project follows.
    pub(super) fn follow(&mut self, now: Moment, turn: &mut Turn) {
        let id = self.current().map(|row| row.project.id.clone()).filter(|_| self.shows_detail());
        let Some(id) = id else {
            self.detail.take().iter().for_each(|detail| detail.cancel(turn));
            if self.focus == Focus::Detail {
                self.focus = Focus::List;
            }
            return;
        };
        if self.detail.as_ref().is_none_or(|detail| detail.id != id || detail.record == Remote::Idle) {
            self.detail.replace(Detail::new(id)).iter().for_each(|detail| detail.cancel(turn));
            self.read(FOLLOW_AFTER_MS, now, turn);
            self.lay_out_detail(now);
        }
    }

    /// Reads the project that is shown again.
    pub(super) fn read_again(&mut self, now: Moment, turn: &mut Turn) {
        self.read(0, now, turn);
    }

    fn read(&mut self, after_ms: u64, now: Moment, turn: &mut Turn) {
        let Some(detail) = self.detail.as_mut().filter(|detail| !detail.id.is_empty() && turn.context.connected) else {
            return;
        };
        detail.cancel(turn);
        let request = turn.next_id();
        detail.record.load(request, now);
        turn.ask(Effect::Read { request, project: detail.id.clone(), after_ms });
        remind(turn, after_ms);
    }

    /// Reads a project as it is now, to do something with it.
    pub(super) fn read_for(
        &mut self,
        project: ProjectId,
        called: String,
        what_for: ReadFor,
        now: Moment,
        turn: &mut Turn,
    ) {
        let request = turn.next_id();
        let old = self.reading.replace(Reading { request, since: now, called, what_for });
        turn.cancel(old.map(|reading| reading.request));
        turn.ask(Effect::Read { request, project, after_ms: 0 });
        remind(turn, 0);
    }

    /// Takes a project's record.
    pub(super) fn record_arrived(
        &mut self,
        request: RequestId,
        record: Result<Option<std::sync::Arc<Record>>, Failure>,
        now: Moment,
        turn: &mut Turn,
    ) {
        if let Err(failure) = &record {
            refused(failure, turn);
        }
        if let Some(reading) = self.reading.take_if(|reading| reading.request == request) {
            match reading.what_for {
                ReadFor::Order => self.open_ordering(record, &reading.called, turn),
                ReadFor::Copy(name) => self.begin_copy(record, name, now, turn),
                ReadFor::Player => self.open_player(record, &reading.called, turn),
            }
        } else if let Some(detail) = self.detail.as_mut().filter(|detail| detail.record.wants(request)) {
            let is_read = record.is_ok();
            detail.record.settle(record.map_err(|failure| failure.what));
            if is_read {
                self.check_products(turn);
            } else if matches!(detail.offered, Offered::Asked(_)) {
                // Reading it again has ended that look-up; what is known of its products is as old as its record.
                detail.offered = Offered::Unread;
            }
            self.lay_out_detail(now);
        }
    }

    /// Asks what is wrong with the products of the project that is shown; its record is shown meanwhile.
    fn check_products(&mut self, turn: &mut Turn) {
        let Some(detail) = &mut self.detail else { return };
        let record = detail.record.known().and_then(Option::as_ref);
        let asked = record.zip(turn.context.store.clone()).filter(|(record, store)| record.offers(store));
        let Some((record, store)) = asked else {
            detail.offered = Offered::default();
            return;
        };
        if !turn.context.connected {
            detail.offered = Offered::Unread;
            return;
        }
        let (request, record) = (turn.next_id(), std::sync::Arc::clone(record));
        turn.ask(Effect::Check { request, record, store });
        detail.offered = Offered::Asked(request);
    }

    /// Takes what is wrong with the products of the project that is shown.
    pub(super) fn checked(&mut self, request: RequestId, faults: Option<Vec<Fault>>, now: Moment) {
        if let Some(detail) = self.detail.as_mut().filter(|detail| detail.offered == Offered::Asked(request)) {
            detail.offered = faults.map_or(Offered::Unread, Offered::Known);
            self.lay_out_detail(now);
        }
    }

    /// Asks again for what could not be had.
    pub(super) fn retry(&mut self, now: Moment, turn: &mut Turn) {
        if matches!(self.list, Remote::Failed { .. } | Remote::Idle) {
            self.refresh(now, turn);
        } else if self.detail.as_ref().is_some_and(|d| matches!(d.record, Remote::Failed { .. } | Remote::Ready(None)))
        {
            self.read_again(now, turn);
        }
    }
}
