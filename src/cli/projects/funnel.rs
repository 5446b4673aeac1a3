//! `cutaway projects funnel`: what viewers did at each step, in numbers.

use std::io::Write as _;
use std::path::Path;

use clap::Args;
use clap_complete::ArgValueCompleter;
use jiff::Timestamp;
use serde_json::Value;

use super::opened;
use crate::api::{
    AnswerFunnel, FunnelPath, FunnelVersion, FunnelWeek, GetFunnel, NoVersion, ProjectFunnel, Revenue, StepFunnel,
};
use crate::cli::findings::Unread;
use crate::cli::output::{Output, unreadable};
use crate::cli::session::warn;
use crate::cli::table::{self, right, words};
use crate::cli::{Failure, Session, dates, names};
use crate::client::json::escape_on_one_line;
use crate::client::{Client, ClientError, json};
use crate::domain::{Num, Share, spreadsheet_text};
use crate::runtime::kept_visits::{self, NoFunnel};

/// Show what viewers did at each step: seen, chosen, left, went back, bought
///
/// Each visit counts once at a step, on the day (UTC) on which it began. Where few were counted, a share is an interval that
/// has the true one with a probability of 95%. The numbers are an extension: for a service that doesn't count, they come
/// from the events that `webhooks listen --keep` or `webhooks import` kept on this computer; where there are none, that is
/// reported with exit code 1.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway projects funnel 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1b
  cutaway projects funnel 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1b --since 7d
  cutaway projects funnel 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1b --since 2026-01-01 --until 2026-01-31 --csv
  cutaway projects funnel 0198b1a2-7c3d-7e4f-8a5b-6c7d8e9f0a1b --by-version --csv")]
pub(super) struct Funnel {
    /// The project's ID
    #[arg(add = ArgValueCompleter::new(names::projects))]
    id: String,
    /// Count from this day on: a date, a time, or how long ago, such as 7d
    #[arg(long, value_name = "D")]
    since: Option<String>,
    /// Count up to this day
    #[arg(long, value_name = "D")]
    until: Option<String>,
    /// Only visits that met this version of the project: its hash, or how that begins, as the table lists it
    #[arg(long = "version", id = "of_version", value_name = "V")]
    version: Option<String>,
    /// Print a row for each step and each answer as CSV
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Print these rows for each version of the project, in place of those for all visits
    #[arg(long, requires = "csv", conflicts_with = "of_version")]
    by_version: bool,
    /// Print the service's response as JSON
    #[arg(long)]
    json: bool,
}

/// What is said where a service has no such operation.
const NOT_OFFERED: &str = "This service doesn't count what viewers do. The local workspace and `cutaway serve` do; for others, \
    keep events with `cutaway webhooks listen --keep` or `webhooks import`";

/// What a service that does not count leaves to this computer: the events that were kept of it. A project that is not there
/// is said as such.
async fn counted_here(
    error: ClientError,
    state: Option<&Path>,
    client: &Client,
    ask: &GetFunnel,
) -> Result<ProjectFunnel, Failure> {
    if !matches!(error.status(), Some(404 | 405 | 501)) {
        return Err(error.into());
    }
    let Some(state) = state else { return Err(Failure::Faulty(NOT_OFFERED.to_owned())) };
    match Box::pin(kept_visits::funnel(client, state, ask)).await {
        Ok((funnel, not)) => {
            if not.unread > 0 {
                warn(&format!("lines without a visit in the events that were kept: {}", not.unread));
            }
            if whole(funnel.visits) == 0 && ask.since.is_none() && ask.until.is_none() && not.elsewhere > 0 {
                warn(&format!("visits that were kept: {}, none of them of this project", not.elsewhere));
            }
            Ok(funnel)
        }
        Err(NoFunnel::Nothing) => Err(Failure::Faulty(NOT_OFFERED.to_owned())),
        Err(NoFunnel::Client(error)) if error.status() == Some(404) => Err(opened::not_found(ask.id.as_str())),
        Err(NoFunnel::Client(error)) => Err(error.into()),
        Err(NoFunnel::File(error)) => Err(error.into()),
    }
}

/// From which day on, and up to which one.
type Days<'a> = (Option<&'a String>, Option<&'a String>);

fn date(flag: &str, given: Option<&String>) -> Result<Option<String>, Failure> {
    let read =
        |text: &String| dates::date(text, Timestamp::now()).map_err(|why| Failure::Usage(format!("{flag} {why}")));
    given.map(read).transpose()
}

fn asked(id: &str, (since, until): Days, names: [&str; 2]) -> Result<GetFunnel, Failure> {
    let [from, to] = names;
    let (since, until) = (date(from, since)?, date(to, until)?);
    if let (Some(from), Some(to)) = (&since, &until)
        && dates::begins(from).zip(dates::ends(to)).is_some_and(|(from, to)| from > to)
    {
        let [since, until] = names;
        return Err(Failure::Usage(format!("{since} {from} is after {until} {to}: nothing can match")));
    }
    Ok(GetFunnel { id: id.into(), since, until })
}

