//! What viewers did, shown on the graph: shares at answers and on their lines, who saw a step and who left there.

use std::collections::HashMap;
use std::sync::Arc;

use super::looked::note_worded;
use super::vocabulary::Turn;
use super::{Editor, Effect};
use crate::api::{ProjectFunnel, StepFunnel};
use crate::domain::{Num, Share};
use crate::graph::{Graph, Node, Port};
use crate::studio::ground::{Failure, Moment, NoticeKind, Remote, RequestId};
use crate::studio::widgets::Ink;
use crate::studio::widgets::graph::{Heat, HeatMark, StepHeat};
use crate::studio::widgets::paint::counted;

/// The numbers of the open project, and whether they are shown.
#[derive(Debug, Clone, Default)]
pub(super) struct Numbers {
    shown: bool,
    read: Remote<Arc<ProjectFunnel>>,
    /// What nobody asked for but the studio itself: where it can't be had, nothing is said.
    unasked: Option<RequestId>,
    marked: Option<Marked>,
}

/// The numbers as they stand on cards and lines, kept from one edit to the next: an edit of one step puts no numbers of
/// another one into words.
#[derive(Debug, Clone)]
struct Marked {
    funnel: Arc<ProjectFunnel>,
    graph: Arc<Graph>,
    heat: Arc<HashMap<usize, Arc<StepHeat>>>,
}

impl Numbers {
    /// The numbers, where they are there.
    pub(super) fn known(&self) -> Option<&Arc<ProjectFunnel>> {
        self.read.known()
    }

    /// Forgets how they stand on the graph, so that it is worked out again.
    #[cfg(test)]
    pub(super) fn forget_marks(&mut self) {
        self.marked = None;
    }

    /// What is said while they are not.
    pub(super) fn state(&self, ink: Ink) -> String {
        match &self.read {
            Remote::Failed { problem, .. } => format!("Couldn't load the funnel: {problem}"),
            _ => format!("Loading{}", ink.ellipsis()),
        }
    }
}

fn whole(count: Num) -> u64 {
    count.whole().and_then(|count| u64::try_from(count).ok()).unwrap_or_default()
}

fn share(part: Num, of: Num) -> Share {
    Share { part: whole(part), of: whole(of) }
}

/// How much a share weighs. Where few were counted that is its lower end: nobody is alarmed by one viewer.
fn weight(share: Share, levels: [f64; 3]) -> Heat {
    let least = share.interval().map_or(0.0, |(low, _)| low);
    match levels.iter().filter(|level| least >= **level).count() {
        0 => Heat::Low,
        1 => Heat::Some,
        2 => Heat::High,
        _ => Heat::Most,
    }
}

/// From which share of leaving viewers on a step is worth a look, and from which of choosing ones on a line is a wide one.
const LEAVING: [f64; 3] = [0.05, 0.15, 0.3];
const CHOOSING: [f64; 3] = [0.1, 0.25, 0.5];

/// What is said on the card of a step.
fn of_step(step: &StepFunnel) -> HeatMark {
    let leaving = share(step.left, step.seen);
    let words = match leaving.part {
        0 => format!("{} seen", step.seen),
        _ => format!("{leaving} of {} left", step.seen),
    };
    HeatMark { words, heat: weight(leaving, LEAVING) }
}

/// Whether two graphs have the very same steps at the same places.
fn is_same_steps(one: &Graph, other: &Graph) -> bool {
    let (one, other) = (one.nodes(), other.nodes());
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| Arc::ptr_eq(one, other))
}

/// What is said on the card of a step and at its answers.
fn heat_of(step: &StepFunnel, node: &Node) -> StepHeat {
    note_worded();
    let answer = |(port, answer): (usize, &Port)| {
        // Of several answers of one text, the second is the second.
        let before = node.ports.iter().take(port).filter(|before| before.text == answer.text).count();
        let chosen = step.answers.iter().filter(|known| known.text == answer.text).nth(before)?;
        let chosen = share(chosen.chosen, step.seen);
        let mark = || HeatMark { words: chosen.to_string(), heat: weight(chosen, CHOOSING) };
        (chosen.of > 0).then(mark)
    };
    StepHeat { mark: of_step(step), answers: node.ports.iter().enumerate().map(answer).collect() }
}

impl Editor {
    /// The numbers, where they were read.
    pub(super) fn funnel(&self) -> Option<&Arc<ProjectFunnel>> {
        self.numbers.read.known()
    }

