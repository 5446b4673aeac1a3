//! The Projects screen: what it looks like, and what happens on it, in effects.

use std::sync::Arc;

use serde_json::{Value, json};

use super::probe::{NOON, Probe};
use crate::domain::{Project, ProjectId, Reader};
use crate::graph::{Fault, Kind, Severity};
use crate::studio::ground::{Alarm, Failure, Moment, Mouse, MouseAction, RequestId, Waiting};
use crate::studio::projects::{Effect as Of, Event as Told, FolderName, Listed, Record, Row, Trouble, Write, Written};
use crate::studio::shell::effect::Effect;
use crate::studio::shell::event::Event;
use crate::studio::shell::reading;

pub fn project(id: &str, name: &str, folder: &str, steps: usize, updated: &str) -> Value {
    json!({
        "id": id, "name": name, "folder": folder, "stepsCount": steps, "updatedAt": updated,
        "createdAt": "2026-10-01T08:00:00Z", "emailNotifications": ["studio@nordlys.example"],
        "cutaway": format!("https://play.example/{id}"),
    })
}

pub fn steps() -> Value {
    let step = |id: &str, name: &str, text: &str, video: &str, answers: Value| json!({"id": id, "name": name, "overlayText": text, "videoId": video, "answers": answers});
    json!([
        step(
            "s1",
            "pHB58",
            "Who is it for?",
            "v1",
            json!([
                {"text": "For her", "next": "rqAvg"}, {"text": "For him", "next": "7TzzA"}, {"text": "Not sure", "next": "gone1"},
            ])
        ),
        step("s2", "rqAvg", "What does she like?", "v2", json!([{"text": "Again", "next": "pHB58"}])),
        step("s3", "7TzzA", "שלום 日本語", "", json!([])),
    ])
}

pub fn sample() -> Vec<Value> {
    vec![
        project("p1", "Gift finder", "f1", 9, "2026-11-18T12:00:00Z"),
        project("p2", "Range tour", "f1", 6, "2026-11-20T09:00:00Z"),
        project("p3", "Help desk", "f2", 8, "2026-11-01T12:00:00Z"),
        project("p4", "Spring campaign (unfinished)", "f2", 4, "2026-11-19T12:00:00Z"),
        project("p5", "Trip planner", "f1", 24, "2026-11-20T11:55:00Z"),
        json!({"id": "p6", "name": "Shop window — vinduet på hjørnet", "folder": null}),
    ]
}

pub fn read(value: &Value) -> Project {
    Reader::read(value).0
}

pub fn listed(projects: &[Value]) -> Listed {
    let folder = |id: &str, name: &str| FolderName { id: id.into(), name: name.into() };
    Listed {
        rows: projects.iter().map(|project| Row::of(read(project))).collect(),
        folders: vec![folder("f1", "Gift guides"), folder("f2", "Service")],
        ..Listed::default()
    }
}

pub fn record(id: &str, name: &str) -> Arc<Record> {
    let mut raw = project(id, name, "f1", 3, "2026-11-18T12:00:00Z");
    raw["steps"] = steps();
    raw["stepsOrder"] = json!(["pHB58", "rqAvg", "7TzzA"]);
    Arc::new(Record::of(read(&raw), raw.clone(), Vec::new()))
}

impl Probe {
    pub fn newest<T>(&self, pick: impl Fn(&Of) -> Option<T>) -> Option<T> {
        self.effects.iter().rev().find_map(|effect| match effect {
            Effect::Projects(of) => pick(of),
            _ => None,
        })
    }

    pub fn list_asked(&self) -> RequestId {
        self.newest(|of| if let Of::List { request } = of { Some(*request) } else { None }).expect("a question")
    }

    /// The newest project that was asked for.
    pub fn read_asked(&self) -> (RequestId, ProjectId) {
        let asked = |of: &Of| match of {
            Of::Read { request, project, .. } => Some((*request, project.clone())),
            _ => None,
        };
        self.newest(asked).expect("a question for a project")
    }

    /// The newest write that was sent.
    pub fn sent(&self) -> (RequestId, Write) {
        let sent = |of: &Of| match of {
            Of::Write { request, write } => Some((*request, (**write).clone())),
            _ => None,
        };
        self.newest(sent).expect("a write")
    }

    pub fn writes(&self) -> usize {
        self.effects.iter().filter(|effect| matches!(effect, Effect::Projects(Of::Write { .. }))).count()
    }

