//! Captions of videos: added, read and removed, by key scripts.

use super::probe::Probe;
use super::videos::{asked, last_request, library, request, video};
use crate::domain::VideoId;
use crate::studio::ground::{Failure, RequestId};
use crate::studio::shell::effect::Effect;
use crate::studio::shell::event::Event;
use crate::studio::videos::{self, LibraryVideo};

#[test]
fn c_adds_captions_and_shows_what_they_say() {
    let mut probe = library(120, 40);
    let id = VideoId::from("v-3");
    probe.keys("c");
    assert!(probe.shows("Captions: a WebVTT file"), "{}", probe.screen());
    probe.keys("~/tour.de.vtt<enter>");
    let file = "~/tour.de.vtt".to_owned();
    let adding = last_request(&probe);
    let add = videos::Effect::AddCaptions { request: adding, video: id.clone(), file: file.clone() };
    assert_eq!(asked(&probe).last(), Some(&add));
    let refused = Failure::new("line 3: the cue ends before it begins");
    let added = |file: &str, added| videos::Event::CaptionsAdded {
        request: adding,
        video: VideoId::from("v-3"),
        file: file.to_owned(),
        added,
    };
    let failed = added(&file, Err(refused));
    probe.event(Event::Videos(failed));
    assert!(probe.shows("Couldn't add the captions: line 3"), "{}", probe.screen());

    probe.asks(Effect::Videos(add));
    probe.event(Event::Videos(added(&file, Ok(("de".to_owned(), 2)))));
    assert!(probe.shows("Captions added: de, 2 cues."), "{}", probe.screen());
    let listing = request(&probe, |effect| match effect {
        videos::Effect::List(request) => Some(*request),
        _ => None,
    });
    let captioned = LibraryVideo { captions: vec!["de".to_owned(), "en".to_owned()], ..video("v-3", "tour.mp4", 1) };
    probe.event(Event::Videos(videos::Event::Listed { request: listing, videos: Ok(vec![captioned]) }));
    probe.keys("<enter>");
    assert!(probe.shows("de, en"), "{}", probe.screen());
    probe.keys("c");
    assert!(probe.shows("show the text") && probe.shows("a WebVTT file"), "{}", probe.screen());
    probe.keys("en<enter>");
    let reading = last_request(&probe);
    let read = videos::Effect::ReadCaptions { request: reading, video: id.clone(), language: "en".to_owned() };
    assert_eq!(asked(&probe).last(), Some(&read));
    let cues = vec![(61_500, "Welcome\u{1b}[31m".to_owned())];
    let says = videos::ReadCaptions { cues, vtt: "WEBVTT".to_owned() };
    let (request, language) = (reading, "en".into());
    probe.event(Event::Videos(videos::Event::CaptionsRead { request, video: id, language, read: Ok(says) }));
    assert!(probe.shows("tour.mp4 · en") && probe.shows("1:01  Welcome·"), "{}", probe.screen());

    // They are removed once that was confirmed.
    let id = VideoId::from("v-3");
    probe.keys("<esc>cremove<enter>");
    assert!(probe.shows("Remove captions"), "{}", probe.screen());
    probe.keys("de<enter>");
    assert!(probe.shows("Remove these captions?") && probe.shows("de of tour.mp4"), "{}", probe.screen());
    probe.keys("<enter>");
    let is_removal = |effect: &videos::Effect| matches!(effect, videos::Effect::RemoveCaptions { .. });
    assert!(!asked(&probe).iter().any(is_removal), "the harmless answer comes first");
    probe.keys("cremove<enter>de<enter>j<enter>");
    let (request, language) = (last_request(&probe), "de".to_owned());
    let remove = videos::Effect::RemoveCaptions { request, video: id.clone(), language: language.clone() };
    assert_eq!(asked(&probe).last(), Some(&remove));
    let removed = videos::Event::CaptionsRemoved { request, video: id, language, removed: Ok(()) };
    probe.event(Event::Videos(removed));
    assert!(probe.shows("Captions removed: de."), "{}", probe.screen());
}

#[test]
fn captions_that_come_late_open_over_nothing_else() {
    for elsewhere in ["2", "?", "<down>", "/"] {
        let mut probe = library(120, 40);
        let listing = last_listing(&mut probe);
        let captioned = |id: &str, name: &str| LibraryVideo { captions: vec!["en".to_owned()], ..video(id, name, 1) };
        let both = vec![captioned("v-3", "tour.mp4"), captioned("v-4", "warm.mp4")];
        probe.event(Event::Videos(videos::Event::Listed { request: listing, videos: Ok(both) }));
        probe.keys("<home>cen<enter>");
        let (request, video) = match asked(&probe).last() {
            Some(videos::Effect::ReadCaptions { request, video, .. }) => (*request, video.clone()),
            other => panic!("captions are asked for, not {other:?}"),
        };
        probe.keys(elsewhere);
        let before = probe.screen();
        let read = videos::ReadCaptions { cues: vec![(0, "Welcome".to_owned())], vtt: "WEBVTT".to_owned() };
        let read = videos::Event::CaptionsRead { request, video, language: "en".to_owned(), read: Ok(read) };
        probe.event(Event::Videos(read));
        assert!(!probe.shows("Welcome"), "after {elsewhere}: {}", probe.screen());
        assert!(probe.shows("have loaded; press c"), "after {elsewhere}: {}", probe.screen());
        let title = before.lines().nth(1).unwrap_or_default();
        assert!(probe.shows(title), "after {elsewhere}: {}", probe.screen());
    }
}

/// Reads the library again, and what that is called.
fn last_listing(probe: &mut Probe) -> RequestId {
    probe.keys("r");
    request(probe, |effect| match effect {
        videos::Effect::List(request) => Some(*request),
        _ => None,
    })
}
