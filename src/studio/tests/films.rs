//! The pictures of videos: where they stand, which are wanted, and how frames are stepped through.

use std::sync::Arc;

use ratatui::buffer::Cell;

use super::probe::Probe;
use super::videos::{library, overview, uploads};
use crate::settings::Graphics;
use crate::studio::shell::effect::Effect;
use crate::studio::shell::event::Event;
use crate::studio::shell::reading;
use crate::studio::widgets::films::{FilmFacts, Still};
use crate::studio::widgets::pictures::{Address, Picture, PictureFault, Wanted};

pub(super) fn shown(width: u16, height: u16, graphics: Graphics) -> Probe {
    let mut probe = library(width, height);
    probe.event(Event::GraphicsKnown { graphics, cell: (10, 20) });
    probe
}

fn wanted(probe: &Probe) -> Vec<Wanted> {
    let last = probe.effects.iter().rev().find_map(|effect| match effect {
        Effect::Pictures { wanted, .. } => Some(wanted.clone()),
        _ => None,
    });
    last.unwrap_or_default()
}

/// The moments that are wanted of films, microseconds.
fn moments(probe: &Probe) -> Vec<Option<u64>> {
    let still = |wanted: &Wanted| match &wanted.address {
        Address::Still(Still { at_us, .. }) => Some(*at_us),
        Address::Web(_) => None,
    };
    wanted(probe).iter().filter_map(still).collect()
}

fn answer(probe: &mut Probe, sign: &'static str) {
    for (id, wanted) in (1..).zip(wanted(probe)) {
        let (across, down) = wanted.room;
        let cells = vec![Cell::new(sign); usize::from(across) * usize::from(down)];
        let picture = Picture { id, size: (across, down), cells: cells.into(), data: None };
        probe.event(Event::PictureArrived { wanted, picture: Ok(Arc::new(picture)) });
    }
}

#[test]
fn posters_stand_in_the_list_and_the_detail() {
    let mut probe = shown(120, 40, Graphics::Sixel);
    // The detail's first, then a row each.
    assert_eq!(wanted(&probe).iter().map(|wanted| wanted.room).collect::<Vec<_>>()[1..], [(7, 2); 3]);
    assert!(wanted(&probe)[0].room.0 > 20);
    answer(&mut probe, "#");
    insta::assert_snapshot!("videos with posters 120x40", probe.screen());
    probe.keys("i");
    assert_eq!(probe.model.shown_pictures().len(), 1, "the one in the detail stays");
    // Half blocks take four rows each: in the list for whoever asks.
    let mut probe = shown(120, 40, Graphics::Blocks);
    assert_eq!(wanted(&probe).len(), 1);
    probe.keys("i");
    assert_eq!(wanted(&probe).len(), 4);
    uploads(&mut probe, &overview());
    probe.keys("<tab><tab>");
    assert!(probe.shows("State") && probe.shows("/clips/welcome.mp4"));
    // In any size nothing leaves its room, and a press finds the row it was on.
    for width in [40, 60, 99, 100, 140] {
        for height in [10, 13, 24, 50] {
            let mut probe = shown(width, height, Graphics::Kitty { deflate: true });
            uploads(&mut probe, &overview());
            for keys in ["", "<tab>", "<tab>", "v", "l", "<esc>i"] {
                probe.keys(keys);
                answer(&mut probe, "#");
                probe.screen();
                for (area, _) in probe.model.shown_pictures() {
                    assert!(area.right() <= width && area.bottom() <= height, "{area:?} in {width}x{height}");
                }
            }
        }
    }
}

