//! `cutaway webhooks list`

use std::io::Write as _;

use clap::Args;
use clap_complete::ArgValueCompleter;
use serde_json::Value;

use crate::api::ListWebhooks;
use crate::cli::findings::{Given, Unread, given};
use crate::cli::output::{Output, unreadable};
use crate::cli::table::{self, left};
use crate::cli::{Failure, Session, names, times};
use crate::client::json;
use crate::domain::WebhookEvent;

/// List the subscriptions.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway webhooks list
  cutaway webhooks list --event conversion --json")]
pub(super) struct List {
    /// Only those to this event: response_summary, collected_info, conversion
    #[arg(long, value_name = "E", value_parser = super::event, add = ArgValueCompleter::new(names::events))]
    event: Option<WebhookEvent>,
    /// Print the service's own answer as JSON, of the subscriptions asked for
    #[arg(long)]
    json: bool,
}

impl List {
    pub(super) async fn run(&self, session: &Session) -> Result<(), Failure> {
        let client = session.connect().await?.client;
        if self.json {
            let mut answer = client.call_raw(&ListWebhooks).await?;
            session.keep_names::<ListWebhooks>(&answer.body);
            if let Some(event) = &self.event {
                let mut body = json::read(&answer.body).map_err(|what| unreadable(&answer, what))?;
                if let Some(webhooks) = body.as_array_mut() {
                    webhooks.retain(|webhook| webhook.get("event").and_then(Value::as_str) == Some(event.as_str()));
                }
                answer.body = body.to_string().into();
            }
            return Output::open().document(&answer);
        }
        let answer = client.call(&ListWebhooks).await?;
        session.keep_names::<ListWebhooks>(&answer.body);
        let raw = given(&answer);
        // What is no object could not be read and has no row.
        let mut objects = raw.iter().filter_map(Value::as_array).flatten().filter(|webhook| webhook.is_object());
        let read = answer.value.iter().map(|webhook| (webhook, Given(objects.next())));
        let shown = read.filter(|(webhook, _)| self.event.as_ref().is_none_or(|event| webhook.event == *event));
        // Only where it says something: of most services nothing is known, and most subscriptions are on.
        let states = answer.value.iter().any(|webhook| webhook.disabled_at.is_some());
        let rows = shown.map(|(webhook, given)| {
            let state = states.then(|| webhook.disabled().unwrap_or("on").to_owned());
            let mut row = vec![
                given.required("id", &webhook.id),
                given.required("event", &webhook.event),
                times::shown(&given.required("createdAt", &webhook.created_at)),
                given.required("url", &webhook.url),
            ];
            row.extend(state);
            row
        });
        let rows: Vec<_> = rows.collect();
        let mut out = Output::open();
        let mut columns = vec![left("ID"), left("EVENT"), left("CREATED"), left("ADDRESS")];
        columns.extend(states.then(|| left("STATE")));
        table::write(&columns, &rows, out.width, &mut out)?;
        out.flush()?;
        let mut unread = Unread::default();
        unread.note(&answer.findings);
        unread.tell();
        Ok(())
    }
}
