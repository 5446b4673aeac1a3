//! How many texts of events are not kept, counted while the events are read.

use std::io::{self, BufRead, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::domain::{BorrowedJson, KeptVisit};

/// A longer line tells of no visit, bytes.
const LONGEST: usize = 16 * 1024 * 1024;

/// Members under which viewers say who they are, and the sign of an address: a line without any withholds nothing.
const SIGNS: [&str; 8] = ["ollected", "contact", "customer", "\"name\"", "email", "phone", "@", "+"];

/// Lines of events, as they come.
pub(super) struct Withholding<R> {
    from: R,
    /// What came of the line that is being read.
    line: Vec<u8>,
    withheld: Arc<AtomicU64>,
}

impl<R> Withholding<R> {
    pub(super) fn new(from: R, withheld: Arc<AtomicU64>) -> Self {
        Self { from, line: Vec::new(), withheld }
    }

    /// Counts what the line that has ended withholds.
    fn count(&mut self) {
        if let Ok(line) = std::str::from_utf8(&self.line) {
            self.withheld.fetch_add(of(line), Ordering::Relaxed);
        }
        self.line.clear();
    }

    fn saw(&mut self, bytes: &[u8]) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.line.len() + part.len() <= LONGEST {
                self.line.extend_from_slice(part);
            }
            if part.ends_with(b"\n") {
                self.count();
            }
        }
    }
}

/// How many texts of an event are not kept.
fn of(line: &str) -> u64 {
    if !SIGNS.iter().any(|sign| line.contains(sign)) {
        return 0;
    }
    BorrowedJson::of(line).ok().and_then(|event| KeptVisit::told(&event).ok()).map_or(0, |(_, withheld)| withheld)
}

/// That texts were left out, for people.
pub(super) fn told(withheld: u64) -> String {
    let texts = if withheld == 1 { "1 text".to_owned() } else { format!("{withheld} texts") };
    format!("{texts} not kept: they may name a viewer")
}

impl<R: BufRead> Read for Withholding<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(into)?;
        self.consume(read);
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Withholding<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.from.fill_buf()?.is_empty() {
            // The last line may have no end.
            self.count();
        }
        self.from.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        let seen = self.from.fill_buf().ok().and_then(|bytes| bytes.get(..amount)).map(<[u8]>::to_vec);
        self.saw(&seen.unwrap_or_default());
        self.from.consume(amount);
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    #[test]
    fn what_is_withheld_is_counted_line_by_line_however_it_comes() {
        let event = |text: &str| {
            format!(
                r#"{{"sessionId":"s","projectId":"p","timestamp":1,"collectedInfo":{{"name":"Ed"}},"events":[{{"eventName":"answer_selected","text":"{text}"}}]}}"#
            )
        };
        let text = [event("For Ed"), event("Redder"), "no event, by ed@example.com".to_owned(), event("Ed")].join("\n");
        for size in [1, 7, 10_000] {
            let withheld = Arc::new(AtomicU64::new(0));
            let from = BufReader::with_capacity(size, text.as_bytes());
            let mut read = String::new();
            Withholding::new(from, Arc::clone(&withheld)).read_to_string(&mut read).unwrap();
            assert_eq!((read == text, withheld.load(Ordering::Relaxed)), (true, 2), "{size}");
        }
    }
}
