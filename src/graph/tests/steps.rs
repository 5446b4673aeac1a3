//! How steps become a graph, what is wrong with them, and how it is written for other tools.

use super::generate::step;
use crate::domain::Step;
use crate::graph::{Graph, Kind, Known, Leads};

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
    assert_eq!(Graph::new(&[], &[]).first(), None);
    assert_eq!(Graph::new(&[Step::default(), Step::default()], &[]).name(1), "step 2");
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
            (Kind::AlienInOrder, None, None, "alien".to_owned()),
        ]
    );
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
fn other_tools_can_read_it() {
    let steps = [step("a", "Say \"hi\" <b>", &[("On | on", "b"), ("End", ""), ("Lost", "gone")]), step("b", "", &[])];
    let graph = Graph::new(&steps, &[]);
    insta::assert_snapshot!("mermaid", graph.to_mermaid());
    insta::assert_snapshot!("dot", graph.to_dot());
    insta::assert_snapshot!("markdown", graph.to_markdown("Gift finder"));
}
