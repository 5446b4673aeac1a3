//! Uploads into steps: chosen in the form, seen on the card, and an edit of the draft once they have arrived.

use std::path::PathBuf;
use std::sync::Arc;

use super::desk::Desk;
use super::probe::Probe;
use super::steps::sample;
use crate::domain::VideoId;
use crate::draft::{Draft, Outcome};
use crate::studio::ground::{Alarm, Moment};
use crate::studio::shell::effect::Effect;
use crate::studio::shell::event::Event;
use crate::studio::steps::{self, Found};
use crate::studio::{Ask, Reply};
use crate::studio::{FolderEntry, FolderList, videos};
use crate::uploads::{Course, Destination, Entry, Placement, StepKey, UploadId};

#[test]
fn a_file_is_chosen_in_the_form_of_a_step() {
    let mut desk = Desk::new();
    let before = desk.video("pHB58");
    desk.keys("<enter><tab><tab><tab>U");
    let request = desk.probe.effects.iter().find_map(|effect| match effect {
        Effect::Steps(steps::Effect::ReadFolder { request, folder: None }) => Some(*request),
        _ => None,
    });
    let entry = |name: &str| FolderEntry {
        path: PathBuf::from("/clips").join(name),
        name: name.to_owned(),
        is_folder: false,
        size: 3_000_000,
    };
    let folder =
        FolderList { path: "/clips".into(), entries: vec![entry("a.mp4"), entry("b.mp4")], ..FolderList::default() };
    let event = steps::Event::FolderRead { request: request.unwrap(), folder: Ok(folder) };
    desk.probe.event(Event::Steps(event));
    insta::assert_snapshot!("upload here", desk.probe.screen());
    // Space marks nothing: a step has one video.
    desk.keys("<down><enter>");
    let (file, destination) = desk.queued();
    assert_eq!(file, PathBuf::from("/clips/b.mp4"));
    let wanted = Destination {
        project: "p1".into(),
        project_name: "Gift finder".into(),
        step: StepKey::Id("id-0".into()),
        label: "pHB58".into(),
        before,
    };
    assert_eq!(destination, wanted);
    assert!(desk.probe.shows("U upload"), "back in the form: {}", desk.probe.screen());
    // Dropped on the field it is the same.
    desk.probe.event(Event::Pasted("'/a b.mp4'".into()));
    assert_eq!(desk.queued(), (PathBuf::from("/a b.mp4"), wanted));
    desk.probe.event(Event::Pasted("/a.mp4 /b.mp4".into()));
    assert!(desk.probe.shows("A step has one video"));
    // Pasted while a file is chosen in the form it is queued once.
    desk.keys("U");
    desk.probe.event(Event::Pasted("/clips/once.mp4".into()));
    assert_eq!(desk.queued().0, PathBuf::from("/clips/once.mp4"));
    let is_upload = |effect: &Effect| matches!(effect, Effect::Steps(steps::Effect::Upload { .. }));
    assert!(!desk.probe.effects.iter().any(is_upload), "it is uploaded twice");
    desk.keys("<esc>U<esc>");
    assert!(!desk.probe.shows("Files:"));
}

#[test]
fn its_progress_stands_on_the_card_and_in_the_form() {
    let mut desk = Desk::new();
    desk.upload(1, "film.mp4");
    desk.overview.courses = [(UploadId(1), Course { sent: 420_000, per_second: None })].into();
    desk.show();
    assert!(desk.probe.shows("↑ 42% film.mp4"), "{}", desk.probe.screen());
    desk.keys("<enter><tab><tab><tab>");
    assert!(desk.probe.shows("42% film.mp4, 420 kB of 1.0 MB"), "{}", desk.probe.screen());
    let again_ms = desk.probe.now.0 + 3_000;
    desk.apply(&[Entry::Broke { id: UploadId(1), why: "the line broke".into(), again_ms }]);
    assert!(desk.probe.shows("retrying: fil") && desk.probe.shows("retrying in 3 s"), "{}", desk.probe.screen());
    let failed = Entry::Failed { id: UploadId(1), at_ms: 3, why: "413".into(), fix: "make it smaller".into() };
    desk.apply(&[failed]);
    insta::assert_snapshot!("upload failed", desk.probe.screen());
    desk.keys("R");
    assert!(desk.probe.effects.contains(&Effect::Steps(steps::Effect::ResumeUpload(UploadId(1)))));
    desk.keys("x");
    assert_eq!(desk.placed(), [(1, Placement::Dropped)]);
    assert!(desk.queue.uploads().is_empty() && !desk.probe.shows("film.mp4: "), "{}", desk.probe.screen());
    assert_eq!(desk.edits(), [""; 0]);
    assert_ne!(desk.video("pHB58"), "", "the first x was about the upload");
}

