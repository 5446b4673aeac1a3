//! `cutaway webhooks list`

use std::io::Write as _;

use clap::Args;
use clap_complete::ArgValueCompleter;
use serde_json::Value;

use super::health;
use crate::api::ListWebhooks;
use crate::cli::findings::{Given, Unread, given};
use crate::cli::output::{Output, unreadable};
use crate::cli::table::{self, left, words};
use crate::cli::{Failure, Session, names, times};
use crate::client::json;
use crate::domain::WebhookEvent;

/// List webhooks with the health of their deliveries.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutaway webhooks list
  cutaway webhooks list --event conversion --json")]
pub(super) struct List {
    /// Only webhooks for this event: response_summary, collected_info, conversion
    #[arg(long, value_name = "E", value_parser = super::event, add = ArgValueCompleter::new(names::events))]
    event: Option<WebhookEvent>,
    /// Print the service's response as JSON, reduced to these webhooks
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
        let shown: Vec<_> = shown.collect();
        let ids: Vec<_> = shown.iter().map(|(webhook, _)| webhook.id.clone()).collect();
        let health = health::of(&client, &ids).await;
        // Only where it says something: most subscriptions are on.
        let states = answer.value.iter().any(|webhook| webhook.disabled_at.is_some());
        let rows = shown.into_iter().zip(health).map(|((webhook, given), health)| {
            let state = states.then(|| webhook.disabled().unwrap_or("on").to_owned());
            let mut row = vec![
                given.required("id", &webhook.id),
                given.required("event", &webhook.event),
                given.required("url", &webhook.url),
                health.last_delivery,
                health.failing_since,
            ];
            row.extend(state);
            row.push(times::shown(&given.required("createdAt", &webhook.created_at)));
            row
        });
        let rows: Vec<_> = rows.collect();
        let mut out = Output::open();
        let mut columns =
            vec![left("ID"), left("EVENT"), words("ADDRESS"), left("LAST DELIVERY"), left("FAILING SINCE")];
        columns.extend(states.then(|| left("STATE")));
        columns.push(left("CREATED"));
        table::write(&columns, &rows, out.width, &mut out)?;
        out.flush()?;
        let mut unread = Unread::default();
        unread.note(&answer.findings);
        unread.tell();
        Ok(())
    }
}
