//! What holds for any graph.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use proptest::prelude::*;

use super::generate::{Dice, bushy, step, story};
use crate::domain::{Answer, Step, VideoId};
use crate::graph::{Cell, Chart, Checked, Edge, Fault, Graph, Kind, Known, Layout, Leads, Level, Mask, Rect, Routes};

/// Any graph: loops, steps that lead to themselves, twice to the same, nowhere; steps of one name.
fn wild(count: usize, seed: u64) -> Vec<Step> {
    let mut dice = Dice::new(seed);
    (0..count)
        .map(|at| {
            let answers: Vec<String> = (0..dice.below(5))
                .map(|_| match dice.below(12) {
                    0 => String::new(),
                    1 => "nowhere".to_owned(),
                    2 => format!("s{at}"),
                    3 => format!("id-s{}", dice.below(count)),
                    4..=7 => format!("s{}", at + 1 + dice.below(4)),
                    _ => format!("s{}", dice.below(count)),
                })
                .collect();
            let list: Vec<(&str, &str)> = answers.iter().map(|next| ("Answer", next.as_str())).collect();
            let name = if dice.below(40) == 0 { 0 } else { at };
            step(&format!("s{name}"), if dice.below(2) == 0 { "Text" } else { "" }, &list)
        })
        .collect()
}

fn any_graph() -> impl Strategy<Value = Vec<Step>> {
    (0..3, prop_oneof![0..30usize, 0..200usize], any::<u64>()).prop_map(|(kind, count, seed)| match kind {
        0 => wild(count, seed),
        1 => story(count, seed),
        _ => bushy(count, seed),
    })
}

const ALL: Rect = Rect { x: i32::MIN / 2, y: i32::MIN / 2, width: i32::MAX, height: i32::MAX };

/// A way of its own, which may run on other lines but enters no card.
fn detour(layout: &Layout, taken: &HashMap<(i32, i32), usize>, edge: Edge) -> Vec<Cell> {
    let cells = layout.detour(edge);
    for cell in &cells {
        assert!(!taken.contains_key(&(cell.x, cell.y)), "a detour enters a card: {cell:?}");
    }
    cells
}

