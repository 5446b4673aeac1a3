//! Saving is a plan: what would be written is shown first, what was edited elsewhere since is merged in, and every call is
//! seen to be made. What could not be made stays in the draft.

use super::super::vocabulary::Turn;
use crate::domain::text;
use crate::draft::{Merge, Plan, Reading, Record, Settled, Side, Stranger};
use crate::studio::ground::saver::{Ask, Saver};
use crate::studio::ground::{Command, Failure, Moment, NoticeKind, RequestId};
use crate::studio::screens::pane::Hint;
use crate::studio::widgets::RowCursor;
use crate::studio::widgets::rows::stride;

use super::super::{Editor, Mode};
use super::plan_words::Called;

/// Conflicts, and things that nobody knows, that a page holds: each takes some lines.
const PAGE: usize = 5;

/// The plan while it is shown and made.
#[derive(Debug, Clone, PartialEq)]
pub struct Saving {
    /// How far it is.
    pub stage: Stage,
    /// What is to be done.
    pub plan: Plan,
    /// What new steps are called until they have a name.
    pub called: Called,
    /// How far that is.
    pub saver: Saver,
    /// The command that makes the player reachable from where the session came from by SSH, once all is saved.
    pub tunnel: Option<String>,
    /// What was edited elsewhere and is kept, in words.
    pub elsewhere: Vec<String>,
    /// The first line that is seen.
    pub top: usize,
    /// Whether the plan is the one that was shown while the service was read again.
    pub is_as_it_was_shown: bool,
}

/// How far saving is.
#[derive(Debug, Clone, PartialEq)]
pub enum Stage {
    /// The service is read again, so that nothing made elsewhere is written over.
    Reading,
    /// What was edited here and elsewhere has to be decided on.
    Deciding(Box<Deciding>),
    /// The answer of a creation was lost, and the service has what may be it or somebody else's; or nothing yet, and it
    /// may be about to finish it.
    Unclear {
        /// What nobody knows.
        strangers: Vec<Stranger>,
        /// The one that is chosen.
        place: RowCursor,
    },
    /// The plan is shown.
    Shown {
        /// Why the service could not be read again, where it could not.
        unread: Option<String>,
    },
    /// The record of the next call is on its way to the disk, or the call to the service.
    Applying(Step),
    /// A call failed, and why; the rest is still there.
    Stopped(String),
    /// Everything is saved.
    Done,
}

impl Stage {
    /// What the last line shows while the plan has the keys.
    pub(super) fn hints(&self) -> &'static [Hint] {
        const OPEN: Hint = Hint::of(Command::Open);
        const BACK: Hint = Hint::of(Command::Back);
        const NONE: Hint = Hint::of(Command::SaveNone);
        const SCROLL: Hint = Hint::pair(Command::Up, Command::Down, "scroll");
        match self {
            Self::Reading => const { &[BACK.saying("cancel")] },
            Self::Deciding(_) => {
                const {
                    &[
                        Hint::of(Command::SaveMine),
                        Hint::of(Command::SaveTheirs),
                        Hint::moves(),
                        OPEN.saying("continue"),
                        BACK.saying("cancel"),
                    ]
                }
            }
            Self::Unclear { strangers, .. } if strangers.is_empty() => {
                const { &[OPEN.saying("look again"), NONE.saying("create it again"), BACK.saying("cancel")] }
            }
            Self::Unclear { .. } => {
                const { &[Hint::moves(), OPEN.saying("it is this one"), NONE, BACK.saying("cancel")] }
            }
            Self::Shown { .. } => const { &[OPEN.saying("save all"), SCROLL, BACK.saying("cancel")] },
            Self::Applying(_) => const { &[SCROLL] },
            Self::Stopped(_) => const { &[OPEN.saying("continue"), SCROLL, BACK.saying("keep the rest as draft")] },
            Self::Done => {
                const {
                    &[
                        OPEN.saying("close"),
                        Hint::of(Command::Address).saying("open player"),
                        Hint::of(Command::StepsCode),
                        Hint::of(Command::StepsPlay),
                        SCROLL,
                    ]
                }
            }
        }
    }
}

