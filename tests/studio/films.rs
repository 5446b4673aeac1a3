//! Videos as pictures: what a terminal is given is read back and held against the clip, which is red for a second and
//! then blue. What needs ffmpeg is left out where there is none, and says so.

#![allow(clippy::print_stderr)] // That is where it says so.

use std::path::{Path, PathBuf};
use std::process::Command;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use crate::graphics::{ITERM, KITTY, PLAIN, SIXEL, find, key, kitty_pictures};
use crate::service::Service;
use crate::terminal::{Start, Studio};

fn has_ffmpeg() -> bool {
    let there = Command::new("ffmpeg").arg("-version").output().is_ok();
    if !there {
        eprintln!("SKIPPED: there is no ffmpeg here, so no clip was shown");
    }
    there
}

/// A clip that is red for a second and then blue for another.
fn clip(folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(name);
    let colour = |colour: &str| format!("color={colour}:size=96x54:rate=25:duration=1");
    let made = Command::new("ffmpeg")
        .args(["-nostdin", "-loglevel", "error", "-f", "lavfi", "-i", &colour("red"), "-f", "lavfi", "-i"])
        .args([&colour("blue"), "-filter_complex", "concat=n=2", "-c:v", "mpeg4", "-q:v", "2"])
        .arg(&path)
        .status();
    assert!(made.unwrap().success());
    path
}

fn dropped(studio: &mut Studio, path: &Path) {
    studio.keys(&format!("\x1b[200~'{}'\x1b[201~", path.display()));
}

fn name_of((r, g, b): (u8, u8, u8)) -> &'static str {
    match (r, g, b) {
        (180.., 0..80, 0..80) => "red",
        (0..80, 0..80, 180..) => "blue",
        _ => "another",
    }
}

/// The colour of most of a picture.
fn colour(pixels: &[u8], of: usize) -> &'static str {
    let names: Vec<&str> = pixels.chunks_exact(of).map(|pixel| name_of((pixel[0], pixel[1], pixel[2]))).collect();
    let most = |name: &str| names.iter().filter(|found| **found == name).count() * 10 > names.len() * 9;
    ["red", "blue"].into_iter().find(|name| most(name)).unwrap_or("another")
}

/// The colour of the last picture that a terminal was given, in whichever way it is shown.
fn painted(written: &[u8]) -> Option<&'static str> {
    let text = String::from_utf8_lossy(written);
    if let Some((keys, bytes)) = kitty_pictures(written).pop() {
        let mut pixels = Vec::new();
        std::io::Read::read_to_end(&mut flate2::read::ZlibDecoder::new(bytes.as_slice()), &mut pixels).ok()?;
        assert_eq!(pixels.len(), key(&keys, "s") as usize * key(&keys, "v") as usize * 3);
        return Some(colour(&pixels, 3));
    }
    if let Some(at) = written.windows(2).rposition(|pair| pair == b"\x1bP") {
        let end = at + find(&written[at..], b"\x1b\\")? + 2;
        return Some(colour(&icy_sixel::SixelImage::decode(&written[at..end]).ok()?.pixels, 4));
    }
    let file = text.rsplit_once("1337;File=")?.1.split_once(':')?.1.split('\x07').next()?;
    let png = BASE64_STANDARD.decode(file).ok()?;
    Some(colour(image::load_from_memory(&png).ok()?.into_rgb8().as_raw(), 3))
}

/// How many cells of the screen have a colour of the clip.
fn cells(screen: &vt100::Screen, name: &str) -> usize {
    let (rows, columns) = (screen.size().0.get(), screen.size().1.get());
    let is = |colour| matches!(colour, vt100::Color::Rgb(r, g, b) if name_of((r, g, b)) == name);
    let places = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    places
        .filter(|(row, column)| screen.cell(*row, *column).is_some_and(|cell| is(cell.fgcolor()) || is(cell.bgcolor())))
        .count()
}

