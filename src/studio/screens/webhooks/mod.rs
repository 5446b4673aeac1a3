//! The Webhooks screen: the subscriptions by event, what was delivered to them, and what arrives here.

mod asking;
mod create;
mod view;
mod vocabulary;

use std::collections::VecDeque;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::api::{AnyRequest, DisableWebhook, EnableWebhook};
use crate::domain::{Delivery, ReceivedEvent, Webhook, WebhookEvent, text};
use crate::settings::Key;
use crate::studio::ground::layout::scrolled;
use crate::studio::ground::{
    Command, Failure, Layer, Moment, Mouse, MouseAction, NoticeKind, Remote, Requests, Screen,
};
use crate::studio::screens::pane::{Handler, Hint, Pane};
use crate::studio::screens::turn::{Choice, Outcome};
use crate::studio::widgets::select::{notch, stride};
use crate::studio::widgets::{Ink, LineEdit, Page, Role, Select};
use create::NewWebhook;
use vocabulary::Turn;

pub use vocabulary::{Effect, Event};

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

/// What the person is asked about a subscription.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    /// Whether to delete it.
    Delete,
    /// Whether to replace its secret.
    Rotate,
}

/// A line of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Line {
    /// The event that the ones below it are of, and how many they are.
    Event(String, usize),
    /// A subscription, by its place in what was read.
    Webhook(usize),
}

fn count_webhooks(lines: &[Line]) -> usize {
    lines.iter().filter(|line| matches!(line, Line::Webhook(_))).count()
}

/// The screen.
#[derive(Debug, Clone)]
pub struct Webhooks {
    list: Remote<Vec<Webhook>>,
    /// What the deliveries are of, and they; none where the service does not tell of them.
    deliveries: Remote<Option<Vec<Delivery>>>,
    of: Option<crate::domain::WebhookId>,
    requests: Requests,
    search: LineEdit,
    event: Option<WebhookEvent>,
    /// The selected subscription among those that are shown, and the first line that is seen.
    place: Select,
    /// The delivery.
    delivery: Select,
    /// How often deliveries that are under way are still looked after.
    looks: u8,
    focus: Focus,
    new: Option<NewWebhook>,
    /// What the person is asked about which subscription.
    asked: Option<(Asked, crate::domain::WebhookId)>,
    /// Where events are received, while they are.
    listening: Option<String>,
    received: VecDeque<ReceivedEvent>,
    received_at: Select,
    area: Rect,
}

impl Default for Webhooks {
    fn default() -> Self {
        Self {
            list: Remote::Idle,
            deliveries: Remote::Idle,
            of: None,
            requests: Requests::of(Screen::Webhooks),
            search: LineEdit::default(),
            event: None,
            place: Select::default(),
            delivery: Select::default(),
            looks: 0,
            focus: Focus::List,
            new: None,
            asked: None,
            listening: None,
            received: VecDeque::new(),
            received_at: Select::default(),
            area: Rect::ZERO,
        }
    }
}

impl Webhooks {
    fn known(&self) -> &[Webhook] {
        self.list.known().map_or(&[], Vec::as_slice)
    }

