//! The Steps screen as its parent sees it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::saving::Stage;
use super::vocabulary::Turn;
use super::{Asking, Cursor, Focus, Journal, Mode, Steps};
use crate::draft::Edit;
use crate::settings::Key;
use crate::studio::ground::{Command, Layer, Moment, Mouse, NoticeKind, Remote, Screen};
use crate::studio::screens::pane::{Handler, Hint, Pane};
use crate::studio::screens::turn::{Choice, Outcome};
use crate::studio::widgets::Ink;
use crate::uploads::next_count;

impl Pane for Steps {
    fn layer(&self) -> Layer {
        Layer::Steps
    }

    fn hints(&self) -> &'static [Hint] {
        use Command as C;
        let Some(open) = &self.open else { return &[(C::GoProjects, None), (C::Help, None)] };
        match (&open.mode, open.focus) {
            (Mode::Form(_), _) => &[(C::NextPane, None), (C::StepsEditor, None), (C::Back, None)],
            (Mode::Upload(_), _) => &[(C::Up, Some(C::Down)), (C::Open, None), (C::Back, None)],
            (Mode::Labels(_), _) => &[(C::Back, None)],
            (Mode::Wire(_) | Mode::Play(_) | Mode::Saving(_), _) => {
                &[(C::Up, Some(C::Down)), (C::Open, None), (C::Back, None)]
            }
            (Mode::Normal, Focus::Findings) => &[
                (C::Up, Some(C::Down)),
                (C::Open, None),
                (C::StepsFix, None),
                (C::StepsIgnore, None),
                (C::Back, None),
                (C::Help, None),
            ],
            (Mode::Normal, Focus::Map) => &[
                (C::Right, None),
                (C::StepsWire, None),
                (C::StepsAnswer, None),
                (C::StepsNew, None),
                (C::Open, None),
                (C::StepsLabels, None),
                (C::StepsPlay, None),
                (C::StepsSave, None),
                (C::StepsUndo, None),
                (C::StepsZoom, None),
                (C::StepsOutline, None),
                (C::Help, None),
            ],
        }
    }

    fn is_typing(&self) -> bool {
        self.open.as_ref().is_some_and(|open| !matches!(open.mode, Mode::Normal))
    }

    fn resize(&mut self, area: Rect, _now: Moment) {
        self.area = area;
        self.keep_in_sight();
    }

    fn awaits_what_opens(&self) -> bool {
        let Some(open) = &self.open else { return false };
        match &open.mode {
            Mode::Normal => open.draft.is_none() && (open.journal == Journal::Sought || open.read.waiting().is_some()),
            Mode::Saving(saving) => saving.stage == Stage::Reading,
            _ => false,
        }
    }

    fn dismissed(&mut self) {
        self.asking = None;
    }

    fn view(&self, buf: &mut Buffer, ink: Ink, now: Moment) -> Option<(u16, u16)> {
        self.draw(buf, ink, now)
    }

    fn countdown(&self, now: Moment) -> Option<u64> {
        let Mode::Form(form) = &self.open.as_ref()?.mode else { return None };
        next_count(self.upload_for(form.step)?, now.0)
    }

    fn reading(&self, now: Moment, lines: &mut Vec<String>) {
        self.read_out(now, lines);
    }
}

impl Handler for Steps {
    type Answer = std::convert::Infallible;
    type Effect = super::Effect;

    fn shown(&mut self, now: Moment, turn: &mut Turn) {
        let unread = self.open.as_ref().is_some_and(|open| matches!(open.read, Remote::Failed { .. } | Remote::Idle));
        if unread && turn.context.connected {
            self.refresh(now, turn);
        }
    }

    fn command(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
        let known = self.take_command(command, now, turn);
        self.place_arrived(now, turn);
        self.keep_typed(turn);
        known
    }

    fn open_awaited(&mut self, now: Moment, turn: &mut Turn) {
        let saving = self.open.as_ref().and_then(|open| match &open.mode {
            Mode::Saving(saving) => Some(saving),
            _ => None,
        });
        if let Some(saving) = saving.filter(|saving| !saving.is_as_it_was_shown) {
            // What is saved was seen before: this plan is another one than Enter was pressed for.
            let say = match saving.stage {
                Stage::Shown { unread: Some(_) } => "Couldn't load from the service",
                _ => "Something was changed meanwhile",
            };
            turn.say(NoticeKind::Warning, format!("{say}. Check the plan, then press Enter again."));
            return;
        }
        self.command(Command::Open, now, turn);
    }

