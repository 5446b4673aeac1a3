//! The Steps screen as its parent sees it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::view::draw_closed;
use super::vocabulary::Turn;
use super::{Answer, Editor, Journal, Mode, Session, State, Steps};
use crate::domain::Veil;
use crate::draft::Edit;
use crate::settings::Key;
use crate::studio::ground::{Command, Layer, Moment, Mouse, NoticeKind, Remote, Screen};
use crate::studio::screens::pane::{Handler, Hint, Pane, Spoken, Waits};
use crate::studio::screens::turn::Outcome;
use crate::studio::widgets::pictures::Place;
use crate::studio::widgets::rows::stride;
use crate::studio::widgets::{Answered, Ink};
use crate::uploads::next_count;

impl Pane for Steps {
    fn layer(&self) -> Layer {
        Layer::Steps
    }

    fn hints(&self) -> &'static [Hint] {
        match self.editor() {
            Some(editor) => editor.hints(),
            None => const { &[Hint::of(Command::GoProjects)] },
        }
    }

    fn is_typing(&self) -> bool {
        self.editor().is_some_and(|editor| !matches!(editor.mode, Mode::Normal))
    }

    fn takes_text(&self) -> bool {
        self.editor().is_some_and(|editor| match &editor.mode {
            Mode::Products(choosing) => choosing.typing,
            mode => matches!(mode, Mode::Form(_) | Mode::Upload(_)),
        })
    }

    fn mode(&self) -> Option<Layer> {
        self.editor().and_then(Editor::mode_layer)
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

    fn is_at_work(&self) -> bool {
        let mode = self.editor().map(|editor| &editor.mode);
        matches!(mode, Some(Mode::Saving(saving)) if saving.is_applied())
    }

    fn veil(&mut self, _veil: &Veil) {
        // E-mail addresses are known by their form.
    }

    fn view(&self, buf: &mut Buffer, ink: Ink, now: Moment) -> Option<(u16, u16)> {
        match &self.state {
            State::Closed(shared) => draw_closed(buf, ink, shared.area),
            State::Opening(opening) => opening.1.draw(buf, ink, opening.0.area, now),
            State::Editing(editor) => return editor.draw(buf, ink, now),
        }
        None
    }

    fn pictures(&self) -> Vec<Place> {
        self.editor().map(Editor::posters).unwrap_or_default()
    }

    fn countdown(&self, now: Moment) -> Option<u64> {
        let editor = self.editor()?;
        let Mode::Form(form) = &editor.mode else { return None };
        next_count(editor.upload_for(form.step)?, now.0)
    }

    fn waits(&self) -> Option<Waits> {
        let session = match &self.state {
            State::Opening(opening) => &opening.1,
            State::Editing(editor) if editor.is_checking() => &editor.session,
            State::Closed(_) | State::Editing(_) => return None,
        };
        match session.read {
            Remote::Loading { since, .. } => Some(Waits { since, esc: Waits::LEAVES }),
            _ => None,
        }
    }

    fn reading(&self, _now: Moment, lines: &mut Vec<String>) {
        match &self.state {
            State::Closed(_) => lines.push("No project is open.".to_owned()),
            State::Opening(opening) => opening.1.read_out(&opening.1.title_words(), lines),
            State::Editing(editor) => editor.read_out(lines),
        }
    }

    fn spoken(&self, _now: Moment) -> Spoken {
        self.editor().map(Editor::spoken).unwrap_or_default()
    }

    fn listed(&self) -> Option<(Vec<String>, usize)> {
        self.editor().and_then(Editor::listed)
    }
}

impl Handler for Steps {
    type Answer = Answer;
    type Effect = super::Effect;

    fn shown(&mut self, now: Moment, turn: &mut Turn) {
        let unread = self.session().is_some_and(|session| {
            matches!(session.read, Remote::Failed { .. } | Remote::Idle)
                || matches!(self.shared().library, Remote::Failed { .. })
        });
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
                editor.look_up_products(turn);
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
        editor.look_up_products(turn);
        editor.keep_typed(turn);
    }

