//! Lines that break in mid-edit, and projects that are taken over: by two real studios on one home.

use rustix::process::Signal;

use crate::service::Service;
use crate::steps::opened;
use crate::terminal::{Start, Studio};

const PROJECT: &str = "Gift finder";

/// Two edits, the second step selected, and a text that is half typed into its form.
fn half_typed(start: Start) -> Studio {
    let mut studio = opened(start, PROJECT);
    studio.shows("9 steps").keys("n").shows("10 steps").keys("n").shows("11 steps");
    studio.shows("draft: 2 edits not saved ─");
    studio.keys("\r").shows("Internal note").keys("Half a tho").shows("Half a tho");
    studio
}

#[test]
fn a_project_that_another_studio_edits_is_taken_over_alive_with_what_is_half_typed() {
    let start = Start::new();
    let (again, back) = (start.again(), start.again());
    let mut first = half_typed(start);

    let mut second = opened(again, PROJECT);
    second.shows("Open in another window").keys("\x1b[B").shows("▌ take it over").keys("\r");
    // The old one is a view, at once and by itself. What says so passes: it is looked for first.
    first.shows("Another window took this project over").hides("Internal note");
    // Everything it had: both edits, and the form with half a sentence. It goes on from there.
    second.shows("draft: 3 edits not saved").shows("11 steps").shows("Half a tho").keys("ught").shows("Half a thought");
    // Nothing is typed in the old one any more.
    first.keys("n").shows("Open in another window").keys("\r").hides("only look").shows("11 steps");

    // It can be taken back, too.
    first.keys("n").shows("only look").keys("\x1b[B\r");
    second.shows("Another window took this project over");
    first.shows("Half a thought");
    second.quit();
    first.keys("\x1b").hides("Internal note").shows("draft: 4 edits not saved");
    first.quit();
    let mut third = back.open();
    third.shows("draft: 4 edits not saved").shows("11 steps").hides("another window");
    third.quit();
}

#[test]
fn what_is_half_typed_is_there_after_a_kill_in_the_form_and_in_a_question() {
    let start = Start::new();
    let (again, third) = (start.again(), start.again());
    let mut studio = half_typed(start);
    studio.journal_holds("Half a tho");
    studio.signal(Signal::KILL);
    drop(studio.ended());
    let mut studio = opened(again, PROJECT);
    studio.shows("draft: 3 edits not saved").shows("Half a tho").keys("ught\x1b").hides("Internal note");
    studio.shows("draft: 4 edits not saved ─").keys("a").shows("Text of the new answer").keys("Not now, thank");
    studio.journal_holds("Not now, thank");
    studio.signal(Signal::KILL);
    drop(studio.ended());
    let mut studio = opened(third, PROJECT);
    studio.shows("Text of the new answer").shows("Not now, thank").keys("s\r").hides("Text of the new answer");
    studio.shows("Not now, thanks").shows("draft: 5 edits not saved ─");
    studio.quit();
}

#[test]
fn a_studio_that_is_stopped_is_taken_over_and_sees_it_when_it_wakes() {
    // Not one that it serves itself.
    let service = Service::of(10);
    let start = service.studio_at(service.base_url());
    start.says(&["projects", "create", "Quiz"]);
    let again = start.again_with_arguments();
    let open = |start: Start| {
        let mut studio = start.with("CUTAWAY_FRESH", "1").open();
        studio.shows("10 products").keys("2").shows("Quiz").keys("\r");
        studio
    };
    let mut first = open(start);
    first.shows("0 steps · ").keys("n").shows("draft: 1 edit not saved ─");
    first.keys("\r").shows("Internal note").keys("Half a tho").journal_holds("Half a tho");
    first.signal(Signal::STOP);
    let mut second = open(again);
    second.shows("Open in another window").keys("\x1b[B").shows("▌ take it over").keys("\r");
    second.shows("draft: 2 edits not saved").shows("Half a tho").keys("ught").shows("Half a thought");
    second.journal_holds("Half a thought");
    first.signal(Signal::CONT).shows("while this one didn't answer").hides("Internal note");
    first.quit();
    second.keys("\x1b").hides("Internal note").shows("draft: 3 edits not saved ─");
    second.quit();
}

