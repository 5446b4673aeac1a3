//! How much may be on its way to a terminal at once, worked out from how soon it answers.
//!
//! Over SSH no write ever blocks: the pseudo-terminal, the channel and TCP take everything, and what was taken is shown in
//! its turn, however late. Only the terminal's own answer tells what was seen. So frames end with a query, and no more
//! than a window of bytes without an answer is on its way. The window is what the line carries in the time that an answer
//! takes, and a little more; beyond it the newest frame waits, and older ones are never sent.
//!
//! All of it is a value: the time comes in with every call, counted from any beginning.

use std::collections::VecDeque;
use std::time::Duration;

/// What asks the terminal whether it has come so far (DSR 5).
pub const STATUS_QUERY: &[u8] = b"\x1b[5n";

/// The window while nothing is known of the line, bytes.
const FIRST_WINDOW: f64 = 4_096.0;
const LEAST_WINDOW: f64 = 1_024.0;
const MOST_WINDOW: f64 = 1_048_576.0;

/// How long what is sent may wait in the line behind what was sent before, seconds.
const QUEUED: f64 = 0.2;

/// A terminal that answered nothing for so long answers nothing at all, as far as it is known.
const SILENT: Duration = Duration::from_secs(3);

/// How long the shortest round trip stays believed before it is measured again.
const FRESH: Duration = Duration::from_secs(10);

/// What a terminal far away that doesn't answer is given: so many bytes a second, and so many at once.
const SILENT_RATE: f64 = 8_192.0;
const SILENT_BURST: f64 = 8_192.0;

/// The slowest line that is reckoned with, bytes a second: an answer is not given up before it could have come.
const SLOWEST_RATE: f64 = 500.0;

/// A round trip above this is one of a slow line.
const SLOW: Duration = Duration::from_millis(150);

/// A query that was not answered yet.
#[derive(Debug, Clone, Copy)]
struct Probe {
    sent_at: Duration,
    /// How many bytes were sent up to its end, of all that ever were.
    up_to: u64,
    /// How many of them had no answer then.
    in_flight: u64,
    /// Whether it was sent while nothing else was on its way, so that its answer tells the round trip alone.
    is_alone: bool,
    /// Whether nothing was on its way before the bytes that it ends.
    is_first: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Terminal {
    /// It was asked, and did not answer so far.
    Unknown,
    Answers,
    /// It does not answer. What it may be given without waiting, as of a time.
    Silent {
        tokens: f64,
        at: Duration,
    },
}

/// What is to be done about a line on which nothing happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pulse {
    /// Nothing, before this time; `None` where nobody answers anyway, or the terminal is beside us.
    Quiet(Option<Duration>),
    /// The terminal is asked whether it is there.
    Ask,
    /// It was asked again and again, and has not answered for so long that the line is taken to be lost.
    Lost,
}

/// Paces what is sent to one terminal.
#[derive(Debug)]
pub struct Pacer {
    /// Whether the terminal is on the other end of a line; one beside us is not held up before it has answered.
    far: bool,
    terminal: Terminal,
    probes: VecDeque<Probe>,
    sent: u64,
    answered: u64,
    window: f64,
    /// Bytes a second that the line carries, where it was seen.
    rate: Option<f64>,
    /// The shortest round trip, and when it was last measured on an empty line.
    base: Option<Duration>,
    measured_at: Duration,
    /// How many bytes the last frame was: likely those of the next.
    typical: u64,
    /// How many times in a row an answer was given up.
    given_up: u32,
    /// How many bytes were sent up to the last query, and when what was sent was answered last.
    asked_up_to: u64,
    answered_at: Duration,
    /// When the terminal answered last, and since when it is asked in vain.
    heard_at: Duration,
    unheard_since: Option<Duration>,
    asked_at: Duration,
}

impl Pacer {
    /// Of a terminal that was not asked anything yet.
    #[must_use]
    pub fn new(far: bool) -> Self {
        Self {
            far,
            terminal: Terminal::Unknown,
            probes: VecDeque::new(),
            sent: 0,
            answered: 0,
            window: FIRST_WINDOW,
            rate: None,
            base: None,
            measured_at: Duration::ZERO,
            typical: 0,
            given_up: 0,
            asked_up_to: 0,
            answered_at: Duration::ZERO,
            heard_at: Duration::ZERO,
            unheard_since: None,
            asked_at: Duration::ZERO,
        }
    }

    /// Of a terminal that is not to be asked.
    #[must_use]
    pub fn silent(far: bool) -> Self {
        Self { terminal: Terminal::Silent { tokens: SILENT_BURST, at: Duration::ZERO }, ..Self::new(far) }
    }

    /// Bytes were handed on that no query ends.
    pub fn sent(&mut self, bytes: usize) {
        self.sent += bytes as u64;
        if let Terminal::Silent { tokens, .. } = &mut self.terminal {
            #[allow(clippy::cast_precision_loss)] // Nobody sends so much.
            let bytes = bytes as f64;
            *tokens -= bytes;
        }
    }

