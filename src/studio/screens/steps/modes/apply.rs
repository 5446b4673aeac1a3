//! The plan being made, call by call: what each waits for, what its response does to the draft, and how it ends.

use super::super::vocabulary::Turn;
use super::super::{Editor, Effect, Journal, Mode};
use super::save::{Deciding, Stage, Step};
use crate::domain::text;
use crate::draft::{Merge, Plan};
use crate::studio::ground::saver::{Answered, Ask, Due, Reply};
use crate::studio::ground::{Moment, NoticeKind, Remote, RequestId};
use crate::studio::screens::turn::Outcome;
use crate::studio::widgets::RowCursor;

impl Editor {
    /// Begins to make the plan, or goes on with it.
    pub(super) fn apply(&mut self, now: Moment, turn: &mut Turn) {
        let project = self.session.id.to_string();
        if let Some(saving) = self.saving()
            && saving.plan.is_empty()
            && saving.plan.hindrances.is_empty()
        {
            return self.saved(turn);
        }
        if !turn.may_write() {
            return;
        }
        // However long the plan was on the screen: the service is read again before the first call.
        if let Some(saving) = self.saving() {
            saving.saver.renew(&turn.context, &project, now);
            saving.elsewhere.clear();
        }
        self.next_call(turn);
    }

    /// Asks for what is next.
    pub(super) fn next_call(&mut self, turn: &mut Turn) {
        let (draft, Mode::Saving(saving)) = (&mut self.draft, &mut self.mode) else { return };
        let (ask, record) = match saving.saver.next(draft) {
            Due::Nothing => return self.saved(turn),
            Due::Stuck => return self.stop("the request needs a value that the service didn't send"),
            Due::Ask(ask, record) => (ask, record),
        };
        if let Some(record) = record {
            self.keep(*record, turn);
        }
        let safe = !matches!(self.session.journal, Journal::Open { handed, kept } if handed > kept);
        if safe {
            self.send(ask, turn);
        } else if let Some(saving) = self.saving() {
            saving.stage = Stage::Applying(Step::Disk(ask));
        }
    }

    /// What waits for the disk goes on once everything is there.
    pub(in super::super) fn kept_while_saving(&mut self, turn: &mut Turn) {
        if matches!(self.session.journal, Journal::Open { handed, kept } if handed > kept) {
            return;
        }
        let Some(saving) = self.saving() else { return };
        if let Stage::Applying(Step::Disk(ask)) = &saving.stage {
            let ask = ask.clone();
            self.send(ask, turn);
        }
    }

    fn send(&mut self, ask: Box<Ask>, turn: &mut Turn) {
        let request = turn.next_id();
        if let Some(saving) = self.saving() {
            saving.stage = Stage::Applying(Step::Service(request));
        }
        turn.ask(Effect::Ask { request, ask });
    }

    /// Takes what was answered while the plan is made.
    pub(in super::super) fn answered(&mut self, request: RequestId, reply: Reply, turn: &mut Turn) {
        let (draft, Mode::Saving(saving)) = (&mut self.draft, &mut self.mode) else { return };
        if saving.stage != Stage::Applying(Step::Service(request)) {
            return;
        }
        // What could not be read for the plan has been read for the save.
        if matches!((&self.session.read, &reply), (Remote::Failed { .. }, Reply::Project(Ok(_)))) {
            self.session.read.settle(Ok(()));
            self.session.is_missing = false;
        }
        let (records, answered) = saving.saver.answered(draft, reply);
        for record in records {
            self.keep(record, turn);
        }
        if !matches!(answered, Answered::Stopped(_)) {
            self.rebuild(false);
        }
        match answered {
            Answered::On => self.next_call(turn),
            Answered::Stopped(halt) => {
                if halt.unauthorized {
                    turn.outcomes.push(Outcome::Unauthorized);
                }
                self.stop(&halt.to_string());
            }
            Answered::Unclear(strangers) => self.ask_about(strangers, turn),
            Answered::Changed(merge) => self.plan_again(*merge, turn),
        }
    }

