//! What a screen is told with every turn, and what it answers.

use crate::domain::{Project, ProjectId};
use crate::studio::ground::{Alarm, Context, NoticeKind, RequestId, Screen, SwitchTo};
use crate::studio::widgets::films::Film;
use crate::studio::widgets::{Page, Question};

/// What a screen asks of the world: what is its own, and what any screen may ask for.
#[must_use]
#[derive(Debug, Clone, PartialEq)]
pub enum ScreenEffect<E> {
    /// Something that only this screen asks for.
    Own(E),
    /// The reply is no longer wanted.
    Cancel(RequestId),
    /// Wake the screen.
    Wake {
        /// Why.
        alarm: Alarm,
        /// In so many milliseconds.
        after_ms: u64,
    },
    /// Put text on the terminal's clipboard.
    CopyText(String),
    /// Put a secret on the terminal's clipboard: what shows what is copied must not show it.
    CopySecret(String),
    /// Let the person change a text in the editor of their choice.
    EditText(String),
    /// Tell the person's desktop something; the words are harmless already.
    TellDesktop(String),
}

/// What comes of an update: effects for the world, outcomes for the parent. What a screen has to know of the studio to
/// take its turn comes with it.
#[derive(Debug)]
pub struct Turn<E, A> {
    /// The effects.
    pub effects: Vec<ScreenEffect<E>>,
    /// The outcomes.
    pub outcomes: Vec<Outcome>,
    /// The questions to the person.
    pub questions: Vec<Question<A>>,
    /// What the screen has to know of the studio.
    pub context: Context,
}

impl<E, A> Default for Turn<E, A> {
    fn default() -> Self {
        Self::new(Context::default())
    }
}

impl<E, A> Turn<E, A> {
    /// A turn of which nothing came yet.
    #[must_use]
    pub fn new(context: Context) -> Self {
        Self { effects: Vec::new(), outcomes: Vec::new(), questions: Vec::new(), context }
    }

    /// Asks for something that only this screen asks for.
    pub fn ask(&mut self, effect: E) {
        self.effects.push(ScreenEffect::Own(effect));
    }

    /// What the next request is called.
    pub fn next_id(&mut self) -> RequestId {
        self.context.requests.next_id()
    }

    /// Asks for something that is waited for.
    pub fn request(&mut self, effect: impl FnOnce(RequestId) -> E) {
        let request = self.next_id();
        self.ask(effect(request));
    }

    /// Wants these replies no longer.
    pub fn cancel(&mut self, requests: impl IntoIterator<Item = RequestId>) {
        self.effects.extend(requests.into_iter().map(ScreenEffect::Cancel));
    }

    /// Asks to be woken in so many milliseconds.
    pub fn wake(&mut self, alarm: Alarm, after_ms: u64) {
        self.effects.push(ScreenEffect::Wake { alarm, after_ms });
    }

    /// Puts text on the terminal's clipboard.
    pub fn copy(&mut self, text: String) {
        self.effects.push(ScreenEffect::CopyText(text));
    }

    /// Puts a secret on the terminal's clipboard.
    pub fn copy_secret(&mut self, secret: String) {
        self.effects.push(ScreenEffect::CopySecret(secret));
    }

    /// Hands a text to the editor of the person's choice.
    pub fn edit_text(&mut self, text: String) {
        self.effects.push(ScreenEffect::EditText(text));
    }

    /// Tells the person's desktop something.
    pub fn tell_desktop(&mut self, words: String) {
        self.effects.push(ScreenEffect::TellDesktop(words));
    }

    /// Puts a question to the person; the screen is given the answer.
    pub fn question(&mut self, question: Question<A>) {
        self.questions.push(question);
    }

    /// Says something.
    pub fn say(&mut self, kind: NoticeKind, words: impl Into<String>) {
        self.outcomes.push(Outcome::Notify(kind, words.into()));
    }

    /// Whether something may be written; where not, that is said.
    pub fn may_write(&mut self) -> bool {
        if let Some(why) = &self.context.read_only {
            let say = format!("Refused: read-only ({why}). Nothing was changed.");
            self.say(NoticeKind::Warning, say);
            return false;
        }
        true
    }
}

/// What a screen tells its parent.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// Say something.
    Notify(NoticeKind, String),
    /// Let the person choose one of these texts to copy.
    Copy(Vec<(&'static str, String)>),
    /// Show a picture on the whole screen: what it shows, and its address.
    Picture(String, std::sync::Arc<str>),
    /// Show the pictures of a film on the whole screen.
    Preview(Box<Film>),
    /// Ask again for pictures that could not be had.
    RetryPictures,
    /// Open an address.
    Address(String),
    /// Show something to be read.
    Show(Box<Page>),
    /// The project is only looked at from now on: close what asks about its steps.
    CloseQuestions,
    /// Leave the studio.
    Quit,
    /// Go to a screen.
    Go(Screen),
    /// Open a project's steps: its id and its name, where that is known.
    OpenProject(ProjectId, String),
    /// Make a new project that holds what this one does.
    NewProject(Box<Project>),
    /// The credential was refused.
    Unauthorized,
    /// Sign in to this profile.
    SignIn(String),
    /// Go to another profile.
    Switch(SwitchTo),
    /// Open the same profile again.
    Reopen,
    /// Give the profile that is open this name.
    RenameOpen(String),
}
