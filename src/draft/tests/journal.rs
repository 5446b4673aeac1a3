use proptest::prelude::*;
use serde_json::json;

use super::generate::{play, projects, quiz_draft, throws};
use crate::draft::journal::{Journal, JournalError, heading, line, read};
use crate::draft::{Draft, Edit, Record};

/// The journal of a draft, and the draft after each of its records.
fn written(project: crate::domain::Project, throws: &[super::generate::Throw]) -> (Vec<u8>, Vec<(usize, Draft)>) {
    let mut draft = Draft::new("w", project);
    let mut bytes = heading().into_bytes();
    let mut marks = Vec::new();
    let mut write = |record: &Record, draft: &Draft| {
        bytes.extend(line(record).into_bytes());
        marks.push((bytes.len(), draft.clone()));
    };
    write(&draft.begun(), &draft);
    for (nth, throw) in throws.iter().enumerate() {
        for record in play(&mut draft, throw) {
            write(&record, &draft);
        }
        if nth % 5 == 4 {
            let record = draft.look(json!({ "cursor": nth }));
            write(&record, &draft);
        }
    }
    (bytes, marks)
}

#[test]
fn other_files_and_later_versions_are_left_alone() {
    assert_eq!(read(b"cutaway-draft 2\nwhatever"), Err(JournalError::Newer(2)));
    assert_eq!(read(b"[settings]\nx = 1\n"), Err(JournalError::Foreign));
    assert_eq!(read(b"\xff\xfe\n"), Err(JournalError::Foreign));
    assert_eq!(read(b""), Ok(Journal { draft: None, records: 0, sound: 0 }));
    assert_eq!(read(b"cutaway-draft 1"), Ok(Journal { draft: None, records: 0, sound: 0 }));
    let heading = heading();
    assert_eq!(read(heading.as_bytes()), Ok(Journal { draft: None, records: 0, sound: heading.len() }));
}

#[test]
fn a_bit_that_flipped_ends_it() {
    let mut draft = quiz_draft();
    let (begun, before) = (line(&draft.begun()), draft.clone());
    let step = draft.refs()[0];
    let edit = draft.apply(&Edit::Describe { step, text: "x".to_owned() }).unwrap();
    let whole = format!("{}{begun}{}", heading(), line(&edit.record.unwrap())).into_bytes();
    assert_eq!(read(&whole).unwrap().draft, Some(draft));
    let mut broken = whole.clone();
    let last = broken.len() - 3;
    broken[last] ^= 1;
    let journal = read(&broken).unwrap();
    assert_eq!((journal.draft, journal.sound), (Some(before), heading().len() + begun.len()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn cut_anywhere_it_tells_everything_up_to_the_cut(project in projects(), throws in throws(10)) {
        let (bytes, marks) = written(project, &throws);
        for cut in 0..=bytes.len() {
            let journal = read(&bytes[..cut]).unwrap();
            let expected = marks.iter().rev().find(|(end, _)| *end <= cut);
            prop_assert_eq!(journal.draft.as_ref(), expected.map(|(_, draft)| draft));
            prop_assert!(journal.sound <= cut && expected.is_none_or(|(end, _)| journal.sound == *end));
        }
    }
}
