//! What is wrong with a project, as far as its steps tell.

use std::collections::{HashMap, HashSet};

use super::dense::Dense as _;
use super::steps::{Edge, Graph, Leads};
use crate::domain::VideoId;

/// How bad a fault is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// May be meant: a step that ends the video, a project of many steps.
    Note,
    /// Works, but hardly as it was meant.
    Warning,
    /// A viewer meets it, or can't meet what was made for them.
    Fault,
}

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// An answer's `next` is no step's name or id.
    Dangling,
    /// No walk from the first step comes here.
    Unreachable,
    /// A loop that no answer leads out of.
    Trap,
    /// The step has no video.
    NoVideo,
    /// The step's video is not in the library.
    LostVideo,
    /// The answer has no text.
    NoText,
    /// Two steps have the same name.
    SameName,
    /// Two answers of a step read alike.
    SameAnswer,
    /// `stepsOrder` names what is no step.
    AlienInOrder,
    /// `stepsOrder` names other steps, but not this one.
    MissingInOrder,
    /// The texts take longer to read than the video runs.
    LongText,
    /// The step has no answers: the video ends here.
    DeadEnd,
    /// More than 30 steps.
    ManySteps,
}

impl Kind {
    /// How bad it is.
    #[must_use]
    pub fn severity(self) -> Severity {
        match self {
            Self::Dangling | Self::Unreachable | Self::Trap | Self::NoVideo | Self::LostVideo | Self::NoText => {
                Severity::Fault
            }
            Self::SameName | Self::SameAnswer | Self::AlienInOrder | Self::MissingInOrder | Self::LongText => {
                Severity::Warning
            }
            Self::DeadEnd | Self::ManySteps => Severity::Note,
        }
    }
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What.
    pub kind: Kind,
    /// The step to go to; none where it concerns the project.
    pub step: Option<usize>,
    /// Which of its answers, from 0.
    pub port: Option<usize>,
    /// The value it is about: what `next`, `stepsOrder` or `videoId` holds, a name, a text.
    pub value: String,
    /// It in a sentence, without a full stop. Holds texts from the service: to be cleaned before it is shown.
    pub sentence: String,
    /// The answers that lead there from the first step, for a loop without a way out.
    pub way: Vec<Edge>,
}

impl Fault {
    /// How bad it is.
    #[must_use]
    pub fn severity(&self) -> Severity {
        self.kind.severity()
    }
}

/// What is known beside the steps. What is not known is not checked.
#[derive(Debug, Clone, Copy, Default)]
pub struct Known<'a> {
    /// The videos of the library.
    pub library: Option<&'a HashSet<VideoId>>,
    /// How long videos run, in seconds.
    pub seconds: Option<&'a HashMap<VideoId, f64>>,
}

/// More steps than this are hardly overlooked by a viewer, or by who made them.
const MANY: usize = 30;

/// How many characters people read in a second, as subtitles are made for them.
const READ_IN_A_SECOND: f64 = 17.0;

impl Graph {
    /// Everything wrong, in the author's order of the steps; what concerns the project comes last.
    #[must_use]
    pub fn check(&self, known: &Known) -> Vec<Fault> {
        let reachable = self.reachable(self.first());
        let mut traps = self.traps();
        let mut names: HashMap<&str, usize> = HashMap::with_capacity(self.len());
        let mut faults = Vec::new();
        let has_order = self.order().iter().any(|step| self.is_ordered(*step));
        for &step in self.order() {
            let Some(node) = self.node(step) else { continue };
            let name = &node.name;
            let mut tell = |kind, port, value: &str, sentence| {
                faults.push(Fault { kind, step: Some(step), port, value: value.to_owned(), sentence, way: Vec::new() });
            };
            if let Some(other) = names.insert(name, step) {
                names.insert(name, other);
                tell(Kind::SameName, None, name, format!("{name} is the name of two steps"));
            }
            if !reachable.at(step) {
                tell(Kind::Unreachable, None, "", format!("{name} can't be reached: no answer leads there"));
            }
            match &node.video {
                None => tell(Kind::NoVideo, None, "", format!("{name} has no video")),
                Some(video) if known.library.is_some_and(|library| !library.contains(video)) => {
                    tell(Kind::LostVideo, None, video.as_str(), format!("{name}'s video is not in the library"));
                }
                Some(_) => {}
            }
            if node.ports.is_empty() {
                tell(Kind::DeadEnd, None, "", format!("{name} has no answers: the video ends there"));
            }
            let mut texts = HashSet::new();
            for (port, answer) in node.ports.iter().enumerate() {
                let (nth, text) = (port + 1, answer.text.trim());
                if answer.leads == Leads::Dangling {
                    let sentence =
                        format!("{name} answer {nth} \"{text}\" leads nowhere: there is no step {:?}", answer.next);
                    tell(Kind::Dangling, Some(port), &answer.next, sentence);
                }
                if text.is_empty() {
                    tell(Kind::NoText, Some(port), "", format!("{name} answer {nth} has no text"));
                } else if !texts.insert(text) {
                    tell(Kind::SameAnswer, Some(port), text, format!("{name} has two answers \"{text}\""));
                }
            }
            let seconds = node.video.as_ref().and_then(|video| known.seconds?.get(video).copied());
            if let Some(seconds) = seconds {
                let letters = |text: &str| super::dense::real(text.chars().count());
                let all = letters(&node.overlay) + node.ports.iter().map(|port| letters(&port.text)).sum::<f64>();
                let needed = all / READ_IN_A_SECOND;
                if needed > seconds {
                    let sentence = format!("{name}'s texts take {needed:.0} s to read, its video {seconds:.0} s");
                    tell(Kind::LongText, None, "", sentence);
                }
            }
            if has_order && !self.is_ordered(step) {
                tell(Kind::MissingInOrder, None, "", format!("{name} is missing in the order of the steps"));
            }
            if let Some(at) = traps.iter().position(|trap| trap.step == Some(step)) {
                faults.push(traps.swap_remove(at));
            }
        }
        let project = |kind, value: &str, sentence| Fault {
            kind,
            step: None,
            port: None,
            value: value.to_owned(),
            sentence,
            way: Vec::new(),
        };
        for entry in self.alien() {
            let sentence = format!("the order of the steps names {entry:?}, which is no step");
            faults.push(project(Kind::AlienInOrder, entry, sentence));
        }
        if self.len() > MANY {
            faults.push(project(Kind::ManySteps, "", format!("there are {} steps, more than {MANY}", self.len())));
        }
        faults
    }