/// What is waited for while a plan is made.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// The journal, before this is asked.
    Disk(Box<Ask>),
    /// The service.
    Service(RequestId),
}

/// Conflicts that a person decides on.
#[derive(Debug, Clone, PartialEq)]
pub struct Deciding {
    /// What was changed here and elsewhere, and how each conflict is decided.
    pub merge: Merge,
    /// The one that is chosen.
    pub place: RowCursor,
}

impl Saving {
    /// Whether it is said that everything is saved.
    pub(in super::super) fn is_done(&self) -> bool {
        matches!(self.stage, Stage::Done)
    }

    /// Whether the service is read before the plan is shown.
    pub(in super::super) fn is_read(&self) -> bool {
        self.stage == Stage::Reading
    }

    /// Whether the plan is being carried out.
    pub(in super::super) fn is_applied(&self) -> bool {
        matches!(self.stage, Stage::Applying(_))
    }

    /// Why the plan is another one than was shown before the service was read, in words; none where it is the same.
    pub(in super::super) fn seen_otherwise(&self) -> Option<&'static str> {
        let say = match self.stage {
            Stage::Shown { unread: Some(_) } => "Couldn't load from the service",
            _ => "Something was changed meanwhile",
        };
        (!self.is_as_it_was_shown).then_some(say)
    }
}

impl Editor {
    /// Whether the project is being saved at this moment.
    pub(in super::super) fn is_applying(&self) -> bool {
        matches!(&self.mode, Mode::Saving(saving) if matches!(saving.stage, Stage::Applying(_)))
    }

    pub(super) fn saving(&mut self) -> Option<&mut Saving> {
        match &mut self.mode {
            Mode::Saving(saving) => Some(saving),
            _ => None,
        }
    }
}

impl Editor {
    /// Reads the project and the library again. What is read while calls are made is older than they are.
    pub(in super::super) fn refresh(&mut self, now: Moment, turn: &mut Turn) {
        if !self.is_applying() {
            self.session.refresh(&mut self.shared, now, turn);
        }
    }

    /// The service could not be read.
    pub(in super::super) fn unread(&mut self, failure: &Failure, turn: &mut Turn) {
        if failure.missing && !self.draft.is_saved() && matches!(self.mode, Mode::Saving(_)) {
            self.mode = Mode::Normal;
            return Self::ask_renew(turn);
        }
        if failure.missing {
            self.say_missing(turn);
        }
        if matches!(&self.mode, Mode::Saving(saving) if saving.is_read()) {
            self.plan_unread(&failure.what);
        }
    }

    /// Says what becomes of a draft whose project the service no longer has.
    pub(in super::super) fn say_missing(&self, turn: &mut Turn) {
        if !self.draft.is_saved() {
            let say = "The service no longer has this project. Your draft is kept: ‹steps.save› creates a new project from it, \
                       ‹steps.export› exports it, ‹steps.discard› discards it.";
            turn.say(NoticeKind::Warning, say);
        }
    }

    /// Shows the plan, after the service was read again.
    pub(in super::super) fn begin_saving(&mut self, now: Moment, turn: &mut Turn) {
        if !self.may_edit(turn) {
            return;
        }
        let draft = &self.draft;
        if draft.is_saved() {
            turn.say(NoticeKind::Hint, "Nothing to save.");
            return;
        }
        let (plan, called) = self.planned();
        self.mode = Mode::Saving(Box::new(Saving {
            stage: Stage::Reading,
            plan,
            called,
            tunnel: None,
            saver: Saver::new(&turn.context, self.session.id.as_str(), now),
            elsewhere: Vec::new(),
            top: 0,
            is_as_it_was_shown: false,
        }));
        self.refresh(now, turn);
    }

