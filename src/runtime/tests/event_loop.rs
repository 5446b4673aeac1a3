//! The loop over a terminal and a world of tests.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

use super::{Person, TestDrivers, terminal};
use crate::runtime::event_loop::{Ended, run};
use crate::settings::{Depth, Graphics, Theme};
use crate::studio::effect::Effect;
use crate::studio::event::{Connected, Event};
use crate::studio::twin::Deeds;
use crate::studio::{Begin, Credential, Keymap, Memory, Model};

fn begin() -> Begin {
    Begin {
        profile: "local".into(),
        local: true,
        credential: Credential::None,
        read_only: None,
        store: None,
        first_start: false,
        theme: Arc::new(Theme::load("dark", None, Depth::True).0),
        themes: vec!["dark".into()],
        keymap: Arc::new(Keymap::load(None).0),
        faults: Vec::new(),
        notes: Vec::new(),
        warnings: Vec::new(),
        ascii: false,
        opens_addresses: false,
        ssh: None,
        guest: None,
        profiles: Vec::new(),
        resume: None,
        memory: Memory::default(),
        graphics: Graphics::Off,
        has_ffmpeg: false,
        way: Arc::from([]),
        zone: crate::studio::Zone::default(),
        deeds: Deeds::default(),
    }
}

struct Running {
    person: Person,
    events: UnboundedSender<Event>,
    asked: Arc<Mutex<Vec<Effect>>>,
    ended: JoinHandle<std::io::Result<Ended>>,
}

fn start(refuses: fn(&Effect) -> bool) -> Running {
    let (mut surface, mut source, person) = terminal((100, 30));
    let (events, mut arriving) = unbounded_channel();
    let asked = Arc::default();
    let mut drivers = TestDrivers { events: events.clone(), asked: Arc::clone(&asked), refuses };
    let ended = tokio::spawn(async move {
        let mut model = Model::new(begin());
        run(&mut model, &mut surface, &mut source, &mut drivers, &mut arriving).await
    });
    Running { person, events, asked, ended }
}

#[tokio::test]
async fn what_is_pressed_becomes_effects_and_what_happens_is_shown() {
    let Running { mut person, events, asked, ended } = start(|_| false);
    person.waits("the first picture", |shown| shown.frames > 0).await;
    events
        .send(Event::Connected(Connected {
            base: "local".into(),
            store: Some("https://nordlys.example".into()),
            stores: vec!["https://nordlys.example".into()],
        }))
        .unwrap();
    person.sees("nordlys.example").await.presses("?").sees("type to search").await;
    assert!(
        asked
            .lock()
            .unwrap()
            .iter()
            .any(|effect| matches!(effect, Effect::Products(crate::studio::products::Effect::Search { .. })))
    );
    person.presses("<esc>q");
    assert_eq!(ended.await.unwrap().unwrap(), Ended::Quit);
}

#[tokio::test]
async fn a_line_that_is_gone_ends_the_loop() {
    let Running { mut person, ended, .. } = start(|_| false);
    person.waits("the first picture", |shown| shown.frames > 0).await.hangs_up();
    assert_eq!(ended.await.unwrap().unwrap(), Ended::HungUp);
}

#[tokio::test]
async fn what_happened_before_the_end_is_taken_in() {
    let Running { mut person, events, asked, ended } = start(|_| false);
    person.waits("the first picture", |shown| shown.frames > 0).await;
    asked.lock().unwrap().clear();
    // The loop runs when this test waits, and finds both.
    let store = Some("https://nordlys.example".into());
    events.send(Event::Connected(Connected { base: "local".into(), store, stores: Vec::new() })).unwrap();
    person.hangs_up();
    assert_eq!(ended.await.unwrap().unwrap(), Ended::HungUp);
    assert!(!asked.lock().unwrap().is_empty(), "what comes of it is carried out");
}

#[tokio::test]
async fn a_terminal_that_takes_nothing_holds_up_no_key_and_no_reply() {
    let Running { mut person, events, asked, ended } = start(|_| false);
    person.waits("the first picture", |shown| shown.frames > 0).await;
    person.stalls.store(true, Ordering::SeqCst);
    let before = person.screen().frames;
    // One frame may be under way already; from then on none is drawn, and everything else goes on.
    events
        .send(Event::Connected(Connected {
            base: "local".into(),
            store: Some("https://nordlys.example".into()),
            stores: Vec::new(),
        }))
        .unwrap();
    while !asked
        .lock()
        .unwrap()
        .iter()
        .any(|effect| matches!(effect, Effect::Products(crate::studio::products::Effect::Search { .. })))
    {
        tokio::task::yield_now().await;
    }
    person.presses("?<esc>q");
    assert_eq!(ended.await.unwrap().unwrap(), Ended::Quit);
    assert!(person.screen().frames <= before + 1, "{} frames after {before}", person.screen().frames);
}

#[tokio::test]
async fn a_slow_line_gets_ten_frames_a_second_whatever_they_show() {
    let Running { mut person, ended, .. } = start(|_| false);
    person.waits("the first picture", |shown| shown.frames > 0).await;
    person.is_slow.store(true, Ordering::SeqCst);
    let (before, begun) = (person.screen().frames, Instant::now());
    let mut rhythm = tokio::time::interval(Duration::from_millis(10));
    // What a machine that is busy is late with isn't made up for all at once.
    rhythm.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    for _ in 0..100 {
        rhythm.tick().await;
        person.presses("?<esc>");
    }
    let (frames, tenths) = (person.screen().frames - before, begun.elapsed().as_millis() / 100);
    assert!(frames >= 5, "{frames} frames in {tenths} tenths of a second");
    assert!(u128::try_from(frames).unwrap() <= tenths + 3, "{frames} frames in {tenths} tenths of a second");
    person.presses("q");
    assert_eq!(ended.await.unwrap().unwrap(), Ended::Quit);
}

#[tokio::test]
async fn what_the_host_does_not_allow_is_not_done_and_said() {
    let Running { mut person, ended, .. } = start(|effect| matches!(effect, Effect::Suspend));
    person.presses("<ctrl-z>").sees("This isn't available here.").await.presses("q");
    assert_eq!(ended.await.unwrap().unwrap(), Ended::Quit);
}
