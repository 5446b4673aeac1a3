//! The pseudo-terminal: starts the studio in it, types, and waits for what the screen shows.

use std::fs::Permissions;
use std::io::{Read, Write};
use std::num::NonZero;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use self::ended::Ended;
use self::far::{Carrier, Far, Writer};

#[path = "ended.rs"]
pub mod ended;
#[path = "far.rs"]
pub mod far;

/// The beginning of a frame that the terminal shows at once.
pub const BEGIN: &[u8] = b"\x1b[?2026h";
/// Its end.
pub const END: &[u8] = b"\x1b[?2026l";

/// After so long a condition is taken to never come. Generous: the machine may be busy with something else.
pub const PATIENCE: Duration = Duration::from_secs(90);

/// How a studio is started: its home, its environment, its arguments, its size.
pub struct Start {
    home: Arc<TempDir>,
    variables: Vec<(String, String)>,
    arguments: Vec<String>,
    program: Vec<String>,
    size: (u16, u16),
    far: Option<Far>,
}

impl Start {
    /// In a home of its own, on 120x40.
    pub fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let folder = |name: &str| home.path().join(name).display().to_string();
        let variables = [
            ("HOME", folder("")),
            ("XDG_CONFIG_HOME", folder("config")),
            ("XDG_DATA_HOME", folder("data")),
            ("XDG_STATE_HOME", folder("state")),
            ("TERM", "xterm-256color".to_owned()),
            ("LANG", "C.UTF-8".to_owned()),
            ("PATH", std::env::var("PATH").unwrap_or_default()),
        ];
        Self {
            variables: variables.map(|(name, value)| (name.to_owned(), value)).to_vec(),
            home: Arc::new(home),
            arguments: Vec::new(),
            program: vec![env!("CARGO_BIN_EXE_cutaway").to_owned()],
            size: (120, 40),
            far: None,
        }
    }

    /// On a terminal at the other end of a line.
    #[allow(dead_code)] // Not every test is far away.
    pub fn far(mut self, far: Far) -> Self {
        self.far = Some(far);
        self.with("SSH_CONNECTION", "192.0.2.1 50000 192.0.2.2 22")
    }

    /// The same once more, in the same home.
    pub fn again(&self) -> Self {
        Self { home: Arc::clone(&self.home), variables: self.variables.clone(), ..Self::new() }
    }

    /// The same once more, in the same home and on the same service.
    pub fn again_with_arguments(&self) -> Self {
        Self { arguments: self.arguments.clone(), ..self.again() }
    }

    /// A command in these surroundings, on no terminal.
    pub fn command(&self, arguments: &[&str]) -> std::process::Command {
        let variables = self.variables.iter().map(|(name, value)| (name, value));
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_cutaway"));
        command.env_clear().envs(variables).args(arguments).args(&self.arguments);
        command
    }

    /// What a command says in these surroundings.
    pub fn says(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// On a terminal of so many columns and rows.
    pub fn size(mut self, columns: u16, rows: u16) -> Self {
        self.size = (columns, rows);
        self
    }

    /// With a variable more, or in place of one.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self = self.without(name);
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Without a variable.
    pub fn without(mut self, name: &str) -> Self {
        self.variables.retain(|(known, _)| known != name);
        self
    }

    /// With these arguments.
    pub fn arguments(mut self, arguments: &[&str]) -> Self {
        self.arguments.extend(arguments.iter().map(|argument| (*argument).to_owned()));
        self
    }

    /// Through another program, which is given the studio's path as its last argument.
    pub fn through(mut self, program: &[&str]) -> Self {
        self.program.splice(0..0, program.iter().map(|word| (*word).to_owned()));
        self
    }

    /// Another program than the studio's.
    pub fn program(mut self, program: &[&str]) -> Self {
        self.program = program.iter().map(|word| (*word).to_owned()).collect();
        self
    }

    /// The variables, each with its value, as `env` takes them.
    #[allow(dead_code)] // Not every test hands them on.
    pub fn environment(&self) -> Vec<String> {
        self.variables.iter().map(|(name, value)| format!("{name}={value}")).collect()
    }

    /// The home, which lasts as long as something was started in it.
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// With a file of the configuration.
    pub fn configured(self, name: &str, text: &str) -> Self {
        self.with_file(&format!("config/cutaway/{name}"), text)
    }

    /// With a file of the data folder.
    pub fn with_data(self, name: &str, text: &str) -> Self {
        self.with_file(&format!("data/cutaway/{name}"), text)
    }

    fn with_file(self, path: &str, text: &str) -> Self {
        let file = self.home().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, text).unwrap();
        std::fs::set_permissions(file, Permissions::from_mode(0o600)).unwrap();
        self
    }

    /// Starts it.
    pub fn open(self) -> Studio {
        let (columns, rows) = self.size;
        let pair = native_pty_system().openpty(pty_size(columns, rows)).unwrap();
        let before = termios(pair.master.as_ref());
        let mut command = CommandBuilder::new(&self.program[0]);
        command.args(self.program[1..].iter().chain(&self.arguments));
        command.env_clear();
        command.cwd(self.home());
        for (name, value) in &self.variables {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        // Or the end of its output would never be seen.
        drop(pair.slave);
        let seen = Arc::new(Seen {
            stalled: Mutex::default(),
            is_closing: AtomicBool::default(),
            state: Mutex::new(State { raw: Vec::new(), parser: parser(columns, rows), ended: false }),
            changed: Condvar::new(),
        });
        let reader = pair.master.try_clone_reader().unwrap();
        let writer: Writer = Arc::new(Mutex::new(pair.master.take_writer().unwrap()));
        let (told, closing) = (Arc::clone(&seen), Arc::clone(&seen));
        let show = move |bytes: &[u8]| {
            let stalled = told.stalled.lock().unwrap().take();
            // It ends when it is dropped.
            let _ = stalled.map(|stalled| stalled.recv());
            let mut state = told.state.lock().unwrap();
            state.raw.extend_from_slice(bytes);
            state.parser.process(bytes);
            state.ended = bytes.is_empty();
            told.changed.notify_all();
        };
        let carried = self.far.map(|far| Carrier { far, answers: Arc::clone(&writer) });
        let reading = std::thread::spawn(move || match carried {
            Some(line) => line.carry(reader, show),
            None => read_all(reader, show, || closing.is_closing.load(Ordering::SeqCst)),
        });
        Studio { start: self, child, master: pair.master, writer, seen, reading: Some(reading), before }
    }
}

