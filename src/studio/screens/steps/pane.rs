//! The Steps screen as its parent sees it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::view::draw_closed;
use super::vocabulary::Turn;
use super::{Asking, Cursor, Editor, Focus, Journal, Mode, Session, State, Steps};
use crate::draft::Edit;
use crate::settings::Key;
use crate::studio::ground::{Command, Layer, Moment, Mouse, NoticeKind, Remote, Screen};
use crate::studio::screens::pane::{Handler, Hint, Pane};
use crate::studio::screens::turn::{Choice, Outcome};
use crate::studio::widgets::Ink;
use crate::studio::widgets::select::stride;
use crate::uploads::next_count;

impl Pane for Steps {
    fn layer(&self) -> Layer {
        Layer::Steps
    }

    fn hints(&self) -> &'static [Hint] {
        match self.editor() {
            Some(editor) => editor.hints(),
            None => &[(Command::GoProjects, None), (Command::Help, None)],
        }
    }

    fn is_typing(&self) -> bool {
        self.editor().is_some_and(|editor| !matches!(editor.mode, Mode::Normal))
    }

    fn resize(&mut self, area: Rect, _now: Moment) {
        self.shared_mut().area = area;
        self.editor_mut().into_iter().for_each(Editor::keep_in_sight);
    }

    fn awaits_what_opens(&self) -> bool {
        let is_coming = |session: &Session| session.journal == Journal::Sought || session.read.waiting().is_some();
        match &self.state {
            State::Closed(_) => false,
            State::Opening(opening) => is_coming(&opening.1),
            State::Editing(editor) => match &editor.mode {
                Mode::Normal => editor.session.is_outdated && is_coming(&editor.session),
                Mode::Saving(saving) => saving.is_read(),
                _ => false,
            },
        }
    }

    fn dismissed(&mut self) {
        self.shared_mut().asking = None;
    }

    fn view(&self, buf: &mut Buffer, ink: Ink, now: Moment) -> Option<(u16, u16)> {
        match &self.state {
            State::Closed(shared) => draw_closed(buf, ink, shared.area),
            State::Opening(opening) => opening.1.draw(buf, ink, opening.0.area, now),
            State::Editing(editor) => return editor.draw(buf, ink, now),
        }
        None
    }

    fn countdown(&self, now: Moment) -> Option<u64> {
        let editor = self.editor()?;
        let Mode::Form(form) = &editor.mode else { return None };
        next_count(editor.upload_for(form.step)?, now.0)
    }

    fn reading(&self, _now: Moment, lines: &mut Vec<String>) {
        match &self.state {
            State::Closed(_) => lines.push("No project is open.".to_owned()),
            State::Opening(opening) => opening.1.read_out(&opening.1.title_words(), lines),
            State::Editing(editor) => editor.read_out(lines),
        }
    }
}

impl Handler for Steps {
    type Answer = std::convert::Infallible;
    type Effect = super::Effect;

    fn shown(&mut self, now: Moment, turn: &mut Turn) {
        let unread = self.session().is_some_and(|session| matches!(session.read, Remote::Failed { .. } | Remote::Idle));
        if unread && turn.context.connected {
            self.refresh(now, turn);
        }
    }

    fn command(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
        match &mut self.state {
            State::Closed(_) => false,
            State::Opening(_) => self.opening_command(command, now, turn),
            State::Editing(editor) => {
                let known = editor.command(command, now, turn);
                editor.place_arrived(now, turn);
                editor.keep_typed(turn);
                known
            }
        }
    }

    fn open_awaited(&mut self, now: Moment, turn: &mut Turn) {
        if let Some(Mode::Saving(saving)) = self.editor().map(|editor| &editor.mode)
            && let Some(say) = saving.seen_otherwise()
        {
            // What is saved was seen before: this plan is another one than Enter was pressed for.
            turn.say(NoticeKind::Warning, format!("{say}. Check the plan, then press Enter again."));
            return;
        }
        self.command(Command::Open, now, turn);
    }

    fn text_key(&mut self, key: Key, now: Moment, turn: &mut Turn) {
        let Some(editor) = self.editor_mut() else { return };
        editor.key(key, now, turn);
        editor.place_arrived(now, turn);
        editor.keep_typed(turn);
    }