    pub fn projects(&mut self, projects: &[Value]) -> &mut Self {
        let request = self.list_asked();
        self.event(Event::Projects(Told::Listed { request, list: Ok(listed(projects)) }))
    }

    /// Answers the newest question for a project.
    pub fn told(&mut self, name: &str) -> &mut Self {
        let (request, id) = self.read_asked();
        self.event(Event::Projects(Told::Read { request, record: Ok(Some(record(id.as_str(), name))) }))
    }

    pub fn wrote(&mut self, written: Result<Written, Trouble>) -> &mut Self {
        let (request, _) = self.sent();
        self.event(Event::Projects(Told::Written { request, written }))
    }
}

pub fn waiting(project: &str, name: &str) -> Waiting {
    Waiting { project: project.into(), name: name.to_owned(), edits: 2, profile: None }
}

pub fn trouble(what: &str) -> Trouble {
    Trouble { failure: Failure::new(what), unknown: false, gone: false }
}

pub fn at(width: u16, height: u16) -> Probe {
    let mut probe = Probe::new(width, height);
    probe.keys("2").projects(&sample());
    probe
}

pub fn studio() -> Probe {
    let mut probe = at(120, 40);
    probe.keys("j").told("Gift finder");
    probe
}

pub fn read_only(mut probe: Probe) -> Probe {
    probe.model.shell.begin.read_only = Some("--read-only".into());
    probe
}

#[test]
fn what_it_looks_like() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let mut probe = at(width, height);
        probe.keys("jj");
        if width >= 100 {
            probe.told("Range tour");
        }
        insta::assert_snapshot!(format!("projects {width}x{height}"), probe.screen());
    }
    let mut probe = at(80, 24);
    probe.keys("j<right>").told("Gift finder");
    insta::assert_snapshot!("project 80x24", probe.screen());
    insta::assert_snapshot!("project reading", reading(&probe.model).join("\n"));
    insta::assert_snapshot!("projects least", at(40, 10).screen());
    let mut probe = at(80, 24);
    insta::assert_snapshot!("projects searched", probe.keys("/sp").screen());
    insta::assert_snapshot!("projects reading", reading(&probe.model).join("\n"));
    insta::assert_snapshot!("projects delete", probe.keys("<enter>X").screen());
    insta::assert_snapshot!("projects move", probe.keys("<esc><ctrl-o>").screen());
}

#[test]
fn in_ascii_nothing_else_is_drawn() {
    let mut probe = Probe::new(120, 50);
    probe.model.shell.begin.ascii = true;
    probe
        .keys("2")
        .projects(&sample())
        .keys("jj")
        .told("Range tour")
        .event(Event::Projects(Told::Drafts(vec![waiting("p1", "Gift finder")])));
    insta::assert_snapshot!("projects ascii", probe.screen());
    assert!(probe.screen().is_ascii());
    probe.keys("O").told("Range tour").keys("J");
    assert!(probe.screen().is_ascii() && probe.shows("> "));
    probe.keys("<esc><esc>Q");
    assert!(probe.screen().is_ascii() && probe.shows("##############"));
}

#[test]
fn it_is_read_when_it_is_shown_and_not_before() {
    let mut probe = Probe::new(120, 40);
    assert!(!probe.effects.iter().any(|effect| matches!(effect, Effect::Projects(_))));
    probe.keys("2");
    let first = probe.list_asked();
    assert!(!probe.shows("Loading"), "nothing flickers for what is here at once");
    probe.now = Moment(NOON.0 + 301);
    probe.event(Event::Woke(Alarm::Spinner));
    assert!(probe.shows("Loading"));
    probe.projects(&sample());
    assert!(probe.shows("6 projects in 2 folders"));
    // Shown again it is read again, and what is known stays.
    probe.keys("12");
    assert!(probe.list_asked() > first && probe.shows("Gift finder"));
}

#[test]
fn a_failure_is_said_and_tried_again_and_nothing_is_lost() {
    let mut probe = Probe::new(80, 24);
    probe.keys("2");
    let request = probe.list_asked();
    let failed = |request, what: &str| Event::Projects(Told::Listed { request, list: Err(Failure::new(what)) });
    probe.event(failed(request, "the line broke"));
    assert!(probe.shows("Couldn't load the projects.") && probe.shows("the line broke"));
    probe.keys("R").projects(&sample());
    assert!(probe.shows("Gift finder"));
    probe.keys("r");
    let request = probe.list_asked();
    probe.event(failed(request, "broke again"));
    assert!(probe.shows("broke again") && probe.shows("What was loaded is kept") && probe.shows("Gift finder"));
    let refused = Failure { what: "401".into(), unauthorized: true, missing: false };
    probe.keys("R");
    let request = probe.list_asked();
    probe.event(Event::Projects(Told::Listed { request, list: Err(refused) }));
    assert!(probe.shows("refused the credential") && probe.shows("Gift finder"));
}