    /// Takes what the service has now, while there are edits that are not saved.
    pub(in super::super) fn notice_newer(&mut self, latest: Reading, now: Moment, turn: &mut Turn) {
        // What is being typed counts as edited here.
        self.commit(now, turn);
        let draft = &mut self.draft;
        let saving = matches!(self.mode, Mode::Saving(_));
        let Reading { project: latest, flaw, .. } = latest;
        // What is of another type than it should be says nothing: not that steps are gone, nor that others changed them.
        if let Some(flaw) = flaw
            && (draft.is_unsettled() || !draft.merge(latest.clone()).is_quiet())
        {
            return self.unsure(&flaw, turn);
        }
        // A step whose creation was not answered is looked for before anything else: what may be it is not somebody else's.
        let mut records: Vec<Record> = Vec::new();
        match draft.settle(&latest, false) {
            Settled::Bound(_, record) => records.push(*record),
            Settled::Absent => {}
            Settled::Unclear(strangers) => return self.ask_about(strangers, turn),
        }
        let merge = draft.merge(latest);
        if merge.is_quiet() {
            let is_bound = !records.is_empty();
            for record in records {
                self.keep(record, turn);
            }
            if is_bound {
                self.rebuild(false);
            }
            return self.show_plan(None);
        }
        if merge.conflicts.is_empty() {
            let told: Vec<String> = merge.elsewhere.iter().map(|what| text::line(what).into_owned()).collect();
            records.push(draft.rebase(&merge));
            for record in records {
                self.keep(record, turn);
            }
            self.rebuild(false);
            if saving {
                if let Some(saving) = self.saving() {
                    saving.elsewhere = told;
                }
                return self.show_plan(None);
            }
            turn.say(NoticeKind::Hint, format!("Changed by someone else and kept: {}.", told.join(", ")));
            return;
        }
        let mut merge = merge;
        self.name_products(&mut merge);
        let count = merge.conflicts.len();
        for record in records {
            self.keep(record, turn);
        }
        if let Some(saving) = self.saving() {
            saving.stage = Stage::Deciding(Box::new(Deciding { merge, place: RowCursor::default() }));
            return;
        }
        let say = format!(
            "Someone else changed this project: {count} edit{} conflict. ‹steps.save› shows them.",
            if count == 1 { "" } else { "s" }
        );
        turn.say(NoticeKind::Warning, say);
    }

    /// What was read is not to be believed: the draft stays as it is.
    fn unsure(&mut self, flaw: &str, turn: &mut Turn) {
        let why = format!("the service's response makes no sense: {flaw}");
        if matches!(&self.mode, Mode::Saving(saving) if saving.is_read()) {
            return self.plan_unread(&why);
        }
        turn.say(
            NoticeKind::Warning,
            format!("Couldn't load the project: {}. Nothing was changed here.", text::line(&why)),
        );
    }

    /// Something is there that may be what was created, or somebody else's: that is for a person to say.
    pub(super) fn ask_about(&mut self, strangers: Vec<Stranger>, turn: &mut Turn) {
        if let Some(saving) = self.saving() {
            saving.stage = Stage::Unclear { strangers, place: RowCursor::default() };
            return;
        }
        let say = "The response to the creation of a step was lost, and the service has a step that isn't in this draft. \
                   ‹steps.save› shows it and asks whether it is that one.";
        turn.say(NoticeKind::Warning, say);
    }

    /// The chosen step is the one that was created, or none of them is. Where there is nothing to choose from, it is looked
    /// for again, or created again.
    fn answer_unclear(&mut self, is_it: bool, now: Moment, turn: &mut Turn) {
        let Mode::Saving(saving) = &mut self.mode else { return };
        let Stage::Unclear { strangers, place } = &saving.stage else { return };
        if is_it && strangers.is_empty() {
            return self.next_call(turn);
        }
        let draft = &mut self.draft;
        let record =
            if is_it { strangers.get(place.selected).and_then(|one| draft.adopt(one)) } else { draft.absent() };
        saving.stage = Stage::Reading;
        if let Some(record) = record {
            self.keep(record, turn);
        }
        self.rebuild(false);
        // What is there beside it is somebody else's, and is shown with the plan.
        self.refresh(now, turn);
    }

    /// The service could not be read before the plan.
    pub(in super::super) fn plan_unread(&mut self, why: &str) {
        self.show_plan(Some(text::line(why).into_owned()));
    }

