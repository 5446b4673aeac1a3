//! What happened becomes a new state and effects. Synchronous and total: no I/O, no clock, no panic.

use super::command::Command;
use super::effect::Effect;
use super::event::{Alarm, Connected, Event, Failure, Moment, Mouse, MouseAction};
use super::model::{Model, NoticeKind};
use super::overlays::help::Help;
use super::overlays::page::Page;
use super::overlays::picker::{Entry, Picked, Picker};
use super::overlays::{Overlay, Purpose};
use super::remote::Remote;
use super::screens::Screen;
use super::screens::products::{Outcome, Turn};
use super::widgets::Role;
use super::widgets::time::ago;
use crate::domain::{StoreUrl, text};
use crate::settings::{Key, KeyCode};

/// A notice goes by itself after so long, milliseconds; an error stays until the next key.
const NOTICE_MS: u64 = 5_000;

impl Model {
    /// The effects of the start.
    pub fn start(&mut self, now: Moment) -> Vec<Effect> {
        self.now = now;
        let mut effects = Vec::new();
        self.connect(&mut effects);
        let faults: Vec<String> = self.begin.faults.iter().map(ToString::to_string).collect();
        for fault in faults {
            self.say(NoticeKind::Warning, format!("{fault}; the defaults are used"), &mut effects);
        }
        for warning in self.begin.warnings.clone() {
            self.say(NoticeKind::Warning, warning, &mut effects);
        }
        effects
    }

    fn connect(&mut self, effects: &mut Vec<Effect>) {
        self.connection.load(super::event::RequestId(0), self.now);
        effects.push(Effect::Connect);
        effects.push(Effect::Wake { alarm: Alarm::Spinner, after_ms: 300 });
    }

    fn say(&mut self, kind: NoticeKind, words: String, effects: &mut Vec<Effect>) {
        let id = self.notices.say(self.now, kind, text::line(&words).into_owned());
        if kind != NoticeKind::Error {
            effects.push(Effect::Wake { alarm: Alarm::Notice(id), after_ms: NOTICE_MS });
        }
    }
}

/// Takes one event at a moment.
pub fn update(model: &mut Model, now: Moment, event: Event) -> Vec<Effect> {
    model.now = model.now.max(now);
    let mut effects = Vec::new();
    match event {
        Event::Pressed(key) => press(model, key, &mut effects),
        Event::Pasted(pasted) => paste(model, &pasted, &mut effects),
        Event::Mouse(mouse) => take_mouse(model, mouse, &mut effects),
        Event::Resized { width, height } => {
            model.size = (width, height);
            resize(model);
        }
        Event::Connected(connected) => take_connection(model, connected, &mut effects),
        Event::ConnectFailed(failure) => {
            model.prepared = None;
            model.connection.settle(Err(failure.what.clone()));
            model.say(NoticeKind::Error, failure.what, &mut effects);
        }
        Event::Prepared { what, done, of } => model.prepared = Some((what, done, of)),
        Event::Traffic { in_flight, round_trip_ms, lost } => {
            model.in_flight = in_flight;
            model.lost = lost.unwrap_or(model.lost);
            model.round_trip_ms = round_trip_ms.or(model.round_trip_ms);
            model.products.round_trip_ms = model.round_trip_ms;
        }
        Event::Copied(bytes) => {
            let say = format!("Copied {bytes} bytes to the terminal's clipboard.");
            model.say(NoticeKind::Done, say, &mut effects);
        }
        Event::AddressOpened(Ok(())) => model.say(NoticeKind::Done, "Opened.".to_owned(), &mut effects),
        Event::AddressOpened(Err(why)) | Event::NotKept(why) => model.say(NoticeKind::Warning, why, &mut effects),
        Event::Woke(Alarm::Notice(id)) if model.notices.shown == Some(id) => model.notices.shown = None,
        Event::Woke(_) => {}
        Event::Resumed => effects.push(Effect::Repaint),
        Event::ThemeRead { theme, faults } => {
            model.theme = theme;
            for fault in faults {
                model.say(NoticeKind::Warning, fault.to_string(), &mut effects);
            }
        }
        reply => {
            if let Event::PageArrived { page: Ok(page), .. } = &reply {
                model.products.saw(&page.seen);
            }
            with_products(model, &mut effects, |products, now, turn| {
                products.event(reply, now, turn);
            });
        }
    }
    effects
}

fn resize(model: &mut Model) {
    let (width, height) = model.size;
    for overlay in &mut model.overlays {
        size_overlay(overlay, width, height);
    }
    let body = model.body();
    model.products.resize(body, model.now);
}

