//! Webhook events about visits that are kept in the state folder, one file for each service, and the funnel that they come
//! to: for services that don't count what viewers do.

mod batch;
mod log;
#[cfg(test)]
mod oracle_tests;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;

use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::Value;
use thiserror::Error;
use url::Url;

use self::batch::{Batch, Pending, Prepared, on_all};
use self::log::{Log, append, length, line_of, sync};
use super::saving;
use crate::api::{FunnelFrame, FunnelStep, GetFunnel, ProjectFunnel, funnel_of};
use crate::client::{Client, ClientError};
use crate::domain::funnel::{KnownStep, counted_text};
use crate::domain::told_counts::of_project;
use crate::domain::{LeftOut, Step, StepProduct};
use crate::service::store::{KeptSums, ProjectSums};
use crate::settings::alone;

/// Milliseconds of a day.
const DAY: i64 = 24 * 3600 * 1000;
/// Bytes of events that are counted together.
const AT_ONCE: u64 = 32 * 1024 * 1024;
/// So many payloads are read on all processors.
const MANY: usize = 64;

/// Why there is no funnel.
#[derive(Debug, Error)]
pub enum NoFunnel {
    /// Nothing was kept of this service.
    #[error("nothing was kept")]
    Nothing,
    /// The project can't be read.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// What was kept can't be read.
    #[error("the events that were kept can't be read: {0}")]
    File(#[from] io::Error),
}

/// What became of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Taken {
    /// New ones.
    pub kept: u64,
    /// Those that were there already.
    pub known: u64,
    /// Those that tell of no visit.
    pub unread: u64,
    /// What of the others is not kept.
    pub left: LeftOut,
    /// The first of those that tell of no visit: which line it was, from 1, and what is missing in it.
    pub first_unread: Option<(u64, &'static str)>,
}

impl Taken {
    /// What became of more of them.
    fn add(&mut self, more: Self) {
        self.kept += more.kept;
        self.known += more.known;
        self.unread += more.unread;
        self.left.withheld += more.left.withheld;
        self.left.events += more.left.events;
        self.first_unread = self.first_unread.or(more.first_unread);
    }
}

/// An event on its way to be kept, or which line it was and what is missing in it.
type Read = Result<Prepared, (u64, &'static str)>;

/// What is in a file beside what was counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NotCounted {
    /// Visits of other projects.
    pub elsewhere: u64,
    /// Lines that tell of no visit.
    pub unread: u64,
}

/// The events that are kept of a service: a file with one a line, and their numbers beside it, which follow from it.
pub struct KeptVisits {
    file: PathBuf,
    /// The numbers, once they were asked for.
    sums: Option<KeptSums>,
    /// What an import has counted and not written yet.
    pending: Pending,
}

impl KeptVisits {
    /// Those of the service at an address, below the state folder.
    #[must_use]
    pub fn of(state: &Path, service: &Url) -> Self {
        let name: String = blake3::hash(service.as_str().as_bytes()).to_hex().chars().take(16).collect();
        Self { file: state.join("visits").join(format!("{name}.ndjson")), sums: None, pending: Pending::default() }
    }

    /// Keeps events. One that is there already is not written again; one that tells of no visit is counted, as nobody
    /// knows what of it may be written.
    ///
    /// # Errors
    /// Where the file can't be read or written.
    pub fn keep(&mut self, payloads: impl IntoIterator<Item = Value>) -> io::Result<Taken> {
        let read = |(line, payload)| Prepared::of_payload(&payload).map_err(|why| (line, why));
        let prepared = (1..).zip(payloads).map(read).collect();
        let taken = self.take(prepared)?;
        self.settle()?;
        if taken.kept > 0 {
            sync(&self.file)?;
        }
        Ok(taken)
    }

    /// Writes what is new and counts it: the numbers are written by [`Self::settle`]. What a crash takes of the file is
    /// counted no more, and what it takes of the numbers is counted again.
    fn take(&mut self, prepared: Vec<Read>) -> io::Result<Taken> {
        let (file, pending) = (self.file.clone(), &mut self.pending);
        alone(&file, || {
            let sums = caught_up(&file, &mut self.sums, pending)?;
            let mut taken = Taken::default();
            let (covered, _) = sums.covered().map_err(io::Error::other)?;
            let covered = pending.covers_to().unwrap_or(covered);
            let begin = length(&file)?.unwrap_or_default();
            // Half a line, whose writer was stopped, ends here.
            let is_torn = begin > covered;
            let mut text = if is_torn { "\n".to_owned() } else { String::new() };
            let mut batch = Batch::of(prepared.iter().flatten(), pending, sums)?;
            for event in prepared {
                let mut event = match event {
                    Ok(event) => event,
                    Err(why) => {
                        taken.add(Taken { unread: 1, first_unread: Some(why), ..Taken::default() });
                        continue;
                    }
                };
                taken.add(Taken { left: event.left, ..Taken::default() });
                let line = std::mem::take(&mut event.line);
                if batch.take(event, begin + text.len() as u64) {
                    taken.kept += 1;
                    text.push_str(&line);
                    text.push('\n');
                } else {
                    taken.known += 1;
                }
            }
            if taken.kept > 0 {
                let changes = batch.changes(&file)?;
                append(&file, &text)?;
                pending.add(changes, u64::from(is_torn), (covered, begin + text.len() as u64));
                if pending.is_much() {
                    pending.write(sums)?;
                }
            }
            Ok(taken)
        })?
    }