#[test]
fn folders_fold_and_keep_their_counts() {
    let mut probe = at(80, 24);
    assert!(probe.shows("▾ Gift guides  3") && probe.shows("▾ No folder  1"));
    probe.keys("<enter>");
    assert!(probe.shows("▸ Gift guides  3") && !probe.shows("Gift finder"));
    probe.keys("l");
    assert!(probe.shows("Gift finder"));
    probe.keys("ljh h");
    assert!(!probe.shows("Gift finder"), "left goes to the folder, then folds it");
    probe.keys("z");
    assert!(!probe.shows("Help desk"));
    probe.keys("z");
    assert!(probe.shows("Help desk") && probe.shows("Gift finder"));
}

#[test]
fn the_next_start_has_the_same_folders_folded_and_the_same_one_selected() {
    let mut probe = at(120, 40);
    probe.keys("zjjj<up>");
    let current = probe.model.screens.projects.current_folder().map(|group| group.name.to_string());
    assert_eq!(current.as_deref(), Some("Service"), "{}", probe.screen());
    let left = crate::studio::left(&probe.model);
    let mut begin = super::probe::begin();
    begin.resume = Some(left);
    let mut again = Probe::unconnected(begin, 120, 40);
    again.event(Event::Connected(crate::studio::shell::event::Connected {
        base: "http://127.0.0.1:7227/".into(),
        store: None,
        stores: Vec::new(),
    }));
    again.keys("2").projects(&sample());
    let projects = &again.model.screens.projects;
    let folder = projects.current_folder().map(|group| group.name.to_string());
    assert_eq!((folder, again.shows("Help desk")), (current, false), "{}", again.screen());
}

#[test]
fn a_search_finds_by_letters_and_opens_what_it_found() {
    let mut probe = at(120, 40);
    probe.keys("/spcam");
    assert!(probe.shows("1 of 6 projects") && probe.shows("Spring campaign") && !probe.shows("Trip planner"));
    probe.keys("<enter><enter>");
    assert!(probe.model.screens.shown == crate::studio::ground::Screen::Steps, "the project is opened");
    probe.keys("2<esc>");
    assert!(probe.shows("6 projects in 2 folders"));
    assert!(reading(&probe.model).iter().any(|line| line.starts_with("> Spring campaign")), "the selection stays");
}

#[test]
fn the_order_is_by_name_or_by_change() {
    let mut probe = at(80, 24);
    let place = |probe: &Probe, name: &str| probe.screen().lines().position(|line| line.contains(name)).unwrap();
    assert!(place(&probe, "Gift finder") < place(&probe, "Range tour"));
    probe.keys("s");
    assert!(
        place(&probe, "Trip planner") < place(&probe, "Range tour")
            && place(&probe, "Range tour") < place(&probe, "Gift finder")
    );
}

#[test]
fn what_is_said_of_a_project_follows_the_selection() {
    let mut probe = studio();
    assert!(probe.shows("Who is it for?") && probe.shows("2 errors") && probe.shows("leads nowhere"));
    let (first, _) = probe.read_asked();
    probe.keys("j");
    let (request, id) = probe.read_asked();
    assert_eq!(id.as_str(), "p2");
    probe.keys("j");
    assert!(probe.effects.contains(&Effect::Cancel(request)) && first < request);
    let (request, _) = probe.read_asked();
    probe.event(Event::Projects(Told::Read { request, record: Err(Failure::new("too busy")) }));
    assert!(
        probe.shows("Couldn't load its steps.") && probe.shows("too busy") && probe.shows("https://play.example/p5")
    );
    probe.keys("R").told("Trip planner");
    assert!(probe.shows("Who is it for?"));
    let (request, _) = probe.keys("r").read_asked();
    probe.event(Event::Projects(Told::Read { request, record: Ok(None) }));
    assert!(probe.shows("no longer has this project"));
}