    fn text_key(&mut self, key: Key, now: Moment, turn: &mut Turn) {
        match self.open.as_ref().map(|open| &open.mode) {
            Some(Mode::Labels(_)) => self.labels_key(key),
            Some(Mode::Wire(_)) => self.wire_key(key, now, turn),
            Some(Mode::Play(_)) => {
                self.play_key(key, now, turn);
                self.mark();
            }
            Some(Mode::Form(_)) => self.form_key(key, now, turn),
            Some(Mode::Saving(_)) => self.saving_key(key, now, turn),
            Some(Mode::Upload(_)) => self.upload_key(key, now, turn),
            Some(Mode::Normal) | None => {}
        }
        self.place_arrived(now, turn);
        self.keep_typed(turn);
    }

    fn paste(&mut self, pasted: &str, _now: Moment, turn: &mut Turn) {
        // One of them: a file that was chosen ends the choosing, and the form that comes back has pasted nothing.
        if matches!(self.open.as_ref().map(|open| &open.mode), Some(Mode::Upload(_))) {
            self.upload_paste(pasted, turn);
        } else {
            self.form_paste(pasted, turn);
        }
    }

    fn text_edited(&mut self, text: String, _now: Moment, turn: &mut Turn) {
        self.form_edited(&text, turn);
    }

    fn mouse(&mut self, mouse: Mouse, now: Moment, turn: &mut Turn) {
        self.take_mouse(mouse, now, turn);
        self.keep_typed(turn);
    }

    fn chosen(&mut self, choice: Choice, now: Moment, turn: &mut Turn) {
        self.take_choice(choice, now, turn);
        self.keep_typed(turn);
    }
}

impl Steps {
    fn take_command(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
        match self.open.as_ref().map(|open| &open.mode) {
            None => false,
            Some(Mode::Normal) => self.normal_command(command, now, turn),
            Some(Mode::Labels(_)) => {
                if let Some(open) = self.open.as_mut().filter(|_| command == Command::Back) {
                    open.mode = Mode::Normal;
                    self.mark();
                }
                true
            }
            Some(Mode::Wire(_)) => self.wire_command(command, now, turn),
            Some(Mode::Play(_)) => {
                let taken = self.play_command(command, turn);
                self.mark();
                taken
            }
            Some(Mode::Form(_)) => self.form_command(command, now, turn),
            Some(Mode::Saving(_)) => self.saving_command(command, now, turn),
            Some(Mode::Upload(_)) => self.upload_command(command, now, turn),
        }
    }

    fn normal_command(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
        let findings = self.open.as_ref().is_some_and(|open| open.focus == Focus::Findings);
        if findings && self.findings_command(command, turn) {
            return true;
        }
        match command {
            Command::Back => {
                turn.outcomes.push(Outcome::Go(Screen::Projects));
            }
            Command::Open => self.begin_form(turn),
            Command::NextPane | Command::PreviousPane => self.turn_focus(),
            Command::Copy => self.copy(turn),
            Command::Address => self.address(turn),
            Command::Remove => self.remove(now, turn),
            Command::StepsLabels => self.begin_labels(turn),
            Command::StepsWire => self.begin_wire(turn),
            Command::StepsAnswer => self.add_answer(turn),
            Command::StepsAnswerText => self.edit_answer_text(turn),
            Command::StepsMoveUp => self.reorder(-1, now, turn),
            Command::StepsMoveDown => self.reorder(1, now, turn),
            Command::StepsNew => self.new_step(now, turn),
            Command::StepsInsert => self.insert_step(now, turn),
            Command::StepsDuplicate => self.duplicate(now, turn),
            Command::StepsVideo => self.choose_video(turn),
            Command::StepsUpload => self.begin_upload(now, turn),
            Command::StepsPreview => self.show_preview(turn),
            Command::StepsReplace => self.ask_replace(turn),
            Command::StepsRename => self.rename(turn),
            Command::StepsUndo => self.undo(false, turn),
            Command::StepsRedo => self.undo(true, turn),
            Command::StepsHistory => self.show_history(turn),
            Command::StepsDiscard => self.ask_discard(turn),
            Command::StepsSave => self.begin_saving(now, turn),
            Command::StepsPlay => self.play(None, turn),
            Command::StepsPlayHere => self.play(self.selected().map(|(step, _)| step), turn),
            Command::StepsNextUnplayed => self.next_unwalked(turn),
            Command::StepsPaths => self.show_ways(turn),
            Command::StepsKinds => self.list_kinds(turn),
            Command::StepsNextProblem => self.next_finding(1, turn),
            Command::StepsPreviousProblem => self.next_finding(-1, turn),
            Command::StepsFix => self.fix(now, turn),
            Command::StepsIgnore => self.mean(now, turn),
            Command::StepsExport => self.ask_export(turn),
            Command::StepsPlayer => self.ask_player(None, turn),
            Command::StepsEmbed => self.copy_embed(turn),
            Command::StepsRefresh | Command::Retry => self.refresh(now, turn),
            Command::StepsOutline => self.turn_outline(),
            Command::StepsZoom => self.zoom(0),
            Command::StepsZoomIn => self.zoom(1),
            Command::StepsZoomOut => self.zoom(-1),
            Command::StepsFit => self.fit(),
            Command::StepsCenter => self.centre(),
            Command::StepsTidy => self.tidy(turn),
            Command::StepsPanLeft => self.pan(-8, 0),
            Command::StepsPanRight => self.pan(8, 0),
            Command::StepsPanUp => self.pan(0, -4),
            Command::StepsPanDown => self.pan(0, 4),
            _ => return self.move_command(command, turn),
        }
        true
    }

