//! What is kept of viewers' events, counted and imported.

use std::fs;

use serde_json::json;

use super::*;
use crate::domain::funnel::kind;

fn kept(folder: &Path) -> KeptVisits {
    KeptVisits::of(folder, &Url::parse("https://service.example/").unwrap())
}

fn payload(session: &str, events: usize) -> Value {
    let event = |at: usize| json!({ "eventName": "step_shown", "stepName": format!("s{at}"), "timestamp": 1_767_225_600_000_u64 + at as u64 });
    let events: Vec<Value> = (0..events).map(event).collect();
    json!({ "sessionId": session, "projectId": "p", "timestamp": "2026-01-01T00:00:00Z", "events": events })
}

fn visits(kept: &mut KeptVisits, project: &str) -> (i64, NotCounted) {
    let (read, not) = kept.read(project, [None, None]).unwrap();
    (read.days.iter().map(|(_, visits, _)| visits).sum(), not)
}

#[test]
fn what_comes_again_is_written_once_and_what_is_odd_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let taken = kept(folder.path()).keep([payload("a", 1), payload("a", 1), payload("a", 2), json!(7)]).unwrap();
    assert_eq!(
        taken,
        Taken { kept: 2, known: 1, unread: 1, first_unread: Some((4, "it is no JSON object")), ..Taken::default() }
    );
    // Also by another process.
    let mut other = kept(folder.path());
    assert_eq!(
        other.keep([payload("a", 2), payload("b", 1)]).unwrap(),
        Taken { kept: 1, known: 1, unread: 0, ..Taken::default() }
    );
    assert_eq!(visits(&mut other, "p"), (2, NotCounted::default()));
    assert_eq!(visits(&mut other, "q"), (0, NotCounted { elsewhere: 2, unread: 0 }));
}

#[test]
fn what_names_a_viewer_is_left_out_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let event = |session: &str, text: &str| {
        json!({
            "sessionId": session, "projectId": "p", "timestamp": 1, "collectedInfo": { "name": "Ed" },
            "events": [{ "eventName": "answer_selected", "text": text }],
        })
    };
    let lines = [event("a", "For Ed"), event("b", "Redder"), event("c", "Ed"), event("c", "Ed")];
    let text = lines.map(|line| line.to_string()).join("\n");
    let taken = kept(folder.path()).import(io::Cursor::new(text)).unwrap();
    assert_eq!(taken, Taken { kept: 3, known: 1, left: LeftOut { withheld: 3, events: 0 }, ..Taken::default() });
}

#[test]
fn a_large_event_and_many_of_one_visit_are_taken_in() {
    let folder = tempfile::tempdir().unwrap();
    let large = payload("large", 20_000).to_string();
    assert!(large.len() > 1_000_000);
    let one = payload("one", 3).to_string();
    let text = format!("{large}\n{}not json\n{{}}\n", format!("{one}\n").repeat(50_000));
    let mut kept = kept(folder.path());
    let taken = kept.import(io::Cursor::new(text)).unwrap();
    assert_eq!(
        taken,
        Taken { kept: 2, known: 49_999, unread: 2, first_unread: Some((50_002, "it is no JSON")), ..Taken::default() }
    );
    assert!(fs::metadata(&kept.file).unwrap().len() < 4_000_000);
    assert_eq!(visits(&mut kept, "p").0, 2);
    let (read, _) = kept.read("p", [None, None]).unwrap();
    assert_eq!(read.sums.keys().filter(|(_, of, _)| of == kind::SEEN).count(), 20_000);
}

/// A part that ends in the middle of a batch, and then a pipe on which nothing more comes.
struct Stalls {
    line: io::Cursor<Vec<u8>>,
    pipe: io::PipeReader,
}

impl io::Read for Stalls {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self.line.read(into)? {
            0 => self.pipe.read(into),
            read => Ok(read),
        }
    }
}

#[test]
fn an_import_that_cannot_be_written_waits_for_nothing_more() {
    let folder = tempfile::tempdir().unwrap();
    // Where the file is to be there is a folder.
    let mut kept = kept(folder.path());
    fs::create_dir_all(&kept.file).unwrap();
    // As much as is counted at once, so that it is taken while the pipe is open.
    let mut line = payload("a", 1).to_string().into_bytes();
    line.resize(usize::try_from(AT_ONCE).unwrap(), b' ');
    line.push(b'\n');
    let (pipe, writer) = io::pipe().unwrap();
    let stalls = Stalls { line: io::Cursor::new(line), pipe };
    assert!(kept.import(io::BufReader::new(stalls)).is_err());
    drop(writer);
}

/// Lines, and then a reader that panics.
struct Breaks(io::Cursor<Vec<u8>>);

impl io::Read for Breaks {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self.0.read(into)? {
            0 => panic!("the reader breaks"),
            read => Ok(read),
        }
    }
}

#[test]
fn an_import_whose_reader_breaks_is_no_success_and_keeps_what_was_read() {
    let folder = tempfile::tempdir().unwrap();
    let mut kept = kept(folder.path());
    // Two lines are a part of their own; the third one breaks.
    let mut lines = Vec::new();
    for session in ["a", "b", "c"] {
        let mut line = payload(session, 1).to_string().into_bytes();
        line.resize(usize::try_from(AT_ONCE / 2).unwrap() - 1, b' ');
        line.push(b'\n');
        lines.extend(line);
    }
    lines.pop();
    let error = kept.import(io::BufReader::new(Breaks(io::Cursor::new(lines)))).unwrap_err();
    assert_eq!(error.to_string(), "the events were read only in part; import them again");
    assert_eq!(visits(&mut kept, "p").0, 2);
}

/// What an earlier version wrote has no numbers beside it, a line may be torn, and numbers may be lost: the file of the
/// events is what counts.
#[test]
fn numbers_follow_from_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut first = kept(folder.path());
    first.keep([payload("a", 1), payload("b", 2)]).unwrap();
    let numbers = first.file.with_extension("sqlite3");
    let (expected, _) = first.read("p", [None, None]).unwrap();
    let file = first.file.clone();
    drop(first);
    for left in ["", "this is no database, but long enough to be taken for one"] {
        fs::write(&numbers, left).unwrap();
        let mut again = kept(folder.path());
        assert_eq!(again.read("p", [None, None]).unwrap().0, expected);
    }
    // Another process adds a line, and is stopped in the middle of the next one.
    let line = fs::read_to_string(&file).unwrap().lines().next().unwrap().replace("\"a\"", "\"c\"");
    append(&file, &format!("{line}\n{{\"sess")).unwrap();
    let mut again = kept(folder.path());
    assert_eq!(visits(&mut again, "p"), (3, NotCounted::default()));
    assert_eq!(
        again.keep([payload("d", 1), payload("c", 1)]).unwrap(),
        Taken { kept: 1, known: 1, unread: 0, ..Taken::default() }
    );
    assert_eq!(visits(&mut again, "p"), (4, NotCounted { elsewhere: 0, unread: 1 }));
    // Somebody removes all but the first line.
    fs::write(&file, format!("{line}\n")).unwrap();
    assert_eq!(visits(&mut again, "p"), (1, NotCounted::default()));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(fs::metadata(&numbers).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
