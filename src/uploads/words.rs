//! How an upload stands, in words.

use super::bytes::bytes;
use super::destination::Placement;
use super::upload::{State, Upload};

/// How it stands, for its line in a list; `now_ms` is milliseconds since 1970.
#[must_use]
pub fn words(upload: &Upload, now_ms: i64) -> String {
    let size = bytes(upload.file.fingerprint.size);
    match &upload.state {
        State::Waiting => format!("{size}  waiting{}", bound_for(upload)),
        State::Sending { .. } => format!("{size}  sending"),
        State::Paused => format!("{size}  paused{}", bound_for(upload)),
        State::Retrying { why, again_ms } => match seconds_left(*again_ms, now_ms) {
            0 => format!("retrying: {why}"),
            left => format!("retrying in {left} s: {why}"),
        },
        State::Done { found: false, .. } => format!("{size}  done{}", bound_for(upload)),
        State::Done { found: true, .. } => {
            format!("{size}  done, though the response was lost{}", bound_for(upload))
        }
        State::Failed { why, fix, .. } => format!("{why}; {fix}"),
        State::Cancelled { .. } => format!("{size}  canceled"),
    }
}

/// Which step it is for, or what became of that, in words of its own; none where it is for none.
#[must_use]
pub fn aim(upload: &Upload) -> Option<String> {
    let words = bound_for(upload);
    let words = words.trim_start_matches([',', ';', ' ']);
    (!words.is_empty()).then(|| words.to_owned())
}

/// The same as the end of a line.
fn bound_for(upload: &Upload) -> String {
    let Some(destination) = &upload.destination else { return String::new() };
    let (step, project) = (&destination.label, &destination.project_name);
    match upload.placed {
        None if upload.is_owed() => format!(", for {step} of {project}: open the project to use it"),
        None => format!(", for {step} of {project}"),
        Some(Placement::Made) => format!(", now the video of {step} of {project}"),
        Some(Placement::Kept) => format!("; {step} of {project} kept the video it got meanwhile"),
        Some(Placement::Gone) => format!("; its step {step} of {project} is gone"),
        Some(Placement::Overtaken) => format!("; {step} of {project} has a file that was chosen later"),
        Some(Placement::Dropped) => String::new(),
    }
}

/// Whole seconds until a moment, both in milliseconds since 1970; none is left where it has come.
#[must_use]
pub fn seconds_left(until_ms: i64, now_ms: i64) -> i64 {
    until_ms.saturating_sub(now_ms).max(0) / 1000
}

/// In how many milliseconds [`words`] of a retry say something else; none where they count nothing down.
#[must_use]
pub fn next_count(upload: &Upload, now_ms: i64) -> Option<u64> {
    match upload.state {
        State::Retrying { again_ms, .. } if seconds_left(again_ms, now_ms) > 0 => {
            u64::try_from(again_ms.saturating_sub(now_ms) % 1000).ok().map(|ms| ms + 1)
        }
        _ => None,
    }
}

/// The same in the few words that a card has room for, what matters first; `sent` is bytes on their way.
#[must_use]
pub fn short_words(upload: &Upload, sent: u64) -> String {
    let name = &upload.file.name;
    match &upload.state {
        State::Sending { .. } => {
            let share = u128::from(sent) * 100 / u128::from(upload.file.fingerprint.size.max(1));
            format!("{}% {name}", share.min(100))
        }
        State::Retrying { .. } => format!("retrying: {name}"),
        State::Done { .. } => format!("uploaded: {name}"),
        other => format!("{}: {name}", other.word()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uploads::{Entry, FilePath, Fingerprint, Queue, UploadId, VideoFile};

    #[test]
    fn a_retry_is_counted_down_second_by_second() {
        let file = VideoFile {
            path: FilePath("/a.mp4".into()),
            name: "a.mp4".to_owned(),
            fingerprint: Fingerprint { size: 200, modified_ns: None, inode: None },
            content_type: "video/mp4".to_owned(),
            duration_ms: None,
            picture: None,
        };
        let id = UploadId(1);
        let mut queue = Queue::default();
        queue.apply(&Entry::Added { id, at_ms: 0, file: Box::new(file), destination: None });
        queue.apply(&Entry::Began { id, at_ms: 0, by: 1 });
        assert_eq!(short_words(queue.get(id).unwrap(), 55), "27% a.mp4");
        queue.apply(&Entry::Broke { id, why: "reset".into(), again_ms: 10_500 });
        let upload = queue.get(id).unwrap();
        let (mut now, mut said) = (7_250, Vec::new());
        while let Some(wait) = next_count(upload, now) {
            said.push(words(upload, now));
            assert_eq!(words(upload, now), words(upload, now + i64::try_from(wait).unwrap() - 1), "not before");
            now += i64::try_from(wait).unwrap();
        }
        let count = |left: &str| format!("retrying in {left} s: reset");
        assert_eq!(said, [count("3"), count("2"), count("1")]);
        assert_eq!(words(upload, now), "retrying: reset");
        assert_eq!(next_count(upload, now), None);
    }
}
