//! What is wrong with a project, as far as its steps tell.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::alike::Alike;
use super::dense::Dense as _;
use super::fix::Fix;
use super::known::Known;
use super::steps::{Edge, Graph, Leads, Node};
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
    /// An answer's `next` is the name of two steps: the first of them is taken.
    Ambiguous,
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
    /// The step shows a product twice.
    SameProduct,
    /// `stepsOrder` names what is no step.
    AlienInOrder,
    /// `stepsOrder` names other steps, but not this one.
    MissingInOrder,
    /// The texts take longer to read than the video runs.
    LongText,
    /// The answers appear after the video's end.
    LateAnswers,
    /// The step has no answers: the video ends here.
    DeadEnd,
    /// More than 30 steps.
    ManySteps,
    /// What a rule over more than the steps found, by its id: `W01`.
    Linted(&'static str, Severity),
}

impl Kind {
    /// How bad it is.
    #[must_use]
    pub fn severity(self) -> Severity {
        match self {
            Self::Dangling | Self::Unreachable | Self::Trap | Self::NoVideo | Self::LostVideo | Self::NoText => {
                Severity::Fault
            }
            Self::Ambiguous
            | Self::SameName
            | Self::SameAnswer
            | Self::SameProduct
            | Self::AlienInOrder
            | Self::MissingInOrder
            | Self::LongText
            | Self::LateAnswers => Severity::Warning,
            Self::DeadEnd | Self::ManySteps => Severity::Note,
            Self::Linted(_, severity) => severity,
        }
    }

    /// Every kind of what a check of steps alone finds.
    pub fn all() -> impl Iterator<Item = Self> {
        [
            Self::Dangling,
            Self::Ambiguous,
            Self::Unreachable,
            Self::Trap,
            Self::NoVideo,
            Self::LostVideo,
            Self::NoText,
            Self::SameName,
            Self::SameAnswer,
            Self::SameProduct,
            Self::AlienInOrder,
            Self::MissingInOrder,
            Self::LongText,
            Self::LateAnswers,
            Self::DeadEnd,
            Self::ManySteps,
        ]
        .into_iter()
    }

    /// What it is, as a sentence without its full stop.
    #[must_use]
    pub fn what(self) -> &'static str {
        match self {
            Self::Dangling => "An answer leads to no step",
            Self::Ambiguous => "An answer leads to a name that two steps have",
            Self::Unreachable => "No path from the first step comes here",
            Self::Trap => "A loop that no answer leads out of",
            Self::NoVideo => "The step has no video",
            Self::LostVideo => "The step's video is not in the library",
            Self::NoText => "The answer has no text",
            Self::SameName => "Two steps have the same name",
            Self::SameAnswer => "Two answers of a step read alike",
            Self::SameProduct => "The step shows a product twice",
            Self::AlienInOrder => "The order of steps names what is no step",
            Self::MissingInOrder => "The order of steps leaves this one out",
            Self::LongText => "The texts take longer to read than the video runs",
            Self::LateAnswers => "The answers appear after the video's end",
            Self::DeadEnd => "The step has no answers: the video ends here",
            Self::ManySteps => "There are very many steps",
            Self::Linted(rule, _) => rule,
        }
    }

    /// Its name, which stays: in documents, and in the keys of what is meant.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Dangling => "dangling",
            Self::Ambiguous => "ambiguous",
            Self::Unreachable => "unreachable",
            Self::Trap => "trap",
            Self::NoVideo => "noVideo",
            Self::LostVideo => "lostVideo",
            Self::NoText => "noText",
            Self::SameName => "sameName",
            Self::SameAnswer => "sameAnswer",
            Self::SameProduct => "sameProduct",
            Self::AlienInOrder => "alienInOrder",
            Self::MissingInOrder => "missingInOrder",
            Self::LongText => "longText",
            Self::LateAnswers => "lateAnswers",
            Self::DeadEnd => "deadEnd",
            Self::ManySteps => "manySteps",
            Self::Linted(rule, _) => rule,
        }
    }
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// What.
    pub kind: Kind,
    /// What it is known by from one check to the next: its kind, its step's id, else name, and its value. Answers may
    /// change their order.
    pub key: String,
    /// Whether a person said that it is meant.
    pub meant: bool,
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
    /// An edit that fixes it, where there is one.
    pub fix: Option<Fix>,
}

impl Fault {
    /// How bad it is.
    #[must_use]
    pub fn severity(&self) -> Severity {
        self.kind.severity()
    }
}

/// The results of the last check by step, so that the next check only looks at steps that changed.
#[derive(Debug, Clone, Default)]
pub struct Checked {
    steps: Vec<Option<Kept>>,
    meant: HashSet<String>,
}