#[test]
fn what_arrived_is_an_edit_once_and_undone_it_stays_undone() {
    let mut desk = Desk::new();
    let before = desk.video("pHB58");
    desk.upload(1, "film.mp4");
    desk.keeps = false;
    desk.arrives(1);
    assert_eq!(desk.video("pHB58"), "v-1");
    assert_eq!(desk.edits(), ["video uploaded into pHB58: “film.mp4”"]);
    assert!(desk.probe.shows("film.mp4 is now the video of pHB58."), "{}", desk.probe.screen());
    let said = desk.probe.model.shell.notices.past.iter().any(|notice| notice.text.contains("open the project"));
    assert!(!said, "it is open: {:?}", desk.probe.model.shell.notices.past);
    assert_eq!(desk.placed(), [], "it is not on the disk yet");
    desk.keeps = true;
    desk.show();
    desk.go_on();
    assert_eq!(desk.placed(), [(1, Placement::Made)]);
    desk.keys("u");
    desk.show();
    desk.go_on();
    assert_eq!(desk.video("pHB58"), before);
    assert_eq!((desk.edits().len(), desk.placed().len()), (1, 1));
}

#[test]
fn the_next_studio_makes_the_edit_and_none_makes_it_twice() {
    let mut desk = Desk::new();
    desk.upload(1, "film.mp4");
    let mut queue = desk.queue.clone();
    queue.apply(&Entry::Arrived { id: UploadId(1), at_ms: 9, video: "v-1".into(), found: true });
    // Nobody had the project open when it arrived.
    let mut next = Desk::before(queue.clone());
    assert!(next.probe.shows("Uploaded film.mp4 for pHB58 of Gift finder"), "{}", next.probe.screen());
    next.probe.open_project(sample("Gift finder"));
    next.go_on();
    assert_eq!((next.video("pHB58"), next.placed()), ("v-1".to_owned(), vec![(1, Placement::Made)]));
    // It ended before the queue was told: the draft knows, also where the edit was undone.
    for undone in [false, true] {
        let mut records = next.records.clone();
        if undone {
            next.keys("u");
            records.clone_from(&next.records);
        }
        let draft = Draft::from_records(records.clone()).unwrap();
        let count = u64::try_from(records.len()).unwrap();
        let found = Found::Draft { draft: Box::new(draft), written: Moment(0), records: count };
        let mut third = Desk::before(queue.clone());
        third.records = records;
        third.probe.open_project_with(sample("Gift finder"), found);
        third.go_on();
        assert_eq!(third.placed(), [(1, Placement::Made)]);
        assert_eq!(third.edits().len(), 1);
        assert_eq!(third.video("pHB58") == "v-1", !undone);
    }
}

#[test]
fn what_a_person_did_meanwhile_stays() {
    // Another video was chosen.
    let mut desk = Desk::new();
    desk.upload(1, "film.mp4");
    let before = desk.video("pHB58");
    desk.keys("V<down><enter>");
    let chosen = desk.video("pHB58");
    assert_ne!(chosen, before);
    desk.arrives(1);
    assert_eq!((desk.video("pHB58"), desk.placed()), (chosen, vec![(1, Placement::Kept)]));
    assert!(desk.probe.shows("keeps the video it got meanwhile"), "{}", desk.probe.screen());

    // The step was deleted, and that is undone.
    let mut desk = Desk::new();
    desk.keys("n").upload(1, "film.mp4").keys("x<down><enter>").arrives(1);
    assert!(desk.probe.shows("new-1 is deleted."), "{}", desk.probe.screen());
    assert_eq!(desk.placed(), []);
    desk.keys("u");
    assert_eq!((desk.video("new-1"), desk.placed()), ("v-1".to_owned(), vec![(1, Placement::Made)]));

    // A second file was chosen: the first gives way, whichever arrives first.
    for order in [[1, 2], [2, 1]] {
        let mut desk = Desk::new();
        desk.upload(1, "first.mp4").upload(2, "second.mp4");
        for id in order {
            desk.arrives(id);
        }
        assert_eq!(desk.video("pHB58"), "v-2", "{order:?}");
        assert!(desk.placed().contains(&(1, Placement::Overtaken)), "{:?}", desk.placed());
        assert_eq!(desk.edits().len(), 1);
    }
    // But not to one that was given up.
    let mut desk = Desk::new();
    desk.upload(1, "first.mp4").upload(2, "second.mp4").arrives(1);
    assert_eq!(desk.edits(), [""; 0]);
    desk.apply(&[Entry::Cancelled { id: UploadId(2), at_ms: 5 }]);
    assert_eq!(desk.video("pHB58"), "v-1");
    // Nor to one that failed; sent again after all, it has its place.
    let mut desk = Desk::new();
    desk.upload(1, "first.mp4").upload(2, "second.mp4").arrives(1);
    desk.apply(&[Entry::Failed { id: UploadId(2), at_ms: 5, why: "413".into(), fix: "smaller".into() }]);
    assert_eq!(desk.video("pHB58"), "v-1");
    desk.apply(&[Entry::Resumed { id: UploadId(2), file: None }]).arrives(2);
    assert_eq!(desk.video("pHB58"), "v-2");
}

