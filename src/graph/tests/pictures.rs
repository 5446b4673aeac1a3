//! What small projects look like.

use super::generate::{step, story};
use super::paint::paint;
use crate::domain::Step;
use crate::graph::{Graph, Layout, Routes};

fn picture(steps: &[Step]) -> String {
    let graph = Graph::new(steps, &[]);
    let layout = Layout::new(&graph);
    paint(&graph, &layout, &Routes::new(&graph, &layout))
}

fn described(description: &str, mut step: Step) -> Step {
    step.description = Some(description.to_owned());
    step
}

#[test]
fn a_quiz() {
    let mut quiz = vec![
        described(
            "Welcome",
            step("pHB58", "Who is it for?", &[("For her", "rqAvg"), ("For him", "7TzzA"), ("Not sure", "gone1")]),
        ),
        described(
            "For her",
            step(
                "rqAvg",
                "What does she like?",
                &[("Being outdoors", "k2LmQ"), ("Being warm", "k2LmQ"), ("Both", "w9Zx1")],
            ),
        ),
        described("For him", step("7TzzA", "", &[("Something warm", "k2LmQ"), ("Something to eat", "w9Zx1")])),
        described("Warm things", step("k2LmQ", "Our warmest", &[("Start again", "pHB58"), ("Buy", "")])),
        described("Treats", step("w9Zx1", "Sweet and salt", &[("Once more", "w9Zx1"), ("Start again", "pHB58")])),
        described("Forgotten", step("lost1", "", &[("To the start", "pHB58"), ("On", "lost2")])),
        described("Forgotten too", step("lost2", "", &[])),
    ];
    quiz[2].video_id = None;
    insta::assert_snapshot!("quiz", picture(&quiz));
}

#[test]
fn a_tour() {
    let tour: Vec<Step> = ["Hall", "Kitchen", "Bath", "Garden"]
        .iter()
        .zip(1..)
        .map(|(room, nth)| {
            let next = if nth < 4 { format!("room{}", nth + 1) } else { String::new() };
            described(room, step(&format!("room{nth}"), "Look around", &[("Go on", &next), ("Skip", "room4")]))
        })
        .collect();
    insta::assert_snapshot!("tour", picture(&tour));
}

#[test]
fn a_story() {
    insta::assert_snapshot!("story", picture(&story(14, 3)));
}