    fn paste(&mut self, pasted: &str, _now: Moment, turn: &mut Turn) {
        let Some(editor) = self.editor_mut() else { return };
        // One of them: a file that was chosen ends the choosing, and the form that comes back has pasted nothing.
        match editor.mode {
            Mode::Upload(_) => editor.upload_paste(pasted, turn),
            Mode::Products(_) => editor.products_paste(pasted, turn),
            _ => editor.form_paste(pasted, turn),
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
        editor.place_arrived(now, turn);
        editor.look_up_products(turn);
        editor.keep_typed(turn);
    }

    fn answered(&mut self, answered: Answered<Answer>, now: Moment, turn: &mut Turn) {
        let Answered { answer, typed, .. } = answered;
        match answer {
            Answer::Discard => return self.discard(now, turn),
            Answer::TakeOver => return self.take_over(now, turn),
            _ => {}
        }
        let Some(editor) = self.editor_mut() else { return };
        editor.take_answer(answer, typed, now, turn);
        editor.look_up_products(turn);
        editor.keep_typed(turn);
    }
}

impl Steps {
    /// Whether what will be saved is shown, so that Enter saves it.
    pub fn shows_plan(&self) -> bool {
        self.editor().is_some_and(Editor::shows_plan)
    }

    /// Whether it is said that everything is saved.
    #[must_use]
    pub fn shows_saved(&self) -> bool {
        self.editor().is_some_and(Editor::shows_saved)
    }

    /// Whether the rows that plain mode lists are those of the steps.
    pub fn lists_steps(&self) -> bool {
        self.editor().is_some_and(Editor::lists_steps)
    }

    /// Which answer of the step is being wired, counted from 0; none where none is.
    pub fn wired_port(&self) -> Option<usize> {
        self.editor().and_then(Editor::wired_port)
    }

    /// The letters over the cards while an answer is wired, each with its step's place.
    #[cfg(test)]
    pub(in crate::studio) fn wire_labels(&self) -> Vec<(usize, String)> {
        match self.editor().map(|editor| &editor.mode) {
            Some(Mode::Wire(wire)) => wire.labels.of.clone(),
            _ => Vec::new(),
        }
    }

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
            Command::NextPane
            | Command::PreviousPane
            | Command::Left
            | Command::Right
            | Command::Copy
            | Command::Address => {}
            command => return stride(command, 1).is_some(),
        }
        true
    }
}

impl Editor {
    fn take_answer(&mut self, answer: Answer, typed: String, now: Moment, turn: &mut Turn) {
        match answer {
            Answer::Go(cursor) => self.jump_to(cursor),
            Answer::Target(step) => {
                self.aim(Some(step));
                self.look_at(step);
            }
            Answer::NewAnswer(step) if !typed.is_empty() => self.added_answer(step, typed, now, turn),
            Answer::AnswerText(answer) => {
                self.edit(Edit::AnswerText { answer, text: typed }, now, turn);
            }
            Answer::DeleteStep(step, incoming) => {
                self.edit(Edit::DeleteStep { step, incoming }, now, turn);
            }
            Answer::Video(step, video) => {
                self.edit(Edit::Video { step, video: Some(video) }, now, turn);
            }
            Answer::TypedVideo(step) => {
                self.edit(Edit::Video { step, video: Some(typed.into()) }, now, turn);
            }
            Answer::ProductVariant(step, product, variant) => self.set_variant(step, &product, variant, now, turn),
            Answer::ProductFrom(step, product) => self.set_from(step, &product, &typed, now, turn),
            Answer::History(to) => self.go_in_history(to, turn),
            Answer::ExportAs(format) => self.ask_export_file(format, turn),
            Answer::ExportFile(format) if !typed.is_empty() => self.export(format, typed, turn),
            Answer::BaselineFile if !typed.is_empty() => self.save_baseline(typed, turn),
            Answer::ReplaceWhat if !typed.is_empty() => self.replace_what(typed, turn),
            Answer::ReplaceWith(what) => self.preview_replace(what, typed, turn),
            Answer::Replace(what, with) => self.replace(&what, with, now, turn),
            Answer::Rescue(damaged) => self.rescue(&damaged, turn),
            Answer::Renew => self.renew(turn),
            Answer::Rename if !typed.is_empty() => {
                self.edit(Edit::Name { name: typed }, now, turn);
            }
            Answer::PlayerSetting(name) => self.ask_setting(name, turn),
            Answer::PlayerValue(name) => self.set_player(name, &typed, now, turn),
            Answer::Nothing
            | Answer::Discard
            | Answer::TakeOver
            | Answer::NewAnswer(_)
            | Answer::ExportFile(_)
            | Answer::BaselineFile
            | Answer::ReplaceWhat
            | Answer::Rename => {}
        }
    }
}