#[test]
fn another_studio_that_edits_the_project_is_left_to_it() {
    let mut desk = Desk::new();
    desk.free = false;
    desk.upload(1, "film.mp4").arrives(1);
    assert_eq!((desk.edits().len(), desk.placed().len()), (0, 0));
    assert!(desk.probe.shows("being edited in another window"), "{}", desk.probe.screen());
    assert!(desk.probe.shows("uploaded: film.mp4"), "{}", desk.probe.screen());
    // The other one is gone, and the project is read again.
    desk.free = true;
    desk.keys("r");
    desk.probe.answer_steps(&sample("Gift finder"));
    desk.go_on();
    assert_eq!((desk.video("pHB58"), desk.placed()), ("v-1".to_owned(), vec![(1, Placement::Made)]));
}

#[test]
fn a_step_that_only_the_draft_had_is_found_by_its_id_once_it_is_saved() {
    let mut desk = Desk::new();
    desk.keys("n").upload(1, "film.mp4");
    let destination = desk.queue.get(UploadId(1)).unwrap().destination.clone().unwrap();
    assert!(matches!(destination.step, StepKey::New(_)) && destination.label == "new-1");
    desk.keys("S");
    desk.probe.answer_steps(&sample("Gift finder"));
    desk.keys("<enter>");
    while let Some(at) =
        desk.probe.effects.iter().position(|effect| matches!(effect, Effect::Steps(steps::Effect::Ask { .. })))
    {
        let Effect::Steps(steps::Effect::Ask { request, ask }) = desk.probe.effects.remove(at) else { unreachable!() };
        let Ask::Call(call, _, _) = *ask else {
            // Nobody else has changed anything.
            let project = desk.probe.model.screens.steps.draft().unwrap().base().project();
            let reply = Box::new(Reply::Project(Ok(Box::new(project.into()))));
            desk.probe.event(Event::Steps(steps::Event::Answered { request, reply }));
            desk.go_on();
            continue;
        };
        let outcome = if call.title().contains("create") {
            Outcome::CreatedStep("id-new".into(), "nEw01".into())
        } else {
            Outcome::Done
        };
        let reply = Box::new(Reply::Call(call, Box::new(outcome)));
        desk.probe.event(Event::Steps(steps::Event::Answered { request, reply }));
        desk.go_on();
    }
    assert!(desk.probe.shows("saved"), "{}", desk.probe.screen());
    let destination = desk.queue.get(UploadId(1)).unwrap().destination.clone().unwrap();
    assert_eq!((destination.step, destination.label), (StepKey::Id("id-new".into()), "nEw01".to_owned()));
    // What is shown as saved stays so until the plan is closed.
    desk.arrives(1);
    assert_eq!(desk.placed(), []);
    desk.keys("<enter>");
    assert_eq!((desk.video("nEw01"), desk.placed()), ("v-1".to_owned(), vec![(1, Placement::Made)]));
}

#[test]
fn with_the_draft_the_steps_go_that_only_it_had() {
    for (number, keys) in ["D<down><enter>", "u<esc>"].into_iter().enumerate() {
        let mut desk = Desk::new();
        desk.keys("n").upload(1, "film.mp4").keys(keys);
        if number == 1 {
            // The list of projects, and another project.
            desk.probe.turn(|model, _, turn| model.screens.steps.close(turn));
            desk.go_on();
        }
        assert_eq!(desk.placed(), [(1, Placement::Gone)], "{keys}");
        assert_eq!(desk.queue.get(UploadId(1)).unwrap().state.word(), "sending", "it goes on to the library");
    }
}

