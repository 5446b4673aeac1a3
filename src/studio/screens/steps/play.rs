//! The project walked as a viewer does: a step's texts, its answers by number, back, and what was said so far.

use super::vocabulary::Turn;
use crate::draft::StepRef;
use crate::graph::{Graph, Leads};
use crate::settings::{Key, KeyCode};
use crate::studio::ground::{Command, Moment, NoticeKind};

use super::{Cursor, Mode, Steps};

/// A walk can go round for ever: so many of its answers are remembered.
const MOST_ANSWERS: usize = 1_000;

/// A walk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Play {
    /// The answers given so far: the step and the answer's place.
    pub trail: Vec<(usize, usize)>,
    /// The step that is shown; none before a walk that has no step to begin with.
    pub at: Option<usize>,
    /// Why the walk is at its end, where it is.
    pub ended: Option<End>,
    /// The answer the next Enter gives.
    pub chosen: usize,
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
        self.chosen = 0;
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
        self.chosen = port;
        self.ended = None;
        true
    }
}

impl Steps {
    /// Walks from a step on.
    pub(super) fn play(&mut self, from: Option<usize>, turn: &mut Turn) {
        let Some(open) = &mut self.open else { return };
        if open.shown.graph.is_empty() {
            turn.say(NoticeKind::Hint, "No steps to play yet. n creates one.");
            return;
        }
        let from = from.or(open.shown.graph.first());
        open.mode = Mode::Play(Play::from(&open.shown.graph, from));
    }

    /// Goes to the next answer that no walk has given, by the fewest answers.
    pub(super) fn next_unwalked(&mut self, turn: &mut Turn) {
        let Some(open) = &self.open else { return };
        let graph = &open.shown.graph;
        let here = match &open.mode {
            Mode::Play(play) => play.at,
            _ => self.selected().map(|(step, _)| step),
        };
        let unwalked = |step: usize| -> Option<usize> {
            let step_ref = open.shown.step(step)?;
            let draft = open.draft.as_ref()?;
            (0..graph.ports(step).len())
                .find(|port| draft.answer_at(step_ref, *port).is_some_and(|answer| !open.walked.contains(&answer)))
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
        let Some(open) = &mut self.open else { return };
        if let Mode::Play(play) = &mut open.mode {
            if here != Some(from) {
                *play = Play::from(&open.shown.graph, Some(from));
            }
            for edge in way {
                play.answer(&open.shown.graph, edge.port);
            }
            play.chosen = port.unwrap_or(0);
        } else if let Some(step) = open.shown.step(at) {
            self.go_to(Cursor { step, port });
        }
    }

    /// Takes a command while a walk is under way.
    pub(super) fn play_command(&mut self, command: Command, turn: &mut Turn) -> bool {
        let Some(open) = &mut self.open else { return false };
        let Mode::Play(play) = &mut open.mode else { return false };
        let ports = play.at.map_or(0, |at| open.shown.graph.ports(at).len());
        match command {
            Command::Up => play.chosen = play.chosen.saturating_sub(1),
            Command::Down => play.chosen = (play.chosen + 1).min(ports.saturating_sub(1)),
            Command::Open if play.ended.is_some() => self.end_play(),
            Command::Open => {
                let chosen = play.chosen;
                self.give(chosen, turn);
            }
            Command::NextPane => play.transcript = !play.transcript,
            Command::Back => self.end_play(),
            _ => return false,
        }
        true
    }

    /// Takes a key while a walk is under way.
    pub(super) fn play_key(&mut self, key: Key, _now: Moment, turn: &mut Turn) {
        let Some(open) = &mut self.open else { return };
        let Mode::Play(play) = &mut open.mode else { return };
        match key.code {
            KeyCode::Char(c) if c.is_ascii_digit() => {
                let number = c.to_digit(10).and_then(|digit| usize::try_from(digit).ok()).unwrap_or(0);
                if let Some(port) = number.checked_sub(1) {
                    self.give(port, turn);
                }
            }
            KeyCode::Left | KeyCode::Backspace | KeyCode::Char('h' | 'b') if play.back() => {}
            KeyCode::Left | KeyCode::Backspace | KeyCode::Char('h' | 'b') => {
                turn.say(NoticeKind::Hint, "This is the first step played.");
            }
            KeyCode::Right | KeyCode::Char('l') => {
                let chosen = play.chosen;
                self.give(chosen, turn);
            }
            KeyCode::Char('j') => {
                self.play_command(Command::Down, turn);
            }
            KeyCode::Char('k') => {
                self.play_command(Command::Up, turn);
            }
            KeyCode::Char('r') => {
                let first = play.trail.first().map(|(step, _)| *step).or(play.at);
                *play = Play::from(&open.shown.graph, first);
            }
            KeyCode::Char('t') => play.transcript = !play.transcript,
            KeyCode::Char('N') => self.next_unwalked(turn),
            KeyCode::Char('q') => self.end_play(),
            _ => {}
        }
    }

    fn give(&mut self, port: usize, turn: &mut Turn) {
        let Some(open) = &mut self.open else { return };
        let Mode::Play(play) = &mut open.mode else { return };
        let at = play.at;
        if !play.answer(&open.shown.graph, port) {
            let say = if play.ended.is_some() { "The end. ← goes back, r restarts." } else { "No such answer." };
            turn.say(NoticeKind::Hint, say);
            return;
        }
        let step = at.and_then(|at| open.shown.step(at));
        let answer = open.draft.as_ref().zip(step).and_then(|(draft, step)| draft.answer_at(step, port));
        open.walked.extend(answer);
    }

    /// Leaves the walk; the step that was shown last is selected.
    fn end_play(&mut self) {
        let Some(open) = &mut self.open else { return };
        let Mode::Play(play) = std::mem::take(&mut open.mode) else { return };
        if let Some(step) = play.at.and_then(|at| open.shown.step(at)) {
            self.go_to(Cursor { step, port: None });
        }
    }

    /// The step that is shown while a walk is under way.
    #[must_use]
    pub fn played(&self) -> Option<StepRef> {
        let open = self.open.as_ref()?;
        let Mode::Play(play) = &open.mode else { return None };
        play.at.and_then(|at| open.shown.step(at))
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
