//! The Videos screen: what it shows and what it asks for.

use std::path::PathBuf;
use std::sync::Arc;

use super::probe::{NOON, Probe};
use crate::domain::VideoId;
use crate::studio::ground::{Asks, Failure, Moment, Mouse, MouseAction, RequestId, Screen};
use crate::studio::shell::effect::Effect;
use crate::studio::shell::event::Event;
use crate::studio::shell::reading;
use crate::studio::videos::{self, LibraryVideo};
use crate::studio::{FolderEntry, FolderList};
use crate::uploads::{Course, Entry, FilePath, Fingerprint, Overview, Queue, UploadId, VideoFile};

pub fn video(id: &str, name: &str, hours: i64) -> LibraryVideo {
    LibraryVideo {
        id: VideoId::from(id),
        name: name.to_owned(),
        created: "2026-11-20T09:00:00Z".to_owned(),
        moment: Some(Moment(NOON.0 - hours * 3_600_000)),
        address: Some(format!("https://videos.example/{id}.mp4")),
        size: Some(48_000_000),
        duration_ms: Some(24_000),
        ..LibraryVideo::default()
    }
}

pub fn asked(probe: &Probe) -> Vec<videos::Effect> {
    let effects = probe.effects.iter().filter_map(|effect| match effect {
        Effect::Videos(effect) => Some(effect.clone()),
        _ => None,
    });
    effects.collect()
}

/// The files of the one upload that was asked for.
fn uploaded(probe: &Probe) -> Vec<PathBuf> {
    match &asked(probe)[..] {
        [videos::Effect::Upload { files, .. }] => files.clone(),
        other => panic!("an upload, and not {other:?}"),
    }
}

pub fn request(probe: &Probe, of: impl Fn(&videos::Effect) -> Option<RequestId>) -> RequestId {
    asked(probe).iter().rev().find_map(of).expect("a request")
}

/// What the last thing that is waited for is called.
pub fn last_request(probe: &Probe) -> RequestId {
    request(probe, Asks::request)
}

/// The screen with three videos of which one is used.
pub fn library(width: u16, height: u16) -> Probe {
    let mut probe = Probe::new(width, height);
    probe.keys("3");
    let listing = request(&probe, |effect| match effect {
        videos::Effect::List(request) => Some(*request),
        _ => None,
    });
    let three = vec![video("v-1", "welcome.mp4", 50), video("v-2", "Ære være.mp4", 3), video("v-3", "", 1)];
    probe.event(Event::Videos(videos::Event::Listed { request: listing, videos: Ok(three) }));
    let using = request(&probe, |effect| match effect {
        videos::Effect::ReadUses(request) => Some(*request),
        _ => None,
    });
    let uses = vec![("pHB58".to_owned(), VideoId::from("v-1")), ("rqAvg".to_owned(), VideoId::from("v-1"))];
    let read = videos::Event::UsesRead { request: using, project: "Gift finder".into(), uses, read: 1, of: 4 };
    probe.event(Event::Videos(read));
    probe
}

fn file(name: &str, size: u64) -> Box<VideoFile> {
    Box::new(VideoFile {
        path: FilePath(PathBuf::from("/clips").join(name)),
        name: name.to_owned(),
        fingerprint: Fingerprint { size, modified_ns: Some(1), inode: None },
        content_type: "video/mp4".to_owned(),
        duration_ms: Some(31_000),
        picture: Some((1280, 720)),
    })
}

