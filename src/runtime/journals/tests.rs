use std::fs;

use super::*;
use crate::domain::Project;
use crate::draft::{Draft, Edit};
use crate::studio::event::Waiting;

fn draft() -> Draft {
    Draft::new("local", Project { id: "p".into(), name: Some("One".into()), ..Project::default() })
}

/// A folder with the journal of a draft of some edits, its path, and the draft.
fn kept(edits: usize) -> (tempfile::TempDir, PathBuf, Draft) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("drafts").join(file_name("local", &"p".into()));
    let mut draft = draft();
    let mut held = Held { path: path.clone(), opened: None, records: 0, owed: vec![draft.begun()], is_noted: false };
    for nth in 0..edits {
        let edit = if nth % 2 == 0 {
            Edit::Name { name: format!("Name {nth}") }
        } else {
            Edit::Emails { emails: vec![format!("{nth}@example.com")] }
        };
        held.owed.extend(draft.apply(&edit).unwrap().record);
        held.keep().unwrap();
    }
    assert_eq!(held.records, u64::try_from(edits).unwrap() + 1);
    (folder, path, draft)
}

/// Everything that lies beside a journal, by name.
fn beside(path: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(path.parent().unwrap()).unwrap().map(Result::unwrap);
    let mut files: Vec<_> =
        entries.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect();
    files.sort();
    files
}

#[test]
fn what_was_kept_is_found_and_held() {
    let (folder, path, draft) = kept(1);
    let whole = fs::read(&path).unwrap();
    let (found, opened) = file::find(&path);
    assert!(matches!(found, Found::Draft { draft: found, records: 2, .. } if *found == draft));
    assert_eq!(file::find(&path).0, Found::Taken, "one studio at a time");
    let said = file::create(&path, &[]).map(|_| ()).unwrap_err();
    assert!(said.contains("another window started"), "{said}");
    drop(opened);
    assert_eq!(fs::read(&path).unwrap(), whole, "looking at it changes nothing");
    let (list, unreadable) = waiting::Known::default().waiting(path.parent().unwrap(), "local");
    assert_eq!(list, [Waiting { project: "p".into(), name: "Name 0".into(), edits: 1, profile: None }]);
    assert_eq!(waiting::Known::default().waiting(path.parent().unwrap(), "elsewhere"), (vec![], unreadable));
    fs::write(&path, "cutaway-draft 99\n").unwrap();
    assert!(matches!(file::find(&path).0, Found::Unusable(why) if why.contains("newer")));
    assert_eq!(fs::read(&path).unwrap(), b"cutaway-draft 99\n", "and left as it is");
    drop(folder);
}

/// Finds a journal of these bytes: the original is still there, byte for byte, unless nothing is wrong with it.
fn found_of(path: &Path, bytes: &[u8], what: &str) -> Found {
    let folder = path.parent().unwrap();
    fs::remove_dir_all(folder).unwrap();
    fs::create_dir(folder).unwrap();
    fs::write(path, bytes).unwrap();
    let (found, opened) = file::find(path);
    let files = beside(path);
    match &found {
        Found::Damaged(damaged) => {
            let kept = files.iter().find(|(name, _)| name.ends_with(".draft.broken-1"));
            assert_eq!(kept.map(|(_, kept)| kept.as_slice()), Some(bytes), "{what}");
            assert!(damaged.kept.ends_with(".draft.broken-1"));
            // What could be read is a journal again that nothing is wrong with, and is written on.
            drop(opened);
            match (&damaged.draft, file::find(path).0) {
                (Some(draft), Found::Draft { draft: again, .. }) => assert_eq!(*again, **draft, "{what}"),
                (None, Found::Nothing) => {}
                (draft, again) => panic!("{what}: {draft:?}, then {again:?}"),
            }
        }
        Found::Draft { .. } => {
            let after = fs::read(path).unwrap();
            assert!(after.starts_with(bytes) && files.len() == 1, "{what}");
        }
        other => panic!("{what}: {other:?}"),
    }
    found
}

#[test]
fn a_journal_cut_at_every_byte_is_never_lost_silently() {
    let (_folder, path, _) = kept(3);
    let whole = fs::read(&path).unwrap();
    let (mut torn, mut at_a_line) = (0, 0);
    for cut in 0..whole.len() {
        match found_of(&path, &whole[..cut], &format!("cut at {cut}")) {
            Found::Damaged(damaged) => {
                assert!(damaged.damage.is_torn && damaged.damage.missing == 0);
                torn += 1;
            }
            _ => at_a_line += 1,
        }
    }
    println!("{} cuts: {torn} torn, {at_a_line} behind a whole line", whole.len());
    // Before and behind the line feeds of five lines; the whole one is not among them.
    assert_eq!(at_a_line, 9);
}

