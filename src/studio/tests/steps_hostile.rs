//! Anything may come to the Steps screen, in any order, at any size: nothing panics, nothing hostile reaches a cell, and
//! undoing all gives the project as it was.

use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::probe::Probe;
use crate::domain::{Answer, Project, Step, text};
use crate::settings::{Key, KeyCode};
use crate::studio::ground::{Mouse, MouseAction};
use crate::studio::shell::event::Event;
use crate::studio::shell::view;

#[derive(Debug, Clone)]
enum Act {
    Press(Key),
    Paste(String),
    Mouse(u16, u16, u8),
    Resize(u16, u16),
    Edited(String),
}

fn said() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z ]{0,12}",
        2 => Just("\u{1b}[31m\u{202e}\u{feff}".to_owned()),
        2 => Just("日本語👩‍👩‍👧‍👦🇳🇴\nשמיכה".to_owned()),
        1 => Just("long ".repeat(2_000)),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let answer =
        (said(), prop::option::of("[a-d]{0,1}")).prop_map(|(text, next)| Answer { text, next, ..Answer::default() });
    let answers = prop::option::of(prop::collection::vec(answer, 0..5));
    (prop::option::of("[a-d]{0,1}"), prop::option::of("[0-9]{0,2}"), said(), said(), answers).prop_map(
        |(name, id, description, overlay, answers)| Step {
            name: name.map(Into::into),
            id: id.map(Into::into),
            description: Some(description),
            overlay_text: Some(overlay),
            answers,
            ..Step::default()
        },
    )
}

fn act() -> impl Strategy<Value = Act> {
    let keys = "hjklwansdicxJKVuHp0zZ=t+-.,mM123/%R[]yoN PTDS".chars().collect::<Vec<_>>();
    let code = prop_oneof![
        6 => prop::sample::select(keys).prop_map(KeyCode::Char),
        5 => prop::sample::select(vec![
            KeyCode::Enter, KeyCode::Esc, KeyCode::Tab, KeyCode::Up, KeyCode::Down, KeyCode::Left, KeyCode::Right,
            KeyCode::PageUp, KeyCode::PageDown, KeyCode::Home, KeyCode::End, KeyCode::Backspace,
        ]),
    ];
    let key = (code, prop::bool::weighted(0.05), prop::bool::weighted(0.05));
    prop_oneof![
        12 => key.prop_map(|(code, ctrl, shift)| Act::Press(Key { code, ctrl, alt: false, shift })),
        1 => said().prop_map(Act::Paste),
        2 => (0u16..120, 0u16..40, 0u8..5).prop_map(|(x, y, what)| Act::Mouse(x, y, what)),
        1 => (1u16..160, 1u16..50).prop_map(|(width, height)| Act::Resize(width, height)),
        1 => said().prop_map(Act::Edited),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, max_shrink_iters: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn nothing_panics_and_undoing_all_gives_the_project_as_it_was(
        steps in prop::option::of(prop::collection::vec(step(), 0..8)),
        order in prop::option::of(prop::collection::vec("[a-e]", 0..4)),
        acts in prop::collection::vec(act(), 1..60),
    ) {
        let project = Project { id: "p".into(), steps, steps_order: order, ..Project::default() };
        let mut probe = Probe::new(120, 40);
        probe.open_project(project.clone());
        for act in acts {
            match act {
                Act::Press(key) => drop(probe.event(Event::Pressed(key))),
                Act::Paste(text) => drop(probe.event(Event::Pasted(text))),
                Act::Mouse(x, y, what) => {
                    let all = [
                        MouseAction::Press, MouseAction::Drag, MouseAction::Release,
                        MouseAction::WheelUp, MouseAction::WheelDown,
                    ];
                    probe.event(Event::Mouse(Mouse { x, y, what: all[usize::from(what)] }));
                }
                Act::Resize(width, height) => drop(probe.event(Event::Resized { width, height })),
                Act::Edited(text) => drop(probe.event(Event::TextEdited(Ok(text)))),
            }
            probe.answer_steps(&project);
            let (width, height) = probe.model.shell.size;
            let mut buffer = Buffer::empty(Rect { x: 0, y: 0, width, height });
            let cursor = view(&probe.model, &mut buffer);
            prop_assert!(cursor.is_none_or(|(x, y)| x < width && y < height));
            for cell in &buffer.content {
                prop_assert!(!cell.symbol().chars().any(text::is_hostile), "{:?} reached the screen", cell.symbol());
            }
        }
        // Back through whatever is open, then every edit undone.
        probe.keys("<esc><esc><esc><esc>2");
        if !probe.model.screens.steps.is_open() {
            return Ok(());
        }
        probe.keys("12<esc>2<esc>");
        let edits = probe.model.screens.steps.draft().map_or(0, crate::draft::Draft::at);
        probe.keys("12");
        if probe.model.screens.shown != crate::studio::ground::Screen::Steps {
            return Ok(());
        }
        for _ in 0..edits {
            probe.keys("u");
        }
        if let Some(draft) = probe.model.screens.steps.draft().filter(|draft| draft.at() == 0) {
            prop_assert_eq!(draft.content(), draft.base().content());
        }
    }
}
