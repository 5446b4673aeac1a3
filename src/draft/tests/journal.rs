use proptest::prelude::*;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::generate::{Throw, by_name, play, product, projects, quiz, quiz_draft, throws};
use crate::draft::journal::{
    Damage, Journal, JournalError, VERSION, heading, lines, overwrite, read, whole, whole_of_version_1,
};
use crate::draft::{Draft, Edit, Record};

/// The journal of a draft, and the draft after each of its lines.
fn written(project: crate::domain::Project, throws: &[Throw]) -> (Vec<u8>, Vec<(usize, Draft)>) {
    let mut draft = Draft::new("w", project);
    let mut bytes = heading().into_bytes();
    let (mut marks, mut last) = (Vec::new(), 0);
    let mut write = |record: &Record, draft: &Draft| {
        let (text, number) = lines(record, last);
        last = number;
        for line in text.split_inclusive('\n') {
            bytes.extend(line.as_bytes());
            marks.push((bytes.len(), draft.clone()));
        }
    };
    write(&draft.begun(), &draft);
    for (nth, throw) in throws.iter().enumerate() {
        for record in play(&mut draft, throw) {
            write(&record, &draft);
        }
        if nth % 5 == 4 {
            let record = draft.look(json!({ "typed": nth }));
            write(&record, &draft);
        }
    }
    (bytes, marks)
}

/// A draft of six records, each of which changes another place, and the records.
fn six() -> (Draft, Vec<Record>) {
    let mut draft = quiz_draft();
    let mut records = vec![draft.begun()];
    let describe = |name: &str, draft: &Draft| Edit::Describe { step: by_name(draft, name), text: name.repeat(3) };
    for name in ["begin", "left", "right", "end"] {
        let edit = describe(name, &draft);
        records.extend(draft.apply(&edit).unwrap().record);
    }
    records.extend(draft.undo().map(|gone| gone.record));
    (draft, records)
}

/// A record as it was written before steps had products.
fn without_products(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(members) => {
            members.remove("products");
            members.values_mut().for_each(without_products);
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(without_products),
        _ => {}
    }
}

