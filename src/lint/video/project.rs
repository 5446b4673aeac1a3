//! The videos of a project together: V05, and V06 where they differ.

use std::collections::BTreeMap;

use super::{Film, Films, is_same_shape, named, ratio};
use crate::lint::problem::{Problem, Record};
use crate::lint::rule::Rule;
use crate::lint::wiring::{Wired, Wiring};

/// Seconds of one step.
const LONG: f64 = 60.0;

/// Seconds of the shortest path to an end.
const LONG_PATH: f64 = 180.0;

impl Wiring {
    /// What is wrong with a project's videos together.
    pub fn films(&mut self, wired: &Wired, films: &Films) -> Vec<Problem> {
        let mut problems = Vec::new();
        self.long_steps(wired, films, &mut problems);
        self.long_path(wired, films, &mut problems);
        self.mixed_shapes(wired, films, &mut problems);
        problems.retain(|problem| self.has(problem.rule));
        problems
    }

    fn long_steps(&mut self, wired: &Wired, films: &Films, problems: &mut Vec<Problem>) {
        for (step, node) in wired.graph.nodes().iter().enumerate() {
            let Some(video) = &node.video else { continue };
            let seconds = films.get(video).and_then(|film| film.seconds);
            self.stand(Rule::TooLong, seconds.map(|seconds| seconds > LONG));
            if let Some(seconds) = seconds.filter(|seconds| *seconds > LONG) {
                let sentence = format!("its video runs {seconds:.0} s, over {LONG:.0}");
                let problem = Problem::new(Rule::TooLong, wired.record(step, None), "videoId", sentence);
                problems.push(problem.reaching(wired.reach(step)));
            }
        }
    }

    fn long_path(&mut self, wired: &Wired, films: &Films, problems: &mut Vec<Problem>) {
        let graph = &wired.graph;
        let seconds: Vec<Option<f64>> = graph
            .nodes()
            .iter()
            .map(|node| node.video.as_ref().map_or(Some(0.0), |video| films.get(video)?.seconds))
            .collect();
        // As if unknown videos took no time: what is too long even so is too long.
        let least: Vec<f64> = seconds.iter().map(|seconds| seconds.unwrap_or_default()).collect();
        let Some(shortest) = graph.shortest_time(&least) else { return };
        let is_known = seconds.iter().all(Option::is_some);
        let is_long = shortest > LONG_PATH;
        self.stand(Rule::TooLong, (is_long || is_known).then_some(is_long));
        if is_long {
            let sentence = format!("the shortest path to an end runs {shortest:.0} s, over {LONG_PATH:.0}");
            let record = Record::Project { id: wired.id.clone(), name: wired.name.clone() };
            problems.push(Problem::new(Rule::TooLong, record, "steps", sentence).reaching(wired.reaches.all()));
        }
    }

    fn mixed_shapes(&mut self, wired: &Wired, films: &Films, problems: &mut Vec<Problem>) {
        let mut shapes: Vec<(usize, (u32, u32))> = Vec::new();
        for (step, node) in wired.graph.nodes().iter().enumerate() {
            let Some(video) = &node.video else { continue };
            match films.get(video).and_then(|film: &Film| film.picture) {
                Some(picture) => shapes.push((step, picture)),
                None => self.stand(Rule::VideoAspect, None),
            }
        }
        // The most common shape; of equally common ones that of the first step.
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for (_, picture) in &shapes {
            if let Some(first) = shapes.iter().position(|(_, other)| is_same_shape(*other, *picture)) {
                *counts.entry(first).or_default() += 1;
            }
        }
        let usual = counts.iter().max_by_key(|(first, count)| (**count, std::cmp::Reverse(**first)));
        let Some((_, usual)) = usual.and_then(|(first, _)| shapes.get(*first)).copied() else { return };
        for (step, picture) in shapes {
            let is_other = !is_same_shape(usual, picture);
            self.stand(Rule::VideoAspect, Some(is_other));
            if is_other {
                let sentence = format!("its video is {}, most of the project's are {}", called(picture), called(usual));
                let problem = Problem::new(Rule::VideoAspect, wired.record(step, None), "videoId", sentence);
                problems.push(problem.reaching(wired.reach(step)));
            }
        }
    }
}

/// A shape in words.
fn called(picture: (u32, u32)) -> String {
    named(picture).map_or_else(|| format!("{:.2} to 1", ratio(picture)), str::to_owned)
}
