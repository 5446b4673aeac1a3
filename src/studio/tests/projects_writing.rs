//! Projects being created, moved, changed and deleted, and what is said where that fails.

use std::sync::Arc;

use serde_json::{Value, json};

use super::probe::{NOON, Probe};
use super::projects::{project, read, read_only, sample, studio, trouble};
use crate::studio::ground::{Alarm, Moment};
use crate::studio::projects::{Change, Event as Told, Record, Trouble, Write, Written};
use crate::studio::shell::event::Event;
use crate::studio::shell::reading;

#[test]
fn a_project_is_created_and_selected() {
    let mut probe = studio();
    probe.keys("nAutumn<enter>");
    assert_eq!(probe.sent().1, Write::Create("Autumn".into()));
    assert!(
        !probe.shows("Autumn (") && probe.model.screens.projects.listed().unwrap().rows.len() == 6,
        "nothing is shown that is not so"
    );
    probe.wrote(Ok(Written::Project("p7".into()))).wrote(Ok(Written::Done));
    assert!(probe.shows("Created \"Autumn\" in \"Gift guides\"."));
    let mut projects = sample();
    projects.push(project("p7", "Autumn", "f1", 0, "2026-11-20T12:00:00Z"));
    probe.keys("zhh").projects(&projects);
    assert!(reading(&probe.model).iter().any(|line| line.starts_with("> Autumn")));
}

#[test]
fn a_new_project_lands_in_the_folder_under_the_cursor() {
    let mut probe = studio();
    // The first folder, and a project in it.
    for keys in ["gnAutumn", "gjnAutumn"] {
        probe.keys(keys);
        assert!(probe.shows("Name of the new project in \"Gift guides\""), "{}", probe.screen());
        probe.keys("<esc>");
    }
    probe.keys("nAutumn<enter>");
    assert_eq!(probe.sent().1, Write::Create("Autumn".into()));
    probe.wrote(Ok(Written::Project("p7".into())));
    let change = Change { folder: Some("f1".into()), ..Change::default() };
    assert_eq!(probe.sent().1, Write::Change("p7".into(), change));
    probe.wrote(Ok(Written::Done));
    assert!(probe.shows("Created \"Autumn\" in \"Gift guides\"."), "{}", probe.screen());
    let mut projects = sample();
    projects.push(project("p7", "Autumn", "f1", 0, "2026-11-20T12:00:00Z"));
    probe.projects(&projects);
    assert!(reading(&probe.model).iter().any(|line| line.starts_with("> Autumn")), "{}", probe.screen());
}

#[test]
fn a_project_that_its_folder_refuses_is_there_and_said_to_be() {
    let mut probe = studio();
    probe.keys("gnAutumn<enter>").wrote(Ok(Written::Project("p7".into()))).wrote(Err(trouble("403 not yours")));
    assert!(probe.shows("Created, but not moved to the folder: 403 not yours"), "{}", probe.screen());
}

#[test]
fn what_may_have_been_created_is_not_created_again() {
    let mut probe = studio();
    probe.keys("nAutumn<enter>");
    let before = probe.list_asked();
    probe.wrote(Err(Trouble { unknown: true, ..trouble("the connection broke") }));
    assert!(
        probe.shows("We don't know whether \"Autumn\"") || probe.shows("We don't know whether"),
        "{}",
        probe.screen()
    );
    assert!(probe.list_asked() > before, "the list is read again");
    assert_eq!(probe.writes(), 1);
    probe.keys("n");
    assert!(!probe.shows("❯ Autumn"), "and the same words are not offered again");
}

#[test]
fn what_was_typed_for_a_write_that_failed_is_not_lost() {
    let mut probe = studio();
    probe.keys("nAutumn<enter>").wrote(Err(trouble("400 The name is taken")));
    assert!(probe.shows("Not created: 400 The name is taken"));
    probe.keys("n");
    assert!(probe.shows("❯ Autumn"));
    probe.keys("<ctrl-u><enter>");
    assert!(probe.shows("A project needs a name"));
    assert_eq!(probe.writes(), 1);
}

#[test]
fn one_thing_is_written_at_a_time() {
    let mut probe = studio();
    probe.keys("EFinder<enter>");
    assert_eq!(
        probe.sent().1,
        Write::Change("p1".into(), Change { name: Some("Gift finderFinder".into()), ..Change::default() })
    );
    probe.keys("n");
    assert!(probe.shows("Wait: still renaming"));
    probe.now = Moment(NOON.0 + 400);
    probe.keys("j");
    probe.event(Event::Woke(Alarm::Notice(1)));
    assert!(probe.shows("renaming \"Gift finder\"…"));
    probe.wrote(Ok(Written::Done));
    assert!(probe.shows("Renamed \"Gift finder\" to \"Gift finderFinder\"."));
}

#[test]
fn a_project_is_moved_to_a_folder_known_or_new_or_to_none() {
    let moved = |keys: &str| {
        let mut probe = studio();
        probe.keys("<ctrl-o>").keys(keys);
        match probe.sent().1 {
            Write::Change(id, Change { folder, .. }) => (id.to_string(), folder.unwrap()),
            write => panic!("{write:?}"),
        }
    };
    assert_eq!(moved("Serv<enter>"), ("p1".into(), "f2".into()));
    assert_eq!(moved("No fold<enter>"), ("p1".into(), String::new()));
    assert_eq!(moved("Winter 2027<enter>"), ("p1".into(), "Winter 2027".into()));
    let mut probe = studio();
    probe.keys("<ctrl-o><enter>");
    assert!(probe.shows("It is already in this folder.") && probe.writes() == 0);
}

