use proptest::prelude::*;
use serde_json::json;

use super::generate::{by_name, play, product, projects, quiz, quiz_draft, throws};
use super::service::{Luck, Service, apply};
use crate::domain::{Folder, Num, Project, StepProduct, Video};
use crate::draft::{Draft, Edit, FileError, FileFormat, Library, ProjectFile, Target};

const FORMATS: [FileFormat; 2] = [FileFormat::Toml, FileFormat::Json];

#[test]
fn a_file_reads_like_this() {
    let mut draft = quiz_draft();
    let step = by_name(&draft, "left");
    draft.apply(&Edit::AnswerTime { step, seconds: 2.5 }).unwrap();
    draft.apply(&Edit::Overlay { step, text: "Two\nlines".to_owned() }).unwrap();
    insta::assert_snapshot!(ProjectFile::of(&draft, &Library::default()).write(FileFormat::Toml), @r#"
    cutaway = 2
    id = "p"
    name = "Quiz"
    folder = "f1"
    stepsOrder = ["begin", "left", "right", "end"]

    [[steps]]
    name = "begin"
    overlayText = "Which way?"

    [[steps.answers]]
    text = "Left"
    next = "left"

    [[steps.answers]]
    text = "Right"
    next = "right"

    [[steps.answers]]
    text = "Not sure"

    [[steps]]
    name = "left"
    overlayText = """
    Two
    lines"""
    answerTime = 2.5

    [[steps.answers]]
    text = "On"
    next = "end"

    [[steps]]
    name = "right"
    overlayText = "This is right"

    [[steps.answers]]
    text = "On"
    next = "end"

    [[steps.answers]]
    text = "Back"
    next = "begin"

    [[steps]]
    name = "end"
    overlayText = "The end"

    [[steps.answers]]
    text = "Lost"
    next = "nowhere"
    "#);
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    let said = |text: &str| ProjectFile::read(text).unwrap_err().to_string();
    assert!(said("cutaway = 1\nname = \"x\"\ncolour = 1\n").starts_with("line 3, column 1: unknown field `colour`"));
    assert!(said("{\"cutaway\": 1,\n\"name\": 3}").contains("at line 2"), "{}", said("{\"cutaway\": 1,\n\"name\": 3}"));
    assert_eq!(ProjectFile::read("cutaway = 9\nname = \"x\""), Err(FileError::Newer(9)));
    let twice = "cutaway = 1\nname = \"x\"\n[[steps]]\nname = \"a\"\n[[steps]]\nname = \"a\"\n";
    assert_eq!(ProjectFile::read(twice), Err(FileError::Twice("a".to_owned())));
    assert!(said("cutaway = 1\nname = \"x\"\n[[steps]]\nname = \"a\"\nanswerTime = -1\n").contains("answerTime"));
}

#[test]
fn products_are_in_the_file_and_a_file_without_them_says_nothing_of_them() {
    let mut draft = quiz_draft();
    let step = by_name(&draft, "begin");
    let red = StepProduct { variant_id: Some("red".into()), from: Some(Num(1.5)), ..product(1) };
    let products = vec![product(0), red, product(0)];
    draft.apply(&Edit::AddProducts { step, products: products.clone(), title: "Three".to_owned() }).unwrap();
    let file = ProjectFile::of(&draft, &Library::default());
    let written = file.write(FileFormat::Toml);
    let shown =
        "[[steps.products]]\nstore = \"https://a.example\"\nproductId = \"p1\"\nvariantId = \"red\"\nfrom = 1.5\n";
    assert!(written.contains(shown), "{written}");
    assert_eq!(ProjectFile::read(&written), Ok(file.clone()));
    // A copy, as duplicating makes it, has them too.
    let (copy, _) = Draft::copy_of("w", draft.project(), None);
    let shown = |draft: &Draft| draft.content().steps().map(|(_, step)| step.products().to_vec()).collect::<Vec<_>>();
    assert_eq!(shown(&copy), shown(&draft));
    // Version 1 can't say them, so it doesn't take them away; version 2 does.
    let mut old = file.clone();
    old.cutaway = 1;
    old.steps[0].products.clear();
    let mut kept = draft.clone();
    kept.import(&old, &Library::default());
    assert_eq!(shown(&kept), shown(&draft));
    old.cutaway = 2;
    kept.import(&old, &Library::default());
    assert!(shown(&kept).iter().all(Vec::is_empty));
    let said = |cutaway: u32, product: &str| {
        let text = format!("cutaway = {cutaway}\nname = \"x\"\n[[steps]]\nname = \"a\"\nproducts = [{{{product}}}]\n");
        ProjectFile::read(&text).unwrap_err().to_string()
    };
    let one = "store = \"https://a.example\", productId = \"p\"";
    assert_eq!(said(1, one), "\"a\" shows products, which need format 2: write 2 for cutaway");
    assert_eq!(said(2, "store = \"\", productId = \"p\""), "product 1 of \"a\" has no store");
    assert!(said(2, &format!("{one}, from = -1")).contains("0 or more"));
    let newer = "cutaway = 3\nname = \"x\"\nsomethingNew = 1\n";
    assert_eq!(ProjectFile::read(newer), Err(FileError::Newer(3)));
}

#[test]
fn what_turns_a_line_around_is_an_escape_in_the_file() {
    let mut file = ProjectFile::of(&quiz_draft(), &Library::default());
    for (nth, text) in [
        "\u{202e}abc",
        "a\u{feff}\"quoted\" \\u202E 'single'",
        "two\nlines\u{200f}\r\n\ttabbed \u{1b}[31m\u{9b}\u{7f}",
        "tags \u{e0041}\u{10eeee}\u{fdd0}\u{fdd1} and \u{fdd0}0041\u{fdd0}",
        "woman: 👩\u{200d}🚀",
    ]
    .into_iter()
    .enumerate()
    {
        file.name = format!("{text}{nth}");
        file.steps[0].overlay_text = Some(text.to_owned());
        file.steps[0].answers[0].text = text.repeat(2);
        file.steps[1].overlay_text = Some("Plain \"text\" \\u202E".to_owned());
        for format in FORMATS {
            let written = file.write(format);
            assert!(!written.chars().any(|c| c != '\n' && crate::domain::text::is_hostile(c)), "{written}");
            assert_eq!(ProjectFile::read(&written).as_ref(), Ok(&file), "{written}");
        }
    }
    assert!(file.write(FileFormat::Toml).contains("👩\u{200d}🚀"), "joiners stay");
    file.name = "\u{202e}abc".to_owned();
    assert!(file.write(FileFormat::Toml).contains("name = \"\\u202Eabc\""));
}

#[test]
fn line_ends_of_another_system_are_no_change() {
    let mut file = ProjectFile::of(&quiz_draft(), &Library::default());
    file.steps[0].overlay_text = Some("Two\nlines \"here\"".to_owned());
    file.steps[1].overlay_text = Some("a return \r\n is kept".to_owned());
    for format in FORMATS {
        let written = file.write(format).replace('\n', "\r\n");
        assert_eq!(ProjectFile::read(&written).as_ref(), Ok(&file), "{written}");
    }
    let said = ProjectFile::read("cutaway = 1\r\nname = \"x\"\r\ncolour = 1\r\n").unwrap_err().to_string();
    assert!(said.starts_with("line 3, column 1: unknown field `colour`"), "{said}");
    let said = ProjectFile::read_as("[1]", FileFormat::Json).unwrap_err().to_string();
    assert_eq!(said, "a project file is an object, {…}, and this is an array");
}

#[test]
fn a_file_that_changed_changes_only_that() {
    let mut draft = quiz_draft();
    let mut file = ProjectFile::of(&draft, &Library::default());
    file.steps[1].overlay_text = Some("Changed".to_owned());
    file.steps[0].answers[2].next = Some("fresh".to_owned());
    let mut added = file.steps[3].clone();
    added.name = "fresh".to_owned();
    added.overlay_text = Some("New here".to_owned());
    file.steps.push(added);
    file.steps.remove(2);
    let imported = draft.import(&file, &Library::default());
    assert_eq!(imported.new.len(), 1);
    assert!(imported.warnings.iter().any(|warning| warning.contains("nowhere")), "{:?}", imported.warnings);
    let titles: Vec<_> = draft.plan().calls.into_iter().map(|planned| planned.title).collect();
    assert_eq!(
        titles,
        [
            "create step fresh",
            "update step begin: answers",
            "update step left: text",
            "delete step right",
            "update the project: order",
        ]
    );
    // Once it is applied the same file finds what was created, whatever the service calls it.
    let mut service = Service::of(quiz());
    apply(&mut draft, &mut service, &mut || Luck::Good);
    let mut again = Draft::new("w", service.project);
    again.import(&file, &Library::default());
    assert!(again.is_saved(), "{:?}", again.plan());
}

#[test]
fn videos_and_folders_are_found_by_name_in_another_workspace() {
    let library = |id: &str| Library {
        videos: Some(vec![Video { id: id.into(), name: "Clip".to_owned(), ..Video::default() }]),
        folders: Some(vec![Folder { id: id.into(), name: "Guides".to_owned(), ..Folder::default() }]),
    };
    let body = json!({"id": "p", "name": "P", "folder": "1", "steps": [
        {"id": "a", "name": "a", "videoId": "1"}, {"id": "b", "name": "b", "videoId": "lost"},
    ]});
    let here = Draft::new("w", super::generate::project(&body));
    let file = ProjectFile::of(&here, &library("1"));
    assert_eq!((file.folder.as_deref(), file.steps[0].video_name.as_deref()), (Some("Guides"), Some("Clip")));
    let (there, imported) = Draft::of_file("v", &file, &library("2"));
    let videos: Vec<_> = there.content().steps().map(|(_, step)| step.video()).collect();
    assert_eq!((videos, there.content().head().folder()), (vec!["2", ""], "2"));
    assert_eq!(imported.warnings, ["there is no video \"lost\"; b is left without one"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn there_and_back_it_says_the_same(project in projects(), throws in throws(12)) {
        let mut draft = Draft::new("w", project);
        for throw in &throws {
            play(&mut draft, throw);
        }
        for format in FORMATS {
            let file = ProjectFile::of(&draft, &Library::default());
            prop_assert_eq!(ProjectFile::read(&file.write(format)), Ok(file.clone()));
            // Into itself nothing changes, but for what the file can't say of the order.
            let alien = draft.content().head().order().iter().any(|entry| entry.step.is_none());
            let mut same = draft.clone();
            same.import(&file, &Library::default());
            prop_assert!(alien || same.content().says_the_same(draft.content()), "{:?}", file);
            // Elsewhere it comes to the same file.
            let (mut new, _) = Draft::of_file("w", &file, &Library::default());
            let mut service = Service::of(Project::default());
            apply(&mut new, &mut service, &mut || Luck::Good);
            prop_assert_eq!(service.created, file.steps.len() + 1);
            let mut there = ProjectFile::of(&Draft::new("w", service.project), &Library::default());
            prop_assert_eq!(there.steps.len(), file.steps.len());
            there.steps.sort_by_key(said);
            let mut steps = file.steps.clone();
            steps.sort_by_key(said);
            for (here, there) in steps.iter().zip(&there.steps) {
                prop_assert_eq!(said(here), said(there));
            }
            let dangling = |draft: &Draft| {
                let steps = draft.content().steps();
                steps.flat_map(|(_, step)| step.answers()).filter(|one| matches!(one.target, Target::Unresolved(_))).count()
            };
            prop_assert_eq!(dangling(&new), dangling(&draft));
        }
    }
}

fn said(step: &crate::draft::FileStep) -> String {
    let answers: Vec<_> = step.answers.iter().map(|answer| (&answer.text, answer.next.is_some())).collect();
    let fields = (&step.description, &step.overlay_text, &step.video_id, step.answer_time, &step.products);
    format!("{fields:?} {answers:?}")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_file_with_steps_that_are_alike_is_done_after_one_apply(
        steps in prop::collection::vec((0_usize..2, prop::collection::vec(prop::option::of(0_usize..8), 0..3)), 1..8),
        turned in any::<bool>(),
        listed in any::<bool>(),
    ) {
        let name = |at: usize| format!("n{at}");
        let answer = |to: &Option<usize>| match to {
            Some(to) if *to < steps.len() => json!({"text": "On", "next": name(*to)}),
            _ => json!({"text": "On"}),
        };
        let step = |(at, (said, answers)): (usize, &(usize, Vec<Option<usize>>))| {
            let answers: Vec<_> = answers.iter().map(answer).collect();
            json!({"name": name(at), "overlayText": if *said == 0 { "Same" } else { "Other" }, "answers": answers})
        };
        let mut told = json!({"cutaway": 1, "name": "Alike"});
        told["steps"] = steps.iter().enumerate().map(step).collect();
        if listed {
            told["stepsOrder"] = (0..steps.len()).map(name).collect();
        }
        let file = ProjectFile::read(&told.to_string()).unwrap();
        let (mut draft, _) = Draft::of_file("w", &file, &Library::default());
        let mut service = Service::of(Project::default());
        apply(&mut draft, &mut service, &mut || Luck::Good);
        prop_assert_eq!(service.created, 1 + steps.len());
        let mut made = service.project;
        if turned {
            made.steps.as_mut().unwrap().reverse();
        }
        let mut again = Draft::new("w", made);
        again.import(&file, &Library::default());
        prop_assert!(again.plan().is_empty(), "{:?}", again.plan());
    }
}