#[test]
fn a_clip_has_a_poster_from_the_queue_to_the_library_and_shows_its_frames() {
    if !has_ffmpeg() {
        return;
    }
    let service = Service::of(1);
    let start = service.studio().with("COLORTERM", "truecolor");
    let path = clip(start.home(), "clip.mp4");
    let again = start.again_with_arguments();
    let mut studio = start.open();
    studio.writes(0, b"\x1b[c").bytes(PLAIN).shows("1 product ").keys("3").shows("No videos yet");
    dropped(&mut studio, &path);
    studio.shows("1 upload done").shows("1 video");
    // In the detail, of the video and of the upload; then in the list, too.
    studio.until_screen("a poster", |screen| cells(screen, "red") > 60);
    studio.keys("\t\t").shows("State").until_screen("a poster", |screen| cells(screen, "red") > 60);
    studio.keys("\x1b").keys("i").until_screen("two posters", |screen| cells(screen, "red") > 100);

    studio.keys("v").hides("1 video").shows("poster / 0:02.00");
    studio.until_screen("a red screen", |screen| cells(screen, "red") > 300);
    studio.keys("l").shows("0:01.00 / 0:02.00").until_screen("a blue one", |screen| cells(screen, "blue") > 300);
    studio.keys(",").shows("0:00.96").until_screen("a frame before", |screen| cells(screen, "red") > 300);
    studio.keys(".").shows("0:01.00").until_screen("and after", |screen| cells(screen, "blue") > 300);
    studio.keys("g").shows("0:00.00").until_screen("the first", |screen| cells(screen, "red") > 300);
    studio.keys("G").shows("0:01.96").until_screen("the last", |screen| cells(screen, "blue") > 300);
    studio.keys("l").shows("0:01.96 / 0:02.00");
    studio.keys("o").shows("Address").shows("/videos/").keys("\x1b").hides("Address").shows("0:01.96");
    studio.keys("\x1b").shows("1 video").until_screen("the list", |screen| cells(screen, "blue") == 0);
    // The file goes, the queue is cleared, and the library still has the poster: in another studio, too.
    std::fs::remove_file(&path).unwrap();
    studio.keys("\t\t").keys("C").hides("Uploads");
    studio.until_screen("posters", |screen| cells(screen, "red") > 60);
    studio.quit();
    let mut studio = again.with("COLORTERM", "truecolor").open();
    studio.shows("1 video").until_screen("posters", |screen| cells(screen, "red") > 60);
    studio.quit();
}

#[test]
fn every_terminal_is_given_the_frames() {
    if !has_ffmpeg() {
        return;
    }
    let service = Service::of(1);
    let from = service.studio();
    from.says(&["videos", "upload", clip(from.home(), "clip.mp4").to_str().unwrap()]);
    for answers in [KITTY, SIXEL, ITERM] {
        // In a home that knows nothing of the file: the video is fetched once it is asked for.
        let mut studio = service.studio().open();
        studio.writes(0, b"\x1b[c").bytes(answers).shows("1 product ").keys("3").shows("clip.mp4");
        let from = studio.written();
        studio.keys("v").until_written(from, "a red picture", |written| painted(written) == Some("red"));
        let from = studio.written();
        studio.keys("l").shows("0:01.00 / 0:02.00");
        studio.until_written(from, "a blue picture", |written| painted(written) == Some("blue"));
        let from = studio.written();
        studio.keys("\x1b").shows("1 video");
        studio.until_written(from, "a poster in the list", |written| painted(written) == Some("red"));
        studio.quit();
    }
}

#[test]
fn without_ffmpeg_there_are_the_posters_of_the_service_and_a_word_about_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut studio = Start::new().with("COLORTERM", "truecolor").with("PATH", folder.path().to_str().unwrap()).open();
    studio.writes(0, b"\x1b[c").bytes(PLAIN).shows("274 products").keys("3").shows("Install ffmpeg for posters");
    studio.shows("Welcome to Nordlys").until("a poster", |rows| rows.concat().matches('▄').count() > 60);
    studio.keys("1").shows("274 products").keys("3").shows("Welcome to Nordlys");
    studio.keys("v").hides("12 videos").until("a poster", |rows| rows.concat().matches('▄').count() > 500);
    studio.keys("l").shows("Install ffmpeg to see frames").shows("poster");
    studio.keys("\x1b").shows("12 videos");
    studio.quit();
    // One that has none: that is said in its place.
    let service = Service::of(1);
    let start = service.studio().with("PATH", folder.path().to_str().unwrap());
    std::fs::write(start.home().join("clip.mp4"), crate::line::clip(10)).unwrap();
    let path = start.home().join("clip.mp4");
    let mut studio = start.open();
    studio.writes(0, b"\x1b[c").bytes(PLAIN).shows("1 product ").keys("3").shows("No videos yet");
    dropped(&mut studio, &path);
    studio.shows("1 video").keys("v").shows("This video has no poster yet.").shows("ffmpeg.org");
    studio.keys("q").shows("1 video");
    studio.quit();
}

#[test]
fn a_step_shows_its_video_and_nothing_is_shown_where_pictures_are_off() {
    let mut studio = Start::new().with("COLORTERM", "truecolor").open();
    studio.writes(0, b"\x1b[c").bytes(PLAIN).shows("274 products").keys("2").shows("Gift finder");
    studio.keys("/gift").keys("\r\r").shows("9 steps");
    studio.keys("v").until("a poster", |rows| rows.concat().matches('▄').count() > 500).shows("poster");
    studio.keys("\x1b").shows("9 steps");
    studio.quit();
    let mut studio = Start::new().with("NO_COLOR", "1").open();
    studio.shows("274 products").keys("3").shows("12 videos").keys("v").shows("This terminal shows no pictures");
    studio.quit();
}
