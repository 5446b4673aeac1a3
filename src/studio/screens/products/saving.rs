//! Searches by name, those used of late, and the last one.

use super::memory::{Change, MOST_SAVED};
use super::vocabulary::{Answer, Effect, Turn};
use super::{Focus, Products, Query};
use crate::domain::text;
use crate::studio::ground::{Moment, NoticeKind};
use crate::studio::widgets::{Entry, LineEdit, Picker, Prompt, Question};

/// A longer name is cut, characters.
const MOST_NAME: usize = 80;

impl Products {
    /// Remembers something, here and for the next start.
    pub(super) fn remember(&mut self, change: Change, turn: &mut Turn) {
        self.memory.apply(&change);
        turn.ask(Effect::Remember(Box::new(change)));
    }

    /// Asks for a name for the search that is shown.
    pub(super) fn save_search(&self, turn: &mut Turn) {
        if turn.context.store.is_none() {
            return;
        }
        if self.query == Query::default() {
            turn.say(
                NoticeKind::Hint,
                "No search to save. Search with ‹products.search› or filter with ‹products.filter.open› first.",
            );
            return;
        }
        let prompt = Prompt::new("Save this search as", &self.query.words());
        turn.question(Question::line(prompt, Answer::SearchName));
    }

    /// Takes the name for the search that is shown.
    pub(super) fn save_search_as(&mut self, name: &str, turn: &mut Turn) {
        let Some(store) = turn.context.store.clone() else { return };
        let name: String = text::line(name.trim()).chars().take(MOST_NAME).collect();
        if name.is_empty() {
            return;
        }
        let saved = self.memory.searches(&store).saved;
        let replaces = saved.contains_key(&name);
        if !replaces && saved.len() >= MOST_SAVED {
            turn.say(
                NoticeKind::Warning,
                format!("{MOST_SAVED} searches are saved, the maximum. ‹products.search.forget› deletes one."),
            );
            return;
        }
        self.remember(Change::Save(store, name.clone(), self.query.clone()), turn);
        let say = if replaces { "Replaced" } else { "Saved as" };
        turn.say(NoticeKind::Done, format!("{say} {name}. ‹products.search.saved› lists saved searches."));
    }

    /// Offers the searches by name, and those used of late.
    pub(super) fn choose_search(&self, turn: &mut Turn) {
        let Some(store) = turn.context.store.clone() else { return };
        let searches = self.memory.searches(&store);
        let mut options: Vec<(Query, Entry)> = Vec::new();
        for (name, query) in searches.saved {
            let detail = query.words();
            options.push((query, Entry { label: text::line(&name).into_owned(), detail, right: String::new() }));
        }
        for query in searches.recent {
            if options.iter().all(|(known, _)| *known != query) {
                let (label, right) = (query.words(), "recent".to_owned());
                options.push((query, Entry { label, detail: String::new(), right }));
            }
        }
        if options.is_empty() {
            turn.say(NoticeKind::Hint, "No saved searches yet. ‹products.search.save› saves the current one.");
            return;
        }
        let options = options.into_iter().map(|(query, entry)| (Answer::Search(Box::new(query)), entry));
        turn.question(Question::choose(options, |entries| Picker::new("Searches", entries)));
    }

    /// Offers the searches by name, to forget one.
    pub(super) fn choose_forgotten(&self, turn: &mut Turn) {
        let Some(store) = turn.context.store.clone() else { return };
        let names: Vec<String> = self.memory.searches(&store).saved.into_keys().collect();
        if names.is_empty() {
            turn.say(NoticeKind::Hint, "No saved searches yet.");
            return;
        }
        let option = |name: String| {
            let entry = Entry { label: text::line(&name).into_owned(), ..Entry::default() };
            (Answer::Forget(name), entry)
        };
        let options = names.into_iter().map(option);
        turn.question(Question::choose(options, |entries| Picker::new("Forget", entries)));
    }

    pub(super) fn forget_search(&mut self, name: String, turn: &mut Turn) {
        let Some(store) = turn.context.store.clone() else { return };
        turn.say(NoticeKind::Done, format!("Deleted saved search “{name}”."));
        self.remember(Change::Forget(store, name), turn);
    }

    /// Searches for what was searched for before.
    pub(super) fn use_search(&mut self, query: Query, now: Moment, turn: &mut Turn) {
        self.set_query(query);
        self.focus = Focus::List;
        self.panel = None;
        self.used_search(turn);
        self.resize(self.area, now);
        self.search(now, 0, turn);
    }

    pub(super) fn set_query(&mut self, query: Query) {
        self.line = LineEdit::with(&query.term);
        self.query = query;
    }

    /// The search that is shown was of use.
    pub(super) fn used_search(&mut self, turn: &mut Turn) {
        let Some(store) = turn.context.store.clone().filter(|_| self.query != Query::default()) else { return };
        if self.memory.searches(&store).recent.first() != Some(&self.query) {
            self.remember(Change::Used(store, self.query.clone()), turn);
        }
    }

    /// Notes what was searched for last.
    pub(super) fn note_last_search(&mut self, turn: &mut Turn) {
        let Some(store) = turn.context.store.clone() else { return };
        if self.memory.searches(&store).last != self.query {
            self.remember(Change::Last(store, self.query.clone()), turn);
        }
    }
}

impl Query {
    /// The search in words: what is typed, the filters, the order.
    #[must_use]
    pub fn words(&self) -> String {
        let term = text::line(self.term.trim()).into_owned();
        let sort = self.sort.as_ref().and_then(|sort| {
            super::filtering::SORTS
                .iter()
                .find(|(_, _, known)| known.as_ref() == Some(sort))
                .map(|(label, _, _)| *label)
        });
        let words: Vec<String> = Some(term)
            .filter(|term| !term.is_empty())
            .into_iter()
            .chain(self.chips().into_iter().map(|chip| chip.label))
            .chain(sort.map(str::to_lowercase))
            .collect();
        if words.is_empty() { "all products".to_owned() } else { words.join(", ") }
    }
}
