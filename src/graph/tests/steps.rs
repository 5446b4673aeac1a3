//! How steps become a graph, what is wrong with them, and how it is written for other tools.

use std::collections::{HashMap, HashSet};

use super::generate::step;
use crate::domain::{Step, VideoId};
use crate::graph::{Fix, Graph, Kind, Known, Layout, Leads, Routes};

#[test]
fn answers_lead_by_name_or_id_to_the_end_or_nowhere() {
    let steps = [
        step("a", "", &[("by name", "b"), ("by id", "id-b"), ("the end", ""), ("nowhere", "zzz")]),
        step("b", "", &[]),
    ];
    let graph = Graph::new(&steps, &[]);
    let leads: Vec<Leads> = graph.ports(0).iter().map(|port| port.leads).collect();
    assert_eq!(leads, [Leads::Step(1), Leads::Step(1), Leads::End, Leads::Dangling]);
    assert_eq!(graph.ports(0)[3].next, "zzz");
    assert_eq!(graph.predecessors(1), [0]);
    assert_eq!(graph.successors(0), [1]);
}

#[test]
fn the_first_step_is_that_of_the_order_else_the_oldest() {
    let mut steps = [step("a", "", &[]), step("b", "", &[]), step("c", "", &[])];
    steps[0].created_at = Some("2026-02-01T00:00:00Z".to_owned());
    steps[1].created_at = Some("2026-01-01T00:00:00Z".to_owned());
    assert_eq!(Graph::new(&steps, &[]).first(), Some(1));
    assert_eq!(Graph::new(&steps, &[]).order(), [1, 0, 2]);
    let ordered = Graph::new(&steps, &["gone".to_owned(), "id-c".to_owned(), "c".to_owned()]);
    assert_eq!((ordered.first(), ordered.order()), (Some(2), &[2, 0, 1][..]));
    assert_eq!(ordered.alien(), ["gone"]);
    assert_eq!(Graph::new::<Step>(&[], &[]).first(), None);
    assert_eq!(Graph::new(&[Step::default(), Step::default()], &[]).name(1), "step 2");
}

#[test]
fn the_oldest_step_is_found_by_time_and_not_by_letters() {
    let mut steps = [step("a", "", &[]), step("b", "", &[]), step("c", "", &[])];
    let oldest = |steps: &[Step]| Graph::new(steps, &[]).first();
    let mut dated = |times: [&str; 3]| {
        steps.iter_mut().zip(times).for_each(|(step, time)| step.created_at = Some(time.to_owned()));
        oldest(&steps)
    };
    assert_eq!(dated(["2026-01-01T00:00:05.874Z", "2026-01-01T00:00:05.87Z", "2026-01-01T00:00:05.88Z"]), Some(1));
    assert_eq!(dated(["2026-01-01T00:00:05Z", "2026-01-01T00:00:05.3Z", "2026-01-01T02:00:04+02:00"]), Some(2));
    assert_eq!(dated(["", "yesterday", "2026-01-01T00:00:05Z"]), Some(2));
    assert_eq!(dated(["", "b", "a"]), Some(2));
}

#[test]
fn every_fault_is_told_with_its_place() {
    let mut steps = vec![
        step("a", "", &[("On", "b"), ("On", "gone"), (" ", "c")]),
        step("b", "", &[("Round", "c")]),
        step("c", "", &[("And round", "b")]),
        step("d", "", &[]),
        step("d", "", &[("Here", "d")]),
    ];
    steps[1].video_id = None;
    let graph = Graph::new(&steps, &["a".to_owned(), "alien".to_owned()]);
    let found: Vec<_> = graph
        .check(&Known::default())
        .into_iter()
        .filter(|fault| fault.kind != Kind::MissingInOrder)
        .map(|fault| (fault.kind, fault.step, fault.port, fault.value))
        .collect();
    assert_eq!(
        found,
        [
            (Kind::Dangling, Some(0), Some(1), "gone".to_owned()),
            (Kind::SameAnswer, Some(0), Some(1), "On".to_owned()),
            (Kind::NoText, Some(0), Some(2), String::new()),
            (Kind::NoVideo, Some(1), None, String::new()),
            (Kind::Trap, Some(1), None, String::new()),
            (Kind::Unreachable, Some(3), None, String::new()),
            (Kind::DeadEnd, Some(3), None, String::new()),
            (Kind::SameName, Some(4), None, "d".to_owned()),
            (Kind::Unreachable, Some(4), None, String::new()),
            (Kind::Ambiguous, Some(4), Some(0), "d".to_owned()),
            (Kind::AlienInOrder, None, None, "alien".to_owned()),
        ]
    );
}

