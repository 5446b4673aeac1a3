//! Uploads in the studio, to the real service over a line that breaks, slows down and garbles.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::Value;

use crate::bytes::frames;
use crate::line::{Fault, Line, clip, hold};
use crate::service::Service;
use crate::terminal::{Start, Studio};

const MIB: usize = 1024 * 1024;

fn file(start: &Start, name: &str, padding: usize) -> PathBuf {
    let path = start.home().join(name);
    std::fs::write(&path, clip(padding)).unwrap();
    path
}

/// Pastes paths as a terminal does when files are dropped into it.
fn drop_into(studio: &mut Studio, paths: &[&PathBuf]) {
    let words: Vec<String> = paths.iter().map(|path| format!("'{}'", path.display())).collect();
    studio.keys(&format!("\x1b[200~{}\x1b[201~", words.join(" ")));
}

/// The names in the library, sorted.
fn library(start: &Start) -> Vec<String> {
    let list: Value = serde_json::from_str(&start.says(&["videos", "list", "--json"])).unwrap();
    let videos = list["videos"].as_array().unwrap().iter();
    let mut names: Vec<String> = videos.map(|video| video["name"].as_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

/// Waits until every upload of the queue is done.
fn until_done(start: &Start) {
    let begun = Instant::now();
    loop {
        let said = start.says(&["--read-only", "videos", "queue", "--json"]);
        let queue: Value = serde_json::from_str(&said).unwrap();
        let uploads = queue["uploads"].as_array().unwrap();
        if !uploads.is_empty() && uploads.iter().all(|upload| upload["state"] == "done") {
            return;
        }
        assert!(begun.elapsed() < Duration::from_secs(90), "{said}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn clips_arrive_once_over_a_line_that_is_cut_slowed_and_garbled() {
    let service = Service::of(1);
    let faults =
        [Fault::Cut(MIB), Fault::Garble, Fault::Slow(256 * 1024, Duration::from_millis(10)), Fault::LoseAnswer];
    let line = Line::to(service.base_url(), faults);
    let start = service.studio_at(&line.base).with("TERM_PROGRAM", "WezTerm");
    let paths = [file(&start, "one.mp4", 2 * MIB), file(&start, "two.mp4", 2 * MIB), file(&start, "three.mp4", MIB)];
    let beside = start.again_with_arguments();
    let mut studio = start.open();
    studio.shows("1 product ").keys("3").shows("No videos yet");
    let from = studio.written();
    drop_into(&mut studio, &paths.iter().collect::<Vec<_>>());
    studio.shows("3 uploads done").shows("3 videos");
    studio.writes(from, b"\x1b]9;4;1;").writes(from, b"\x1b]9;4;0;0\x1b\\");
    studio.writes(from, b"\x1b]9;Cutaway: 3 uploads done.\x1b\\");
    assert!(line.is_mended());
    assert_eq!(library(&beside), ["one.mp4", "three.mp4", "two.mp4"]);
    studio.quit();
}

#[test]
fn a_session_that_drops_leaves_its_uploads_to_the_background() {
    let service = Service::of(1);
    let (fault, held, go) = hold(2 * MIB);
    let line = Line::to(service.base_url(), [fault]);
    let start = service.studio_at(&line.base);
    let path = file(&start, "film.mp4", 8 * MIB);
    let beside = start.again_with_arguments();
    let mut studio = start.open();
    studio.shows("1 product ").keys("3").shows("No videos yet");
    drop_into(&mut studio, &[&path]);
    held.recv().unwrap();
    studio.signal(Signal::HUP);
    let ended = studio.ended();
    assert!(ended.status.success(), "{:?}", ended.status);
    drop(go);
    until_done(&beside);
    assert_eq!(library(&beside), ["film.mp4"]);
    assert_eq!(line.uploads(), 2);
    // The next studio shows what happened.
    let mut studio = beside.open();
    studio.shows("film.mp4").shows("done");
    studio.quit();
}

#[test]
fn a_folder_is_opened_and_what_is_refused_stays_to_be_read() {
    let service = Service::of(1);
    let start = service.studio();
    let folder = start.home().join("clips");
    std::fs::create_dir(&folder).unwrap();
    for (name, content) in [("notes.txt", "none"), ("empty.mp4", "")] {
        std::fs::write(folder.join(name), content).unwrap();
    }
    std::fs::write(folder.join("film.mp4"), clip(10)).unwrap();
    let all = ["notes.txt", "empty.mp4", "film.mp4"].map(|name| folder.join(name));
    let mut studio = start.open();
    studio.shows("1 product ").keys("3").shows("No videos yet");
    drop_into(&mut studio, &[&folder]);
    studio.shows("empty.mp4").keys("../\r").hides("empty.mp4").shows("clips/").keys("\x1b").shows("No videos yet");
    drop_into(&mut studio, &all.iter().collect::<Vec<_>>());
    studio
        .shows("2 files are not uploaded:")
        .shows("notes.txt: it is not a video file")
        .shows("empty.mp4: it is empty");
    studio.keys("\x1b").hides("not uploaded:").shows("film.mp4").shows("1 video ");
    // Where it is used is read before it is deleted.
    studio.keys("D").shows("Delete this video?").shows("No step uses it").keys("\x1b");
    studio.quit();
}

#[test]
fn one_whose_file_is_gone_says_so_when_it_is_tried_again() {
    let service = Service::of(1);
    let (fault, held, go) = hold(MIB);
    let line = Line::to(service.base_url(), [fault]);
    let start = service.studio_at(&line.base);
    let path = file(&start, "film.mp4", 4 * MIB);
    let mut studio = start.open();
    studio.shows("1 product ").keys("3").shows("No videos yet");
    drop_into(&mut studio, &[&path]);
    held.recv().unwrap();
    studio.shows("film.mp4").keys("\t\tx").shows("cancelled");
    drop(go);
    std::fs::remove_file(&path).unwrap();
    studio.keys("R").shows("couldn't retry: no such file");
    studio.keys("1").shows("up 1 failed");
    studio.quit();
}

#[test]
fn files_are_chosen_and_leaving_asks() {
    let service = Service::of(1);
    let (fault, held, go) = hold(MIB);
    let line = Line::to(service.base_url(), [fault]);
    let start = service.studio_at(&line.base);
    file(&start, "a film.mp4", 4 * MIB);
    file(&start, "other.mp4", 10);
    std::fs::write(start.home().join("notes.txt"), "none").unwrap();
    let beside = start.again_with_arguments();
    let mut studio = start.open();
    studio.shows("1 product ").keys("3").shows("No videos yet").keys("U").shows("a film.mp4").shows("notes.txt");
    studio.keys("fil").hides("notes.txt").keys("\t").shows("1 selected").keys("\r");
    studio.shows("1 file is queued");
    held.recv().unwrap();
    studio.keys("q").shows("Uploads are running").keys("\x1b").hides("Uploads are running");
    studio.keys("q").shows("Continue in the background").keys("1");
    let ended = studio.ended();
    assert!(ended.status.success(), "{:?}", ended.status);
    ended.is_restored();
    drop(go);
    until_done(&beside);
    assert_eq!(library(&beside), ["a film.mp4"]);
}

/// A project of one step whose answers appear too late for any film; the ids of both.
fn project_of_one_step(start: &Start) -> (String, String) {
    let said = |arguments: &[&str]| -> Value { serde_json::from_str(&start.says(arguments)).unwrap() };
    let project = said(&["projects", "create", "Gift finder", "--json"])["id"].as_str().unwrap().to_owned();
    let step = said(&["steps", "create", &project, "--description", "Welcome", "--answer", "On=>", "--json"]);
    let step = step["id"].as_str().unwrap().to_owned();
    start.says(&["steps", "update", &step, "--answer-time", "500"]);
    (project, step)
}

#[test]
fn a_step_has_its_video_though_the_studio_was_closed_meanwhile() {
    let service = Service::of(1);
    let (fault, held, go) = hold(2 * MIB);
    let line = Line::to(service.base_url(), [fault]);
    let start = service.studio_at(&line.base);
    // More than the buffers of a connection take while it is held: all that is handed over is no share any more.
    file(&start, "a film.mp4", 24 * MIB);
    let beside = start.again_with_arguments();
    let (project, _) = project_of_one_step(&beside);
    let mut studio = start.open();
    studio.shows("1 product ").keys("2").shows("▌  Gift finder").keys("\r").shows("1 step · ").shows("no video");
    studio.keys("\r").shows("Internal note").keys("\t\t\t").keys("U").shows("a film.mp4");
    studio.keys("film").hides("config/").keys("\r").shows("1 file is queued").shows("% a film.mp4");
    held.recv().unwrap();
    studio.shows("x stops").keys("\x1b").hides("Internal note").shows("% a film.mp4");
    studio.keys("q").shows("Continue in the background").keys("1");
    assert!(studio.ended().status.success());
    drop(go);
    until_done(&beside);

    // The next studio opens the project again, and its draft has it.
    let again = beside.again_with_arguments();
    let mut studio = beside.open();
    studio.shows("a film.mp4 is now the video of ").shows("draft: 1 edit not saved ─").shows("▶ a film.mp4");
    studio.shows("'s answers appear after 500 s, its video ends after ");
    let show = ["projects", "show", &project, "--json"];
    let told = |start: &Studio| -> Value { serde_json::from_str(&start.beside(&show)).unwrap() };
    assert_eq!(told(&studio)["steps"][0]["videoId"].as_str().unwrap_or_default(), "", "nothing is written by itself");
    studio.keys("H").shows("video uploaded into ").keys("\x1b").hides("as saved at the service");
    // Killed, it is found again, and no second edit is made of it.
    studio.signal(Signal::KILL);
    drop(studio.ended());
    let once_more = again.again_with_arguments();
    let mut studio = again.open();
    studio.shows("draft: 1 edit not saved ─");
    studio.keys("S").shows("update step").shows("⏎ save all").keys("\r").shows("Saved.").keys("\r").hides("not saved");
    let list: Value = serde_json::from_str(&studio.beside(&["videos", "list", "--json"])).unwrap();
    let videos = list["videos"].as_array().unwrap();
    assert_eq!(videos.len(), 1, "{list}");
    assert_eq!(told(&studio)["steps"][0]["videoId"], videos[0]["id"]);
    let queue: Value = serde_json::from_str(&studio.beside(&["videos", "queue", "--json"])).unwrap();
    assert_eq!(queue["uploads"][0]["placed"], "made", "{queue}");
    studio.quit();
    once_more.says(&["videos", "queue", "clear"]);
    let mut studio = once_more.open();
    studio
        .shows("synthetic.example · ")
        .keys("2")
        .shows("▌  Gift finder")
        .keys("\r")
        .shows("▶ a film.mp4")
        .hides("not saved");
    studio.quit();
}

/// What progress costs on a screen of this size while two of so many files are sent: the largest frame and its size in
/// bytes, how many frames there were, and how many seconds that took.
fn cost_of_progress(files: usize, width: u16, height: u16) -> (Vec<u8>, usize, f64) {
    let service = Service::of(1);
    let slow = || Fault::Slow(128 * 1024, Duration::from_millis(40));
    let line = Line::to(service.base_url(), [slow(), slow()]);
    let start = service.studio_at(&line.base).size(width, height);
    let mut paths = vec![file(&start, "film.mp4", 40 * MIB), file(&start, "other film.mp4", 120 * MIB)];
    paths.extend((2..files).map(|number| file(&start, &format!("film {number}.mp4"), 10)));
    let mut studio = start.open();
    studio.shows("1 product ").keys("3").shows("No videos yet");
    drop_into(&mut studio, &paths.iter().collect::<Vec<_>>());
    // Once it goes evenly and the notices have gone.
    studio.shows("left").shows("MB of").hides("queued.");
    let (from, began) = (studio.written(), Instant::now());
    studio.until("one of them there", |rows| rows.iter().any(|row| row.contains("✓ film.mp4")));
    let (written, took) = (studio.since(from), began.elapsed().as_secs_f64());
    studio.signal(Signal::KILL);
    drop(studio.ended());
    let frames = frames(&written);
    // The last ones show that it arrived, and that the next one began.
    let progress = &frames[..frames.len().saturating_sub(6)];
    let largest = progress.iter().max_by_key(|frame| frame.len()).map(|frame| frame.to_vec()).unwrap_or_default();
    (largest, progress.len(), took)
}

#[test]
fn progress_costs_few_frames_and_few_bytes() {
    for (files, width, height) in [(2, 80, 24), (200, 200, 60)] {
        let (largest, frames, seconds) = cost_of_progress(files, width, height);
        let say = String::from_utf8_lossy(&largest).into_owned();
        println!(
            "{files} files at {width}x{height}: {frames} frames in {seconds:.1} s, {} bytes at most",
            largest.len()
        );
        assert!(frames > 2, "{frames} frames show nothing");
        assert!(largest.len() < 300, "{} bytes of {frames} frames at {width}x{height}: {say:?}", largest.len());
        assert!(f64::from(u32::try_from(frames).unwrap()) <= seconds * 10.0 + 3.0, "{frames} frames in {seconds} s");
    }
}

#[test]
fn a_file_that_is_chosen_twice_is_uploaded_once_and_that_is_said() {
    let service = Service::of(1);
    let (fault, held, go) = hold(MIB);
    let line = Line::to(service.base_url(), [fault]);
    let start = service.studio_at(&line.base);
    let film = file(&start, "film.mp4", 2 * MIB);
    let beside = start.again_with_arguments();
    let mut studio = start.open();
    studio.shows("1 product ").keys("3").shows("No videos yet");
    drop_into(&mut studio, &[&film, &film]);
    studio.shows("1 file is queued. film.mp4: listed twice; uploaded only once.");
    held.recv().unwrap();
    // While it is on its way it is chosen once more, from the list of files.
    studio.keys("U").shows("○ film.mp4").keys("film").shows("❯ film").keys("\r");
    studio.shows("film.mp4: already in the queue.");
    drop(go);
    studio.shows("1 video");
    until_done(&beside);
    assert_eq!(library(&beside), ["film.mp4"]);
    // What has arrived may be uploaded again: somebody wants a second one of it.
    drop_into(&mut studio, &[&film]);
    studio.shows("2 videos");
    studio.quit();
}

/// What not every browser plays is asked about before it is sent, as `videos upload` refuses it.
#[test]
fn a_video_that_browsers_do_not_play_is_asked_about_first() {
    let start = Start::new().with("CUTAWAY_FRESH", "1");
    let beside = start.again();
    let path = start.home().join("bad.avi");
    std::fs::write(&path, [b"RIFF\x24\x10\0\0AVI LIST\0\0\0\0hdrlavih".to_vec(), vec![0; 4096]].concat()).unwrap();
    let mut studio = start.open();
    studio.shows("274 products").keys("3").shows("newest first");
    drop_into(&mut studio, &[&path]);
    studio.shows("Not every browser plays this video").shows("AVI").shows("(V01)").keys("\r");
    studio.hides("Not every browser plays this video");
    assert!(!library(&beside).contains(&"bad.avi".to_owned()), "nothing was sent");
    drop_into(&mut studio, &[&path]);
    studio.shows("Not every browser plays this video").keys("\x1b[B").keys("\r").shows("bad.avi");
    until_done(&beside);
    assert!(library(&beside).iter().any(|name| name.starts_with("bad")), "{:?}", library(&beside));
    studio.quit();
}
