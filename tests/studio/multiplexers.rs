//! The studio in a real tmux and a real GNU screen: what they show is what the studio drew, whatever of its shortcuts (EL, ECH,
//! REP) they understand.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use crate::graphics::KITTY;
use crate::terminal::Start;

/// A size of the terminal, and keys, each with what is on the screen when it was done.
type Tour = ((u16, u16), &'static [(&'static str, &'static str)]);

/// Lists, a graph, another screen, an overlay over it. Without Esc, which GNU screen holds back while the mouse is on, and without
/// pictures, which come when they come.
const TOUR: Tour = (
    (120, 40),
    &[
        ("", "Fjell wool sock"),
        ("2", "6 projects in 2 folders"),
        ("j", "Gift finder"),
        ("\r", "Welcome to Nordlys"),
        ("1", "274 products"),
        (":", "Commands"),
    ],
);

/// A product that is opened and closed: what stood beside it moves along its rows by more than half of what is left of them.
const PRODUCT: Tour = (
    (100, 30),
    &[("", "Fjell wool sock"), ("/wool\r", " found "), ("\r]", "Stock by Size"), ("\x1b", "Vendor            Type")],
);

/// Whether a process does anything yet. One that ended is there until its parent asks, and in a container that may be nobody.
fn is_running(process: Pid) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.as_raw_nonzero())).unwrap_or_default();
    let is_zombie = stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('Z'));
    !is_zombie && test_kill_process(process).is_ok()
}

/// A folder in which GNU screen has its sockets. Its sessions outlive the terminal that they were on: they are ended with it.
struct Screens(tempfile::TempDir);

impl Screens {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
        Self(folder)
    }

    /// The processes of the sessions: each has a socket that is called PID.TERMINAL.HOST.
    fn processes(&self) -> Vec<Pid> {
        let files = std::fs::read_dir(self.0.path()).into_iter().flatten().flatten();
        let names = files.filter_map(|file| file.file_name().into_string().ok());
        names.filter_map(|name| Pid::from_raw(name.split_once('.')?.0.parse().ok()?)).collect()
    }

    /// Ends them, and waits until they are gone.
    fn end(&self) {
        let begun = Instant::now();
        for process in self.processes() {
            let _ = kill_process(process, Signal::TERM);
            while is_running(process) && begun.elapsed() < Duration::from_secs(10) {
                thread::sleep(Duration::from_millis(10));
            }
        }
    }
}

impl Drop for Screens {
    fn drop(&mut self) {
        self.end();
    }
}

/// A tmux with a studio in it.
struct Tmux {
    /// Where its socket is.
    folder: tempfile::TempDir,
}

impl Tmux {
    /// Starts one of a size; `through` is what stands between it and the studio.
    fn start(start: &Start, term: &str, through: &str, (columns, rows): (u16, u16)) -> Self {
        let tmux = Self { folder: tempfile::tempdir().unwrap() };
        let variables = start.environment().into_iter().filter(|variable| !variable.starts_with("TERM="));
        let quoted: Vec<String> = variables.map(|variable| format!("'{variable}'")).collect();
        let program = env!("CARGO_BIN_EXE_cutaway");
        let line = format!("{through} env -u COLORTERM TERM={term} {} '{program}'", quoted.join(" "));
        tmux.run(&["new-session", "-d", "-x", &columns.to_string(), "-y", &rows.to_string(), &line]);
        tmux
    }

