//! The Steps screen, driven by keys over the sample's projects.

use std::sync::Arc;

use serde_json::{Value, json};

use super::probe::Probe;
use super::steps_saving::saved;
use crate::domain::{Num, Project, ProjectId, Reader, Video, VideoId};
use crate::studio::screens::turn::ScreenEffect;
use crate::studio::shell::effect::Effect;
use crate::studio::shell::event::Event;
use crate::studio::shell::reading;
use crate::studio::steps::{self, Found};

/// A project of the sample as a service tells it.
pub fn sample(name: &str) -> Project {
    let file = include_str!("../../../assets/sample/projects.json");
    let document: Value = serde_json::from_str(file).unwrap();
    let project = document["projects"].as_array().unwrap().iter().find(|project| project["name"] == name).unwrap();
    let mut steps = project["steps"].clone();
    for (at, step) in steps.as_array_mut().unwrap().iter_mut().enumerate() {
        let step = step.as_object_mut().unwrap();
        let key = step.remove("key").unwrap();
        // Cards with products are looked at where they are what is tested.
        step.remove("products");
        step.insert("name".into(), key);
        step.insert("id".into(), json!(format!("id-{at}")));
        if let Some(video) = step.remove("video") {
            step.insert("videoId".into(), video);
        }
    }
    let value = json!({
        "id": "p1", "name": project["name"], "stepsOrder": project["stepsOrder"],
        "emailNotifications": project["emailNotifications"], "cutaway": "https://play.example/p1", "steps": steps,
    });
    Reader::read(&value).0
}

fn videos() -> Vec<Video> {
    let document: Value = serde_json::from_str(include_str!("../../../assets/sample/projects.json")).unwrap();
    let named = document["videos"].as_array().unwrap().iter();
    named
        .map(|video| Video {
            id: VideoId::new(video["file"].as_str().unwrap()),
            name: video["name"].as_str().unwrap().to_owned(),
            duration_ms: Some(Num(24_000.0)),
            size: Some(Num(48_000_000.0)),
            ..Video::default()
        })
        .collect()
}

impl Probe {
    /// Opens a project and answers everything that is asked for it.
    pub fn open_project(&mut self, project: Project) -> &mut Self {
        self.open_project_with(project, Found::Nothing)
    }

    pub fn open_project_with(&mut self, project: Project, found: Found) -> &mut Self {
        let id = project.id.clone();
        let opened = id.clone();
        self.turn(|model, now, turn| model.screens.steps.open(opened, String::new(), now, turn));
        self.keys("12");
        self.event(Event::Steps(steps::Event::JournalFound { project: id, found }));
        self.answer_steps(&project)
    }

    /// Answers what was asked of the service for the Steps screen.
    pub fn answer_steps(&mut self, project: &Project) -> &mut Self {
        let effects = std::mem::take(&mut self.effects);
        for effect in effects {
            match effect {
                Effect::Steps(steps::Effect::Read { request, .. }) => {
                    self.event(Event::Steps(steps::Event::Read {
                        request,
                        project: Ok(Box::new(project.clone().into())),
                    }));
                }
                Effect::Steps(steps::Effect::Library { request }) => {
                    self.event(Event::Steps(steps::Event::Library { request, videos: Ok(Arc::new(videos())) }));
                }
                other => self.effects.push(other),
            }
        }
        self
    }
}

pub fn opened(name: &str, width: u16, height: u16) -> Probe {
    let mut probe = Probe::new(width, height);
    probe.open_project(sample(name));
    probe
}

#[test]
fn the_graph() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let probe = opened("Gift finder", width, height);
        insta::assert_snapshot!(format!("graph {width}x{height}"), probe.screen());
    }
}

#[test]
fn wiring_shows_the_line_before_it_is_kept() {
    let mut probe = opened("Gift finder", 120, 40);
    probe.keys("<down><down>w");
    insta::assert_snapshot!("wire letters", probe.screen());
    probe.keys("<right><right>");
    insta::assert_snapshot!("wire aimed", probe.screen());
    probe.keys("<enter>");
    insta::assert_snapshot!("wired", probe.screen());
    probe.keys("u");
    insta::assert_snapshot!("unwired", probe.screen());
}

#[test]
fn a_cursor_that_moves_adds_nothing_to_the_journal() {
    let kept = |probe: &mut Probe| {
        let effects = std::mem::take(&mut probe.effects);
        effects.iter().filter(|effect| matches!(effect, Effect::Steps(steps::Effect::Keep { .. }))).count()
    };
    let mut probe = opened("Gift finder", 120, 40);
    let moves = |probe: &mut Probe, edits: &str| {
        probe.keys(edits);
        let of_edits = kept(probe);
        probe.keys("<right><down><up><left><home><end>t<down><down>t");
        assert_eq!(kept(probe), 0, "after {edits:?}");
        of_edits
    };
    assert_eq!(moves(&mut probe, ""), 0);
    assert!(moves(&mut probe, "n") > 0, "an edit is kept");
}