/// A project is shown as soon as it was read; what is wrong with its products is told when the catalog has answered.
#[test]
fn a_project_is_not_held_up_by_the_catalog() {
    let offering = || {
        let mut raw = project("p1", "Gift finder", "f1", 1, "2026-11-18T12:00:00Z");
        raw["steps"] = json!([{"id": "s1", "name": "pHB58", "overlayText": "Who is it for?", "videoId": "v1", "answers": [],
            "products": [{"store": "https://nordlys.example", "productId": "7"}]}]);
        Arc::new(Record::of(read(&raw), raw, Vec::new()))
    };
    let asked = |probe: &Probe| {
        let check = |of: &Of| if let Of::Check { request, .. } = of { Some(*request) } else { None };
        probe.newest(check).expect("its products are looked up")
    };
    let mut probe = at(120, 40);
    probe.keys("j");
    let (request, _) = probe.read_asked();
    probe.event(Event::Projects(Told::Read { request, record: Ok(Some(offering())) }));
    assert!(probe.shows("Who is it for?") && probe.shows("checking their products"), "{}", probe.screen());
    let request = asked(&probe);
    let fault = Fault {
        kind: Kind::Linted("W01", Severity::Fault),
        key: "W01".to_owned(),
        meant: false,
        step: Some(0),
        port: None,
        value: String::new(),
        sentence: "pHB58: it shows Wool socks, which is sold out".to_owned(),
        way: Vec::new(),
        fix: None,
    };
    probe.event(Event::Projects(Told::Checked { request, faults: Some(vec![fault]) }));
    assert!(probe.shows("1 error") && probe.shows("which is sold out"), "{}", probe.screen());
    // Where the project can't be read again, what is known of its products stays, and nothing more is looked up.
    let checks = |probe: &Probe| {
        let is_check = |effect: &&Effect| matches!(effect, Effect::Projects(Of::Check { .. }));
        probe.effects.iter().filter(is_check).count()
    };
    let before = checks(&probe);
    let (request, _) = probe.keys("r").read_asked();
    probe.event(Event::Projects(Told::Read { request, record: Err(Failure::new("no answer")) }));
    assert!(checks(&probe) == before && probe.shows("which is sold out"), "{}", probe.screen());
    // Whoever goes on waits for nothing of it.
    let (request, _) = probe.keys("r").read_asked();
    probe.event(Event::Projects(Told::Read { request, record: Ok(Some(offering())) }));
    let request = asked(&probe);
    probe.keys("j");
    assert!(probe.effects.contains(&Effect::Cancel(request)));
    probe.keys("k");
    let (request, _) = probe.read_asked();
    probe.event(Event::Projects(Told::Read { request, record: Ok(Some(offering())) }));
    let request = asked(&probe);
    probe.event(Event::Projects(Told::Checked { request, faults: None }));
    assert!(probe.shows("their products couldn't"), "{}", probe.screen());
}

#[test]
fn what_was_changed_stays_in_sight() {
    let mut probe = at(120, 40);
    probe.keys("/range<enter>EX<enter>").wrote(Ok(Written::Done));
    let mut projects = sample();
    projects[1]["name"] = json!("Tour of autumn");
    probe.projects(&projects);
    assert!(probe.shows("Tour of autumn") && probe.shows("6 projects in 2 folders"), "the search that hid it is ended");
    // Moved into a folder that is folded, it is unfolded.
    probe.keys("hh").keys("G").keys("<ctrl-o>Gift<enter>").wrote(Ok(Written::Done));
    projects[5]["folder"] = json!("f1");
    probe.projects(&projects);
    assert!(reading(&probe.model).iter().any(|line| line.starts_with("> Shop window")));
}

#[test]
fn a_screen_that_becomes_wide_says_what_is_known() {
    let mut probe = at(80, 24);
    probe.keys("j").event(Event::Resized { width: 120, height: 40 });
    assert!(probe.shows("https://play.example/p1") && probe.shows("r loads its steps."));
    probe.keys("r").projects(&sample()).told("Gift finder");
    assert!(probe.shows("Who is it for?"));
}

#[test]
fn the_players_address_is_copied_shown_and_drawn() {
    let mut probe = studio();
    probe.keys("y<enter>");
    assert_eq!(probe.effects.last(), Some(&Effect::CopyText("https://play.example/p1".into())));
    probe.keys("o");
    assert!(probe.shows("https://play.example/p1"));
    probe.keys("<esc>Q");
    insta::assert_snapshot!("projects code", probe.screen());
    probe.keys("y");
    assert_eq!(probe.effects.last(), Some(&Effect::CopyText("https://play.example/p1".into())));
    probe.keys("<esc>");
    assert!(probe.shows("Gift guides"));
    probe.keys("GQ");
    assert!(probe.shows("no player address"));
}

