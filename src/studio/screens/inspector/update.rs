//! What happened, as the Inspector takes it, and what it asks and shows.

use std::fmt::Write as _;

use serde_json::Value;

use super::vocabulary::{Answer, Bundle, Event, Turn};
use super::{Inspector, difference, view};
use crate::domain::text;
use crate::domain::wire::{Recorded, curl, sum_up};
use crate::studio::ground::{Moment, NoticeKind};
use crate::studio::screens::turn::Outcome;
use crate::studio::widgets::{Page, Prompt, Question, Role};

impl Inspector {
    /// Takes what happened.
    pub fn event(&mut self, event: Event, _now: Moment, turn: &mut Turn) {
        match event {
            Event::Recorded(recorded) => {
                // Who looks at an older one keeps it where it is.
                let older = self.selected.is_some() && self.only.lets_through(&recorded);
                let top = self.shown.top() + usize::from(older);
                self.log.push(recorded);
                self.find();
                self.shown.scroll_to(top);
            }
            Event::Found { number, findings } => {
                self.log.found(number, findings);
                self.find();
            }
            Event::Again { sent: Ok(()), .. } => {
                self.searched();
                turn.say(NoticeKind::Done, "Sent again. The new response is at the top.");
            }
            Event::BundleListed { bundle, listing, .. } => Self::ask_write(bundle, &listing, turn),
            Event::Saved { saved: Ok(file), .. } => turn.say(NoticeKind::Done, format!("Saved to {file}.")),
            Event::Again { sent: Err(why), .. } | Event::Saved { saved: Err(why), .. } => {
                turn.say(NoticeKind::Error, why);
            }
        }
    }

    /// Asks where the archive for support is to be; `studio` is what is known of the studio itself.
    pub fn ask_bundle(&self, studio: Value, stores: Vec<String>, turn: &mut Turn) {
        let exchanges = self.log.iter().cloned().collect();
        let bundle = Box::new(Bundle { file: String::new(), studio, stores, exchanges });
        let prompt = Prompt::new("Save support bundle as", "cutaway-support.tar");
        turn.question(Question::line(prompt, Answer::Bundle(bundle)));
    }

    fn ask_write(bundle: Box<Bundle>, listing: &[String], turn: &mut Turn) {
        let mut lines =
            vec![(Role::Text, text::line(&format!("{} will contain, without secrets:", bundle.file)).into_owned())];
        lines.extend(listing.iter().map(|line| (Role::Dim, format!("  {}", text::line(line)))));
        let options = [
            (Answer::No, "Cancel"),
            (Answer::Write { bundle: bundle.clone(), mask: false }, "Save"),
            (Answer::Write { bundle, mask: true }, "Save without names and addresses"),
        ];
        turn.question(Question::decide("Save support bundle", lines, options));
    }

    pub(super) fn show_sums(&self, turn: &mut Turn) {
        let sums = sum_up(self.log.iter().map(AsRef::as_ref));
        let count = self.log.iter().len();
        let mut lines =
            vec![(Role::Dim, format!("In {count} requests, these fields don't match the API specification:"))];
        if sums.is_empty() {
            lines = vec![(Role::Ok, format!("All {count} requests match the API specification."))];
        }
        let mut copy = String::new();
        for sum in &sums {
            let id = sum.request_id.as_deref().unwrap_or("unknown");
            let line = format!("{} × {}: {} {}", sum.count, sum.operation, sum.field, sum.fault);
            lines.push((Role::Text, text::line(&line).into_owned()));
            let seen = format!("    in {} requests, last in request {id}", sum.exchanges);
            lines.push((Role::Faint, text::line(&seen).into_owned()));
            let _ = writeln!(copy, "{line} ({} requests, last request {id})", sum.exchanges);
        }
        let page = Page::new("Issues", lines, "‹app.copy› copies  Esc closes").with_copy(copy);
        turn.outcomes.push(Outcome::Show(Box::new(page)));
    }

    pub(super) fn show_difference(&self, turn: &mut Turn) {
        let marked = self.marked.and_then(|number| self.log.get(number)).cloned();
        let (Some(one), Some(other)) = (marked, self.chosen_exchange()) else {
            turn.say(
                NoticeKind::Hint,
                "Select a request with ‹app.select›; ‹inspector.difference› compares the current one with it.",
            );
            return;
        };
        let read = |recorded: &Recorded| serde_json::from_str(&recorded.received.body).ok();
        let lines = match (read(&one), read(&other)) {
            (Some(one), Some(other)) => difference::differences(&one, &other),
            _ => vec![(Role::Error, "One of the responses is not complete JSON.".to_owned())],
        };
        let title = format!("From {} to {}", view::time_of(&one, &self.zone), view::time_of(&other, &self.zone));
        turn.outcomes.push(Outcome::Show(Box::new(Page::new(title, lines, "Esc closes"))));
    }

    pub(super) fn offer_copies(recorded: &Recorded, turn: &mut Turn) {
        let mut texts = vec![("curl", curl(recorded)), ("address", recorded.url.clone())];
        texts.extend(recorded.request_id.clone().map(|id| ("request id", id)));
        for (label, body) in [("answer", &recorded.received.body), ("what was sent", &recorded.sent.body)] {
            if !body.is_empty() {
                texts.push((label, body.clone()));
            }
        }
        if !recorded.findings.is_empty() {
            let findings: Vec<String> = recorded.findings.iter().map(ToString::to_string).collect();
            texts.push(("findings", findings.join("\n")));
        }
        turn.outcomes.push(Outcome::Copy(texts));
    }
}