/// The numbers as the service has them, for an agent.
///
/// # Errors
/// Where a day is none, or the service doesn't answer with numbers.
pub(in crate::cli) async fn counted(
    client: &Client,
    state: Option<&Path>,
    id: &str,
    days: Days<'_>,
    version: Option<&str>,
) -> Result<Value, Failure> {
    let ask = asked(id, days, ["since", "until"])?;
    if let Some(version) = version {
        let funnel = match client.call(&ask).await {
            Ok(answer) => answer.value,
            Err(error) => counted_here(error, state, client, &ask).await?,
        };
        return Ok(serde_json::to_value(of_version(&funnel, version)?).map_err(std::io::Error::other)?);
    }
    match client.call_raw(&ask).await {
        Ok(answer) => json::read(&answer.body).map_err(|what| unreadable(&answer, what)),
        Err(error) => {
            let funnel = counted_here(error, state, client, &ask).await?;
            Ok(serde_json::to_value(&funnel).map_err(std::io::Error::other)?)
        }
    }
}

/// The numbers of one version.
fn of_version(funnel: &ProjectFunnel, version: &str) -> Result<ProjectFunnel, Failure> {
    funnel.of_version(version).map_err(|why| match why {
        NoVersion::Uncounted if funnel.source.is_some() => {
            Failure::Faulty("events that were kept here don't say which version of the project was met".to_owned())
        }
        NoVersion::Uncounted => Failure::Faulty(why.to_string()),
        NoVersion::Ambiguous(_) => Failure::Usage(why.to_string()),
        NoVersion::Unknown(_) => {
            let known: Vec<&str> = funnel.versions.iter().map(|version| version.version.as_str()).collect();
            let known = if known.is_empty() { "none is known".to_owned() } else { known.join(", ") };
            Failure::NotFound(format!("{why}; versions: {known}"))
        }
    })
}

impl Funnel {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        let ask = asked(&self.id, (self.since.as_ref(), self.until.as_ref()), ["--since", "--until"])?;
        let client = session.connect().await?.client;
        if self.json && self.version.is_none() {
            let error = match client.call_raw(&ask).await {
                Ok(answer) => return Output::open().document(&answer),
                Err(error) => error,
            };
            let funnel = counted_here(error, session.folders.state().ok(), &client, &ask).await?;
            let mut out = Output::open();
            escape_on_one_line(&serde_json::to_string(&funnel).map_err(std::io::Error::other)?, &mut out)?;
            out.write_all(b"\n")?;
            return Ok(out.flush()?);
        }
        let mut unread = Unread::default();
        let funnel = match client.call(&ask).await {
            Ok(answer) => {
                unread.note(&answer.findings);
                answer.value
            }
            Err(error) => counted_here(error, session.folders.state().ok(), &client, &ask).await?,
        };
        let funnel = match &self.version {
            Some(version) => &of_version(&funnel, version)?,
            None => &funnel,
        };
        if self.json {
            let mut out = Output::open();
            escape_on_one_line(&serde_json::to_string(funnel).map_err(std::io::Error::other)?, &mut out)?;
            out.write_all(b"\n")?;
            return Ok(out.flush()?);
        }
        if self.by_version {
            write_csv(&by_version(funnel)?)?;
        } else if self.csv {
            let version = self.version.as_ref().and_then(|_| funnel.versions.first());
            let version = version.map(|version| version.version.clone()).unwrap_or_default();
            write_csv(&[(version, funnel.steps.as_slice())])?;
        } else {
            write_table(funnel, ask.since.is_some() || ask.until.is_some(), self.version.is_some())?;
        }
        unread.tell();
        Ok(())
    }
}

fn whole(count: Num) -> u64 {
    count.whole().and_then(|count| u64::try_from(count).ok()).unwrap_or_default()
}

/// A count with its share: `34 (12–48%)`; the count alone where nobody was there.
fn of_all(part: Num, of: Num) -> String {
    let share = Share { part: whole(part), of: whole(of) }.to_string();
    match (whole(part), share.is_empty()) {
        (0, _) => String::new(),
        (_, true) => part.to_string(),
        (_, false) => format!("{part} ({share})"),
    }
}

fn sold(revenue: &[Revenue]) -> String {
    let one = |Revenue { currency, orders, amount, .. }: &Revenue| format!("{orders} for {amount} {currency}");
    revenue.iter().map(one).map(|text| text.trim_end().to_owned()).collect::<Vec<_>>().join(", ")
}