    /// Writes the numbers that were counted.
    fn settle(&mut self) -> io::Result<()> {
        let (file, pending) = (self.file.clone(), &mut self.pending);
        alone(&file, || {
            let sums = caught_up(&file, &mut self.sums, pending)?;
            pending.write(sums)
        })?
    }

    /// The same of lines of JSON, in parts that fit into memory: the next one is read while one is counted.
    ///
    /// # Errors
    /// Where they can't be read, or the file can't be read or written.
    pub fn import(&mut self, mut from: impl BufRead + Send + 'static) -> io::Result<Taken> {
        let (mut all, mut is_whole) = (Taken::default(), false);
        let mut lines = 0;
        let (sender, parts) = sync_channel(1);
        // Nobody waits for it to end: where a part can't be written, it may stand in a pipe on which nothing comes.
        std::thread::Builder::new().name("import".to_owned()).spawn(move || {
            loop {
                let part = part_of(&mut from, &mut lines);
                let is_last = part.as_ref().is_ok_and(Vec::is_empty) || part.is_err();
                // Nobody takes any more where they can't be written.
                if sender.send(part).is_err() || is_last {
                    return;
                }
            }
        })?;
        for part in parts {
            let part = part?;
            is_whole = part.is_empty();
            if is_whole {
                break;
            }
            all.add(self.take(part)?);
        }
        self.settle()?;
        if all.kept > 0 {
            sync(&self.file)?;
        }
        // A reader that panicked sends no end.
        if is_whole { Ok(all) } else { Err(io::Error::other("the events were read only in part; import them again")) }
    }

    /// The sums of a project over days, and what else is there. Reads the numbers, and no event but those that another
    /// process has written since.
    fn read(&mut self, project: &str, days: [Option<i64>; 2]) -> io::Result<(ProjectSums, NotCounted)> {
        self.settle()?;
        let file = self.file.clone();
        let sums = alone(&file, || caught_up(&file, &mut self.sums, &mut self.pending))??;
        let (_, unread) = sums.covered().map_err(io::Error::other)?;
        let read = sums.read(project, days).map_err(io::Error::other)?;
        let not = NotCounted { elsewhere: read.elsewhere, unread };
        Ok((read, not))
    }
}

/// The events of the next lines, which are counted; none at the end.
fn part_of(from: &mut impl BufRead, lines: &mut u64) -> io::Result<Vec<Read>> {
    let (mut part, mut bytes) = (Vec::new(), 0);
    while bytes < AT_ONCE {
        let Some(line) = line_of(from)? else { break };
        bytes += line.bytes;
        *lines += 1;
        if !line.text.trim().is_empty() {
            part.push((*lines, line.text));
        }
        // Blank lines are no end.
        if part.is_empty() {
            bytes = 0;
        }
    }
    Ok(on_all(part, MANY, |(at, line): (u64, String)| Prepared::of_text(&line).map_err(|why| (at, why))))
}

/// The numbers of a file, with all that is in it but for what is pending. An earlier version wrote no numbers, and whoever was
/// stopped in the middle not all of them. Nobody else may change the file meanwhile.
fn caught_up<'a>(file: &Path, sums: &'a mut Option<KeptSums>, pending: &mut Pending) -> io::Result<&'a mut KeptSums> {
    let sums = match sums {
        Some(sums) => sums,
        none => none.insert(KeptSums::open(&file.with_extension("sqlite3")).map_err(io::Error::other)?),
    };
    let length = length(file)?.unwrap_or_default();
    let (mut covered, _) = sums.covered().map_err(io::Error::other)?;
    if pending.completes(covered, length) {
        return Ok(sums);
    }
    // Somebody else has counted it meanwhile, or will now.
    *pending = Pending::default();
    if covered > length {
        // Somebody has removed events.
        sums.clear().map_err(io::Error::other)?;
        covered = 0;
    }
    if covered < length {
        count_behind(file, covered, sums)?;
    }
    Ok(sums)
}