#[test]
fn frames_are_stepped_through() {
    let mut probe = shown(120, 40, Graphics::Blocks);
    probe.effects.clear();
    probe.keys("v");
    assert_eq!(moments(&probe), [None]);
    let film = probe.effects.iter().find_map(|effect| match effect {
        Effect::OpenFilm(film) => Some(Arc::clone(film)),
        _ => None,
    });
    let film = film.unwrap();
    assert_eq!(film.address.as_deref(), Some("https://videos.example/v-3.mp4"), "who asked may fetch it");
    answer(&mut probe, "#");
    assert!(probe.shows("poster / 0:24.00"));
    probe.event(Event::FilmFetched { film: Arc::clone(&film), done: 1_500_000, of: Some(3_000_000) });
    probe.keys("l");
    assert!(probe.shows("0:01.00 / 0:24.00") && probe.shows("1.5 MB of 3.0 MB"));
    assert_eq!(moments(&probe), [Some(1_000_000)], "the newest only");
    assert!(probe.screen().contains("####"), "the one before stays until it is here");
    answer(&mut probe, "%");
    assert!(probe.screen().contains("%%%%"));
    // Frames are as long as the film says, once it did.
    probe.keys(".");
    assert_eq!(moments(&probe), [Some(1_040_000)]);
    probe.event(Event::FilmLearned {
        film: Arc::clone(&film),
        facts: FilmFacts { duration_us: Some(2_000_000), frame_us: Some(50_000) },
    });
    probe.keys(",,");
    assert_eq!(moments(&probe), [Some(940_000)]);
    probe.keys("<end>");
    assert_eq!(moments(&probe), [Some(1_950_000)]);
    probe.keys("ll");
    assert!(probe.shows("0:01.95 / 0:02.00"));
    probe.keys("<home>h");
    assert_eq!(moments(&probe), [Some(0)]);
    let gone = wanted(&probe).remove(0);
    probe.event(Event::PictureArrived { wanted: gone, picture: Err(PictureFault::FileGone) });
    assert!(probe.shows("file no longer exists"));
    assert!(reading(&probe.model).iter().any(|line| line.contains("file no longer exists")));
    assert!(probe.shows("frame") && probe.shows("Esc close"), "{}", probe.screen());
    probe.keys("o");
    assert!(probe.shows("https://videos.example/v-3.mp4"));
    probe.keys("<esc><esc>");
    assert!(probe.effects.contains(&Effect::CloseFilm) && probe.shows("3 videos"));
}

#[test]
fn what_can_not_be_shown_is_said() {
    let mut probe = shown(120, 40, Graphics::Off);
    probe.keys("v");
    assert!(probe.shows("This terminal shows no pictures"));
    let mut probe = shown(120, 40, Graphics::Blocks);
    probe.model.shell.begin.has_ffmpeg = false;
    probe.keys("v");
    let poster = wanted(&probe).remove(0);
    probe.event(Event::PictureArrived { wanted: poster, picture: Err(PictureFault::NoPoster) });
    assert!(probe.shows("This video has no poster yet"));
    probe.effects.clear();
    probe.keys("l");
    assert!(probe.shows("Install ffmpeg to see frames"));
    assert_eq!(moments(&probe), [], "nothing is asked for");
}

#[test]
fn posters_stand_on_the_cards_and_where_a_project_is_played() {
    let opened = |width, height, graphics| {
        let mut probe = super::steps::opened("Gift finder", width, height);
        probe.event(Event::GraphicsKnown { graphics, cell: (10, 20) });
        probe
    };
    let mut probe = opened(120, 40, Graphics::Sixel);
    let rooms = |probe: &Probe| wanted(probe).iter().map(|wanted| wanted.room).collect::<Vec<_>>();
    assert!(rooms(&probe).len() > 4 && rooms(&probe).iter().all(|room| *room == (7, 2)), "{:?}", rooms(&probe));
    answer(&mut probe, "#");
    assert!(probe.shows("#######│"), "beside the border of a card\n{}", probe.screen());
    probe.keys("p");
    assert!(rooms(&probe)[0].0 > 20, "the one that is played is large: {:?}", rooms(&probe));
    answer(&mut probe, "#");
    assert!(probe.shows("▌ 1 For her"), "and hides no answer\n{}", probe.screen());
    // Half blocks are too coarse for a card, and without pictures there are none.
    let mut probe = opened(120, 40, Graphics::Blocks);
    assert_eq!(rooms(&probe), []);
    probe.keys("p");
    assert_eq!(rooms(&probe).len(), 1);
    let mut probe = opened(120, 40, Graphics::Off);
    probe.keys("p");
    assert_eq!(rooms(&probe), []);
    for (width, height) in [(40, 10), (60, 13), (80, 24), (100, 24), (200, 60)] {
        let mut probe = opened(width, height, Graphics::Kitty { deflate: true });
        for keys in ["", "<right>", "z", "z", "zp", "1", "t", "<esc>t", "t<enter>"] {
            probe.keys(keys);
            answer(&mut probe, "#");
            probe.screen();
            for (area, _) in probe.model.shown_pictures() {
                assert!(area.right() <= width && area.bottom() <= height, "{area:?} in {width}x{height}");
            }
        }
    }
}
