//! Where calls wait for the person: to sign in, or to say whether a live profile may be changed. However many wait, the
//! person is asked once.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::{oneshot, watch};
use tokio::time::Instant;

use crate::client::{AskSignIn, AskWrite, ClientError};
use crate::studio::account::{Event as AccountEvent, WriteAnswer};
use crate::studio::event::Event;

/// How long a yes holds for what follows.
const A_WHILE: Duration = Duration::from_secs(60);

/// How it stands with signing in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SignIn {
    /// There is nothing to ask.
    Quiet,
    /// The person is asked.
    Asking,
    /// The person would not: nobody asks again until they sign in by themselves.
    Declined,
}

/// The desk of one studio.
pub struct Desk {
    events: UnboundedSender<Event>,
    sign_in: watch::Sender<SignIn>,
    /// One question at a time; until when no further one is needed.
    writes: tokio::sync::Mutex<Option<Instant>>,
    answer: Mutex<Option<oneshot::Sender<WriteAnswer>>>,
}

impl Desk {
    /// The desk whose questions go to `events`.
    #[must_use]
    pub fn new(events: UnboundedSender<Event>) -> Self {
        Self {
            events,
            sign_in: watch::Sender::new(SignIn::Quiet),
            writes: tokio::sync::Mutex::default(),
            answer: Mutex::default(),
        }
    }

    /// The person signed in: what waits goes on. Whether anything did.
    pub fn signed_in(&self) -> bool {
        self.sign_in.send_replace(SignIn::Quiet) == SignIn::Asking
    }

    /// The person would not: what waits fails.
    pub fn declined(&self) {
        self.sign_in.send_if_modified(|now| {
            let asked = *now == SignIn::Asking;
            if asked {
                *now = SignIn::Declined;
            }
            asked
        });
    }

    /// What the person said to a write.
    pub fn answer_write(&self, said: WriteAnswer) {
        if let Some(waiting) = self.answer.lock().unwrap_or_else(PoisonError::into_inner).take() {
            let _ = waiting.send(said);
        }
    }
}

impl AskSignIn for Desk {
    fn ask<'a>(&'a self, why: &'a ClientError) -> BoxFuture<'a, bool> {
        Box::pin(async move {
            let mut now = self.sign_in.subscribe();
            let first = self.sign_in.send_if_modified(|now| {
                let first = *now == SignIn::Quiet;
                if first {
                    *now = SignIn::Asking;
                }
                first
            });
            if first {
                let why = match why {
                    ClientError::NoCredential => "This profile has no credential yet.".to_owned(),
                    ClientError::SignedOut(_) => why.to_string(),
                    _ => format!("The service refused the credential. {why}"),
                };
                let _ = self.events.send(Event::Account(AccountEvent::SignInNeeded { why }));
            }
            let settled = now.wait_for(|now| *now != SignIn::Asking).await;
            settled.is_ok_and(|now| *now == SignIn::Quiet)
        })
    }
}

impl AskWrite for Desk {
    fn ask<'a>(&'a self, operation: &'static str) -> BoxFuture<'a, bool> {
        Box::pin(async move {
            let mut until = self.writes.lock().await;
            if until.is_some_and(|until| Instant::now() < until) {
                return true;
            }
            let (sender, said) = oneshot::channel();
            *self.answer.lock().unwrap_or_else(PoisonError::into_inner) = Some(sender);
            let _ = self.events.send(Event::Account(AccountEvent::WriteAsked { operation }));
            match said.await {
                Ok(WriteAnswer::Once) => true,
                Ok(WriteAnswer::AWhile) => {
                    *until = Some(Instant::now() + A_WHILE);
                    true
                }
                Ok(WriteAnswer::No) | Err(_) => false,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use futures_util::future::join_all;
    use tokio::sync::mpsc::unbounded_channel;

    use super::*;

    #[tokio::test]
    async fn many_calls_ask_once_and_go_on_together() {
        let (events, mut asked) = unbounded_channel();
        let desk = Desk::new(events);
        let waiting = join_all((0..20).map(|_| AskSignIn::ask(&desk, &ClientError::NoCredential)));
        let person = async {
            assert!(matches!(asked.recv().await, Some(Event::Account(AccountEvent::SignInNeeded { .. }))));
            assert!(desk.signed_in());
        };
        let (went_on, ()) = tokio::join!(waiting, person);
        assert!(went_on.into_iter().all(|on| on) && asked.try_recv().is_err());

        let (declined, ()) = tokio::join!(AskSignIn::ask(&desk, &ClientError::NoCredential), async {
            asked.recv().await;
            desk.declined();
        });
        assert!(!declined);
        // Whoever said no is not asked again, until they sign in by themselves.
        assert!(!AskSignIn::ask(&desk, &ClientError::NoCredential).await && asked.try_recv().is_err());
        assert!(!desk.signed_in());
    }

    #[tokio::test]
    async fn a_write_is_asked_about_and_a_yes_may_hold_for_a_while() {
        let (events, mut asked) = unbounded_channel();
        let desk = Desk::new(events);
        for (said, goes) in [(WriteAnswer::No, false), (WriteAnswer::Once, true), (WriteAnswer::AWhile, true)] {
            let (went, ()) = tokio::join!(AskWrite::ask(&desk, "createProject"), async {
                assert!(matches!(asked.recv().await, Some(Event::Account(AccountEvent::WriteAsked { .. }))));
                desk.answer_write(said);
            });
            assert_eq!(went, goes);
        }
        assert!(AskWrite::ask(&desk, "createProject").await && asked.try_recv().is_err());
    }
}
