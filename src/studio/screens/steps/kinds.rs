//! Going to a step by what stands out about it: what is wrong, what was edited, where a walk begins and ends.

use super::vocabulary::Turn;
use super::{Answer, Cursor, Editor};
use crate::domain::text;
use crate::draft::Call;
use crate::graph::{Kind, Leads};
use crate::studio::ground::NoticeKind;
use crate::studio::widgets::{Entry, Picker, Question, severity_word};

impl Editor {
    /// Lists the steps that stand out, each as often as something does about it.
    pub(super) fn list_kinds(&self, turn: &mut Turn) {
        let draft = &self.draft;
        let graph = &self.shown.graph;
        let mut options = Vec::new();
        let mut add = |at: usize, port: Option<usize>, detail: &str, kind: &str| {
            let (Some(step), Some(node)) = (self.shown.step(at), graph.node(at)) else { return };
            let called = [node.name.as_str(), node.description.as_str()].into_iter().filter(|part| !part.is_empty());
            let entry = Entry {
                label: text::line(&called.collect::<Vec<_>>().join(" · ")).into_owned(),
                detail: text::line(detail).into_owned(),
                right: kind.to_owned(),
            };
            options.push((Answer::Go(Cursor { step, port }), entry));
        };
        // Where a step has no answers the video ends: that is said once, below.
        for fault in self.shown.problems.all().iter().filter(|fault| fault.kind != Kind::DeadEnd) {
            let kind = severity_word(fault.kind.severity());
            if let Some(step) = fault.step {
                add(step, fault.port, &fault.words(), kind);
            }
        }
        for planned in draft.plan().calls {
            let at = planned.call.step().and_then(|step| self.shown.index(step));
            let kind = if matches!(planned.call, Call::CreateStep(_)) { "new" } else { "edited" };
            if let Some(at) = at {
                add(at, None, &planned.title, kind);
            }
        }
        if let Some(first) = graph.first() {
            add(first, None, "the project starts here", "first");
        }
        for at in graph.order() {
            let ports = graph.ports(*at);
            if ports.is_empty() {
                add(*at, None, "no answers: the video ends here", "end");
            }
            for (port, _) in ports.iter().enumerate().filter(|(_, port)| port.leads == Leads::End) {
                let said = ports.get(port).map(|port| port.text.as_str()).unwrap_or_default();
                add(*at, Some(port), &format!("the video ends after {said:?}"), "end");
            }
        }
        if options.is_empty() {
            turn.say(NoticeKind::Hint, "The project has no steps.");
            return;
        }
        turn.question(Question::choose(options, |entries| Picker::new("Go to", entries)));
    }
}
