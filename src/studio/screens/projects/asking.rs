//! What is asked of the person before something is written.

use super::answer::Answer;
use super::vocabulary::{Change, Turn, Write};
use super::{Projects, ReadFor, Row, Words, WriteOf};
use crate::domain::{FolderId, ProjectId, cut, text};
use crate::studio::ground::{Moment, NoticeKind};
use crate::studio::widgets::{Answered, Entry, Picker, Prompt, Question, Role, number};

/// Where a project is moved to.
enum To {
    /// A folder that is known, or none.
    Known(Option<FolderId>),
    /// A folder of this name.
    New(String),
}

impl Projects {
    /// The selected project, to write to it; where there is none or nothing may be written, that is said.
    pub(super) fn to_write(&self, turn: &mut Turn) -> Option<(ProjectId, String, &Row)> {
        let Some(row) = self.current() else {
            turn.say(NoticeKind::Hint, "Select a project first.");
            return None;
        };
        if row.project.id.is_empty() {
            turn.say(NoticeKind::Hint, "The service sent no ID for this project: it can't be changed.");
            return None;
        }
        if row.unlisted {
            turn.say(NoticeKind::Hint, "The service no longer has this project. Enter opens your draft of it.");
            return None;
        }
        self.may_write(turn).then(|| (row.project.id.clone(), row.called().to_owned(), row))
    }

    /// Whether something may be written now.
    pub(super) fn may_write(&self, turn: &mut Turn) -> bool {
        if !turn.may_write() {
            return false;
        }
        if let Some(doing) = self.doing() {
            turn.say(NoticeKind::Hint, format!("Wait: still {doing}."));
            return false;
        }
        true
    }

    /// What was typed before for the same thing and could not be done, else this.
    fn begin(&self, asking: &Answer, begin: &str) -> String {
        let kept = self.unsent.as_ref().filter(|(known, _)| known == asking);
        kept.map_or_else(|| begin.to_owned(), |(_, typed)| typed.clone())
    }

    pub(super) fn ask_create(&self, turn: &mut Turn) {
        if self.may_write(turn) {
            let folder = self.folder_here();
            let title = match &folder {
                Some((_, name)) => format!("Name of the new project in {}", quoted(name)),
                None => "Name of the new project".to_owned(),
            };
            let asking = Answer::Create(folder);
            turn.question(Question::line(Prompt::new(&title, &self.begin(&asking, "")), asking));
        }
    }

    /// The folder under the cursor, where it is one or a project in one.
    fn folder_here(&self) -> Option<(FolderId, String)> {
        let here = match self.current_folder() {
            Some(group) => group.place.clone(),
            None => self.current().and_then(|row| row.folder().cloned()),
        }?;
        let name = self.folder_name(&here).unwrap_or(here.as_str()).to_owned();
        Some((here, name))
    }

    pub(super) fn ask_rename(&self, turn: &mut Turn) {
        let Some((id, called, row)) = self.to_write(turn) else { return };
        let name = row.name.to_string();
        let asking = Answer::Rename(id, called.clone());
        let prompt = Prompt::new(&format!("Rename {}", quoted(&called)), &self.begin(&asking, &name));
        turn.question(Question::line(prompt, asking));
    }

    pub(super) fn ask_move(&self, turn: &mut Turn) {
        let Some((id, called, row)) = self.to_write(turn) else { return };
        let here = row.folder().cloned();
        let groups = self.arranged.groups.iter().filter(|group| group.place.is_some());
        let none = (None, Entry { label: "No folder".to_owned(), ..Entry::default() });
        let folders = groups.map(|group| {
            let right = number(i64::try_from(group.count).unwrap_or(i64::MAX));
            let detail = if group.place == here { "it is here" } else { "" }.to_owned();
            (group.place.clone(), Entry { label: group.name.to_string(), detail, right })
        });
        let places: Vec<_> = [none].into_iter().chain(folders).collect();
        let at = places.iter().position(|(place, _)| *place == here).unwrap_or(0);
        let title = format!("Move {}: a folder, or a new one's name", quoted(&called));
        let to = |(place, entry)| (Answer::Move(id.clone(), called.clone(), place), entry);
        let options = places.into_iter().map(to);
        let question = Question::choose(options, |entries| Picker::new(title, entries).with_selected(at));
        turn.question(question.or_typed(Answer::MoveToNew(id.clone(), called.clone())));
    }

    pub(super) fn ask_emails(&self, turn: &mut Turn) {
        let Some((id, called, row)) = self.to_write(turn) else { return };
        let emails = row.project.email_notifications.clone().unwrap_or_default().join(", ");
        self.ask_emails_again(id, called, &emails, None, turn);
    }

