//! The sample's projects at the usual sizes, and what the pointer finds on them.

use std::sync::Arc;

use super::{Stage, project};
use crate::domain::Step;
use crate::graph::{Direction, Edge, Level};
use crate::studio::widgets::graph::{Canvas, Hit, ProductMark, View};

const PROJECTS: [&str; 4] = ["Gift finder", "Range tour", "Help desk", "Spring campaign (unfinished)"];

#[test]
fn the_sample_at_the_usual_sizes() {
    for name in PROJECTS {
        let steps = project(name);
        for (width, height) in [(80, 24), (120, 40)] {
            let stage = Stage::new(&steps, width, height);
            insta::assert_snapshot!(format!("{name} {width}x{height}"), stage.shown(&stage.canvas(0, Some(0))));
        }
    }
}

#[test]
fn less_of_each_step() {
    let mut stage = Stage::new(&project("Gift finder"), 100, 30);
    stage.zoom(Level::Chip);
    insta::assert_snapshot!("chips", stage.shown(&stage.canvas(4, Some(2))));
    stage.zoom(Level::Dot);
    insta::assert_snapshot!("dots", stage.shown(&stage.canvas(4, None)));
    stage.zoom(Level::Card);
    stage.ascii = true;
    insta::assert_snapshot!("ascii", stage.shown(&stage.canvas(4, Some(2))));
}

#[test]
fn a_wire_is_shown_before_it_is_kept_and_letters_jump() {
    let mut stage = Stage::new(&project("Gift finder"), 100, 30);
    let mut canvas = stage.canvas(1, Some(1));
    canvas.wire = Some(Edge { from: 1, port: 1, to: 6 });
    let hints = canvas.hints(stage.area);
    assert_eq!(hints.first(), Some(&(1, "f".to_owned())), "the nearest is the easiest");
    let view = canvas.view;
    stage.marks.hints = hints.into_iter().collect();
    let mut canvas = stage.canvas(1, Some(1));
    canvas.view = view;
    canvas.wire = Some(Edge { from: 1, port: 1, to: 6 });
    insta::assert_snapshot!("wire", stage.shown(&canvas));
}

#[test]
fn the_pointer_finds_steps_answers_ports_stubs_and_the_map() {
    let stage = Stage::new(&project("Gift finder"), 80, 24);
    let canvas = stage.canvas(0, None);
    let at = |x: i32, y: i32| {
        let (x, y) = (x - canvas.view.x, y - canvas.view.y);
        canvas.hit(stage.area, u16::try_from(x).unwrap(), u16::try_from(y).unwrap())
    };
    let card = stage.chart.layout().card(0).unwrap().clone();
    assert_eq!(at(card.area.x + 3, card.area.y), Hit::Step(0));
    let (x, y) = card.port(1);
    assert_eq!((at(x, y), at(x - 4, y)), (Hit::Port(0, 1), Hit::Answer(0, 1)));
    assert_eq!(at(card.area.x + 3, card.area.bottom()), Hit::Nothing);
    let place = canvas.map_area(stage.area).unwrap();
    let Hit::Map(view) = canvas.hit(stage.area, place.right() - 2, place.y + 2) else { panic!("the map is there") };
    assert!(view.x > canvas.view.x);
    assert_eq!(canvas.hit(stage.area, 200, 3), Hit::Nothing);
    let stage = Stage::new(&project("Trip planner"), 80, 24);
    let stub = stage.chart.routes().stubs(stage.chart.outline()).next().copied().unwrap();
    let mut canvas = stage.canvas(stub.from, None);
    canvas.view = View { x: stub.x - 10, y: stub.y - 5 };
    assert_eq!(canvas.hit(stage.area, 11, 5), Hit::Stub(stub.from, stub.port));
}

