//! The terminal's cursor stands on what is current, on every screen, list, graph and overlay: where text is typed in that,
//! else at the beginning of what the next key acts on.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::films;
use super::hints::{SIZES, modes, steps, store, with};
use super::probe::{Probe, lines};
use super::steps_problems::without_videos;
use crate::settings::Graphics;
use crate::studio::account;
use crate::studio::shell::event::Event;
use crate::studio::shell::view;

/// What is read from the cursor's cell on.
fn read_there(probe: &Probe) -> Option<String> {
    let (width, height) = probe.model.shell.size;
    let mut buffer = Buffer::empty(Rect { x: 0, y: 0, width, height });
    let (x, y) = view(&probe.model, &mut buffer)?;
    assert!(x < width && y < height);
    let row = Rect { x, y, width: width - x, height: 1 };
    let mut rest = Buffer::empty(Rect { x: 0, y: 0, ..row });
    for at in 0..row.width {
        rest[(at, 0)] = buffer[(x + at, y)].clone();
    }
    lines(&rest).first().cloned()
}

#[test]
fn the_cursor_stands_somewhere_in_every_mode() {
    for (name, mode) in modes() {
        for (width, height) in SIZES {
            let probe = mode(width, height);
            assert!(read_there(&probe).is_some(), "{name} {width}x{height}\n{}", probe.screen());
        }
    }
}

fn signing_in() -> Probe {
    let mut probe = Probe::new(120, 40);
    probe.keys("5").event(Event::Account(account::Event::SignInNeeded { why: "The key is no longer valid.".into() }));
    probe
}

fn problems() -> Probe {
    let mut probe = Probe::new(120, 40);
    probe.open_project(without_videos(4));
    probe
}

#[test]
fn it_stands_on_what_the_next_key_acts_on() {
    let of = |probe: Probe, keys: &str| with(probe, keys);
    let (across, down) = (120, 40);
    let store = || store(across, down);
    let steps = || steps(across, down);
    let seen = vec![
        // Lists, and what is beside them.
        (of(store(), "<down>"), "▌  Fjell wool liner"),
        (of(store(), "f<down><down>"), "▌ Tags"),
        (of(store(), "Pc"), "published"),
        (of(Probe::new(across, down), "5n<tab><tab><tab><tab><tab><tab><tab>"), "○ no  Space"),
        (of(Probe::new(across, down), "4n<down>"), "● collected_info"),
        // The graph, its outline and its problems.
        (steps(), "pHB58 ─ Welcome"),
        (of(steps(), "<down>"), "1 For her"),
        (of(steps(), "<down>w<tab>"), "n0Tsr ─ Not sure"),
        (of(steps(), "t<down>"), "▌1 For her"),
        (of(problems(), "<tab>"), "▌×"),
        (of(steps(), "p1<down>"), "▌ 2 Being warm"),
        (of(steps(), "<enter><tab><tab><tab>"), "Welcome to Nordlys"),
        // What lies over the screen.
        (of(steps(), "nD"), "▌ 1 keep the draft"),
        (of(steps(), "nD<down>"), "▌ 2 "),
        (of(store(), "o"), "https://nordlys.example/products/0"),
        (signing_in(), "▌ 1 With an API key"),
        (of(signing_in(), "<down>"), "▌ 2 With a code"),
        (of(films::shown(across, down, Graphics::Blocks), "v"), "poster"),
    ];
    let wrong: Vec<String> = seen
        .iter()
        .filter_map(|(probe, wanted)| {
            let there = read_there(probe).unwrap_or_default();
            (!there.starts_with(wanted))
                .then(|| format!("wanted {wanted:?}, stands on {there:?} in\n{}", probe.screen()))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