    fn turn_focus(&mut self) {
        if let Some(open) = &mut self.open {
            open.focus = match open.focus {
                Focus::Map if !open.shown.faults.is_empty() => Focus::Findings,
                _ => Focus::Map,
            };
        }
    }

    fn take_choice(&mut self, choice: Choice, now: Moment, turn: &mut Turn) {
        let Choice { one, typed, .. } = choice;
        let said = typed.clone().unwrap_or_default();
        match self.asking.take() {
            Some(Asking::Find(steps)) => {
                if let Some(step) = one.and_then(|at| steps.get(at).copied()) {
                    self.go_to(Cursor { step, port: None });
                }
            }
            Some(Asking::Kind(cursors)) => {
                if let Some(cursor) = one.and_then(|at| cursors.get(at).copied()) {
                    self.go_to(cursor);
                }
            }
            Some(Asking::FindTarget(steps)) => self.aim(one.and_then(|at| steps.get(at).copied())),
            Some(Asking::Predecessor(steps)) => {
                if let Some(step) = one.and_then(|at| steps.get(at).copied()) {
                    self.go_to(Cursor { step, port: None });
                }
            }
            Some(Asking::NewAnswer(step)) if !said.is_empty() => self.added_answer(step, said, now, turn),
            Some(Asking::AnswerText(answer)) => {
                self.edit(Edit::AnswerText { answer, text: said }, now, turn);
            }
            Some(Asking::DeleteStep(step, ways)) => {
                if let Some(incoming) = one.and_then(|at| ways.get(at.checked_sub(1)?).copied()) {
                    self.edit(Edit::DeleteStep { step, incoming }, now, turn);
                }
            }
            Some(Asking::Video(step, ids)) => {
                let id = one.and_then(|at| ids.get(at).cloned()).or(typed.map(Into::into));
                if id.is_some() {
                    self.edit(Edit::Video { step, video: id }, now, turn);
                }
            }
            Some(Asking::History) => {
                let forgotten = self.draft().map_or(0, crate::draft::Draft::forgotten);
                if let Some(to) = one {
                    self.go_in_history(forgotten + to, turn);
                }
            }
            Some(Asking::ExportForm) => {
                if let Some(form) = one {
                    self.ask_export_file(form, turn);
                }
            }
            Some(Asking::ExportFile(format)) if !said.is_empty() => self.export(format, said, turn),
            Some(Asking::ReplaceWhat) if !said.is_empty() => self.replace_what(said, turn),
            Some(Asking::ReplaceWith(what)) => self.preview_replace(what, said, turn),
            Some(Asking::Replace(what, with)) if one == Some(1) => self.replace(&what, with, now, turn),
            Some(Asking::Rescue(damaged)) if one == Some(1) => self.rescue(&damaged, turn),
            Some(Asking::Discard) if one == Some(1) => self.discard(now, turn),
            Some(Asking::Renew) if one == Some(1) => self.renew(turn),
            Some(Asking::Rename) if !said.is_empty() => {
                self.edit(Edit::Name { name: said }, now, turn);
            }
            Some(Asking::PlayerSetting) => self.ask_setting(one, turn),
            Some(Asking::PlayerValue(name)) => self.set_player(name, &said, now, turn),
            Some(_) | None => {}
        }
    }
}