#[test]
fn edits_from_before_there_were_products_leave_them_alone() {
    let mut project = quiz();
    for step in project.steps.iter_mut().flatten() {
        step.products = Some(vec![product(1)]);
    }
    let mut draft = Draft::new("w", project);
    let begun = draft.begun();
    let step = by_name(&draft, "begin");
    let edited = draft.apply(&Edit::Describe { step, text: "Another".to_owned() }).unwrap().record.unwrap();
    let mut edited = serde_json::to_value(&edited).unwrap();
    without_products(&mut edited);
    let edited: Record = serde_json::from_value(edited).unwrap();
    let again = Draft::from_records([begun, edited]).unwrap();
    let content = again.content().step(step).unwrap();
    assert_eq!((content.description(), content.products().len()), ("Another", 1));
    let plan = format!("{:?}", again.plan());
    assert!(plan.contains("Another") && !plan.contains("products: Some"), "{plan}");
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[test]
fn other_files_and_later_versions_are_left_alone() {
    assert_eq!(read(b"cutaway-draft 3\nwhatever"), Err(JournalError::Newer(3)));
    assert_eq!(read(b"[settings]\nx = 1\n"), Err(JournalError::Foreign));
    assert_eq!(read(b"\xff\xfe\n"), Err(JournalError::Foreign));
    // One that a later version wrote may have lines that look like ours.
    let sum = hex(&Sha256::digest("cutaway-draft 3").as_slice()[..8]);
    let (ours, _) = whole(&six().1);
    let (_, ours) = ours.split_once('\n').unwrap();
    let later = format!("cutaway-draft 3 {sum} and more\n{ours}");
    assert_eq!(read(later.as_bytes()), Err(JournalError::Newer(3)));
}

#[test]
fn what_is_overwritten_in_its_records_leaves_a_journal_sound() {
    let (draft, records) = six();
    let (text, last) = whole(&records);
    let mut bytes = text.clone().into_bytes();
    // What an edit is called holds its text, too.
    let change = |json: &mut [u8]| {
        let mut found = false;
        while let Some(at) = json.windows(12).position(|bytes| bytes == b"leftleftleft") {
            json[at..at + 12].fill(b'x');
            found = true;
        }
        found
    };
    let changed = overwrite(&mut bytes, change);
    assert_eq!(changed.len(), 1, "one record says so");
    let journal = read(&bytes).unwrap();
    assert_eq!((journal.damage, journal.last, bytes.len()), (None, last, text.len()));
    let (after, step) = (journal.draft.unwrap(), |draft: &Draft| by_name(draft, "left"));
    assert_eq!(after.history().len(), draft.history().len());
    assert_eq!(after.content().step(step(&after)).unwrap().description(), "x".repeat(12));
    // A line that can't be read stays as it is, and so does all that does not hold it.
    let mut broken = text.replacen("leftleftleft", "leftleft1234", 1).into_bytes();
    let before = broken.clone();
    assert!(overwrite(&mut broken, |json| change(json) && !json.is_empty()).is_empty() && broken == before);
    assert!(overwrite(&mut bytes, |_| false).is_empty());
    assert!(overwrite(&mut Vec::new(), |_| true).is_empty() && overwrite(&mut b"1 2".to_vec(), |_| true).is_empty());
}

#[test]
fn a_file_without_a_record_is_told_from_one_that_was_only_claimed() {
    let torn = Some(Damage { is_torn: true, ..Damage::default() });
    let none = Journal { draft: None, records: 0, last: 0, version: VERSION, is_closed: true, damage: torn };
    for cut in ["", "cutaway-draft 1", "cutaway-dr", heading().trim_end(), &heading()] {
        assert_eq!(read(cut.as_bytes()), Ok(none.clone()), "{cut:?}");
    }
    let (claimed, _) = whole(&[Record::Claimed]);
    assert_eq!(read(claimed.as_bytes()), Ok(Journal { last: 1, damage: None, ..none }));
}

#[test]
fn what_version_1_wrote_is_read() {
    let (draft, records) = six();
    let journal = read(whole_of_version_1(&records).as_bytes()).unwrap();
    assert_eq!((journal.version, journal.records, journal.damage), (1, 6, None));
    assert_eq!(journal.draft, Some(draft));
}

/// What holds of every journal that one bit of was turned over.
fn one_bit_flipped(whole: &[u8], draft: &Draft, records: usize, version: u32) {
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut broken = whole.to_vec();
            broken[at] ^= 1 << bit;
            let what = || format!("byte {at}, bit {bit}: {:?}", String::from_utf8_lossy(&broken));
            let journal = read(&broken).unwrap_or_else(|error| panic!("{error}; {}", what()));
            let Some(damage) = journal.damage else { panic!("it went by unseen; {}", what()) };
            assert!(damage.missing <= 1, "{} missing; {}", damage.missing, what());
            assert_eq!(journal.records + damage.missing + damage.later(), records, "{}", what());
            if damage.missing == 0 {
                assert_eq!(journal.draft.as_ref(), Some(draft), "{}", what());
                continue;
            }
            // What can be read is taken; on what the service has where the beginning is what is missing.
            let rescued = match journal.draft {
                Some(draft) => damage.rescue(draft),
                None => damage.rescue_on("w", quiz()).unwrap(),
            };
            let differs = |rescued: &Draft| {
                let same = |name: &str| {
                    let step = by_name(draft, name);
                    rescued.content().step(step) == draft.content().step(step)
                };
                ["begin", "left", "right", "end"].into_iter().filter(|name| !same(name)).count()
            };
            // Version 1 did not note where an undoing began.
            let most = if version == 1 { 2 } else { 1 };
            assert!(differs(&rescued) <= most, "more is lost than what is missing; {}", what());
        }
    }
}

#[test]
fn every_bit_of_a_journal_may_flip() {
    let (draft, records) = six();
    let (text, _) = whole(&records);
    one_bit_flipped(text.as_bytes(), &draft, records.len(), VERSION);
}