/// Counts what is behind a place of a file.
fn count_behind(file: &Path, mut covered: u64, sums: &mut KeptSums) -> io::Result<()> {
    let mut pending = Pending::default();
    let mut log = Log::open(file)?;
    log.go_to(covered)?;
    loop {
        let (begin, mut lines) = (covered, Vec::new());
        while covered - begin < AT_ONCE {
            let Some(line) = log.next()?.filter(|line| line.is_whole) else { break };
            if !line.text.is_empty() {
                lines.push((covered, line.text));
            }
            covered += line.bytes;
        }
        if covered == begin {
            return pending.write(sums);
        }
        let events = on_all(lines, MANY, |(place, line)| (place, Prepared::of_line(line)));
        let mut batch = Batch::of(events.iter().filter_map(|(_, event)| event.as_ref()), &pending, sums)?;
        let mut unread = 0;
        for (place, event) in events {
            match event {
                Some(event) => drop(batch.take(event, place)),
                None => unread += 1,
            }
        }
        pending.add(batch.changes(file)?, unread, (begin, covered));
        if pending.is_much() {
            pending.write(sums)?;
        }
    }
}

/// The day of a date or a time, since 1970, UTC.
fn day_of(text: &str) -> Option<i64> {
    let at = text.parse::<Timestamp>().ok().map(Timestamp::as_millisecond);
    let midnight =
        |date: Date| Some(date.at(0, 0, 0, 0).to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().as_millisecond());
    at.or_else(|| midnight(text.parse::<Date>().ok()?)).map(|at| at.div_euclid(DAY))
}

fn name_of(step: &Step) -> String {
    let name = step.name.as_ref().map(|name| name.as_str().to_owned());
    name.or_else(|| step.id.as_ref().map(|id| id.as_str().to_owned())).unwrap_or_default()
}

/// The steps of now: as they are counted, and as they are told.
fn steps_of(steps: &[Step]) -> (Vec<KnownStep>, Vec<FunnelStep>) {
    let names: HashMap<&str, String> =
        steps.iter().filter_map(|step| Some((step.id.as_ref()?.as_str(), name_of(step)))).collect();
    let product = |link: &StepProduct| match &link.variant_id {
        Some(variant) => format!("{} {}", link.product_id.as_str(), variant.as_str()),
        None => link.product_id.as_str().to_owned(),
    };
    let step = |step: &Step| {
        let next = |next: &Option<String>| next.clone().filter(|next| !next.is_empty());
        let answers: Vec<(String, Option<String>)> =
            step.answers.iter().flatten().map(|answer| (answer.text.clone(), next(&answer.next))).collect();
        let products: Vec<String> = step.products.iter().flatten().map(product).collect();
        let to = |next: &Option<String>| next.as_ref().map(|next| names.get(next.as_str()).unwrap_or(next).clone());
        let known = KnownStep {
            name: name_of(step),
            answers: answers.iter().map(|(text, _)| counted_text(text)).collect(),
            leads: answers.iter().map(|(_, next)| to(next)).collect(),
            products: products.clone(),
        };
        let filled = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        let title = filled(&step.description).or_else(|| filled(&step.overlay_text));
        (known, FunnelStep { name: name_of(step), title, answers, products })
    };
    steps.iter().map(step).unzip()
}

/// The numbers of a project beside its steps of now.
fn shown(read: ProjectSums, steps: &[Step], [since, until]: [Option<i64>; 2]) -> ProjectFunnel {
    let (known, now) = steps_of(steps);
    let frame = FunnelFrame { since, until, days: read.days, ..FunnelFrame::default() };
    let funnel = funnel_of(of_project(read.sums, &known), now, frame);
    ProjectFunnel { source: Some("payloads".to_owned()), ..funnel }
}

/// The funnel of the events that were kept of a service that doesn't count.
///
/// # Errors
/// [`NoFunnel`]; the project's own 404 is the client's.
pub async fn funnel(client: &Client, state: &Path, ask: &GetFunnel) -> Result<(ProjectFunnel, NotCounted), NoFunnel> {
    let steps = saving::read(client, &ask.id).await?.project.steps.unwrap_or_default();
    let mut kept = KeptVisits::of(state, &client.hosts().base);
    if !kept.file.exists() {
        return Err(NoFunnel::Nothing);
    }
    let (project, days) =
        (ask.id.as_str().to_owned(), [&ask.since, &ask.until].map(|day| day.as_deref().and_then(day_of)));
    let counting = move || {
        let (read, not) = kept.read(&project, days)?;
        Ok::<_, io::Error>((shown(read, &steps, days), not))
    };
    Ok(tokio::task::spawn_blocking(counting).await.map_err(io::Error::other)??)
}
