//! A line between the studio and its terminal, as one over SSH is: it takes everything at once, carries it at its own rate,
//! and what has arrived is answered after the way back.

use std::io::{Read, Write};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// What the studio's answers and keys are written to.
pub type Writer = Arc<Mutex<Box<dyn Write + Send>>>;

/// What a terminal is asked, and answers.
const QUERY: &[u8] = b"\x1b[5n";
const ANSWER: &[u8] = b"\x1b[0n";

/// A line.
#[derive(Debug, Clone, Copy)]
pub struct Far {
    /// There and back.
    pub round_trip: Duration,
    /// Bytes a second.
    pub rate: f64,
}

/// Carries what a studio writes to its terminal.
pub struct Carrier {
    pub far: Far,
    pub answers: Writer,
}

impl Carrier {
    /// Carries everything that is read to the terminal, which is told nothing at the end.
    #[allow(clippy::cast_precision_loss)] // Pieces are small.
    pub fn carry(self, mut reader: impl Read + Send + 'static, mut show: impl FnMut(&[u8])) {
        let Far { round_trip, rate } = self.far;
        let (taken, taking) = channel::<(Instant, Vec<u8>)>();
        let swallowing = thread::spawn(move || {
            let mut buffer = [0; 16 * 1024];
            while let Some(read) = reader.read(&mut buffer).ok().filter(|read| *read > 0) {
                if taken.send((Instant::now(), buffer[..read].to_vec())).is_err() {
                    return;
                }
            }
        });
        let (answered, answering) = channel::<Instant>();
        let answers = self.answers;
        let back = thread::spawn(move || {
            for at in answering {
                until(at + round_trip / 2);
                let mut writer = answers.lock().unwrap();
                // The studio may have ended meanwhile.
                let _ = writer.write_all(ANSWER).and_then(|()| writer.flush());
            }
        });
        let (mut through_at, mut tail) = (Instant::now(), Vec::new());
        for (arrived, bytes) in taking {
            for piece in bytes.chunks(128) {
                let lasts = Duration::from_secs_f64(piece.len() as f64 / rate);
                through_at = through_at.max(arrived) + lasts;
                until(through_at + round_trip / 2);
                show(piece);
                tail.extend_from_slice(piece);
                let asked = tail.windows(QUERY.len()).filter(|window| *window == QUERY).count();
                for _ in 0..asked {
                    let _ = answered.send(Instant::now());
                }
                // A query that is cut in two is counted once its end is here.
                let last =
                    tail.windows(QUERY.len()).rposition(|window| window == QUERY).map_or(0, |at| at + QUERY.len());
                let kept = last.max(tail.len().saturating_sub(QUERY.len() - 1));
                tail.drain(..kept);
            }
        }
        drop(answered);
        show(&[]);
        let _ = (swallowing.join(), back.join());
    }
}

fn until(at: Instant) {
    thread::sleep(at.saturating_duration_since(Instant::now()));
}