/// Reads to the end, or until it is over; what is read is given on, and nothing at the end.
fn read_all(mut reader: impl Read, mut give: impl FnMut(&[u8]), is_over: impl Fn() -> bool) {
    let mut buffer = [0; 16 * 1024];
    loop {
        // At the end the system reports an error in place of an end of file.
        let read = reader.read(&mut buffer).unwrap_or(0);
        give(&buffer[..read]);
        if read == 0 || is_over() {
            return;
        }
    }
}

fn pty_size(columns: u16, rows: u16) -> PtySize {
    PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }
}

fn parser(columns: u16, rows: u16) -> vt100::Parser {
    let cells = |cells| NonZero::new(cells).unwrap();
    vt100::Parser::new(cells(rows), cells(columns), 0)
}

/// How the line discipline is set, in words: everything that raw mode changes is in it.
fn termios(master: &dyn MasterPty) -> String {
    format!("{:?}", master.get_termios().unwrap())
}

/// A terminal that takes nothing for as long as this lives.
#[allow(dead_code)] // It is there to be dropped.
pub struct Stalled(Sender<()>);

struct Seen {
    /// What is waited for before more is read.
    stalled: Mutex<Option<Receiver<()>>>,
    /// Whether the terminal is closed as soon as something more was read.
    is_closing: AtomicBool,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    raw: Vec<u8>,
    parser: vt100::Parser,
    ended: bool,
}

/// A studio that runs in a pseudo-terminal.
pub struct Studio {
    start: Start,
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    writer: Writer,
    seen: Arc<Seen>,
    reading: Option<JoinHandle<()>>,
    before: String,
}

impl Studio {
    /// Types keys, as the bytes that a terminal sends.
    pub fn keys(&mut self, keys: &str) -> &mut Self {
        self.bytes(keys.as_bytes())
    }

