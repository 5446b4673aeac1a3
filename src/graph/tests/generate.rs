//! Graphs for tests and measurements, from a seed.

use super::{Answer, Step, StepId, StepName, VideoId};

/// A small generator of numbers; the same seed gives the same ones.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 11) % u64::try_from(limit.max(1)).unwrap_or(1)).unwrap_or(0)
    }
}

/// A step with a name, a text and answers: what they say and where they lead.
pub fn step(name: &str, overlay: &str, answers: &[(&str, &str)]) -> Step {
    let answer = |(text, next): &(&str, &str)| Answer {
        text: (*text).to_owned(),
        next: Some((*next).to_owned()),
        ..Answer::default()
    };
    Step {
        id: Some(StepId::new(format!("id-{name}"))),
        name: Some(StepName::new(name)),
        overlay_text: Some(overlay.to_owned()),
        video_id: Some(VideoId::new(format!("video-{name}"))),
        answers: Some(answers.iter().map(answer).collect()),
        ..Step::default()
    }
}

fn many(count: usize, seed: u64, mut goal: impl FnMut(&mut Dice, usize) -> usize) -> Vec<Step> {
    let mut dice = Dice::new(seed);
    let mut steps = Vec::with_capacity(count);
    for at in 0..count {
        let answers: Vec<String> = match dice.below(10) {
            0 => Vec::new(),
            1..=3 => vec![format!("s{}", goal(&mut dice, at))],
            4..=7 => (0..2).map(|_| format!("s{}", goal(&mut dice, at))).collect(),
            _ => (0..3).map(|_| format!("s{}", goal(&mut dice, at))).collect(),
        };
        let mut list: Vec<(&str, &str)> = answers.iter().map(|next| ("An answer", next.as_str())).collect();
        // Whatever comes next is reached from here, so that most can be reached.
        let next = format!("s{}", at + 1);
        if at + 1 < count && dice.below(3) > 0 {
            list.insert(0, ("Go on", &next));
        }
        steps.push(step(&format!("s{at}"), if at % 2 == 0 { "A text" } else { "" }, &list));
    }
    steps
}

/// Branches locally, sometimes goes back.
pub fn story(count: usize, seed: u64) -> Vec<Step> {
    many(count, seed, |dice, at| match dice.below(12) {
        0 => at.saturating_sub(dice.below(20)),
        _ => (at + 1 + dice.below(8)).min(count - 1),
    })
}

/// Leads anywhere.
pub fn bushy(count: usize, seed: u64) -> Vec<Step> {
    many(count, seed, |dice, _| dice.below(count))
}