/// Everything that has to hold of a drawing.
fn holds(graph: &Graph, layout: &Layout) {
    assert_eq!(layout.cards().len(), graph.len());
    let routes = Routes::new(graph, layout);
    let mut taken: HashMap<(i32, i32), usize> = HashMap::new();
    for (step, card) in layout.cards().iter().enumerate() {
        assert_eq!(card.key, graph.node(step).unwrap().key);
        for x in card.area.x..card.area.right() {
            for y in card.area.y..card.area.bottom() {
                assert_eq!(taken.insert((x, y), step), None, "cards overlap");
            }
        }
    }
    let mut lines: HashMap<(i32, i32), HashMap<usize, Mask>> = HashMap::new();
    for cell in routes.visible(ALL) {
        assert!(!taken.contains_key(&(cell.x, cell.y)), "a line enters a card: {cell:?}");
        let mask = lines.entry((cell.x, cell.y)).or_default().entry(cell.to).or_default();
        *mask = *mask | cell.mask;
    }
    for (at, masks) in &lines {
        let masks: Vec<Mask> = masks.values().copied().collect();
        if let [one, others @ ..] = masks.as_slice()
            && let [other, more @ ..] = others
        {
            let straight = |mask: Mask| mask == (Mask::N | Mask::S) || mask == (Mask::E | Mask::W);
            assert!(more.is_empty() && straight(*one) && straight(*other) && one != other, "lines share {at:?}");
        }
    }
    let mut stubs = HashSet::new();
    for stub in routes.stubs(ALL) {
        let card = layout.card(stub.from).unwrap();
        assert_eq!((stub.x - 1, stub.y), card.port(stub.port));
        assert!(stubs.insert((stub.from, stub.port)));
        for x in stub.x..stub.x + stub.width {
            assert!(!taken.contains_key(&(x, stub.y)), "a stub enters a card");
            assert!(!lines.contains_key(&(x, stub.y)), "a line runs through a stub");
        }
    }
    for (step, node) in graph.nodes().iter().enumerate() {
        for (port, answer) in node.ports.iter().enumerate() {
            let line =
                graph.outgoing(step).find(|edge| edge.port == port).map(|edge| (edge, routes.line(layout, edge)));
            let drawn = line.as_ref().is_some_and(|(_, cells)| !cells.is_empty());
            assert_eq!(drawn || answer.leads == Leads::End, !stubs.contains(&(step, port)), "a line or a stub");
            // In big graphs detours are long: those of the first steps will do.
            let Some((edge, cells)) = line.filter(|_| drawn || step < 20) else { continue };
            let cells = if drawn { cells } else { detour(layout, &taken, edge) };
            let mut mine: HashMap<(i32, i32), Mask> = HashMap::new();
            for cell in &cells {
                let mask = mine.entry((cell.x, cell.y)).or_default();
                *mask = *mask | cell.mask;
            }
            // From the port to the card, cell by cell.
            let (mut at, goal) = (layout.card(step).unwrap().port(port), layout.card(edge.to).unwrap().entry());
            let (mut came, mut left) = (Mask::E, mine.len() + 1);
            while at != goal {
                at = match came {
                    Mask::E => (at.0 + 1, at.1),
                    Mask::W => (at.0 - 1, at.1),
                    Mask::N => (at.0, at.1 - 1),
                    _ => (at.0, at.1 + 1),
                };
                left = left.checked_sub(1).expect("a line goes in circles");
                if at == goal {
                    break;
                }
                let mask = *mine.get(&at).unwrap_or_else(|| panic!("the line of {edge:?} breaks off at {at:?}"));
                assert!(!drawn || lines.get(&at).unwrap().get(&edge.to).unwrap().holds(mask), "a line is drawn whole");
                let back = match came {
                    Mask::E => Mask::W,
                    Mask::W => Mask::E,
                    Mask::N => Mask::S,
                    _ => Mask::N,
                };
                assert!(mask.holds(back), "the line of {edge:?} is torn at {at:?}");
                let mut on =
                    [Mask::N, Mask::E, Mask::S, Mask::W].into_iter().filter(|side| mask.holds(*side) && *side != back);
                came = on.next().expect("a line goes on");
                assert!(on.next().is_none(), "one line does not branch");
            }
        }
    }
    // What a part shows is what the whole shows there.
    let bounds = layout.bounds();
    let part = Rect { x: bounds.x + bounds.width / 3, y: bounds.y + bounds.height / 3, width: 80, height: 24 };
    let mut inside: Vec<_> = routes.visible(part).map(|cell| (cell.x, cell.y, cell.to)).collect();
    let whole = routes.visible(ALL).map(|cell| (cell.x, cell.y, cell.to));
    let mut wanted: Vec<_> = whole.filter(|(x, y, _)| part.holds(*x, *y)).collect();
    inside.sort_unstable();
    wanted.sort_unstable();
    assert_eq!(inside, wanted);
    let mut seen: Vec<usize> = layout.visible(part).collect();
    seen.sort_unstable();
    let meets = |step: &usize| layout.card(*step).unwrap().area.meets(&part);
    assert_eq!(seen, (0..graph.len()).filter(meets).collect::<Vec<_>>());
}

