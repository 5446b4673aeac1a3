//! The local workspace is handed from process to process: many commands at once, of which each serves the others for as
//! long as it runs, and some are killed. `CUTAWAY_HANDOVER=10000 cargo test --test serve handover:: -- --nocapture` is the long
//! form; `CUTAWAY_SEED` repeats a run's choices.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // Helpers of tests are tests too.

use crate::serving;

use std::collections::{HashMap, HashSet};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use serving::{cutaway, text};

/// Commands that run at once.
const AT_ONCE: usize = 10;

/// Of this many commands, one is to be killed while it serves the others.
const KILLED_OF: usize = 12;

/// A generator of numbers that only have to look like chance (SplitMix64).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % sides as u64).unwrap()
    }
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

fn start(home: &Path, arguments: &[&str]) -> Child {
    let mut command = cutaway(home);
    command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Who serves the workspace, once they answer.
fn owner(home: &Path) -> Option<u32> {
    let said = std::fs::read(home.join("d/cutaway/local/serving.json")).ok()?;
    let said: Value = serde_json::from_slice(&said).ok()?;
    said["reached"].is_object().then(|| said["pid"].as_u64()).flatten()?.try_into().ok()
}

/// The names of the projects, each as often as it is there.
fn projects(home: &Path) -> HashMap<String, usize> {
    let output = start(home, &["projects", "list", "--json"]).wait_with_output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let list: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut names = HashMap::new();
    for project in list["projects"].as_array().unwrap() {
        *names.entry(project["name"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    names
}

/// What came of all commands.
#[derive(Default)]
struct Tally {
    created: HashSet<String>,
    killed: usize,
    creations_killed: HashSet<String>,
    failures: Vec<String>,
}

impl Tally {
    fn note(&mut self, name: Option<String>, arguments: &[String], output: &Output) {
        if output.status.signal() == Some(Signal::KILL.as_raw()) {
            self.killed += 1;
            self.creations_killed.extend(name);
        } else if output.status.success() {
            self.created.extend(name);
        } else {
            self.failures.push(format!("{arguments:?}: {} {}", output.status, text(&output.stderr).trim()));
        }
    }
}

#[test]
fn ten_commands_at_once_on_a_new_folder_all_work() {
    let home = tempfile::tempdir().unwrap();
    let started: Vec<Child> = (0..AT_ONCE).map(|_| start(home.path(), &["products", "count"])).collect();
    for child in started {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{} {}", output.status, text(&output.stderr));
        assert!(!output.stdout.is_empty());
    }
}

#[test]
fn commands_do_not_fail_when_those_that_serve_them_end_or_are_killed() {
    let commands = usize::try_from(number("CUTAWAY_HANDOVER").unwrap_or(150)).unwrap();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let seed = number("CUTAWAY_SEED").unwrap_or_else(|| now.as_secs() ^ u64::from(now.subsec_nanos()));
    println!("seed {seed}, {commands} commands");
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let before = projects(home);
    let (next, over, tally) = (AtomicUsize::new(0), AtomicBool::new(false), Mutex::new(Tally::default()));
    let began = Instant::now();
    // Commands that have not been waited for yet: their numbers are still their own, and may be sent a signal.
    let alive = Mutex::new(HashSet::new());
    std::thread::scope(|scope| {
        let killer = scope.spawn(|| kill_owners(home, commands / KILLED_OF, seed, &over, &alive));
        let workers: Vec<_> =
            (0..AT_ONCE).map(|_| scope.spawn(|| work(home, commands, seed, &next, &tally, &alive))).collect();
        for worker in workers {
            worker.join().unwrap();
        }
        over.store(true, Ordering::Relaxed);
        killer.join().unwrap();
    });
    let tally = tally.into_inner().unwrap();
    let (killed, failed) = (tally.killed, tally.failures.len());
    println!(
        "seed {seed}: {commands} commands in {:.1} s, {killed} killed, {failed} failed",
        began.elapsed().as_secs_f64()
    );
    assert!(tally.failures.is_empty(), "seed {seed}: {:#?}", tally.failures);
    assert!(killed > 0 || commands < KILLED_OF, "seed {seed}: nobody was killed while they served the others");

    let after = projects(home);
    for name in &tally.created {
        assert_eq!(after.get(name), Some(&1), "seed {seed}: {name} was made, once");
    }
    for (name, times) in after.iter().filter(|(name, _)| !before.contains_key(*name)) {
        assert!(*times == 1, "seed {seed}: {name} is there {times} times");
        assert!(tally.created.contains(name) || tally.creations_killed.contains(name), "seed {seed}: {name}");
    }
}

/// Runs commands until so many were begun.
fn work(
    home: &Path,
    commands: usize,
    seed: u64,
    next: &AtomicUsize,
    tally: &Mutex<Tally>,
    alive: &Mutex<HashSet<u32>>,
) {
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= commands {
            return;
        }
        let name = format!("Handed over {number}");
        let (name, arguments): (_, &[&str]) = match Dice(seed ^ number as u64).roll(5) {
            0 | 1 => (Some(name.clone()), &["projects", "create", &name.clone()]),
            2 => (None, &["projects", "list"]),
            3 => (None, &["videos", "list"]),
            _ => (None, &["products", "search", "--limit", "3"]),
        };
        let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        let mut child = {
            let mut alive = alive.lock().unwrap();
            let child = start(home, &arguments.iter().map(String::as_str).collect::<Vec<_>>());
            alive.insert(child.id());
            child
        };
        let output = read(&mut child, alive);
        tally.lock().unwrap().note(name, &arguments, &output);
    }
}

/// What a command said, once it ended.
fn read(child: &mut Child, alive: &Mutex<HashSet<u32>>) -> Output {
    use std::io::Read as _;
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    // Little is said beside the output, so that reading one at a time can't block.
    child.stdout.take().unwrap().read_to_end(&mut stdout).unwrap();
    child.stderr.take().unwrap().read_to_end(&mut stderr).unwrap();
    // From here on nobody signals it, so that its number may become another's.
    alive.lock().unwrap().remove(&child.id());
    Output { status: child.wait().unwrap(), stdout, stderr }
}

/// Kills so many of the commands, each while it serves the others.
fn kill_owners(home: &Path, most: usize, seed: u64, over: &AtomicBool, alive: &Mutex<HashSet<u32>>) {
    let mut dice = Dice(seed);
    let (mut killed, mut last) = (0, None);
    while killed < most && !over.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(1));
        let Some(pid) = owner(home).filter(|pid| last != Some(*pid)) else { continue };
        last = Some(pid);
        if dice.roll(4) != 0 {
            continue;
        }
        std::thread::sleep(Duration::from_millis(dice.roll(30) as u64));
        let alive = alive.lock().unwrap();
        if alive.contains(&pid) && kill_process(Pid::from_raw(pid.cast_signed()).unwrap(), Signal::KILL).is_ok() {
            killed += 1;
        }
    }
}