fn size_overlay(overlay: &mut Overlay, width: u16, height: u16) {
    match overlay {
        Overlay::Help(help) => help.resize(width, height),
        Overlay::Page(page) => page.resize(width, height),
        Overlay::Picker(picker, _) => picker.resize(width, height),
        Overlay::Prompt(prompt) => prompt.resize(width, height),
    }
}

fn lay_over(model: &mut Model, mut overlay: Overlay) {
    size_overlay(&mut overlay, model.size.0, model.size.1);
    model.overlays.push(overlay);
}

fn take_connection(model: &mut Model, connected: Connected, effects: &mut Vec<Effect>) {
    // Connected again, the person stays in the store they were in.
    let store = model.products.store.clone().or_else(|| connected.store.clone());
    model.prepared = None;
    model.connection.settle(Ok(connected));
    if let Some(store) = store {
        with_products(model, effects, |products, now, turn| products.open_store(store, now, turn));
    } else {
        let say = "No store is known: t takes its address.".to_owned();
        model.say(NoticeKind::Warning, say, effects);
    }
}

fn press(model: &mut Model, key: Key, effects: &mut Vec<Effect>) {
    // An error stays until it was seen: the next key takes it away and does what it does.
    if model.notices.current().is_some_and(|notice| notice.kind == NoticeKind::Error) {
        model.notices.shown = None;
    }
    let command = |model: &Model, key| model.layers().iter().find_map(|layer| model.begin.keymap.command(*layer, key));
    if key.alt && command(model, key).is_none() && !(model.is_typing() && is_word_motion(key)) {
        // Terminals send Alt as an escape before the key, so a quick Esc and a key look the same. Alt with a key that
        // nobody bound is taken for the two.
        press(model, Key::plain(KeyCode::Esc), effects);
        press(model, Key { alt: false, ..key }, effects);
        return;
    }
    match command(model, key) {
        Some(command) => run(model, command, effects),
        None => type_key(model, key, effects),
    }
}

/// Whether Alt with this key moves or deletes by words in a line of text.
fn is_word_motion(key: Key) -> bool {
    matches!(
        key.code,
        KeyCode::Char('b' | 'f' | 'd') | KeyCode::Backspace | KeyCode::Delete | KeyCode::Left | KeyCode::Right
    )
}

fn type_key(model: &mut Model, key: Key, effects: &mut Vec<Effect>) {
    match model.overlays.last_mut() {
        Some(Overlay::Help(help)) => help.key(key),
        Some(Overlay::Picker(picker, _)) => {
            let marked = key == Key::char(' ') && picker.mark();
            if !marked {
                picker.key(key);
            }
        }
        Some(Overlay::Prompt(prompt)) => prompt.key(key),
        None if model.screen == Screen::Products => with_products(model, effects, |products, now, turn| {
            products.text_key(key, now, turn);
        }),
        Some(Overlay::Page(_)) | None => {}
    }
}

fn paste(model: &mut Model, pasted: &str, effects: &mut Vec<Effect>) {
    match model.overlays.last_mut() {
        Some(Overlay::Picker(picker, _)) => picker.paste(pasted),
        Some(Overlay::Prompt(prompt)) => prompt.paste(pasted),
        Some(Overlay::Help(help)) => help.paste(pasted),
        None if model.screen == Screen::Products => {
            with_products(model, effects, |products, now, turn| products.paste(pasted, now, turn));
        }
        Some(_) | None => {}
    }
}

fn take_mouse(model: &mut Model, mouse: Mouse, effects: &mut Vec<Effect>) {
    let step = match mouse.what {
        MouseAction::WheelUp => Some(Command::Up),
        MouseAction::WheelDown => Some(Command::Down),
        MouseAction::Press => None,
    };
    if let Some(overlay) = model.overlays.last_mut() {
        match (overlay, step) {
            (Overlay::Picker(picker, _), None) if picker.covers(mouse.x, mouse.y) => {
                let choice = picker.press(mouse.x, mouse.y);
                take_pick(model, choice, effects);
            }
            (_, Some(step)) => run(model, step, effects),
            (_, None) => run(model, Command::Back, effects),
        }
        return;
    }
    if mouse.y == 0 {
        if step.is_none()
            && let Some((screen, _)) = super::view::tab_places(model.size.0, model.screen)
                .into_iter()
                .find(|(_, place)| place.contains(&mouse.x))
        {
            run(model, screen.command(), effects);
        }
    } else if model.screen == Screen::Products {
        with_products(model, effects, |products, now, turn| products.mouse(mouse, now, turn));
    }
}