    /// The loops that a viewer can get into but not out of, each by the step of it that is come to first.
    fn traps(&self) -> Vec<Fault> {
        let mut free = vec![false; self.len()];
        let mut open = Vec::new();
        for step in 0..self.len() {
            // A dangling answer is a fault of its own; nobody is held by it.
            let ports = self.ports(step);
            if ports.is_empty() || ports.iter().any(|port| !matches!(port.leads, Leads::Step(_))) {
                free.put(step, true);
                open.push(step);
            }
        }
        while let Some(step) = open.pop() {
            for edge in self.incoming(step) {
                if !free.at(edge.from) {
                    free.put(edge.from, true);
                    open.push(edge.from);
                }
            }
        }
        self.loops_that_hold(free)
            .into_iter()
            .filter_map(|members| {
                let first = self.first()?;
                let within: HashSet<usize> = members.iter().copied().collect();
                let way = self.shortest_to(first, |other| within.contains(&other))?;
                let entry = way.last().map_or(first, |edge| edge.to);
                let name = self.name(entry);
                let sentence = match members.len() {
                    1 => format!("{name} only leads to itself: there is no way out"),
                    count => format!("{name} is the way into a loop of {count} steps without a way out"),
                };
                Some(Fault { kind: Kind::Trap, step: Some(entry), port: None, value: String::new(), sentence, way })
            })
            .collect()
    }

    /// The loops that nothing leads out of, by Kosaraju: walked against the answers, the step that is left last is in a
    /// loop that leads to no other. `done` are the steps to leave out.
    fn loops_that_hold(&self, mut done: Vec<bool>) -> Vec<Vec<usize>> {
        let mut seen = done.clone();
        let mut left = Vec::new();
        for root in 0..self.len() {
            if seen.at(root) {
                continue;
            }
            seen.put(root, true);
            let mut open = vec![(root, 0)];
            while let Some((step, at)) = open.pop() {
                let rest = self.incoming(step).get(at..).unwrap_or_default();
                match rest.iter().position(|edge| !seen.at(edge.from)).and_then(|skip| Some((skip, rest.get(skip)?))) {
                    Some((skip, edge)) => {
                        seen.put(edge.from, true);
                        open.push((step, at + skip + 1));
                        open.push((edge.from, 0));
                    }
                    None => left.push(step),
                }
            }
        }
        let mut loops = Vec::new();
        let mut group = vec![0usize; self.len()];
        for (root, number) in left.into_iter().rev().zip(1..) {
            if done.at(root) {
                continue;
            }
            done.put(root, true);
            group.put(root, number);
            let (mut members, mut at, mut leaves) = (vec![root], 0, false);
            while let Some(step) = members.get(at).copied() {
                for edge in self.outgoing(step) {
                    if !done.at(edge.to) {
                        done.put(edge.to, true);
                        group.put(edge.to, number);
                        members.push(edge.to);
                    }
                    leaves |= group.at(edge.to) != number;
                }
                at += 1;
            }
            if !leaves {
                loops.push(members);
            }
        }
        loops
    }
}
