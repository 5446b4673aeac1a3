//! The queue, entry by entry.

use proptest::prelude::*;

use super::*;
use crate::uploads::{Destination, FilePath, Fingerprint, Placement, StepKey, VideoFile};

fn file(name: &str) -> Box<VideoFile> {
    Box::new(VideoFile {
        path: FilePath(format!("/clips/{name}").into()),
        name: name.to_owned(),
        fingerprint: Fingerprint { size: 100, modified_ns: Some(1), inode: None },
        content_type: "video/mp4".to_owned(),
        duration_ms: Some(1500),
        picture: Some((16, 9)),
    })
}

fn added(id: u64) -> Entry {
    Entry::Added { id: UploadId(id), at_ms: 1, file: file("a.mp4"), destination: None }
}

fn added_for(id: u64, label: &str) -> Entry {
    let destination = Destination {
        project: "p".into(),
        project_name: "Gift finder".to_owned(),
        step: StepKey::New("4".to_owned()),
        label: label.to_owned(),
        before: String::new(),
    };
    Entry::Added { id: UploadId(id), at_ms: 1, file: file("a.mp4"), destination: Some(Box::new(destination)) }
}

fn queue(entries: &[Entry]) -> Queue {
    let mut queue = Queue::default();
    for entry in entries {
        queue.apply(entry);
    }
    queue
}

fn order(queue: &Queue) -> Vec<u64> {
    queue.uploads().iter().map(|upload| upload.id.0).collect()
}

fn entries() -> impl Strategy<Value = Entry> {
    let id = || (1..6u64).prop_map(UploadId);
    prop_oneof![
        3 => (1..6u64).prop_map(added),
        2 => (1..6u64).prop_map(|id| added_for(id, "new-1")),
        1 => id().prop_map(|id| Entry::Placed { id, how: Placement::Made }),
        1 => id().prop_map(|id| Entry::Aimed { id, step: StepKey::Id("s".into()), label: "pHB58".into() }),
        2 => (id(), 0..9i64).prop_map(|(id, at_ms)| Entry::Began { id, at_ms, by: 7 }),
        1 => (id(), 0..9i64).prop_map(|(id, at_ms)| Entry::Leaving { id, at_ms, known: vec!["w".into()] }),
        1 => id().prop_map(|id| Entry::Unsent { id }),
        1 => id().prop_map(|id| Entry::Arrived { id, at_ms: 3, video: "v".into(), found: true }),
        1 => (id(), 0..99i64).prop_map(|(id, again_ms)| Entry::Broke { id, why: "line".into(), again_ms }),
        1 => id().prop_map(|id| Entry::Released { id }),
        1 => id().prop_map(|id| Entry::Failed { id, at_ms: 3, why: "413".into(), fix: "smaller".into() }),
        1 => id().prop_map(|id| Entry::Arrived { id, at_ms: 3, video: "v".into(), found: false }),
        1 => id().prop_map(|id| Entry::Paused { id }),
        1 => id().prop_map(|id| Entry::Resumed { id, file: None }),
        1 => id().prop_map(|id| Entry::Cancelled { id, at_ms: 4 }),
        1 => (id(), prop::option::of(id())).prop_map(|(id, before)| Entry::Moved { id, before }),
        1 => prop::collection::vec(id(), 0..3).prop_map(|ids| Entry::Cleared { ids }),
        1 => (0..20usize).prop_map(|count| Entry::AtOnce { count }),
        1 => prop::option::of("[a-c]").prop_map(|why| Entry::Halted { why }),
        1 => prop::option::of(1..9u64).prop_map(|per_second| Entry::Limited { per_second }),
    ]
}

proptest! {
    #[test]
    fn a_compacted_journal_comes_to_the_same_queue(entries in prop::collection::vec(entries(), 0..60)) {
        let before = queue(&entries);
        let mut after = Queue::default();
        for entry in before.compacted() {
            let text = serde_json::to_string(&entry).unwrap();
            after.apply(&serde_json::from_str(&text).unwrap());
        }
        prop_assert_eq!(before, after);
    }

    #[test]
    fn numbers_are_given_once_and_what_arrived_stays_arrived(entries in prop::collection::vec(entries(), 0..60)) {
        let mut queue = Queue::default();
        for entry in entries {
            let next = queue.next_id();
            let done: Vec<_> = queue.uploads().iter()
                .filter(|upload| matches!(upload.state, State::Done { .. })).cloned().collect();
            queue.apply(&entry);
            prop_assert!(queue.next_id() >= next);
            for upload in done {
                prop_assert!(queue.get(upload.id).is_none_or(|now| now.state == upload.state));
                prop_assert!(!upload.is_owed() || queue.get(upload.id).is_some());
            }
            let mut ids = order(&queue);
            ids.sort_unstable();
            ids.dedup();
            prop_assert_eq!(ids.len(), queue.uploads().len());
        }
    }
}