    fn run(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("tmux");
        command.env("LANG", "C.UTF-8").arg("-S").arg(self.folder.path().join("socket"));
        command.args(["-u", "-f", "/dev/null"]).args(arguments);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn types(&self, keys: &str) {
        self.run(&["send-keys", "-l", keys]);
    }

    fn rows(&self) -> Vec<String> {
        self.run(&["capture-pane", "-p"]).lines().map(str::to_owned).collect()
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        let mut command = Command::new("tmux");
        let _ = command.arg("-S").arg(self.folder.path().join("socket")).arg("kill-server").output();
    }
}

/// A row in which what was made at the beginning is as new as it was then, however long all of it takes.
fn ageless(row: String) -> String {
    (1..10).fold(row, |row, minutes| row.replace(&format!("  {minutes} min"), "    now"))
}

/// So many captures after another, 150 ms apart, show the same. What is read for longer than 80 + 300 ms is said to be.
const ALIKE: u32 = 3;

/// The screens of a tour.
fn tour(shown: &Tmux, steps: &[(&str, &str)]) -> Vec<Vec<String>> {
    let mut screens = Vec::new();
    for (keys, words) in steps {
        shown.types(keys);
        let begun = Instant::now();
        let (mut before, mut alike) = (Vec::new(), 0);
        loop {
            // The header says what the service's answers took.
            let rows: Vec<String> = shown.rows().into_iter().skip(1).map(ageless).collect();
            let says = |words: &str| rows.iter().any(|row| row.contains(words));
            let is_there = says(words) && !["loading", "reading…", "checking"].into_iter().any(says);
            // The same for longer than it takes until something that is on its way is said to be: nothing is.
            alike = if is_there && rows == before { alike + 1 } else { 0 };
            if alike == ALIKE {
                screens.push(rows);
                break;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "waited in vain for {words:?}:\n{}", rows.join("\n"));
            before = rows;
            thread::sleep(Duration::from_millis(150));
        }
    }
    screens
}

fn is_there(program: &str) -> bool {
    let there = ["/usr/bin", "/bin", "/usr/local/bin"].iter().any(|folder| Path::new(folder).join(program).exists());
    if !there {
        eprintln!("SKIPPED: there is no {program} here (apt-get install {program})");
    }
    there
}

/// Compares what is shown under names of terminals with what is shown under one of which nothing is known.
fn shows_the_same((size, steps): Tour, through: &str, names: &[&str]) {
    let start = Start::new();
    // The sample is there before, and each begins where a newcomer does.
    start.says(&["products", "count"]);
    let states = tempfile::tempdir().unwrap();
    let once = |name: &str, round: u32| {
        let state = states.path().join(format!("{name}-{round}")).display().to_string();
        tour(&Tmux::start(&start.again().with("XDG_STATE_HOME", &state), name, through, size), steps)
    };
    // On a machine that is busy the way to the terminal is a slow one, which has no pictures.
    let is_slow = |screens: &Vec<Vec<String>>| screens.iter().flatten().any(|row| row.contains("Slow connection"));
    let shown = |name: &str| {
        let mut rounds = (0..10).map(|round| once(name, round));
        rounds.find(|screens| !is_slow(screens)).expect("a line that isn't slow, once in ten times")
    };
    let plain = shown("nobody-256color");
    for name in names {
        for ((plain, shown), (keys, _)) in plain.iter().zip(shown(name)).zip(steps) {
            assert_eq!(plain.join("\n"), shown.join("\n"), "{name}, after {keys:?}");
        }
    }
}

#[test]
fn tmux_shows_what_was_drawn() {
    if is_there("tmux") {
        shows_the_same(TOUR, "", &["tmux-256color", "screen-256color", "xterm-256color"]);
    }
}

#[test]
fn tmux_leaves_nothing_of_a_product_that_was_open() {
    if is_there("tmux") {
        shows_the_same(PRODUCT, "", &["tmux-256color"]);
    }
}

#[test]
fn gnu_screen_shows_what_was_drawn() {
    if is_there("tmux") && is_there("screen") {
        let (screens, settings) = (Screens::new(), tempfile::tempdir().unwrap());
        let file = settings.path().join("screenrc");
        std::fs::write(&file, "startup_message off\nvbell off\ndefutf8 on\nmaptimeout 0\n").unwrap();
        let (folder, file) = (screens.0.path().display(), file.display());
        shows_the_same(TOUR, &format!("env SCREENDIR={folder} screen -U -c {file}"), &["screen-256color"]);
        let sessions = screens.processes();
        assert!(!sessions.is_empty(), "they outlive the tmux that they were in");
        screens.end();
        let left: Vec<Pid> = sessions.into_iter().filter(|process| is_running(*process)).collect();
        assert_eq!(left, []);
    }
}

/// Whether tmux is here and knows `allow-passthrough`.
fn passes_through() -> bool {
    if !is_there("tmux") {
        return false;
    }
    let said = Command::new("tmux").arg("-V").output().unwrap().stdout;
    let said = String::from_utf8(said).unwrap();
    let number = said.trim().trim_start_matches("tmux next-").trim_start_matches("tmux ");
    let mut parts = number.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse::<u32>().ok());
    let is_new = (parts.next(), parts.next()) >= (Some(3), Some(3));
    if !is_new {
        eprintln!("SKIPPED: {} knows no allow-passthrough, which came with 3.3", said.trim());
    }
    is_new
}

#[test]
fn pictures_of_kitty_arrive_around_a_real_tmux() {
    if !passes_through() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    // Whatever becomes of the test, its server ends with it.
    let server = Tmux { folder: tempfile::tempdir().unwrap() };
    let (socket, settings) = (server.folder.path().join("socket"), folder.path().join("tmux.conf"));
    let text = "set -g allow-passthrough on\nset -g default-terminal tmux-256color\nset -sg escape-time 0\nset -g status off\n";
    std::fs::write(&settings, text).unwrap();
    let (socket, settings) = (socket.to_str().unwrap(), settings.to_str().unwrap());
    let start = Start::new().with("COLORTERM", "truecolor").with("LANG", "C.UTF-8");
    let start = start.configured("config.toml", "passthrough = \"on\"\n");
    let mut studio = start.through(&["tmux", "-u", "-S", socket, "-f", settings, "new-session", "env"]).open();
    // What the studio asks is asked by tmux of the terminal around it, and what that answers comes back.
    studio.writes(0, b"\x1b_Gi=31,").bytes(KITTY).shows("274 products").shows("Fjell wool sock");
    let from = studio.written();
    studio.keys("\r").writes(from, b",a=T,U=1,").shows("\u{10eeee}");
    let from = studio.written();
    studio.keys("q").writes(from, b"\x1b_Ga=d,d=I,");
    let ended = studio.ended();
    assert!(ended.status.success(), "{:?}", ended.status);
}