#[test]
fn what_is_owed_stays_on_the_list_until_a_person_says_otherwise() {
    let mut desk = Desk::new();
    desk.upload(1, "film.mp4");
    let mut next = Desk::before(desk.queue.clone());
    next.arrives(1).keys("3<tab><tab>");
    assert!(next.probe.shows("for pHB58 of Gift finder: open the project to use it"), "{}", next.probe.screen());
    next.probe.effects.clear();
    let noted = |next: &mut Desk, keys: &str| {
        next.probe.effects.clear();
        next.probe.keys(keys);
        let notes = next.probe.effects.iter().filter_map(|effect| match effect {
            Effect::Videos(videos::Effect::Note(entries)) => Some(entries.clone()),
            _ => None,
        });
        notes.flatten().collect::<Vec<_>>()
    };
    let id = UploadId(1);
    assert_eq!(noted(&mut next, "C"), [Entry::Cleared { ids: Vec::new() }]);
    let dropped = Entry::Placed { id, how: Placement::Dropped };
    assert_eq!(noted(&mut next, "x"), [dropped, Entry::Cleared { ids: vec![id] }]);

    // Its project is gone.
    let mut next = Desk::before(desk.queue.clone());
    next.arrives(1).keys("3");
    let listing = next.probe.effects.iter().find_map(|effect| match effect {
        Effect::Videos(videos::Effect::List(request)) => Some(*request),
        _ => None,
    });
    let listed = videos::Event::Listed { request: listing.unwrap(), videos: Ok(Vec::new()) };
    next.probe.event(Event::Videos(listed));
    let request = next.probe.effects.iter().find_map(|effect| match effect {
        Effect::Videos(videos::Effect::ReadUses(request)) => Some(*request),
        _ => None,
    });
    let request = request.unwrap();
    next.probe.effects.clear();
    let listed = |projects: &[&str]| {
        let projects = projects.iter().map(|id| (*id).into()).collect();
        Event::Videos(videos::Event::ProjectsListed { request, projects })
    };
    for projects in [&["p1", "p2"][..], &[]] {
        next.probe.event(listed(projects));
        assert!(!next.probe.effects.iter().any(|effect| matches!(effect, Effect::Videos(videos::Effect::Note(_)))));
    }
    next.probe.event(listed(&["p2"]));
    let gone = Effect::Videos(videos::Effect::Note(vec![Entry::Placed { id, how: Placement::Gone }]));
    assert!(next.probe.effects.contains(&gone));
    assert!(next.probe.shows("its project Gift finder is gone"), "{}", next.probe.screen());
}

#[test]
fn a_studio_that_only_looks_changes_nothing() {
    let mut desk = Desk::new();
    desk.upload(1, "film.mp4");
    let mut next = Desk::before(desk.queue.clone());
    next.probe.model.shell.begin.read_only = Some("--read-only".into());
    next.probe.open_project(sample("Gift finder"));
    next.arrives(1);
    assert_eq!((next.edits().len(), next.placed().len()), (0, 0));
    next.keys("U");
    assert!(next.probe.shows("read-only"), "{}", next.probe.screen());
}

#[test]
fn answers_after_the_end_of_a_video_are_found_where_its_length_is_known() {
    let mut desk = Desk::new();
    let video = desk.video("pHB58");
    assert!(!desk.probe.shows("its video ends after"));
    desk.keys("<enter><tab><tab><ctrl-u>9.5<esc>");
    desk.overview.lengths = Arc::new([(VideoId::new(video), 4_200)].into());
    desk.show();
    assert!(
        desk.probe.shows("pHB58's answers appear after 9.5 s, its video ends after 4.2 s"),
        "{}",
        desk.probe.screen()
    );
}

#[test]
fn a_countdown_ticks_once_a_second_and_only_where_it_is_seen() {
    let mut desk = Desk::new();
    desk.upload(1, "film.mp4");
    let ticks = |probe: &mut Probe| {
        let wakes = probe.effects.iter().filter_map(|effect| match effect {
            Effect::Wake { alarm: Alarm::Countdown, after_ms } => Some(*after_ms),
            _ => None,
        });
        let wakes: Vec<u64> = wakes.collect();
        probe.effects.clear();
        wakes
    };
    let now = desk.probe.now.0;
    let broke = Entry::Broke { id: UploadId(1), why: "the line broke".into(), again_ms: now + 2_500 };
    desk.apply(&[broke]);
    let probe = &mut desk.probe;
    assert_eq!(ticks(probe), [0; 0], "the card counts nothing");
    probe.keys("3");
    assert!(probe.shows("retrying in 2 s"), "{}", probe.screen());
    assert_eq!(ticks(probe), [501]);
    probe.keys("jjkk");
    assert_eq!(ticks(probe), [0; 0], "one at a time");
    probe.now = Moment(now + 501);
    probe.event(Event::Woke(Alarm::Countdown));
    assert!(probe.shows("retrying in 1 s"), "{}", probe.screen());
    assert_eq!(ticks(probe), [1_000]);
    probe.keys("1");
    probe.now = Moment(now + 1_501);
    probe.event(Event::Woke(Alarm::Countdown));
    assert_eq!(ticks(probe), [0; 0], "another screen is in front");
    probe.keys("3");
    assert!(probe.shows("retrying") && !probe.shows("retrying in"), "{}", probe.screen());
    assert_eq!(ticks(probe), [0; 0]);
}