    fn paste(&mut self, pasted: &str, _now: Moment, turn: &mut Turn) {
        let Some(editor) = self.editor_mut() else { return };
        // One of them: a file that was chosen ends the choosing, and the form that comes back has pasted nothing.
        if matches!(editor.mode, Mode::Upload(_)) {
            editor.upload_paste(pasted, turn);
        } else {
            editor.form_paste(pasted, turn);
        }
    }

    fn text_edited(&mut self, text: String, _now: Moment, turn: &mut Turn) {
        if let Some(editor) = self.editor_mut() {
            editor.form_edited(&text, turn);
        }
    }

    fn mouse(&mut self, mouse: Mouse, now: Moment, turn: &mut Turn) {
        let Some(editor) = self.editor_mut() else { return };
        editor.take_mouse(mouse, now, turn);
        editor.keep_typed(turn);
    }

    fn chosen(&mut self, choice: Choice, now: Moment, turn: &mut Turn) {
        if self.shared().asking == Some(Asking::Discard) {
            self.shared_mut().asking = None;
            if choice.one == Some(1) {
                self.discard(now, turn);
            }
            return;
        }
        let Some(editor) = self.editor_mut() else { return };
        editor.take_choice(choice, now, turn);
        editor.keep_typed(turn);
    }
}

impl Steps {
    /// Takes a command while the project is read and its draft looked for.
    fn opening_command(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
        match command {
            Command::Back => turn.outcomes.push(Outcome::Go(Screen::Projects)),
            Command::StepsRefresh | Command::Retry => self.refresh(now, turn),
            Command::StepsOutline => {
                let shared = self.shared_mut();
                shared.outline = !shared.outline;
            }
            Command::Open | Command::Remove => turn.say(NoticeKind::Hint, "The project isn't loaded yet."),
            command if command.name().starts_with("steps.") => {
                turn.say(NoticeKind::Hint, "The project isn't loaded yet.");
            }
            Command::NextPane | Command::PreviousPane | Command::Left | Command::Right | Command::Copy => {}
            Command::Address => {}
            command => return stride(command, 1).is_some(),
        }
        true
    }
}

impl Editor {
    fn hints(&self) -> &'static [Hint] {
        use Command as C;
        match (&self.mode, self.focus) {
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

    /// Takes a command in the mode that is on; whether it was for it.
    fn command(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
        match &self.mode {
            Mode::Normal => self.normal_command(command, now, turn),
            Mode::Labels(_) => {
                if command == Command::Back {
                    self.mode = Mode::Normal;
                    self.mark();
                }
                true
            }
            Mode::Wire(_) => self.wire_command(command, now, turn),
            Mode::Play(_) => {
                let taken = self.play_command(command, turn);
                self.mark();
                taken
            }
            Mode::Form(_) => self.form_command(command, now, turn),
            Mode::Saving(_) => self.saving_command(command, now, turn),
            Mode::Upload(_) => self.upload_command(command, now, turn),
        }
    }

    /// Takes a key in the mode that is on.
    fn key(&mut self, key: Key, now: Moment, turn: &mut Turn) {
        match &self.mode {
            Mode::Normal => {}
            Mode::Labels(_) => self.labels_key(key),
            Mode::Wire(_) => self.wire_key(key, now, turn),
            Mode::Play(_) => {
                self.play_key(key, now, turn);
                self.mark();
            }
            Mode::Form(_) => self.form_key(key, now, turn),
            Mode::Saving(_) => self.saving_key(key, now, turn),
            Mode::Upload(_) => self.upload_key(key, now, turn),
        }
    }

    fn normal_command(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
        if self.focus == Focus::Findings && self.findings_command(command, turn) {
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
        self.focus = match self.focus {
            Focus::Map if !self.shown.faults.is_empty() => Focus::Findings,
            _ => Focus::Map,
        };
    }

    fn take_choice(&mut self, choice: Choice, now: Moment, turn: &mut Turn) {
        let Choice { one, typed, .. } = choice;
        let said = typed.clone().unwrap_or_default();
        match self.shared.asking.take() {
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
                let forgotten = self.draft.forgotten();
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
