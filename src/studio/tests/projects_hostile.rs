//! Anything may come to the Projects screen, in any order, at any size: nothing panics, nothing hostile reaches a cell,
//! and nothing that creates is sent while another write is on its way.

use std::sync::Arc;

use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde_json::{Value, json};

use super::probe::Probe;
use crate::domain::{Project, Reader, text};
use crate::draft::{Call, Outcome};
use crate::settings::{Key, KeyCode};
use crate::studio::ground::saver::{Ask, Reply};
use crate::studio::ground::{Failure, Moment, Mouse, MouseAction, Unanswered};
use crate::studio::projects::{Effect as Of, Event as Told, FolderName, Listed, Record, Row, Trouble, Written};
use crate::studio::shell::effect::Effect;
use crate::studio::shell::event::Event;
use crate::studio::shell::{reading, view};

#[derive(Debug, Clone)]
enum Step {
    Press(Key),
    Paste(String),
    Mouse(u16, u16, u8),
    Resize(u16, u16),
    /// Answers an open question of this screen, well or ill.
    Answer(Vec<Value>, u8),
    Time(i64),
}

fn word() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => Just(json!("\u{1b}[31mred\u{1b}]0;title\u{7}")),
        4 => Just(json!("\u{202e}evil\u{2066}\u{200b}\u{feff}\n\r\t\0")),
        1 => Just(json!("x".repeat(100_000))),
        4 => Just(json!("日本語👩‍👩‍👧‍👦🇳🇴e\u{301}\u{301}\u{301}\u{301}\u{301}")),
        4 => Just(Value::Null),
        2 => Just(json!(["a", 3, {}])),
        2 => Just(json!(-1.5e300)),
        4 => Just(json!("https://play.example/\u{1b}[2J")),
        8 => "[a-c]{0,2}".prop_map(Value::from),
    ]
}

/// A project as no service should send it.
fn project() -> impl Strategy<Value = Value> {
    let names =
        ["id", "name", "folder", "emailNotifications", "stepsOrder", "stepsCount", "createdAt", "updatedAt", "cutaway"];
    let step = prop::collection::vec(
        (prop::sample::select(vec!["id", "name", "overlayText", "videoId", "answers"]), word()),
        0..5,
    );
    let answers = prop::collection::vec((word(), word()), 0..4);
    let step = (step, answers).prop_map(|(members, answers)| {
        let mut step: serde_json::Map<_, _> =
            members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let answers = answers.into_iter().map(|(text, next)| json!({"text": text, "next": next}));
        step.entry("answers").or_insert_with(|| answers.collect());
        Value::Object(step)
    });
    let members = prop::collection::vec((prop::sample::select(names.to_vec()), word()), 0..8);
    (members, prop::option::of(prop::collection::vec(step, 0..5))).prop_map(|(members, steps)| {
        let mut project: serde_json::Map<_, _> =
            members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        project.extend(steps.map(|steps| ("steps".to_owned(), Value::Array(steps))));
        Value::Object(project)
    })
}

fn key() -> impl Strategy<Value = Key> {
    let codes = prop_oneof![
        6 => prop::sample::select("/szrRnemMOKJDXQxyojkhlgG 1234abc,@q".chars().collect::<Vec<_>>()).prop_map(KeyCode::Char),
        1 => any::<char>().prop_map(KeyCode::Char),
        5 => prop::sample::select(vec![
            KeyCode::Enter, KeyCode::Enter, KeyCode::Esc, KeyCode::Tab, KeyCode::Up, KeyCode::Down, KeyCode::Left,
            KeyCode::Right, KeyCode::PageDown, KeyCode::Home, KeyCode::End, KeyCode::Backspace, KeyCode::Delete,
        ]),
    ];
    (codes, prop::bool::weighted(0.1), prop::bool::weighted(0.1)).prop_map(|(code, ctrl, shift)| Key {
        code,
        ctrl,
        alt: false,
        shift,
    })
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => key().prop_map(Step::Press),
        1 => word().prop_map(|word| Step::Paste(word.as_str().unwrap_or("pasted").to_owned())),
        2 => (0u16..200, 0u16..60, 0u8..4).prop_map(|(x, y, what)| Step::Mouse(x, y, what)),
        1 => (1u16..200, 1u16..60).prop_map(|(width, height)| Step::Resize(width, height)),
        5 => (prop::collection::vec(project(), 0..6), any::<u8>()).prop_map(|(projects, how)| Step::Answer(projects, how)),
        1 => (0i64..1_000).prop_map(Step::Time),
    ]
}

fn read(value: &Value) -> Project {
    Reader::read(value).0
}

