//! All that is known of one upload: in the detail where there is room beside the list, else on a page of its own.

use super::answer::Turn;
use super::{Videos, playing_time};
use crate::domain::text;
use crate::studio::ground::Moment;
use crate::studio::screens::turn::Outcome;
use crate::studio::widgets::time::ago;
use crate::studio::widgets::{Page, Role};
use crate::uploads::{Course, State, Upload, aim, bytes, rate, seconds_left};

impl Videos {
    /// Shows all that is known of the selected upload.
    pub(super) fn show_upload(&self, now: Moment, turn: &mut Turn) {
        let Some(upload) = self.current_upload() else { return };
        let lines = upload_lines(upload, self.overview.course(upload), now);
        let page = Page::new(text::line(&upload.file.name), lines, "‹app.copy› copies its path  Esc closes");
        let page = page.with_copy(upload.file.path.0.to_string_lossy().into_owned());
        turn.outcomes.push(Outcome::Show(Box::new(page)));
    }
}

/// What is known of an upload, how it stands first; its texts are harmless.
pub(super) fn upload_lines(upload: &Upload, course: Course, now: Moment) -> Vec<(Role, String)> {
    let file = &upload.file;
    let size = file.fingerprint.size;
    let mut facts: Vec<String> = file.duration_ms.map(playing_time).into_iter().collect();
    facts.extend(file.picture.map(|(across, down)| format!("{across}×{down}")));
    facts.push(bytes(size));
    let mut lines = vec![(Role::Text, facts.join(" · "))];
    let mut field = |label: &str, role: Role, value: &str| {
        lines.push((Role::Faint, String::new()));
        lines.push((Role::Faint, label.to_owned()));
        lines.push((role, text::line(value).into_owned()));
    };
    match &upload.state {
        State::Sending { .. } if course.sent >= size => field("State", Role::Text, "sent, waiting for the response"),
        State::Sending { .. } => {
            let speed = course.per_second.map(|speed| format!(", {}", rate(speed))).unwrap_or_default();
            field("State", Role::Text, &format!("sending, {} of {}{speed}", bytes(course.sent), bytes(size)));
        }
        State::Retrying { why, again_ms } => {
            let say = match seconds_left(*again_ms, now.0) {
                0 => "retrying".to_owned(),
                left => format!("retrying in {left} s"),
            };
            field("State", Role::Warn, &say);
            field("Why it broke", Role::Warn, why);
            field("How often in a row", Role::Text, &upload.breaks.to_string());
        }
        State::Failed { why, fix, .. } => {
            field("State", Role::Error, "failed");
            field("Why", Role::Error, why);
            field("What to do", Role::Text, fix);
        }
        State::Done { found: true, .. } => field("State", Role::Ok, "done, though the response was lost"),
        state => field("State", Role::Text, state.word()),
    }
    if let Some(aim) = aim(upload) {
        field("Step", Role::Text, &aim);
    }
    if let Some(video) = upload.video() {
        field("ID", Role::Text, video);
    }
    field("File", Role::Text, &file.path.0.to_string_lossy());
    let when = |then: i64| match ago(now, Moment(then)) {
        since if since == "now" => "just now".to_owned(),
        since => format!("{since} ago"),
    };
    let mut times = vec![format!("queued {}", when(upload.added_ms))];
    times.extend(upload.begun_ms.map(|then| format!("started {}", when(then))));
    times.extend(match upload.state {
        State::Done { at_ms, .. } => Some(format!("done {}", when(at_ms))),
        State::Failed { at_ms, .. } => Some(format!("failed {}", when(at_ms))),
        State::Cancelled { at_ms } => Some(format!("cancelled {}", when(at_ms))),
        _ => None,
    });
    field("When", Role::Text, &times.join(", "));
    lines
}
