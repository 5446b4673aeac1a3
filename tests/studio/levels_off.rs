//! What the process keeps levels off under random keys, however long: its resident memory, the state folder, the
//! journals in it. Bounded by default; `CUTAWAY_KEYS=100000` is the long form, and its seed repeats a walk:
//! `CUTAWAY_KEYS=100000 CUTAWAY_KEYS_SEED=7 cargo test --release --test studio levels_off -- --nocapture`.

#![allow(clippy::print_stderr)] // Seeds and counts.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::dice::Dice;
use crate::terminal::{Start, Studio};

/// How many keys warm it up; three times as many follow.
const KEYS: usize = 1_500;

/// What may come to the memory after that, bytes: what caches and the allocator move it up and down by. What leaked before
/// was more in the long form.
const MOST_MEMORY: u64 = 64 << 20;

/// What may come to the files, bytes: drafts of projects that were not touched before.
const MOST_FILES: u64 = 16 << 20;

/// Keys as a terminal sends them. Not `q`, which ends the studio, and not `:`, which finds whatever does.
fn key(dice: &mut Dice) -> String {
    const NAMED: [&str; 14] = [
        "\r",
        "\r",
        "\x1b\x1b[D",
        "\t",
        "\x1b[A",
        "\x1b[B",
        "\x1b[C",
        "\x1b[D",
        "\x1b[5~",
        "\x1b[6~",
        "\x1b[H",
        "\x1b[F",
        "\x7f",
        " ",
    ];
    let pick = |dice: &mut Dice, letters: &str| {
        let letters: Vec<char> = letters.chars().collect();
        dice.pick(&letters).to_string()
    };
    match dice.below(3) {
        0 => (*dice.pick(&NAMED)).to_owned(),
        // Much is done in Steps, which keeps the most.
        1 => pick(dice, "nawidcxuJKl2S"),
        _ => pick(dice, "abcdefghijklmnoprstuvwxyzABCDEFGHIJKLMNOPRSTUVWXYZ0123456789/.,;+-=[]%&*@!?'"),
    }
}

/// The number of a line of the kernel's about the process, in its own unit.
fn told(studio: &Studio, file: &str, at: impl Fn(&str) -> Option<u64>) -> u64 {
    let pid = studio.pid().as_raw_nonzero();
    at(&std::fs::read_to_string(format!("/proc/{pid}/{file}")).unwrap()).unwrap()
}

/// Bytes that are in memory.
fn resident(studio: &Studio) -> u64 {
    let line = |status: &str| {
        status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.split_whitespace().next()?.parse().ok())
    };
    told(studio, "status", |status| line(status).map(|kilobytes: u64| kilobytes * 1024))
}

/// Ticks of the processor that it used so far.
fn ticks(studio: &Studio) -> u64 {
    told(studio, "stat", |stat| {
        let mut fields = stat.rsplit(')').next()?.split_whitespace().skip(11);
        Some(fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?)
    })
}

/// Waits until it has nothing more to do.
fn idle(studio: &mut Studio) {
    let begun = Instant::now();
    let mut before = ticks(studio);
    let mut still = 0;
    while still < 5 {
        studio.changes(Duration::from_millis(100));
        let now = ticks(studio);
        still = if now <= before + 1 { still + 1 } else { 0 };
        before = now;
        assert!(begun.elapsed() < Duration::from_secs(120), "it never rests");
    }
}

/// Out of whatever is open, and into a project where there still is one: by chance that is rarely hit, and much is kept of it.
fn enter_a_project(studio: &mut Studio) {
    studio.keys(&"\x1b\x1b[D".repeat(4)).keys("2\r");
    let is_open = |studio: &Studio| studio.rows().iter().any(|row| row.contains(" steps · "));
    for _ in 0..20 {
        if is_open(studio) {
            return;
        }
        studio.changes(Duration::from_millis(50));
    }
}

fn bytes_in(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let size = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(about) if about.is_dir() => bytes_in(&entry.path()),
        about => about.map_or(0, |about| about.len()),
    };
    entries.map(size).sum()
}

#[test]
fn memory_and_files_level_off_under_random_keys() {
    let number = |name: &str| std::env::var(name).ok().and_then(|number| number.parse::<usize>().ok());
    let keys = number("CUTAWAY_KEYS").unwrap_or(KEYS);
    let seed = number("CUTAWAY_KEYS_SEED").unwrap_or_else(|| usize::try_from(std::process::id()).unwrap());
    eprintln!("random keys: CUTAWAY_KEYS={keys} CUTAWAY_KEYS_SEED={seed}");
    let mut dice = Dice(u64::try_from(seed).unwrap());
    // There is no program here to open addresses or edit texts with.
    let mut studio = Start::new().with("PATH", "/nowhere").open();
    studio.shows("274 products");
    let mut walk = |studio: &mut Studio, keys: usize| {
        for nth in 0..keys {
            if nth % 100 == 0 {
                enter_a_project(studio);
            }
            studio.keys(&key(&mut dice));
            if nth % 10 == 0 {
                // Typed faster than the service answers, all keys would meet screens that wait.
                studio.changes(Duration::from_millis(20));
            }
        }
        idle(studio);
        let state = studio.home().join("state");
        (resident(studio), bytes_in(&state), bytes_in(&state.join("cutaway/drafts")))
    };
    let weighed = [1, 2, 3, 4].map(|nth| {
        let (memory, state, drafts) = walk(&mut studio, keys);
        eprintln!(
            "after {} keys {memory} bytes resident, {state} in the state folder, {drafts} of them drafts",
            nth * keys
        );
        (memory, state, drafts)
    });
    let [before, _, later, last] = weighed;
    // The lesser of two: it moves up and down.
    for (what, before, then, most) in [
        ("memory", before.0, later.0.min(last.0), MOST_MEMORY),
        ("state", before.1, last.1, MOST_FILES),
        ("drafts", before.2, last.2, MOST_FILES),
    ] {
        assert!(then <= before + most, "{what} grew from {before} to {then} bytes");
    }
}
