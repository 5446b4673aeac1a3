//! The Webhooks screen as its parent sees it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::create::NewWebhook;
use super::vocabulary::{Answer, Effect, Turn};
use super::{Focus, Line, Webhooks, view};
use crate::domain::{Veil, text};
use crate::settings::Key;
use crate::studio::ground::{Command, Layer, Moment, Mouse, MouseAction, NoticeKind, Remote};
use crate::studio::screens::pane::{Handler, Hint, Pane, Spoken, Waits};
use crate::studio::widgets::rows::notch;
use crate::studio::widgets::{Answered, Ink};

impl Pane for Webhooks {
    fn layer(&self) -> Layer {
        Layer::Webhooks
    }

    fn hints(&self) -> &'static [Hint] {
        use Command as C;
        match (&self.new, self.focus) {
            (Some(_), _) => {
                const {
                    &[
                        Hint::of(C::NextPane).saying("next field"),
                        Hint::of(C::Open).saying("create"),
                        Hint::of(C::Back).saying("cancel"),
                    ]
                }
            }
            (None, Focus::Search) => const { &[Hint::of(C::Open).saying("done"), Hint::of(C::Back).saying("clear")] },
            (None, Focus::Deliveries) => {
                const {
                    &[
                        Hint::moves(),
                        Hint::of(C::Open),
                        Hint::of(C::WebhookRedeliver),
                        Hint::of(C::Copy),
                        Hint::of(C::Back),
                    ]
                }
            }
            (None, Focus::Received) => const { &[Hint::moves(), Hint::of(C::Open), Hint::of(C::Back)] },
            (None, Focus::List) => {
                const {
                    &[
                        Hint::moves(),
                        Hint::of(C::WebhookNew),
                        Hint::of(C::Open),
                        Hint::of(C::WebhookSearch),
                        Hint::of(C::WebhookEvent),
                        Hint::of(C::WebhookPing),
                        Hint::of(C::WebhookListen),
                        Hint::of(C::WebhookDelete),
                        Hint::of(C::Copy),
                        Hint::of(C::WebhookRefresh),
                        Hint::of(C::Quit),
                    ]
                }
            }
        }
    }

    fn is_typing(&self) -> bool {
        self.new.as_ref().map_or(self.focus == Focus::Search, NewWebhook::is_typing)
    }

    fn resize(&mut self, area: Rect, _now: Moment) {
        self.area = area;
        self.lay_out();
    }

    fn waits(&self) -> Option<Waits> {
        self.list.first_asked().map(Waits::stops)
    }

    fn awaits_what_opens(&self) -> bool {
        let is_coming = matches!(self.list, Remote::Idle | Remote::Loading { stale: None, .. });
        self.new.is_none() && self.focus == Focus::List && is_coming
    }

    fn veil(&mut self, _veil: &Veil) {
        // What visitors did, and who they are.
        self.veil_received();
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
        if let Remote::Failed { problem, .. } = &self.list {
            lines
                .push(format!("Couldn't load it: {}. ‹app.retry› retries.", text::line(problem).trim_end_matches('.')));
        }
        for (line, selected) in self.lines.all() {
            match line {
                Line::Event(event, count) => lines.push(format!("{event} ({count})")),
                Line::Webhook(webhook) => {
                    let url = self.known().get(*webhook).map(|webhook| webhook.url.as_str()).unwrap_or_default();
                    lines.push(format!("{} {}", if selected { ">" } else { " " }, text::line(url)));
                }
            }
        }
    }

    fn spoken(&self, _now: Moment) -> Spoken {
        let position = self.new.as_ref().map(NewWebhook::position).or_else(|| self.lines.position());
        Spoken { position, ..Spoken::default() }
    }
}

impl Handler for Webhooks {
    type Answer = Answer;
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
                turn.request(|request| Effect::Create { request, event, url });
            }
            return true;
        }
        if self.focus == Focus::Search {
            if matches!(command, Command::Back | Command::Open) {
                self.focus = Focus::List;
                if command == Command::Back && self.lines.clear_query() {
                    self.listed(now, turn);
                }
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
                if self.listening.take().is_some() {
                    turn.say(NoticeKind::Done, "Stopped receiving.");
                    turn.ask(Effect::StopListening);
                    self.lay_out();
                } else {
                    turn.request(Effect::Listen);
                }
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
        } else if self.focus == Focus::Search && self.lines.key(key) {
            self.searched(now, turn);
        }
    }

    fn paste(&mut self, pasted: &str, now: Moment, turn: &mut Turn) {
        if let Some(new) = &mut self.new {
            new.paste(pasted);
        } else if self.focus == Focus::Search && self.lines.paste(pasted) {
            self.searched(now, turn);
        }
    }

    fn answered(&mut self, answered: Answered<Answer>, _now: Moment, turn: &mut Turn) {
        match answered.answer {
            Answer::Keep => {}
            Answer::Delete(webhook) => turn.request(|request| Effect::Delete { request, webhook }),
            Answer::Rotate(webhook) => turn.request(|request| Effect::Rotate { request, webhook }),
        }
    }

    fn mouse(&mut self, mouse: Mouse, now: Moment, turn: &mut Turn) {
        if self.new.is_some() {
            return;
        }
        let over = view::over(self, mouse.x, mouse.y);
        if let Some(by) = notch(mouse.what) {
            match over {
                Some(Focus::Deliveries) => {
                    self.delivery.wheel(by, view::delivery_rows(self), self.deliveries_count());
                }
                Some(Focus::Received) => self.received.wheel(by),
                Some(Focus::List | Focus::Search) => {
                    self.lines.wheel(by);
                    self.look_closer(false, now, turn);
                }
                None => {}
            }
        } else if mouse.what == MouseAction::Press
            && self.lines.press(view::rows_area(self), 1, mouse.x, mouse.y).is_some()
        {
            self.focus = Focus::List;
            self.look_closer(false, now, turn);
        }
    }
}