    /// The subscriptions that are shown: those that the spec lists first, by event, the newest of each first.
    fn matching(&self) -> Vec<usize> {
        let wanted = text::fold(self.search.text().trim());
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
            (Some(a), Some(b)) => place(a).cmp(&place(b)).then_with(|| b.created_at.cmp(&a.created_at)),
            _ => std::cmp::Ordering::Equal,
        });
        shown
    }

    /// The lines of the list, and which of them is selected.
    pub(super) fn lines(&self) -> (Vec<Line>, usize) {
        let shown = self.matching();
        let (mut lines, mut selected) = (Vec::new(), 0);
        let mut last: Option<&str> = None;
        for (nth, at) in shown.iter().enumerate() {
            let Some(webhook) = self.known().get(*at) else { continue };
            if last != Some(webhook.event.as_str()) {
                let same = shown.iter().filter_map(|at| self.known().get(*at)).filter(|one| one.event == webhook.event);
                lines.push(Line::Event(webhook.event.as_str().to_owned(), same.count()));
                last = Some(webhook.event.as_str());
            }
            if nth == self.place.selected {
                selected = lines.len();
            }
            lines.push(Line::Webhook(*at));
        }
        (lines, selected)
    }

    /// Whether what arrives here takes its part of the screen.
    fn shows_received(&self) -> bool {
        self.listening.is_some() || !self.received.is_empty()
    }

    fn chosen_webhook(&self) -> Option<&Webhook> {
        self.known().get(*self.matching().get(self.place.selected)?)
    }

    fn chosen_delivery(&self) -> Option<&Delivery> {
        self.deliveries.known()?.as_ref()?.get(self.delivery.selected)
    }

    fn refresh(&mut self, now: Moment, turn: &mut Turn) {
        if turn.context.connected {
            let request = self.requests.next_id();
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
            self.delivery = Select::default();
        }
        self.of.clone_from(&webhook);
        if let Some(webhook) = webhook
            && turn.context.connected
        {
            let request = self.requests.next_id();
            self.deliveries.load(request, now);
            turn.ask(Effect::Deliveries { request, webhook, after_ms });
        }
    }

    /// What is searched for is another: the first that is found is selected.
    fn searched(&mut self, now: Moment, turn: &mut Turn) {
        self.place.selected = 0;
        self.moved(now, turn);
    }

    fn moved(&mut self, now: Moment, turn: &mut Turn) {
        self.place.selected = self.place.selected.min(self.matching().len().saturating_sub(1));
        self.keep_in_sight();
        self.look_closer(false, now, turn);
    }

    fn keep_in_sight(&mut self) {
        let (lines, selected) = self.lines();
        self.place.top = scrolled(self.place.top, selected, view::list_rows(self), lines.len());
    }

    /// Turns the wheel over the list: its lines move, the selection goes to the nearest subscription that is seen.
    fn wheel_list(&mut self, by: isize, now: Moment, turn: &mut Turn) {
        let (lines, selected) = self.lines();
        let mut seen = Select { selected, top: self.place.top };
        let rows = view::list_rows(self);
        seen.wheel(by, rows, lines.len());
        // The line of an event stands for the subscription below it, or above where that one is not seen.
        let before = count_webhooks(lines.get(..seen.selected).unwrap_or_default());
        let is_event = matches!(lines.get(seen.selected), Some(Line::Event(..)));
        let is_last = seen.selected + 1 >= seen.top + rows;
        self.place.selected = before.saturating_sub(usize::from(is_event && is_last));
        self.place.top = seen.top;
        self.look_closer(false, now, turn);
    }

    fn deliveries_count(&self) -> usize {
        self.deliveries.known().and_then(Option::as_ref).map_or(0, Vec::len)
    }

    fn refused(failure: &Failure, turn: &mut Turn) {
        if failure.unauthorized {
            turn.outcomes.push(Outcome::Unauthorized);
        }
    }

    /// Takes what happened.
    pub fn event(&mut self, event: Event, now: Moment, turn: &mut Turn) {
        match event {
            Event::Listed { request, webhooks } if self.list.wants(request) => {
                if let Err(failure) = &webhooks {
                    Self::refused(failure, turn);
                }
                self.list.settle(webhooks.map_err(|failure| failure.what));
                self.moved(now, turn);
            }
            Event::Deliveries { request, deliveries } if self.deliveries.wants(request) => {
                self.deliveries.settle(deliveries.map_err(|failure| failure.what));
                let all = self.deliveries.known().and_then(Option::as_ref);
                if all.is_some_and(|all| all.iter().any(|delivery| delivery.state == "pending")) {
                    self.look_later(1_000, now, turn);
                }
            }
            Event::Created(Ok(webhook)) => {
                self.new = None;
                turn.say(NoticeKind::Done, format!("{} is told of {}.", webhook.url, webhook.event));
                self.refresh(now, turn);
            }
            Event::Changed(Ok(webhook)) => {
                let now_it = if webhook.disabled_at.is_none() { "is on again" } else { "is switched off" };
                turn.say(NoticeKind::Done, format!("{} {now_it}.", webhook.url));
                self.refresh(now, turn);
            }
            Event::Rotated { webhook, secret } => Self::rotated(&webhook, secret, turn),
            Event::Deleted { webhook, said } => self.deleted(&webhook, said, now, turn),
            Event::Queued { queued: Ok(what), .. } => {
                turn.say(NoticeKind::Done, what);
                self.looks = LOOKS;
                self.look_closer(true, now, turn);
            }
            Event::Secret(Ok(secret)) => turn.copy(secret.expose().to_owned()),
            Event::Listening(Ok(address)) => {
                turn.say(NoticeKind::Done, format!("Receiving on {address}: n subscribes it."));
                self.listening = Some(address);
                self.keep_in_sight();
            }
            Event::Received(received) => {
                if self.received.len() == MOST_RECEIVED {
                    self.received.pop_back();
                }
                self.received.push_front(*received);
                self.keep_in_sight();
                // The sender hears the answer before it notes it.
                self.looks = LOOKS;
                self.look_later(200, now, turn);
            }
            // What was typed is not lost: the form stays.
            Event::Created(Err(why))
            | Event::Changed(Err(why))
            | Event::Queued { queued: Err(why), .. }
            | Event::Secret(Err(why))
            | Event::Listening(Err(why)) => {
                turn.say(NoticeKind::Error, why);
            }
            Event::Listed { .. } | Event::Deliveries { .. } => {}
        }
    }

    fn on_webhook(&mut self, command: Command, turn: &mut Turn) -> bool {
        let Some(webhook) = self.chosen_webhook().cloned() else { return false };
        match command {
            Command::Open => self.focus = Focus::Deliveries,
            Command::Copy => {
                let texts = vec![
                    ("address", webhook.url),
                    ("id", webhook.id.to_string()),
                    ("event", webhook.event.as_str().to_owned()),
                ];
                turn.outcomes.push(Outcome::Copy(texts));
            }
            Command::Address => turn.outcomes.push(Outcome::Address(webhook.url)),
            Command::WebhookSecret => turn.ask(Effect::Secret(webhook.id)),
            Command::WebhookPing if turn.may_write() => {
                let request = self.requests.next_id();
                turn.ask(Effect::Ping { request, webhook: webhook.id });
            }
            Command::WebhookRedeliver if turn.may_write() => match self.chosen_delivery() {
                Some(delivery) => {
                    let delivery = delivery.id.clone();
                    let (request, webhook) = (self.requests.next_id(), webhook.id);
                    turn.ask(Effect::Redeliver { request, webhook, delivery });
                }
                None => turn.say(NoticeKind::Hint, "There is no delivery to make once more."),
            },
            Command::WebhookEnable if turn.may_write() => {
                if webhook.disabled_at.is_none() {
                    turn.say(NoticeKind::Hint, "This subscription is on.");
                } else {
                    let enable = AnyRequest::EnableWebhook(EnableWebhook(webhook.id));
                    turn.ask(Effect::Change(Box::new(enable)));
                }
            }
            Command::WebhookRotate if turn.may_write() => self.ask_rotate(webhook, turn),
            Command::WebhookDisable if turn.may_write() => {
                if webhook.disabled_at.is_some() {
                    turn.say(NoticeKind::Hint, "This subscription is off.");
                } else {
                    let disable = AnyRequest::DisableWebhook(DisableWebhook(webhook.id));
                    turn.ask(Effect::Change(Box::new(disable)));
                }
            }
            Command::WebhookDelete | Command::Remove if turn.may_write() => self.ask_delete(webhook, turn),
            Command::WebhookPing
            | Command::WebhookRedeliver
            | Command::WebhookDelete
            | Command::WebhookEnable
            | Command::WebhookRotate
            | Command::WebhookDisable
            | Command::Remove => {}
            _ => return false,
        }
        true
    }

    fn on_deliveries(&mut self, command: Command, turn: &mut Turn) -> bool {
        let (page, all) = (view::delivery_rows(self).max(1), self.deliveries_count());
        match command {
            _ if self.delivery.command(command, page, all) => {}
            Command::Back | Command::Left => self.focus = Focus::List,
            Command::Open => {
                if let Some(delivery) = self.chosen_delivery() {
                    turn.outcomes.push(Outcome::Show(Box::new(view::delivery_page(delivery))));
                }
            }
            Command::Copy => {
                if let Some(delivery) = self.chosen_delivery() {
                    let texts = vec![("body", delivery.body.to_string()), ("message id", delivery.message_id.clone())];
                    turn.outcomes.push(Outcome::Copy(texts));
                }
            }
            _ => return false,
        }
        true
    }

    fn on_received(&mut self, command: Command, turn: &mut Turn) -> bool {
        let (page, all) = (view::received_rows(self).max(1), self.received.len());
        match command {
            _ if self.received_at.command(command, page, all) => {}
            Command::Back | Command::Left => self.focus = Focus::List,
            Command::Open | Command::Copy => {
                let Some(received) = self.received.get(self.received_at.selected) else { return true };
                let body = serde_json::to_string_pretty(&received.body).unwrap_or_default();
                let lines = body.lines().map(|line| (Role::Text, text::line(line).into_owned())).collect();
                let page =
                    Page::new("What arrived", lines, "y copies  Esc closes").with_copy(received.body.to_string());
                turn.outcomes.push(Outcome::Show(Box::new(page)));
            }
            _ => return false,
        }
        true
    }

    fn next_event(&mut self) {
        let at = self.event.as_ref().and_then(|event| WebhookEvent::ALL.iter().position(|known| known == event));
        self.event = match at {
            None => WebhookEvent::ALL.first().cloned(),
            Some(at) => WebhookEvent::ALL.get(at + 1).cloned(),
        };
    }

    fn on_list(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
        if let Some(by) = stride(command, view::list_rows(self)) {
            self.place.selected = self.place.selected.saturating_add_signed(by);
            self.moved(now, turn);
            return true;
        }
        match command {
            Command::WebhookEvent => {
                self.next_event();
                self.place.selected = 0;
            }
            Command::Back if !self.search.text().is_empty() || self.event.is_some() => {
                self.search.clear();
                self.event = None;
            }
            Command::NextPane => {
                self.focus = if self.received.is_empty() { Focus::Deliveries } else { Focus::Received };
                return true;
            }
            other => return self.on_webhook(other, turn),
        }
        self.moved(now, turn);
        true
    }
}