/// One edit: a step more, a step less, an answer more, less or elsewhere. The step it is about.
fn edit(steps: &mut Vec<Step>, dice: &mut Dice, nth: usize) -> Option<String> {
    if steps.is_empty() || dice.below(5) == 0 {
        let next = format!("s{}", dice.below(steps.len() + 1));
        let name = format!("new{nth}");
        let at = dice.below(steps.len() + 1);
        steps.insert(at, step(&name, "", &[("Answer", &next)]));
        let before = dice.below(steps.len());
        steps[before].answers.get_or_insert_default().push(Answer {
            text: "New".to_owned(),
            next: Some(name),
            ..Answer::default()
        });
        return steps[before].id.as_ref().map(|id| id.as_str().to_owned());
    }
    let at = dice.below(steps.len());
    let goal = format!("s{}", dice.below(steps.len()));
    let id = steps[at].id.as_ref().map(|id| id.as_str().to_owned());
    let answers = steps[at].answers.get_or_insert_default();
    match dice.below(4) {
        0 => {
            steps.remove(at);
        }
        1 if !answers.is_empty() => {
            answers.pop();
        }
        2 if !answers.is_empty() => answers[0].next = Some(goal),
        _ => answers.push(Answer { text: "More".to_owned(), next: Some(goal), ..Answer::default() }),
    }
    id
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_graph_is_drawn_cleanly(steps in any_graph()) {
        let graph = Graph::new(&steps, &["s3".to_owned(), "alien".to_owned()]);
        let layout = Layout::new(&graph);
        holds(&graph, &layout);
        prop_assert_eq!(&layout, &Layout::new(&graph));
        prop_assert_eq!(&layout, &layout.follow(&graph), "an edit of nothing moves nothing");
        let smaller = layout.at_level(&graph, if steps.len() % 2 == 0 { Level::Chip } else { Level::Dot });
        holds(&graph, &smaller);
        prop_assert_eq!(smaller.layers(), layout.layers(), "the arrangement stays");
        prop_assert_eq!(&smaller, &smaller.follow(&graph));
        let tidied = layout.tidied(&graph, Some(1));
        prop_assert_eq!(tidied.card(1), layout.card(1));
    }

    #[test]
    fn an_edit_moves_no_other_card(steps in any_graph(), seed in any::<u64>()) {
        let mut steps = steps;
        let mut dice = Dice::new(seed);
        let graph = Graph::new(&steps, &[]);
        let mut layout = Layout::new(&graph);
        if seed % 3 == 0 {
            layout = layout.at_level(&graph, if seed % 2 == 0 { Level::Chip } else { Level::Dot });
        }
        for nth in 0..6 {
            let edited = edit(&mut steps, &mut dice, nth);
            let graph = Graph::new(&steps, &[]);
            let next = layout.follow(&graph);
            holds(&graph, &next);
            if layout.cards().is_empty() {
                layout = next;
                continue;
            }
            for (card, node) in next.cards().iter().zip(graph.nodes()) {
                let before = layout.cards().iter().find(|before| before.key == card.key);
                if before.is_some_and(|before| (before.area.x, before.area.y) != (card.area.x, card.area.y)) {
                    let id = node.id.as_ref().map(|id| id.as_str().to_owned());
                    prop_assert_eq!(&id, &edited, "only the card that was edited may have moved");
                }
            }
            layout = next;
        }
    }

    #[test]
    fn what_a_check_kept_is_what_it_would_find_again(steps in any_graph(), seed in any::<u64>()) {
        let mut steps = steps;
        let mut dice = Dice::new(seed);
        let mut graph = Graph::default();
        let (mut checked, mut meant, mut library) = (Checked::default(), HashSet::new(), HashSet::new());
        let mut seconds = HashMap::new();
        for nth in 0..8 {
            let _ = edit(&mut steps, &mut dice, nth);
            let order: Vec<String> = (0..dice.below(4)).map(|_| format!("s{}", dice.below(steps.len() + 2))).collect();
            graph = Graph::after(&graph, &steps, &order);
            let video = VideoId::new(format!("video-s{}", dice.below(steps.len() + 1)));
            match dice.below(3) {
                0 => drop(library.insert(video)),
                1 => drop(seconds.insert(video, 0.1 * f64::from(u8::try_from(nth).unwrap()))),
                _ => {}
            }
            let known = Known { library: Some(&library), seconds: Some(&seconds), meant: Some(&meant) };
            let found = graph.check(&known);
            let again = graph.check_again(&known, &mut checked);
            prop_assert!(again.iter().map(Arc::as_ref).eq(&found), "{:?}\n{:?}", again, found);
            let next = graph.check_again(&known, &mut checked);
            // Without an edit in between, only problems that depend on other steps are new values.
            let is_of_many = |fault: &Fault| {
                let leads_nowhere = |step| graph.ports(step).iter().any(|port| port.leads == Leads::Dangling);
                fault.kind == Kind::Trap || fault.step.is_none_or(leads_nowhere)
            };
            prop_assert!(again.iter().zip(&next).all(|(one, other)| Arc::ptr_eq(one, other) || is_of_many(one)));
            if let Some(fault) = found.first().filter(|_| dice.below(4) == 0) {
                meant.insert(fault.key.clone());
            }
        }
    }

    #[test]
    fn what_is_kept_through_edits_is_what_would_be_made_again(steps in any_graph(), seed in any::<u64>()) {
        let mut steps = steps;
        let mut dice = Dice::new(seed);
        let mut graph = Graph::new(&steps, &[]);
        let mut chart = Chart::new(&graph);
        for nth in 0..8 {
            let _ = edit(&mut steps, &mut dice, nth);
            let order: Vec<String> = (0..dice.below(4)).map(|_| format!("s{}", dice.below(steps.len() + 2))).collect();
            let next = Graph::after(&graph, &steps, &order);
            prop_assert_eq!(&next, &Graph::new(&steps, &order));
            prop_assert_eq!(next.check(&Known::default()), Graph::new(&steps, &order).check(&Known::default()));
            let kept = next.nodes().iter().filter(|node| graph.nodes().iter().any(|old| Arc::ptr_eq(old, node))).count();
            if graph.has_same_steps(&next) {
                prop_assert_eq!(kept, next.len());
            } else {
                chart.follow(&next);
                prop_assert_eq!(chart.routes(), &Routes::new(&next, chart.layout()));
            }
            // In another order of the author's, with the same first step, nothing is drawn otherwise.
            let first = next.first().and_then(|first| next.node(first)).map(|node| node.name.clone());
            let turned: Vec<String> = first.into_iter().chain(next.nodes().iter().rev().map(|node| node.name.clone())).collect();
            let turned = Graph::after(&next, &steps, &turned);
            if turned.has_same_steps(&next) {
                let mut followed = chart.clone();
                followed.follow(&turned);
                let mut again = followed.clone();
                again.follow(&next);
                prop_assert_eq!(&again, &followed);
                chart = followed;
            }
            graph = next;
        }
    }

    #[test]
    fn nothing_that_is_asked_of_a_graph_fails(steps in any_graph(), from in 0..220usize, to in 0..220usize) {
        let graph = Graph::new(&steps, &["s1".to_owned()]);
        let faults = graph.check(&Known::default());
        let reachable = graph.reachable(graph.first());
        let told = faults.iter().filter(|fault| fault.kind == crate::graph::Kind::Unreachable).count();
        prop_assert_eq!(told, reachable.iter().filter(|reached| !**reached).count());
        for fault in faults.iter().filter(|fault| fault.kind == crate::graph::Kind::Trap) {
            prop_assert_eq!(fault.way.last().map(|edge| edge.to).or(graph.first()), fault.step);
            let within = graph.reachable(fault.step);
            let leaves = |step: usize| graph.ports(step).is_empty() || graph.ports(step).iter().any(|port| !matches!(port.leads, Leads::Step(_)));
            prop_assert!(!(0..graph.len()).any(|step| within[step] && leaves(step)));
        }
        let way = graph.shortest(from, to);
        prop_assert_eq!(way.is_some(), graph.reachable(Some(from)).get(to).copied().unwrap_or(false));
        let mut order = graph.reading_order();
        order.sort_unstable();
        prop_assert_eq!(order, (0..graph.len()).collect::<Vec<_>>());
        let mut outline: Vec<usize> = graph.outline().iter().filter(|row| !row.again).map(|row| row.step).collect();
        outline.sort_unstable();
        prop_assert_eq!(outline, (0..graph.len()).collect::<Vec<_>>());
        let paths = graph.paths();
        prop_assert_eq!(paths.longest.is_some(), paths.count > 0);
        let _ = (graph.to_dot(), graph.to_mermaid(), graph.to_markdown("Title"), graph.endings());
    }
}

#[test]
fn thousands_of_steps_are_no_matter() {
    let chain: Vec<Step> =
        (0..10_000).map(|at| step(&format!("s{at}"), "", &[("On", &format!("s{}", at + 1))])).collect();
    let hub: Vec<(String, String)> = (1..3_000).map(|at| (format!("{at}"), format!("s{at}"))).collect();
    let hub: Vec<(&str, &str)> = hub.iter().map(|(text, next)| (text.as_str(), next.as_str())).collect();
    let mut star = vec![step("s0", "", &hub)];
    star.extend((1..3_000).map(|at| step(&format!("s{at}"), "", &[("End", "s3000")])));
    star.push(step("s3000", "", &[]));
    let lonely: Vec<Step> = (0..10_000).map(|at| step(&format!("s{at}"), "", &[])).collect();
    for steps in [chain, star, lonely] {
        let graph = Graph::new(&steps, &[]);
        let layout = Layout::new(&graph);
        let routes = Routes::new(&graph, &layout.follow(&graph));
        assert!(routes.visible(layout.bounds()).next().is_some() || graph.edges().next().is_none());
        assert_eq!(graph.outline().iter().filter(|row| !row.again).count(), graph.len());
        assert!(!graph.check(&Known::default()).is_empty());
    }
}