#[test]
fn a_journal_with_every_byte_flipped_is_never_lost_silently() {
    let (_folder, path, draft) = kept(3);
    let whole = fs::read(&path).unwrap();
    let mut missing = 0;
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        let what = format!("byte {at} flipped");
        let Found::Damaged(damaged) = found_of(&path, &bytes, &what) else { panic!("{what} went by unseen") };
        let damage = &damaged.damage;
        assert!(!damage.is_torn && damage.missing <= 1, "{what}: {damage:?}");
        let whole = damaged.draft.expect("the beginning is there twice");
        if damage.missing == 0 {
            assert_eq!(*whole, draft, "{what}");
        } else {
            missing += 1;
            // All edits but the one that can't be read are there.
            assert_eq!(damage.rescue(*whole).history().len(), 2, "{what}");
        }
    }
    println!("{} flips: {missing} of them cost an edit, the others nothing", whole.len());
}

#[test]
fn what_is_damaged_twice_is_kept_twice() {
    let (_folder, path, _) = kept(2);
    for round in 1..=2 {
        let mut bytes = fs::read(&path).unwrap();
        let last = bytes.len() - 3;
        bytes[last] ^= 4;
        fs::write(&path, &bytes).unwrap();
        assert!(matches!(file::find(&path).0, Found::Damaged(_)));
        let kept = format!("{}.broken-{round}", path.display());
        assert_eq!(fs::read(kept).unwrap(), bytes);
    }
    let (list, unreadable) = waiting::Known::default().waiting(path.parent().unwrap(), "local");
    assert_eq!((list.len(), unreadable.len()), (0, 0), "what was kept aside is no draft");
}

#[test]
fn what_is_damaged_in_the_same_way_again_is_kept_once() {
    let (_folder, path, _) = kept(2);
    let mut bytes = fs::read(&path).unwrap();
    let last = bytes.len() - 3;
    bytes[last] ^= 4;
    for _ in 0..20 {
        fs::write(&path, &bytes).unwrap();
        let (Found::Damaged(damaged), opened) = file::find(&path) else { panic!("it is damaged") };
        assert!(damaged.kept.ends_with(".draft.broken-1"), "{}", damaged.kept);
        drop(opened);
    }
    assert_eq!(fs::read(format!("{}.broken-1", path.display())).unwrap(), bytes, "and what is kept stays as it was");
    assert_eq!(file::kept_aside(path.parent().unwrap()), (1, bytes.len() as u64));
}

#[test]
fn what_was_kept_aside_goes_after_30_days_and_beyond_the_newest_five() {
    let (_folder, path, _) = kept(2);
    let folder = path.parent().unwrap();
    let names = || beside(&path).into_iter().map(|(name, _)| name).filter(|name| name.contains(".broken-")).count();
    for round in 0..8_u8 {
        let mut bytes = fs::read(&path).unwrap();
        let last = bytes.len() - 3;
        bytes[last] ^= round + 1;
        fs::write(&path, &bytes).unwrap();
        let (Found::Damaged(damaged), opened) = file::find(&path) else { panic!("it is damaged") };
        assert_eq!(fs::read(&damaged.kept).unwrap(), bytes, "the newest is there");
        drop(opened);
        assert!(names() <= 6, "{}", names());
    }
    // Those of another project count by themselves, and what only looks alike is left alone.
    let other = folder.join(file_name("local", &"q".into()));
    fs::write(format!("{}.broken-1", other.display()), "other").unwrap();
    fs::write(folder.join("notes.broken-1"), "mine").unwrap();
    let now = std::time::SystemTime::now();
    let days = |days: u64| now + std::time::Duration::from_secs(days * 24 * 60 * 60);
    file::remove_old(folder, days(29), None);
    assert_eq!(names(), 7, "five of the one, one of the other, and the notes");
    file::remove_old(folder, days(31), None);
    assert_eq!(names(), 1);
    assert!(path.exists() && folder.join("notes.broken-1").exists());
}

