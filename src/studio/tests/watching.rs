//! What somebody who watches is shown of texts that hold what belongs to a person, at every width.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde_json::json;

use super::super::probe::{Probe, lines};
use super::super::{projects, videos};
use super::{answer, service_screens as service};
use crate::domain::{ShareCode, Veil, VideoId, WebhookEvent};
use crate::studio::event::Event;
use crate::studio::sharing::{Event as OfSharing, WatcherId};
use crate::studio::videos::{Effect as OnVideos, Event as OfVideos};
use crate::studio::watched::{Seat, draw_watched, watched};

const MAIL: &str = "zqanna.wkjberg@hjqvz.zwtld";
const PHONE: &str = "+47 98 76 54 31";
const KEY: &str = "ctw_8Kd2mQ91xLp4Zr7T";

const BO: WatcherId = WatcherId(1);

fn said(begin: &str) -> String {
    format!("{begin} {MAIL} or {PHONE} with {KEY}, please")
}

/// No four characters of what was planted may be seen.
fn pieces() -> Vec<String> {
    let of = |planted: &str| {
        let signs: Vec<char> = planted.chars().collect();
        signs.windows(4).map(|piece| piece.iter().collect::<String>()).collect::<Vec<_>>()
    };
    // What every key begins with tells nothing.
    [of(MAIL), of(PHONE), of(KEY.get(4..).unwrap())].concat()
}

fn joined(code: u64) -> Event {
    let code = ShareCode::from_bits(code);
    Event::Sharing(OfSharing::Joined { id: BO, code, name: "bo".to_owned(), may_have_keys: true })
}

/// A studio as whoever watches sees it.
fn shown(probe: &Probe, width: u16, height: u16) -> Vec<String> {
    let theme = Arc::clone(&probe.model.shell.theme);
    let seat = Seat { id: BO, size: (width, height), theme, ascii: false, veil: Arc::new(Veil::new([KEY.to_owned()])) };
    let mut buffer = Buffer::empty(Rect { x: 0, y: 0, width, height });
    draw_watched(&watched(&probe.model, &seat), &mut buffer);
    lines(&buffer)
}

fn of_products(keys: &str, fail: bool) -> Probe {
    let mut probe = Probe::new(120, 40);
    let texts = vec![said("Ask"), said("A longer title that comes before it asks"), MAIL.to_owned(), PHONE.to_owned()];
    for _ in 0..20 {
        answer(&mut probe, &texts, true, fail);
    }
    probe.keys(keys);
    for _ in 0..20 {
        answer(&mut probe, &texts, true, fail);
    }
    probe
}

fn raw(id: &str, name: &str) -> serde_json::Value {
    let mut raw = projects::project(id, name, "f1", 3, "2026-11-18T12:00:00Z");
    raw["steps"] = projects::steps();
    raw["stepsOrder"] = json!(["pHB58", "rqAvg", "7TzzA"]);
    for step in raw["steps"].as_array_mut().unwrap() {
        step["overlayText"] = said("Who is it for? Write to").into();
        step["description"] = said("Call").into();
        for answer in step["answers"].as_array_mut().unwrap() {
            answer["text"] = said("For").into();
        }
    }
    raw
}

fn of_projects(keys: &str) -> Probe {
    use crate::studio::projects::{Event as Told, Record};
    let mut probe = Probe::new(120, 40);
    let names = [said("Ask"), PHONE.to_owned(), said("A name of more words, and then")];
    let listed: Vec<_> = names.iter().enumerate().map(|(at, name)| raw(&format!("p{at}"), name)).collect();
    probe.keys("2").projects(&listed).keys("j");
    let (request, id) = probe.read_asked();
    let raw = raw(id.as_str(), &names[0]);
    let record = Arc::new(Record::of(projects::read(&raw), raw, vec![said("A finding of")]));
    probe.event(Event::Projects(Told::Read { request, record: Ok(Some(record)) }));
    probe.keys(keys);
    probe
}