#[test]
fn the_map_covers_no_card_that_matters_and_can_be_off() {
    let mut maps = 0;
    for name in PROJECTS {
        let steps = project(name);
        for (width, height) in [(80, 24), (120, 40), (200, 60)] {
            for level in Level::ALL {
                let mut stage = Stage::new(&steps, width, height);
                stage.zoom(level);
                for step in 0..stage.graph.len() {
                    let canvas = stage.canvas(step, None);
                    assert_eq!(Canvas { map: false, ..stage.canvas(step, None) }.map_area(stage.area), None);
                    let Some(place) = canvas.map_area(stage.area) else { continue };
                    maps += 1;
                    let matters = stage.graph.successors(step).into_iter().chain(stage.graph.predecessors(step));
                    for other in matters.chain([step]) {
                        let card = stage.chart.layout().card(other).unwrap().area;
                        let (x, y) = (card.x - canvas.view.x, card.y - canvas.view.y);
                        let covered = x < i32::from(place.right())
                            && x + card.width > i32::from(place.x)
                            && y < i32::from(place.bottom())
                            && y + card.height > i32::from(place.y);
                        assert!(!covered, "{name} {width}x{height}: the map covers {other} beside {step}");
                    }
                }
            }
        }
    }
    assert!(maps > 0, "no map was shown at all");
}

#[test]
fn every_card_is_reached_by_arrows_and_then_seen() {
    for level in Level::ALL {
        let steps: Vec<Step> =
            project("Gift finder").into_iter().chain(project("Spring campaign (unfinished)")).collect();
        let mut stage = Stage::new(&steps, 60, 20);
        stage.zoom(level);
        let mut seen = vec![false; stage.graph.len()];
        let mut view = View::centered(&stage.chart, 0, stage.area);
        let mut open = vec![0];
        while let Some(step) = open.pop() {
            if std::mem::replace(&mut seen[step], true) {
                continue;
            }
            view = view.showing(&stage.chart, step, stage.area);
            let card = stage.chart.layout().card(step).unwrap().area;
            let window = view.window(stage.area);
            assert!(window.holds(card.x, card.y) && window.holds(card.right() - 1, card.bottom() - 1));
            let directions = [Direction::Up, Direction::Down, Direction::Left, Direction::Right];
            open.extend(directions.iter().filter_map(|direction| stage.chart.neighbor(step, *direction)));
        }
        assert!(seen.iter().all(|seen| *seen));
    }
}

#[test]
fn fit_shows_everything_and_the_arrangement_stays() {
    let mut stage = Stage::new(&project("Gift finder"), 120, 40);
    let columns = stage.chart.layout().layers().to_vec();
    assert_eq!(stage.chart.fit(&stage.graph, 400, 100), Level::Card);
    assert_eq!(stage.chart.fit(&stage.graph, 120, 40), Level::Chip);
    assert_eq!(stage.chart.layout().layers(), columns);
    let canvas = stage.canvas(0, None);
    assert_eq!(canvas.visible(stage.area).len(), stage.graph.len());
    assert_eq!(stage.chart.fit(&stage.graph, 30, 10), Level::Dot);
    assert_eq!(stage.chart.layout().layers(), columns);
}

#[test]
fn a_card_says_first_what_is_wrong_with_a_product_and_keeps_its_price() {
    let mut steps = project("Gift finder");
    let link = crate::domain::StepProduct { product_id: "1".into(), ..crate::domain::StepProduct::default() };
    steps[0].products = Some(vec![link.clone(), link]);
    let mut stage = Stage::new(&steps, 120, 40);
    let mut card = |title: &str, price: &str, wrong: &'static str| {
        let mark = ProductMark { title: title.to_owned(), price: price.to_owned(), wrong, more: 1 };
        stage.marks.products = Arc::new([(0, Arc::new(mark))].into());
        let screen = stage.shown(&stage.canvas(0, None));
        let is_row = |part: &&str| part.starts_with(" ◆ ") || part.starts_with(" × ");
        let row = screen.lines().flat_map(|line| line.split('│')).find(is_row);
        row.unwrap_or_else(|| panic!("{screen}")).trim().to_owned()
    };
    let row = card("Fjell wool sock", "NOK 149", "");
    assert!(row.starts_with("◆ Fjell") && row.ends_with("NOK 149 +1"), "{row}");
    let row = card("Fjell wool sock", "NOK 149.00–189.00", "");
    assert!(row.starts_with("◆ Fjell wool") && !row.contains("NOK"), "half a price is none: {row}");
    let row = card("Lyngen expedition pack", "NOK 4,299", "hidden");
    assert!(row.starts_with("× hidden Lyn"), "{row}");
    let row = card("Hat", "NOK 99", "sold out");
    assert!(row.starts_with("× sold out Hat"), "{row}");
}