#[test]
fn other_ways_to_look() {
    let mut probe = opened("Spring campaign (unfinished)", 120, 40);
    insta::assert_snapshot!("findings", probe.screen());
    probe.keys("t");
    insta::assert_snapshot!("outline", probe.screen());
    probe.keys("<enter>");
    insta::assert_snapshot!("form", probe.screen());
    probe.keys("<esc>tp");
    insta::assert_snapshot!("play", probe.screen());
    probe.keys("1");
    insta::assert_snapshot!("play on", probe.screen());
}

#[test]
fn the_ways_through_a_project_are_counted() {
    let mut probe = opened("Gift finder", 120, 40);
    probe.keys("p1<esc>W");
    insta::assert_snapshot!("ways", probe.screen());
}

#[test]
fn a_draft_that_was_not_looked_at_yet_is_not_dropped() {
    let mut probe = Probe::new(120, 40);
    let mut turn = crate::studio::screens::turn::Turn::new(crate::studio::ground::Context {
        connected: true,
        ..Default::default()
    });
    for id in ["one", "two", "one"] {
        probe.model.screens.steps.open(id.into(), String::new(), probe.now, &mut turn);
    }
    let dropped = |effect: &ScreenEffect<_>| matches!(effect, ScreenEffect::Own(steps::Effect::DropJournal { .. }));
    assert!(!turn.effects.iter().any(dropped), "{:?}", turn.effects);
}

#[test]
fn what_is_typed_before_the_first_edit_is_kept_too() {
    let mut probe = opened("Gift finder", 120, 40);
    let kept = |probe: &Probe| -> Vec<crate::draft::Record> {
        let records = |effect: &Effect| match effect {
            Effect::Steps(steps::Effect::Keep { records, .. }) => records.clone(),
            _ => Vec::new(),
        };
        probe.effects.iter().flat_map(records).collect()
    };
    probe.keys("<enter>");
    assert_eq!(kept(&probe), [], "nothing was typed");
    probe.keys("!");
    let records = kept(&probe);
    let draft = crate::draft::Draft::from_records(records.clone()).unwrap();
    let mut again = Probe::new(120, 40);
    let found = Found::Draft { draft: Box::new(draft), written: again.now, records: 2 };
    again.open_project_with(sample("Gift finder"), found);
    assert!(again.shows("Welcome!"), "{}", again.screen());
    again.keys("<esc>");
    assert!(again.shows("draft: 1 edit not saved"), "{}", again.screen());
}

/// The records that were handed to the journal.
fn handed(probe: &Probe) -> Vec<crate::draft::Record> {
    let records = |effect: &Effect| match effect {
        Effect::Steps(steps::Effect::Keep { records, .. }) => records.clone(),
        _ => Vec::new(),
    };
    probe.effects.iter().flat_map(records).collect()
}