/// Runs a command.
fn run(model: &mut Model, command: Command, effects: &mut Vec<Effect>) {
    if !model.overlays.is_empty() && run_over(model, command, effects) {
        return;
    }
    match command {
        Command::GoProducts => model.screen = Screen::Products,
        Command::GoProjects => model.screen = Screen::Projects,
        Command::GoVideos => model.screen = Screen::Videos,
        Command::GoWebhooks => model.screen = Screen::Webhooks,
        Command::GoAccount => model.screen = Screen::Account,
        Command::GoInspector => model.screen = Screen::Inspector,
        Command::Help => lay_over(model, Overlay::Help(Help::default())),
        Command::Palette => open_palette(model),
        Command::Notices => open_notices(model),
        Command::Themes => open_themes(model),
        Command::Stores => open_stores(model, effects),
        Command::Reconnect => model.connect(effects),
        Command::Redraw => effects.push(Effect::Repaint),
        Command::Suspend => effects.push(Effect::Suspend),
        Command::Quit => {
            model.over = true;
            effects.push(Effect::Quit);
        }
        command if model.screen == Screen::Products => run_on_products(model, command, effects),
        _ => {}
    }
}

fn run_on_products(model: &mut Model, command: Command, effects: &mut Vec<Effect>) {
    if command == Command::Retry && matches!(model.connection, Remote::Failed { .. }) {
        model.connect(effects);
        return;
    }
    let mut known = false;
    with_products(model, effects, |products, now, turn| known = products.command(command, now, turn));
    if !known && command == Command::Back && model.greeting {
        model.greeting = false;
        resize(model);
    }
}

/// Runs a command on what lies over the screen; whether it was for that.
fn run_over(model: &mut Model, command: Command, effects: &mut Vec<Effect>) -> bool {
    match command {
        Command::Back | Command::Quit => {
            model.overlays.pop();
            model.products.choosing = None;
            return true;
        }
        Command::Suspend | Command::Redraw => return false,
        _ => {}
    }
    let keymap = std::sync::Arc::clone(&model.begin.keymap);
    match model.overlays.last_mut() {
        Some(Overlay::Help(help)) => help.command(command, &keymap),
        Some(Overlay::Page(page)) => match page.text_to_copy().filter(|_| command == Command::Copy) {
            Some(text) => effects.push(Effect::CopyText(text.to_owned())),
            None => page.command(command),
        },
        Some(Overlay::Picker(picker, _)) => {
            let choice = picker.command(command);
            take_pick(model, choice, effects);
        }
        Some(Overlay::Prompt(prompt)) if command == Command::Open => {
            let typed = prompt.text().to_owned();
            model.overlays.pop();
            with_products(model, effects, |products, now, turn| products.chosen(None, None, Some(typed), now, turn));
        }
        Some(Overlay::Prompt(_)) | None => {}
    }
    true
}

fn take_pick(model: &mut Model, choice: Picked, effects: &mut Vec<Effect>) {
    if choice == Picked::Nothing {
        return;
    }
    let Some(Overlay::Picker(picker, purpose)) = model.overlays.pop() else { return };
    let (one, typed) = match choice {
        Picked::One(entry) => (Some(entry), None),
        Picked::Typed(text) => (None, Some(text)),
        Picked::Nothing => (None, None),
    };
    match purpose {
        Purpose::Palette(commands) => {
            if let Some(command) = one.and_then(|at| commands.get(at).copied()) {
                run(model, command, effects);
            }
        }
        Purpose::Theme(names) => {
            effects.extend(one.and_then(|at| names.get(at).cloned()).map(Effect::ReadTheme));
        }
        Purpose::Store(stores) => {
            let chosen = one.and_then(|at| stores.get(at).cloned());
            if let Some(store) = chosen.or_else(|| typed.map(StoreUrl::from)) {
                with_products(model, effects, |products, now, turn| products.open_store(store, now, turn));
            }
        }
        Purpose::Copy(texts) => {
            effects.extend(one.and_then(|at| texts.get(at).cloned()).map(Effect::CopyText));
        }
        Purpose::Screen => {
            let marked = picker.marked();
            with_products(model, effects, |products, now, turn| products.chosen(marked, one, typed, now, turn));
        }
    }
}

fn open_palette(model: &mut Model) {
    let here = |command: &Command| {
        let only_products = command.name().starts_with("products.");
        *command != Command::Palette && !(only_products && model.screen != Screen::Products)
    };
    let commands: Vec<Command> = Command::ALL.iter().copied().filter(here).collect();
    let entries = commands
        .iter()
        .map(|command| Entry {
            label: capital(command.title()),
            detail: command.about().to_owned(),
            right: model.begin.keymap.first_key(*command).map(|key| key.label(model.begin.ascii)).unwrap_or_default(),
        })
        .collect();
    lay_over(model, Overlay::Picker(Picker::new("Commands", entries), Purpose::Palette(commands)));
}

