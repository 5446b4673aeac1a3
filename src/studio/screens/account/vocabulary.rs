//! What this screen hears from the world and what it asks of it.

use crate::domain::ApiKey;
use crate::settings::Profile;
use crate::studio::ground::{Failure, RequestId, SwitchTo};

/// A profile as the configuration has it, and what is known of its credential.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KnownProfile {
    /// Its name.
    pub name: String,
    /// What the configuration says.
    pub profile: Profile,
    /// Where its credential is, in words; none where it has none.
    pub credential: Option<String>,
    /// Whether it is opened when none is named.
    pub is_default: bool,
}

/// How to sign in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Way {
    /// By this API key.
    Key(ApiKey),
    /// By a code that is approved on any device.
    Device,
    /// In a browser that comes back to this machine, or whose address is pasted.
    Browser,
}

/// How far a sign-in is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SignInStep {
    /// The authorization server is asked what it offers.
    Asking,
    /// The person is to approve this code.
    Device {
        /// The letters.
        user_code: String,
        /// Where they go.
        address: String,
        /// The same with the letters in it.
        whole_address: String,
        /// How long that is good, seconds.
        lasts: u64,
    },
    /// The person is to approve at this address.
    Browser {
        /// The address.
        address: String,
    },
    /// The credential is tried.
    Proving,
}

/// What a person says to a write on a live profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteAnswer {
    /// Nothing is to be changed.
    No,
    /// This one may.
    Once,
    /// This one may, and what follows within a minute.
    AWhile,
}

/// What happened, for the Account screen.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The configuration was read.
    Profiles(Vec<KnownProfile>),
    /// Who the credential belongs to: address and id.
    Who {
        /// The question.
        request: RequestId,
        /// The answer.
        who: Result<String, Failure>,
    },
    /// A call can't go on before the person has signed in.
    SignInNeeded {
        /// Why, in words.
        why: String,
    },
    /// A sign-in went on.
    SignIn(SignInStep),
    /// It came to its end.
    SignedIn {
        /// The profile; none where there is none.
        profile: Option<String>,
        /// Who the credential belongs to.
        who: String,
        /// Where it is kept, in words.
        source: String,
        /// Whether calls waited for it, which now go on.
        resumed: bool,
    },
    /// It failed.
    SignInFailed(String),
    /// A profile was signed out, or could not be.
    SignedOut {
        /// The question.
        request: RequestId,
        /// Its name.
        signed_out: Result<String, String>,
    },
    /// The configuration was changed, or was not; `true` where the profile is new.
    Saved {
        /// The question.
        request: RequestId,
        /// What came of it.
        saved: Result<(String, bool), String>,
    },
    /// Something else about a profile was done, in a sentence for people, or was not.
    Done {
        /// The question.
        request: RequestId,
        /// What came of it.
        done: Result<String, String>,
    },
    /// A profile has another name, or not.
    Renamed {
        /// The question.
        request: RequestId,
        /// The name it had and the name it has.
        renamed: Result<(String, String), String>,
    },
    /// A call would change something on a live profile: the person is asked.
    WriteAsked {
        /// The operation's name in §4.
        operation: &'static str,
    },
}

/// What the world should do for the Account screen.
#[must_use]
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Read the configuration again.
    ReadProfiles,
    /// Ask who the credential belongs to.
    AskWho(RequestId),
    /// Write a profile.
    Save {
        /// What the reply is called.
        request: RequestId,
        /// Its name.
        name: String,
        /// What the person saw, where there was one.
        before: Option<Box<Profile>>,
        /// What it is to be.
        profile: Box<Profile>,
    },
    /// Give a profile that is not open another name.
    Rename {
        /// What the reply is called.
        request: RequestId,
        /// Its name.
        from: String,
        /// The name it gets.
        to: String,
    },
    /// Give the profile that is open another name: this studio ends, and one for the renamed profile begins.
    RenameOpen(String),
    /// Remove a profile and its credential.
    Remove {
        /// What the reply is called.
        request: RequestId,
        /// Its name.
        name: String,
    },
    /// Open this profile when none is named.
    SetDefault {
        /// What the reply is called.
        request: RequestId,
        /// Its name.
        name: String,
    },
    /// Sign in; to the profile that is open where none is named.
    SignIn {
        /// The profile.
        profile: Option<String>,
        /// How.
        way: Way,
    },
    /// The person pasted this while a sign-in by browser waits.
    Pasted(String),
    /// Give the sign-in up.
    CancelSignIn,
    /// The person would not sign in: calls that wait fail.
    DeclineSignIn,
    /// Forget the credential of a profile.
    SignOut {
        /// What the reply is called.
        request: RequestId,
        /// Its name.
        name: String,
    },
    /// Open another profile: this studio ends, and one for that profile begins.
    Switch(SwitchTo),
    /// What the person said to a write.
    AnswerWrite(WriteAnswer),
}

/// What the questions of this screen are answered with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Nothing is done.
    No,
    /// The profile gets the name that was typed.
    Rename(String),
    /// The profile is removed.
    Remove(String),
    /// The profile's credential is forgotten.
    SignOut(String),
}

/// A turn of this screen.
pub type Turn = crate::studio::screens::turn::Turn<Effect, Answer>;
