//! What is wrong with the catalog: the list in the place of the products, and the way to each.

use super::searching::{SPINNER_AFTER_MS, refused};
use super::vocabulary::{Answer, Effect, Turn};
use super::{Detail, Focus, Products, Tab};
use crate::domain::ProductId;
use crate::studio::ground::{Alarm, Command, Moment, NoticeKind};
use crate::studio::screens::turn::Outcome;
use crate::studio::widgets::problems::{CheckReply, CheckRequest, Checked, Opens, ProblemAct, Problems};
use crate::studio::widgets::{Prompt, Question};

impl Products {
    /// Reads the whole catalog and lists what is wrong with it.
    pub(super) fn check(&mut self, now: Moment, turn: &mut Turn) {
        let Some(store) = turn.context.store.clone() else {
            turn.say(NoticeKind::Hint, "There is no store yet.");
            return;
        };
        self.drop_problems(turn);
        self.close_compare(turn);
        self.panel = None;
        let request = turn.next_id();
        self.problems = Some(Box::new(Problems::new(Checked::Products, request, now)));
        self.focus = Focus::Problems;
        turn.ask(Effect::Check(CheckRequest::Check { request, store: Some(store) }));
        turn.wake(Alarm::Spinner, SPINNER_AFTER_MS.unsigned_abs());
        self.resize(self.area, now);
    }

    /// Goes to the problems that are listed and selects the next one; where none are, the catalog is checked first.
    pub(super) fn go_to_problems(&mut self, command: Command, now: Moment, turn: &mut Turn) {
        if self.problems.is_none() || command == Command::ProductProblems {
            self.check(now, turn);
        } else {
            self.focus = Focus::Problems;
            self.problems_command(command, now, turn);
        }
    }

    /// Forgets the list. What is on its way is no longer wanted.
    pub(super) fn drop_problems(&mut self, turn: &mut Turn) {
        if let Some(problems) = self.problems.take() {
            turn.cancel(problems.waiting());
        }
    }

    /// The list stands where the products did as long as the keys go to it, or to the product that it led to.
    pub(super) fn leave_problems(&mut self, now: Moment, turn: &mut Turn) {
        if self.problems.is_some() && !matches!(self.focus, Focus::Problems | Focus::Detail) {
            self.drop_problems(turn);
            self.resize(self.area, now);
        }
    }

    /// Takes a command while the problems have the keys; whether it was for them.
    pub(super) fn problems_command(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
        let page = self.problems_page();
        let Some(problems) = &mut self.problems else { return false };
        problems.resize(page);
        match problems.command(command) {
            ProblemAct::Moved => {
                if self.detail.is_some() {
                    self.show_problem(false, now, turn);
                }
            }
            ProblemAct::Open => self.show_problem(true, now, turn),
            // What is beside the list goes first, as beside the products.
            ProblemAct::Close if self.detail.is_some() => return false,
            ProblemAct::Close => {
                self.focus = Focus::List;
                self.leave_problems(now, turn);
            }
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

    /// Commands that would otherwise be for a product that isn't seen.
    fn of_the_problem(&self, command: Command, turn: &mut Turn) -> bool {
        if self.detail.is_some() {
            return false;
        }
        match command {
            Command::Copy => {
                let copied = self.problems.as_ref().and_then(|problems| problems.current()).map(|problem| {
                    let words = ("Problem", problem.words());
                    vec![("ID", problem.id.clone()), words, ("Line of a baseline", problem.key.clone())]
                });
                turn.outcomes.extend(copied.map(Outcome::Copy));
            }
            Command::Address | Command::FullPicture | Command::Mark | Command::MarkRange => {
                turn.say(NoticeKind::Hint, "Enter shows the product first.");
            }
            _ => return false,
        }
        true
    }

    /// Shows the product of the selected problem, with the field where it is.
    fn show_problem(&mut self, goes: bool, now: Moment, turn: &mut Turn) {
        let Some(problem) = self.problems.as_ref().and_then(|problems| problems.current()) else { return };
        let Opens::Product(id) = problem.opens.clone() else {
            if goes {
                turn.say(NoticeKind::Hint, "No product shows this problem.");
            }
            return;
        };
        let (title, tab) = (problem.title.clone(), tab_of(&problem.field));
        if goes {
            turn.say(NoticeKind::Hint, format!("{}: {}", problem.field, problem.sentence));
        }
        self.show_product(id, title, tab, now, turn);
        if goes {
            self.focus = Focus::Detail;
        }
        self.resize(self.area, now);
    }

    fn show_product(&mut self, id: ProductId, title: String, tab: Tab, now: Moment, turn: &mut Turn) {
        if self.detail.as_ref().is_none_or(|detail| detail.id != id) {
            self.replace_detail(Detail::new(id, title, tab), turn);
            self.fetch_detail(now, 0, turn);
        } else {
            self.show_tab(tab, now, turn);
        }
    }

    /// How many problems are seen at once.
    fn problems_page(&self) -> usize {
        Problems::page(self.split().0.unwrap_or(self.area))
    }

    /// Tells the list how much of it is seen.
    pub(super) fn lay_out_problems(&mut self) {
        let page = self.problems_page();
        self.problems.iter_mut().for_each(|problems| problems.resize(page));
    }

    /// Takes what the list asked for.
    pub(super) fn checked(&mut self, reply: CheckReply, turn: &mut Turn) {
        match reply {
            CheckReply::Found { request, found, read, left_out } => {
                if let Some(problems) = self.problems.as_mut().filter(|known| known.waiting() == Some(request)) {
                    problems.take(found, read, left_out);
                }
            }
            CheckReply::Ended { request, ended } => {
                if let Some(problems) = self.problems.as_mut().filter(|known| known.waiting() == Some(request)) {
                    if let Err(failure) = &ended {
                        refused(failure, turn);
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

/// The tab that shows a field.
fn tab_of(field: &str) -> Tab {
    let first = field.split(['.', '[']).next().unwrap_or_default();
    match first {
        "variants" | "variantsCount" => Tab::Variants,
        "media" | "featuredMediaId" | "mediaCount" => Tab::Media,
        "options" => Tab::Options,
        "analysis" | "analysisStatus" => Tab::Analysis,
        "metafields" => Tab::Meta,
        _ => Tab::Overview,
    }
}