#[test]
fn where_one_looks_is_kept_with_the_session_and_not_in_the_journal() {
    use crate::studio::ground::Alarm;

    let mut probe = opened("Gift finder", 120, 40);
    probe.keys("nu");
    let records = u64::try_from(handed(&probe).len()).unwrap();
    let kept = steps::Event::Kept { project: ProjectId::new("p1"), records: Ok(records) };
    probe.event(Event::Steps(kept)).event(Event::Woke(Alarm::Session));
    probe.effects.clear();
    for _ in 0..100 {
        probe.keys("<down><right><left>");
    }
    assert_eq!(handed(&probe), [], "moving the cursor is no edit");
    let wakes = |probe: &Probe| {
        let is_one = |effect: &&Effect| matches!(effect, Effect::Wake { alarm: Alarm::Session, after_ms: ..=2_000 });
        probe.effects.iter().filter(is_one).count()
    };
    assert_eq!(wakes(&probe), 1, "all of it is kept at once, within two seconds");
    probe.event(Event::Woke(Alarm::Session));
    let is_kept = |effect: &&Effect| matches!(effect, Effect::KeepSession(_));
    let left = match probe.effects.iter().find(is_kept) {
        Some(Effect::KeepSession(left)) => (**left).clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(left.places.len(), 1);
    // Nothing more is to be kept, and so nobody is woken.
    probe.effects.clear();
    probe.event(Event::Woke(Alarm::Session)).keys("<ctrl-l>");
    assert!(probe.effects.iter().all(|effect| !is_kept(&effect)) && wakes(&probe) == 0, "{:?}", probe.effects);
    // The next studio begins there.
    let screen = probe.screen();
    let draft = probe.model.screens.steps.draft().unwrap().clone();
    let mut begin = super::probe::begin();
    begin.resume = Some(left);
    let mut again = Probe::unconnected(begin, 120, 40);
    assert!(screen.contains("pHB58"), "{screen}");
    let found = Found::Draft { draft: Box::new(draft), written: again.now, records };
    again.open_project_with(sample("Gift finder"), found);
    let graph = |screen: &str| screen.lines().skip(3).take(30).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(graph(&again.screen()), graph(&screen));
}

/// A draft of the sample with four edits, the third of which can't be read, as its file tells of it.
fn damaged(with_beginning: bool) -> steps::Damaged {
    use crate::draft::{Draft, Edit, journal};

    let mut draft = Draft::new("local", sample("Gift finder"));
    let mut records = vec![draft.begun()];
    for nth in 0..4 {
        let edit = Edit::Describe { step: draft.refs()[nth], text: format!("Edit number {nth}") };
        records.extend(draft.apply(&edit).unwrap().record);
    }
    let lost = if with_beginning { "Edit number 2" } else { "begun" };
    let whole = if with_beginning { journal::whole(&records).0 } else { journal::whole_of_version_1(&records) };
    let read = journal::read(whole.replacen(lost, "Edit nuXber 2", 1).as_bytes()).unwrap();
    let kept = "/drafts/one.draft.broken-1".to_owned();
    let (draft, damage) = (read.draft.map(Box::new), read.damage.unwrap());
    steps::Damaged { draft, written: crate::studio::ground::Moment(0), records: 4, damage, kept }
}

#[test]
fn a_damaged_draft_says_what_is_missing_and_the_rest_can_be_taken() {
    let described = |probe: &Probe| {
        let draft = probe.model.screens.steps.draft().unwrap();
        draft.content().steps().filter(|(_, step)| step.description().starts_with("Edit number")).count()
    };
    let mut probe = Probe::new(120, 40);
    probe.open_project_with(sample("Gift finder"), Found::Damaged(Box::new(damaged(true))));
    insta::assert_snapshot!("damaged draft", probe.screen());
    probe.keys("<esc>");
    assert_eq!(described(&probe), 2, "what stands before the damage");
    assert_eq!(handed(&probe), [], "nothing was decided");

    let mut probe = Probe::new(120, 40);
    probe.open_project_with(sample("Gift finder"), Found::Damaged(Box::new(damaged(true))));
    probe.keys("<down><enter>");
    assert_eq!(described(&probe), 3, "and what stands after it");
    assert!(probe.shows("draft: 3 edits not saved"), "{}", probe.screen());
    let again = crate::draft::Draft::from_records(handed(&probe));
    assert_eq!(again.as_ref(), probe.model.screens.steps.draft(), "the journal has it");

    // Where not even the beginning can be read, what came after is made on what the service has.
    let mut probe = Probe::new(120, 40);
    probe.open_project_with(sample("Gift finder"), Found::Damaged(Box::new(damaged(false))));
    assert!(probe.shows("4 entries after it can be applied"), "{}", probe.screen());
    assert_eq!(described(&probe), 0);
    probe.keys("<down><enter>");
    assert_eq!(described(&probe), 4);
    assert!(matches!(handed(&probe).first(), Some(crate::draft::Record::Begun(_))));
}

#[test]
fn a_draft_that_was_cut_off_is_back_and_that_is_said() {
    let mut draft = damaged(true);
    draft.damage = crate::draft::journal::Damage { is_torn: true, ..Default::default() };
    let mut probe = Probe::new(160, 40);
    probe.open_project_with(sample("Gift finder"), Found::Damaged(Box::new(draft)));
    assert!(probe.shows("draft: 2 edits not saved"), "{}", probe.screen());
    let said: Vec<&str> = probe.model.shell.notices.past.iter().map(|notice| notice.text.as_str()).collect();
    assert!(said.iter().any(|said| said.contains("2 edits not saved") && said.contains("broken-1")), "{said:?}");
}

#[test]
fn f_goes_to_what_stands_out() {
    let mut probe = opened("Spring campaign (unfinished)", 120, 40);
    probe.keys("f");
    insta::assert_snapshot!("kinds", probe.screen());
    probe.keys("leads nowhere<enter>");
    assert!(probe.shows("Spr1n") && !probe.shows("Go to"), "{}", probe.screen());
    let cursor = reading(&probe.model).join("\n");
    probe.keys("n<esc>fnew<enter>");
    assert!(!probe.shows("Go to"), "a new step stands out: {cursor}\n{}", probe.screen());
}

#[test]
fn who_came_by_ssh_is_given_the_command_that_brings_the_player_to_them() {
    for (address, needs_it) in [("http://127.0.0.1:7227/play/p1", true), ("https://play.example/p1", false)] {
        let mut begin = super::probe::begin();
        begin.ssh = Some("me@203.0.113.7".to_owned());
        let mut probe = Probe::unconnected(begin, 80, 24);
        probe.event(Event::Connected(crate::studio::shell::event::Connected {
            base: "http://127.0.0.1:7227/".into(),
            store: None,
            stores: Vec::new(),
        }));
        let mut project = sample("Gift finder");
        project.player_url = Some(address.to_owned());
        probe.open_project(project.clone()).keys("<enter>!<esc>");
        saved(&mut probe, &project);
        let line = "ssh -L 7227:127.0.0.1:7227 me@203.0.113.7";
        assert_eq!(probe.shows(line), needs_it, "{}", probe.screen());
    }
}