/// What others need of a process that was stopped, such as the database, only that one can let go of.
#[test]
#[cfg(target_os = "linux")]
fn a_studio_that_serves_the_others_and_is_stopped_is_woken_and_taken_over() {
    let start = Start::new();
    let again = start.again();
    let mut first = half_typed(start);
    first.journal_holds("Half a tho");
    first.signal(Signal::STOP);
    // One that begins wakes it before it can show anything.
    let mut second = opened(again, PROJECT);
    second.shows("Open in another window").keys("\x1b[B").shows("▌ take it over").keys("\r");
    second.shows("draft: 3 edits not saved").shows("11 steps").shows("Half a tho").keys("ught").shows("Half a thought");
    first.shows("Another window took this project over").hides("Internal note");
    // One that works already wakes it when it answers no more.
    second.keys("\x1b").hides("Internal note").shows("draft: 4 edits not saved ─");
    first.signal(Signal::STOP);
    second.keys("S").shows("create step").keys("\r").shows("All changes saved").keys("\r").hides("not saved");
    first.quit();
    second.quit();
}

#[test]
fn what_is_half_typed_on_other_screens_is_there_after_a_kill_too() {
    let killed = |mut studio: Studio, typed: &str| {
        let session = studio.home().join("state/cutaway/session.toml");
        let begun = std::time::Instant::now();
        while !std::fs::read_to_string(&session).unwrap_or_default().contains(typed) {
            assert!(begun.elapsed() < std::time::Duration::from_secs(60), "it is not kept");
            std::thread::yield_now();
        }
        studio.signal(Signal::KILL);
        drop(studio.ended());
    };
    let start = Start::new();
    let (second, third) = (start.again(), start.again());
    let mut studio = start.open();
    studio.shows("274 products").keys("2").shows("projects in 2 folders");
    studio.keys("n").shows("Name of the new project").keys("Half a na").shows("Half a na");
    killed(studio, "Half a na");
    let mut studio = second.open();
    studio.shows("You were typing \"Half a na\" in Projects: Name of the new project").shows("projects in 2 folders");
    studio.keys("n").shows("Restored what you were typing").shows("Half a na").keys("me\r").shows("Half a name");
    // What was done is not kept any more; the form of a webhook is kept as well.
    studio.keys("4").shows("Webhooks").keys("n").shows("Send it to").keys("\t").keys("https://a.example/ho");
    studio.shows("https://a.example/ho");
    killed(studio, "https://a.example/ho");
    let mut studio = third.open();
    studio.shows("in Webhooks: New webhook").keys("n").shows("Send it to").shows("https://a.example/ho").keys("ok\r");
    studio.shows("Webhook created: https://a.example/hook").hides("Send it to");
    studio.quit();
}

#[test]
fn the_place_is_there_two_seconds_after_the_last_change_whatever_ends_the_studio() {
    let start = Start::new();
    let again = start.again();
    let mut studio = opened(start, PROJECT);
    studio.shows("9 steps").keys("/").keys("Budget").keys("\r");
    let session = studio.home().join("state/cutaway/session.toml");
    let before = std::fs::read_to_string(&session).unwrap_or_default();
    studio.keys("\x1b[C\x1b[C");
    let begun = std::time::Instant::now();
    while std::fs::read_to_string(&session).unwrap_or_default() == before {
        assert!(begun.elapsed() < std::time::Duration::from_secs(60), "the place is not kept");
        std::thread::yield_now();
    }
    crate::link::within(begun.elapsed(), std::time::Duration::from_millis(2_200));
    studio.signal(Signal::KILL);
    drop(studio.ended());
    // It begins in the project; where it was is in the file.
    let mut studio = again.open();
    studio.shows("9 steps");
    studio.quit();
}
