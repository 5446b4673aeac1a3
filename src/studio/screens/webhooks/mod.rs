//! The Webhooks screen: the subscriptions by event, what was delivered to them, and what arrives here.

mod asking;
mod commands;
mod create;
mod leaving;
mod pane;
mod requests;
mod update;
mod view;
mod vocabulary;

use ratatui::layout::Rect;

use crate::domain::{Age, Delivery, ReceivedEvent, Webhook, WebhookEvent, text};
use crate::studio::ground::{Moment, Remote, Spot, Zone};
use crate::studio::widgets::{RowCursor, Select};
use create::NewWebhook;
use vocabulary::Turn;

pub use vocabulary::{Answer, Effect, Event};

/// Events that arrived here, kept at most.
const MOST_RECEIVED: usize = 200;
/// Deliveries under way are looked after so often, a second apart.
const LOOKS: u8 = 20;

/// Where the keys go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Focus {
    #[default]
    List,
    Search,
    Deliveries,
    Received,
}

/// A line of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Line {
    /// The event that the ones below it are of, and how many they are.
    Event(String, usize),
    /// A subscription, by its place in what was read.
    Webhook(usize),
}

impl Line {
    fn is_event(&self) -> bool {
        matches!(self, Self::Event(..))
    }
}

/// The screen.
#[derive(Debug, Clone)]
pub struct Webhooks {
    /// The time zone that the person reads times in.
    pub zone: Zone,
    list: Remote<Vec<Webhook>>,
    /// What the deliveries are of, and they; none where the service does not tell of them.
    deliveries: Remote<Option<Vec<Delivery>>>,
    of: Option<crate::domain::WebhookId>,
    event: Option<WebhookEvent>,
    /// The subscriptions that are shown, under their events; what is typed finds some.
    lines: Select<Line>,
    /// The delivery.
    delivery: RowCursor,
    /// How often deliveries that are under way are still looked after.
    looks: u8,
    focus: Focus,
    new: Option<NewWebhook>,
    /// Where events are received, while they are.
    listening: Option<String>,
    received: Select<ReceivedEvent>,
    /// Where the person was when they left, until the list is here to begin there.
    pub left: Option<Spot>,
    area: Rect,
}

impl Default for Webhooks {
    fn default() -> Self {
        Self {
            zone: Zone::default(),
            list: Remote::Idle,
            deliveries: Remote::Idle,
            of: None,
            event: None,
            lines: Select::default().with_headings(Line::is_event),
            delivery: RowCursor::default(),
            looks: 0,
            focus: Focus::List,
            new: None,
            listening: None,
            received: Select::default(),
            left: None,
            area: Rect::ZERO,
        }
    }
}

impl Webhooks {
    /// The address that is typed for a new subscription, where one is written.
    #[must_use]
    pub fn new_address(&self) -> Option<&str> {
        self.new.as_ref().map(NewWebhook::address)
    }

    /// Puts an address in its place.
    pub fn retype_address(&mut self, address: &str) {
        if let Some(new) = &mut self.new {
            new.retype(address);
        }
    }

    /// Takes away what was received, and what came back for deliveries.
    fn veil_received(&mut self) {
        for event in self.received.rows_mut() {
            event.body = serde_json::Value::Null;
        }
        if let Some(Some(deliveries)) = self.deliveries.known_mut() {
            for delivery in deliveries {
                delivery.body = serde_json::Value::Null;
                delivery.response_body = None;
                delivery.error = None;
            }
        }
    }

    fn known(&self) -> &[Webhook] {
        self.list.known().map_or(&[], Vec::as_slice)
    }