    /// A query was handed on.
    pub fn asked(&mut self, now: Duration) {
        self.sent(STATUS_QUERY.len());
        self.asked_at = now;
        self.unheard_since.get_or_insert(now);
        let in_flight = self.sent - self.answered;
        let before = in_flight - (self.sent - std::mem::replace(&mut self.asked_up_to, self.sent)).min(in_flight);
        let few = 2 * STATUS_QUERY.len() as u64;
        self.probes.push_back(Probe {
            sent_at: now,
            up_to: self.sent,
            in_flight,
            is_alone: self.probes.is_empty() && in_flight <= few,
            is_first: before <= few,
        });
    }

    /// A frame of so many bytes was handed on, that a query ends where the terminal [is asked](Self::asks).
    pub fn framed(&mut self, now: Duration, bytes: usize) {
        self.typical = bytes as u64;
        let query = if self.asks() { STATUS_QUERY.len() } else { 0 };
        self.sent(bytes.saturating_sub(query));
        if self.asks() {
            self.asked(now);
        }
    }

    /// Whether frames end with a query: not where the terminal does not answer any.
    #[must_use]
    pub fn asks(&self) -> bool {
        !matches!(self.terminal, Terminal::Silent { .. })
    }

    /// Whether a query goes before the next frame, too: nothing is on its way, and it is long ago that the round trip was
    /// measured on an empty line.
    #[must_use]
    pub fn asks_before(&self, now: Duration) -> bool {
        self.asks() && self.probes.is_empty() && self.is_old(now)
    }

    /// The terminal answered a query.
    pub fn answered(&mut self, now: Duration) {
        (self.heard_at, self.unheard_since) = (now, None);
        let Some(probe) = self.probes.pop_front() else {
            // One that was given up already: it answers after all.
            self.terminal = Terminal::Answers;
            return;
        };
        self.terminal = Terminal::Answers;
        self.given_up = 0;
        let delivered = probe.up_to.saturating_sub(self.answered);
        self.answered = probe.up_to;
        let took = now.saturating_sub(probe.sent_at);
        if probe.is_alone {
            (self.base, self.measured_at) = (Some(took), now);
        }
        let base = self.base.map_or(took, |base| base.min(took));
        self.base = Some(base);
        if delivered > STATUS_QUERY.len() as u64 {
            let since = now.saturating_sub(std::mem::replace(&mut self.answered_at, now));
            self.learn_rate(&probe, delivered, took, base, since);
        }
        self.answered_at = now;
        if let Some(rate) = self.rate {
            self.window = (rate * (base.as_secs_f64() + QUEUED)).clamp(LEAST_WINDOW, MOST_WINDOW);
        }
    }

    /// An answer took so long, where one on an empty line takes `base`; the one before it came `since` ago.
    #[allow(clippy::cast_precision_loss)] // Nobody sends so much.
    fn learn_rate(&mut self, probe: &Probe, delivered: u64, took: Duration, base: Duration, since: Duration) {
        let per_second = |bytes: u64, seconds: f64| bytes as f64 / seconds.max(0.002);
        // Some of the time is the terminal's own, and some is how much the way there varies.
        let own = 0.010 + base.as_secs_f64() / 20.0;
        let longer = took.saturating_sub(base).as_secs_f64();
        let all = per_second(probe.in_flight, took.as_secs_f64());
        let alone = per_second(probe.in_flight, longer - own);
        // One answer that happened to come soon does not make a fast line, nor one that came late a slow one.
        self.rate = Some(match self.rate {
            None if probe.is_first => alone,
            None => all,
            Some(rate) if probe.is_first && alone <= rate => f64::midpoint(rate, alone),
            Some(rate) if probe.is_first && probe.in_flight >= 512 => alone.min(rate * 2.0),
            Some(rate) if probe.is_first => rate,
            // The line carried all of this in the time of one answer: at least that.
            Some(rate) if all > rate => all.min(rate * 2.0),
            // Where it waited in the line, answers come as far apart as their bytes take.
            Some(rate) if longer > own => f64::midpoint(rate, per_second(delivered, since.as_secs_f64()).min(rate)),
            Some(rate) => rate,
        });
    }

