//! The pacer over lines that are simulated: what is sent goes through at a rate, one byte after the other, and what is
//! through is answered.

#![allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Small numbers.

use proptest::prelude::*;

use super::*;

/// A line and the terminal at its end.
struct Line {
    /// Seconds there and back, bytes a second.
    round_trip: f64,
    rate: f64,
    /// When the last byte that was sent is through, and which answers are on their way back.
    through_at: f64,
    answers: VecDeque<f64>,
    /// What was sent and when it will be seen: for each frame its number.
    seen: Vec<(f64, usize)>,
    deaf: bool,
}

impl Line {
    fn new(round_trip: f64, rate: f64) -> Self {
        let (answers, seen) = (VecDeque::new(), Vec::new());
        Self { round_trip, rate, through_at: 0.0, answers, seen, deaf: false }
    }

    fn send(&mut self, now: f64, bytes: usize) -> f64 {
        self.through_at = self.through_at.max(now) + bytes as f64 / self.rate;
        self.through_at + self.round_trip / 2.0
    }

    fn query(&mut self, now: f64, bytes: usize) -> f64 {
        let at = self.send(now, bytes);
        if !self.deaf {
            self.answers.push_back(at + self.round_trip / 2.0);
        }
        at
    }
}

fn of(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

/// What came of a person pressing keys at a terminal.
struct Run {
    /// How long after the last key its frame was seen, seconds.
    lag: f64,
    /// The most bytes that were on their way at once.
    most: u64,
    frames: usize,
    pacer: Pacer,
    line: Line,
}

/// Opens a studio, then presses so many keys so far apart, each of which changes so many bytes of the screen.
fn run(mut line: Line, far: bool, keys: usize, apart: f64, bytes: impl Fn(usize) -> usize) -> Run {
    let mut pacer = Pacer::new(far);
    let (mut now, step) = (0.0, 0.001);
    pacer.asked(of(now));
    line.query(now, STATUS_QUERY.len());
    pacer.framed(of(now), 6_000);
    line.query(now, 6_000);
    let begin = 4.0;
    let last = begin + (keys - 1) as f64 * apart;
    let (mut shown, mut most, mut frames, mut drawn_at) = (0, 0, 0, 0.0);
    // What is still to be painted of the screen.
    let mut left = 0;
    while now < last + 60.0 {
        while line.answers.front().is_some_and(|at| *at <= now) {
            line.answers.pop_front();
            pacer.answered(of(now));
        }
        let pressed = if now < begin { 0 } else { keys.min(1 + ((now - begin) / apart + 1e-9) as usize) };
        let interval = if pacer.is_slow() { 0.1 } else { 0.016 };
        if (pressed > shown || left > 0) && now - drawn_at >= interval && pacer.may_send(of(now)).is_ok() {
            if pacer.asks_before(of(now)) {
                pacer.asked(of(now));
                line.query(now, STATUS_QUERY.len());
            }
            if pressed > shown {
                left = (left + bytes(pressed - shown)).min(most_of(&bytes, keys));
            }
            let size = left.min(pacer.most().map_or(usize::MAX, |most| most + ROW));
            left -= size;
            let seen = if pacer.asks() { line.query(now, size) } else { line.send(now, size) };
            pacer.framed(of(now), size);
            if left == 0 {
                line.seen.push((seen, pressed));
            }
            (shown, drawn_at, frames) = (pressed, now, frames + 1);
            most = most.max(pacer.sent - pacer.answered);
        }
        now += step;
    }
    let seen = line.seen.iter().find(|(_, number)| *number == keys).expect("the last key is shown").0;
    Run { lag: seen - last, most, frames, pacer, line }
}

/// No frame is larger than the whole screen.
fn most_of(bytes: &impl Fn(usize) -> usize, keys: usize) -> usize {
    (1..=keys).map(bytes).max().unwrap_or_default()
}

/// A part of a frame ends with the row that it is in.
const ROW: usize = 100;

/// A screen switch, however many came before; and a step of a list.
const SWITCH: usize = 4_300;

fn down(steps: usize) -> usize {
    // As many as there are on a screen of 120x40.
    (320 * steps).min(3_400)
}

#[test]
fn the_last_of_two_hundred_switches_is_painted_within_two_seconds() {
    for apart in [0.0001, 0.01, 0.03, 0.1] {
        let ran = run(Line::new(0.3, 10_000.0), true, 200, apart, |_| SWITCH);
        assert!(ran.lag < 2.0, "{} s after the last of keys {apart} s apart", ran.lag);
        assert!(ran.most < 10_500, "{} bytes on their way", ran.most);
    }
}

#[test]
fn two_hundred_steps_on_three_kilobytes_a_second_take_no_two_seconds() {
    // All of them in one read, and as fast as a key repeats.
    for apart in [1e-9, 0.01, 0.033] {
        let ran = run(Line::new(0.3, 3_000.0), true, 200, apart, down);
        assert!(ran.lag < 2.0, "{} s after the last of keys {apart} s apart", ran.lag);
    }
}

#[test]
fn a_key_while_nothing_is_queued_is_seen_after_its_way() {
    for (round_trip, rate) in [(0.3, 10_000.0), (0.3, 1e7), (0.02, 1e8), (0.001, 1e9)] {
        let ran = run(Line::new(round_trip, rate), true, 5, 3.0, |_| 320);
        let way = round_trip + 320.0 / rate + 0.010;
        assert!(ran.lag < way, "{} of {way} s", ran.lag);
    }
}

#[test]
fn on_a_fast_line_far_away_no_key_waits_for_the_answer_to_the_one_before() {
    let ran = run(Line::new(0.3, 1e7), true, 100, 0.12, |_| SWITCH);
    assert_eq!(ran.frames, 100, "each key has a frame of its own");
    assert!(ran.lag < 0.2, "{}", ran.lag);
    assert!(ran.pacer.round_trip().unwrap() < of(0.302));
}

#[test]
fn a_terminal_that_never_answers_gets_a_budget_and_one_beside_us_waits_for_nothing() {
    let deaf = |far| run(Line { deaf: true, ..Line::new(0.3, 10_000.0) }, far, 200, 0.03, |_| SWITCH);
    let far = deaf(true);
    assert!(!far.pacer.asks() && far.lag < 2.5, "{}", far.lag);
    let near = run(Line { deaf: true, ..Line::new(0.0, 1e9) }, false, 200, 0.03, |_| SWITCH);
    assert_eq!(near.frames, 200);
    // Its answer may only have been late.
    let mut late = deaf(true).pacer;
    late.answered(of(100.0));
    assert!(late.asks() && late.has_answered());
}

#[test]
fn answers_that_are_lost_hold_up_nothing_for_ever() {
    let mut ran = run(Line::new(0.05, 1e6), true, 3, 0.5, |_| SWITCH);
    let mut now = 100.0;
    for _ in 0..2 {
        ran.pacer.framed(of(now), 60_000);
    }
    while let Err(until) = ran.pacer.may_send(of(now)) {
        assert!(until > of(now));
        now = until.as_secs_f64();
    }
    assert!((102.0..110.0).contains(&now), "{now}");
    assert!(ran.line.answers.is_empty());
    ran.pacer.framed(of(now), 60_000);
    let again = ran.pacer.may_send(of(now)).unwrap_err();
    assert!(again > of(now + 6.0), "the next is waited for longer");
    ran.pacer.forget();
    assert_eq!(ran.pacer.may_send(of(now)), Ok(()));
}

#[test]
fn a_line_that_is_silent_is_asked_and_then_taken_to_be_lost() {
    let lost_after = of(600.0);
    let mut pacer = Pacer::new(true);
    assert_eq!(pacer.pulse(of(9_000.0), lost_after), Pulse::Quiet(None), "whether it answers is not known");
    pacer.asked(of(0.0));
    pacer.answered(of(0.3));
    assert_eq!(pacer.pulse(of(1.0), lost_after), Pulse::Quiet(Some(of(60.3))));
    // A line that answers is never lost, however long nobody presses a key.
    let mut now = 1.0;
    for _ in 0..100 {
        let Pulse::Quiet(Some(due)) = pacer.pulse(of(now), lost_after) else { panic!("it answered") };
        assert_eq!(pacer.pulse(due, lost_after), Pulse::Ask);
        pacer.asked(due);
        now = due.as_secs_f64() + 0.3;
        pacer.answered(of(now));
    }
    // From now on it says nothing.
    let (begin, mut asked) = (now, 0);
    loop {
        match pacer.pulse(of(now), lost_after) {
            Pulse::Quiet(due) => now = due.unwrap().as_secs_f64(),
            Pulse::Ask => {
                pacer.asked(of(now));
                asked += 1;
            }
            Pulse::Lost => break,
        }
        // What is given up is not taken for an answer.
        let _ = pacer.may_send(of(now));
    }
    assert!((now - begin - 660.0).abs() < 61.0 && asked >= 9, "{} s, asked {asked} times", now - begin);
    assert_eq!(Pacer::new(false).pulse(of(1e6), lost_after), Pulse::Quiet(None));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever the line: everything is shown in the end, as soon as two frames and two round trips take, and no more is
    /// on its way than the line carries meanwhile.
    #[test]
    fn any_line_is_filled_and_never_flooded(
        round_trip in 0.001f64..0.8,
        rate in 2_000f64..1e6,
        apart in 0.005f64..0.2,
        size in 100usize..6_000,
    ) {
        let ran = run(Line::new(round_trip, rate), true, 60, apart, |_| size);
        let frame = size as f64 / rate;
        let bound = 2.0 * frame + 2.0 * round_trip + QUEUED + 0.15;
        prop_assert!(ran.lag < bound, "{} s, bound {}", ran.lag, bound);
        let carried = rate * (round_trip + QUEUED) * 2.0 + size as f64;
        prop_assert!((ran.most as f64) < carried.max(FIRST_WINDOW + size as f64), "{} bytes", ran.most);
    }
}