#[test]
fn one_of_version_1_is_rewritten() {
    let (_folder, path, draft) = kept(2);
    let old = journal::whole_of_version_1(&draft.records());
    fs::write(&path, &old).unwrap();
    let (found, opened) = file::find(&path);
    assert!(matches!(found, Found::Draft { draft: found, .. } if *found == draft));
    drop(opened);
    assert!(fs::read_to_string(&path).unwrap().starts_with("cutaway-draft 2 "));
    assert!(matches!(file::find(&path).0, Found::Draft { draft: found, .. } if *found == draft));
}

#[test]
fn a_journal_that_grows_is_rewritten_and_stays_as_it_was() {
    let (_folder, path, mut draft) = kept(1);
    let (found, opened) = file::find(&path);
    let mut held = Held::of(path.clone(), &found, opened);
    let mut longest = 0;
    for nth in 0..400 {
        let text = format!("{nth} {}", "typed ".repeat(400));
        held.owed.push(draft.look(serde_json::json!({ "typed": text })));
        held.keep().unwrap();
        longest = longest.max(fs::metadata(&path).unwrap().len());
    }
    assert!(longest < 2 * COMPACT_FROM, "{longest} bytes");
    assert_eq!(held.records, 402, "what was handed over counts, whatever became of it");
    assert_eq!(file::find(&path).0, Found::Taken, "the new one is held too");
    drop(held);
    assert!(matches!(file::find(&path).0, Found::Draft { draft: found, .. } if *found == draft));
    assert_eq!(beside(&path).len(), 1, "nothing is left beside it");
}

#[test]
fn what_was_being_written_when_everything_ended_goes() {
    let (_folder, path, _) = kept(1);
    fs::write(path.with_file_name(".half.draft-new"), "cut").unwrap();
    let held = fs::File::create(path.with_file_name(".other.draft-new")).unwrap();
    held.lock().unwrap();
    file::remove_unfinished(path.parent().unwrap());
    let names: Vec<String> = beside(&path).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    assert!(names.contains(&".other.draft-new".to_owned()), "another studio is writing it");
}

#[test]
fn drafts_are_found_by_their_heads_and_read_again_only_when_they_changed() {
    let (folder, path, _) = kept(40);
    let drafts = path.parent().unwrap();
    let all = usize::try_from(fs::metadata(&path).unwrap().len()).unwrap();
    let mut known = waiting::Known::default();
    assert_eq!(known.waiting(drafts, "elsewhere").0, []);
    let head = known.read;
    assert!(head * 4 < all, "{head} of {all} bytes tell that the draft is another workspace's");
    let found = known.waiting(drafts, "local").0;
    assert_eq!(found.len(), 1);
    assert_eq!(known.read, head + all, "what waits is known only from all of it");
    assert_eq!(known.waiting(drafts, "local").0, found);
    assert_eq!(known.read, head + all, "what is as it was is not read again");
    fs::write(drafts.join("unfinished.txt"), "x").unwrap();
    let (later, _, _) = kept(41);
    fs::copy(later.path().join("drafts").join(path.file_name().unwrap()), &path).unwrap();
    assert_eq!(known.waiting(drafts, "local").0[0].edits, 41);
    drop(folder);
}

#[test]
fn a_journal_that_is_held_goes_to_whoever_asks_once_it_is_let_go_of() {
    let (_folder, path, draft) = kept(3);
    let (_, opened) = file::find(&path);
    assert!(!handing::take_note(&path), "nobody asks");
    let (asking, over) = (path.clone(), tokio_util::sync::CancellationToken::new());
    let waiting = std::thread::spawn(move || handing::take_over(&asking, &over).0);
    while !handing::take_note(&path) {
        assert!(!waiting.is_finished(), "it is held, and nothing asks for it");
        std::thread::yield_now();
    }
    assert!(!waiting.is_finished(), "it is held");
    assert!(handing::still_waits(&path), "and waits for it");
    drop(opened);
    assert!(matches!(waiting.join().unwrap(), Found::Draft { draft: found, .. } if *found == draft));
    assert_eq!(beside(&path).len(), 1, "no request is left");
}

#[test]
fn a_request_of_a_studio_that_is_gone_is_none() {
    let (_folder, path, _) = kept(1);
    let mut name = path.file_name().unwrap().to_owned();
    name.push(".wanted");
    let request = path.with_file_name(name);
    assert_eq!(handing::wanted(&request).as_deref(), Some(path.as_path()));
    assert_eq!(handing::wanted(&path), None);
    fs::write(&request, "").unwrap();
    assert!(!handing::take_note(&path));
    assert!(!request.exists());
    // And it does not hinder the next one.
    fs::write(&request, "").unwrap();
    let over = tokio_util::sync::CancellationToken::new();
    assert!(matches!(handing::take_over(&path, &over).0, Found::Draft { .. }));
    assert_eq!(beside(&path).len(), 1);
}