#[test]
fn what_can_be_fixed_says_how_and_what_is_meant_stays_so() {
    let mut steps = vec![
        step(
            "pHB58",
            "Who is it for?",
            &[("For her", "PHB58"), ("Again", "two"), ("Again", "two"), ("Warm", "wärm things")],
        ),
        step("two", &"long ".repeat(40), &[("End", "")]),
        step("three", "", &[("x", "two")]),
    ];
    steps[1].description = Some("Warm things".to_owned());
    steps[2].video_id = None;
    steps[1].answer_time = Some(crate::domain::Num(9.5));
    let order = ["pHB58", "TWO", "gone"].map(str::to_owned);
    let graph = Graph::new(&steps, &order);
    let seconds = HashMap::from([(VideoId::new("video-two"), 4.2)]);
    let known = Known { seconds: Some(&seconds), ..Known::default() };
    let faults = graph.check(&known);
    let fixed: Vec<_> = faults.iter().filter_map(|fault| Some((fault.kind, fault.fix.clone()?))).collect();
    let wanted = [
        (Kind::Dangling, Fix::Retarget { step: 0, port: 0, to: 0 }),
        (Kind::SameAnswer, Fix::RemoveAnswer { step: 0, port: 2 }),
        (Kind::Dangling, Fix::Retarget { step: 0, port: 3, to: 1 }),
        (Kind::LateAnswers, Fix::AnswerTime { step: 1, seconds: 3.0 }),
        (Kind::MissingInOrder, Fix::AddToOrder { step: 1 }),
        (Kind::NoVideo, Fix::ChooseVideo { step: 2 }),
        (Kind::MissingInOrder, Fix::AddToOrder { step: 2 }),
        (Kind::AlienInOrder, Fix::ReplaceInOrder { entry: "TWO".to_owned(), step: 1 }),
        (Kind::AlienInOrder, Fix::RemoveFromOrder { entry: "gone".to_owned() }),
    ];
    assert_eq!(fixed, wanted);
    assert!(fixed.iter().all(|(_, fix)| !fix.words(&graph).is_empty()));
    assert!(faults.iter().any(|fault| fault.kind == Kind::LongText));

    let dangling = &faults[0];
    assert_eq!(dangling.key, "dangling id-pHB58 PHB58");
    let meant = HashSet::from([dangling.key.clone()]);
    steps[0].answers.as_mut().unwrap().swap(0, 1);
    let graph = Graph::new(&steps, &order);
    let again = graph.check(&Known { meant: Some(&meant), ..known });
    let marked: Vec<_> = again.iter().filter(|fault| fault.meant).map(|fault| (fault.kind, fault.port)).collect();
    assert_eq!(marked, [(Kind::Dangling, Some(1))], "answers may change their order");
}

#[test]
fn a_name_of_two_steps_is_told_where_an_answer_leads_there() {
    let graph = Graph::new(&[step("a", "", &[("On", "b")]), step("b", "", &[]), step("b", "", &[])], &[]);
    let kinds: Vec<_> = graph.check(&Known::default()).into_iter().map(|fault| (fault.kind, fault.step)).collect();
    assert!(kinds.contains(&(Kind::Ambiguous, Some(0))) && kinds.contains(&(Kind::SameName, Some(2))));
}