fn capital(words: &str) -> String {
    let mut chars = words.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn open_notices(model: &mut Model) {
    let mut lines: Vec<(Role, String)> = model
        .notices
        .past
        .iter()
        .rev()
        .map(|notice| (notice_role(notice.kind), format!("{:>6}  {}", ago(model.now, notice.at), notice.text)))
        .collect();
    if lines.is_empty() {
        lines.push((Role::Dim, "Nothing was said yet. What the studio tells you is kept here.".to_owned()));
    }
    lay_over(model, Overlay::Page(Page::new("Notices", lines, "Esc closes")));
}

/// The role of a notice.
#[must_use]
pub fn notice_role(kind: NoticeKind) -> Role {
    match kind {
        NoticeKind::Done => Role::Ok,
        NoticeKind::Hint => Role::Text,
        NoticeKind::Warning => Role::Warn,
        NoticeKind::Error => Role::Error,
    }
}

fn open_themes(model: &mut Model) {
    let names = model.begin.themes.clone();
    let at = names.iter().position(|name| *name == model.theme.name).unwrap_or(0);
    let entries = names.iter().map(|name| Entry { label: name.clone(), ..Entry::default() }).collect();
    lay_over(model, Overlay::Picker(Picker::new("Theme", entries).with_selected(at), Purpose::Theme(names)));
}

fn open_stores(model: &mut Model, effects: &mut Vec<Effect>) {
    let mut stores: Vec<StoreUrl> = model.connection.known().map(|c| c.stores.clone()).unwrap_or_default();
    stores.extend(model.products.store.clone().filter(|store| !stores.contains(store)));
    if model.connection.known().is_none() {
        model.say(NoticeKind::Hint, "There is no connection to a service yet.".to_owned(), effects);
        return;
    }
    let at = stores.iter().position(|store| Some(store) == model.products.store.as_ref()).unwrap_or(0);
    let entries = stores
        .iter()
        .map(|store| Entry { label: text::line(store.as_str()).into_owned(), ..Entry::default() })
        .collect();
    lay_over(
        model,
        Overlay::Picker(
            Picker::new("Store: choose, or type an address", entries).with_selected(at).with_free_text(),
            Purpose::Store(stores),
        ),
    );
}

/// Lets the Products screen take its turn, and does what comes of it.
fn with_products(
    model: &mut Model,
    effects: &mut Vec<Effect>,
    take: impl FnOnce(&mut super::screens::products::Products, Moment, &mut Turn),
) {
    let mut turn = Turn::default();
    take(&mut model.products, model.now, &mut turn);
    effects.append(&mut turn.effects);
    for outcome in turn.outcomes {
        match outcome {
            Outcome::Notify(kind, words) => model.say(kind, words, effects),
            Outcome::Ask(prompt) => lay_over(model, Overlay::Prompt(*prompt)),
            Outcome::Choose(picker) => lay_over(model, Overlay::Picker(*picker, Purpose::Screen)),
            Outcome::Copy(choices) => offer_copy(model, choices, effects),
            Outcome::Address(address) => open_address(model, address, effects),
            Outcome::Unauthorized => {
                let failure = Failure::new(
                    "The service refused the credential (401). Check CUTAWAY_API_KEY or the profile's key.",
                );
                model.say(NoticeKind::Error, failure.what, effects);
            }
        }
    }
}

fn offer_copy(model: &mut Model, choices: Vec<(&'static str, String)>, effects: &mut Vec<Effect>) {
    if let [(_, only)] = choices.as_slice() {
        effects.push(Effect::CopyText(only.clone()));
        return;
    }
    let entries = choices
        .iter()
        .map(|(what, text)| {
            let short: String = text.chars().take(60).collect();
            Entry { label: (*what).to_owned(), detail: text::line(&short).into_owned(), ..Entry::default() }
        })
        .collect();
    let texts = choices.into_iter().map(|(_, text)| text).collect();
    lay_over(model, Overlay::Picker(Picker::new("Copy", entries), Purpose::Copy(texts)));
}

fn open_address(model: &mut Model, address: String, effects: &mut Vec<Effect>) {
    let web = address.starts_with("https://") || address.starts_with("http://");
    if model.begin.opens_addresses && web {
        effects.push(Effect::OpenAddress(address));
    } else {
        let lines = vec![(Role::Text, address.clone())];
        lay_over(model, Overlay::Page(Page::new("Address", lines, "y copies  Esc closes").with_copy(address)));
    }
}
