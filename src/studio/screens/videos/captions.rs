//! The captions of a video: which there are, what they say, and adding a file of them.

use super::answer::{Answer, Turn};
use super::update::fail;
use super::vocabulary::{LibraryVideo, ReadCaptions};
use super::{Focus, Videos};
use crate::domain::{VideoId, text};
use crate::studio::ground::{Failure, Moment, NoticeKind, Screen};
use crate::studio::screens::turn::Outcome;
use crate::studio::widgets::{Entry, Page, Picker, Prompt, Question, Role};

/// What a video has in place of captions.
pub(super) const NONE: &str = "none";

/// The languages of a video's captions, as one text.
pub(super) fn languages(video: &LibraryVideo) -> String {
    if video.captions.is_empty() { NONE.to_owned() } else { text::line(&video.captions.join(", ")).into_owned() }
}

impl Videos {
    /// Lets the person choose which captions of the selected video are shown, or add some.
    pub(super) fn choose_captions(&self, turn: &mut Turn) {
        let Some(video) = self.library.current() else {
            turn.say(NoticeKind::Hint, "No video is selected.");
            return;
        };
        let id = video.id.clone();
        if video.captions.is_empty() {
            Self::ask_captions_file(id, turn);
            return;
        }
        let entry = |label: String, detail: &str| Entry { label, detail: detail.to_owned(), right: String::new() };
        let shown = |language: &String| {
            let entry = entry(text::line(language).into_owned(), "show the text");
            (Answer::ReadCaptions(id.clone(), language.clone()), entry)
        };
        let add = (Answer::AddCaptions(id.clone()), entry("Add".to_owned(), "a WebVTT file"));
        let remove = (Answer::PickRemoved(id.clone()), entry("Remove".to_owned(), "captions of one language"));
        let options = video.captions.iter().map(shown).chain([add, remove]);
        turn.question(Question::choose(options, |entries| Picker::new("Captions", entries)));
    }

    /// Asks which captions are removed; where there is no choice, whether those are.
    pub(super) fn pick_removed(&self, id: &VideoId, turn: &mut Turn) {
        if !turn.may_write() {
            return;
        }
        let video = self.library.current().filter(|video| video.id == *id);
        match video.map(|video| video.captions.as_slice()).unwrap_or_default() {
            [] => turn.say(NoticeKind::Hint, "The video has no captions."),
            [only] => self.ask_remove(id.clone(), only.clone(), turn),
            several => {
                let option = |language: &String| {
                    let entry = Entry { label: text::line(language).into_owned(), ..Entry::default() };
                    (Answer::AskRemove(id.clone(), language.clone()), entry)
                };
                let options = several.iter().map(option);
                turn.question(Question::choose(options, |entries| Picker::new("Remove captions", entries)));
            }
        }
    }

    /// Asks whether captions are removed.
    pub(super) fn ask_remove(&self, id: VideoId, language: String, turn: &mut Turn) {
        let name = self.library.name_of(&id).unwrap_or_else(|| text::line(id.as_str()).into_owned());
        let lines = vec![
            (Role::Text, format!("{} of {name}", text::line(&language))),
            (Role::Dim, "This can't be undone.".to_owned()),
        ];
        let options = [(Answer::Keep, "Keep them"), (Answer::RemoveCaptions(id, language), "Remove them")];
        turn.question(Question::decide("Remove these captions?", lines, options));
    }

    pub(super) fn ask_captions_file(id: VideoId, turn: &mut Turn) {
        if !turn.may_write() {
            return;
        }
        let say = "Language: from a name like tour.de.vtt, or before the path: de=tour.vtt";
        let prompt = Prompt::new("Captions: a WebVTT file", "").with_lines(vec![(Role::Dim, say.to_owned())]);
        turn.question(Question::line(prompt, Answer::CaptionsFile(id)));
    }

    /// Takes that captions were read.
    pub(super) fn take_captions(
        &self,
        video: &VideoId,
        language: &str,
        read: Result<ReadCaptions, Failure>,
        turn: &mut Turn,
    ) {
        let read = match read {
            Ok(read) => read,
            Err(failure) => return fail(turn, &failure, "Couldn't load the captions"),
        };
        let name = self.library.name_of(video).unwrap_or_else(|| text::line(video.as_str()).into_owned());
        let is_current = self.library.current().is_some_and(|current| current.id == *video);
        let is_typing = matches!(self.focus, Focus::Filter | Focus::Chooser);
        if turn.context.looked_at != Some(Screen::Videos) || !is_current || is_typing {
            // Whoever went on meanwhile is not interrupted: their next key would be for the page.
            let say =
                format!("The captions of {name} have loaded; press ‹videos.captions› on that video to read them.");
            return turn.say(NoticeKind::Hint, say);
        }
        let line = |(ms, words): &(u64, String)| {
            let seconds = ms / 1000;
            (Role::Text, format!("{:>3}:{:02}  {}", seconds / 60, seconds % 60, text::line(words)))
        };
        let lines = read.cues.iter().map(line).collect();
        let title = format!("{name} · {}", text::line(language));
        let page = Page::new(title, lines, "‹app.copy› copies the WebVTT  Esc closes").with_copy(read.vtt);
        turn.outcomes.push(Outcome::Show(Box::new(page)));
    }

    /// Takes that captions were removed.
    pub(super) fn take_removed(&mut self, language: &str, removed: Result<(), Failure>, now: Moment, turn: &mut Turn) {
        match removed {
            Ok(()) => {
                turn.say(NoticeKind::Done, format!("Captions removed: {}.", text::line(language)));
                self.read_library(now, turn);
            }
            Err(failure) => fail(turn, &failure, "Couldn't remove the captions"),
        }
    }

    /// Takes that captions were added.
    pub(super) fn take_added(&mut self, added: Result<(String, usize), Failure>, now: Moment, turn: &mut Turn) {
        match added {
            Ok((language, cues)) => {
                let cues = if cues == 1 { "1 cue".to_owned() } else { format!("{cues} cues") };
                turn.say(NoticeKind::Done, format!("Captions added: {}, {cues}.", text::line(&language)));
                self.read_library(now, turn);
            }
            Err(failure) => fail(turn, &failure, "Couldn't add the captions"),
        }
    }
}