fn of_steps(keys: &str) -> Probe {
    let mut probe = Probe::new(120, 40);
    probe.open_project(projects::read(&raw("p1", &said("Ask"))));
    probe.keys(keys);
    probe
}

fn of_videos(keys: &str) -> Probe {
    let mut probe = Probe::new(120, 40);
    probe.keys("3");
    let request = videos::request(&probe, |effect| match effect {
        OnVideos::List(request) => Some(*request),
        _ => None,
    });
    let named = |id: &str, name: &str| videos::video(id, name, 5);
    let listed = vec![named("v-1", &said("Ask")), named("v-2", PHONE), named("v-3", &said("A film of"))];
    probe.event(Event::Videos(OfVideos::Listed { request, videos: Ok(listed) }));
    let using = videos::request(&probe, |effect| match effect {
        OnVideos::ReadUses(request) => Some(*request),
        _ => None,
    });
    let uses = vec![("pHB58".to_owned(), VideoId::from("v-1"))];
    let read = OfVideos::UsesRead { request: using, project: said("Project"), uses, read: 1, of: 1 };
    probe.event(Event::Videos(read)).keys(keys);
    probe
}

fn of_webhooks(keys: &str) -> Probe {
    let mut probe = Probe::new(120, 40);
    probe.keys("4");
    let url = format!("https://shop.example/hook/{MAIL}?key={KEY}");
    let listed = vec![service::webhook("w1", WebhookEvent::Conversion, &url)];
    let made = [service::delivery("d1", "failed", &said("qqzw was refused by"))];
    service::answer(&mut probe, listed.clone(), &made);
    service::answer(&mut probe, listed, &made);
    probe.keys(keys);
    probe
}

#[test]
fn no_part_of_what_is_personal_is_seen_at_any_width() {
    let screens: Vec<(&str, Probe)> = vec![
        ("products", of_products("", false)),
        ("a product", of_products("<enter>", false)),
        ("products that failed", of_products("", true)),
        ("projects", of_projects("")),
        ("a question on a project", of_projects("x")),
        ("a name being typed", of_projects("r")),
        ("steps", of_steps("")),
        ("a step being edited", of_steps("<enter>")),
        ("videos", of_videos("")),
        ("a video", of_videos("<enter>")),
        ("webhooks", of_webhooks("")),
        ("a delivery", of_webhooks("<enter><enter>")),
    ];
    let pieces = pieces();
    let mut seen = Vec::new();
    for (name, mut probe) in screens {
        probe.event(joined(1));
        for width in (20..=140).step_by(3) {
            for row in shown(&probe, width, 40) {
                if let Some(piece) = pieces.iter().find(|piece| row.contains(*piece)) {
                    seen.push(format!("{name}, {width} columns: “{piece}” in {row}"));
                }
            }
        }
    }
    assert!(seen.is_empty(), "{}", seen.join("\n"));
}

#[test]
fn nothing_of_a_delivery_is_seen_even_while_it_is_read_again() {
    let mut probe = of_webhooks("");
    probe.event(joined(1)).keys("R");
    assert!(!shown(&probe, 120, 40).join("\n").contains("qqzw"), "in the list");
    let mut probe = of_webhooks("<enter><enter>");
    probe.event(joined(1));
    assert!(probe.screen().contains("qqzw"), "the owner reads it");
    let rows = shown(&probe, 120, 40).join("\n");
    assert!(rows.contains("Hidden") && !rows.contains("qqzw") && !rows.contains("msg_d1"), "{rows}");
}

