//! Webhook events about visits that are kept in the state folder, one file for each service, and the funnel that they come
//! to: for services that don't count what viewers do.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::Value;
use thiserror::Error;
use url::Url;

use super::saving;
use crate::api::{FunnelFrame, FunnelStep, FunnelSums, GetFunnel, ProjectFunnel, funnel_of};
use crate::client::{Client, ClientError};
use crate::domain::funnel::{KnownStep, counted, counted_text, kind};
use crate::domain::{KeptVisit, Step, StepProduct, ToldVisit};
use crate::settings::alone;

/// Milliseconds of a day.
const DAY: i64 = 24 * 3600 * 1000;
/// The longest line that is read, bytes.
const LONGEST: u64 = 16 * 1024 * 1024;

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
}

/// What is in a file beside what was counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NotCounted {
    /// Visits of other projects.
    pub elsewhere: u64,
    /// Lines that tell of no visit.
    pub unread: u64,
}

/// The events that are kept of a service.
pub struct KeptVisits {
    file: PathBuf,
    /// What the lines of the file are, once it was read.
    known: Option<HashSet<[u8; 16]>>,
}

fn mark(line: &str) -> [u8; 16] {
    let mut mark = [0; 16];
    mark.iter_mut().zip(blake3::hash(line.as_bytes()).as_bytes()).for_each(|(to, from)| *to = *from);
    mark
}

impl KeptVisits {
    /// Those of the service at an address, below the state folder.
    #[must_use]
    pub fn of(state: &Path, service: &Url) -> Self {
        let name: String = blake3::hash(service.as_str().as_bytes()).to_hex().chars().take(16).collect();
        Self { file: state.join("visits").join(format!("{name}.ndjson")), known: None }
    }

    fn known(&mut self) -> io::Result<&mut HashSet<[u8; 16]>> {
        if self.known.is_none() {
            let mut known = HashSet::new();
            lines(&self.file, |line| {
                known.insert(mark(line));
            })?;
            self.known = Some(known);
        }
        Ok(self.known.get_or_insert_default())
    }

    /// Keeps events. One that is there already is not written again; one that tells of no visit is counted, as nobody
    /// knows what of it may be written.
    ///
    /// # Errors
    /// Where the file can't be read or written.
    pub fn keep(&mut self, payloads: impl IntoIterator<Item = Value>) -> io::Result<Taken> {
        let mut taken = Taken::default();
        let mut text = String::new();
        let known = self.known()?;
        for payload in payloads {
            let Ok(kept) = KeptVisit::of(&payload) else {
                taken.unread += 1;
                continue;
            };
            let line = serde_json::to_string(&kept)?;
            if known.insert(mark(&line)) {
                taken.kept += 1;
                text.push_str(&line);
                text.push('\n');
            } else {
                taken.known += 1;
            }
        }
        if !text.is_empty() {
            let file = self.file.clone();
            alone(&self.file, move || append(&file, &text))??;
        }
        Ok(taken)
    }

    /// The same of lines of JSON, in parts that fit into memory.
    ///
    /// # Errors
    /// Where they can't be read, or the file can't be read or written.
    pub fn import(&mut self, from: impl BufRead) -> io::Result<Taken> {
        let mut all = Taken::default();
        let mut part = Vec::new();
        let mut bytes = 0;
        let mut from = from;
        loop {
            let line = line_of(&mut from)?;
            let is_end = line.is_none();
            if let Some(line) = line.filter(|line| !line.trim().is_empty()) {
                bytes += line.len();
                part.push(serde_json::from_str(&line).unwrap_or(Value::Null));
            }
            if is_end || bytes > 8 * 1024 * 1024 {
                let taken = self.keep(part.drain(..))?;
                all = Taken {
                    kept: all.kept + taken.kept,
                    known: all.known + taken.known,
                    unread: all.unread + taken.unread,
                };
                bytes = 0;
            }
            if is_end {
                return Ok(all);
            }
        }
    }

    /// The visits of a project, and what else is there.
    fn visits(&self, project: &str) -> io::Result<(HashMap<String, ToldVisit>, NotCounted)> {
        let (mut visits, mut other, mut not) =
            (HashMap::<String, ToldVisit>::new(), HashSet::new(), NotCounted::default());
        lines(&self.file, |line| match serde_json::from_str::<KeptVisit>(line) {
            Err(_) => not.unread += 1,
            Ok(kept) if kept.project == project => visits.entry(kept.session.clone()).or_default().take(kept),
            Ok(kept) => drop(other.insert(mark(&kept.session))),
        })?;
        not.elsewhere = other.len() as u64;
        Ok((visits, not))
    }
}

/// A line; none at the end. One that is too long is an empty object, and what is behind its beginning is passed over.
fn line_of(from: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    let read = io::Read::take(&mut *from, LONGEST).read_until(b'\n', &mut bytes)?;
    if read == 0 {
        return Ok(None);
    }
    if read as u64 == LONGEST && !bytes.ends_with(b"\n") {
        from.skip_until(b'\n')?;
        return Ok(Some("{}".to_owned()));
    }
    Ok(Some(String::from_utf8_lossy(&bytes).trim_end_matches(['\r', '\n']).to_owned()))
}

fn lines(file: &Path, mut each: impl FnMut(&str)) -> io::Result<()> {
    let file = match File::open(file) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    let mut from = BufReader::new(file);
    while let Some(line) = line_of(&mut from)? {
        if !line.is_empty() {
            each(&line);
        }
    }
    Ok(())
}