#[test]
fn every_bit_of_a_journal_of_version_1_may_flip() {
    let (draft, records) = six();
    one_bit_flipped(whole_of_version_1(&records).as_bytes(), &draft, records.len(), 1);
}

#[test]
fn what_leads_to_a_step_that_is_missing_leads_nowhere() {
    let mut draft = quiz_draft();
    let mut records = vec![draft.begun()];
    let answer = draft.answer_at(by_name(&draft, "begin"), 2);
    let added = draft.apply(&Edit::AddStep { from: None }).unwrap();
    let (step, made) = (added.step.unwrap(), added.record.unwrap());
    let target = crate::draft::Target::Step(step);
    let wired = draft.apply(&Edit::Retarget { answer: answer.unwrap(), target }).unwrap().record.unwrap();
    records.extend([made, wired]);
    let (text, _) = whole(&records);
    let at = text.find(r#"{"edit""#).unwrap() + 20;
    let mut broken = text.into_bytes();
    broken[at] ^= 1;
    let journal = read(&broken).unwrap();
    let damage = journal.damage.unwrap();
    assert_eq!((damage.missing, damage.later(), damage.is_torn), (1, 1, false));
    let rescued = damage.rescue(journal.draft.unwrap());
    let (_, _, answer) = rescued.content().answer(answer.unwrap()).unwrap();
    assert!(matches!(&answer.target, crate::draft::Target::Unresolved(to) if to.starts_with("missing-step-")));
    assert_eq!(Draft::from_records(rescued.records()), Some(rescued));
}

#[test]
fn so_many_edits_can_be_undone_and_no_more() {
    let mut draft = quiz_draft();
    let mut records = vec![draft.begun()];
    let step = draft.refs()[0];
    for nth in 0..1_200 {
        let edit = draft.apply(&Edit::Describe { step, text: nth.to_string() }).unwrap();
        records.extend(edit.record);
    }
    assert_eq!((draft.history().len(), draft.at(), draft.forgotten()), (1_000, 1_200, 200));
    assert_eq!(draft.unsaved_edits(), 1_200);
    while let Some(gone) = draft.undo() {
        records.push(gone.record);
    }
    assert_eq!((draft.at(), draft.content().step(step).unwrap().description()), (200, "199"));
    let (text, _) = whole(&records);
    assert_eq!(read(text.as_bytes()).unwrap().draft.as_ref(), Some(&draft));
    assert_eq!(Draft::from_records(draft.records()), Some(draft));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn cut_anywhere_it_tells_everything_up_to_the_cut(project in projects(), throws in throws(10)) {
        let (bytes, marks) = written(project, &throws);
        for cut in 0..=bytes.len() {
            let journal = read(&bytes[..cut]).unwrap();
            // A line needs no line feed to be whole.
            let expected = marks.iter().rev().find(|(end, _)| end - 1 <= cut);
            prop_assert_eq!(journal.draft.as_ref(), expected.map(|(_, draft)| draft));
            let at_a_line = marks.iter().any(|(end, _)| *end == cut || end - 1 == cut);
            match journal.damage {
                None => prop_assert!(at_a_line, "what was cut off at {} went by unseen", cut),
                Some(damage) => {
                    prop_assert!(!at_a_line && damage.is_torn);
                    prop_assert_eq!((damage.missing, damage.later()), (0, 0));
                }
            }
        }
    }

    #[test]
    fn the_fewest_records_make_the_same_draft(project in projects(), throws in throws(40), back in 0_usize..12) {
        let mut draft = Draft::new("w", project).within("shop");
        for throw in &throws {
            drop(play(&mut draft, throw));
        }
        for _ in 0..back {
            draft.undo();
        }
        let records = draft.records();
        let made = Draft::from_records(records.clone());
        prop_assert_eq!(made.as_ref(), Some(&draft));
        let (text, _) = whole(&records);
        let journal = read(text.as_bytes()).unwrap();
        prop_assert_eq!((journal.draft, journal.damage), (Some(draft), None));
    }
}
