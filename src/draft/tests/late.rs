//! Creations that arrive late, sent again and refused then: however it goes, each is made once.

use std::collections::HashMap;
use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::json;

use super::generate::{by_name, quiz, quiz_draft};
use super::service::{Luck, Service};
use crate::domain::{Project, Reader};
use crate::draft::applying::PAUSES;
use crate::draft::{
    Applying, Call, Draft, Edit, Next, Outcome, Reading, Record, Request, Seen, SendOptions, Target, journal,
};

/// What becomes of a call on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Good,
    /// It is refused for a reason that says nothing of what was sent before it: a sign-in that is over.
    Refused,
    /// The same: too many requests.
    Busy,
    /// It never arrives, and nobody knows.
    Lost,
    /// It is done, and nobody knows.
    Silent,
    /// Nobody knows, and it arrives after so many readings and other calls.
    Late(usize),
}

/// A request that is on its way still.
struct Pending {
    after: usize,
    request: Request,
    options: SendOptions,
}

/// A service that heeds keys, or preconditions, or both.
struct Line {
    service: Service,
    keys: Option<HashMap<String, Outcome>>,
    /// Its state; none where it has no tags.
    version: Option<usize>,
    pending: Vec<Pending>,
}

impl Line {
    fn tag(&self) -> Option<String> {
        self.version.map(|version| format!("\"{version}\""))
    }

    fn take(&mut self, request: Request, options: &SendOptions) -> Outcome {
        let known = options.key.as_ref().and_then(|key| self.keys.as_ref()?.get(key));
        if let Some(known) = known {
            return known.clone();
        }
        if options.tag.is_some() && options.tag != self.tag() {
            return Outcome::Changed("412".to_owned());
        }
        let outcome = self.service.answer(request, Luck::Good);
        self.version = self.version.map(|version| version + 1);
        if let (Some(keys), Some(key)) = (&mut self.keys, &options.key) {
            keys.insert(key.clone(), outcome.clone());
        }
        outcome
    }

    /// Time passes: what is late arrives.
    fn pass(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            match pending.after {
                0 => _ = self.take(pending.request, &pending.options),
                after => self.pending.push(Pending { after: after - 1, ..pending }),
            }
        }
    }

    fn send(&mut self, request: Request, options: &SendOptions, fate: Fate) -> Outcome {
        self.pass();
        let unknown = || Outcome::Unknown("the line broke".to_owned());
        match fate {
            Fate::Good => self.take(request, options),
            Fate::Refused => Outcome::Refused("401".to_owned()),
            Fate::Busy => Outcome::Busy { why: "429".to_owned(), after: Duration::ZERO },
            Fate::Lost => unknown(),
            Fate::Silent => {
                self.take(request, options);
                unknown()
            }
            Fate::Late(after) => {
                self.pending.push(Pending { after, request, options: options.clone() });
                unknown()
            }
        }
    }

    fn read(&mut self) -> Reading {
        self.pass();
        Reading { tag: self.tag(), ..Reading::from(self.service.project.clone()) }
    }
}

/// Saves until nothing is left. Each time that a fate is taken the process may be killed after it: then only the journal
/// is left.
fn save(draft: &mut Draft, line: &mut Line, fates: &[(Fate, bool)], begun: Vec<Record>) {
    let mut records = begun;
    let (mut fates, mut applying) = (fates.iter(), Applying::new("0"));
    for turn in 1..2_000 {
        match applying.next(draft) {
            Next::Nothing => return,
            Next::ListProjects { .. } => unreachable!("the project is there"),
            Next::FindOutKeys => applying.know_keys(line.keys.is_some()),
            Next::ReadProject { .. } => {
                let (more, seen) = applying.read(draft, line.read());
                records.extend(more);
                match seen {
                    Seen::Same => {}
                    // A person waits for as long as it may take, and then says that it is to be sent again.
                    Seen::Unclear(strangers) if strangers.is_empty() && line.keys.is_none() => {
                        (0..20).for_each(|_| line.pass());
                        records.extend(draft.absent());
                    }
                    seen => panic!("nobody else is there: {seen:?}"),
                }
            }
            Next::Call(call, options) => {
                records.extend(applying.sending(draft, &call, &options));
                let (fate, killed) =
                    if call.creates() { fates.next().copied() } else { None }.unwrap_or((Fate::Good, false));
                let outcome = line.send(call.request(draft.project_id()).unwrap(), &options, fate);
                if killed {
                    let (text, _) = journal::whole(&records);
                    *draft = journal::read(text.as_bytes()).unwrap().draft.unwrap();
                    applying = Applying::new(format!("{turn}"));
                    continue;
                }
                match applying.answered(draft, &call, outcome) {
                    Ok(record) => records.extend(record),
                    Err(stopped) => records.extend(stopped.record.map(|record| *record)),
                }
            }
        }
    }
    panic!("it does not end: {:?}", applying.next(draft));
}