/// Uploads in every state.
pub fn overview() -> Overview {
    let mut queue = Queue::default();
    let names = ["welcome.mp4", "warm.mp4", "her.mp4", "long.mp4", "tour.mp4", "big\u{1b}[2J.mp4", "old.mp4"];
    for (name, id) in names.iter().zip(1..) {
        queue.apply(&Entry::Added { id: UploadId(id), at_ms: 0, file: file(name, 310_000_000), destination: None });
    }
    let id = UploadId;
    for entry in [
        Entry::Began { id: id(1), at_ms: 0, by: 1 },
        Entry::Arrived { id: id(1), at_ms: 1, video: "v-1".into(), found: false },
        Entry::Began { id: id(2), at_ms: 0, by: 1 },
        Entry::Broke { id: id(3), why: "the connection to x broke: reset".into(), again_ms: NOON.0 + 4_000 },
        Entry::Paused { id: id(4) },
        Entry::Failed { id: id(6), at_ms: 1, why: "413 Content too large".into(), fix: "make it smaller".into() },
        Entry::Cancelled { id: id(7), at_ms: 2 },
    ] {
        queue.apply(&entry);
    }
    let course = Course { sent: 212_000_000, per_second: Some(18_000_000) };
    Overview { queue: Arc::new(queue), courses: [(id(2), course)].into(), ..Overview::default() }
}

pub fn uploads(probe: &mut Probe, overview: &Overview) {
    probe.event(Event::Videos(videos::Event::Uploads(Box::new(overview.clone()))));
}

#[test]
fn the_library_and_the_uploads() {
    for (name, width, height) in [("videos 80x24", 80, 24), ("videos 120x40", 120, 40), ("videos 200x60", 200, 60)] {
        let mut probe = library(width, height);
        uploads(&mut probe, &overview());
        insta::assert_snapshot!(name, probe.screen());
    }
    let mut probe = Probe::new(80, 24);
    probe.keys("3");
    let listing = request(&probe, |effect| match effect {
        videos::Effect::List(request) => Some(*request),
        _ => None,
    });
    probe.event(Event::Videos(videos::Event::Listed { request: listing, videos: Ok(Vec::new()) }));
    insta::assert_snapshot!("videos none", probe.screen());
}

#[test]
fn any_size_is_drawn_and_read_without_what_steers_terminals() {
    for width in [40, 41, 60, 99, 100, 101] {
        for height in [10, 11, 13, 24] {
            let mut probe = library(width, height);
            uploads(&mut probe, &overview());
            for keys in ["", "<tab>", "<tab>", "<tab>U", "<esc>/x", "<esc><esc><enter>"] {
                probe.keys(keys);
                assert!(!probe.screen().contains('\u{1b}'));
                assert!(reading(&probe.model).iter().all(|line| !line.contains('\u{1b}')));
            }
        }
    }
}

#[test]
fn the_list_is_filtered_and_sorted() {
    let mut probe = library(120, 40);
    probe.keys("/ære<enter>");
    assert!(probe.shows("1 found") && !probe.shows("welcome.mp4"));
    probe.keys("<esc>ss");
    assert!(probe.shows("3 videos") && probe.shows("by name"));
    probe.keys("<home>y");
    assert!(probe.shows("v-3") || probe.shows("ID"));
}

/// Answers the last question where videos are used: these steps use the first one.
fn read_uses(probe: &mut Probe, steps: &[&str], read: Result<(usize, usize), Failure>) {
    let request = request(probe, |effect| match effect {
        videos::Effect::ReadUses(request) => Some(*request),
        _ => None,
    });
    let uses = steps.iter().map(|step| ((*step).to_owned(), VideoId::from("v-1"))).collect();
    let told = videos::Event::UsesRead { request, project: "Gift finder".into(), uses, read: 1, of: 4 };
    probe.event(Event::Videos(told));
    probe.event(Event::Videos(videos::Event::UsesEnded { request, read }));
}

#[test]
fn a_draft_that_uses_a_video_is_named_before_that_is_deleted() {
    let mut probe = Probe::new(120, 40);
    probe.open_project(super::steps::sample("Gift finder"));
    probe.keys("V<down><enter>");
    let draft = probe.model.screens.steps.draft().unwrap();
    let used = draft.content().step(draft.find("pHB58").unwrap()).unwrap().video().to_owned();
    assert!(!draft.is_saved());
    probe.keys("3");
    let listing = request(&probe, |effect| match effect {
        videos::Effect::List(request) => Some(*request),
        _ => None,
    });
    let videos = Ok(vec![video(&used, "chosen.mp4", 1)]);
    probe.event(Event::Videos(videos::Event::Listed { request: listing, videos }));
    probe.keys("D");
    read_uses(&mut probe, &[], Ok((4, 4)));
    assert!(probe.shows("No step uses it, 4 of 4 projects checked."), "{}", probe.screen());
    assert!(probe.shows("Your unsaved draft uses it:"), "{}", probe.screen());
    assert!(probe.shows("Gift finder · pHB58"), "{}", probe.screen());
}