/// The result for one step, with everything that it depends on.
#[derive(Debug, Clone)]
struct Kept {
    node: Arc<Node>,
    facts: Facts,
    faults: Vec<Arc<Fault>>,
}

/// What the problems of a step depend on besides the step itself.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Facts {
    /// Whether a step before it has its name.
    has_same_name: bool,
    /// Where it is unreachable, whether another step leads there.
    unreachable: Option<bool>,
    /// Whether its video is not in the library.
    is_video_lost: bool,
    /// How long its video runs.
    seconds: Option<f64>,
    /// Whether the order of the steps leaves it out.
    is_missing: bool,
}

/// More steps than this are hardly overlooked by a viewer, or by who made them.
const MANY: usize = 30;

/// How many characters people read in a second, as subtitles are made for them.
const READ_IN_A_SECOND: f64 = 17.0;

/// A loop that no answer leads out of.
struct Trap {
    /// The step of it that is come to first.
    step: usize,
    sentence: String,
    way: Vec<Edge>,
}

/// What is found, while it is looked for.
struct Found<'a> {
    graph: &'a Graph,
    known: &'a Known<'a>,
    faults: Vec<Fault>,
    alike: Alike,
}

impl Found<'_> {
    /// Checks a step by itself: the loops it is part of are checked for the whole graph.
    fn step(&mut self, step: usize, node: &Node, facts: Facts) {
        let (name, here) = (&node.name, (Some(step), None));
        if facts.has_same_name {
            self.tell(Kind::SameName, here, name, format!("{name} is the name of two steps"));
        }
        if let Some(led_to) = facts.unreachable {
            let why = if led_to { "only unreachable steps lead here" } else { "no answer leads here" };
            self.tell(Kind::Unreachable, here, "", format!("{name} is unreachable: {why}"));
        }
        match &node.video {
            None => self.tell(Kind::NoVideo, here, "", format!("{name} has no video")),
            Some(video) if facts.is_video_lost => {
                self.tell(Kind::LostVideo, here, video.as_str(), format!("{name}'s video is not in the library"));
            }
            Some(_) => {}
        }
        if node.ports.is_empty() {
            self.tell(Kind::DeadEnd, here, "", format!("{name} has no answers: the video ends there"));
        }
        self.answers(step, node);
        for (at, product) in node.products.iter().enumerate() {
            if node.products.iter().take(at).filter(|other| other.is_same(product)).count() == 1 {
                let id = product.product_id.as_str();
                self.tell(Kind::SameProduct, here, id, format!("{name} shows product {id} twice"));
            }
        }
        if let Some(seconds) = facts.seconds {
            self.time(step, node, seconds);
        }
        if facts.is_missing {
            self.tell(Kind::MissingInOrder, here, "", format!("{name} is missing from the order of the steps"));
        }
    }

    /// Notes something about a step, an answer or, where there is no step, the project.
    fn tell(&mut self, kind: Kind, place: (Option<usize>, Option<usize>), value: &str, sentence: String) {
        let (step, port) = place;
        let key = self.graph.fault_key(kind, step, value);
        let meant = self.known.meant.is_some_and(|meant| meant.contains(&key));
        let fix = self.graph.fix(kind, place, value, self.known, &self.alike);
        self.faults.push(Fault {
            kind,
            key,
            meant,
            step,
            port,
            value: value.to_owned(),
            sentence,
            way: Vec::new(),
            fix,
        });
    }

    /// What can be told of a step's answers.
    fn answers(&mut self, step: usize, node: &Node) {
        let name = &node.name;
        let mut texts = HashSet::new();
        for (port, answer) in node.ports.iter().enumerate() {
            let (nth, text, here) = (port + 1, answer.text.trim(), (Some(step), Some(port)));
            if answer.leads == Leads::Dangling {
                let next = &answer.next;
                let sentence = format!("{name} answer {nth} \"{text}\" leads nowhere: there is no step {next:?}");
                self.tell(Kind::Dangling, here, next, sentence);
            }
            if answer.ambiguous {
                let next = &answer.next;
                let sentence = format!("{name} answer {nth} \"{text}\" could lead to two steps: both are {next:?}");
                self.tell(Kind::Ambiguous, here, next, sentence);
            }
            if text.is_empty() {
                self.tell(Kind::NoText, here, "", format!("{name} answer {nth} has no text"));
            } else if !texts.insert(text) {
                self.tell(Kind::SameAnswer, here, text, format!("{name} has two answers \"{text}\""));
            }
        }
    }

    /// What can only be told of a video whose length is known.
    fn time(&mut self, step: usize, node: &Node, seconds: f64) {
        let (name, here) = (&node.name, (Some(step), None));
        let letters = |text: &str| super::dense::real(text.chars().count());
        let all = letters(&node.overlay) + node.ports.iter().map(|port| letters(&port.text)).sum::<f64>();
        let needed = all / READ_IN_A_SECOND;
        if needed > seconds {
            let sentence = format!("{name}'s texts take {needed:.1} s to read, its video runs {seconds:.1} s");
            self.tell(Kind::LongText, here, "", sentence);
        }
        if let Some(time) = node.answer_time.filter(|time| *time > seconds && !node.ports.is_empty()) {
            let sentence = format!("{name}'s answers appear after {time} s, its video ends after {seconds:.1} s");
            self.tell(Kind::LateAnswers, here, "", sentence);
        }
    }
}

