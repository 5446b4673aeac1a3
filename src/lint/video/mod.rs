//! Videos: what their files say, and what is wrong with them. V01 to V08.

mod film;
mod mp4;
mod project;
mod reading;
#[cfg(test)]
mod tests;
mod webm;

use std::collections::HashMap;

pub use film::{Codec, Container, Film};
pub use reading::{Part, Reading};

use super::limits::Limits;
use super::problem::{Fix, Problem, Record};
use super::rule::{Rule, Severity};
use super::tally::Tally;
use crate::domain::{Num, VideoId};

/// Bits of a second, at 1080p or less.
const HEAVY: f64 = 4_000_000.0;

/// The shorter side of 1080p, pixels.
const HIGH: u32 = 1080;

/// Bytes of the first seconds.
const SLOW_BEGINNING: u64 = 2_000_000;

/// LUFS.
const SILENT: f64 = -60.0;

/// Shapes that players are made for, width by height.
const SHAPES: [(f64, f64); 3] = [(9.0, 16.0), (1.0, 1.0), (16.0, 9.0)];

/// Shapes nearer than this are one.
const SAME_SHAPE: f64 = 0.02;

/// The library, video by video, and what is wrong with it so far.
#[derive(Debug)]
pub struct Library {
    limits: Limits,
    tally: Tally,
    videos: u64,
    hashes: HashMap<[u8; 32], Record>,
    addresses: HashMap<String, Record>,
}

impl Library {
    /// Nothing was read yet.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        let (hashes, addresses) = (HashMap::new(), HashMap::new());
        Self { limits, tally: Tally::default(), videos: 0, hashes, addresses }
    }

    /// Takes the next video; its problems: V01 to V04, V06 to V08. `address`: where it plays from.
    pub fn video(&mut self, record: &Record, film: &Film, address: Option<&str>) -> Vec<Problem> {
        self.videos += 1;
        let all = [codec(film), sound(film), slow(film), heavy(film), shape(film), captions(film)];
        let mut problems = Vec::new();
        for (rule, verdict) in all.into_iter().chain([self.twin(record, film, address)]) {
            if let Verdict::Wrong(severity, sentence, fix) = &verdict {
                let problem = Problem::new(rule, record.clone(), rule.field(), sentence.clone());
                let problem = problem.of_severity(severity.unwrap_or(rule.severity()));
                problems.push(match fix {
                    Some(fix) => problem.fixed_by(fix.clone()),
                    None => problem,
                });
            }
            self.stand(rule, &verdict);
        }
        problems.retain(|problem| self.limits.has(problem.rule));
        problems
    }

    /// What was checked.
    #[must_use]
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// How many videos were checked.
    #[must_use]
    pub fn videos(&self) -> u64 {
        self.videos
    }

    fn stand(&mut self, rule: Rule, verdict: &Verdict) {
        if !self.limits.has(rule) {
            return;
        }
        if let Some(counts) = self.tally.at(rule) {
            match verdict {
                Verdict::Unknown => counts.unchecked += 1,
                Verdict::Fine => counts.checked += 1,
                Verdict::Wrong(..) => {
                    counts.checked += 1;
                    counts.problems += 1;
                }
            }
        }
    }

    /// V08: whether the same file, or the same address, was taken before.
    fn twin(&mut self, record: &Record, film: &Film, address: Option<&str>) -> (Rule, Verdict) {
        let mut first = None;
        if let Some(hash) = film.hash {
            first = Some(self.hashes.entry(hash).or_insert_with(|| record.clone()).clone());
        }
        if let Some(address) = address.filter(|address| !address.trim().is_empty()) {
            let same = self.addresses.entry(address.to_owned()).or_insert_with(|| record.clone()).clone();
            first = first.filter(|first| first != record).or(Some(same));
        }
        let verdict = match first.filter(|first| first != record) {
            Some(first) => {
                let title = first.title().unwrap_or_default();
                let fix = if let Record::Video { id, .. } = &first { Some(Fix::PointAt(id.clone())) } else { None };
                Verdict::Wrong(None, format!("it is the same video as \"{title}\" ({})", first.id()), fix)
            }
            None if film.hash.is_none() => Verdict::Unknown,
            None => Verdict::Fine,
        };
        (Rule::SameVideo, verdict)
    }
}

/// How a rule stands to a video.
enum Verdict {
    Fine,
    Unknown,
    Wrong(Option<Severity>, String, Option<Fix>),
}

/// Why browsers don't play a video, where they don't (V01). A warning is none: some play it.
#[must_use]
pub fn unplayable(film: &Film) -> Option<String> {
    match codec(film).1 {
        Verdict::Wrong(None, sentence, _) => Some(sentence),
        _ => None,
    }
}