/// How many there were, and how many of them nobody made.
fn visits(funnel: &ProjectFunnel) -> String {
    match funnel.sample_visits.map(whole) {
        Some(sample) if sample > 0 => format!(
            "{} ({} sample data: `cutaway serve remove-sample-visits` removes it)",
            funnel.visits,
            if sample == whole(funnel.visits) { "all".to_owned() } else { sample.to_string() }
        ),
        _ => funnel.visits.to_string(),
    }
}

/// Where the numbers come from, unless the service counted them.
fn counted_where(funnel: &ProjectFunnel) -> String {
    match funnel.source.as_deref() {
        Some("payloads") => "on this computer, from webhook events that were kept".to_owned(),
        _ => String::new(),
    }
}

fn title(step: &StepFunnel) -> String {
    step.title.clone().unwrap_or_default()
}

/// A row for a step, and below it one for each of its answers and products.
fn rows(funnel: &ProjectFunnel) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for step in &funnel.steps {
        rows.push(vec![
            step.name.clone(),
            title(step),
            step.seen.to_string(),
            of_all(step.left, step.seen),
            of_all(step.back, step.seen),
            step.median_seconds.map(|seconds| format!("{seconds} s")).unwrap_or_default(),
            sold(&step.orders),
        ]);
        for AnswerFunnel { text, chosen, .. } in &step.answers {
            let chosen = if whole(*chosen) == 0 { "0".to_owned() } else { of_all(*chosen, step.seen) };
            rows.push(vec![String::new(), format!("→ {text}"), chosen]);
        }
        if whole(step.gone_answers) > 0 {
            rows.push(vec![String::new(), "→ answers that are gone".to_owned(), step.gone_answers.to_string()]);
        }
        for product in &step.products {
            let clicked = of_all(product.clicked, product.shown);
            let clicked = if clicked.is_empty() { "0".to_owned() } else { clicked };
            rows.push(vec![String::new(), format!("product {}", product.id), format!("{clicked} clicked")]);
        }
    }
    rows
}

/// The version whose visits are shown, with the day of the first.
fn only_version(funnel: &ProjectFunnel, is_of_version: bool) -> String {
    let version = funnel.versions.first().filter(|_| is_of_version);
    let said = |version: &FunnelVersion| {
        let since = version.first_visit_at.split('T').next().unwrap_or_default();
        format!("{}, first visit {since}", version.version)
    };
    version.map(said).unwrap_or_default()
}

fn write_table(funnel: &ProjectFunnel, in_days: bool, is_of_version: bool) -> Result<(), Failure> {
    let mut out = Output::open();
    let (gone, days) = (&funnel.gone, &funnel.days);
    let at_gone = format!("{} at steps that are gone", whole(gone.seen) + whole(gone.unknown));
    let period = match (days.first(), days.last()) {
        (Some(first), Some(last)) => format!("{} to {}", first.day, last.day),
        _ if is_of_version => String::new(),
        _ if in_days => "No visits in these days".to_owned(),
        _ => "No visits yet".to_owned(),
    };
    let fields = [
        ("Days", period),
        ("Version", only_version(funnel, is_of_version)),
        ("Visits", visits(funnel)),
        ("Counted", counted_where(funnel)),
        ("Came to the end", of_all(funnel.completed, funnel.visits)),
        ("Elsewhere", if whole(gone.seen) + whole(gone.unknown) > 0 { at_gone } else { String::new() }),
        ("Direct orders", sold(&funnel.direct)),
        ("Indirect orders", sold(&funnel.indirect)),
        ("Unverified orders", sold(&funnel.unverified)),
    ];
    let shown: Vec<_> = fields.into_iter().filter(|(_, value)| !value.is_empty()).collect();
    table::fields(&shown, &mut out)?;
    if !funnel.steps.is_empty() {
        out.write_all(b"\n")?;
        let columns = [
            words("STEP"),
            words("TITLE, ANSWERS"),
            right("SEEN, CHOSEN"),
            right("LEFT"),
            right("WENT BACK"),
            right("MEDIAN"),
            words("DIRECT ORDERS"),
        ];
        table::write(&columns, &rows(funnel), out.width, &mut out)?;
    }
    write_weeks(funnel, &mut out)?;
    write_paths(funnel, &mut out)?;
    if !is_of_version {
        write_versions(funnel, &mut out)?;
    }
    Ok(out.flush()?)
}

fn write_weeks(funnel: &ProjectFunnel, out: &mut Output) -> Result<(), Failure> {
    if funnel.weeks.is_empty() {
        return Ok(());
    }
    out.write_all(b"\n")?;
    let row = |week: &FunnelWeek| vec![week.week.clone(), week.visits.to_string(), of_all(week.completed, week.visits)];
    let rows: Vec<Vec<String>> = funnel.weeks.iter().map(row).collect();
    Ok(table::write(&[words("WEEK OF"), right("VISITS"), right("CAME TO THE END")], &rows, out.width, out)?)
}

