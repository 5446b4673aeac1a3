//! The project walked as a viewer does: a step's texts, its answers by number, back, and what was said so far.

use super::super::vocabulary::Turn;
use crate::graph::{Graph, Leads};
use crate::settings::{Key, KeyCode};
use crate::studio::ground::{Command, NoticeKind};
use crate::studio::screens::pane::Hint;

use super::super::{Cursor, Editor, Mode};
use crate::studio::widgets::RowCursor;

/// A walk can go round for ever: so many of its answers are remembered.
const MOST_ANSWERS: usize = 1_000;

/// What the last line shows.
const HINTS: &[Hint] = &[Hint::range("1-9", Key::char('1'), "answer"), BACK, RESTART, UNPLAYED, TRANSCRIPT, STOP];

/// The same where what is played has ended.
const ENDED: &[Hint] = &[BACK, RESTART, UNPLAYED, TRANSCRIPT, STOP];

const BACK: Hint = Hint::of(Command::PlayBack);
const RESTART: Hint = Hint::of(Command::PlayRestart);
const UNPLAYED: Hint = Hint::of(Command::StepsNextUnplayed);
const TRANSCRIPT: Hint = Hint::of(Command::PlayTranscript);
const STOP: Hint = Hint::of(Command::Back).saying("stop");

impl Play {
    pub(super) fn hints(&self) -> &'static [Hint] {
        if self.ended.is_some() { ENDED } else { HINTS }
    }
}

/// A walk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Play {
    /// The answers given so far: the step and the answer's place.
    pub trail: Vec<(usize, usize)>,
    /// The step that is shown; none before a walk that has no step to begin with.
    pub at: Option<usize>,
    /// Why the walk is at its end, where it is.
    pub ended: Option<End>,
    /// The answers; the selected one is what the next Enter gives.
    pub answers: RowCursor,
    /// Whether everything said so far is shown.
    pub transcript: bool,
}

/// Why a walk is at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The answer ends the video.
    Meant,
    /// The answer leads to no step that exists.
    Dangling,
    /// The step has no answers.
    NoAnswers,
}

impl Play {
    /// Begins at a step.
    #[must_use]
    pub fn from(graph: &Graph, step: Option<usize>) -> Self {
        let mut play = Self { at: step, ..Self::default() };
        play.arrive(graph);
        play
    }

    fn arrive(&mut self, graph: &Graph) {
        self.answers = RowCursor::default();
        let none = self.at.is_none_or(|at| graph.ports(at).is_empty());
        self.ended = none.then_some(End::NoAnswers);
    }

    /// Gives an answer; whether there is such a one.
    pub fn answer(&mut self, graph: &Graph, port: usize) -> bool {
        let Some(at) = self.at.filter(|_| self.ended.is_none()) else { return false };
        let Some(leads) = graph.ports(at).get(port).map(|port| port.leads) else { return false };
        if self.trail.len() == MOST_ANSWERS {
            self.trail.remove(0);
        }
        self.trail.push((at, port));
        match leads {
            Leads::Step(to) => {
                self.at = Some(to);
                self.arrive(graph);
            }
            Leads::End => self.ended = Some(End::Meant),
            Leads::Dangling => self.ended = Some(End::Dangling),
        }
        true
    }

    /// Goes back an answer; whether there was one.
    pub fn back(&mut self) -> bool {
        let Some((step, port)) = self.trail.pop() else { return false };
        self.at = Some(step);
        self.answers.selected = port;
        self.ended = None;
        true
    }
}

impl Editor {
    /// Walks from a step on.
    pub(in super::super) fn play(&mut self, from: Option<usize>, turn: &mut Turn) {
        if self.shown.graph.is_empty() {
            turn.say(NoticeKind::Hint, "No steps to play yet. ‹steps.new› creates one.");
            return;
        }
        let from = from.or(self.shown.graph.first());
        self.mode = Mode::Play(Play::from(&self.shown.graph, from));
    }