impl Pane for Webhooks {
    fn layer(&self) -> Layer {
        Layer::Webhooks
    }

    fn hints(&self) -> &'static [Hint] {
        use Command as C;
        match (&self.new, self.focus) {
            (Some(_), _) => &[(C::NextPane, None), (C::Open, None), (C::Back, None)],
            (None, Focus::Search) => &[(C::Open, None), (C::Back, None)],
            (None, Focus::Deliveries) => &[
                (C::Up, Some(C::Down)),
                (C::Open, None),
                (C::WebhookRedeliver, None),
                (C::Copy, None),
                (C::Back, None),
            ],
            (None, Focus::Received) => &[(C::Up, Some(C::Down)), (C::Open, None), (C::Back, None)],
            (None, Focus::List) => &[
                (C::Up, Some(C::Down)),
                (C::WebhookNew, None),
                (C::Open, None),
                (C::WebhookSearch, None),
                (C::WebhookEvent, None),
                (C::WebhookPing, None),
                (C::WebhookListen, None),
                (C::WebhookDelete, None),
                (C::Copy, None),
                (C::WebhookRefresh, None),
                (C::Help, None),
                (C::Quit, None),
            ],
        }
    }

    fn is_typing(&self) -> bool {
        self.new.as_ref().map_or(self.focus == Focus::Search, NewWebhook::is_typing)
    }

    fn resize(&mut self, area: Rect, _now: Moment) {
        self.area = area;
        self.keep_in_sight();
    }

    fn awaits_what_opens(&self) -> bool {
        let is_coming = matches!(self.list, Remote::Idle | Remote::Loading { stale: None, .. });
        self.new.is_none() && self.focus == Focus::List && is_coming
    }

    fn dismissed(&mut self) {
        self.asked = None;
    }

    fn view(&self, buf: &mut Buffer, ink: Ink, now: Moment) -> Option<(u16, u16)> {
        match &self.new {
            Some(new) => new.view(buf, ink, self.area, self.known()),
            None => view::view(self, buf, ink, now),
        }
    }

    fn reading(&self, _now: Moment, lines: &mut Vec<String>) {
        if let Some(new) = &self.new {
            new.reading(lines);
            return;
        }
        let (list, selected) = self.lines();
        for (at, line) in list.iter().enumerate() {
            match line {
                Line::Event(event, count) => lines.push(format!("{event} ({count})")),
                Line::Webhook(webhook) => {
                    let url = self.known().get(*webhook).map(|webhook| webhook.url.as_str()).unwrap_or_default();
                    lines.push(format!("{} {}", if at == selected { ">" } else { " " }, text::line(url)));
                }
            }
        }
    }
}

