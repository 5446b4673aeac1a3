//! The studio at the other end of slow lines, and on terminals that take nothing.

use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::terminal::Start;
use crate::terminal::far::Far;

const SLOW: Far = Far { round_trip: Duration::from_millis(300), rate: 10_000.0 };

/// The way of a key to the studio: tests press keys where it runs.
const WAY: Duration = Duration::from_millis(150);

/// Holds what took so long to its number where times are measured (`CUTAWAY_TIMED=1`, on a quiet machine), else to many times
/// that: a busy machine is no reason to fail, and what goes wrong here takes minutes.
pub fn within(took: Duration, most: Duration) {
    let most = if std::env::var_os("CUTAWAY_TIMED").is_some() { most } else { most * 15 };
    assert!(took < most, "{took:?}, over {most:?}");
}

#[test]
fn two_hundred_screen_switches_over_a_slow_line_are_painted_within_two_seconds() {
    for apart in [Duration::ZERO, Duration::from_millis(20)] {
        let mut studio = Start::new().size(160, 40).far(SLOW).open();
        studio.shows("274 products").shows("terminal 3");
        let from = studio.written();
        for at in 0..199 {
            studio.keys(["2", "3", "4", "1"][at % 4]);
            std::thread::sleep(apart);
        }
        let last = Instant::now();
        studio.keys("5").shows("Account ─");
        let lag = last.elapsed() + WAY;
        let bytes = studio.written() - from;
        println!("{apart:?} apart: painted {lag:?} after the last of 200 screen switches, {bytes} bytes");
        within(lag, Duration::from_secs(2));
        studio.quit();
    }
}

#[test]
fn a_key_over_a_line_where_nothing_is_queued_takes_its_way_and_a_far_one_shows_pictures_on_demand() {
    let mut studio = Start::new().size(160, 40).far(Far { rate: 1e6, ..SLOW }).open();
    // What passes is looked for first.
    studio.shows("press I to show pictures").shows("274 products").shows("Fjell wool sock").hides("press I");
    let mut taken = Vec::new();
    for key in ["j", "j", "j", "j", "j"] {
        let before = studio.rows();
        let pressed = Instant::now();
        studio.keys(key).until("the next row", |rows| rows != before);
        taken.push(pressed.elapsed() + WAY);
        // The answer to its frame is here.
        std::thread::sleep(SLOW.round_trip);
    }
    taken.sort();
    println!("a key where nothing is queued takes {taken:?}");
    within(taken[2], SLOW.round_trip + Duration::from_millis(10 + 15));
    studio.quit();
}

#[test]
fn a_signal_ends_a_studio_whose_terminal_takes_nothing_within_a_second() {
    for signal in [Signal::TERM, Signal::HUP, Signal::QUIT] {
        let mut studio = Start::new().size(250, 100).open();
        studio.shows("274 products").shows("Fjell wool sock");
        let stalled = studio.stalls();
        // More than a pseudo-terminal holds, each in a frame of its own.
        for _ in 0..20 {
            for key in ["2", "1"] {
                studio.keys(key);
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        let told = Instant::now();
        studio.signal(signal).is_gone();
        let took = told.elapsed();
        println!("{signal:?}: ended after {took:?}");
        within(took, Duration::from_secs(1));
        drop(stalled);
        studio.ended();
    }
}

#[test]
fn a_process_that_was_stopped_from_outside_takes_its_terminal_again() {
    let mut studio = Start::new().open();
    studio.shows("274 products").shows("Fjell wool sock");
    let from = studio.written();
    studio.signal(Signal::STOP).signal(Signal::CONT);
    studio.writes(from, b"\x1b[?1049h").writes(from, b"\x1b[2J").shows("Fjell wool sock");
    studio.quit();
}
