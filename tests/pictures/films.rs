//! The driver of pictures on films: posters and frames by ffmpeg, with files, hosts and an ffmpeg that behave, and that
//! do not. Where there is no ffmpeg what needs a real one is left out, and says so.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::print_stderr)] // Helpers of tests are tests too.

use crate::host;

use std::collections::HashMap;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use cutaway::domain::VideoId;
use cutaway::runtime::pictures::Pictures;
use cutaway::runtime::uploads::look;
use cutaway::settings::{Depth, Graphics};
use cutaway::studio::event::Event;
use cutaway::studio::films::{Film, FilmFacts, FilmFile, Still};
use cutaway::studio::pictures::{Address, Picture, PictureFault, Wanted};
use cutaway::uploads::FilePath;
use host::{answer, host};
use ratatui::style::Color;
use tempfile::TempDir;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use url::Url;

/// The ffmpeg of this machine.
fn ffmpeg() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join("ffmpeg")).find(|file| file.is_file());
    if found.is_none() {
        eprintln!("SKIPPED: there is no ffmpeg here, so nothing was tried with a real one");
    }
    found
}

/// Makes a clip that is red for a second and then blue for another, with its index before the pictures.
fn clip(ffmpeg: &Path, path: &Path, size: &str) {
    let colour = |colour: &str| format!("color={colour}:size={size}:rate=25:duration=1");
    let made = Command::new(ffmpeg)
        .args(["-nostdin", "-loglevel", "error", "-y", "-f", "lavfi", "-i", &colour("red"), "-f", "lavfi", "-i"])
        .args([&colour("blue"), "-filter_complex", "concat=n=2", "-c:v", "mpeg4", "-q:v", "2"])
        .args(["-movflags", "+faststart", "-f", "mp4"])
        .arg(path)
        .status();
    assert!(made.unwrap().success());
}

/// A program in place of ffmpeg.
fn fake(folder: &Path, script: &str) -> PathBuf {
    let path = folder.join("ffmpeg");
    crate::programs::script(&path, script);
    path
}

fn film_of(path: &Path) -> Film {
    let about = fs::metadata(path).unwrap();
    let modified = about.modified().unwrap().duration_since(std::time::UNIX_EPOCH).unwrap();
    let file = FilmFile {
        path: FilePath(path.to_owned()),
        size: about.len(),
        modified_ns: i64::try_from(modified.as_nanos()).ok(),
    };
    Film { title: "clip".to_owned(), file: Some(file), duration_ms: Some(2_000), ..Film::default() }
}

/// A driver with its events.
struct Driver {
    pictures: Pictures,
    events: UnboundedReceiver<Event>,
    facts: FilmFacts,
}

impl Driver {
    fn new(ffmpeg: Option<PathBuf>, cache: &Path, base: Option<&str>) -> Self {
        let (sender, events) = unbounded_channel();
        let base = base.map(|base| Url::parse(base).unwrap());
        let pictures = Pictures::with_ffmpeg(ffmpeg, Some(cache.to_owned()), base, Depth::True, sender);
        Self { pictures, events, facts: FilmFacts::default() }
    }

    fn want(&self, film: &Arc<Film>, at_us: Option<u64>) {
        let address = Address::Still(Still { film: Arc::clone(film), at_us });
        self.pictures.want(vec![Wanted { address, room: (8, 4) }], Graphics::Blocks, (10, 20));
    }

    /// A picture of a film, once it is here.
    async fn still(&mut self, film: &Film, at_us: Option<u64>) -> Result<Arc<Picture>, PictureFault> {
        let film = Arc::new(film.clone());
        self.want(&film, at_us);
        loop {
            match self.events.recv().await.unwrap() {
                Event::FilmLearned { facts, .. } => self.facts = facts,
                Event::PictureArrived { wanted, picture } => {
                    let Address::Still(still) = wanted.address else { panic!("a poster") };
                    // What was wanted before may still come.
                    if still == (Still { film: Arc::clone(&film), at_us }) {
                        self.want_nothing();
                        return picture;
                    }
                }
                _ => {}
            }
        }
    }

    fn want_nothing(&self) {
        self.pictures.want(Vec::new(), Graphics::Blocks, (10, 20));
    }

