//! Plain mode: the real binary as a dialogue of lines, on pipes and on a terminal that knows no sequences.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::terminal::Start;

/// After so long an answer is taken to never come. Generous: the machine may be busy with something else.
const PATIENCE: Duration = Duration::from_secs(90);

/// A studio on pipes: a line in, a few lines out.
struct Dialogue {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    heard: Vec<String>,
}

impl Dialogue {
    fn of(start: &Start, arguments: &[&str]) -> Self {
        let mut command = start.command(arguments);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
        let (tell, lines) = channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in output.lines() {
                if tell.send(line.unwrap()).is_err() {
                    return;
                }
            }
        });
        Self { input: child.stdin.take(), child, lines, heard: Vec::new() }
    }

    fn says(&mut self, line: &str) -> &mut Self {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
        self
    }

    /// Waits for a line that contains this.
    fn hears(&mut self, words: &str) -> &mut Self {
        let begun = Instant::now();
        loop {
            let line = self.lines.recv_timeout(PATIENCE.saturating_sub(begun.elapsed()));
            let Ok(line) = line else { panic!("{words:?} was never said, but:\n{}", self.heard.join("\n")) };
            assert!(line.chars().count() <= 200, "{line}");
            let odd =
                line.chars().find(|c| c.is_control() || matches!(c, '\u{2500}'..='\u{259f}' | '\u{2800}'..='\u{28ff}'));
            assert_eq!(odd, None, "{line:?}");
            self.heard.push(line);
            if self.heard.last().unwrap().contains(words) {
                return self;
            }
        }
    }

    /// Nothing more is entered; waits for the end.
    fn ends(&mut self) {
        self.input = None;
        assert!(self.child.wait().unwrap().success(), "{}", self.heard.join("\n"));
    }
}

impl Drop for Dialogue {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const BROKEN: &str = "Spring campaign (unfinished)";

/// The project as another process reads it.
fn told(start: &Start) -> Value {
    let list: Value = serde_json::from_str(&start.says(&["projects", "list", "--json"])).unwrap();
    let project = list["projects"].as_array().unwrap().iter().find(|project| project["name"] == BROKEN).unwrap();
    serde_json::from_str(&start.says(&["projects", "show", project["id"].as_str().unwrap(), "--json"])).unwrap()
}

#[test]
fn a_project_is_wired_saved_and_played_by_its_lines() {
    let start = Start::new();
    let mut studio = Dialogue::of(&start, &["--plain"]);
    studio.hears("Cutaway, as a dialogue of lines").hears("Fjell wool sock");
    studio.says("go to projects").hears("projects in 2 folders");
    studio.says(&format!("open {BROKEN}")).hears("; step; text Pick your spring");
    studio.says("next problem").hears("Both; answer 3 of 3; leads nowhere");
    studio.says("wire 3 to Sn0wY").hears("Both; answer 3 of 3; leads to Sn0wY");
    studio.says("save").hears("Spr1n");
    studio.says("Enter").hears("All changes saved");
    studio.says("play").hears("Pick your spring; step Spr1n");
    studio.says("3").hears("step Sn0wY");
    studio.says("1").hears("The end.");
    studio.says("Esc").says("go Spr1n").says("wire 1 to end").hears("Snow; answer 1 of 3; ends the video");
    studio.says("save").hears("Spr1n");
    studio.says("Enter").hears("All changes saved");
    // What says so is left for another screen.
    studio.says("1").hears("Fjell wool sock").says("quit");
    studio.ends();
    let after = told(&start);
    let step = |name: &str| after["steps"].as_array().unwrap().iter().find(|step| step["name"] == name).unwrap();
    let next = &step("Spr1n")["answers"][2]["next"];
    assert!(*next == step("Sn0wY")["name"] || *next == step("Sn0wY")["id"], "{next}");
}

#[test]
fn a_whole_script_is_piped_in_and_a_draft_outlives_it() {
    let start = Start::new();
    let mut studio = Dialogue::of(&start.again().with("CUTAWAY_PLAIN", "1"), &[]);
    // All at once: each line waits until the one before was answered, what it had to load included.
    studio.says(&format!("2\nopen {BROKEN}\nnew step\nwhere")).hears("5 of 5").hears("; Project: Spring campaign");
    studio.ends();
    let mut studio = Dialogue::of(&start.again(), &["--plain"]);
    studio.hears("Spring campaign").says("where").hears("1 edit not saved");
    kill_process(Pid::from_child(&studio.child), Signal::TERM).unwrap();
    assert!(studio.child.wait().unwrap().success(), "told to end, it ends in order");
}

#[test]
fn a_terminal_that_knows_no_sequences_gets_none() {
    let mut studio = Start::new().with("TERM", "dumb").open();
    studio.shows("Cutaway, as a dialogue of lines").shows("Fjell wool sock");
    studio.keys("2\n").shows("projects in 2 folders").keys("open Gift finder\n").shows("; step; ");
    studio.keys("?\n").shows("Here: ");
    let written = studio.since(0);
    assert!(!written.contains(&0x1b), "{}", String::from_utf8_lossy(&written));
    studio.keys("quit\n");
    assert!(studio.ended().status.success());
}
