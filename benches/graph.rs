//! What the step graph costs: a full layout, an edit on a layout that stays, and what a frame asks for.
//!
//! `cargo bench --bench graph`; `CUTAWAY_BENCH_STEPS` sets the sizes (`50,1000,10000`). With `CUTAWAY_BENCH_DUMP` a folder,
//! every graph is written there with the lines that are drawn, for `dot.py` to lay out with other engines.

use std::collections::HashMap;
use std::hint::black_box;
use std::io::{self, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use cutaway::domain::{Answer, Step, StepId, StepName, VideoId};
use cutaway::graph::{Chart, Graph, Known, Layout, Level, Mask, Routes};
use cutaway::settings::{Depth, Theme};
use cutaway::studio::Ink;
use cutaway::studio::canvas::{Canvas, Marks, Selection, View};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde_json::json;

#[path = "../src/graph/tests/generate.rs"]
mod generate;

use generate::{Dice, bushy, story};

fn main() -> io::Result<()> {
    let sizes = std::env::var("CUTAWAY_BENCH_STEPS").unwrap_or_else(|_| "50,1000,10000".to_owned());
    let dump = std::env::var_os("CUTAWAY_BENCH_DUMP");
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "medians; an edit is one rewired answer: graph, layout that follows, routes; moved is the most of cards"
    )?;
    writeln!(
        out,
        "that one edit moved; a frame is drawn into a buffer of 200x60, with the map, around the edited card"
    )?;
    writeln!(
        out,
        "steps           graph     layout       edit    moved      frame  of chips   of dots     check   crossings  lines of answers  width x height"
    )?;
    for count in sizes.split(',').filter_map(|size| size.trim().parse::<usize>().ok()) {
        for (kind, make) in [("story", story as fn(usize, u64) -> Vec<Step>), ("bushy", bushy)] {
            let mut steps = make(count, 7);
            let rounds = if count > 5_000 { 11 } else { 51 };
            let build = median(rounds, || Graph::new(&steps, &[]));
            let graph = Graph::new(&steps, &[]);
            let full = median(rounds, || Layout::new(&graph));
            let check = median(rounds, || graph.check(&Known::default()));
            let mut layout = Layout::new(&graph);
            let routes = Routes::new(&graph, &layout);
            let (crossings, bounds) = (routes.crossings(), layout.bounds());
            let all = graph.edges().count();
            let lines = graph.edges().filter(|edge| routes.is_line(&layout, *edge)).count();
            if let Some(folder) = &dump {
                write(Path::new(folder), &format!("{kind}-{count}"), &graph, &layout, &routes, full)?;
            }
            let mut dice = Dice::new(3);
            let (mut edits, mut moved) = (Vec::new(), 0);
            let mut frames: [Vec<Duration>; 3] = Default::default();
            for _ in 0..rounds {
                let at = dice.below(count);
                let near = format!("s{}", (at + 1 + dice.below(4)).min(count - 1));
                match steps.get_mut(at).and_then(|step| step.answers.as_mut()?.first_mut()) {
                    Some(answer) => answer.next = Some(near),
                    None => continue,
                }
                let begun = Instant::now();
                let graph = Graph::new(&steps, &[]);
                let next = layout.follow(&graph);
                black_box(Routes::new(&graph, &next));
                edits.push(begun.elapsed());
                let cards = next.cards().iter().zip(layout.cards());
                moved = cards.filter(|(one, other)| one.area != other.area).count().max(moved);
                layout = next;
            }
            let graph = Graph::new(&steps, &[]);
            for (level, frames) in Level::ALL.into_iter().zip(&mut frames) {
                let mut chart = Chart::new(&graph);
                chart.zoom(&graph, level);
                for _ in 0..rounds {
                    frames.push(frame(&graph, &chart, dice.below(count)));
                }
            }
            let [cards, chips, dots] = frames.each_mut().map(|frames| middle(frames));
            #[allow(clippy::cast_precision_loss)] // Counts of steps.
            let moved = 100.0 * moved as f64 / count as f64;
            writeln!(
                out,
                "{count:>6} {kind} {build:>9.1?} {full:>10.1?} {:>10.1?} {moved:>7.2}% {cards:>10.1?} {chips:>9.1?} {dots:>9.1?} {check:>9.1?} {crossings:>11}  {lines} of {all}  {}x{}",
                middle(&mut edits),
                bounds.width,
                bounds.height,
            )?;
        }
    }
    Ok(())
}

/// What it takes to draw one frame with a card in the middle, selected.
fn frame(graph: &Graph, chart: &Chart, step: usize) -> Duration {
    let (theme, _) = Theme::load("dark", None, Depth::Indexed);
    let area = Rect { x: 0, y: 0, width: 200, height: 60 };
    let mut buf = Buffer::empty(area);
    let marks = Marks::default();
    let begun = Instant::now();
    let canvas = Canvas {
        graph,
        chart,
        view: View::centered(chart, step, area),
        selected: Some(Selection { step, port: Some(0) }),
        marks: &marks,
        wire: None,
        map: true,
        posters: false,
    };
    canvas.draw(&mut buf, Ink::new(&theme, false), area);
    let taken = begun.elapsed();
    black_box(buf);
    taken
}

/// Writes a graph for other engines, with what it costs here.
fn write(folder: &Path, name: &str, graph: &Graph, layout: &Layout, routes: &Routes, took: Duration) -> io::Result<()> {
    // Lines of several answers to one step are drawn as one: so many crossings are seen. For engines that draw each
    // answer by itself each counts here too.
    let mut cells: HashMap<(i32, i32), (u64, u64)> = HashMap::new();
    let mut edges = Vec::new();
    for edge in graph.edges().filter(|edge| routes.is_line(layout, *edge)) {
        edges.push(json!([edge.from, edge.port, edge.to]));
        let mut line: HashMap<(i32, i32), Mask> = HashMap::new();
        for cell in routes.line(layout, edge) {
            let mask = line.entry((cell.x, cell.y)).or_default();
            *mask = *mask | cell.mask;
        }
        for (at, mask) in line {
            let seen = cells.entry(at).or_default();
            seen.0 += u64::from(mask == (Mask::E | Mask::W));
            seen.1 += u64::from(mask == (Mask::N | Mask::S));
        }
    }
    let each: u64 = cells.values().map(|(along, down)| along * down).sum();
    let cards: Vec<_> = (0..graph.len())
        .filter_map(|step| layout.card(step))
        .map(|card| json!([card.area.width, card.area.height, card.answers]))
        .collect();
    let ports: Vec<usize> = (0..graph.len()).map(|step| graph.ports(step).len()).collect();
    let document = json!({
        "name": name, "cards": cards, "ports": ports, "edges": edges,
        "milliseconds": took.as_secs_f64() * 1e3, "crossings": routes.crossings(), "crossings_each": each,
    });
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join(format!("{name}.json")), document.to_string())
}

fn median<T>(rounds: usize, mut work: impl FnMut() -> T) -> Duration {
    let mut times: Vec<Duration> = (0..rounds)
        .map(|_| {
            let begun = Instant::now();
            black_box(work());
            begun.elapsed()
        })
        .collect();
    middle(&mut times)
}

fn middle(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
