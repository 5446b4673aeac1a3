//! Completions in real shells in a pseudo-terminal, over names that a hostile service gave its things: one Tab and Enter
//! runs `cutaway` with that name as one argument, and nothing else.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice, clippy::print_stderr)] // Helpers of tests are tests too.

use crate::recorder;

use std::io::{Read as _, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use std::{fs, thread};

use portable_pty::{Child, CommandBuilder, PtySize, native_pty_system};
use recorder::Recorder;
use tempfile::TempDir;

/// After so long a condition is taken to never come.
const PATIENCE: Duration = Duration::from_secs(60);

/// Names that would do something if a shell read them. Each begins otherwise, and ends in its number.
const HOSTILE: [&str; 12] = [
    "Zeta $(touch OWNED) & end01",
    "Yota `touch OWNED` end02",
    "Xeta'; touch OWNED; 'end03",
    "Weta\"; touch OWNED; \"end04",
    "Veta | touch OWNED #end05",
    "Ueta > OWNED end06",
    "Teta \\'; touch OWNED; end07",
    "Seta*?[a-z]{a,b}~ end08",
    "Reta ${IFS}$HOME !! !1 end09",
    "Qeta\u{1b}[31m\u{7}\nend10",
    "Peta <(touch OWNED) end11",
    "Oeta:;&&touch OWNED end12",
];

/// A home in which `cutaway` is a program that notes how it was called, and gives the real one's completions.
struct Home {
    folder: TempDir,
    service: Recorder,
}

impl Home {
    fn new() -> Self {
        let product = |(at, name): (usize, &&str)| serde_json::json!({ "id": at.to_string(), "externalProductId": format!("{at}"), "title": "x", "productType": name, "tags": ["--base-url=http://127.0.0.1:1"] });
        let page =
            serde_json::json!({ "products": HOSTILE.iter().enumerate().map(product).collect::<Vec<_>>() }).to_string();
        let service = Recorder::start(move |asked| {
            if asked.contains("auth") {
                (404, String::new(), "{}".to_owned())
            } else {
                (200, String::new(), page.clone())
            }
        });
        let home = Self { folder: tempfile::tempdir().unwrap(), service };
        let bin = home.path().join("bin");
        fs::create_dir_all(&bin).unwrap();
        let real = env!("CARGO_BIN_EXE_cutaway");
        let called = home.called();
        let script = format!(
            "if [ -n \"${{CUTAWAY_COMPLETE-}}\" ]; then exec '{real}' \"$@\"; fi\nprintf '%s\\0' \"$@\" > '{0}.part'\nmv '{0}.part' '{0}'",
            called.display()
        );
        crate::programs::script(&bin.join("cutaway"), &script);
        let seen = home.real(&["products", "search"]);
        assert!(seen.contains('x'), "{seen}");
        home
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn called(&self) -> PathBuf {
        self.path().join("called")
    }

    fn variables(&self) -> Vec<(String, String)> {
        let home = self.path();
        let mut variables = vec![
            ("HOME".to_owned(), home.display().to_string()),
            ("TERM".to_owned(), "xterm".to_owned()),
            ("LANG".to_owned(), "C.UTF-8".to_owned()),
            ("LC_ALL".to_owned(), "C.UTF-8".to_owned()),
            ("PS1".to_owned(), "$ ".to_owned()),
            ("CUTAWAY_BASE_URL".to_owned(), self.service.base.clone()),
            ("CUTAWAY_APP_URL".to_owned(), "https://shop.example".to_owned()),
            ("CUTAWAY_API_KEY".to_owned(), "some-key".to_owned()),
            (
                "PATH".to_owned(),
                format!("{}:{}", home.join("bin").display(), std::env::var("PATH").unwrap_or_default()),
            ),
        ];
        for (variable, folder) in [("XDG_CONFIG_HOME", "c"), ("XDG_DATA_HOME", "d"), ("XDG_STATE_HOME", "s")] {
            variables.push((variable.to_owned(), home.join(folder).display().to_string()));
        }
        variables
    }

    /// What the real program prints.
    fn real(&self, arguments: &[&str]) -> String {
        let output = Command::new(env!("CARGO_BIN_EXE_cutaway"))
            .env_clear()
            .envs(self.variables())
            .current_dir(self.path())
            .stdin(Stdio::null())
            .args(arguments)
            .output()
            .unwrap();
        assert!(output.status.success(), "{arguments:?} {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The file with a shell's completions.
    fn script(&self, shell: &str) -> PathBuf {
        let file = self.path().join(format!("completions.{shell}"));
        fs::write(&file, self.real(&["completions", shell])).unwrap();
        file
    }
}

/// A shell in a pseudo-terminal.
struct Shell {
    child: Box<dyn Child + Send + Sync>,
    writer: Box<dyn Write + Send>,
    said: Arc<Mutex<Vec<u8>>>,
}

impl Drop for Shell {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Shell {
    /// Starts it; nothing where it is not on this machine.
    fn start(home: &Home, program: &str, arguments: &[&str]) -> Option<Self> {
        if Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err() {
            eprintln!("SKIPPED: there is no {program} here");
            return None;
        }
        let size = PtySize { rows: 40, cols: 200, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(program);
        command.args(arguments);
        command.env_clear();
        command.cwd(home.path());
        for (name, value) in home.variables() {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let said: Arc<Mutex<Vec<u8>>> = Arc::default();
        let (mut reader, kept) = (pair.master.try_clone_reader().unwrap(), Arc::clone(&said));
        let writer = pair.master.take_writer().unwrap();
        thread::spawn(move || {
            let _master = pair.master;
            let mut buffer = [0; 4096];
            while let Ok(read @ 1..) = reader.read(&mut buffer) {
                kept.lock().unwrap().extend_from_slice(&buffer[..read]);
            }
        });
        Some(Self { child, writer, said })
    }

    fn types(&mut self, keys: &str) {
        self.writer.write_all(keys.as_bytes()).unwrap();
        self.writer.flush().unwrap();
    }

    fn written(&self) -> usize {
        self.said.lock().unwrap().len()
    }

    /// Waits until something was written after a point.
    fn says(&self, from: usize, what: &str) {
        let said = || String::from_utf8_lossy(&self.said.lock().unwrap()[from..]).into_owned();
        until(|| said().contains(what), || format!("{what:?} in {:?}", said()));
    }

    /// Types the beginning of a name and Tab, waits for the whole of it, and runs it.
    fn completes(&mut self, home: &Home, begin: &str, end: &str) -> Vec<String> {
        let called = home.called();
        let _ = fs::remove_file(&called);
        let from = self.written();
        self.types(&format!("cutaway products search --type {begin}"));
        self.says(from, begin.trim_matches(['\'', '"']));
        let from = self.written();
        self.types("\t");
        self.says(from, end);
        self.types("\r");
        until(
            || called.exists(),
            || format!("{begin:?} was run: {}", String::from_utf8_lossy(&self.said.lock().unwrap()[from..])),
        );
        let text = fs::read_to_string(&called).unwrap();
        text.split_terminator('\0').map(str::to_owned).collect()
    }
}

fn until(holds: impl Fn() -> bool, what: impl Fn() -> String) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "waited in vain for {}", what());
        thread::sleep(Duration::from_millis(5));
    }
}

/// Every hostile name, begun without quotes and in both kinds of them.
fn holds_in(shell: &str, arguments: &[&str], ready: impl Fn(&mut Shell, &Path)) {
    let home = Home::new();
    let script = home.script(shell);
    let Some(mut running) = Shell::start(&home, shell, arguments) else { return };
    ready(&mut running, &script);
    for (at, name) in HOSTILE.iter().enumerate() {
        for quote in ["", "'", "\""] {
            let begin = format!("{quote}{}", &name[..2]);
            let called = running.completes(&home, &begin, &format!("end{:02}", at + 1));
            // Control characters of a service reach no terminal.
            let shown = cutaway::domain::text::line(name).into_owned();
            assert_eq!(called, ["products", "search", "--type", &shown], "{shell} {begin:?}");
            assert!(!home.path().join("OWNED").exists(), "{shell}: {name:?} was run");
        }
    }
    // Several at once: only listed, none of them is run.
    let from = running.written();
    // The first Tab may put the quote there that they have in common.
    running.types("cutaway products search --type \t\t\t");
    running.says(from, "end12");
    // What a service calls a thing is never a flag.
    assert!(!String::from_utf8_lossy(&running.said.lock().unwrap()[from..]).contains("--base-url=http"));
    assert!(!home.path().join("OWNED").exists(), "{shell}");
}

#[test]
fn hostile_names_are_one_word_in_bash() {
    holds_in("bash", &["--norc", "--noprofile", "-i"], |shell, script| {
        shell.types(&format!("set +o history; bind 'set page-completions off'; bind 'set completion-query-items 1000'; bind 'set enable-bracketed-paste off'; source '{}'; printf 'rea''dy\\n'\r", script.display()));
        shell.says(0, "ready");
    });
}

#[test]
fn hostile_names_are_one_word_in_zsh() {
    holds_in("zsh", &["-f", "-i"], |shell, script| {
        shell.types(&format!(
            "unsetopt prompt_sp; autoload -U compinit; compinit -u -D; source '{}'; LISTMAX=1000; printf 'rea''dy\\n'\r",
            script.display()
        ));
        shell.says(0, "ready");
    });
}

#[test]
fn hostile_names_are_one_word_in_fish() {
    holds_in("fish", &["--no-config", "-i"], |shell, script| {
        shell.types(&format!(
            "set -g fish_autosuggestion_enabled 0; source '{}'; printf 'rea''dy\\n'\r",
            script.display()
        ));
        shell.says(0, "ready");
    });
}

/// Lines that would do something if PowerShell read them, up to the cursor.
const TYPED: [&str; 4] = [
    "cutaway products search --type \"$(New-Item OWNED)Ze",
    "cutaway products search --tag $(New-Item OWNED) --type Ze",
    "cutaway products search --tag (New-Item OWNED) --type Ze",
    "cutaway products search --tag \"@\n$(New-Item OWNED)\n\" --type 'Ze",
];

/// Nothing that is typed is evaluated: the line goes through a variable, and the answer is quoted.
#[test]
fn powershell_evaluates_nothing_that_is_typed() {
    let home = Home::new();
    let file = home.script("powershell");
    let script = fs::read_to_string(&file).unwrap().to_lowercase();
    for evaluates in ["invoke-expression", "iex", "invoke-command", "scriptblock]", "invokescript", "@\""] {
        assert!(!script.contains(evaluates), "{evaluates}: {script}");
    }
    assert!(script.contains("& cutaway -- cutaway\n"), "{script}");
    for line in TYPED {
        let answered = Command::new(env!("CARGO_BIN_EXE_cutaway"))
            .env_clear()
            .envs(home.variables())
            .env("CUTAWAY_COMPLETE", "powershell")
            .env("_CUTAWAY_LINE", line)
            .current_dir(home.path())
            .args(["--", "cutaway"])
            .output()
            .unwrap();
        let answer = String::from_utf8(answered.stdout).unwrap();
        // In the first one the name is begun otherwise than any is.
        let fits = if line == TYPED[0] { "" } else { "'Zeta $(touch OWNED) & end01'" };
        assert_eq!(answer.lines().next().unwrap_or_default(), fits, "{line:?}");
    }
    let tabs = TYPED.map(|line| {
        let line = line.replace('\'', "''");
        format!("$null = TabExpansion2 -inputScript '{line}' -cursorColumn {}", line.replace("''", "'").len())
    });
    let commands = format!(". '{}'; {}; 'rea' + 'dy'", file.display(), tabs.join("; "));
    let mut pwsh = Command::new("pwsh");
    pwsh.env_clear().envs(home.variables()).current_dir(home.path()).stdin(Stdio::null());
    let Ok(run) = pwsh.args(["-NoProfile", "-NonInteractive", "-Command", &commands]).output() else {
        eprintln!("SKIPPED: there is no pwsh here");
        return;
    };
    assert!(String::from_utf8_lossy(&run.stdout).contains("ready"), "{}", String::from_utf8_lossy(&run.stderr));
    assert!(!home.path().join("OWNED").exists());
}

/// Where the script lies on the `fpath`, the first Tab completes already.
#[test]
fn zsh_completes_on_the_first_tab() {
    let home = Home::new();
    let functions = home.path().join("functions");
    fs::create_dir(&functions).unwrap();
    fs::rename(home.script("zsh"), functions.join("_cutaway")).unwrap();
    let Some(mut zsh) = Shell::start(&home, "zsh", &["-f", "-i"]) else { return };
    zsh.types(&format!(
        "unsetopt prompt_sp; fpath=('{}' $fpath); autoload -U compinit; compinit -u -D; printf 'rea''dy\\n'\r",
        functions.display()
    ));
    zsh.says(0, "ready");
    assert_eq!(zsh.completes(&home, "Ze", "end01"), ["products", "search", "--type", HOSTILE[0]]);
}