    /// The subscriptions that are shown: those that the spec lists first, by event, the newest of each first.
    fn matching(&self) -> Vec<usize> {
        let wanted = text::fold(self.lines.query().trim());
        let fits = |webhook: &Webhook| {
            self.event.as_ref().is_none_or(|event| webhook.event == *event)
                && (wanted.is_empty()
                    || text::fold(&format!("{} {} {}", webhook.url, webhook.event, webhook.id)).contains(&wanted))
        };
        let mut shown: Vec<usize> =
            self.known().iter().enumerate().filter(|(_, webhook)| fits(webhook)).map(|(at, _)| at).collect();
        let place = |webhook: &Webhook| {
            let known = WebhookEvent::ALL.iter().position(|event| *event == webhook.event);
            (known.unwrap_or(usize::MAX), webhook.event.as_str().to_owned())
        };
        shown.sort_by(|a, b| match (self.known().get(*a), self.known().get(*b)) {
            (Some(a), Some(b)) => {
                place(a).cmp(&place(b)).then_with(|| Age::of(&b.created_at).cmp(&Age::of(&a.created_at)))
            }
            _ => std::cmp::Ordering::Equal,
        });
        shown
    }

    /// The lines of the list, as things stand now.
    fn find(&self) -> Vec<Line> {
        let shown = self.matching();
        let mut lines = Vec::new();
        let mut last: Option<&str> = None;
        for at in &shown {
            let Some(webhook) = self.known().get(*at) else { continue };
            if last != Some(webhook.event.as_str()) {
                let same = shown.iter().filter_map(|at| self.known().get(*at)).filter(|one| one.event == webhook.event);
                lines.push(Line::Event(webhook.event.as_str().to_owned(), same.count()));
                last = Some(webhook.event.as_str());
            }
            lines.push(Line::Webhook(*at));
        }
        lines
    }

    /// Whether what arrives here takes its part of the screen.
    fn shows_received(&self) -> bool {
        self.listening.is_some() || !self.received.is_empty()
    }

    fn chosen_webhook(&self) -> Option<&Webhook> {
        let Line::Webhook(at) = self.lines.current()? else { return None };
        self.known().get(*at)
    }

    fn chosen_delivery(&self) -> Option<&Delivery> {
        self.deliveries.known()?.as_ref()?.get(self.delivery.selected)
    }

    fn refresh(&mut self, now: Moment, turn: &mut Turn) {
        if turn.context.connected {
            let request = turn.next_id();
            self.list.load(request, now);
            turn.ask(Effect::List(request));
        }
    }

    /// Asks for the deliveries of the selected subscription, where they are not known yet or may be old.
    fn look_closer(&mut self, again: bool, now: Moment, turn: &mut Turn) {
        self.look(again, 0, now, turn);
    }

    /// Looks again in a while, as often as it is worth it.
    fn look_later(&mut self, after_ms: u64, now: Moment, turn: &mut Turn) {
        if let Some(looks) = self.looks.checked_sub(1) {
            self.looks = looks;
            self.look(true, after_ms, now, turn);
        }
    }

    fn look(&mut self, again: bool, after_ms: u64, now: Moment, turn: &mut Turn) {
        let webhook = self.chosen_webhook().map(|webhook| webhook.id.clone());
        if webhook == self.of && !again {
            return;
        }
        if webhook != self.of {
            self.deliveries = Remote::Idle;
            self.delivery = RowCursor::default();
        }
        self.of.clone_from(&webhook);
        if let Some(webhook) = webhook
            && turn.context.connected
        {
            let request = turn.next_id();
            self.deliveries.load(request, now);
            turn.ask(Effect::Deliveries { request, webhook, after_ms });
        }
    }

    /// What is searched for is another: the first that is found is selected.
    fn searched(&mut self, now: Moment, turn: &mut Turn) {
        let found = self.find();
        self.lines.show_found(found);
        self.look_closer(false, now, turn);
    }

    /// Other subscriptions were read, or are shown now.
    fn listed(&mut self, now: Moment, turn: &mut Turn) {
        let found = self.find();
        self.lines.show(found);
        self.take_up();
        self.look_closer(false, now, turn);
    }

    /// Tells the lists how many of their rows are seen, as things stand now.
    fn lay_out(&mut self) {
        self.lines.resize(view::list_rows(self));
        self.received.resize(view::received_rows(self));
    }

    fn deliveries_count(&self) -> usize {
        self.deliveries.known().and_then(Option::as_ref).map_or(0, Vec::len)
    }
}