/// The paths that most visits took, the steps by their names.
fn write_paths(funnel: &ProjectFunnel, out: &mut Output) -> Result<(), Failure> {
    if funnel.paths.is_empty() {
        return Ok(());
    }
    out.write_all(b"\n")?;
    let all = funnel.paths.iter().filter_map(|path| path.visits.whole()).fold(0_i64, i64::saturating_add);
    let all = Num::from(all);
    let row = |path: &FunnelPath| {
        let steps = match (path.steps.is_empty(), path.goes_on == Some(true)) {
            (true, _) => "other paths".to_owned(),
            (false, true) => format!("{} → …", path.steps.join(" → ")),
            (false, false) => path.steps.join(" → "),
        };
        vec![of_all(path.visits, all), steps]
    };
    let rows: Vec<Vec<String>> = funnel.paths.iter().map(row).collect();
    Ok(table::write(&[right("VISITS"), words("PATH")], &rows, out.width, out)?)
}

/// What viewers met, by their first visit: each is the project with other steps, answers or products.
fn write_versions(funnel: &ProjectFunnel, out: &mut Output) -> Result<(), Failure> {
    if funnel.versions.is_empty() {
        return Ok(());
    }
    out.write_all(b"\n")?;
    let row = |version: &FunnelVersion| {
        let name = if version.sample == Some(true) { "sample data" } else { version.version.as_str() };
        let since = version.first_visit_at.split('T').next().unwrap_or_default();
        let completed = of_all(version.completed, version.visits);
        vec![name.to_owned(), since.to_owned(), version.visits.to_string(), completed]
    };
    let rows: Vec<Vec<String>> = funnel.versions.iter().map(row).collect();
    let columns = [words("VERSION"), words("FIRST VISIT"), right("VISITS"), right("CAME TO THE END")];
    Ok(table::write(&columns, &rows, out.width, out)?)
}

/// The steps of each version.
fn by_version(funnel: &ProjectFunnel) -> Result<Vec<(String, &[StepFunnel])>, Failure> {
    if funnel.source.is_some() && whole(funnel.visits) > 0 {
        return Err(Failure::Faulty(
            "events that were kept here don't say which version of the project was met".to_owned(),
        ));
    }
    funnel
        .versions
        .iter()
        .map(|version| {
            let uncounted = || Failure::Faulty(NoVersion::Uncounted.to_string());
            version.steps.as_deref().map(|steps| (version.version.clone(), steps)).ok_or_else(uncounted)
        })
        .collect()
}

const COLUMNS: [&str; 17] = [
    "step",
    "title",
    "answer",
    "next",
    "product",
    "seen",
    "chosen",
    "share",
    "low",
    "high",
    "left",
    "back",
    "medianSeconds",
    "shown",
    "clicked",
    "directOrders",
    "version",
];

/// One line for each step, then one for each of its answers and products; of each version that is given by its name, or of all
/// visits.
fn write_csv(versions: &[(String, &[StepFunnel])]) -> Result<(), Failure> {
    let mut out = csv::Writer::from_writer(Output::open());
    let mut write = |cells: [String; 17]| {
        // What a spreadsheet would take for a formula stays a text.
        out.write_record(cells.map(|cell| spreadsheet_text(&cell)))
    };
    let text = |number: Option<Num>| number.map(|number| number.to_string()).unwrap_or_default();
    write(COLUMNS.map(str::to_owned)).map_err(std::io::Error::other)?;
    for (version, step) in versions.iter().flat_map(|(version, steps)| steps.iter().map(move |step| (version, step))) {
        let mut row = |set: &[(usize, String)]| {
            let mut cells: [String; 17] = Default::default();
            for (at, value) in [(0, step.name.clone()), (1, title(step)), (16, version.clone())].iter().chain(set) {
                if let Some(cell) = cells.get_mut(*at) {
                    cell.clone_from(value);
                }
            }
            write(cells).map_err(std::io::Error::other)
        };
        row(&[
            (5, step.seen.to_string()),
            (10, step.left.to_string()),
            (11, step.back.to_string()),
            (12, text(step.median_seconds)),
            (15, sold(&step.orders)),
        ])?;
        for answer in &step.answers {
            row(&[
                (2, answer.text.clone()),
                (3, answer.next.clone().unwrap_or_default()),
                (5, step.seen.to_string()),
                (6, answer.chosen.to_string()),
                (7, text(answer.share)),
                (8, text(answer.low)),
                (9, text(answer.high)),
            ])?;
        }
        for product in &step.products {
            row(&[(4, product.id.clone()), (13, product.shown.to_string()), (14, product.clicked.to_string())])?;
        }
    }
    Ok(out.flush()?)
}