    /// The colour of it.
    async fn colour(&mut self, film: &Film, at_us: Option<u64>) -> Result<&'static str, PictureFault> {
        self.still(film, at_us).await.map(|picture| colour(&picture))
    }
}

/// What a picture of one colour shows.
fn colour(picture: &Picture) -> &'static str {
    let shown = picture.cells.iter().flat_map(|cell| [cell.fg, cell.bg]);
    let names: Vec<&str> = shown
        .filter_map(|colour| match colour {
            Color::Rgb(200.., 0..60, 0..60) => Some("red"),
            Color::Rgb(0..60, 0..60, 200..) => Some("blue"),
            Color::Rgb(..) => Some("another"),
            _ => None,
        })
        .collect();
    assert!(!names.is_empty());
    if names.iter().all(|name| *name == names[0]) { names[0] } else { "mixed" }
}

fn folders() -> (TempDir, TempDir) {
    (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_film_shows_its_poster_and_its_frames() {
    let Some(program) = ffmpeg() else { return };
    let (folder, cache) = folders();
    let path = folder.path().join("clip.mp4");
    clip(&program, &path, "64x48");
    let mut driver = Driver::new(Some(program.clone()), cache.path(), None);
    let film = film_of(&path);
    assert_eq!(driver.colour(&film, None).await, Ok("red"));
    let mut seen = Vec::new();
    for ms in [0, 960, 1_000, 1_960, 2_000, 60_000_000] {
        seen.push(driver.colour(&film, Some(ms * 1000)).await);
    }
    assert_eq!(seen, [Ok("red"), Ok("red"), Ok("blue"), Ok("blue"), Ok("blue"), Err(PictureFault::NoFrame)]);
    assert_eq!(driver.facts, FilmFacts { duration_us: Some(2_000_000), frame_us: Some(40_000) });

    // Whoever looks at it is told that before the first frame.
    let opened = Arc::new(film.clone());
    driver.pictures.films().open(Arc::clone(&opened));
    let Some(Event::FilmLearned { film: of, facts }) = driver.events.recv().await else { panic!("facts") };
    assert_eq!((of, facts), (opened, driver.facts));

    // One whose picture is wide and whose pixels are not square keeps its look.
    clip(&program, &path, "160x40");
    let picture = driver.still(&film_of(&path), None).await.unwrap();
    assert_eq!(picture.size, (8, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn posters_outlive_their_files() {
    let Some(program) = ffmpeg() else { return };
    let (folder, cache) = folders();
    let path = folder.path().join("clip.mp4");
    clip(&program, &path, "64x48");
    let queued = film_of(&path);
    let mut driver = Driver::new(Some(program), cache.path(), Some("https://service.example/"));
    assert_eq!(driver.colour(&queued, None).await, Ok("red"));
    // It arrives: from then on it is the video's.
    let arrived = Film { video: Some(VideoId::from("v-1")), ..queued.clone() };
    assert_eq!(driver.colour(&arrived, None).await, Ok("red"));
    fs::remove_file(&path).unwrap();
    assert_eq!(driver.colour(&queued, None).await, Ok("red"));
    assert_eq!(driver.colour(&queued, Some(0)).await, Err(PictureFault::FileGone));
    let listed = |id: &str| Film { video: Some(VideoId::from(id)), ..Film::default() };
    let mut later = Driver::new(None, cache.path(), Some("https://service.example/"));
    assert_eq!(later.colour(&listed("v-1"), None).await, Ok("red"));
    assert_eq!(later.colour(&listed("v-2"), None).await, Err(PictureFault::NoPoster));
    assert_eq!(later.colour(&listed("v-1"), Some(0)).await, Err(PictureFault::NoFfmpeg));
    let mut elsewhere = Driver::new(None, cache.path(), Some("https://other.example/"));
    assert_eq!(elsewhere.colour(&listed("v-1"), None).await, Err(PictureFault::NoPoster), "ids are of one library");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_queued_has_posters_before_anyone_looks() {
    use cutaway::uploads::{Entry, Queue, UploadId};

    let Some(program) = ffmpeg() else { return };
    let (folder, cache) = folders();
    let mut queue = Queue::default();
    for number in 1..=3 {
        let path = folder.path().join(format!("{number}.mp4"));
        clip(&program, &path, "64x48");
        let file = Box::new(look(&path).unwrap());
        queue.apply(&Entry::Added { id: UploadId(number), at_ms: 0, file, destination: None });
    }
    let driver = Driver::new(Some(program), cache.path(), None);
    driver.pictures.films().look_at(&queue);
    queue.apply(&Entry::Arrived { id: UploadId(2), at_ms: 1, video: "v-2".into(), found: false });
    driver.pictures.films().look_at(&queue);
    let kept = || fs::read_dir(cache.path().join("posters")).into_iter().flatten().count();
    while kept() < 4 {
        tokio::task::yield_now().await;
    }
    let mut later = Driver::new(None, cache.path(), None);
    let arrived = Film { video: Some(VideoId::from("v-2")), ..Film::default() };
    assert_eq!(later.colour(&arrived, None).await, Ok("red"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_of_any_name_and_of_any_content() {
    let Some(program) = ffmpeg() else { return };
    let (folder, cache) = folders();
    let at = |name: &[u8]| folder.path().join(std::ffi::OsStr::from_bytes(name));
    let good = at(b"good.mp4");
    clip(&program, &good, "64x48");
    let mut driver = Driver::new(Some(program), cache.path(), None);
    let names: [&[u8]; 8] = [
        b"-version",
        b"http:x.mp4",
        b"concat:a|b",
        b"a%03d.png",
        b"a b\nc.mp4",
        b"\x1b[2J",
        b"\xff\xfe.mp4",
        b"x'\".mp4",
    ];
    for name in names {
        fs::copy(&good, at(name)).unwrap();
        assert_eq!(driver.colour(&film_of(&at(name)), None).await, Ok("red"), "{name:?}");
    }
    let whole = fs::read(&good).unwrap();
    let text = at(b"text.mp4");
    fs::write(&text, "no film at all, whatever its name says").unwrap();
    assert_eq!(driver.colour(&film_of(&text), None).await, Err(PictureFault::NotAVideo));
    // Cut off after its index there is a picture; before it there is none.
    let cut = at(b"cut.mp4");
    fs::write(&cut, &whole[..whole.len() * 3 / 4]).unwrap();
    assert_eq!(driver.colour(&film_of(&cut), None).await, Ok("red"));
    fs::write(&cut, &whole[..200]).unwrap();
    let found = driver.colour(&film_of(&cut), None).await;
    assert!(matches!(found, Err(PictureFault::Unreadable | PictureFault::NoFrame)), "{found:?}");
    let noise: Vec<u8> = whole.iter().take(32).copied().chain((0..9_999u32).map(|n| n.to_le_bytes()[0])).collect();
    fs::write(&cut, noise).unwrap();
    assert_eq!(driver.colour(&film_of(&cut), None).await, Err(PictureFault::Unreadable));
    // A list of other files is no film, whatever it says.
    let list = at(b"list.mp4");
    fs::write(&list, format!("ffconcat version 1.0\nfile '{}'\n", good.display())).unwrap();
    assert_eq!(driver.colour(&film_of(&list), None).await, Err(PictureFault::NotAVideo));
    // Gone, or another one, since it was looked at.
    let film = film_of(&good);
    fs::write(&good, &whole[..whole.len() - 1]).unwrap();
    assert_eq!(driver.colour(&film, Some(0)).await, Err(PictureFault::FileChanged));
    fs::remove_file(&good).unwrap();
    assert_eq!(driver.colour(&film, Some(0)).await, Err(PictureFault::FileGone));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_ffmpeg_that_misbehaves_holds_nothing_up() {
    let (folder, cache) = folders();
    let path = folder.path().join("clip.mp4");
    fs::write(&path, b"\0\0\0\x18ftypisom\0\0\x02\0isomiso2 and no more").unwrap();
    let film = film_of(&path);
    let bomb = folder.path().join("bomb.png");
    // A picture of one pixel whose head says that it has many more.
    let mut head = Vec::new();
    let one = image::DynamicImage::ImageRgb8(image::RgbImage::new(1, 1));
    one.write_to(&mut std::io::Cursor::new(&mut head), image::ImageFormat::Png).unwrap();
    head[16..24].copy_from_slice(&[0, 0, 0xc3, 0x50, 0, 0, 0xc3, 0x50]);
    let mut sum = flate2::Crc::new();
    sum.update(&head[12..29]);
    head[29..33].copy_from_slice(&sum.sum().to_be_bytes());
    fs::write(&bomb, head).unwrap();
    let cases = [
        ("exit 1".to_owned(), PictureFault::Unreadable),
        ("kill -9 $$".to_owned(), PictureFault::Unreadable),
        ("echo '  Duration: 00:00:02.00, start' >&2".to_owned(), PictureFault::NoFrame),
        ("echo garbage".to_owned(), PictureFault::NotAPicture("unknown form")),
        (format!("cat {}", bomb.display()), PictureFault::TooManyPixels(50_000, 50_000)),
        ("exec cat /dev/zero".to_owned(), PictureFault::TooManyBytes),
        ("exec cat /dev/zero >&2".to_owned(), PictureFault::SlowToMake),
    ];
    for (script, expected) in cases {
        let mut driver = Driver::new(Some(fake(folder.path(), &script)), cache.path(), None);
        assert_eq!(driver.colour(&film, None).await, Err(expected), "{script}");
    }
    assert!(!cache.path().join("posters").exists(), "nothing of it is kept");
    let none = Driver::new(Some(folder.path().join("none")), cache.path(), None).colour(&film, None).await;
    assert_eq!(none, Err(PictureFault::NoFfmpeg));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_frame_that_is_not_wanted_any_more_is_given_up() {
    let (folder, cache) = folders();
    let path = folder.path().join("clip.mp4");
    fs::write(&path, b"\0\0\0\x18ftypisom\0\0\x02\0isomiso2 and no more").unwrap();
    let film = Arc::new(film_of(&path));
    // The first hangs until it is killed; each says which one it is.
    let begun = folder.path().join("begun");
    let script =
        format!("echo $$ >> {}; case \"$*\" in *3000000us*|*reverse*) exit 1;; esac; exec sleep 600", begun.display());
    let mut driver = Driver::new(Some(fake(folder.path(), &script)), cache.path(), None);
    for at in [1, 2] {
        driver.want(&film, Some(at * 1_000_000));
        let lines = || fs::read_to_string(&begun).unwrap_or_default().lines().count();
        while u64::try_from(lines()).unwrap() < at {
            tokio::task::yield_now().await;
        }
    }
    assert_eq!(driver.colour(&film, Some(3_000_000)).await, Err(PictureFault::Unreadable));
    let pids = fs::read_to_string(&begun).unwrap();
    for pid in pids.lines().take(2) {
        let alive = || {
            let about = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            about.contains("sleep") && !about.contains(") Z")
        };
        while alive() {
            tokio::task::yield_now().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_video_is_fetched_once_and_only_where_it_may() {
    let Some(program) = ffmpeg() else { return };
    let (folder, cache) = folders();
    let path = folder.path().join("clip.mp4");
    clip(&program, &path, "64x48");
    let bytes = fs::read(&path).unwrap();
    let mut cut = answer("200 OK", "video/mp4", &bytes);
    cut.truncate(cut.len() - 40);
    let moved = |to: &str| format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n").into_bytes();
    let host = host(HashMap::from([
        ("/clip", answer("200 OK", "video/mp4", &bytes)),
        ("/moved", moved("/clip")),
        ("/away", moved("https://cdn.example/clip")),
        ("/file", moved("file:///etc/passwd")),
        ("/cut", cut),
        ("/html", answer("200 OK", "text/html", b"<!doctype html>")),
        ("/gone", answer("404 Not Found", "text/html", b"")),
        ("/long", b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n".to_vec()),
    ]))
    .await;
    let at = |address: &str| Film { video: Some(address.into()), address: Some(address.into()), ..Film::default() };
    let here = |path: &str| at(&format!("{}{path}", host.base));
    let asked = || host.asked.lock().unwrap().len();
    let mut driver = Driver::new(Some(program.clone()), cache.path(), None);

    // A list asks nobody.
    let Some(Address::Still(listed)) = here("/clip").poster() else { panic!("a poster") };
    assert_eq!(driver.colour(&listed.film, None).await, Err(PictureFault::NoPoster));
    assert_eq!(asked(), 0);
    // Whoever asked gets the poster and every frame for one fetch, and the list has the poster then, too.
    let film = here("/clip");
    for (at_us, expected) in [(None, "red"), (Some(1_500_000), "blue"), (Some(0), "red")] {
        assert_eq!(driver.colour(&film, at_us).await, Ok(expected));
    }
    assert_eq!(asked(), 1);
    assert_eq!(driver.colour(&listed.film, None).await, Ok("red"));
    let scratch =
        || fs::read_dir(cache.path()).unwrap().filter(|entry| entry.as_ref().unwrap().path().is_file()).count();
    assert_eq!(scratch(), 1);
    driver.pictures.films().close();
    while scratch() > 0 {
        tokio::task::yield_now().await;
    }

    for (path, expected) in [
        ("/moved", Ok("red")),
        ("/away", Err(PictureFault::OtherHost("cdn.example".into()))),
        ("/file", Err(PictureFault::OtherHost(String::new()))),
        ("/cut", Err(PictureFault::CutOff)),
        ("/html", Err(PictureFault::NotAVideo)),
        ("/gone", Err(PictureFault::Status(404))),
        ("/long", Err(PictureFault::TooLongToFetch(256 << 20))),
    ] {
        assert_eq!(driver.colour(&here(path), None).await, expected, "{path}");
    }
    for (other, name) in [("https://cdn.example/a", "cdn.example"), ("http://10.0.0.1/a", "10.0.0.1")] {
        assert_eq!(driver.colour(&at(other), None).await, Err(PictureFault::OtherHost(name.into())));
    }
    // Of a service elsewhere this machine is not asked.
    let mut remote = Driver::new(Some(program), cache.path(), Some("https://service.example/"));
    let before = asked();
    assert_eq!(remote.colour(&here("/clip?"), None).await, Err(PictureFault::OtherHost("127.0.0.1".into())));
    assert_eq!(asked(), before);
    // One that never answers is let go of.
    driver.want(&Arc::new(here("/silent")), None);
    while asked() == before {
        tokio::task::yield_now().await;
    }
    driver.pictures.films().close();
    assert_eq!(driver.colour(&here("/clip?again"), Some(0)).await, Ok("red"));
    assert!(host.asked.lock().unwrap().iter().all(|head| !head.to_ascii_lowercase().contains("authorization:")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ffmpeg_has_limits_and_no_secrets() {
    let (folder, cache) = folders();
    let said = folder.path().join("said");
    let script = format!(
        "{{ echo seconds $(ulimit -t); echo kibibytes $(ulimit -v); echo cores $(ulimit -c); echo \"$*\"; env; }} > {}; exit 1",
        said.display()
    );
    let path = folder.path().join("clip.mp4");
    fs::write(&path, b"\0\0\0\x18ftypisom\0\0\x02\0isomiso2 and no more").unwrap();
    let mut driver = Driver::new(Some(fake(folder.path(), &script)), cache.path(), None);
    assert_eq!(driver.colour(&film_of(&path), None).await, Err(PictureFault::Unreadable));
    let words = fs::read_to_string(&said).unwrap();
    let number = |name: &str| {
        let line = words.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().parse::<u64>().unwrap_or(u64::MAX)
    };
    assert!(number("seconds ") <= 15 && number("cores ") == 0, "{words}");
    if cfg!(target_os = "linux") {
        assert!(number("kibibytes ") <= 2 << 20, "{words}");
    }
    assert!(words.contains("-protocol_whitelist file -format_whitelist"), "{words}");
    assert!(!words.lines().any(|line| line.starts_with("CUTAWAY_API_KEY=")));
    // A name that steers terminals is not handed on: the film has another one meanwhile.
    fs::remove_file(&said).unwrap();
    let hostile = folder.path().join("clip\u{1b}]52;c;eA==\u{7}.mp4");
    fs::copy(&path, &hostile).unwrap();
    assert_eq!(driver.colour(&film_of(&hostile), None).await, Err(PictureFault::Unreadable));
    let words = fs::read_to_string(&said).unwrap();
    assert!(words.contains("-i file:/") && !words.contains('\u{1b}') && !words.contains("52;c"), "{words}");
}
