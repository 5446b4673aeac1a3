//! Projects and edits from numbers, for tests.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::domain::{Num, Project, Reader, StepProduct, VideoId};
use crate::draft::{AnswerRef, Draft, Edit, Find, Incoming, StepRef, Target};

/// A project as JSON has it.
pub fn project(body: &Value) -> Project {
    Reader::read(body).0
}

/// A step by its name; its id is `id-` and the name.
pub fn step(name: &str, overlay: &str, answers: &[(&str, &str)]) -> Value {
    let answers: Vec<Value> = answers.iter().map(|(text, next)| json!({"text": text, "next": next})).collect();
    json!({"id": format!("id-{name}"), "name": name, "overlayText": overlay, "answers": answers, "ours": {"kept": 1}})
}

/// A small quiz: `begin` leads to `left` and `right`, both lead to `end`.
pub fn quiz() -> Project {
    project(&json!({
        "id": "p", "name": "Quiz", "folder": "f1", "stepsOrder": ["begin", "id-left", "right", "end"], "extra": [1],
        "steps": [
            step("begin", "Which way?", &[("Left", "left"), ("Right", "id-right"), ("Not sure", "")]),
            step("left", "This is left", &[("On", "end")]),
            step("right", "This is right", &[("On", "end"), ("Back", "begin")]),
            step("end", "The end", &[("Lost", "nowhere")]),
        ],
    }))
}

pub fn quiz_draft() -> Draft {
    Draft::new("w", quiz())
}

pub fn by_name(draft: &Draft, name: &str) -> StepRef {
    draft.find(name).unwrap()
}

pub fn answer(draft: &Draft, step: &str, port: usize) -> AnswerRef {
    draft.answer_at(by_name(draft, step), port).unwrap()
}

const TEXTS: [&str; 7] = ["", "a", "b", "on and on", "Ünïcödé İ", "👩‍👩‍👧 مرحبا", "left"];

fn text() -> impl Strategy<Value = String> {
    prop::sample::select(&TEXTS[..]).prop_map(str::to_owned)
}

/// Projects as services tell them: names that are missing or alike, values that lead nowhere, fields that lack.
pub fn projects() -> impl Strategy<Value = Project> {
    let answer = (text(), prop::option::of(0_usize..9)).prop_map(|(text, next)| match next {
        None => json!({ "text": text }),
        Some(0) => json!({"text": text, "next": ""}),
        Some(1) => json!({"text": text, "next": "nowhere"}),
        Some(2) => json!({"text": text, "next": "twin"}),
        Some(n) if n.is_multiple_of(2) => json!({"text": text, "next": format!("id-{}", n - 3), "ours": n}),
        Some(n) => json!({"text": text, "next": format!("s{}", n - 3)}),
    });
    let product = (0_usize..3, 0_usize..3).prop_map(|(id, kind)| match kind {
        0 => json!({"store": "https://a.example", "productId": format!("p{id}")}),
        1 => json!({"store": "https://a.example", "productId": format!("p{id}"), "from": 1.5}),
        _ => json!({"store": "https://b.example", "productId": format!("p{id}"), "variantId": "red", "ours": id}),
    });
    let products = prop::option::weighted(0.3, vec(product, 1..3));
    let step = (
        0_usize..12,
        products,
        prop::option::of(text()),
        prop::option::of(text()),
        prop::option::of(vec(answer, 0..4)),
    );
    (vec(step, 0..6), prop::option::of(vec(0_usize..8, 0..6)), any::<bool>()).prop_map(|(steps, order, told)| {
        let steps: Vec<Value> = steps
            .into_iter()
            .enumerate()
            .map(|(at, (kind, products, description, overlay, answers))| {
                let mut step = json!({"id": format!("id-{at}"), "name": format!("s{at}"), "colour": "red"});
                let object = step.as_object_mut().unwrap();
                match kind {
                    0 => _ = object.shift_remove("id"),
                    1 => _ = object.shift_remove("name"),
                    2 => _ = object.insert("name".to_owned(), json!("twin")),
                    3 => _ = object.insert("answerTime".to_owned(), json!(2.5)),
                    4 => _ = object.insert("videoId".to_owned(), json!("v")),
                    _ => {}
                }
                object.extend(products.map(|products| ("products".to_owned(), json!(products))));
                object.extend(description.map(|text| ("description".to_owned(), json!(text))));
                object.extend(overlay.map(|text| ("overlayText".to_owned(), json!(text))));
                object.extend(answers.map(|answers| ("answers".to_owned(), json!(answers))));
                step
            })
            .collect();
        let mut body = json!({"id": "p", "name": "P", "theirs": {"a": [1, null]}});
        let object = body.as_object_mut().unwrap();
        if told || !steps.is_empty() {
            object.insert("steps".to_owned(), json!(steps));
        }
        let entry = |n: usize| if n.is_multiple_of(2) { format!("s{n}") } else { format!("id-{n}") };
        object.extend(
            order.map(|order| ("stepsOrder".to_owned(), json!(order.into_iter().map(entry).collect::<Vec<_>>()))),
        );
        project(&body)
    })
}