#[test]
fn e_mail_addresses_are_checked() {
    let mut probe = studio();
    probe.keys("<ctrl-e>");
    assert!(probe.shows("❯ studio@nordlys.example"));
    probe.keys(", nobody<enter>");
    assert!(probe.shows("\"nobody\" is not an e-mail address.") && probe.shows("❯ studio@nordlys.example, nobody"));
    probe.keys("@nordlys.example<enter>");
    let emails = vec!["studio@nordlys.example".to_owned(), "nobody@nordlys.example".to_owned()];
    assert_eq!(probe.sent().1, Write::Change("p1".into(), Change { emails: Some(emails), ..Change::default() }));
    probe.wrote(Ok(Written::Done)).keys("<ctrl-e><ctrl-u><enter>");
    assert_eq!(probe.sent().1, Write::Change("p1".into(), Change { emails: Some(vec![]), ..Change::default() }));
}

#[test]
fn steps_are_put_in_order_as_they_are_now() {
    let mut probe = studio();
    probe.keys("O").told("Gift finder");
    assert!(probe.shows("Order of the steps of Gift finder") && probe.shows("The player starts with the first step."));
    probe.keys("J<shift-down>");
    insta::assert_snapshot!("projects order", probe.screen());
    probe.keys("<esc>");
    assert!(probe.shows("The new order isn't saved") && probe.shows("Order of the steps"));
    probe.keys("<enter>");
    let order = vec!["rqAvg".to_owned(), "7TzzA".to_owned(), "pHB58".to_owned()];
    assert_eq!(probe.sent().1, Write::Change("p1".into(), Change { order: Some(order), ..Change::default() }));
    probe.wrote(Err(trouble("409 changed meanwhile")));
    assert!(
        probe.shows("Couldn't save the order: 409") && probe.shows("1  rqAvg"),
        "what was put in order is still there"
    );
    probe.keys("<enter>").wrote(Ok(Written::Done));
    assert!(probe.shows("Saved the new order of") && !probe.shows("Order of the steps of"));
    probe.keys("O").told("Gift finder").keys("J<esc><esc>");
    assert!(!probe.shows("Order of the steps"));
}

#[test]
fn the_players_settings_are_a_form_whose_entries_are_saved_one_by_one() {
    let mut probe = studio();
    let told = |probe: &mut Probe, settings: Value| {
        let (request, id) = probe.read_asked();
        let mut raw = project(id.as_str(), "Gift finder", "f1", 3, "2026-11-18T12:00:00Z");
        raw["player"] = settings;
        let record = Ok(Some(Arc::new(Record::of(read(&raw), raw.clone(), Vec::new()))));
        probe.event(Event::Projects(Told::Read { request, record }));
    };
    let sent = |probe: &Probe| match probe.sent().1 {
        Write::Change(_, Change { player: Some(change), .. }) => Value::Object(change.members),
        other => panic!("{other:?}"),
    };
    probe.keys("L");
    told(&mut probe, json!({ "endText": "Bye" }));
    assert!(probe.shows("Player of Gift finder") && probe.shows("Brand color") && probe.shows("Bye"));
    insta::assert_snapshot!("projects player", probe.screen());
    // What can't be a value is typed on, and never sent.
    probe.keys("<enter>blue<enter>");
    assert!(probe.shows("It must be a color as #rrggbb") && probe.shows("❯ blue") && probe.writes() == 0);
    probe.keys("<ctrl-u>#0a7cff<enter>");
    assert_eq!(sent(&probe), json!({ "brandColor": "#0a7cff" }));
    probe.wrote(Ok(Written::Done));
    assert!(probe.shows("Saved: Brand color."));
    told(&mut probe, json!({ "endText": "Bye", "brandColor": "#0a7cff" }));
    // A switch needs no typing, and what is emptied is cleared.
    probe.keys("jjjjj<enter>");
    assert_eq!(sent(&probe), json!({ "transparent": true }));
    probe.wrote(Ok(Written::Done));
    // A service that drops it is found out.
    told(&mut probe, json!({ "endText": "Bye", "brandColor": "#0a7cff" }));
    assert!(probe.shows("This service doesn't store this setting."));
    probe.keys("<esc>jjjjj<enter><ctrl-u><enter>");
    assert_eq!(sent(&probe), json!({ "endText": null }));
    probe.wrote(Err(trouble("503 busy")));
    assert!(probe.shows("503 busy") && probe.shows("Player of Gift finder"));
    probe.keys("<esc>o");
    assert!(probe.shows("https://play.example/p1"));
    probe.keys("<esc><esc>");
    assert!(probe.shows("Gift guides") && !probe.shows("Player of Gift finder"));
}

#[test]
fn deleting_asks_for_the_name_and_says_what_goes() {
    let mut probe = studio();
    probe.keys("D");
    assert!(
        probe.shows("\"Gift finder\" will be deleted with its 9 steps. This")
            && probe.shows("Videos stay in the library")
    );
    probe.keys("yes<enter>");
    assert!(probe.shows("The name doesn't match") && probe.writes() == 0);
    probe.keys("<ctrl-u>Gift finder<enter>");
    assert_eq!(probe.sent().1, Write::Delete("p1".into()));
    probe.wrote(Ok(Written::Done)).projects(&sample()[1..]);
    assert!(probe.shows("Deleted \"Gift finder\".") && probe.shows("5 projects"));
    probe.keys("jX<esc>");
    assert_eq!(probe.writes(), 1);
}

#[test]
fn a_read_only_studio_refuses_before_it_asks() {
    let mut probe = read_only(studio());
    for key in ["n", "E", "<ctrl-o>", "<ctrl-e>", "O", "L", "d", "D", "x"] {
        probe.keys(key);
        assert!(probe.shows("Refused: read-only"), "{key}");
        assert!(probe.model.layers.is_empty() && probe.writes() == 0);
    }
}
