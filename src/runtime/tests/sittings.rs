//! Studios beside each other in one process.

use std::io::{self, Write};
use std::num::NonZero;
use std::path::Path;
use std::sync::{Arc, Mutex};

use ratatui::style::Color;
use tokio::io::{AsyncWriteExt as _, DuplexStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::{Person, terminal};
use crate::runtime::console::Setup;
use crate::runtime::host::{Files, Host};
use crate::runtime::house::House;
use crate::runtime::remote::{self, Size};
use crate::runtime::sitting::{Sitting, SittingError, Start};
use crate::service::{Running, ServeOptions, Service};
use crate::settings::{Config, Credentials, Depth, Environment, Flags, Folders, Target, Theme};
use crate::studio::Command;
use crate::terminal::{Capability, Keyboard, Shortcuts};

const TRUE: Capability = Capability {
    depth: Depth::True,
    ascii: false,
    remote: true,
    asks: false,
    maker: None,
    light: None,
    asks_background: false,
    asks_colors: false,
    asks_repeats: false,
    bears_questions: false,
    silent: false,
    clipboard: true,
    copies_through: None,
    passes: false,
    through: None,
    mouse: true,
    keyboard: Keyboard::Asked,
    sends_all: false,
    links: false,
    bears_links: false,
    wide_signs: false,
    shortcuts: Shortcuts { margins: false, ..Shortcuts::ALL },
};

/// A host that allows what a test needs, in a home of its own.
fn host(home: &Path, environment: Environment) -> Host {
    Host {
        environment,
        files: Some(Files::new(Some(home.to_owned()), Some(home.to_owned()))),
        clipboard: true,
        profiles: true,
        ..Host::closed(Folders::under(home))
    }
}

struct Begun {
    person: Person,
    host: Arc<Host>,
    ended: JoinHandle<Result<(), SittingError>>,
}

fn begin(house: &Arc<House>, host: Host, flags: Flags, size: (u16, u16)) -> Begun {
    let config = Config::read(&host.folders.config_file().unwrap());
    let target = Target::resolve(&flags, &host.environment, &config, &Credentials::default()).unwrap();
    let (mut surface, mut source, person) = terminal(size);
    let host = Arc::new(host);
    let start = Arc::new(Start { target, flags, config, fresh: false, credentials_fault: None });
    let sitting = Sitting { house: Arc::clone(house), host: Arc::clone(&host), start, capability: TRUE };
    let ended = tokio::spawn(async move { sitting.run(&mut surface, &mut source).await });
    Begun { person, host, ended }
}

fn in_theme(theme: &str) -> Flags {
    Flags { theme: Some(theme.to_owned()), ..Flags::default() }
}

fn accent(theme: &str) -> Color {
    Theme::load(theme, None, Depth::True).0.accent.fg.unwrap()
}

/// Nothing of a sitting runs on: whatever it began had its host.
async fn is_gone(host: &Arc<Host>) {
    let gone = async {
        while Arc::strong_count(host) > 1 {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(super::PATIENCE, gone).await.expect("something of a sitting that has ended runs on");
}

/// A service somewhere else, with the sample store; and the home of someone who has a profile of it.
async fn shop(home: &Path) -> (Running, Environment) {
    let data = home.join("service");
    let service = Service::open(ServeOptions { data, ..ServeOptions::default() }).await.unwrap();
    service.load_sample(|_| ()).await.unwrap();
    let key = service.add_key(None).await.unwrap();
    let running = service.start("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let config = Folders::under(home).config_file().unwrap();
    std::fs::create_dir_all(config.parent().unwrap()).unwrap();
    let url = running.url().unwrap();
    let text = format!("[profiles.fjord]\nbase_url = \"{url}\"\napp_url = \"https://nordlys-outdoor.example\"\n");
    std::fs::write(config, text).unwrap();
    let environment = [("CUTAWAY_API_KEY".to_owned(), key.expose().to_owned())];
    (running, environment.into_iter().collect())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sittings_in_one_process_end_apart() {
    let (home, other_home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (service, environment) = shop(other_home.path()).await;
    let house = Arc::new(House::default());
    // Two of one person on the local workspace, and somebody else on a profile of theirs.
    let mut leaves = begin(&house, host(home.path(), Environment::default()), in_theme("dark"), (80, 24));
    let mut breaks = {
        let flags = Flags { profile: Some("fjord".to_owned()), ..in_theme("light") };
        begin(&house, host(other_home.path(), environment), flags, (120, 40))
    };
    let mut stays = begin(&house, host(home.path(), Environment::default()), in_theme("high-contrast"), (200, 60));
    for (begun, size, theme) in
        [(&mut leaves, (80, 24), "dark"), (&mut breaks, (120, 40), "light"), (&mut stays, (200, 60), "high-contrast")]
    {
        begun.person.sees("274 products").await;
        let shown = begun.person.screen();
        assert_eq!(shown.size, size);
        assert!(shown.colors.contains(&accent(theme)), "{theme}: {:?}", shown.colors);
    }
    assert!(breaks.person.screen().text.contains("fjord") && !leaves.person.screen().text.contains("fjord"));
    assert!(!breaks.person.screen().colors.contains(&accent("dark")));

    // What is done in one is seen in none of the others.
    leaves.person.presses("2").sees("Gift finder").await;
    breaks.person.presses("?").sees("type to search").await;
    assert!(!stays.person.screen().text.contains("Gift finder"));

    breaks.person.panics();
    assert!(breaks.ended.await.unwrap_err().is_panic());
    is_gone(&breaks.host).await;
    leaves.person.hangs_up();
    leaves.ended.await.unwrap().unwrap();
    assert_eq!(Arc::strong_count(&leaves.host), 1, "nothing of it runs on once it has ended");

    // The workspace that both used is still served, and nobody is told of a panic that is not theirs.
    stays.person.presses("2").sees("Gift finder").await.presses("!").sees("Notices").await;
    assert!(!stays.person.screen().text.contains("nternal error"), "{}", stays.person.screen().text);
    stays.person.presses("<esc>q");
    stays.ended.await.unwrap().unwrap();
    assert_eq!(Arc::strong_count(&stays.host), 1);
    assert_eq!(Arc::strong_count(&house), 1);
    service.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sitting_turns_to_another_profile_and_is_resumed_where_it_was() {
    let home = tempfile::tempdir().unwrap();
    let (service, environment) = shop(home.path()).await;
    let house = Arc::new(House::default());
    let flags = Flags { profile: Some("fjord".to_owned()), ..Flags::default() };
    let mut begun = begin(&house, host(home.path(), environment.clone()), flags.clone(), (120, 40));
    begun.person.sees("274 products").await.presses("2").sees("Gift finder").await;
    begun.person.presses("@").sees("local").await.presses("local<enter>");
    begun.person.waits("the other profile", |shown| shown.text.contains("274 products")).await;
    begun.person.hangs_up();
    begun.ended.await.unwrap().unwrap();
    let mut again = begin(&house, host(home.path(), environment), flags, (120, 40));
    again.person.sees("Gift finder").await.presses("q");
    again.ended.await.unwrap().unwrap();
    service.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_host_does_not_offer_is_absent_and_refused() {
    let home = tempfile::tempdir().unwrap();
    let (service, environment) = shop(home.path()).await;
    let flags = Flags { profile: Some("fjord".to_owned()), ..Flags::default() };
    let closed = Host { environment, ..Host::closed(Folders::under(home.path())) };
    let mut begun = begin(&Arc::new(House::default()), closed, flags, (120, 40));
    begun.person.sees("274 products").await;
    for (typed, command) in [
        ("export", Command::Export),
        ("suspend", Command::Suspend),
        ("bundle", Command::Bundle),
        ("pictures", Command::Pictures),
    ] {
        begun.person.presses(":").sees("Commands").await.presses(typed);
        begun.person.waits("what was typed", |shown| shown.text.contains(typed)).await;
        let about = command.about().get(..20).unwrap();
        assert!(!begun.person.screen().text.contains(about), "{}", begun.person.screen().text);
        begun.person.presses("<esc><esc>").waits("no palette", |shown| !shown.text.contains("Commands")).await;
    }
    // Its key does nothing either.
    begun.person.presses("e<ctrl-z>2").sees("Gift finder").await.presses("q");
    begun.ended.await.unwrap().unwrap();
    service.stop().await;
}

/// A terminal by bytes, as a line to somewhere else carries them.
struct Line {
    input: DuplexStream,
    size: watch::Sender<Size>,
    shown: Arc<Mutex<vt100::Parser>>,
}

/// The terminal's end of a line, which draws what arrives.
struct Screen(Arc<Mutex<vt100::Parser>>);

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().process(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A terminal's end that takes nothing, until the line is cut.
struct Stuck(std::sync::mpsc::Receiver<()>);

impl Write for Stuck {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        let _ = self.0.recv();
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Line {
    async fn sees(&self, text: &str) {
        self.waits(text, |screen| screen.contents().contains(text)).await;
    }

    async fn waits(&self, what: &str, is_so: impl Fn(&vt100::Screen) -> bool) {
        let seen = async {
            while !is_so(self.shown.lock().unwrap().screen()) {
                tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            }
        };
        let seen = tokio::time::timeout(super::PATIENCE, seen).await;
        assert!(seen.is_ok(), "{what} was never seen, but:\n{}", self.shown.lock().unwrap().screen().contents());
    }
}

fn cells(count: u16) -> NonZero<u16> {
    NonZero::new(count).unwrap()
}

/// A sitting at the other end of a line whose bytes are taken by `output`.
fn over_line(
    house: &Arc<House>,
    host: Host,
    output: impl FnOnce(Arc<Mutex<vt100::Parser>>) -> Box<dyn Write + Send>,
) -> (Line, JoinHandle<Result<(), SittingError>>) {
    over_line_lost_after(std::time::Duration::from_secs(600), house, host, output)
}

/// The same that ends after so long without an answer.
fn over_line_lost_after(
    lost_after: std::time::Duration,
    house: &Arc<House>,
    host: Host,
    output: impl FnOnce(Arc<Mutex<vt100::Parser>>) -> Box<dyn Write + Send>,
) -> (Line, JoinHandle<Result<(), SittingError>>) {
    let (input, theirs) = tokio::io::duplex(4096);
    let shown = Arc::new(Mutex::new(vt100::Parser::new(cells(30), cells(100), 0)));
    let (size, sizes) = watch::channel(Size { cells: (100, 30), cell: None });
    let setup = Setup {
        capability: TRUE,
        graphics: None,
        tells_progress: false,
        follows_background: false,
        lost_after,
        desktop: None,
    };
    let (mut surface, mut source) = remote::open(setup, sizes, theirs, output(Arc::clone(&shown))).unwrap();
    let config = Config::default();
    let target = Target::resolve(&Flags::default(), &host.environment, &config, &Credentials::default()).unwrap();
    let start = Start { target, flags: Flags::default(), config, fresh: false, credentials_fault: None };
    let sitting = Sitting { house: Arc::clone(house), host: Arc::new(host), start: Arc::new(start), capability: TRUE };
    let ended = tokio::spawn(async move { sitting.run(&mut surface, &mut source).await });
    (Line { input, size, shown }, ended)
}

/// On one thread: whoever blocked it would hold up everybody.
#[tokio::test]
async fn a_terminal_that_takes_no_bytes_holds_up_nobody_not_even_its_own_keys() {
    let home = tempfile::tempdir().unwrap();
    let house = Arc::new(House::default());
    let host = || host(home.path(), Environment::default());
    let (cut, stays_stuck) = std::sync::mpsc::channel();
    let (mut stuck, stuck_ended) = over_line(&house, host(), |_| Box::new(Stuck(stays_stuck)));
    let (mut other, other_ended) = over_line(&house, host(), |shown| Box::new(Screen(shown)));
    other.sees("274 products").await;
    other.input.write_all(b"2").await.unwrap();
    other.sees("Gift finder").await;
    // Its size is told, too.
    other.shown.lock().unwrap().screen_mut().set_size(cells(40), cells(120));
    other.size.send_replace(Size { cells: (120, 40), cell: None });
    other.input.write_all(b"?").await.unwrap();
    other.sees("type to search").await;
    stuck.input.write_all(b"q").await.unwrap();
    stuck_ended.await.unwrap().unwrap();
    other.input.write_all(b"\x1b").await.unwrap();
    other.waits("no help", |screen| !screen.contents().contains("type to search")).await;
    other.input.write_all(b"q").await.unwrap();
    other_ended.await.unwrap().unwrap();
    other.waits("the terminal as it was", |screen| !screen.alternate_screen() && !screen.hide_cursor()).await;
    drop(cut);
}

#[tokio::test]
async fn a_terminal_that_answered_and_answers_no_more_ends_its_sitting_in_order_and_one_that_never_did_does_not() {
    let home = tempfile::tempdir().unwrap();
    let house = Arc::new(House::default());
    let host = || host(home.path(), Environment::default());
    let lost_after = std::time::Duration::from_secs(2);
    let open = || over_line_lost_after(lost_after, &house, host(), |shown| Box::new(Screen(shown)));
    let ((mut lost, lost_ended), (mut silent, silent_ended)) = (open(), open());
    silent.sees("274 products").await;
    lost.sees("274 products").await;
    // To what every frame ends with. It edits, and is heard of no more.
    lost.input.write_all(b"\x1b[0n").await.unwrap();
    let ended = tokio::time::timeout(super::PATIENCE, lost_ended).await;
    ended.expect("it goes on").unwrap().unwrap();
    lost.waits("the terminal as it was", |screen| !screen.alternate_screen()).await;
    assert!(!silent_ended.is_finished(), "whether that one answers is not known");
    silent.input.write_all(b"q").await.unwrap();
    silent_ended.await.unwrap().unwrap();
}