    /// Sends bytes as the terminal.
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        let mut writer = self.writer.lock().unwrap();
        writer.write_all(bytes).unwrap();
        writer.flush().unwrap();
        drop(writer);
        self
    }

    /// Gives the terminal another size.
    pub fn resize(&mut self, columns: u16, rows: u16) -> &mut Self {
        // What is shown after this is painted whole, so what the old size left behind does not matter.
        self.seen.state.lock().unwrap().parser = parser(columns, rows);
        self.master.resize(pty_size(columns, rows)).unwrap();
        self
    }

    /// Sends the process a signal.
    pub fn signal(&mut self, signal: Signal) -> &mut Self {
        kill_process(self.pid(), signal).unwrap();
        self
    }

    /// Its process.
    pub fn pid(&self) -> Pid {
        Pid::from_raw(i32::try_from(self.child.process_id().unwrap()).unwrap()).unwrap()
    }

    /// Its home.
    pub fn home(&self) -> &Path {
        self.start.home()
    }

    /// A command in the same surroundings.
    #[allow(dead_code)] // Not every program of tests runs one.
    pub fn command(&self, arguments: &[&str]) -> std::process::Command {
        let mut command = self.start.command(arguments);
        command.current_dir(self.home());
        command
    }

    /// How the same is started once more, in the same home.
    #[allow(dead_code)] // Not every program of tests starts one again.
    pub fn again(&self) -> Start {
        self.start.again_with_arguments()
    }

    /// What another process says in the same surroundings.
    pub fn beside(&self, arguments: &[&str]) -> String {
        self.start.says(arguments)
    }

    /// Waits until a draft's journal holds a text.
    pub fn journal_holds(&self, words: &str) {
        let folder = self.start.home().join("state/cutaway/drafts");
        let begun = Instant::now();
        loop {
            let files = std::fs::read_dir(&folder).into_iter().flatten().flatten();
            if files.into_iter().any(|file| std::fs::read_to_string(file.path()).unwrap_or_default().contains(words)) {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "no draft in {} holds {words:?}", folder.display());
            std::thread::yield_now();
        }
    }

    /// How many bytes it wrote so far.
    pub fn written(&self) -> usize {
        self.seen.state.lock().unwrap().raw.len()
    }

    /// What it wrote after so many bytes.
    pub fn since(&self, from: usize) -> Vec<u8> {
        self.seen.state.lock().unwrap().raw[from..].to_vec()
    }

    /// The screen as it is now.
    pub fn screen(&self) -> vt100::Screen {
        self.seen.state.lock().unwrap().parser.screen().clone()
    }

    /// The rows of the screen as it is now.
    pub fn rows(&self) -> Vec<String> {
        rows(self.seen.state.lock().unwrap().parser.screen())
    }

    /// Waits until the whole screen is as the condition says.
    pub fn until(&mut self, what: &str, shown: impl Fn(&[String]) -> bool) -> &mut Self {
        self.until_state(what, |state| shown(&rows(state.parser.screen())))
    }

    /// Waits until this can be read on the screen.
    pub fn shows(&mut self, words: &str) -> &mut Self {
        self.until(words, |rows| rows.iter().any(|row| row.contains(words)))
    }

    /// Waits until this can't be read on the screen any more.
    pub fn hides(&mut self, words: &str) -> &mut Self {
        self.until(&format!("no {words}"), |rows| !rows.iter().any(|row| row.contains(words)))
    }

    /// Waits until a text with this in it was put on the clipboard, and gives it.
    pub fn copied(&mut self, part: &str) -> String {
        let texts = |raw: &[u8]| -> Option<String> {
            let raw = String::from_utf8_lossy(raw);
            let mut copies = raw.split("\x1b]52;c;").skip(1);
            copies.find_map(|copy| {
                let encoded = copy.split(['\x07', '\x1b']).next()?;
                let text = String::from_utf8(STANDARD.decode(encoded).ok()?).ok()?;
                text.contains(part).then_some(text)
            })
        };
        self.until_state(part, |state| texts(&state.raw).is_some());
        texts(&self.seen.state.lock().unwrap().raw).unwrap()
    }

    /// Waits until these bytes were written after a point.
    pub fn writes(&mut self, from: usize, bytes: &[u8]) -> &mut Self {
        let what = String::from_utf8_lossy(bytes).into_owned();
        self.until_state(&what, |state| state.raw[from..].windows(bytes.len()).any(|window| window == bytes))
    }

    /// Waits until what was written after a point is as the condition says.
    pub fn until_written(&mut self, from: usize, what: &str, holds: impl Fn(&[u8]) -> bool) -> &mut Self {
        self.until_state(what, |state| holds(&state.raw[from..]))
    }

    /// Waits until something was written, but not for long: it may have been already.
    #[allow(dead_code)] // Not every test waits so.
    pub fn changes(&mut self, most: Duration) -> &mut Self {
        let state = self.seen.state.lock().unwrap();
        let before = state.raw.len();
        let waited =
            self.seen.changed.wait_timeout_while(state, most, |state| state.raw.len() == before && !state.ended);
        drop(waited.unwrap().0);
        self
    }

    /// Waits until the cells of the screen are as the condition says.
    pub fn until_screen(&mut self, what: &str, shown: impl Fn(&vt100::Screen) -> bool) -> &mut Self {
        self.until_state(what, |state| shown(state.parser.screen()))
    }

    fn until_state(&mut self, what: &str, holds: impl Fn(&State) -> bool) -> &mut Self {
        let begun = Instant::now();
        let mut state = self.seen.state.lock().unwrap();
        while !(is_whole(&state.raw) && holds(&state)) {
            let left = PATIENCE.saturating_sub(begun.elapsed());
            assert!(
                !left.is_zero() && !state.ended,
                "waited in vain for {what:?}; ended: {}; the screen:\n{}",
                state.ended,
                rows(state.parser.screen()).join("\n")
            );
            state = self.seen.changed.wait_timeout(state, left).unwrap().0;
        }
        drop(state);
        self
    }

    /// Waits until it has ended and all it wrote was read.
    pub fn ended(mut self) -> Ended {
        let begun = Instant::now();
        let mut state = self.seen.state.lock().unwrap();
        while !state.ended {
            let left = PATIENCE.saturating_sub(begun.elapsed());
            if left.is_zero() {
                let shown = rows(state.parser.screen()).join("\n");
                drop(state);
                let _ = self.child.kill();
                panic!("it did not end; the screen:\n{shown}");
            }
            state = self.seen.changed.wait_timeout(state, left).unwrap().0;
        }
        let (raw, screen) = (state.raw.clone(), state.parser.screen().clone());
        drop(state);
        let status = self.child.wait().unwrap();
        self.reading.take().unwrap().join().unwrap();
        let after = termios(self.master.as_ref());
        Ended { status, raw, screen, termios: (self.before, after) }
    }

    /// From now on the terminal takes nothing, until what this gives is dropped.
    #[allow(dead_code)] // Not every test stalls.
    pub fn stalls(&self) -> Stalled {
        let (go, gone) = channel();
        *self.seen.stalled.lock().unwrap() = Some(gone);
        Stalled(go)
    }

    /// Waits until the process has ended, whatever it wrote.
    #[allow(dead_code)] // Not every test waits so.
    pub fn is_gone(&mut self) -> &mut Self {
        let begun = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            assert!(begun.elapsed() < PATIENCE, "it did not end");
            std::thread::sleep(Duration::from_millis(5));
        }
        self
    }

    /// Quits by key and finds everything as it was.
    pub fn quit(mut self) -> Ended {
        self.keys("q");
        let ended = self.ended();
        assert!(ended.status.success(), "{:?}", ended.status);
        ended.is_restored();
        ended
    }
}

/// Whether no frame is half written: what is shown between two pictures is neither of them.
fn is_whole(raw: &[u8]) -> bool {
    let last = |sign: &[u8]| raw.windows(sign.len()).rposition(|window| window == sign);
    last(BEGIN) <= last(END)
}

fn rows(screen: &vt100::Screen) -> Vec<String> {
    screen.rows(0, screen.size().1.get()).map(|row| row.trim_end().to_owned()).collect()
}
