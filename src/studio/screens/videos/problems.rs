//! What is wrong with the videos: the list in the place of the library, and the way to each.

use super::answer::{Answer, Turn};
use super::showing::Showing;
use super::update::fail;
use super::vocabulary::Effect;
use super::{Focus, Videos};
use crate::domain::VideoId;
use crate::studio::ground::{Alarm, Command, Moment, NoticeKind};
use crate::studio::screens::turn::Outcome;
use crate::studio::widgets::problems::{CheckReply, CheckRequest, Checked, Opens, ProblemAct, Problems};
use crate::studio::widgets::{Prompt, Question};

impl Videos {
    /// Reads every video of the library and lists what is wrong with it.
    pub(super) fn check(&mut self, now: Moment, turn: &mut Turn) {
        self.drop_problems(turn);
        // Each problem leads to its video, so all of them are listed behind.
        if self.library.shown.clear_query() || self.library.showing != Showing::All {
            self.show_only(Showing::All, turn);
        }
        let request = turn.next_id();
        self.problems = Some(Box::new(Problems::new(Checked::Videos, request, now)));
        self.focus = Focus::Problems;
        turn.ask(Effect::Check(CheckRequest::Check { request, store: None }));
        turn.wake(Alarm::Spinner, 300);
        self.lay_out();
    }

    /// Goes to the problems that are listed and selects the next one; where none are, the videos are checked first.
    pub(super) fn go_to_problems(&mut self, command: Command, now: Moment, turn: &mut Turn) {
        if self.problems.is_none() || command == Command::VideoProblems {
            self.check(now, turn);
        } else {
            self.focus = Focus::Problems;
            self.problems_command(command, now, turn);
        }
    }

    fn drop_problems(&mut self, turn: &mut Turn) {
        if let Some(problems) = self.problems.take() {
            turn.cancel(problems.waiting());
        }
    }

    /// The list stands where the library did as long as the keys go to it, to what is beside it, or below it.
    pub(super) fn leave_problems(&mut self, turn: &mut Turn) {
        if matches!(self.focus, Focus::List | Focus::Filter | Focus::Chooser) {
            self.drop_problems(turn);
        }
    }

    /// Takes a command while the problems have the keys; whether it was for them.
    pub(super) fn problems_command(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
        let Some(problems) = &mut self.problems else { return false };
        match problems.command(command) {
            ProblemAct::Moved => self.follow_problem(turn),
            ProblemAct::Open => {
                self.follow_problem(turn);
                self.open_problem(turn);
            }
            ProblemAct::Close => self.focus = Focus::List,
            ProblemAct::Again => self.check(now, turn),
            ProblemAct::Save => {
                let prompt = Prompt::new("Save ignored problems to file", "known.txt");
                turn.question(Question::line(prompt, Answer::BaselineFile));
            }
            ProblemAct::Ignore { key, ignored } => {
                turn.request(|request| Effect::Check(CheckRequest::Ignore { request, key, ignored }));
                let say =
                    if ignored { "Problem ignored. ‹steps.problem.ignore› undoes." } else { "No longer ignored." };
                turn.say(NoticeKind::Done, say);
            }
            ProblemAct::Say(say) => turn.say(NoticeKind::Hint, say),
            ProblemAct::NotMine => return self.of_the_problem(command, turn),
        }
        true
    }

    /// Commands that are for a video: where that of the problem isn't in the library any more, another one would get them.
    fn of_the_problem(&self, command: Command, turn: &mut Turn) -> bool {
        let of_problem = self.current_problem();
        let is_shown = of_problem.is_some() && of_problem == self.library.current().map(|video| &video.id);
        match command {
            Command::Copy => {
                let copied = self.problems.as_ref().and_then(|problems| problems.current()).map(|problem| {
                    let words = ("Problem", problem.words());
                    vec![("ID", problem.id.clone()), words, ("Line of a baseline", problem.key.clone())]
                });
                turn.outcomes.extend(copied.map(Outcome::Copy));
            }
            Command::VideosDelete
            | Command::Remove
            | Command::VideosCaptions
            | Command::Address
            | Command::VideosPreview
                if !is_shown =>
            {
                turn.say(NoticeKind::Hint, "The video of this problem isn't in the library.");
            }
            _ => return false,
        }
        true
    }

    fn current_problem(&self) -> Option<&VideoId> {
        match &self.problems.as_ref()?.current()?.opens {
            Opens::Video(id) => Some(id),
            _ => None,
        }
    }

    /// Selects the video of the selected problem: what is beside the list shows it.
    pub(super) fn follow_problem(&mut self, turn: &mut Turn) {
        let Some(id) = self.current_problem().cloned() else { return };
        if self.library.current().is_some_and(|video| video.id == id) {
            return;
        }
        self.library.wanted = Some(id);
        self.arrange();
        self.moved(turn);
    }

    /// Goes to the video of the selected problem, and says in which field the problem is.
    fn open_problem(&mut self, turn: &mut Turn) {
        let Some(problem) = self.problems.as_ref().and_then(|problems| problems.current()) else { return };
        turn.say(NoticeKind::Hint, format!("{}: {}", problem.field, problem.sentence));
        self.focus = Focus::Detail;
        self.moved(turn);
    }

    /// Takes what the list asked for.
    pub(super) fn checked(&mut self, reply: CheckReply, turn: &mut Turn) {
        match reply {
            CheckReply::Found { request, found, read, left_out } => {
                if let Some(problems) = self.problems.as_mut().filter(|known| known.waiting() == Some(request)) {
                    problems.take(found, read, left_out);
                    self.follow_problem(turn);
                }
            }
            CheckReply::Ended { request, ended } => {
                if let Some(problems) = self.problems.as_mut().filter(|known| known.waiting() == Some(request)) {
                    if let Err(failure) = &ended {
                        fail(turn, failure, "Couldn't check every video");
                    }
                    problems.end(ended.map_err(|failure| failure.what));
                }
            }
            CheckReply::Ignored { kept: Err(why), .. } => {
                let say = format!("It is ignored until you close the list, but couldn't be kept: {why}.");
                turn.say(NoticeKind::Warning, say);
            }
            CheckReply::Ignored { .. } => {}
            CheckReply::Saved { saved: Ok(file), .. } => turn.say(NoticeKind::Done, format!("Saved to {file}.")),
            CheckReply::Saved { saved: Err(why), .. } => turn.say(NoticeKind::Error, why),
        }
    }

    /// Saves what is ignored to this file.
    pub(super) fn save_ignored(&mut self, file: String, turn: &mut Turn) {
        let keys = self.problems.as_ref().map(|problems| problems.ignored()).unwrap_or_default();
        turn.request(|request| Effect::Check(CheckRequest::Save { request, file, keys }));
    }
}
