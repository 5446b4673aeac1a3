//! Deleting a video: where it is used is read first, as it is now.

use super::Videos;
use super::answer::{Answer, Turn};
use super::library::Uses;
use super::vocabulary::Effect;
use crate::domain::{VideoId, text};
use crate::studio::ground::{Failure, Moment, NoticeKind};
use crate::studio::widgets::time::ago;
use crate::studio::widgets::{Question, Role};

impl Videos {
    /// Reads where videos are used.
    pub(super) fn read_uses(&mut self, turn: &mut Turn) {
        let request = turn.next_id();
        let before = std::mem::take(&mut self.uses);
        // One that was not read to its end says less than the one before it.
        if before.read_at.is_some() {
            self.uses_before = before;
        }
        self.using = Some(request);
        turn.ask(Effect::ReadUses(request));
    }

    /// Takes that all was read of where videos are used, or that it could not be.
    pub(super) fn take_uses(&mut self, read: Result<(usize, usize), Failure>, now: Moment, turn: &mut Turn) {
        let fault = match read {
            Ok((read, of)) => {
                (self.uses.read, self.uses.all, self.uses.read_at) = (read, Some(of), Some(now));
                self.uses_before = Uses::default();
                None
            }
            Err(failure) => {
                self.uses = std::mem::take(&mut self.uses_before);
                Some(failure.what)
            }
        };
        self.arrange();
        if self.deleting.is_some() {
            self.ask_delete(fault.as_deref(), now, turn);
        }
    }

    /// Which steps of the draft that is open use which video: project, step, video.
    pub fn know_draft(&mut self, uses: Vec<(String, String, VideoId)>) {
        self.draft = uses;
    }

    /// The selected video is to be deleted. Others change projects too: where it is used is read again.
    pub(super) fn begin_delete(&mut self, now: Moment, turn: &mut Turn) {
        let Some(video) = self.library.current().cloned() else {
            turn.say(NoticeKind::Hint, "No video is selected.");
            return;
        };
        if !turn.may_write() {
            return;
        }
        self.deleting = Some(video);
        if turn.context.connected {
            turn.say(NoticeKind::Hint, "Checking where it is used … Esc cancels.");
            self.read_uses(turn);
        } else {
            self.ask_delete(Some("not connected"), now, turn);
        }
    }

    /// Asks whether to delete it; `fault` is why its uses could not be read now.
    fn ask_delete(&mut self, fault: Option<&str>, now: Moment, turn: &mut Turn) {
        let Some(video) = self.deleting.take() else { return };
        let uses = self.uses.of.get(&video.id).map(Vec::as_slice).unwrap_or_default();
        let mut lines = vec![(Role::Text, format!("{} ({})", video.name, text::line(video.id.as_str())))];
        let known = self.uses.known();
        if uses.is_empty() {
            lines.push((Role::Dim, format!("No step uses it, {known}.")));
        } else {
            let steps = if uses.len() == 1 { "1 step".to_owned() } else { format!("{} steps", uses.len()) };
            lines.push((Role::Warn, format!("{steps} would lose the video ({known}):")));
            lines.extend(uses.iter().map(|(project, step)| (Role::Text, format!("  {project} · {step}"))));
        }
        let drafted = self.draft.iter().filter(|(.., used)| *used == video.id);
        let drafted: Vec<_> = drafted.map(|(project, step, _)| format!("  {project} · {step}")).collect();
        if !drafted.is_empty() {
            lines.push((Role::Warn, "Your unsaved draft uses it:".to_owned()));
            lines.extend(drafted.into_iter().map(|line| (Role::Text, line)));
        }
        if let Some(why) = fault {
            let as_of = match self.uses.read_at.map(|then| ago(now, then)) {
                Some(since) if since == "now" => "As of just now".to_owned(),
                Some(since) => format!("As of {since} ago"),
                None => "We don't know where it is used".to_owned(),
            };
            lines.push((Role::Warn, format!("{as_of}; couldn't check again: {}", text::line(why))));
        }
        lines.push((Role::Dim, "This can't be undone.".to_owned()));
        let options = [(Answer::Keep, "Keep it"), (Answer::Delete(video.id), "Delete it")];
        turn.question(Question::decide("Delete this video?", lines, options));
    }
}