#[test]
fn the_address_of_a_sign_in_is_its_owners_alone() {
    use crate::studio::account::{Event as OfAccount, SignInStep};
    let address = "https://auth.example/approve?state=qqzw17";
    for (came, layers) in [(Event::Copied(41), true), (Event::Copied(41), false), (Event::NoClipboard, false)] {
        let mut probe = Probe::new(120, 40);
        probe.event(joined(1)).event(Event::Account(OfAccount::SignInNeeded { why: "The key ended.".into() }));
        probe.keys("3");
        probe.event(Event::Account(OfAccount::SignIn(SignInStep::Browser { address: address.into() })));
        if !layers {
            // The sign-in is left before the terminal has it.
            probe.keys("<esc><esc>");
        }
        let is_sent = came != Event::NoClipboard;
        probe.event(came).event(Event::AddressOpened(Err(format!("Couldn't open {address}."))));
        let said =
            probe.model.shell.notices.past.iter().map(|notice| notice.text.clone()).collect::<Vec<_>>().join("\n");
        assert!(!is_sent || said.contains("Sent the address to your terminal's clipboard (41 bytes)."), "{said}");
        assert!(is_sent || said.contains(&format!("Copy the address by hand: {address}")), "{said}");
        probe.keys("<esc><esc>");
        assert!(probe.model.layers.is_empty(), "no page: {}", probe.screen());
        for keys in ["", "!"] {
            probe.keys(keys);
            let rows = shown(&probe, 120, 40).join("\n");
            assert!(!rows.contains("qqzw") && !rows.contains("auth.example"), "{keys}: {rows}");
        }
    }
}

#[test]
fn a_code_that_nobody_used_outlives_another_that_was() {
    let mut probe = Probe::new(120, 40);
    let (first, second) = (ShareCode::from_bits(1), ShareCode::from_bits(2));
    let (name, fingerprint) = ("bo".to_owned(), "SHA256:abc".to_owned());
    probe.event(Event::Sharing(OfSharing::Offered(Ok(first))));
    probe.event(Event::Sharing(OfSharing::Knocked { id: BO, code: first, name, fingerprint }));
    assert_eq!(probe.model.shell.sharing.code, None);
    probe.event(Event::Sharing(OfSharing::Offered(Ok(second))));
    probe.event(joined(1));
    assert_eq!(probe.model.shell.sharing.code, Some(second));
    probe.event(Event::Sharing(OfSharing::Closed(second)));
    assert_eq!(probe.model.shell.sharing.code, None);
}

#[test]
fn asking_again_for_the_keys_says_nothing_new() {
    let mut probe = Probe::new(120, 40);
    probe.event(joined(1));
    let asked = |probe: &Probe| {
        let past = &probe.model.shell.notices.past;
        past.iter().filter(|notice| notice.text.contains("asks for the keys")).count()
    };
    for _ in 0..200 {
        probe.event(Event::Sharing(OfSharing::AskedForKeys(BO)));
    }
    assert_eq!(asked(&probe), 1);
    // Once they had them, they may ask again.
    probe.keys(":hand over<enter>");
    assert_eq!(probe.model.shell.sharing.holder().map(|watcher| watcher.id), Some(BO));
    probe.keys("j");
    probe.event(Event::Sharing(OfSharing::AskedForKeys(BO)));
    assert_eq!(asked(&probe), 2);
}

#[test]
fn a_picture_that_fills_the_screen_leaves_it_said_that_the_studio_is_shared() {
    use super::super::pictures::{gallery, hang};
    let mut probe = gallery(120, 40, crate::settings::Graphics::Blocks);
    probe.keys("v");
    hang(&mut probe, "▒");
    assert!(probe.screen().starts_with('▒'));
    probe.event(joined(1));
    hang(&mut probe, "▒");
    let rows: Vec<String> = probe.screen().lines().map(str::to_owned).collect();
    assert!(rows[0].contains("shared: bo") && rows[1].starts_with('▒'), "{}", probe.screen());
    assert!(shown(&probe, 120, 40)[0].contains("watching"));
    // And whoever asks for the keys is heard.
    probe.event(Event::Sharing(OfSharing::AskedForKeys(BO)));
    assert!(probe.shows("bo asks for the"), "{}", probe.screen());
}

#[test]
fn what_writes_files_is_the_owners_alone() {
    use crate::studio::ground::Command;
    for command in
        [Command::Export, Command::StepsExport, Command::StepsBaseline, Command::InspectorSave, Command::StepsTakeOver]
    {
        assert!(crate::studio::shell::sharing::is_owners(command), "{command:?}");
    }
}