    /// Somebody else changed the project while the plan was on the screen or being made: it is shown again, and nothing
    /// more is done before a person says so.
    pub(super) fn plan_again(&mut self, mut merge: Merge, turn: &mut Turn) {
        self.name_products(&mut merge);
        if merge.conflicts.is_empty() {
            let draft = &mut self.draft;
            let record = draft.rebase(&merge);
            self.keep(record, turn);
            self.rebuild(false);
        }
        let (plan, called) = self.planned();
        let Some(saving) = self.saving() else { return };
        saving.plan = plan;
        saving.called.extend(called);
        if merge.conflicts.is_empty() {
            saving.elsewhere = merge.elsewhere.iter().map(|what| text::line(what).into_owned()).collect();
            saving.stage = Stage::Shown { unread: None };
        } else {
            saving.stage = Stage::Deciding(Box::new(Deciding { merge, place: RowCursor::default() }));
        }
        turn.say(NoticeKind::Warning, "Someone else changed the project meanwhile. Check the new plan; Enter saves.");
    }

    /// Stops: what was not made stays in the draft.
    fn stop(&mut self, why: &str) {
        self.rebuild(false);
        let (plan, called) = self.planned();
        if let Some(saving) = self.saving() {
            saving.plan = plan;
            saving.called.extend(called);
            saving.stage = Stage::Stopped(text::line(why).into_owned());
        }
    }

    /// Everything is saved. The history stays until the project is left, and the journal with it.
    pub(super) fn saved(&mut self, turn: &mut Turn) {
        let draft = &mut self.draft;
        let hindered = !draft.plan().hindrances.is_empty();
        if hindered {
            return self.stop("The rest can't be saved; see below.");
        }
        if let Some(name) = draft.content().head().name.clone() {
            self.session.name = name;
        }
        if let Some(saving) = self.saving() {
            saving.stage = Stage::Done;
            saving.plan = Plan::default();
        }
        let loses_player = self.saving().is_some_and(|saving| saving.saver.loses_player());
        let loses_products = self.saving().is_some_and(|saving| saving.saver.loses_products());
        self.rebuild(false);
        let lost = match (loses_player, loses_products) {
            (true, true) => Some("player settings or products"),
            (true, false) => Some("player settings"),
            (false, true) => Some("products"),
            (false, false) => None,
        };
        if let Some(lost) = lost {
            let way_out = if loses_products { " ‹steps.export› exports them to a project file." } else { "" };
            turn.say(NoticeKind::Warning, format!("Saved, but this service doesn't store {lost}.{way_out}"));
            return;
        }
        if self.saving().is_some_and(|saving| saving.saver.keeps_products_here()) {
            let say = "Saved. This service doesn't store products: they are kept on this computer, and viewers don't see them.";
            turn.say(NoticeKind::Warning, say);
            return;
        }
        let player = self.player();
        let tunnel = player.as_deref().zip(turn.context.ssh.as_deref());
        let tunnel = tunnel.and_then(|(address, host)| tunnel_to(address, host));
        if let Some(saving) = self.saving() {
            saving.tunnel = tunnel;
        }
        let say = match player {
            Some(_) => "Saved. ‹app.address› opens the player, ‹steps.qr› shows its QR code.",
            None => "Saved. ‹steps.play› plays it here.",
        };
        turn.say(NoticeKind::Done, say);
    }
}

/// The command that makes an address of this machine reachable from where its session came from by SSH; none where the
/// address can be reached as it is.
fn tunnel_to(address: &str, host: &str) -> Option<String> {
    let place = address.strip_prefix("http://")?.split('/').next()?;
    let (name, port) = place.rsplit_once(':')?;
    let port: u16 = port.parse().ok()?;
    let is_loopback = name.starts_with("127.") && name.chars().all(|c| c.is_ascii_digit() || c == '.');
    let is_here = name == "localhost" || name == "[::1]" || is_loopback;
    is_here.then(|| format!("ssh -L {port}:{name}:{port} {host}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_address_of_this_machine_needs_a_tunnel() {
        let tunnel = |address| tunnel_to(address, "me@203.0.113.7");
        let line = tunnel("http://127.0.0.1:7227/play/p1");
        assert_eq!(line.as_deref(), Some("ssh -L 7227:127.0.0.1:7227 me@203.0.113.7"));
        assert_eq!(tunnel("http://localhost:80/"), Some("ssh -L 80:localhost:80 me@203.0.113.7".to_owned()));
        assert_eq!(tunnel("https://play.example/p1"), None);
        assert_eq!(tunnel("http://127.evil:70000/"), None);
    }
}