#[test]
fn an_upload_waits_is_sent_breaks_and_arrives() {
    let id = UploadId(1);
    let mut queue = queue(&[added(1), added(2)]);
    assert_eq!(queue.ready(0).map(|upload| upload.id.0).collect::<Vec<_>>(), [1, 2]);
    queue.apply(&Entry::Began { id, at_ms: 5, by: 9 });
    assert_eq!(queue.ready(0).count(), 1);
    queue.apply(&Entry::Broke { id, why: "line".into(), again_ms: 50 });
    assert_eq!((queue.ready(49).count(), queue.ready(50).count()), (1, 2));
    assert_eq!((queue.next_time(49), queue.next_time(50)), (Some(50), None));
    queue.apply(&Entry::Leaving { id, at_ms: 55, known: vec!["old".into()] });
    queue.apply(&Entry::Began { id, at_ms: 60, by: 9 });
    queue.apply(&Entry::Leaving { id, at_ms: 60, known: Vec::new() });
    assert_eq!(queue.get(id).map(|upload| (upload.begun_ms, &*upload.known)), Some((Some(55), &["old".into()][..])));
    queue.apply(&Entry::Arrived { id, at_ms: 70, video: "v".into(), found: false });
    assert_eq!(queue.get(id).unwrap().state.word(), "done");
    assert!(queue.is_claimed(&"v".into(), UploadId(2)) && !queue.is_claimed(&"v".into(), id));
}

#[test]
fn the_limit_of_all_is_shared_by_those_that_send() {
    let mut queue = queue(&[added(1), added(2), added(3), Entry::Limited { per_second: Some(3_000_000) }]);
    assert_eq!(queue.share_of_limit(0), Some(3_000_000));
    for (id, by) in [(1, 7), (2, 7), (3, 8)] {
        queue.apply(&Entry::Began { id: UploadId(id), at_ms: 5, by });
    }
    assert_eq!((queue.share_of_limit(2), queue.share_of_limit(1)), (Some(2_000_000), Some(1_000_000)));
    queue.apply(&Entry::Limited { per_second: None });
    assert_eq!(queue.share_of_limit(1), None);
}

#[test]
fn no_video_is_taken_for_two_uploads_not_even_once_one_is_off_the_list() {
    let (one, two) = (UploadId(1), UploadId(2));
    let found = |id, video: &str| Entry::Arrived { id, at_ms: 7, video: video.into(), found: true };
    let mut queue = queue(&[added(1), added(2)]);
    for id in [one, two] {
        queue.apply(&Entry::Began { id, at_ms: 5, by: 9 });
        queue.apply(&Entry::Leaving { id, at_ms: 5, known: Vec::new() });
    }
    queue.apply(&found(one, "v"));
    queue.apply(&found(two, "v"));
    assert_eq!(queue.get(two).unwrap().state, State::Waiting, "it is looked for again");
    queue.apply(&Entry::Cleared { ids: vec![one] });
    let mut queue = super::tests::queue(&queue.compacted());
    assert_eq!(queue.claimed(two).collect::<Vec<_>>(), ["v"]);
    queue.apply(&found(two, "v"));
    assert_eq!(queue.get(two).unwrap().state, State::Waiting);
    // Another file under the same name has not been sent before.
    assert_eq!(queue.get(two).unwrap().begun_ms, Some(5));
    let mut other = file("a.mp4");
    other.fingerprint.modified_ns = Some(2);
    queue.apply(&Entry::Resumed { id: two, file: Some(other) });
    assert_eq!(queue.get(two).unwrap().begun_ms, None);
}

#[test]
fn what_arrived_while_it_was_cancelled_has_arrived() {
    let id = UploadId(1);
    let queue = queue(&[
        added(1),
        Entry::Began { id, at_ms: 5, by: 9 },
        Entry::Cancelled { id, at_ms: 6 },
        Entry::Arrived { id, at_ms: 7, video: "v".into(), found: false },
    ]);
    assert_eq!(queue.get(id).unwrap().state.word(), "done");
}

#[test]
fn the_order_is_changed_and_only_what_ended_is_cleared() {
    let mut queue = queue(&[added(1), added(2), added(3)]);
    queue.apply(&Entry::Moved { id: UploadId(3), before: Some(UploadId(1)) });
    assert_eq!(order(&queue), [3, 1, 2]);
    queue.apply(&Entry::Moved { id: UploadId(3), before: None });
    queue.apply(&Entry::Moved { id: UploadId(9), before: None });
    assert_eq!(order(&queue), [1, 2, 3]);
    queue.apply(&Entry::Cancelled { id: UploadId(2), at_ms: 4 });
    queue.apply(&Entry::Cleared { ids: vec![UploadId(1), UploadId(2)] });
    assert_eq!(order(&queue), [1, 3]);
}

#[test]
fn what_is_owed_to_a_step_stays_on_the_list_until_that_is_settled_once() {
    let id = UploadId(1);
    let cleared = Entry::Cleared { ids: vec![id] };
    let mut queue = queue(&[added_for(1, "new-1"), Entry::Began { id, at_ms: 5, by: 9 }]);
    assert!(!queue.get(id).unwrap().is_owed(), "it has not arrived");
    queue.apply(&Entry::Aimed { id, step: StepKey::Id("s-4".into()), label: "pHB58".into() });
    queue.apply(&Entry::Arrived { id, at_ms: 7, video: "v".into(), found: false });
    queue.apply(&cleared);
    let owed = queue.get(id).unwrap();
    assert_eq!(owed.waits_for().unwrap().step, StepKey::Id("s-4".into()));
    assert!(owed.is_owed());
    queue.apply(&Entry::Placed { id, how: Placement::Made });
    queue.apply(&Entry::Placed { id, how: Placement::Gone });
    assert_eq!(queue.get(id).unwrap().placed, Some(Placement::Made));
    queue.apply(&cleared);
    assert_eq!(queue.uploads(), []);
}
