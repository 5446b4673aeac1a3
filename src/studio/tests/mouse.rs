//! The mouse on the Products screen: what is pressed is what is seen.

use super::pictures::{gallery, hang};
use super::probe::Probe;
use crate::settings::Graphics;
use crate::studio::ground::{Mouse, MouseAction};
use crate::studio::screens::products::{Focus, Tab};
use crate::studio::shell::event::Event;

fn store(count: usize) -> Probe {
    let titles: Vec<String> = (0..count).map(|at| format!("Product {at:03}")).collect();
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let mut probe = Probe::new(120, 24);
    probe.counted(u64::try_from(count).unwrap()).found(&titles, None);
    probe
}

/// Where a text stands on the screen, its first cell: all that stands before it is a cell a character.
fn place(probe: &Probe, text: &str) -> (u16, u16) {
    let screen = probe.screen();
    let found = screen.lines().enumerate().find_map(|(y, line)| Some((line.split_once(text)?.0.chars().count(), y)));
    let (x, y) = found.unwrap_or_else(|| panic!("{text} in\n{screen}"));
    (u16::try_from(x).unwrap(), u16::try_from(y).unwrap())
}

fn mouse(probe: &mut Probe, (x, y): (u16, u16), what: MouseAction) {
    probe.event(Event::Mouse(Mouse { x, y, what }));
}

fn press(probe: &mut Probe, text: &str) {
    let at = place(probe, text);
    mouse(probe, at, MouseAction::Press);
}

#[test]
fn a_row_is_selected_by_one_press_and_opened_by_another() {
    let mut probe = store(100);
    press(&mut probe, "Product 004");
    assert_eq!(probe.model.screens.products.list.found.selected(), 4);
    assert!(probe.model.screens.products.detail.is_none());
    press(&mut probe, "Product 004");
    assert!(probe.model.screens.products.detail.is_some() && probe.model.screens.products.focus == Focus::Detail);
    // The line under the last product is none.
    let mut probe = store(2);
    mouse(&mut probe, (10, 15), MouseAction::Press);
    assert_eq!(probe.model.screens.products.list.found.selected(), 0);
}

#[test]
fn the_wheel_turns_what_is_under_it() {
    let mut probe = store(100);
    let at = place(&probe, "Product 004");
    mouse(&mut probe, at, MouseAction::WheelDown);
    assert_eq!(
        (probe.model.screens.products.list.found.top(), probe.model.screens.products.list.found.selected()),
        (3, 3)
    );
    mouse(&mut probe, at, MouseAction::WheelUp);
    assert_eq!(probe.model.screens.products.list.found.top(), 0);
    probe.keys("<enter>").fetched();
    let at = place(&probe, "Vendor       Nordlys");
    mouse(&mut probe, at, MouseAction::WheelDown);
    assert!(
        probe.model.screens.products.detail.as_ref().unwrap().top > 0
            && probe.model.screens.products.list.found.top() == 0
    );
    // Two that are compared.
    let mut probe = store(100);
    probe.keys("  =");
    for _ in 0..2 {
        mouse(&mut probe, (60, 10), MouseAction::WheelDown);
    }
    assert!(probe.shows("Compared"));
}

#[test]
fn chips_tabs_the_search_line_and_the_panel_are_pressed() {
    let mut probe = store(5);
    probe.keys("P").found(&["a"], None);
    press(&mut probe, "published ×");
    assert_eq!(probe.search().1.published_only, None);
    probe.found(&["a", "b"], None);
    press(&mut probe, "search titles");
    assert_eq!(probe.model.screens.products.focus, Focus::Search);
    probe.keys("<esc><enter>").fetched();
    for (label, tab) in [("Variants", Tab::Variants), ("JSON", Tab::Json), ("Overview", Tab::Overview)] {
        press(&mut probe, label);
        assert_eq!(probe.model.screens.products.detail.as_ref().unwrap().tab, tab);
    }
    press(&mut probe, "Meta");
    press(&mut probe, "custom");
    assert!(!probe.shows("material"), "a branch folds: {}", probe.screen());
    // Wider, the tabs say how many they hold, and stand elsewhere.
    probe.event(Event::Resized { width: 200, height: 40 });
    press(&mut probe, "Media 2");
    assert_eq!(probe.model.screens.products.detail.as_ref().unwrap().tab, Tab::Media);
    probe.keys("<esc>f");
    press(&mut probe, "Tags match");
    assert!(probe.shows("all of them"));
    press(&mut probe, "Tags  ");
    assert!(probe.shows("select one or more, or type another"));
}

#[test]
fn media_are_chosen_by_one_press_and_fill_the_screen_by_another() {
    let mut probe = gallery(120, 40, Graphics::Blocks);
    probe.keys("<enter>").fetched().keys("]]");
    hang(&mut probe, "▒");
    press(&mut probe, "How it is");
    assert!(probe.shows("0.mp4"), "the video's address is shown: {}", probe.screen());
    press(&mut probe, "How it is");
    assert!(probe.model.preview().is_some(), "{}", probe.screen());
    // As lines, where no pictures are shown.
    let mut probe = gallery(120, 40, Graphics::Off);
    probe.keys("<enter>").fetched().keys("]]");
    press(&mut probe, "How it is");
    assert!(probe.shows("0.mp4"));
    probe.keys("o");
    assert!(probe.shows("https://cdn.example/0.mp4"));
}

#[test]
fn tabs_say_names_beside_a_long_store() {
    for width in 80..118 {
        let mut probe = Probe::new(width, 24);
        probe.model.shell.store = Some("https://winter-sale.outdoor-and-more.shops.example".into());
        let line = probe.screen().lines().next().unwrap_or_default().to_owned();
        for words in ["1 Products", "2 Proj", "3 Vid", "4 Hook", "5 Acct", "6 Insp", "local", "winter-sale.outd"] {
            assert!(line.contains(words), "{words} at {width}: {line}");
        }
        let whole = line.contains("outdoor-and-more.shops.example");
        assert!(whole != line.contains('…'), "what is cut says so, at {width}: {line}");
        press(&mut probe, "6 Insp");
        assert_eq!(probe.model.screens.shown, crate::studio::ground::Screen::Inspector, "{width}: {line}");
    }
}
