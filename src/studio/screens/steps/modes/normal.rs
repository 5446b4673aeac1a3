//! No mode owns the keys: the map and the problems take commands.

use super::super::vocabulary::Turn;
use super::super::{Editor, Focus, Journal};
use crate::studio::ground::{Command, Moment, NoticeKind, Screen};
use crate::studio::screens::pane::Hint;
use crate::studio::screens::turn::Outcome;

/// What the last line shows.
pub(super) const HINTS: &[Hint] = &[
    // What matters most comes first: at 80 columns the rest is left out.
    Hint::of(Command::StepsSave),
    Hint::of(Command::StepsPlay),
    Hint::of(Command::StepsWire),
    Hint::of(Command::StepsAnswer),
    Hint::of(Command::StepsNew),
    Hint::of(Command::Open).saying("edit"),
    Hint::of(Command::Right).saying("follow"),
    Hint::of(Command::StepsLabels),
    Hint::of(Command::StepsUndo),
    Hint::of(Command::StepsZoom),
    Hint::of(Command::StepsOutline),
];

/// The same while another window edits the project.
pub(super) const VIEW: &[Hint] = &[
    Hint::of(Command::Right).saying("follow"),
    Hint::of(Command::Open).saying("take over"),
    Hint::of(Command::StepsPlay),
    Hint::of(Command::StepsZoom),
    Hint::of(Command::StepsOutline),
    Hint::of(Command::Back),
];

impl Editor {
    /// Takes a command; whether it was for it.
    pub(super) fn normal_command(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
        if self.focus == Focus::Problems && self.problems_command(command, turn) {
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
            Command::StepsTakeOver if self.session.journal == Journal::Taken => Self::offer_over(turn),
            Command::StepsTakeOver => turn.say(NoticeKind::Hint, "No other window edits this project."),
            Command::StepsAnswer => self.add_answer(turn),
            Command::StepsAnswerText => self.edit_answer_text(turn),
            Command::StepsMoveUp => self.reorder(-1, now, turn),
            Command::StepsMoveDown => self.reorder(1, now, turn),
            Command::StepsNew => self.new_step(now, turn),
            Command::StepsInsert => self.insert_step(now, turn),
            Command::StepsDuplicate => self.duplicate(now, turn),
            Command::StepsVideo => self.choose_video(turn),
            Command::StepsProducts => self.begin_products(turn),
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
            Command::StepsNextProblem => self.next_problem(1, turn),
            Command::StepsPreviousProblem => self.next_problem(-1, turn),
            Command::StepsFix => self.fix(now, turn),
            Command::StepsIgnore => self.ignore(now, turn),
            Command::StepsRestore => self.restore_ignored(now, turn),
            Command::StepsBaseline => self.ask_baseline(turn),
            Command::StepsExport => Self::ask_export(turn),
            Command::StepsPlayer => self.ask_player(None, turn),
            Command::StepsCode => self.show_code(turn),
            Command::StepsEmbed => self.copy_embed(turn),
            Command::StepsRefresh | Command::Retry => self.refresh(now, turn),
            Command::StepsOutline => self.turn_outline(),
            Command::StepsFunnel => self.turn_funnel(now, turn),
            Command::StepsFunnelPanel => self.begin_funnel(now, turn),
            _ => return self.look_command(command, turn) || self.move_command(command, turn),
        }
        true
    }

    /// Takes a command that changes what of the graph is seen; whether it was one.
    fn look_command(&mut self, command: Command, turn: &mut Turn) -> bool {
        match command {
            Command::StepsMap => self.shared.without_map = !self.shared.without_map,
            Command::StepsZoom => self.zoom(0),
            Command::StepsZoomIn => self.zoom(1),
            Command::StepsZoomOut => self.zoom(-1),
            Command::StepsFit => self.fit(),
            Command::StepsCenter => self.center(),
            Command::StepsTidy => self.tidy(turn),
            Command::StepsPanLeft => self.pan(-8, 0),
            Command::StepsPanRight => self.pan(8, 0),
            Command::StepsPanUp => self.pan(0, -4),
            Command::StepsPanDown => self.pan(0, 4),
            _ => return false,
        }
        true
    }

    fn turn_focus(&mut self) {
        // A pane that there is no room for is not gone to.
        self.focus = match self.focus {
            Focus::Map if self.problems_area().is_some() => Focus::Problems,
            _ => Focus::Map,
        };
    }
}