impl Graph {
    /// Everything wrong, in the author's order of the steps; what concerns the project comes last. What is meant is
    /// told too, and marked so.
    #[must_use]
    pub fn check(&self, known: &Known) -> Vec<Fault> {
        self.check_again(known, &mut Checked::default()).into_iter().map(Arc::unwrap_or_clone).collect()
    }

    /// The same as [`Self::check`] after an edit. Takes the results of the check before the edit, and leaves its own there.
    #[must_use]
    pub fn check_again(&self, known: &Known, before: &mut Checked) -> Vec<Arc<Fault>> {
        if known.meant.map_or(!before.meant.is_empty(), |meant| *meant != before.meant) {
            *before = Checked { meant: known.meant.cloned().unwrap_or_default(), ..Checked::default() };
        }
        before.steps.resize_with(self.len(), || None);
        let reachable = self.reachable(self.first());
        let mut traps: HashMap<usize, Vec<Trap>> = HashMap::new();
        for trap in self.traps() {
            traps.entry(trap.step).or_default().push(trap);
        }
        let mut names = HashSet::with_capacity(self.len());
        let mut found = Found { graph: self, known, faults: Vec::new(), alike: Alike::default() };
        let has_order = self.order().iter().any(|step| self.is_ordered(*step));
        let is_lost = |video: &VideoId| known.library.is_some_and(|library| !library.contains(video));
        let mut all: Vec<Arc<Fault>> = Vec::new();
        for &step in self.order() {
            let (Some(node), Some(place)) = (self.nodes().get(step), before.steps.get_mut(step)) else { continue };
            let led_to = || self.incoming(step).iter().any(|edge| edge.from != step);
            let facts = Facts {
                has_same_name: !names.insert(&node.name),
                unreachable: (!reachable.at(step)).then(led_to),
                is_video_lost: node.video.as_ref().is_some_and(is_lost),
                seconds: node.seconds(known),
                is_missing: has_order && !self.is_ordered(step),
            };
            // Which step an answer that leads nowhere could have meant depends on all of them.
            let is_own = !node.ports.iter().any(|port| port.leads == Leads::Dangling);
            let is_as_before = |kept: &Kept| is_own && Arc::ptr_eq(&kept.node, node) && kept.facts == facts;
            let kept = place.take().filter(is_as_before).unwrap_or_else(|| {
                found.step(step, node, facts);
                Kept { node: Arc::clone(node), facts, faults: found.faults.drain(..).map(Arc::new).collect() }
            });
            all.extend(place.insert(kept).faults.iter().cloned());
            for trap in traps.remove(&step).unwrap_or_default() {
                found.tell(Kind::Trap, (Some(step), None), "", trap.sentence);
                all.extend(found.faults.drain(..).map(|fault| Arc::new(Fault { way: trap.way.clone(), ..fault })));
            }
        }
        for entry in self.alien() {
            let sentence = format!("the order of the steps names {entry:?}, which is no step");
            found.tell(Kind::AlienInOrder, (None, None), entry, sentence);
        }
        if self.len() > MANY {
            let sentence = format!("there are {} steps, more than {MANY}", self.len());
            found.tell(Kind::ManySteps, (None, None), "", sentence);
        }
        all.extend(found.faults.into_iter().map(Arc::new));
        all
    }

    /// What a fault is known by.
    fn fault_key(&self, kind: Kind, step: Option<usize>, value: &str) -> String {
        let mut key = kind.name().to_owned();
        if let Some(node) = step.and_then(|step| self.node(step)) {
            key.push(' ');
            key.push_str(&node.key.to_string());
        }
        if !value.is_empty() {
            key.push(' ');
            key.push_str(value);
        }
        key
    }

    /// The loops that a viewer can get into but not out of, each by the step of it that is come to first.
    fn traps(&self) -> Vec<Trap> {
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
                Some(Trap { step: entry, sentence, way })
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
