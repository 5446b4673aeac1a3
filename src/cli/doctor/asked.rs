//! What the terminal itself answers, asked as the studio asks it.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::raw::Raw;
use crate::cli::Session;
use crate::settings::{Depth, Graphics};
use crate::terminal::{Answer, Answers, Arrival, Capability, Decoder, questions, read_within};

/// So long a terminal is waited for; far ones take the time of the line.
const PATIENCE: Duration = Duration::from_millis(1_500);

/// Between two looks at the time.
const LOOK: Duration = Duration::from_millis(50);

/// What it answered.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct Asked {
    /// Whether it was asked at all.
    pub(super) any_question: bool,
    /// Whether it answered what every terminal answers: then what else it didn't answer it doesn't know.
    pub(super) has_answered: bool,
    /// What it said about pictures.
    pub(super) answers: Answers,
    /// Whether it tells keys apart.
    pub(super) keyboard: bool,
    /// Whether it shows colors of 24 bits.
    pub(super) direct: bool,
    /// Whether its background is light.
    pub(super) light: Option<bool>,
}

impl Asked {
    fn take(&mut self, answer: Answer) {
        match answer {
            Answer::Keyboard => self.keyboard = true,
            Answer::Direct => self.direct = true,
            Answer::Background { light } => self.light = Some(light),
            answer => self.has_answered |= self.answers.take(answer),
        }
    }
}

/// Whether there is a terminal that can be drawn on, with a person at it.
pub(super) fn is_at_terminal(session: &Session) -> bool {
    let term = session.environment.get("TERM").unwrap_or_default();
    io::stdin().is_terminal() && io::stdout().is_terminal() && !term.is_empty() && term != "dumb"
}

/// Asks the terminal, where there is one that is to be asked.
pub(super) fn ask(session: &Session, capability: &Capability, raw: &Mutex<()>) -> Asked {
    let background = session.target.theme.is_none() && capability.depth != Depth::Mono;
    let pictures = session.target.terminal.pictures() != Some(Graphics::Off);
    let questions = questions(capability, background, pictures);
    let mut asked = Asked::default();
    if questions.is_empty() || !is_at_terminal(session) {
        return asked;
    }
    asked.any_question = true;
    // What it doesn't say can't be asked again: nothing is known then.
    let _ = hear(&questions, capability.passes, raw, &mut asked);
    asked
}

fn hear(questions: &[u8], passes: bool, raw: &Mutex<()>, asked: &mut Asked) -> io::Result<()> {
    let held = raw.lock().unwrap_or_else(PoisonError::into_inner);
    let _raw = Raw::new()?;
    drop(held);
    let mut out = io::stdout();
    out.write_all(questions)?;
    out.flush()?;
    let (begun, mut decoder, mut arrivals) = (Instant::now(), Decoder::default(), Vec::new());
    // What the terminal around tmux says comes after the last that tmux says.
    while begun.elapsed() < PATIENCE && (passes || !asked.has_answered) {
        if let Some(bytes) = read_within(LOOK)? {
            decoder.take(begun.elapsed(), &bytes, &mut arrivals);
        }
        for arrival in arrivals.drain(..) {
            if let Arrival::Answer(answer) = arrival {
                asked.take(answer);
            }
        }
    }
    Ok(())
}