    /// Shows the numbers, or hides them. They are read each time that they are shown.
    pub(super) fn turn_funnel(&mut self, now: Moment, turn: &mut Turn) {
        self.numbers.shown = !self.numbers.shown;
        if self.numbers.shown {
            self.read_funnel(now, turn);
        }
        self.mark();
    }

    /// Reads the numbers.
    pub(super) fn read_funnel(&mut self, now: Moment, turn: &mut Turn) {
        let request = turn.next_id();
        self.numbers.read.load(request, now);
        turn.ask(Effect::Funnel { request, project: self.session.id.clone() });
    }

    /// Reads the numbers once for a project that was opened, after its products: problems are told by how many viewers
    /// meet them. A service that doesn't count is not asked again.
    pub(super) fn read_funnel_once(&mut self, now: Moment, turn: &mut Turn) {
        let is_due = matches!(self.numbers.read, Remote::Idle)
            && matches!(self.session.read, Remote::Ready(()))
            && turn.context.connected
            && !self.shared.is_uncounted
            && !self.shared.catalog.is_looking_up();
        if is_due {
            self.read_funnel(now, turn);
            self.numbers.unasked = self.numbers.read.waiting();
        }
    }

    /// Takes the numbers.
    pub(super) fn take_funnel(
        &mut self,
        request: RequestId,
        funnel: Result<Arc<ProjectFunnel>, Failure>,
        turn: &mut Turn,
    ) {
        if !self.numbers.read.wants(request) {
            return;
        }
        match &funnel {
            Err(failure) if self.numbers.unasked == Some(request) => {
                self.shared.is_uncounted |= failure.missing;
            }
            Err(failure) => {
                self.numbers.shown = false;
                turn.say(NoticeKind::Error, format!("Couldn't load the funnel: {}", failure.what));
            }
            Ok(funnel) if self.numbers.shown => {
                let (visits, gone) = (whole(funnel.visits), whole(funnel.gone.seen) + whole(funnel.gone.unknown));
                let say = match (visits, gone) {
                    (0, _) => "No visits yet. The numbers come with the first viewers.".to_owned(),
                    (_, 0) => format!(
                        "{}, {} came to the end",
                        counted(usize::try_from(visits).unwrap_or(usize::MAX), "visit"),
                        share(funnel.completed, funnel.visits)
                    ),
                    _ => format!(
                        "{}, {} came to the end; {gone} at steps that are gone",
                        counted(usize::try_from(visits).unwrap_or(usize::MAX), "visit"),
                        share(funnel.completed, funnel.visits)
                    ),
                };
                turn.say(NoticeKind::Hint, say);
            }
            Ok(_) => {}
        }
        self.numbers.read.settle(funnel.map_err(|failure| failure.what));
        // Problems are told by how many viewers meet them.
        self.check();
    }

    /// Puts the numbers on the cards and lines of the graph as it is now.
    pub(super) fn mark_funnel(&mut self) {
        let Some(funnel) = self.numbers.read.known().filter(|_| self.numbers.shown) else { return };
        let (graph, before) = (&self.shown.graph, self.numbers.marked.take());
        let before = before.filter(|before| Arc::ptr_eq(&before.funnel, funnel));
        let heat = match before {
            Some(Marked { graph: was, heat, .. }) if is_same_steps(&was, graph) => heat,
            before => {
                let kept = |index: usize, node: &Arc<Node>| {
                    let before = before.as_ref()?;
                    before.graph.nodes().get(index).filter(|was| Arc::ptr_eq(was, node))?;
                    before.heat.get(&index).map(Arc::clone)
                };
                let steps = funnel.steps.iter().map(|step| (step.name.as_str(), step));
                let by_name: HashMap<&str, &StepFunnel> = steps.collect();
                let heat = |(index, node): (usize, &Arc<Node>)| {
                    let new = || Some(Arc::new(heat_of(by_name.get(node.name.as_str())?, node)));
                    Some((index, kept(index, node).or_else(new)?))
                };
                Arc::new(graph.nodes().iter().enumerate().filter_map(heat).collect())
            }
        };
        self.shown.marks.heat = Arc::clone(&heat);
        self.numbers.marked = Some(Marked { funnel: Arc::clone(funnel), graph: Arc::clone(graph), heat });
    }
}
