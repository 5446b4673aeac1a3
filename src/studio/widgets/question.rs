//! A question that lies over a screen, with what each of its answers means to whoever asks it.

use crate::studio::widgets::{Confirm, Entry, Picker, Prompt, Role};

/// What is chosen, typed or decided in what is drawn: places in its list and text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Choice {
    /// The selected entries, where several could be.
    pub marked: Option<Vec<usize>>,
    /// The entry that was chosen.
    pub one: Option<usize>,
    /// What was typed.
    pub typed: Option<String>,
}

/// What a question is drawn as.
#[derive(Debug, Clone)]
pub enum Asked {
    /// A list to choose from.
    Picker(Picker),
    /// A line to be typed.
    Prompt(Box<Prompt>),
    /// A few answers, each in words.
    Confirm(Confirm),
}

/// What the answers of a question mean.
#[derive(Debug, Clone)]
pub struct Answers<A> {
    /// Those that are offered, in their order.
    offered: Vec<A>,
    /// That of a text that is typed.
    typed: Option<A>,
    /// That of leaving the question.
    left: Option<A>,
}

/// An answer that was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered<A> {
    /// Which one.
    pub answer: A,
    /// The selected answers, where several could be.
    pub marked: Vec<A>,
    /// What was typed; empty where an answer was chosen.
    pub typed: String,
}

impl<A> Answers<A> {
    /// Those that are offered, in their order.
    #[must_use]
    pub fn offered(&self) -> &[A] {
        &self.offered
    }

    /// That of a text that is typed, where one may be.
    #[must_use]
    pub fn typed(&self) -> Option<&A> {
        self.typed.as_ref()
    }
}

impl<A: Clone> Answers<A> {
    /// What was answered. Where what is drawn offers more than is meant, nothing.
    #[must_use]
    pub fn given(self, choice: Choice) -> Option<Answered<A>> {
        let offered = |at: usize| self.offered.get(at).cloned();
        let marked = choice.marked.unwrap_or_default().into_iter().filter_map(offered).collect();
        let answer = choice.one.map_or(self.typed.clone(), offered)?;
        Some(Answered { answer, marked, typed: choice.typed.unwrap_or_default() })
    }

    /// What it means that the question was left, where that means something.
    #[must_use]
    pub fn left(self) -> Option<Answered<A>> {
        self.left.map(|answer| Answered { answer, marked: Vec::new(), typed: String::new() })
    }
}

/// A question of someone whose answers are of the type `A`.
#[derive(Debug, Clone)]
pub struct Question<A> {
    asked: Asked,
    answers: Answers<A>,
}

impl<A> Question<A> {
    /// Asks which of these; `list` makes a list of the entries.
    pub fn choose(options: impl IntoIterator<Item = (A, Entry)>, list: impl FnOnce(Vec<Entry>) -> Picker) -> Self {
        let (offered, entries) = options.into_iter().unzip();
        let answers = Answers { offered, typed: None, left: None };
        Self { asked: Asked::Picker(list(entries)), answers }
    }

    /// Asks for a line of text; it is given with this answer.
    #[must_use]
    pub fn line(prompt: Prompt, answer: A) -> Self {
        Self {
            asked: Asked::Prompt(Box::new(prompt)),
            answers: Answers { offered: Vec::new(), typed: Some(answer), left: None },
        }
    }

    /// Asks for a decision between a few answers, each with its words. Put the harmless one first: it is selected.
    pub fn decide<W: Into<String>>(
        title: impl Into<String>,
        lines: Vec<(Role, String)>,
        options: impl IntoIterator<Item = (A, W)>,
    ) -> Self {
        let (offered, words) = options.into_iter().map(|(answer, words)| (answer, words.into())).unzip();
        let answers = Answers { offered, typed: None, left: None };
        Self { asked: Asked::Confirm(Confirm::new(title, lines, words)), answers }
    }

    /// In a list what is typed may be chosen as well: it is given with this answer.
    #[must_use]
    pub fn or_typed(mut self, answer: A) -> Self {
        if let Asked::Picker(list) = self.asked {
            self.asked = Asked::Picker(list.with_free_text());
        }
        self.answers.typed = Some(answer);
        self
    }

    /// To leave it is to answer this.
    #[must_use]
    pub fn or_left(mut self, answer: A) -> Self {
        self.answers.left = Some(answer);
        self
    }

    /// No digit answers it: it may come up while someone is about to press one for something else.
    #[must_use]
    pub fn deliberate(mut self) -> Self {
        if let Asked::Confirm(confirm) = self.asked {
            self.asked = Asked::Confirm(confirm.deliberate());
        }
        self
    }

    /// What is drawn, and what is answered.
    #[must_use]
    pub fn into_parts(self) -> (Asked, Answers<A>) {
        (self.asked, self.answers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, Copy, PartialEq)]
    enum Answer {
        Keep,
        Delete,
        Other,
    }

    #[test]
    fn what_is_chosen_and_typed_means_what_the_asker_said() {
        let list = |entries| Picker::new("Which", entries);
        let question = || Question::choose([Answer::Keep, Answer::Delete].map(|it| (it, Entry::default())), list);
        let given = |question: Question<Answer>, choice| question.into_parts().1.given(choice);
        let one = |at| Choice { one: Some(at), ..Choice::default() };
        let typed = || Choice { typed: Some("x".to_owned()), ..Choice::default() };

        assert_eq!(given(question(), one(1)).unwrap().answer, Answer::Delete);
        assert_eq!(given(question(), one(2)), None);
        assert_eq!(given(question(), typed()), None, "what is typed means nothing here");
        let other = given(question().or_typed(Answer::Other), typed()).unwrap();
        assert_eq!((other.answer, other.typed.as_str()), (Answer::Other, "x"));
        let marked = given(question(), Choice { marked: Some(vec![0, 1, 7]), ..one(0) }).unwrap();
        assert_eq!(marked.marked, [Answer::Keep, Answer::Delete]);
        assert_eq!(question().into_parts().1.left(), None);
        assert_eq!(question().or_left(Answer::Keep).into_parts().1.left().unwrap().answer, Answer::Keep);
    }
}