#[test]
fn the_next_answer_that_nobody_walked_is_found_by_the_shortest_way() {
    let steps = [
        step("a", "", &[("x", "b"), ("y", "c"), ("lost", "gone")]),
        step("b", "", &[("x", "c"), ("end", "")]),
        step("c", "", &[("back", "a"), ("end", "")]),
        step("d", "", &[("x", "a")]),
    ];
    let graph = Graph::new(&steps, &[]);
    let mut walked = HashSet::from([(0, 0), (0, 1)]);
    let coverage = graph.coverage(&walked);
    assert_eq!((coverage.all, coverage.left.len()), (6, 4), "what is lost or can't be reached does not count");
    let (way, next) = graph.shortest_to_unwalked(0, &walked).unwrap();
    assert_eq!((way.len(), next), (1, (1, 0)));
    walked.extend([(1, 0), (1, 1), (2, 0)]);
    let (way, next) = graph.shortest_to_unwalked(1, &walked).unwrap();
    assert_eq!((way.len(), next), (1, (2, 1)));
    walked.insert((2, 1));
    assert_eq!(graph.shortest_to_unwalked(0, &walked), None);
    assert!(graph.coverage(&walked).left.is_empty());
}

#[test]
fn walks_are_counted_and_found() {
    let steps = [
        step("a", "", &[("x", "b"), ("y", "c")]),
        step("b", "", &[("x", "c"), ("end", "")]),
        step("c", "", &[("back", "a"), ("end", "")]),
    ];
    let paths = Graph::new(&steps, &[]).paths();
    assert_eq!((paths.count, paths.loops), (3, true));
    assert_eq!((paths.shortest.unwrap().len(), paths.longest.unwrap().len()), (1, 2));
}

#[test]
fn a_picture_for_pages_holds_every_card_and_line() {
    for (count, seed) in [(0, 1), (1, 1), (9, 3), (60, 5)] {
        let mut steps = super::generate::story(count, seed);
        if let Some(step) = steps.first_mut() {
            step.description = Some("<b> & \"quotes\" ]]> \u{1b}[2J \u{ffff}".to_owned());
            step.overlay_text = Some("日本語 🧦 جوارب".repeat(20));
        }
        let graph = Graph::new(&steps, &[]);
        let svg = graph.to_svg("Gift <finder> & more");
        well_formed(&svg);
        let layout = Layout::new(&graph);
        let routes = Routes::new(&graph, &layout);
        let lines = graph.edges().filter(|edge| routes.is_line(&layout, *edge)).count();
        assert_eq!(svg.matches("class=\"card").count(), graph.len());
        assert_eq!(svg.matches("class=\"line").count(), lines);
        assert_eq!(svg.matches("class=\"stub").count(), routes.stubs(layout.outline()).count());
        assert!(!svg.contains('\u{1b}') && !svg.contains("href"), "no controls, nothing from elsewhere");
        assert_eq!(svg.matches("http").count(), 1, "only the name of the language");
    }
}

/// Tags are closed in order, attributes quoted, and no sign of XML stands in a text.
fn well_formed(xml: &str) {
    let mut open = Vec::new();
    let mut rest = xml;
    while let Some((text, after)) = rest.split_once('<') {
        let entities = ["&amp;", "&lt;", "&gt;", "&quot;", "&#39;"];
        assert_eq!(text.matches('&').count(), entities.iter().map(|known| text.matches(known).count()).sum::<usize>());
        let (tag, after) = after.split_once('>').unwrap();
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(tag.split_whitespace().next().unwrap().to_owned());
        }
        rest = after;
    }
    assert!(open.is_empty() && rest.trim().is_empty(), "{open:?} {rest}");
}

#[test]
fn other_tools_can_read_it() {
    let steps = [step("a", "Say \"hi\" <b>", &[("On | on", "b"), ("End", ""), ("Lost", "gone")]), step("b", "", &[])];
    let graph = Graph::new(&steps, &[]);
    insta::assert_snapshot!("mermaid", graph.to_mermaid());
    insta::assert_snapshot!("dot", graph.to_dot());
    insta::assert_snapshot!("markdown", graph.to_markdown("Gift finder"));
}