impl Handler for Webhooks {
    type Effect = Effect;

    fn shown(&mut self, now: Moment, turn: &mut Turn) {
        if self.list.waiting().is_none() {
            self.refresh(now, turn);
        }
    }

    fn command(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
        if self.new.is_some() {
            if command == Command::Back {
                self.new = None;
                return true;
            }
            let there = self.known().to_vec();
            let made = self.new.as_mut().and_then(|new| new.command(command, &there));
            if let Some((event, url)) = made
                && turn.may_write()
            {
                turn.ask(Effect::Create { event, url });
            }
            return true;
        }
        if self.focus == Focus::Search {
            if matches!(command, Command::Back | Command::Open) {
                if command == Command::Back {
                    self.search.clear();
                }
                self.focus = Focus::List;
                self.moved(now, turn);
            }
            return true;
        }
        match command {
            Command::WebhookNew if turn.may_write() => {
                self.new = Some(NewWebhook::new(self.listening.as_deref().unwrap_or_default()));
            }
            Command::WebhookNew => {}
            Command::WebhookSearch => self.focus = Focus::Search,
            Command::WebhookRefresh | Command::Retry => {
                self.refresh(now, turn);
                self.look_closer(true, now, turn);
            }
            Command::WebhookListen => {
                let listens = self.listening.take().is_some();
                if listens {
                    turn.say(NoticeKind::Done, "Nothing is received any more.");
                }
                turn.ask(if listens { Effect::StopListening } else { Effect::Listen });
            }
            command => {
                let known = match self.focus {
                    Focus::Deliveries => self.on_deliveries(command, turn),
                    Focus::Received => self.on_received(command, turn),
                    Focus::List | Focus::Search => self.on_list(command, now, turn),
                };
                return known || (self.focus != Focus::List && self.on_webhook(command, turn));
            }
        }
        true
    }