fn append(file: &Path, text: &str) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(file)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
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

/// Counts visits. A payload says what was bought, but not which products: an order of theirs is never a direct one.
fn count(
    visits: &HashMap<String, ToldVisit>,
    known: &[KnownStep],
    [since, until]: [Option<i64>; 2],
) -> (FunnelSums, Vec<(i64, i64, i64)>) {
    let mut sums = FunnelSums::new();
    let mut days = std::collections::BTreeMap::<i64, (i64, i64)>::new();
    for visit in visits.values() {
        let day = visit.begun().div_euclid(DAY);
        if since.is_some_and(|since| day < since) || until.is_some_and(|until| day > until) {
            continue;
        }
        let of_day = days.entry(day).or_default();
        of_day.0 += 1;
        for ((step, kind, what), more) in counted(known, &visit.events(), true) {
            of_day.1 += if kind == kind::COMPLETED { more } else { 0 };
            sums.entry((step, kind.to_owned(), what)).or_default().0 += more;
        }
        for (amount, currency, verified) in visit.purchases() {
            let kind = if verified { kind::INDIRECT } else { kind::UNVERIFIED };
            let sum = sums.entry((String::new(), kind.to_owned(), currency.to_owned())).or_default();
            sum.0 += 1;
            sum.1 += amount;
        }
    }
    (sums, days.into_iter().map(|(day, (visits, completed))| (day, visits, completed)).collect())
}

/// The funnel of the events that were kept of a service that doesn't count.
///
/// # Errors
/// [`NoFunnel`]; the project's own 404 is the client's.
pub async fn funnel(client: &Client, state: &Path, ask: &GetFunnel) -> Result<(ProjectFunnel, NotCounted), NoFunnel> {
    let steps = saving::read(client, &ask.id).await?.project.steps.unwrap_or_default();
    let kept = KeptVisits::of(state, &client.hosts().base);
    if !kept.file.exists() {
        return Err(NoFunnel::Nothing);
    }
    let (project, days) =
        (ask.id.as_str().to_owned(), [&ask.since, &ask.until].map(|day| day.as_deref().and_then(day_of)));
    let counting = move || {
        let (visits, not) = kept.visits(&project)?;
        let (known, now) = steps_of(&steps);
        let (sums, of_days) = count(&visits, &known, days);
        let [since, until] = days;
        let frame = FunnelFrame { since, until, days: of_days, ..FunnelFrame::default() };
        let funnel = funnel_of(sums, now, frame);
        Ok::<_, io::Error>((ProjectFunnel { source: Some("payloads".to_owned()), ..funnel }, not))
    };
    Ok(tokio::task::spawn_blocking(counting).await.map_err(io::Error::other)??)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn kept(folder: &Path) -> KeptVisits {
        KeptVisits::of(folder, &Url::parse("https://service.example/").unwrap())
    }

    fn payload(session: &str, events: usize) -> Value {
        let event = |at: usize| json!({ "eventName": "step_shown", "stepName": format!("s{at}"), "timestamp": 1_767_225_600_000_u64 + at as u64 });
        let events: Vec<Value> = (0..events).map(event).collect();
        json!({ "sessionId": session, "projectId": "p", "timestamp": "2026-01-01T00:00:00Z", "events": events })
    }

    #[test]
    fn what_comes_again_is_written_once_and_what_is_odd_is_counted() {
        let folder = tempfile::tempdir().unwrap();
        let taken = kept(folder.path()).keep([payload("a", 1), payload("a", 1), payload("a", 2), json!(7)]).unwrap();
        assert_eq!(taken, Taken { kept: 2, known: 1, unread: 1 });
        // Also by another process.
        let mut other = kept(folder.path());
        assert_eq!(other.keep([payload("a", 2), payload("b", 1)]).unwrap(), Taken { kept: 1, known: 1, unread: 0 });
        let (visits, not) = other.visits("p").unwrap();
        assert_eq!((visits.len(), not), (2, NotCounted::default()));
        assert_eq!(other.visits("q").unwrap(), (HashMap::new(), NotCounted { elsewhere: 2, unread: 0 }));
    }

    #[test]
    fn a_large_event_and_many_of_one_visit_are_taken_in() {
        let folder = tempfile::tempdir().unwrap();
        let large = payload("large", 20_000).to_string();
        assert!(large.len() > 1_000_000);
        let one = payload("one", 3).to_string();
        let text = format!("{large}\n{}not json\n{{}}\n", format!("{one}\n").repeat(50_000));
        let mut kept = kept(folder.path());
        let taken = kept.import(text.as_bytes()).unwrap();
        assert_eq!(taken, Taken { kept: 2, known: 49_999, unread: 2 });
        assert!(fs::metadata(&kept.file).unwrap().len() < 4_000_000);
        let (visits, _) = kept.visits("p").unwrap();
        assert_eq!((visits.len(), visits["large"].events().len()), (2, 20_000));
    }

    #[test]
    fn too_long_a_line_is_passed_over() {
        let long = format!("{}\nnext\n", "x".repeat(usize::try_from(LONGEST).unwrap() + 5));
        let mut from = long.as_bytes();
        assert_eq!(line_of(&mut from).unwrap().as_deref(), Some("{}"));
        assert_eq!(line_of(&mut from).unwrap().as_deref(), Some("next"));
        assert_eq!(line_of(&mut from).unwrap(), None);
    }
}
