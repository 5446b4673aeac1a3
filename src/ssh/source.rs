//! The keys of a guest: they end when the session is to end, and when nobody has pressed one for long.

use std::io;
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::Limits;
use super::limits::period;
use crate::runtime::surface::Source;
use crate::studio::event::Event;

/// The keys of a guest's terminal.
pub(super) struct GuestSource<S> {
    keys: S,
    end: CancellationToken,
    limits: Limits,
    pressed_at: Instant,
    is_warned: bool,
    /// Cancelled where they ended because nothing was pressed.
    idled: CancellationToken,
}

impl<S> GuestSource<S> {
    /// They end with the input, with `end`, or when nothing was pressed for as long as the limits say.
    pub(super) fn new(keys: S, end: CancellationToken, limits: Limits) -> Self {
        let idled = CancellationToken::new();
        Self { keys, end, limits, pressed_at: Instant::now(), is_warned: false, idled }
    }

    /// Cancelled where they ended because nothing was pressed.
    pub(super) fn idled(&self) -> CancellationToken {
        self.idled.clone()
    }

    /// When something is to be done though nothing arrives.
    fn due(&self) -> Instant {
        let ends = self.pressed_at + self.limits.idle;
        if self.is_warned { ends } else { ends.checked_sub(self.limits.idle_warning).unwrap_or(ends) }
    }
}

/// What is said before the end.
fn warning(rest: Duration) -> Event {
    let within = period(rest);
    Event::NotKept(format!("Nothing was pressed for long: this session ends in {within}. Press any key to stay."))
}

/// Whether a person did it: terminals answer questions, and change their size, by themselves.
fn is_of_person(event: &Event) -> bool {
    matches!(event, Event::Pressed(_) | Event::Pasted(_) | Event::Entered(_) | Event::Mouse(_))
}

impl<S: Source> Source for GuestSource<S> {
    async fn next(&mut self) -> Option<Vec<Event>> {
        let due = self.due();
        let arrived = tokio::select! {
            biased;
            () = self.end.cancelled() => None,
            arrived = self.keys.next() => arrived,
            () = tokio::time::sleep_until(due) => {
                if self.is_warned {
                    self.idled.cancel();
                    return None;
                }
                self.is_warned = true;
                return Some(vec![warning(self.limits.idle_warning)]);
            }
        };
        if arrived.iter().flatten().any(is_of_person) {
            self.stay();
        }
        arrived
    }

    fn stay(&mut self) {
        (self.pressed_at, self.is_warned) = (Instant::now(), false);
    }

    async fn ended(&mut self) {
        tokio::select! {
            () = self.end.cancelled() => {}
            () = self.keys.ended() => {}
        }
    }

    fn release(&mut self) {
        self.keys.release();
    }

    fn reclaim(&mut self) -> impl Future<Output = io::Result<()>> + Send {
        self.keys.reclaim()
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc;

    use super::*;

    /// What is sent is what arrives.
    struct Keys(mpsc::UnboundedReceiver<Vec<Event>>);

    impl Source for Keys {
        async fn next(&mut self) -> Option<Vec<Event>> {
            self.0.recv().await
        }

        async fn ended(&mut self) {
            std::future::pending::<()>().await;
        }
    }

    fn source(idle: Duration) -> (mpsc::UnboundedSender<Vec<Event>>, GuestSource<Keys>) {
        let (presses, keys) = mpsc::unbounded_channel();
        (presses, GuestSource::new(Keys(keys), CancellationToken::new(), Limits::default().idle_for(idle)))
    }

    fn is_warning(events: Option<&Vec<Event>>) -> bool {
        matches!(events.map(Vec::as_slice), Some([Event::NotKept(words)]) if words.contains("Press any key"))
    }

    #[tokio::test]
    async fn where_nothing_is_pressed_the_end_is_said_before_it_comes() {
        let (presses, mut source) = source(Duration::from_millis(40));
        assert!(is_warning(source.next().await.as_ref()));
        // A key stays its end; what a terminal says by itself doesn't.
        presses.send(vec![Event::Pasted("x".to_owned())]).unwrap();
        assert_eq!(source.next().await.map(|events| events.len()), Some(1));
        assert!(!source.is_warned);
        assert!(is_warning(source.next().await.as_ref()));
        // So does one that comes another way, from who was given the keys.
        source.stay();
        assert!(is_warning(source.next().await.as_ref()));
        assert!(!source.idled().is_cancelled());
        assert!(source.next().await.is_none(), "it ends");
        assert!(source.idled().is_cancelled(), "and says why");
    }

    #[test]
    fn a_short_time_is_warned_of_in_its_middle() {
        let limits = Limits::default().idle_for(Duration::from_secs(60));
        assert_eq!((limits.idle, limits.idle_warning), (Duration::from_secs(60), Duration::from_secs(30)));
        assert_eq!(Limits::default().idle_for(Duration::from_secs(3600)).idle_warning, Duration::from_secs(300));
    }
}
