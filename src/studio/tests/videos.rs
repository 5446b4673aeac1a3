//! The Videos screen: what it shows and what it asks for.

use std::path::PathBuf;
use std::sync::Arc;

use super::probe::{NOON, Probe};
use crate::domain::VideoId;
use crate::studio::effect::Effect;
use crate::studio::event::{Event, Failure, Moment, RequestId};
use crate::studio::reading;
use crate::studio::videos::{self, LibraryVideo};
use crate::studio::{FolderEntry, FolderList};
use crate::uploads::{Course, Entry, FilePath, Fingerprint, Overview, Queue, UploadId, VideoFile};

fn video(id: &str, name: &str, hours: i64) -> LibraryVideo {
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

fn asked(probe: &Probe) -> Vec<videos::Effect> {
    let effects = probe.effects.iter().filter_map(|effect| match effect {
        Effect::Videos(effect) => Some(effect.clone()),
        _ => None,
    });
    effects.collect()
}

fn request(probe: &Probe, of: impl Fn(&videos::Effect) -> Option<RequestId>) -> RequestId {
    asked(probe).iter().rev().find_map(of).expect("a request")
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
        Entry::Failed { id: id(6), at_ms: 1, why: "413 Content too large".into(), mend: "make it smaller".into() },
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
    assert!(probe.shows("v-3") || probe.shows("Id"));
}

#[test]
fn before_it_is_deleted_it_is_shown_where_it_is_used() {
    let mut probe = library(120, 40);
    probe.keys("<end>D");
    assert!(probe.shows("2 steps are left without a video, of 1 of 4 projects read:"), "{}", probe.screen());
    assert!(probe.shows("Gift finder · rqAvg"));
    probe.effects.clear();
    probe.keys("<enter>");
    assert_eq!(asked(&probe), [], "the harmless answer comes first");
    probe.keys("D<down><enter>");
    assert_eq!(asked(&probe), [videos::Effect::Delete(VideoId::from("v-1"))]);
    let said = Ok("The asset is deleted.\u{1b}[2J".to_owned());
    probe.event(Event::Videos(videos::Event::Deleted { video: VideoId::from("v-1"), said }));
    assert!(probe.shows("The asset is deleted."));
    let said = Err(Failure::new("404 Not found"));
    probe.event(Event::Videos(videos::Event::Deleted { video: VideoId::from("v-1"), said }));
    assert!(probe.shows("It was not deleted: 404 Not found"));
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
    probe.keys("wlc<space><enter>");
    assert_eq!(asked(&probe), [videos::Effect::Upload(vec!["/clips/welcome.mp4".into()])]);
    probe.effects.clear();
    probe.event(Event::Pasted("'/a b.mp4' /c.mov".into()));
    assert_eq!(asked(&probe), [videos::Effect::Upload(vec!["/a b.mp4".into(), "/c.mov".into()])]);
    let refused = vec!["a b.mp4: it is no video by its content".to_owned()];
    probe.event(Event::Videos(videos::Event::Queued { count: 1, refused }));
    assert!(probe.shows("Not queued: a b.mp4: it is no video by its content. 1 others are queued."));
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
    assert_eq!(leads("L<ctrl-u>2M<enter>"), note(Entry::Limited { per_second: Some(2_000_000) }));
    assert_eq!(leads("A<ctrl-u>4<enter>"), note(Entry::AtOnce { count: 4 }));
    assert_eq!(leads("A<ctrl-u>17<enter>"), []);
}

#[test]
fn the_sum_stands_on_every_screen_and_the_end_is_said() {
    let mut probe = library(120, 40);
    uploads(&mut probe, &overview());
    probe.keys("1");
    assert!(probe.shows("up 1/5 18 MB/s"), "{}", probe.screen());
    assert_eq!(probe.model.videos.progress(), Some(33));
    let mut ended = overview();
    let queue = Arc::make_mut(&mut ended.queue);
    for at in [2, 3, 4, 5] {
        let video = format!("v-{at}");
        queue.apply(&Entry::Arrived { id: UploadId(at), at_ms: 9, video, found: true });
    }
    uploads(&mut probe, &ended);
    assert!(probe.shows("5 uploads arrived; 1 failed: 3 shows why."), "{}", probe.screen());
    assert_eq!(probe.model.videos.progress(), None);
}

#[test]
fn leaving_asks_while_uploads_are_under_way() {
    let mut probe = library(120, 40);
    uploads(&mut probe, &overview());
    probe.effects.clear();
    probe.keys("1q");
    assert!(probe.shows("Uploads are under way") && !probe.effects.contains(&Effect::Quit));
    probe.keys("<esc>");
    assert!(!probe.shows("Uploads are under way"));
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
    assert!(probe.shows("Used by no step") && probe.shows("of 1 of 4 projects read"), "{}", probe.screen());
    probe.keys("by no<enter>");
    assert!(probe.shows("2 found") && probe.shows("used by no step") && !probe.shows("welcome.mp4"));
    // What is learnt of uses meanwhile counts.
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