#[test]
fn a_journal_is_taken_from_a_studio_that_does_not_answer_and_what_that_writes_is_not_called_kept() {
    let (_folder, path, mut draft) = kept(3);
    let (found, opened) = file::find(&path);
    let mut held = Held::of(path.clone(), &found, opened);
    held.owed.extend(draft.apply(&Edit::Name { name: "Last".into() }).unwrap().record);
    held.keep().unwrap();
    let over = tokio_util::sync::CancellationToken::new();
    let (found, taken) = handing::take_over(&path, &over);
    let Found::Draft { draft: found, records, .. } = found else { panic!("{found:?}") };
    assert_eq!(*found, draft, "with everything that was called kept");
    let mut theirs = Held::of(
        path.clone(),
        &Found::Draft { draft: found, written: crate::studio::event::Moment(0), records },
        taken,
    );
    let late = draft.clone().apply(&Edit::Name { name: "Late".into() }).unwrap().record;
    held.owed.extend(late);
    assert!(matches!(held.keep(), Err(Unkept::Seized)));
    theirs.owed.extend(draft.apply(&Edit::Name { name: "Theirs".into() }).unwrap().record);
    assert_eq!(theirs.keep().unwrap(), records + 1);
    // Nor does what it removes or writes again touch the other one's.
    assert!(held.opened.as_mut().unwrap().compacted(&path).is_none());
    held.remove();
    assert!(path.exists());
    drop((held, theirs));
    assert!(matches!(file::find(&path).0, Found::Draft { draft: found, .. } if *found == draft));
}

#[test]
fn a_journal_that_was_removed_is_put_back_with_everything() {
    let (_folder, path, mut draft) = kept(3);
    let (found, opened) = file::find(&path);
    let mut held = Held::of(path.clone(), &found, opened);
    fs::remove_file(&path).unwrap();
    held.owed.extend(draft.apply(&Edit::Name { name: "Last".into() }).unwrap().record);
    held.keep().unwrap();
    assert_eq!(file::find(&path).0, Found::Taken, "and held");
    drop(held);
    assert!(matches!(file::find(&path).0, Found::Draft { draft: found, .. } if *found == draft));
}

#[test]
fn whoever_asks_and_gives_up_is_given_nothing() {
    let (_folder, path, _) = kept(1);
    let (_, opened) = file::find(&path);
    let (asking, over) = (path.clone(), CancellationToken::new());
    let end = over.clone();
    let waiting = std::thread::spawn(move || handing::take_over(&asking, &over).0);
    while !handing::take_note(&path) {
        assert!(!waiting.is_finished(), "nothing asks for it");
        std::thread::yield_now();
    }
    end.cancel();
    assert_eq!(waiting.join().unwrap(), Found::Taken);
    assert!(!handing::still_waits(&path));
    assert_eq!(beside(&path).len(), 1, "no request is left");
    drop(opened);
}

#[tokio::test]
async fn a_take_over_that_ends_after_the_project_was_left_holds_nothing() {
    let (folder, path, _) = kept(1);
    let (events, mut told) = unbounded_channel();
    let (house, tasks) = (Arc::new(House::default()), Tasks::new(events.clone()));
    let wishes = start(folder.path().join("drafts"), None, &house, &tasks, events);
    let (found, opened) = file::find(&path);
    assert!(matches!(found, Found::Draft { .. }));
    let project = ProjectId::from("p");
    wishes.send(Wish::TakeOver("local".to_owned(), project.clone())).unwrap();
    wishes.send(Wish::Leave(project.clone())).unwrap();
    drop(opened);
    // What was on its way to it comes after it was left.
    let over = CancellationToken::new();
    over.cancel();
    wishes.send(Wish::TakenOver(project.clone(), TakenOver { path: path.clone(), found, opened: None, over })).unwrap();
    wishes.send(Wish::Claim(project)).unwrap();
    wishes.send(Wish::List("local".to_owned())).unwrap();
    assert!(matches!(told.recv().await, Some(Event::DraftsFound(_))), "nothing else was told");
}
