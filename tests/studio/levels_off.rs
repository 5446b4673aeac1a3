//! What the process keeps levels off under random keys, however long: its resident memory, the state folder, the
//! journals in it. Bounded by default; `CUTAWAY_KEYS=100000` is the long form, and its seed repeats a walk:
//! `CUTAWAY_KEYS=100000 CUTAWAY_KEYS_SEED=7 cargo test --release --test studio levels_off -- --nocapture`.

#![allow(clippy::print_stderr)] // Seeds and counts.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::dice::Dice;
use crate::terminal::{Start, Studio};

/// How many keys warm it up; twice as many follow.
const KEYS: usize = 1_500;

/// What may come to the memory and to the folder after that, bytes. Far more than what a walk moves up and down by, and far
/// less than what came with every hundred thousand keys while anything leaked.
const MOST: u64 = 32 << 20;

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
        for _ in 0..keys {
            // The terminal takes no more than the studio reads.
            studio.keys(&key(&mut dice));
        }
        idle(studio);
        let state = studio.home().join("state");
        (resident(studio), bytes_in(&state), bytes_in(&state.join("cutaway/drafts")))
    };
    let (memory, state, drafts) = walk(&mut studio, keys);
    let (memory_then, state_then, drafts_then) = walk(&mut studio, 2 * keys);
    let all = 3 * keys;
    eprintln!(
        "after {keys} keys {memory} bytes resident, {state} in the state folder, {drafts} of them drafts; after {all} \
         {memory_then}, {state_then}, {drafts_then}"
    );
    for (what, before, then) in
        [("memory", memory, memory_then), ("state", state, state_then), ("drafts", drafts, drafts_then)]
    {
        assert!(then <= before + MOST, "{what} grew from {before} to {then} bytes");
    }
}