#[test]
fn before_it_is_deleted_it_is_shown_where_it_is_used() {
    let mut probe = library(120, 40);
    probe.keys("<end>D");
    assert!(!probe.shows("Delete this video?") && probe.shows("Checking where it is used"), "{}", probe.screen());
    read_uses(&mut probe, &["pHB58", "rqAvg"], Ok((1, 4)));
    assert!(probe.shows("2 steps would lose the video (1 of 4 projects checked):"), "{}", probe.screen());
    assert!(probe.shows("Gift finder · rqAvg"));
    probe.effects.clear();
    probe.keys("<enter>");
    assert_eq!(asked(&probe), [], "the harmless answer comes first");
    probe.keys("D<esc>");
    read_uses(&mut probe, &[], Ok((4, 4)));
    assert!(!probe.shows("Delete this video?"), "it was left");
    // What others did meanwhile counts; what can't be read says from when it is.
    probe.keys("D");
    read_uses(&mut probe, &["aB3dE"], Ok((4, 4)));
    assert!(probe.shows("1 step would lose the video (4 of 4 projects checked):"), "{}", probe.screen());
    probe.keys("<esc>");
    probe.now = Moment(NOON.0 + 180_000);
    probe.keys("D");
    read_uses(&mut probe, &[], Err(Failure::new("the line broke")));
    assert!(probe.shows("As of 3 min ago; couldn't check again: the line broke"), "{}", probe.screen());
    assert!(probe.shows("Gift finder · aB3dE"), "{}", probe.screen());
    probe.effects.clear();
    probe.keys("<down><enter>");
    let [videos::Effect::Delete { request: deleting, video }] = &asked(&probe)[..] else { panic!("it is deleted") };
    assert_eq!(video.as_str(), "v-1");
    let said = Ok("The asset is deleted.\u{1b}[2J".to_owned());
    probe.event(Event::Videos(videos::Event::Deleted { request: *deleting, video: video.clone(), said }));
    assert!(probe.shows("The asset is deleted."));
    let said = Err(Failure::new("404 Not found"));
    probe.asks(Effect::Videos(videos::Effect::Delete { request: *deleting, video: video.clone() }));
    probe.event(Event::Videos(videos::Event::Deleted { request: *deleting, video: video.clone(), said }));
    assert!(probe.shows("Couldn't delete the video: 404 Not found"));
}