/// A draft of the quiz with new steps, and the records of it.
fn drafted(steps: usize) -> (Draft, Vec<Record>) {
    let mut draft = quiz_draft();
    let mut records = vec![draft.begun()];
    let end = by_name(&draft, "end");
    for nth in 0..steps {
        let made = draft.apply(&Edit::AddStep { from: None }).unwrap();
        let step = made.step.unwrap();
        records.extend(made.record);
        let text = format!("New {nth}");
        records.extend(draft.apply(&Edit::Overlay { step, text }).unwrap().record);
        let answer = Edit::AddAnswer { step, at: None, text: "On".to_owned(), target: Target::Step(end) };
        records.extend(draft.apply(&answer).unwrap().record);
    }
    (draft, records)
}

fn line(heeds_keys: bool, has_tags: bool) -> Line {
    let service = Service::of(quiz());
    Line { service, keys: heeds_keys.then(HashMap::new), version: has_tags.then_some(0), pending: Vec::new() }
}

fn fates() -> impl Strategy<Value = Vec<(Fate, bool)>> {
    let fate = prop_oneof![
        Just(Fate::Good),
        Just(Fate::Refused),
        Just(Fate::Busy),
        Just(Fate::Lost),
        Just(Fate::Silent),
        (0_usize..14).prop_map(Fate::Late),
        (0_usize..14).prop_map(Fate::Late),
    ];
    vec((fate, prop::bool::weighted(0.15)), 0..8)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_creation_is_made_once_however_late_it_arrives_and_whatever_refuses_it_when_it_is_sent_again(
        steps in 1_usize..4, fates in fates(), heeds_keys in any::<bool>(), has_tags in any::<bool>()
    ) {
        let mut line = line(heeds_keys, has_tags);
        let (mut draft, begun) = drafted(steps);
        save(&mut draft, &mut line, &fates, begun);
        for _ in 0..20 {
            line.pass();
        }
        prop_assert_eq!(line.service.created, steps);
    }
}

#[test]
fn a_creation_that_is_refused_when_it_is_sent_again_is_looked_for_under_its_key() {
    for refusal in [Fate::Refused, Fate::Busy] {
        // It arrives after it was looked for in vain, right after it was refused when it was sent again.
        let (mut draft, begun) = drafted(1);
        let mut line = line(true, false);
        save(&mut draft, &mut line, &[(Fate::Late(6), false), (refusal, false)], begun);
        assert_eq!(line.service.created, 1, "{refusal:?}");
    }
}

#[test]
fn what_the_service_finds_wrong_is_not_sent_for_ever() {
    let (mut draft, _) = drafted(1);
    let (mut applying, mut wrong) = (Applying::new("seed"), 0);
    let mut keys = Vec::new();
    for _ in 0..40 {
        match applying.next(&draft) {
            Next::FindOutKeys => applying.know_keys(true),
            Next::ReadProject { .. } => {
                let (_, seen) = applying.read(&mut draft, quiz());
                assert_eq!(seen, Seen::Same);
            }
            Next::Call(call, options) => {
                applying.sending(&mut draft, &call, &options);
                keys.push(options.key.unwrap());
                // First its answer is lost, then it is said to be wrong.
                let outcome = match keys.len() {
                    1 => Outcome::Unknown("the line broke".to_owned()),
                    _ => Outcome::Invalid("400".to_owned()),
                };
                wrong += usize::from(applying.answered(&mut draft, &call, outcome).is_err());
                if wrong == 2 {
                    break;
                }
            }
            other => panic!("{other:?}"),
        }
    }
    // The second time it is a new one, of what the draft says by then.
    assert_eq!((wrong, keys.len()), (2, 3));
    assert!(keys[0] == keys[1] && keys[1] != keys[2], "{keys:?}");
    assert!(!draft.is_unsettled());
}