    fn text_key(&mut self, key: Key, now: Moment, turn: &mut Turn) {
        if let Some(new) = &mut self.new {
            new.key(key);
        } else if self.focus == Focus::Search && self.search.key(key) {
            self.searched(now, turn);
        }
    }

    fn paste(&mut self, pasted: &str, now: Moment, turn: &mut Turn) {
        if let Some(new) = &mut self.new {
            new.paste(pasted);
        } else if self.focus == Focus::Search && self.search.paste(pasted) {
            self.searched(now, turn);
        }
    }

    fn chosen(&mut self, choice: Choice, _now: Moment, turn: &mut Turn) {
        self.take_choice(&choice, turn);
    }

    fn mouse(&mut self, mouse: Mouse, now: Moment, turn: &mut Turn) {
        if self.new.is_some() {
            return;
        }
        let over = view::over(self, mouse.x, mouse.y);
        if let Some(by) = notch(mouse.what) {
            let (deliveries, received) = (self.deliveries_count(), self.received.len());
            match over {
                Some(Focus::Deliveries) => self.delivery.wheel(by, view::delivery_rows(self), deliveries),
                Some(Focus::Received) => self.received_at.wheel(by, view::received_rows(self), received),
                Some(Focus::List | Focus::Search) => self.wheel_list(by, now, turn),
                None => {}
            }
        } else if mouse.what == MouseAction::Press
            && let Some(row) = view::list_row(self, mouse.x, mouse.y)
        {
            let (lines, _) = self.lines();
            let at = self.place.top + row;
            if let Some(Line::Webhook(_)) = lines.get(at) {
                self.place.selected = count_webhooks(lines.get(..at).unwrap_or_default());
                self.focus = Focus::List;
                self.moved(now, turn);
            }
        }
    }
}