    fn ask_emails_again(&self, id: ProjectId, called: String, begin: &str, wrong: Option<String>, turn: &mut Turn) {
        let title = format!("E-mail notifications of {}", quoted(&called));
        let asking = Answer::Emails(id, called);
        let begin = if wrong.is_some() { begin.to_owned() } else { self.begin(&asking, begin) };
        let mut lines = vec![(Role::Dim, "Comma-separated addresses; empty for none.".to_owned())];
        lines.extend(wrong.map(|wrong| (Role::Error, wrong)));
        turn.question(Question::line(Prompt::new(&title, &begin).with_lines(lines), asking));
    }

    pub(super) fn ask_copy_name(&self, turn: &mut Turn) {
        let Some((id, called, row)) = self.to_write(turn) else { return };
        let copy = if row.name.trim().is_empty() { String::new() } else { format!("{} (copy)", row.name) };
        let steps = row.steps().map_or("all its steps".to_owned(), steps_of);
        let about = format!("A new project with {steps} and the same answers, folder and e-mails.");
        let title = format!("Duplicate {} as", quoted(&called));
        let asking = Answer::Copy(id, called);
        let prompt = Prompt::new(&title, &self.begin(&asking, &copy)).with_lines(vec![(Role::Dim, about)]);
        turn.question(Question::line(prompt, asking));
    }

    pub(super) fn ask_delete(&self, turn: &mut Turn) {
        let Some((id, called, _)) = self.to_write(turn) else { return };
        self.ask_delete_again(id, called, None, turn);
    }

    fn ask_delete_again(&self, id: ProjectId, called: String, typed: Option<&str>, turn: &mut Turn) {
        let row = self.listed().and_then(|listed| listed.rows.iter().find(|row| row.project.id == id));
        let steps = row.and_then(Row::steps).map_or("all its steps".to_owned(), steps_of);
        let mut lines =
            vec![(Role::Warn, format!("{} will be deleted with {steps}. This can't be undone.", quoted(&called)))];
        if let Some(player) = row.and_then(Row::player) {
            lines.push((Role::Dim, format!("Its player will stop working: {player}")));
        }
        lines.push((Role::Dim, "Videos stay in the library.".to_owned()));
        if typed.is_some() {
            lines.push((Role::Error, "The name doesn't match. Nothing was deleted.".to_owned()));
        }
        let name = if called == super::row::called("") {
            format!("its id, {}", text::line(id.as_str()))
        } else {
            "its name".to_owned()
        };
        let prompt = Prompt::new(&format!("Type {name} to delete the project"), typed.unwrap_or_default())
            .with_lines(lines)
            .fleeting();
        turn.question(Question::line(prompt, Answer::Delete(id, called)));
    }

    /// Takes what the person answered.
    pub(super) fn take_answer(&mut self, answered: Answered<Answer>, now: Moment, turn: &mut Turn) {
        let Answered { answer, typed, .. } = answered;
        match answer {
            Answer::Create(folder) if is_name(&typed, turn) => {
                let (doing, done) = (format!("creating {}", quoted(&typed)), format!("Created {}.", quoted(&typed)));
                let (words, write) = (Words::new(doing, done, "Not created"), Write::Create(typed.clone()));
                let of = folder.clone().map_or(WriteOf::Itself, |(id, name)| WriteOf::New(id, name));
                if self.write(of, write, words, now, turn) {
                    self.unsent = Some((Answer::Create(folder), typed));
                }
            }
            Answer::Rename(id, called) if is_name(&typed, turn) && typed != called => {
                let doing = format!("renaming {}", quoted(&called));
                let done = format!("Renamed {} to {}.", quoted(&called), quoted(&typed));
                let change = Change { name: Some(typed.clone()), ..Change::default() };
                let (words, write) = (Words::new(doing, done, "Not renamed"), Write::Change(id.clone(), change));
                self.send(Answer::Rename(id, called), typed, write, words, now, turn);
            }
            Answer::Create(_) | Answer::Rename(..) => {}
            Answer::Move(id, called, place) => self.move_to(id, &called, To::Known(place), now, turn),
            Answer::MoveToNew(id, called) => self.move_to(id, &called, To::New(typed), now, turn),
            Answer::Emails(id, called) => self.set_emails(id, called, typed, now, turn),
            Answer::Copy(id, called) => {
                if is_name(&typed, turn) && self.may_write(turn) {
                    self.read_for(id, called, ReadFor::Copy(typed), now, turn);
                }
            }
            Answer::Delete(id, called) => self.delete(id, called, &typed, now, turn),
            Answer::Filter(filter) => self.show_only(filter, now, turn),
            Answer::Copying(way) => self.decide_copy(way, now, turn),
        }
    }