#[test]
fn journals_without_the_newer_marks_are_read() {
    let old = r#"{"sent":{"sent":{"project":{"name":"New","before":[]}},"key":"k","absent":true}}"#;
    let record: Record = serde_json::from_str(old).unwrap();
    assert_eq!(serde_json::to_string(&record).unwrap(), old, "and written as before where they are not needed");
    let mut draft = Draft::new("w", Project { name: Some("New".to_owned()), ..Project::default() });
    draft.take(record);
    let mut applying = Applying::new("seed");
    let Next::ListProjects { .. } = applying.next(&draft) else { panic!("it is looked for right before") };
    assert_eq!(applying.listed(&mut draft, &[]).1, Seen::Same);
    let Next::Call(call, options) = applying.next(&draft) else { panic!("it is sent again") };
    assert!(matches!(*call, Call::CreateProject { .. }) && options.key.as_deref() == Some("k"));
}

/// A service that is not known to heed keys may finish what it was asked for whenever it likes.
#[test]
fn what_is_not_shown_is_sent_again_only_where_keys_are_heeded_or_a_person_says_so() {
    let lost = || Outcome::Unknown("the line broke".to_owned());
    for heeded in [true, false] {
        let (mut draft, _) = drafted(1);
        let (mut applying, mut sent, mut looks, mut waited) = (Applying::new("seed"), 0, 0, Duration::ZERO);
        let asked = loop {
            match applying.next(&draft) {
                Next::FindOutKeys => applying.know_keys(heeded),
                Next::ReadProject { after } => {
                    (looks, waited) = (looks + 1, waited + after);
                    match applying.read(&mut draft, quiz()).1 {
                        Seen::Same => {}
                        seen => break seen,
                    }
                }
                Next::Call(call, options) => {
                    sent += 1;
                    applying.sending(&mut draft, &call, &options);
                    if applying.answered(&mut draft, &call, lost()).is_err() {
                        break Seen::Same;
                    }
                }
                other => panic!("{other:?}"),
            }
        };
        if heeded {
            assert_eq!((asked, sent), (Seen::Same, 4));
            continue;
        }
        assert_eq!((asked, sent, looks), (Seen::Unclear(Vec::new()), 1, 1 + PAUSES.len()));
        assert!(waited > Duration::from_secs(7), "{waited:?}");
        assert_eq!(draft.unanswered().as_deref(), Some("create step new-1 (\"New 0\")"));
        draft.absent();
        let Next::ReadProject { .. } = applying.next(&draft) else { panic!("it is read right before") };
        assert_eq!(applying.read(&mut draft, quiz()).1, Seen::Same);
        assert!(matches!(applying.next(&draft), Next::Call(call, _) if call.creates()));
    }
}

fn new_project() -> Draft {
    Draft::new("w", Project { name: Some("New".to_owned()), ..Project::default() })
}

/// Creates a project with every response lost, on a service that has one more project, which may look different after so
/// many creations. What the list says in the end, and how often the project was created.
fn created_beside(draft: &mut Draft, applying: &mut Applying, other: impl Fn(usize) -> Project) -> (Seen, usize) {
    let mut sent = 0;
    loop {
        match applying.next(draft) {
            Next::FindOutKeys => applying.know_keys(false),
            Next::ListProjects { .. } => match applying.listed(draft, &[other(sent)]).1 {
                Seen::Same => {}
                seen => return (seen, sent),
            },
            Next::Call(call, options) => {
                sent += 1;
                applying.sending(draft, &call, &options);
                let lost = Outcome::Unknown("the line broke".to_owned());
                assert_eq!(applying.answered(draft, &call, lost), Ok(None));
            }
            next => panic!("{next:?}"),
        }
    }
}

/// The same of the project itself, which is in no reading of its own.
#[test]
fn a_project_is_looked_for_before_it_is_created_and_before_that_is_repeated() {
    let of = |id: &str, steps: f64| Project {
        id: id.into(),
        name: Some("New".to_owned()),
        steps_count: Some(crate::domain::Num(steps)),
        ..Project::default()
    };
    let (mut draft, mut applying) = (new_project(), Applying::new("seed"));
    let seen = created_beside(&mut draft, &mut applying, |_| of("other", 3.0));
    // The one that was there before is not taken for it.
    assert_eq!(seen, (Seen::Unclear(Vec::new()), 1));
    assert_eq!(draft.unanswered().as_deref(), Some("create project New"));
    // A person says that it is to be created; by then it is there.
    draft.absent();
    let Next::ListProjects { .. } = applying.next(&draft) else { panic!("it is looked for right before") };
    applying.listed(&mut draft, &[of("other", 3.0), of("late", 0.0)]);
    assert_eq!((draft.project_id().as_str(), draft.is_unsettled()), ("late", false));
}