    fn show_plan(&mut self, unread: Option<String>) {
        let (plan, called) = self.planned();
        let Some(saving) = self.saving() else { return };
        if !matches!(saving.stage, Stage::Applying(_)) {
            saving.is_as_it_was_shown = unread.is_none() && saving.elsewhere.is_empty() && saving.plan == plan;
            saving.plan = plan;
            saving.called.extend(called);
            saving.stage = Stage::Shown { unread };
        }
    }

    /// Takes a command while the plan is shown.
    pub(in super::super) fn saving_command(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
        let (page, across) = self.saving_page();
        let Some(saving) = self.saving() else { return false };
        let moves = match &mut saving.stage {
            Stage::Unclear { strangers, place } => place.command(command, PAGE, strangers.len()),
            Stage::Deciding(deciding) => deciding.place.command(command, PAGE, deciding.merge.conflicts.len()),
            _ => {
                let by = stride(command, page);
                if let Some(by) = by {
                    saving.scroll(by, page, across);
                }
                by.is_some()
            }
        };
        if moves {
            return true;
        }
        match (&saving.stage, command) {
            (Stage::Unclear { .. }, Command::Open) => self.answer_unclear(true, now, turn),
            (Stage::Unclear { .. }, Command::SaveNone) => self.answer_unclear(false, now, turn),
            (Stage::Deciding(_), Command::Mark | Command::NextPane | Command::PreviousPane) => self.turn_side(None),
            (Stage::Deciding(_), Command::SaveMine) => self.turn_side(Some(Side::Mine)),
            (Stage::Deciding(_), Command::SaveTheirs) => self.turn_side(Some(Side::Theirs)),
            (Stage::Deciding(_), Command::Open) => self.decide(turn),
            (Stage::Shown { .. } | Stage::Stopped(_), Command::Open) | (Stage::Stopped(_), Command::Retry) => {
                self.apply(now, turn);
            }
            (Stage::Applying(_), Command::Back) => {
                turn.say(NoticeKind::Hint, "Saving; waiting for the current request.");
            }
            (Stage::Done, Command::Open) | (_, Command::Back) => self.end_saving(),
            (Stage::Done, Command::Address | Command::StepsCode | Command::StepsPlay) => {
                self.end_saving();
                return self.normal_command(command, now, turn);
            }
            _ => return false,
        }
        true
    }

    /// Turns the wheel over the plan.
    pub(in super::super) fn saving_wheel(&mut self, by: isize) {
        let (page, across) = self.saving_page();
        let Some(saving) = self.saving() else { return };
        match &mut saving.stage {
            Stage::Unclear { strangers, place } => place.wheel(by, PAGE, strangers.len()),
            Stage::Deciding(deciding) => deciding.place.wheel(by, PAGE, deciding.merge.conflicts.len()),
            _ => saving.scroll(by, page, across),
        }
    }

    pub(super) fn turn_side(&mut self, side: Option<Side>) {
        let Some(saving) = self.saving() else { return };
        let Stage::Deciding(deciding) = &mut saving.stage else { return };
        if let Some(conflict) = deciding.merge.conflicts.get(deciding.place.selected) {
            let other = if conflict.side == Side::Mine { Side::Theirs } else { Side::Mine };
            let spot = conflict.spot;
            deciding.merge.decide(spot, side.unwrap_or(other));
        }
    }

    /// Takes the decisions, and shows the plan that is left.
    fn decide(&mut self, turn: &mut Turn) {
        let Some(saving) = self.saving() else { return };
        let Stage::Deciding(deciding) = &saving.stage else { return };
        let deciding = deciding.clone();
        let draft = &mut self.draft;
        let record = draft.rebase(&deciding.merge);
        self.keep(record, turn);
        self.rebuild(false);
        if let Some(saving) = self.saving() {
            saving.stage = Stage::Shown { unread: None };
        }
        self.show_plan(None);
    }

    fn end_saving(&mut self) {
        self.mode = Mode::Normal;
        self.keep_in_sight();
    }
}