    /// Sets who is told by e-mail to what was typed, or asks again.
    fn set_emails(&mut self, id: ProjectId, called: String, typed: String, now: Moment, turn: &mut Turn) {
        let emails = match addresses(&typed) {
            Ok(emails) => emails,
            Err(wrong) => {
                let say = format!("{} is not an e-mail address.", quoted(&wrong));
                return self.ask_emails_again(id, called, &typed, Some(say), turn);
            }
        };
        let told = match emails.len() {
            0 => "E-mail notifications off.".to_owned(),
            1 => "1 address gets e-mail notifications.".to_owned(),
            count => format!("{count} addresses get e-mail notifications."),
        };
        let words = Words::new(format!("setting the e-mails of {}", quoted(&called)), told, "Not changed");
        let write = Write::Change(id.clone(), Change { emails: Some(emails), ..Change::default() });
        self.send(Answer::Emails(id, called), typed, write, words, now, turn);
    }

    /// Deletes a project whose name was typed, or asks again.
    fn delete(&mut self, id: ProjectId, called: String, typed: &str, now: Moment, turn: &mut Turn) {
        let named = called != super::row::called("") && typed == called.trim();
        let meant = !typed.is_empty() && (named || typed == text::line(id.as_str()));
        if meant {
            let (doing, done) = (format!("deleting {}", quoted(&called)), format!("Deleted {}.", quoted(&called)));
            self.write(WriteOf::Itself, Write::Delete(id), Words::new(doing, done, "Not deleted"), now, turn);
        } else if !typed.is_empty() {
            self.ask_delete_again(id, called, Some(typed), turn);
        }
    }

    fn move_to(&mut self, id: ProjectId, called: &str, to: To, now: Moment, turn: &mut Turn) {
        let here = self.current().filter(|row| row.project.id == id).map(|row| row.folder().cloned());
        let (folder, done) = match to {
            To::Known(place) if Some(&place) == here.as_ref() => {
                turn.say(NoticeKind::Hint, "It is already in this folder.");
                return;
            }
            To::Known(None) => (String::new(), format!("Moved {} out of its folder.", quoted(called))),
            To::Known(Some(folder)) => {
                let name = self.folder_name(&folder).unwrap_or(folder.as_str()).to_owned();
                (folder.to_string(), format!("Moved {} to {}.", quoted(called), quoted(&name)))
            }
            To::New(name) if name.is_empty() => return,
            To::New(name) => {
                let done = format!("Moved {} to the new folder {}.", quoted(called), quoted(&name));
                (name, done)
            }
        };
        let doing = format!("moving {}", quoted(called));
        let change = Change { folder: Some(folder), ..Change::default() };
        self.write(WriteOf::Itself, Write::Change(id, change), Words::new(doing, done, "Not moved"), now, turn);
    }

    /// Writes what was typed; should it fail, the same question begins with it again.
    fn send(&mut self, asking: Answer, typed: String, write: Write, words: Words, now: Moment, turn: &mut Turn) {
        if self.write(WriteOf::Itself, write, words, now, turn) {
            self.unsent = Some((asking, typed));
        }
    }
}

/// Whether what was typed can be a name; where not, that is said.
fn is_name(typed: &str, turn: &mut Turn) -> bool {
    if typed.is_empty() {
        turn.say(NoticeKind::Hint, "A project needs a name. Nothing was changed.");
    }
    !typed.is_empty()
}

fn steps_of(steps: i64) -> String {
    match steps {
        1 => "its 1 step".to_owned(),
        steps => format!("its {} steps", number(steps)),
    }
}

/// A name in quotation marks, short enough for a sentence.
pub(super) fn quoted(name: &str) -> String {
    let short = cut(name, 40);
    let more = if short.len() < name.len() { "…" } else { "" };
    format!("\"{}{more}\"", text::line(short.trim()))
}

/// The addresses in what was typed; the first that can't be one.
fn addresses(typed: &str) -> Result<Vec<String>, String> {
    let mut addresses: Vec<String> = Vec::new();
    for word in typed.split([',', ';', ' ']).map(str::trim).filter(|word| !word.is_empty()) {
        let plain = |part: &str| !part.is_empty() && !part.contains(['@', '"', '<', '>']);
        if !word.split_once('@').is_some_and(|(mailbox, host)| plain(mailbox) && plain(host)) {
            return Err(word.to_owned());
        }
        if !addresses.iter().any(|known| known == word) {
            addresses.push(word.to_owned());
        }
    }
    Ok(addresses)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_checked_before_they_are_sent() {
        assert_eq!(
            addresses("a@b.example, c@d.example;a@b.example"),
            Ok(vec!["a@b.example".into(), "c@d.example".into()])
        );
        assert_eq!(addresses("  "), Ok(Vec::new()));
        assert_eq!(addresses("a@b.example, nobody"), Err("nobody".to_owned()));
        assert_eq!(addresses("a@@b"), Err("a@@b".to_owned()));
    }

    #[test]
    fn names_in_sentences_are_short() {
        assert_eq!(quoted("Quiz"), "\"Quiz\"");
        assert_eq!(quoted(&"x".repeat(100)).chars().count(), 43);
    }
}
