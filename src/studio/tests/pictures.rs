//! Pictures on the Products screen: which are wanted, and what stands in their place.

use std::sync::Arc;

use ratatui::buffer::Cell;

use super::probe::Probe;
use crate::settings::Graphics;
use crate::studio::shell::effect::Effect;
use crate::studio::shell::event::Event;
use crate::studio::widgets::pictures::{Picture, PictureFault, Wanted};

const TITLES: [&str; 3] = ["Fjell wool sock", "Fjell wool liner", "Merino base layer"];

/// A studio on a terminal that shows pictures in a way.
pub fn gallery(width: u16, height: u16, graphics: Graphics) -> Probe {
    let mut probe = Probe::new(width, height);
    probe.event(Event::GraphicsKnown { graphics, cell: (10, 20) });
    probe.counted(3).found(&TITLES, None);
    probe
}

fn wanted(probe: &Probe) -> Vec<Wanted> {
    let last = probe.effects.iter().rev().find_map(|effect| match effect {
        Effect::Pictures { wanted, .. } => Some(wanted.clone()),
        _ => None,
    });
    last.unwrap_or_default()
}

fn addresses(probe: &Probe) -> Vec<String> {
    wanted(probe).iter().map(|wanted| wanted.address.to_string().rsplit('/').next().unwrap().to_owned()).collect()
}

/// Answers all that is wanted with pictures of a letter.
pub fn hang(probe: &mut Probe, sign: &str) {
    for (id, wanted) in (1..).zip(wanted(probe)) {
        let (across, down) = wanted.room;
        let cells = vec![Cell::new("█"); usize::from(across) * usize::from(down)];
        let cells: Vec<Cell> = cells
            .into_iter()
            .map(|mut cell| {
                cell.set_symbol(sign);
                cell
            })
            .collect();
        let picture = Picture { id, size: (across, down), cells: cells.into(), data: None };
        probe.event(Event::PictureArrived { wanted, picture: Ok(Arc::new(picture)) });
    }
}

#[test]
fn only_what_is_seen_is_wanted() {
    let mut probe = gallery(120, 40, Graphics::Kitty { deflate: false });
    assert_eq!(addresses(&probe), [""; 0], "the list has none until it is asked to");
    probe.keys("i");
    assert_eq!(addresses(&probe), ["0.jpg", "1.jpg", "2.jpg"]);
    assert!(wanted(&probe).iter().all(|wanted| wanted.room == (4, 2)));
    probe.keys("<enter>").fetched();
    assert_eq!(addresses(&probe)[0], "0.jpg", "the open product's comes first");
    assert!(wanted(&probe)[0].room.0 > 8);
    probe.keys("]]");
    assert!(addresses(&probe).contains(&"0-b.jpg".to_owned()), "{:?}", addresses(&probe));
    probe.keys("2");
    assert_eq!(addresses(&probe), [""; 0], "what is not seen any more is not wanted");
    probe.keys("1I");
    assert_eq!(addresses(&probe), [""; 0], "none where pictures are off");
}

#[test]
fn pictures_do_not_come_and_go_where_the_way_to_the_terminal_is_about_as_long_as_the_limit() {
    let mut probe = gallery(120, 40, Graphics::Kitty { deflate: false });
    probe.keys("i");
    for (round_trip_ms, shown) in [(149, true), (151, false), (140, false), (101, false), (99, true), (140, true)] {
        probe.event(Event::LinkMeasured { round_trip_ms });
        assert_eq!(addresses(&probe).len(), if shown { 3 } else { 0 }, "{round_trip_ms} ms");
    }
}

#[test]
fn nothing_is_wanted_where_the_terminal_shows_none() {
    let mut probe = gallery(120, 40, Graphics::Off);
    probe.keys("i<enter>").fetched();
    assert!(!probe.effects.iter().any(|effect| matches!(effect, Effect::Pictures { .. })));
    probe.keys("v");
    assert!(probe.shows("This terminal shows no pictures"));
}

#[test]
fn the_panes_with_pictures() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let mut probe = gallery(width, height, Graphics::Blocks);
        probe.keys("i");
        hang(&mut probe, "░");
        insta::assert_snapshot!(format!("thumbnails {width}x{height}"), probe.screen());
        probe.keys("i<enter>").fetched();
        hang(&mut probe, "▓");
        insta::assert_snapshot!(format!("overview picture {width}x{height}"), probe.screen());
        probe.keys("]]");
        hang(&mut probe, "▒");
        insta::assert_snapshot!(format!("gallery {width}x{height}"), probe.screen());
    }
}