#[test]
fn files_are_chosen_dropped_and_pasted() {
    let mut probe = library(120, 40);
    probe.keys("U");
    let entry = |name: &str, is_folder| FolderEntry {
        path: PathBuf::from("/clips").join(name),
        name: name.to_owned(),
        is_folder,
        size: 310_000_000,
    };
    let entries = vec![entry("old", true), entry("warm.mp4", false), entry("welcome.mp4", false)];
    let above = Some(PathBuf::from("/"));
    let folder = FolderList { path: "/clips".into(), above, entries, machine: Some("build-7".into()) };
    let reading = request(&probe, |effect| match effect {
        videos::Effect::ReadFolder { request, folder: None } => Some(*request),
        _ => None,
    });
    probe.event(Event::Videos(videos::Event::FolderRead { request: reading, folder: Ok(folder) }));
    insta::assert_snapshot!("videos choosing", probe.screen());
    probe.effects.clear();
    probe.keys("<space>");
    assert!(probe.shows("A folder can't be selected. Enter opens it"), "{}", probe.screen());
    // Space selects, as in every list; in a path it is part of what is typed.
    probe.keys("warm<space>");
    assert!(probe.shows("❯ warm") && probe.shows("1 selected"), "{}", probe.screen());
    probe.keys("<space><ctrl-u>/my films");
    assert!(probe.shows("❯ /my films") && !probe.shows("1 selected"), "{}", probe.screen());
    probe.keys("<ctrl-u>../films<enter>");
    let films = Some(PathBuf::from("/clips/../films"));
    let is_films =
        |effect: &videos::Effect| matches!(effect, videos::Effect::ReadFolder { folder, .. } if *folder == films);
    assert!(asked(&probe).iter().any(is_films), "{:?}", asked(&probe));
    probe.effects.clear();
    probe.keys("<ctrl-u>wlc<tab><enter>");
    assert_eq!(uploaded(&probe), [PathBuf::from("/clips/welcome.mp4")]);
    probe.effects.clear();
    probe.event(Event::Pasted("'/a b.mp4' /c.mov".into()));
    assert_eq!(uploaded(&probe), [PathBuf::from("/a b.mp4"), "/c.mov".into()]);
    // A folder is opened.
    let uploading = request(&probe, |effect| match effect {
        videos::Effect::Upload { request, .. } => Some(*request),
        _ => None,
    });
    probe.effects.clear();
    probe.event(Event::Videos(videos::Event::IsFolder { request: uploading, folder: "/films".into() }));
    let is_films = |effect: &videos::Effect| matches!(effect, videos::Effect::ReadFolder { folder, .. } if *folder == Some("/films".into()));
    assert!(asked(&probe).iter().any(is_films), "{:?}", asked(&probe));
    probe.keys("<esc>");
    let refused = vec!["a b.mp4: it is no video by its content".to_owned()];
    let request = uploading;
    probe.asks(Effect::Videos(videos::Effect::Upload { request, files: Vec::new() }));
    let queued = videos::Event::Queued { request, count: 1, refused, repeated: Vec::new(), unplayable: None };
    probe.event(Event::Videos(queued));
    // It stays until it was read, though something else is said meanwhile.
    uploads(&mut probe, &overview());
    for line in
        ["Not uploaded", "1 file is not uploaded:", "• a b.mp4: it is no video by its content", "1 file is queued."]
    {
        assert!(probe.shows(line), "{line}: {}", probe.screen());
    }
    probe.keys("<esc>!");
    assert!(probe.shows("Not uploaded: a b.mp4: it is no video by its content."), "{}", probe.screen());
}

#[test]
fn uploads_are_led_by_keys() {
    let mut probe = library(120, 40);
    uploads(&mut probe, &overview());
    let mut leads = |keys: &str| {
        probe.effects.clear();
        probe.keys(keys);
        asked(&probe)
    };
    let (id, note) = (UploadId, |entry| vec![videos::Effect::Note(vec![entry])]);
    assert_eq!(leads("<tab><tab><down>p"), note(Entry::Paused { id: id(2) }));
    assert_eq!(leads("K"), note(Entry::Moved { id: id(2), before: Some(id(1)) }));
    assert_eq!(leads("J"), note(Entry::Moved { id: id(2), before: Some(id(4)) }));
    assert_eq!(leads("x"), note(Entry::Cancelled { id: id(2), at_ms: NOON.0 }));
    assert_eq!(leads("<down>R"), [videos::Effect::Resume(vec![id(3)])]);
    assert_eq!(leads("<down>p"), [videos::Effect::Resume(vec![id(4)])]);
    assert_eq!(leads("C"), note(Entry::Cleared { ids: vec![id(1), id(6), id(7)] }));
    assert_eq!(leads("<ctrl-u><ctrl-u>2M<enter>"), note(Entry::Limited { per_second: Some(2_000_000) }));
    assert_eq!(leads("#<ctrl-u>4<enter>"), note(Entry::AtOnce { count: 4 }));
    assert_eq!(leads("#<ctrl-u>17<enter>"), []);
}