fn answer(probe: &mut Probe, projects: &[Value], how: u8) {
    let at = probe.effects.iter().rposition(|effect| matches!(effect, Effect::Projects(_)));
    let Some(Effect::Projects(of)) = at.map(|at| probe.effects.remove(at)) else { return };
    let first = projects.first().cloned().unwrap_or_default();
    let what = first.to_string().chars().take(200).collect::<String>();
    let failure = Failure { what, unauthorized: how.is_multiple_of(7), missing: false };
    let fails = how.is_multiple_of(3);
    let told = match of {
        Of::List { request } => {
            let listed = Listed {
                rows: projects.iter().map(|project| Row::of(read(project))).collect(),
                folders: vec![
                    FolderName { id: "a".into(), name: "A".into() },
                    FolderName { id: "a".into(), name: "".into() },
                ],
                folders_problem: (how & 8 > 0).then(|| "\u{1b}[2J".to_owned()),
                findings: vec!["\u{202e}".to_owned()],
                findings_count: usize::from(how),
            };
            Told::Listed { request, list: if fails { Err(failure) } else { Ok(listed) } }
        }
        Of::Read { request, project, .. } => {
            let record = Record::of(Project { id: project, ..read(&first) }, first.clone(), vec!["\u{1b}c".to_owned()]);
            let record = (how & 8 == 0).then(|| Arc::new(record));
            Told::Read { request, record: if fails { Err(failure) } else { Ok(record) } }
        }
        Of::Check { request, record, .. } => Told::Checked { request, faults: (!fails).then(|| record.faults.clone()) },
        Of::Write { request, .. } => {
            let done = match how % 4 {
                0 => Written::Done,
                _ => Written::Project("\u{1b}a".into()),
            };
            let trouble = Trouble { failure, unknown: how & 16 > 0, gone: how & 64 > 0 };
            Told::Written { request, written: if fails { Err(trouble) } else { Ok(done) } }
        }
        Of::Ask { request, ask } => {
            let reply = match (*ask, how % 5) {
                (ask, _) if fails => ask.unanswered(&Unanswered::Refused(failure.what)),
                (Ask::Call(call, ..), 0) => Reply::Call(call, Box::new(Outcome::Unknown(failure.what))),
                (Ask::Call(call, ..), 1) => Reply::Call(call, Box::new(Outcome::Invalid(failure.what))),
                (Ask::Call(call, ..), 2) => Reply::Unauthorized(call, failure.what),
                (Ask::Call(call, ..), _) if matches!(*call, Call::CreateProject { .. }) => {
                    Reply::Call(call, Box::new(Outcome::CreatedProject("\u{1b}a".into())))
                }
                (Ask::Call(call, ..), 3) => {
                    let (id, name) = (format!("id{how}"), String::new());
                    Reply::Call(call, Box::new(Outcome::CreatedStep(id.as_str().into(), name.as_str().into())))
                }
                (Ask::Call(call, ..), _) => Reply::Call(call, Box::new(Outcome::Done)),
                (Ask::ReadProject { .. }, _) => Reply::Project(Ok(Box::new(read(&first).into()))),
                (Ask::FindOutKeys, _) => Reply::Keys(true),
                (Ask::ListProjects { .. }, _) => Reply::Projects(Ok(projects.iter().map(read).collect())),
            };
            Told::Answered { request, reply: Box::new(reply) }
        }
    };
    probe.event(Event::Projects(told));
}

fn take(probe: &mut Probe, step: Step) {
    match step {
        Step::Press(key) => drop(probe.event(Event::Pressed(key))),
        Step::Paste(text) => drop(probe.event(Event::Pasted(text))),
        Step::Mouse(x, y, what) => {
            let all = [MouseAction::Press, MouseAction::WheelUp, MouseAction::WheelDown, MouseAction::Drag];
            probe.event(Event::Mouse(Mouse { x, y, what: all[usize::from(what)] }));
        }
        Step::Resize(width, height) => drop(probe.event(Event::Resized { width, height })),
        Step::Answer(projects, how) => answer(probe, &projects, how),
        Step::Time(by) => probe.now = Moment(probe.now.0 + by),
    }
}

fn picture(probe: &Probe) {
    let (width, height) = probe.model.shell.size;
    let mut buffer = Buffer::empty(Rect { x: 0, y: 0, width, height });
    if let Some((x, y)) = view(&probe.model, &mut buffer) {
        assert!(x < width && y < height, "the cursor is on the screen");
    }
    for cell in &buffer.content {
        assert!(!cell.symbol().chars().any(text::is_hostile), "{:?} reached the screen", cell.symbol());
        assert!(!probe.model.shell.begin.ascii || cell.symbol().is_ascii(), "{:?} is not ASCII", cell.symbol());
    }
    for line in reading(&probe.model) {
        assert!(!line.chars().any(text::is_hostile), "{line:?} is read out");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, max_shrink_iters: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn nothing_panics_on_projects(
        steps in prop::collection::vec(step(), 1..60), width in 1u16..200, height in 1u16..60, ascii: bool,
    ) {
        let mut probe = Probe::new(width, height);
        probe.model.shell.begin.ascii = ascii;
        probe.keys("2");
        for step in steps {
            take(&mut probe, step);
            picture(&probe);
            let is_write = |effect: &&Effect| matches!(effect, Effect::Projects(Of::Write { .. } | Of::Ask { .. }));
            let writes = probe.effects.iter().filter(is_write);
            prop_assert!(writes.count() <= 1, "two writes at once");
        }
    }
}