#[test]
fn records_without_fields_are_shown_as_what_they_are() {
    let mut probe = Probe::new(120, 40);
    let odd = [
        json!({}),
        json!({"id": 7, "name": null, "stepsCount": "many"}),
        json!({"id": "x", "name": "  ", "folder": "f9", "updatedAt": "soon"}),
        json!([]),
    ];
    probe.keys("2").projects(&odd);
    assert!(probe.shows("4 projects in 3 folders") && probe.shows("(no name)") && probe.shows("–"));
    probe.keys("G<enter>EX");
    assert!(probe.shows("no ID for this project: it can't be changed") && probe.writes() == 0);
    // What has no name is deleted by its id.
    probe.keys("gj");
    assert_eq!(probe.model.screens.projects.current().unwrap().project.id.as_str(), "x");
    probe.keys("D(no name)<enter>");
    assert!(probe.shows("Type its id, x") && probe.writes() == 0);
    probe.keys("<ctrl-u>x<enter>");
    assert_eq!(probe.sent().1, Write::Delete("x".into()));
}

#[test]
fn drafts_are_marked() {
    let mut probe = studio();
    probe.event(Event::Projects(Told::Drafts(vec![waiting("p1", "Gift finder")])));
    assert!(probe.shows("Gift finder  ● draft"));
}

#[test]
fn a_draft_of_a_project_that_the_service_has_no_more_has_a_row_that_opens_it() {
    let mut probe = studio();
    let count = probe.model.screens.projects.listed().unwrap().rows.len();
    probe.event(Event::Projects(Told::Drafts(vec![waiting("lost", "Autumn tour")])));
    assert!(probe.shows("Autumn tour  ● draft only"));
    assert!(probe.shows(&format!("{count} projects")), "it is none of the service's");
    // It stays when the list is read again, and goes with its draft.
    probe.keys("/autumn<enter>D");
    assert!(probe.shows("The service no longer has this project"), "there is nothing to be written");
    probe.keys("<enter>");
    assert!(probe.model.screens.steps.is_open());
    probe.event(Event::Projects(Told::Drafts(Vec::new())));
    assert!(!probe.model.screens.projects.listed().unwrap().rows.iter().any(|row| row.unlisted));
}

#[test]
fn the_mouse_selects_folds_opens_and_scrolls() {
    let mut probe = at(120, 40);
    let row = |probe: &Probe, name: &str| {
        u16::try_from(probe.screen().lines().position(|line| line.contains(name)).unwrap()).unwrap()
    };
    let press = |probe: &mut Probe, name: &str, what| {
        let y = row(probe, name);
        probe.event(Event::Mouse(Mouse { x: 10, y, what }));
    };
    press(&mut probe, "     Help desk", MouseAction::Press);
    assert_eq!(probe.read_asked().1.as_str(), "p3");
    press(&mut probe, "▾ Gift guides", MouseAction::Press);
    assert!(probe.shows("▸ Gift guides"));
    press(&mut probe, "     Help desk", MouseAction::WheelDown);
    press(&mut probe, "     Help desk", MouseAction::Press);
    press(&mut probe, "     Help desk", MouseAction::Press);
    assert!(probe.model.screens.shown == crate::studio::ground::Screen::Steps);
}

#[test]
fn f_shows_only_some_projects() {
    let mut probe = studio();
    probe.event(Event::DraftsFound(vec![waiting("p3", "Help desk")]));
    probe.keys("f");
    insta::assert_snapshot!("project filters", probe.screen());
    probe.keys("a draft<enter>");
    assert!(probe.shows("1 of 6 projects, with a draft") && !probe.shows("Gift finder"), "{}", probe.screen());
    // A search looks among them.
    probe.keys("/gift<enter>");
    assert!(probe.shows("0 of 6 projects"), "{}", probe.screen());
    probe.keys("<esc><esc>");
    assert!(probe.shows("6 projects in 2 folders"), "{}", probe.screen());
    probe.keys("fwithin a day<enter>");
    assert!(probe.shows("3 of 6 projects, changed within a day") && !probe.shows("Gift finder"), "{}", probe.screen());
    probe.keys("fin service<enter>");
    assert!(probe.shows("2 of 6 projects, in Service") && !probe.shows("Gift guides"), "{}", probe.screen());
}