#[test]
fn the_sum_stands_on_every_screen_and_the_end_is_said() {
    let mut probe = library(160, 40);
    uploads(&mut probe, &overview());
    probe.keys("1");
    assert!(probe.shows("up 1/5 18 MB/s"), "{}", probe.screen());
    assert_eq!(probe.model.screens.videos.progress(), Some(33));
    let mut ended = overview();
    let queue = Arc::make_mut(&mut ended.queue);
    for at in [2, 3, 4, 5] {
        let video = format!("v-{at}");
        queue.apply(&Entry::Arrived { id: UploadId(at), at_ms: 9, video, found: true });
    }
    uploads(&mut probe, &ended);
    assert!(probe.shows("4 uploads done."), "one had arrived before: {}", probe.screen());
    assert!(probe.effects.contains(&Effect::TellDesktop("Cutaway: 4 uploads done.".to_owned())));
    assert_eq!(probe.model.screens.videos.progress(), None);
    assert!(probe.shows("up 1 failed"), "{}", probe.screen());
}

#[test]
fn what_failed_is_said_at_the_start_and_when_it_fails() {
    let mut probe = library(120, 40);
    uploads(&mut probe, &overview());
    probe.keys("1");
    let mut next = library(120, 40);
    next.keys("1");
    uploads(&mut next, &overview());
    assert!(next.shows(": 413 Content too large. 3 shows what to do."), "{}", next.screen());
    let mut failed = overview();
    let (id, why, fix) = (UploadId(5), "415".to_owned(), "convert it".to_owned());
    Arc::make_mut(&mut failed.queue).apply(&Entry::Failed { id, at_ms: 7, why: why.clone(), fix: fix.clone() });
    uploads(&mut probe, &failed);
    assert!(probe.shows("Couldn't upload tour.mp4: 415; convert it."), "{}", probe.screen());
    // Tried again in vain, nothing else about it is new.
    probe.keys("<esc>");
    assert!(!probe.shows("Couldn't upload"));
    let queue = Arc::make_mut(&mut failed.queue);
    queue.apply(&Entry::Resumed { id, file: None });
    queue.apply(&Entry::Failed { id, at_ms: 8, why, fix });
    uploads(&mut probe, &failed);
    assert!(probe.shows("Couldn't upload tour.mp4: 415; convert it."), "{}", probe.screen());
}

#[test]
fn the_sum_and_the_store_stand_in_the_first_line_at_every_width() {
    for width in 80..200 {
        let mut probe = library(width, 24);
        uploads(&mut probe, &overview());
        let first = |probe: &Probe| probe.screen().lines().next().unwrap_or_default().to_owned();
        let line = first(&probe);
        assert!(line.contains("up 1/5") && line.contains("nordlys.example"), "{width}: {line}");
        probe.model.shell.deeds.recording = Some(Vec::new());
        let line = first(&probe);
        assert!(line.contains("rec ") && line.contains("up 1/5"), "{width}: {line}");
        assert!(line.contains("nordlys.example"), "{width}: {line}");
        // The tabs are where they are pressed.
        let at = line.chars().position(|c| c == '4').unwrap();
        probe.event(Event::Mouse(Mouse { x: u16::try_from(at).unwrap(), y: 0, what: MouseAction::Press }));
        assert_eq!(probe.model.screens.shown, Screen::Webhooks, "{width}: {line}");
    }
}

#[test]
fn enter_shows_all_that_is_known_of_an_upload() {
    let mut probe = library(80, 24);
    uploads(&mut probe, &overview());
    probe.keys("<tab><tab><end><up><enter>");
    for words in ["413 Content too large", "make it smaller", "1280×720", "/clips/big", "queued", "failed"] {
        assert!(probe.shows(words), "{words}: {}", probe.screen());
    }
    insta::assert_snapshot!("videos upload page", probe.screen());
    probe.keys("<esc><home><down><down><enter>");
    assert!(probe.shows("retrying in 4 s") && probe.shows("the connection to x broke: reset"));
}

