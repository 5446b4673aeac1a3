//! What the step graph costs: a full layout, an edit on a layout that stays, and what a frame asks for.
//!
//! `cargo bench --bench graph`; `CUTAWAY_BENCH_STEPS` sets the sizes (`50,1000,10000`).

use std::hint::black_box;
use std::io::{self, Write as _};
use std::time::{Duration, Instant};

use cutaway::domain::{Answer, Step, StepId, StepName, VideoId};
use cutaway::graph::{Graph, Layout, Rect, Routes};

#[path = "../src/graph/tests/generate.rs"]
mod generate;

use generate::{Dice, bushy, story};

fn main() -> io::Result<()> {
    let sizes = std::env::var("CUTAWAY_BENCH_STEPS").unwrap_or_else(|_| "50,1000,10000".to_owned());
    let mut out = io::stdout().lock();
    writeln!(out, "medians; an edit is one rewired answer: graph, layout that follows, routes; a frame is 200x60")?;
    writeln!(
        out,
        "steps          graph     layout       edit  (moved)      frame      crossings  lines of answers  width x height"
    )?;
    for count in sizes.split(',').filter_map(|size| size.trim().parse::<usize>().ok()) {
        for (kind, make) in [("story", story as fn(usize, u64) -> Vec<Step>), ("bushy", bushy)] {
            let mut steps = make(count, 7);
            let rounds = if count > 5_000 { 11 } else { 51 };
            let build = median(rounds, || Graph::new(&steps, &[]));
            let graph = Graph::new(&steps, &[]);
            let full = median(rounds, || Layout::new(&graph));
            let mut layout = Layout::new(&graph);
            let routes = Routes::new(&graph, &layout);
            let (crossings, bounds) = (routes.crossings(), layout.bounds());
            let all = graph.edges().count();
            let lines = graph.edges().filter(|edge| routes.is_line(&layout, *edge)).count();
            let mut dice = Dice::new(3);
            let (mut edits, mut frames, mut moved) = (Vec::new(), Vec::new(), 0);
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
                let routes = Routes::new(&graph, &next);
                edits.push(begun.elapsed());
                moved += next.cards().iter().zip(layout.cards()).filter(|(one, other)| one.area != other.area).count();
                layout = next;
                let card = layout.card(at).map(|card| card.area).unwrap_or_default();
                let rect = Rect { x: card.x - 90, y: card.y - 25, width: 200, height: 60 };
                let begun = Instant::now();
                let cells = routes.visible(rect).map(|cell| i64::from(cell.x)).sum::<i64>();
                black_box((cells, routes.stubs(rect).count(), layout.visible(rect).count()));
                frames.push(begun.elapsed());
            }
            writeln!(
                out,
                "{count:>6} {kind} {build:>9.1?} {full:>10.1?} {:>10.1?}  ({moved})  {:>10.1?} {crossings:>10}  {lines} of {all}  {}x{}",
                middle(&mut edits),
                middle(&mut frames),
                bounds.width,
                bounds.height,
            )?;
        }
    }
    Ok(())
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
