//! How many viewers come to a step, or how many paths where none were counted.

use std::collections::HashMap;
use std::sync::Arc;

use crate::api::ProjectFunnel;
use crate::domain::Share;
use crate::graph::{Graph, Leads, Shares};
use crate::lint::problem::{Reach, ReachOf};

/// What viewers of a project did.
#[derive(Debug, Clone, PartialEq)]
struct Counted {
    visits: f64,
    /// By the step's name: how many saw it, and how many chose an answer that ends the video.
    steps: HashMap<String, (f64, f64)>,
}

/// Who comes where in a project; nobody knows by default. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reaches {
    shares: Arc<Shares>,
    counted: Option<Arc<Counted>>,
}

impl Reaches {
    /// Of a project's graph, with what was counted, where something was.
    #[must_use]
    pub fn of(graph: &Graph, funnel: Option<&ProjectFunnel>) -> Self {
        let counted = funnel.filter(|funnel| funnel.visits.0 > 0.0).map(|funnel| {
            let step = |step: &crate::api::StepFunnel| {
                let ends = |answer: &&crate::api::AnswerFunnel| answer.next.as_deref().is_none_or(str::is_empty);
                let ended = step.answers.iter().filter(ends).map(|answer| answer.chosen.0).sum();
                (step.name.clone(), (step.seen.0, ended))
            };
            Arc::new(Counted { visits: funnel.visits.0, steps: funnel.steps.iter().map(step).collect() })
        });
        Self { shares: Arc::new(graph.shares()), counted }
    }

    /// Everybody.
    #[must_use]
    pub fn all(&self) -> Reach {
        self.whole(1.0)
    }

    /// Nobody.
    #[must_use]
    pub fn none(&self) -> Reach {
        self.whole(0.0)
    }

    /// A share that is known for certain, however few were counted.
    fn whole(&self, share: f64) -> Reach {
        let of = if self.counted.is_some() { ReachOf::Viewers } else { ReachOf::Paths };
        Reach { share, of, counted: None }
    }

    fn paths(share: f64) -> Reach {
        Reach { share: share.clamp(0.0, 1.0), of: ReachOf::Paths, counted: None }
    }

    /// What was counted at a step. Where nobody came to it though paths lead there, it is new: that is no count.
    fn seen(&self, graph: &Graph, step: usize) -> Option<(&Counted, &(f64, f64))> {
        let counted = self.counted.as_ref()?;
        let seen = counted.steps.get(graph.name(step))?;
        (seen.0 > 0.0 || self.shares.of(step) <= 0.0).then_some((counted, seen))
    }

    /// Who comes to a step. A step that nobody could have come to yet, because it is new, is told by its paths.
    #[must_use]
    pub fn step(&self, graph: &Graph, step: usize) -> Reach {
        match self.seen(graph, step) {
            Some((counted, (seen, _))) => viewers(*seen, counted.visits),
            None => Self::paths(self.shares.of(step)),
        }
    }

    /// For whom the video ends at a step.
    #[must_use]
    pub fn end(&self, graph: &Graph, step: usize) -> Reach {
        match self.seen(graph, step) {
            Some((counted, (seen, _))) if graph.ports(step).is_empty() => viewers(*seen, counted.visits),
            Some((counted, (_, ended))) => viewers(*ended, counted.visits),
            None => Self::paths(self.shares.ending(step)),
        }
    }
}

fn viewers(count: f64, visits: f64) -> Reach {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts, from 0 on")]
    let whole = |count: f64| count.max(0.0).round() as u64;
    let counted = Some(Share { part: whole(count).min(whole(visits)), of: whole(visits) });
    Reach { share: (count / visits).clamp(0.0, 1.0), of: ReachOf::Viewers, counted }
}

/// Whether a video may end at a step.
pub(super) fn is_end(graph: &Graph, step: usize) -> bool {
    let ports = graph.ports(step);
    ports.is_empty() || ports.iter().any(|port| port.leads == Leads::End)
}
