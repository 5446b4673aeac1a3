//! A journal of a guest that is there in the database, and what is known of it.

use super::super::Unkept;
use super::length;
use crate::draft::Record;
use crate::draft::journal;
use crate::service::guests::{DraftPlace, GuestHome};

/// A journal that is there.
pub(super) struct Opened {
    /// The number of its last line.
    pub(super) last: u64,
    /// How long it is, bytes.
    pub(super) length: usize,
    /// How long it was when it was written again, bytes.
    pub(super) compact: usize,
    /// What was not answered.
    pub(super) doubt: Option<Doubt>,
}

/// What nobody knows of a journal: whether what was asked for last was done.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Doubt {
    /// Lines may be behind the length.
    Written,
    /// It may have been written again.
    Compacted,
}

/// That what was written stands where it was meant to.
pub(super) fn placed(place: DraftPlace) -> Result<(), Unkept> {
    match place {
        DraftPlace::Own => Ok(()),
        DraftPlace::Another => Err(Unkept::Seized),
        DraftPlace::Nothing => Err(Unkept::Failed("it was removed from the service's database".to_owned())),
    }
}

impl Opened {
    /// Adds records behind what is known to be in it.
    pub(super) fn write(
        &mut self,
        home: &GuestHome,
        (name, fence): (&str, &str),
        records: &[Record],
    ) -> Result<(), Unkept> {
        let before = match self.doubt {
            None => None,
            Some(doubt) => Some(self.settle(home, name, doubt)?),
        };
        let (mut text, mut last) = (String::new(), self.last);
        for record in records {
            let (lines, number) = journal::lines(record, last);
            text.push_str(&lines);
            last = number;
        }
        let length = self.length + length(&text);
        // Whatever of this is not answered may be there or not, and is written again then.
        self.doubt = Some(Doubt::Written);
        let (text, whole) = match before {
            Some(before) => (before + &text, true),
            None => (text, false),
        };
        placed(home.write_draft(name, fence, text, whole)?)?;
        (self.last, self.length, self.doubt) = (last, length, None);
        Ok(())
    }

    /// What is known to be in it.
    fn settle(&mut self, home: &GuestHome, name: &str, doubt: Doubt) -> Result<String, Unkept> {
        let text = home.read_draft(name)?;
        if doubt == Doubt::Compacted {
            let read = journal::read(text.as_bytes()).map_err(|error| Unkept::Failed(error.to_string()))?;
            (self.last, self.length) = (read.last, length(&text));
        }
        let known = text.get(..self.length).ok_or_else(|| Unkept::Failed("it is shorter than it was".to_owned()))?;
        Ok(known.to_owned())
    }
}