fn wrong(sentence: String) -> Verdict {
    Verdict::Wrong(None, sentence, None)
}

/// V01.
fn codec(film: &Film) -> (Rule, Verdict) {
    let verdict = match (&film.container, &film.codec) {
        (Some(Container::Other(name)), _) => wrong(format!("its container is {name}: not every browser plays it")),
        (Some(_), Some(Codec::Avc | Codec::Vp9 | Codec::Av1)) => Verdict::Fine,
        (Some(_), Some(Codec::Hevc)) => Verdict::Wrong(
            Some(Severity::Warning),
            "its pictures are HEVC: only some browsers play it".to_owned(),
            None,
        ),
        (Some(_), Some(Codec::Other(name))) => {
            wrong(format!("its pictures are coded as {name}: not every browser plays it"))
        }
        _ => Verdict::Unknown,
    };
    (Rule::CodecNotWeb, verdict)
}

/// V02.
fn sound(film: &Film) -> (Rule, Verdict) {
    let verdict = match (film.sound, film.loudness) {
        (Some(false), _) => wrong("it has no sound track".to_owned()),
        (Some(true), Some(loudness)) if loudness < SILENT => wrong(format!("its sound is silent: {loudness:.0} LUFS")),
        (Some(true), Some(_)) => Verdict::Fine,
        _ => Verdict::Unknown,
    };
    (Rule::NoAudio, verdict)
}

/// V03.
fn slow(film: &Film) -> (Rule, Verdict) {
    let verdict = match film.index_first {
        Some(false) => {
            let sentence = "its index is behind its pictures: browsers have to look for it before it starts".to_owned();
            Verdict::Wrong(None, sentence, Some(Fix::Remux))
        }
        Some(true) => Verdict::Fine,
        // WebM needs none in front.
        None if film.container == Some(Container::Webm) => Verdict::Fine,
        None => Verdict::Unknown,
    };
    (Rule::SlowStart, verdict)
}

/// V04.
fn heavy(film: &Film) -> (Rule, Verdict) {
    #[expect(clippy::cast_precision_loss, reason = "no file has 2^52 bytes")]
    let rate = film
        .bytes
        .zip(film.seconds.filter(|seconds| *seconds > 0.0))
        .map(|(bytes, seconds)| bytes as f64 * 8.0 / seconds);
    let is_small = film.picture.map(|(width, height)| width.min(height) <= HIGH);
    let verdict = match (rate, is_small, film.beginning) {
        (Some(rate), Some(true), _) if rate > HEAVY => {
            wrong(format!("it needs {} Mbit/s, over 4", Num((rate / 1e5).round() / 10.0)))
        }
        (_, _, Some(beginning)) if beginning > SLOW_BEGINNING => {
            #[expect(clippy::cast_precision_loss, reason = "no file has 2^52 bytes")]
            let megabytes = Num((beginning as f64 / 1e5).round() / 10.0);
            wrong(format!("its first 3 seconds take {megabytes} MB, over 2"))
        }
        (Some(_), Some(_), Some(_)) => Verdict::Fine,
        _ => Verdict::Unknown,
    };
    (Rule::TooHeavy, verdict)
}

/// V06 of one video.
fn shape(film: &Film) -> (Rule, Verdict) {
    let verdict = match film.picture {
        Some(picture) if named(picture).is_some() => Verdict::Fine,
        Some((width, height)) => wrong(format!("it is {width} by {height} pixels: neither 9:16, 1:1 nor 16:9")),
        None => Verdict::Unknown,
    };
    (Rule::VideoAspect, verdict)
}

/// V07.
fn captions(film: &Film) -> (Rule, Verdict) {
    let verdict = match (film.text_track, film.captions) {
        (Some(true), _) | (_, Some(true)) => Verdict::Fine,
        (Some(false), Some(false)) => wrong("it has no captions".to_owned()),
        _ => Verdict::Unknown,
    };
    (Rule::NoCaptions, verdict)
}

fn ratio((width, height): (u32, u32)) -> f64 {
    f64::from(width) / f64::from(height)
}

/// Whether two shapes are one.
fn is_same_shape(one: (u32, u32), other: (u32, u32)) -> bool {
    (ratio(one) / ratio(other) - 1.0).abs() <= SAME_SHAPE
}

/// The shape of pixels by its name, where players are made for it.
fn named(picture: (u32, u32)) -> Option<&'static str> {
    let names = ["9:16", "1:1", "16:9"];
    let near = |(width, height): &(f64, f64)| (ratio(picture) / (width / height) - 1.0).abs() <= SAME_SHAPE;
    SHAPES.iter().position(near).and_then(|at| names.get(at).copied())
}

/// The videos that are known, by their ids.
pub type Films = HashMap<VideoId, Film>;