    /// Whether a frame may be handed on now; else when that is to be asked again, where no answer comes before.
    ///
    /// # Errors
    /// That time.
    pub fn may_send(&mut self, now: Duration) -> Result<(), Duration> {
        let first = self.probes.front().copied();
        match (&mut self.terminal, first) {
            (Terminal::Silent { tokens, at }, _) => {
                if !self.far {
                    return Ok(());
                }
                *tokens = (*tokens + now.saturating_sub(*at).as_secs_f64() * SILENT_RATE).min(SILENT_BURST);
                *at = now;
                if *tokens >= 0.0 { Ok(()) } else { Err(now + Duration::from_secs_f64(-*tokens / SILENT_RATE)) }
            }
            (_, None) => Ok(()),
            (Terminal::Unknown, Some(first)) => {
                let until = first.sent_at + SILENT;
                if now >= until {
                    self.terminal = Terminal::Silent { tokens: SILENT_BURST, at: now };
                    self.probes.clear();
                    return self.may_send(now);
                }
                if !self.far || self.has_room(now) { Ok(()) } else { Err(until) }
            }
            (Terminal::Answers, Some(first)) => {
                if self.has_room(now) {
                    return Ok(());
                }
                let until = first.sent_at + self.patience();
                if now < until {
                    return Err(until);
                }
                // Answers get lost where something else reads them. What is on its way counts as arrived, once; where the
                // line is only slow, that is tried less and less often.
                self.given_up = (self.given_up + 1).min(6);
                self.answered = self.sent;
                self.probes.clear();
                self.window = LEAST_WINDOW;
                Ok(())
            }
        }
    }

    /// How many bytes the next frame may have at most, where the line is narrow: what is not in it comes with the one after
    /// it, as it is by then.
    #[must_use]
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)] // It is small.
    pub fn most(&self) -> Option<usize> {
        let narrow = self.far && self.rate.is_some() && self.terminal == Terminal::Answers;
        narrow.then(|| {
            let room = self.window - (self.sent - self.answered) as f64;
            // Two parts follow each other, so that the line is never empty while the answer to one is on its way.
            room.min(self.window / 2.0).max(LEAST_WINDOW / 2.0) as usize
        })
    }

    fn is_old(&self, now: Duration) -> bool {
        self.base.is_none() || now.saturating_sub(self.measured_at) > FRESH
    }

    /// Whether the next frame fits into the window. What is old is measured again, on a line that is empty for it.
    fn has_room(&self, now: Duration) -> bool {
        let overdue = self.base.is_some() && now.saturating_sub(self.measured_at) > 2 * FRESH;
        #[allow(clippy::cast_precision_loss)] // Nobody sends so much.
        let (on_its_way, typical) = ((self.sent - self.answered) as f64, self.typical as f64);
        // A frame that is larger than half of it comes in parts. Each ends with a row, so that it is a little larger than it
        // should be: two of them fit all the same, as else the line is empty until the first one is answered.
        let next = if self.most().is_some() && typical > self.window / 2.0 { self.window / 4.0 } else { typical };
        self.probes.is_empty() || (!overdue && on_its_way + next <= self.window)
    }

    /// How long an answer to what is on its way is waited for.
    fn patience(&self) -> Duration {
        let rate = self.rate.map_or(SLOWEST_RATE, |rate| (rate / 4.0).max(SLOWEST_RATE));
        #[allow(clippy::cast_precision_loss)] // Nobody sends so much.
        let bytes = (self.sent - self.answered) as f64;
        let likely = SILENT + 2 * self.base.unwrap_or_default() + Duration::from_secs_f64(bytes / rate);
        likely.min(Duration::from_secs(120)) * 2_u32.pow(self.given_up)
    }

    /// What is to be done about a line that has been silent: it is lost where the terminal, which answered before, has
    /// answered nothing for `lost_after`, and is asked ten times meanwhile.
    #[must_use]
    pub fn pulse(&self, now: Duration, lost_after: Duration) -> Pulse {
        if !self.far || self.terminal != Terminal::Answers {
            return Pulse::Quiet(None);
        }
        if self.unheard_since.is_some_and(|since| now.saturating_sub(since) >= lost_after) {
            return Pulse::Lost;
        }
        let due = self.asked_at.max(self.heard_at) + lost_after / 10;
        if now >= due { Pulse::Ask } else { Pulse::Quiet(Some(due)) }
    }

    /// What was on its way is no longer waited for: another program had the terminal meanwhile.
    pub fn forget(&mut self) {
        self.probes.clear();
        self.answered = self.sent;
    }

    /// The round trip to the terminal, once it was measured: what an answer takes on an empty line.
    #[must_use]
    pub fn round_trip(&self) -> Option<Duration> {
        self.base
    }

    /// Whether the terminal has ever answered.
    #[must_use]
    pub fn has_answered(&self) -> bool {
        self.terminal == Terminal::Answers
    }

    /// How long the oldest query waits for its answer.
    #[must_use]
    pub fn waited(&self, now: Duration) -> Option<Duration> {
        self.probes.front().map(|probe| now.saturating_sub(probe.sent_at))
    }

    /// Whether the line is slow: far, or narrow.
    #[must_use]
    pub fn is_slow(&self) -> bool {
        self.base.is_some_and(|base| base > SLOW)
            || (self.far && (!self.asks() || self.rate.is_some_and(|rate| rate < 50_000.0)))
    }
}

#[cfg(test)]
#[path = "pacer_tests.rs"]
mod tests;