    /// Goes to the next answer that no walk has given, by the fewest answers.
    pub(in super::super) fn next_unwalked(&mut self, turn: &mut Turn) {
        let graph = &self.shown.graph;
        let here = match &self.mode {
            Mode::Play(play) => play.at,
            _ => self.selected().map(|(step, _)| step),
        };
        let unwalked = |step: usize| -> Option<usize> {
            let step_ref = self.shown.step(step)?;
            let draft = &self.draft;
            (0..graph.ports(step).len())
                .find(|port| draft.answer_at(step_ref, *port).is_some_and(|answer| !self.walked.contains(&answer)))
        };
        let from = here.or(graph.first());
        let found = from
            .and_then(|from| graph.shortest_to(from, |step| unwalked(step).is_some()).map(|way| (from, way)))
            .or_else(|| {
                let first = graph.first()?;
                Some((first, graph.shortest_to(first, |step| unwalked(step).is_some())?))
            });
        let Some((from, way)) = found else {
            turn.say(NoticeKind::Done, "Every reachable answer was played.");
            return;
        };
        let at = way.last().map_or(from, |edge| edge.to);
        let port = unwalked(at);
        if let Mode::Play(play) = &mut self.mode {
            if here != Some(from) {
                *play = Play::from(&self.shown.graph, Some(from));
            }
            for edge in way {
                play.answer(&self.shown.graph, edge.port);
            }
            play.answers.selected = port.unwrap_or(0);
        } else if let Some(step) = self.shown.step(at) {
            self.go_to(Cursor { step, port });
        }
    }

    /// Takes a command while a walk is under way.
    pub(in super::super) fn play_command(&mut self, command: Command, turn: &mut Turn) -> bool {
        let Mode::Play(play) = &mut self.mode else { return false };
        let ports = play.at.map_or(0, |at| self.shown.graph.ports(at).len());
        match command {
            _ if play.answers.command(command, ports, ports) => {}
            Command::Open if play.ended.is_some() => self.end_play(),
            Command::Open | Command::Right => {
                let chosen = play.answers.selected;
                self.give(chosen, turn);
            }
            Command::PlayBack | Command::Left => {
                if !play.back() {
                    turn.say(NoticeKind::Hint, "This is the first step played.");
                }
            }
            Command::PlayRestart => {
                let first = play.trail.first().map(|(step, _)| *step).or(play.at);
                *play = Play::from(&self.shown.graph, first);
            }
            Command::StepsNextUnplayed => self.next_unwalked(turn),
            Command::NextPane | Command::PlayTranscript => play.transcript = !play.transcript,
            Command::Back => self.end_play(),
            _ => return false,
        }
        true
    }

    /// Takes a key that no command is bound to: the number of an answer.
    pub(in super::super) fn play_key(&mut self, key: Key, turn: &mut Turn) {
        let KeyCode::Char(c) = key.code else { return };
        let number = c.to_digit(10).and_then(|digit| usize::try_from(digit).ok());
        if let Some(port) = number.and_then(|number| number.checked_sub(1)) {
            self.give(port, turn);
        }
    }

    pub(super) fn give(&mut self, port: usize, turn: &mut Turn) {
        let Mode::Play(play) = &mut self.mode else { return };
        let at = play.at;
        if !play.answer(&self.shown.graph, port) {
            let say = if play.ended.is_some() {
                "The end. ‹play.back› goes back, ‹play.restart› restarts."
            } else {
                "No such answer."
            };
            turn.say(NoticeKind::Hint, say);
            return;
        }
        let step = at.and_then(|at| self.shown.step(at));
        let answer = Some(&self.draft).zip(step).and_then(|(draft, step)| draft.answer_at(step, port));
        self.walked.extend(answer);
    }

    /// Leaves the walk; the step that was shown last is selected.
    fn end_play(&mut self) {
        let Mode::Play(play) = std::mem::take(&mut self.mode) else { return };
        if let Some(step) = play.at.and_then(|at| self.shown.step(at)) {
            self.go_to(Cursor { step, port: None });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Answer, Step};

    #[test]
    fn a_walk_goes_on_back_and_ends() {
        let answer = |next: &str| Answer { text: "x".into(), next: Some(next.into()), ..Answer::default() };
        let step = |name: &str, answers: Vec<Answer>| Step {
            name: Some(name.into()),
            answers: Some(answers),
            ..Step::default()
        };
        let graph =
            Graph::new(&[step("a", vec![answer("b"), answer("no")]), step("b", vec![answer("a"), answer("")])], &[]);
        let mut play = Play::from(&graph, graph.first());
        assert!(play.answer(&graph, 0));
        assert!(!play.answer(&graph, 7));
        assert!(play.answer(&graph, 0));
        assert_eq!(play.trail, [(0, 0), (1, 0)]);
        assert!(play.answer(&graph, 1));
        assert_eq!(play.ended, Some(End::Dangling));
        assert!(play.back() && play.back() && play.back());
        assert_eq!((play.at, play.ended), (Some(0), None));
        assert!(!play.back());
    }
}