#[test]
fn keys_about_an_upload_act_on_one_that_is_seen_to_be_selected() {
    for key in ["p", "X", "K", "J", "R"] {
        let mut probe = library(120, 40);
        uploads(&mut probe, &overview());
        probe.effects.clear();
        probe.keys(key);
        assert_eq!(asked(&probe), [], "{key}");
        assert!(probe.shows("welcome.mp4 is selected; press again to do it."), "{key}: {}", probe.screen());
        probe.keys("<down>p");
        assert_eq!(asked(&probe), [videos::Effect::Note(vec![Entry::Paused { id: UploadId(2) }])], "{key}");
    }
}

#[test]
fn the_queue_shows_those_being_sent_while_nobody_leads_it_and_says_what_is_waited_for() {
    let mut queue = Queue::default();
    for id in 1..60 {
        let name = format!("clip-{id}.mp4");
        queue.apply(&Entry::Added { id: UploadId(id), at_ms: 0, file: file(&name, 1_000), destination: None });
    }
    let mut probe = library(120, 40);
    uploads(&mut probe, &Overview { queue: Arc::new(queue.clone()), ..Overview::default() });
    assert!(probe.shows("clip-1.mp4") && !probe.shows("clip-40.mp4"));
    queue.apply(&Entry::Began { id: UploadId(40), at_ms: 0, by: 1 });
    let course = Course { sent: 1_000, per_second: Some(10) };
    let courses = [(UploadId(40), course)].into();
    let sent = Overview { queue: Arc::new(queue), courses, ..Overview::default() };
    uploads(&mut probe, &sent);
    assert!(probe.shows("clip-40.mp4") && probe.shows("waiting for response"), "{}", probe.screen());
    probe.keys("<tab><tab>");
    assert!(probe.shows("clip-1.mp4") && !probe.shows("clip-40.mp4"), "led by hand it stays: {}", probe.screen());
}

#[test]
fn leaving_asks_while_uploads_are_under_way() {
    let mut probe = library(120, 40);
    uploads(&mut probe, &overview());
    probe.effects.clear();
    probe.keys("1q");
    assert!(probe.shows("Uploads are running") && !probe.effects.contains(&Effect::Quit));
    probe.keys("<esc>");
    assert!(!probe.shows("Uploads are running"));
    probe.keys("q<enter>");
    assert_eq!(asked(&probe), [videos::Effect::HandOver]);
    assert!(probe.effects.contains(&Effect::Quit));

    let mut probe = library(120, 40);
    uploads(&mut probe, &overview());
    probe.effects.clear();
    probe.keys("q2");
    assert!(!probe.effects.contains(&Effect::Quit));
    uploads(&mut probe, &Overview::default());
    assert!(probe.effects.contains(&Effect::Quit), "it waited for the last one");

    let mut probe = library(120, 40);
    uploads(&mut probe, &Overview { elsewhere: true, ..overview() });
    probe.effects.clear();
    probe.keys("q");
    assert!(probe.effects.contains(&Effect::Quit), "the background goes on by itself");
}

#[test]
fn f_shows_only_some_videos() {
    let mut probe = library(120, 40);
    probe.keys("f");
    assert!(probe.shows("Used by no step") && probe.shows("1 of 4 projects checked"), "{}", probe.screen());
    probe.keys("by no<enter>");
    assert!(probe.shows("2 found") && probe.shows("used by no step") && !probe.shows("welcome.mp4"));
    // What is learned of uses meanwhile counts.
    let using = request(&probe, |effect| match effect {
        videos::Effect::ReadUses(request) => Some(*request),
        _ => None,
    });
    let uses = vec![("aB3dE".to_owned(), VideoId::from("v-2"))];
    let read = videos::Event::UsesRead { request: using, project: "Range tour".into(), uses, read: 2, of: 4 };
    probe.event(Event::Videos(read));
    assert!(probe.shows("1 found") && !probe.shows("Ære være.mp4"), "{}", probe.screen());
    probe.keys("<esc>");
    assert!(probe.shows("3 videos"));
    probe.keys("fwithin a day<enter>");
    assert!(probe.shows("2 found"), "{}", probe.screen());
}