/// Services may change white space and case, so such a name is taken for the new project's; not where it was there before.
#[test]
fn a_project_that_was_there_before_is_not_taken_for_the_new_one_whatever_its_name_looks_like() {
    for there in [Some("new"), Some(" NEW "), None] {
        let (mut draft, mut applying) = (new_project(), Applying::new("seed"));
        // A name that wasn't shown is from then on.
        let name = |sent: usize| there.or((sent > 0).then_some("New")).map(str::to_owned);
        let other = |sent: usize| Project { id: "other".into(), name: name(sent), ..Project::default() };
        let seen = created_beside(&mut draft, &mut applying, other);
        assert_eq!((seen, draft.project_id().as_str()), ((Seen::Unclear(Vec::new()), 1), ""), "{there:?}");
    }
}

/// A project without an order of its own begins with its oldest step: a new one gets its steps in their order, also the
/// ones that are planned after the project is there.
#[test]
fn the_first_step_of_a_new_project_is_created_first() {
    let step = |name: &str, next: Option<&str>| {
        let answers: Vec<_> = next.into_iter().map(|next| json!({ "text": "On", "next": next })).collect();
        json!({ "id": format!("id-{name}"), "name": name, "overlayText": name, "answers": answers })
    };
    let source = json!({ "id": "p", "name": "Old", "steps": [step("one", Some("two")), step("two", Some("three")), step("three", None)] });
    let (source, _): (Project, _) = Reader::read(&source);
    let (mut draft, _) = Draft::copy_of("w", source, None);
    let mut applying = Applying::new("seed");
    let mut created = Vec::new();
    loop {
        match applying.next(&draft) {
            Next::FindOutKeys => applying.know_keys(false),
            Next::ListProjects { .. } => _ = applying.listed(&mut draft, &[]),
            Next::ReadProject { .. } => {
                let now = draft.base().project();
                applying.read(&mut draft, now);
            }
            Next::Call(call, options) => {
                applying.sending(&mut draft, &call, &options);
                let outcome = match &*call {
                    Call::CreateProject { .. } => Outcome::CreatedProject("copy".into()),
                    Call::CreateStep(new) => {
                        created.extend(new.fields.overlay_text.clone());
                        let name = format!("new{}", created.len());
                        Outcome::CreatedStep(name.as_str().into(), name.as_str().into())
                    }
                    _ => Outcome::Done,
                };
                applying.answered(&mut draft, &call, outcome).expect("it fits");
                // What is planned next is planned by what the service has by now.
                draft = Draft::from_records(draft.records()).expect("the same draft");
            }
            Next::Nothing => break,
        }
    }
    assert_eq!(created, ["one", "two", "three"]);
}

/// Without a condition nothing is sent again before the service was read again.
#[test]
fn a_call_without_a_condition_is_made_again_only_for_what_the_service_says_by_then() {
    let mut draft = quiz_draft();
    let step = by_name(&draft, "begin");
    draft.apply(&Edit::Overlay { step, text: "Mine".to_owned() }).unwrap();
    let mut applying = Applying::new("seed");
    let busy = || Outcome::Busy { why: "503".to_owned(), after: Duration::from_secs(7) };
    applying.read(&mut draft, quiz());
    let Next::Call(call, options) = applying.next(&draft) else { panic!("it is read") };
    assert_eq!(options.tag, None);
    assert_eq!(applying.answered(&mut draft, &call, busy()), Ok(None));
    let Next::ReadProject { after } = applying.next(&draft) else { panic!("{:?}", applying.next(&draft)) };
    assert_eq!(after.as_secs(), 7, "as long as the service wants to be left alone");
    let mut theirs = quiz();
    theirs.steps.as_mut().unwrap()[0].overlay_text = Some("Theirs".to_owned());
    let (_, seen) = applying.read(&mut draft, theirs);
    assert!(matches!(seen, Seen::Changed(_)), "{seen:?}");

    // Where nobody changed anything it is made again, and not for ever.
    let mut applying = Applying::new("seed");
    let mut tries = 0;
    loop {
        applying.read(&mut draft, quiz());
        let Next::Call(call, _) = applying.next(&draft) else { panic!("{:?}", applying.next(&draft)) };
        tries += 1;
        if applying.answered(&mut draft, &call, busy()).is_err() {
            break;
        }
    }
    assert_eq!(tries, 5);
    // Under a condition the client has sent it again already: nothing is overwritten by that.
    let reading = Reading { tag: Some("\"t\"".to_owned()), ..Reading::from(quiz()) };
    applying.read(&mut draft, reading);
    let Next::Call(call, options) = applying.next(&draft) else { panic!("it is read") };
    assert_eq!(options.tag.as_deref(), Some("\"t\""));
    assert!(applying.answered(&mut draft, &call, busy()).is_err());
}