/// A product of a step by a number.
pub fn product(n: usize) -> StepProduct {
    StepProduct {
        store: "https://a.example".into(),
        product_id: format!("p{}", n % 4).as_str().into(),
        ..StepProduct::default()
    }
}

/// What an edit is made of; which one it is depends on the draft.
pub type Throw = (usize, usize, usize, String);

pub fn throws(most: usize) -> impl Strategy<Value = Vec<Throw>> {
    vec((0_usize..29, 0_usize..64, 0_usize..64, text()), 0..most)
}

/// Does what the numbers say, where it can be done. What is done comes back as the records of it.
pub fn play(draft: &mut Draft, (kind, a, b, text): &Throw) -> Vec<crate::draft::Record> {
    let refs = draft.refs();
    let pick = |n: usize| refs.get(n % refs.len().max(1)).copied();
    let answers: Vec<AnswerRef> =
        draft.content().steps().flat_map(|(_, step)| step.answers().iter().map(|answer| answer.key)).collect();
    let some = |n: usize| answers.get(n % answers.len().max(1)).copied();
    let target = match b % 4 {
        0 => Target::End,
        _ => pick(b / 4).map_or(Target::End, Target::Step),
    };
    let text = text.clone();
    let edit = match kind {
        0 => pick(*a).map(|step| Edit::Describe { step, text }),
        1 => pick(*a).map(|step| Edit::Overlay { step, text }),
        2 => pick(*a).map(|step| Edit::AnswerTime { step, seconds: 0.5 }),
        3 => pick(*a).map(|step| Edit::Video { step, video: (b % 2 == 0).then(|| VideoId::new("v2")) }),
        4 | 5 => pick(*a).map(|step| Edit::AddAnswer { step, at: Some(b % 3), text: format!("{text}!"), target }),
        6 => some(*a).map(|answer| Edit::AnswerText { answer, text: format!("{text}?") }),
        7 => some(*a).map(|answer| Edit::MoveAnswer { answer, to: b % 4 }),
        8 | 9 => some(*a).map(|answer| Edit::Retarget { answer, target }),
        10 => some(*a).map(|answer| Edit::DeleteAnswer { answer }),
        11 | 12 => Some(Edit::AddStep { from: if b % 2 == 0 { some(*a) } else { None } }),
        13 => pick(*a).map(|step| Edit::DuplicateStep { step }),
        14 => some(*a).map(|answer| Edit::InsertStep { answer, text: "On".to_owned() }),
        15 | 16 => pick(*a).map(|step| Edit::DeleteStep {
            step,
            incoming: [Incoming::Rewired, Incoming::Dangling, Incoming::Removed][b % 3],
        }),
        17 => pick(*a).map(|step| Edit::MoveStep { step, to: *b }),
        18 => Some(Edit::AddMissing),
        19 => Some(Edit::DropAlien),
        20 => Some(Edit::Name { name: format!("{text}n") }),
        21 => Some(Edit::Folder { folder: text }),
        22 => Some(Edit::Emails { emails: vec![format!("{text}@x")] }),
        23 => {
            let find = Find { text: "A".to_owned(), case: false };
            Some(Edit::Replace { find, with: text, only: None })
        }
        26 => pick(*a).map(|step| Edit::AddProducts { step, products: vec![product(*b)], title: text }),
        27 | 28 => pick(*a).map(|step| {
            let to = (*kind == 27).then(|| StepProduct { from: Some(Num(2.0)), ..product(*b) });
            Edit::ChangeProduct { step, at: b % 2, to, title: text }
        }),
        24 => return draft.undo().map(|gone| gone.record).into_iter().collect(),
        _ => return draft.redo().map(|gone| gone.record).into_iter().collect(),
    };
    let made = edit.and_then(|edit| draft.apply(&edit).ok());
    made.and_then(|made| made.record).into_iter().collect()
}