#[test]
fn a_picture_goes_when_it_is_scrolled_away_and_never_lies_over_a_dialog() {
    let mut probe = gallery(80, 24, Graphics::Blocks);
    probe.keys("<enter>").fetched();
    hang(&mut probe, "▓");
    assert!(probe.shows("▓▓▓"));
    probe.keys("<down>");
    assert!(!probe.shows("▓"));
    probe.keys("<up>");
    assert!(probe.shows("▓▓▓"));
    let before = probe.screen().matches('▓').count();
    probe.keys("?");
    let under = probe.screen();
    assert!(under.contains("Help") && under.matches('▓').count() < before);
}

#[test]
fn a_mark_stands_where_a_picture_can_not() {
    for (fault, mark) in [
        (PictureFault::Status(404), "✗ 404"),
        (PictureFault::NotAPicture("HTML"), "✗ HTML"),
        (PictureFault::NotAPicture("SVG"), "✗ SVG"),
        (PictureFault::Mislabelled("PNG", "JPEG"), "✗ is JPEG"),
        (PictureFault::TooManyPixels(50_000, 50_000), "✗ too large"),
        (PictureFault::CutOff, "✗ cut off"),
        (PictureFault::Slow, "✗ too slow"),
        (PictureFault::NoHost, "✗ no host"),
        (PictureFault::Private, "✗ not asked"),
    ] {
        let mut probe = gallery(120, 40, Graphics::Blocks);
        probe.keys("<enter>").fetched();
        let wanted = wanted(&probe).remove(0);
        probe.event(Event::PictureArrived { wanted: wanted.clone(), picture: Err(fault.clone()) });
        assert!(probe.shows(mark), "{fault:?}\n{}", probe.screen());
        probe.effects.clear();
        probe.keys("R");
        assert!(addresses(&probe).len() == 1, "R asks again");
    }
}

#[test]
fn the_gallery_is_walked_and_its_addresses_are_had() {
    let mut probe = gallery(120, 40, Graphics::Blocks);
    probe.keys("<enter>").fetched().keys("]]");
    assert!(probe.shows("0.jpg"), "{}", probe.screen());
    probe.keys("<right>");
    assert!(probe.shows("0.mp4"), "a video shows its own address: {}", probe.screen());
    probe.keys("o");
    assert!(probe.shows("Address") && probe.shows("0.mp4"));
    probe.keys("<esc>y");
    assert!(probe.shows("picture"), "a video's picture can be copied too");
    probe.keys("<esc>v");
    assert_eq!(addresses(&probe), ["0-b.jpg"], "a video's picture fills the screen");
    probe.keys("<esc><right>");
    assert!(probe.shows("Options") && probe.model.screens.products.detail.as_ref().unwrap().tab.title() == "Options");
}

#[test]
fn a_picture_fills_the_screen_until_it_is_closed() {
    let mut probe = gallery(120, 40, Graphics::Blocks);
    probe.keys("v");
    assert_eq!(wanted(&probe).iter().map(|wanted| wanted.room).collect::<Vec<_>>(), [(120, 38)]);
    hang(&mut probe, "▒");
    let rows: Vec<String> = probe.screen().lines().map(str::to_owned).collect();
    assert!(rows[0].starts_with('▒') && rows[37].starts_with('▒'), "{}", probe.screen());
    assert!(rows[38].contains(TITLES[0]) && rows[39].contains("close"), "{}", probe.screen());
    // What concerns no picture does nothing; its address can be had.
    probe.keys("<right>");
    assert!(!probe.shows("ffmpeg") && !probe.shows("Hint"), "{}", probe.screen());
    probe.keys("o");
    assert!(probe.shows("Address") && probe.shows(".jpg"), "{}", probe.screen());
    probe.keys("<esc><esc>");
    assert!(!probe.shows("▒") && probe.shows(TITLES[1]), "{}", probe.screen());
    // One that can't be had says why.
    let mut probe = gallery(120, 40, Graphics::Blocks);
    probe.keys("v");
    for wanted in wanted(&probe) {
        probe.event(Event::PictureArrived { wanted, picture: Err(PictureFault::Status(404)) });
    }
    assert!(probe.shows("The picture's host answered 404."), "{}", probe.screen());
}

#[test]
fn one_that_is_asked_for_is_shown_over_a_slow_line_too() {
    let mut probe = gallery(120, 40, Graphics::Blocks);
    probe.event(Event::LinkMeasured { round_trip_ms: 300 });
    probe.keys("v");
    hang(&mut probe, "▒");
    assert!(probe.screen().starts_with('▒'), "{}", probe.screen());
    probe.keys("<esc>");
    assert!(!probe.shows("▒"), "{}", probe.screen());
}
