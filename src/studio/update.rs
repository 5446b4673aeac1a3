//! What happened becomes a new state and effects. Synchronous and total: no I/O, no clock, no panic.

use std::sync::Arc;

use super::command::Command;
use super::effect::Effect;
use super::event::{Alarm, Connected, Event, Failure, Moment, Mouse, MouseAction, RequestId, Waiting};
use super::films::Film;
use super::keys::Layer;
use super::model::{Model, NoticeKind};
use super::overlays::help::Help;
use super::overlays::page::Page;
use super::overlays::picker::{Entry, Picked, Picker};
use super::overlays::preview::{Preview, Said};
use super::overlays::{Overlay, Purpose};
use super::pane::Pane;
use super::pictures::{PictureFault, Raster};
use super::remote::Remote;
use super::screens::Screen;
use super::screens::account::SwitchTo;
use super::signing;
use super::turn::{Choice, Outcome, Turn};
use super::widgets::Role;
use super::widgets::time::ago;
use crate::domain::{StoreUrl, text};
use crate::settings::{Graphics, Key, KeyCode};

/// A notice goes by itself after so long, milliseconds; an error stays until the next key.
const NOTICE_MS: u64 = 5_000;

/// So long the terminal is waited for to say how it shows pictures, milliseconds; what it says later counts too.
const GRAPHICS_MS: u64 = 1_000;

/// The requests for pictures of the whole screen are counted from here: no screen counts so far.
const PICTURE_REQUESTS: u64 = 1 << 60;

impl Model {
    /// The effects of the start.
    pub fn start(&mut self, now: Moment) -> Vec<Effect> {
        self.now = now;
        let mut effects = vec![Effect::Wake { alarm: Alarm::Graphics, after_ms: GRAPHICS_MS }];
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

    pub(super) fn connect(&mut self, effects: &mut Vec<Effect>) {
        self.connection.load(super::event::RequestId(0), self.now);
        effects.push(Effect::Connect);
        effects.push(Effect::Wake { alarm: Alarm::Spinner, after_ms: 300 });
    }

    /// Lays something over the screen.
    pub(super) fn lay_over(&mut self, overlay: Overlay) {
        lay_over(self, overlay);
    }

    /// Says something.
    pub(super) fn say(&mut self, kind: NoticeKind, words: String, effects: &mut Vec<Effect>) {
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
        Event::Woke(Alarm::Graphics) if model.pictures.graphics.is_none() => {
            let cell = model.pictures.cell;
            model.pictures.learn(model.begin.graphics, cell);
        }
        Event::Woke(Alarm::Pending) => {
            take_turn(model, &mut effects, Screen::Products, |model, now, turn| model.products.ask_pending(now, turn));
        }
        Event::Woke(_) => {}
        Event::GraphicsKnown { graphics, cell } => model.pictures.learn(graphics, cell),
        Event::PictureArrived { wanted, picture } => model.pictures.take(wanted, picture),
        Event::PictureFetched { request, picture } => take_picture(model, request, picture, &mut effects),
        event @ (Event::FilmLearnt { .. } | Event::FilmFetched { .. }) => {
            if let Some(preview) = model.preview_mut() {
                preview.learn(event);
            }
        }
        Event::TextEdited(Ok(text)) => on_pane(model, &mut effects, model.screen, |pane, now, turn| {
            pane.text_edited(text, now, turn);
        }),
        Event::TextEdited(Err(why)) => model.say(NoticeKind::Error, why, &mut effects),
        Event::DraftsFound(drafts) => take_drafts(model, drafts, &mut effects),
        Event::Resumed => effects.push(Effect::Repaint),
        Event::ThemeRead { theme, faults } => {
            model.theme = theme;
            for fault in faults {
                model.say(NoticeKind::Warning, fault.to_string(), &mut effects);
            }
        }
        Event::Projects(event) => {
            take_turn(model, &mut effects, Screen::Projects, |model, now, turn| model.projects.event(event, now, turn));
        }
        Event::Steps(event) => {
            take_turn(model, &mut effects, Screen::Steps, |model, now, turn| model.steps.event(event, now, turn));
        }
        Event::Videos(event) => {
            take_turn(model, &mut effects, Screen::Videos, |model, now, turn| model.videos.event(event, now, turn));
        }
        Event::Webhooks(event) => {
            take_turn(model, &mut effects, Screen::Webhooks, |model, now, turn| model.webhooks.event(event, now, turn));
        }
        Event::Account(event) => {
            if let Some(event) = signing::take(model, event, &mut effects) {
                take_turn(model, &mut effects, Screen::Account, |model, now, turn| {
                    model.account.event(event, now, turn);
                });
            }
        }
        Event::Inspector(event) => {
            take_turn(model, &mut effects, Screen::Inspector, |model, now, turn| {
                model.inspector.event(event, now, turn);
            });
        }
        reply => {
            if let Event::PageArrived { page: Ok(page), .. } = &reply {
                model.products.saw(&page.seen);
            }
            take_turn(model, &mut effects, Screen::Products, |model, now, turn| {
                model.products.event(reply, now, turn);
            });
        }
    }
    want_pictures(model, &mut effects);
    effects
}

/// Asks for the pictures that the screen has room for, where those changed.
fn want_pictures(model: &mut Model, effects: &mut Vec<Effect>) {
    let grain = model.pictures.grain();
    model.products.set_grain(grain, model.now);
    model.videos.set_grain(grain);
    let is_open = model.preview().is_some();
    if std::mem::replace(&mut model.film_open, is_open) && !is_open {
        effects.push(Effect::CloseFilm);
        model.pictures.forget_film_faults();
    }
    let Some(graphics) = model.pictures.graphics else { return };
    if let Some(Overlay::Preview(preview)) = model.overlays.iter_mut().find(|o| matches!(o, Overlay::Preview(_))) {
        preview.settle(&model.pictures);
    }
    let places = model.preview().map_or_else(|| model.pane().pictures(), Preview::wanted);
    if let Some(wanted) = model.pictures.want(&places) {
        effects.push(Effect::Pictures { wanted, graphics, cell: model.pictures.cell });
    }
}

/// Whether pictures are shown; where not, that is said.
fn may_fill_the_screen(model: &mut Model, effects: &mut Vec<Effect>) -> bool {
    let shown = model.pictures.shown();
    if !shown {
        model.say(NoticeKind::Hint, "No pictures are shown here.".to_owned(), effects);
    }
    shown
}

fn open_preview(model: &mut Model, film: Film, effects: &mut Vec<Effect>) {
    if may_fill_the_screen(model, effects) {
        let preview = Preview::new(film, model.begin.has_ffmpeg);
        effects.push(Effect::OpenFilm(preview.film()));
        lay_over(model, Overlay::Preview(Box::new(preview)));
    }
}

fn fetch_picture(model: &mut Model, address: String, effects: &mut Vec<Effect>) {
    if !may_fill_the_screen(model, effects) {
        return;
    }
    model.picture_requests += 1;
    let request = RequestId(PICTURE_REQUESTS + model.picture_requests);
    model.awaited_picture = Some(request);
    effects.push(Effect::FetchPicture { request, address: address.into() });
}

fn take_picture(
    model: &mut Model,
    request: RequestId,
    picture: Result<Arc<Raster>, PictureFault>,
    effects: &mut Vec<Effect>,
) {
    if model.awaited_picture != Some(request) {
        return;
    }
    model.awaited_picture = None;
    match picture {
        Ok(raster) => effects.push(Effect::ShowPicture(raster)),
        Err(fault) => model.say(NoticeKind::Warning, fault.long(), effects),
    }
}

fn resize(model: &mut Model) {
    let (width, height) = model.size;
    for overlay in &mut model.overlays {
        size_overlay(overlay, width, height);
    }
    let (body, now) = (model.body(), model.now);
    for screen in Screen::EVERY {
        model.pane_of_mut(screen).resize(body, now);
    }
}

fn size_overlay(overlay: &mut Overlay, width: u16, height: u16) {
    match overlay {
        Overlay::Help(help) => help.resize(width, height),
        Overlay::Page(page) => page.resize(width, height),
        Overlay::Picker(picker, _) => picker.resize(width, height),
        Overlay::Prompt(prompt, _) => prompt.resize(width, height),
        Overlay::Confirm(confirm, _) | Overlay::LiveWrite(confirm) => confirm.resize(width, height),
        Overlay::SignIn(sign_in) => sign_in.resize(width, height),
        Overlay::Preview(preview) => preview.resize(width, height),
    }
}

fn lay_over(model: &mut Model, mut overlay: Overlay) {
    size_overlay(&mut overlay, model.size.0, model.size.1);
    model.overlays.push(overlay);
}

fn take_connection(model: &mut Model, connected: Connected, effects: &mut Vec<Effect>) {
    // Connected again, the person stays in the store they were in.
    let resume = model.begin.resume.take().filter(|_| model.products.store.is_none());
    let left = resume.as_ref().and_then(|left| left.store.clone());
    let left = left.filter(|left| connected.stores.is_empty() || connected.stores.contains(left));
    let store = model.products.store.clone().or(left).or_else(|| connected.store.clone());
    model.prepared = None;
    model.connection.settle(Ok(connected));
    let resume = resume.filter(|left| left.store == store);
    if let Some(store) = store {
        take_turn(model, effects, Screen::Products, |model, now, turn| match resume {
            Some(left) => model.products.take_up(store, left.row, now, turn),
            None => model.products.open_store(store, now, turn),
        });
    } else {
        let say = "No store is known: t takes its address.".to_owned();
        model.say(NoticeKind::Warning, say, effects);
    }
    effects.push(Effect::FindDrafts(workspace(model)));
    let shown = model.screen;
    on_pane(model, effects, shown, |pane, now, turn| pane.shown(now, turn));
    if shown != Screen::Videos {
        // What was queued before goes on, whichever screen is in front.
        effects.push(Effect::Videos(super::screens::videos::Effect::Look));
    }
}

fn press(model: &mut Model, key: Key, effects: &mut Vec<Effect>) {
    // Whoever goes on does not want the screen filled by what they asked for before.
    effects.extend(model.awaited_picture.take().map(Effect::Cancel));
    // An error stays until it was seen: the next key takes it away and does what it does.
    if model.notices.current().is_some_and(|notice| notice.kind == NoticeKind::Error) {
        model.notices.shown = None;
    }
    // The digits before the answers of a question are its own, whatever they do elsewhere.
    let answer = match model.overlays.last() {
        Some(Overlay::Confirm(confirm, _)) => confirm.key(key),
        _ => None,
    };
    if answer.is_some() {
        take_answer(model, answer, effects);
        return;
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
        Some(Overlay::Prompt(prompt, _)) => prompt.key(key),
        Some(Overlay::SignIn(sign_in)) => effects.extend(sign_in.key(key)),
        Some(Overlay::Page(_) | Overlay::Confirm(..) | Overlay::LiveWrite(_) | Overlay::Preview(_)) => {}
        None => on_pane(model, effects, model.screen, |pane, now, turn| pane.text_key(key, now, turn)),
    }
}

fn paste(model: &mut Model, pasted: &str, effects: &mut Vec<Effect>) {
    match model.overlays.last_mut() {
        Some(Overlay::Picker(picker, _)) => picker.paste(pasted),
        Some(Overlay::Prompt(prompt, _)) => prompt.paste(pasted),
        Some(Overlay::Help(help)) => help.paste(pasted),
        Some(Overlay::SignIn(sign_in)) => sign_in.paste(pasted),
        Some(Overlay::Page(_) | Overlay::Confirm(..) | Overlay::LiveWrite(_) | Overlay::Preview(_)) => {}
        None => on_pane(model, effects, model.screen, |pane, now, turn| pane.paste(pasted, now, turn)),
    }
}

fn take_mouse(model: &mut Model, mouse: Mouse, effects: &mut Vec<Effect>) {
    let step = match mouse.what {
        MouseAction::WheelUp => Some(Command::Up),
        MouseAction::WheelDown => Some(Command::Down),
        MouseAction::Drag | MouseAction::Release if !model.overlays.is_empty() => return,
        MouseAction::Press | MouseAction::Drag | MouseAction::Release => None,
    };
    if let Some(overlay) = model.overlays.last_mut() {
        match (overlay, step) {
            (Overlay::Picker(picker, _), None) if picker.covers(mouse.x, mouse.y) => {
                let choice = picker.press(mouse.x, mouse.y);
                take_pick(model, choice, effects);
            }
            (Overlay::Confirm(confirm, _), None) if confirm.press(mouse.x, mouse.y).is_some() => {
                let answer = confirm.press(mouse.x, mouse.y);
                take_answer(model, answer, effects);
            }
            (Overlay::LiveWrite(confirm), None) if confirm.press(mouse.x, mouse.y).is_some() => {
                let answer = confirm.press(mouse.x, mouse.y);
                signing::answer_write(model, answer, effects);
            }
            (_, Some(step)) => run(model, step, effects),
            // A stray press does not throw away a sign-in.
            (Overlay::SignIn(_), None) => {}
            (_, None) => run(model, Command::Back, effects),
        }
        return;
    }
    if mouse.y == 0 {
        if mouse.what == MouseAction::Press
            && let Some((screen, _)) = super::view::tab_places(model.size.0, model.screen)
                .into_iter()
                .find(|(_, place)| place.contains(&mouse.x))
        {
            run(model, screen.command(), effects);
        }
    } else {
        on_pane(model, effects, model.screen, |pane, now, turn| pane.mouse(mouse, now, turn));
    }
}

/// Runs a command.
fn run(model: &mut Model, command: Command, effects: &mut Vec<Effect>) {
    if !model.overlays.is_empty() && run_over(model, command, effects) {
        return;
    }
    match command {
        Command::GoProducts => go(model, Screen::Products, effects),
        Command::GoProjects => {
            // The tab shows what was open in it; chosen again, the list.
            let steps = model.steps.is_open() && model.screen.tab() != Screen::Projects;
            go(model, if steps { Screen::Steps } else { Screen::Projects }, effects);
        }
        Command::GoVideos => go(model, Screen::Videos, effects),
        Command::GoWebhooks => go(model, Screen::Webhooks, effects),
        Command::GoAccount => go(model, Screen::Account, effects),
        Command::GoInspector => go(model, Screen::Inspector, effects),
        Command::Help => lay_over(model, Overlay::Help(Help::default())),
        Command::Palette => open_palette(model),
        Command::Notices => open_notices(model),
        Command::Themes => open_themes(model),
        Command::Stores => open_stores(model, effects),
        Command::Switch => signing::open_switcher(model),
        Command::Reconnect => model.connect(effects),
        Command::Redraw => effects.push(Effect::Repaint),
        Command::Pictures => switch_pictures(model, effects),
        Command::Suspend => effects.push(Effect::Suspend),
        Command::Quit if model.steps.is_unkept() && !std::mem::replace(&mut model.warned_unkept, true) => {
            let say = "What is edited in the project is not on the disk and would be lost: S saves it, D throws it away. q again leaves all the same.";
            model.say(NoticeKind::Error, say.to_owned(), effects);
        }
        Command::Quit => {
            if model.begin.read_only.is_none() && model.videos.keeps_from_leaving() {
                take_turn(model, effects, Screen::Videos, |model, _, turn| model.videos.ask_leave(turn));
            } else {
                model.over = true;
                effects.push(Effect::Quit);
            }
        }
        command => run_on_pane(model, command, effects),
    }
}

/// Switches pictures on or off.
fn switch_pictures(model: &mut Model, effects: &mut Vec<Effect>) {
    let off = matches!(model.pictures.graphics, Some(Graphics::Off));
    model.pictures.on = off || !model.pictures.on;
    let say = match (off, model.pictures.on) {
        (true, _) => "Pictures are off: this terminal shows none, or the configuration says so.",
        (_, true) => "Pictures are shown.",
        (_, false) => "Pictures are not shown.",
    };
    model.say(NoticeKind::Hint, say.to_owned(), effects);
    resize(model);
}

/// Brings a screen to the front.
fn go(model: &mut Model, screen: Screen, effects: &mut Vec<Effect>) {
    model.screen = screen;
    if screen == Screen::Projects {
        effects.push(Effect::FindDrafts(workspace(model)));
    }
    on_pane(model, effects, screen, |pane, now, turn| pane.shown(now, turn));
}

fn run_on_pane(model: &mut Model, command: Command, effects: &mut Vec<Effect>) {
    if matches!(command, Command::Retry | Command::ProjectsRetry) && matches!(model.connection, Remote::Failed { .. }) {
        model.connect(effects);
        return;
    }
    let mut known = false;
    on_pane(model, effects, model.screen, |pane, now, turn| known = pane.command(command, now, turn));
    if !known && command == Command::Back && model.greeting {
        model.greeting = false;
        resize(model);
    }
}

/// Runs a command on what lies over the screen; whether it was for that.
fn run_over(model: &mut Model, command: Command, effects: &mut Vec<Effect>) -> bool {
    match command {
        Command::Back | Command::Quit if matches!(model.overlays.last(), Some(Overlay::LiveWrite(_))) => {
            signing::answer_write(model, None, effects);
            return true;
        }
        Command::Back | Command::Quit if matches!(model.overlays.last(), Some(Overlay::SignIn(_))) => {
            if let Some(Overlay::SignIn(sign_in)) = model.overlays.last_mut() {
                let (closed, told) = sign_in.back();
                effects.extend(told);
                if closed {
                    model.overlays.pop();
                }
            }
            return true;
        }
        Command::Back | Command::Quit => {
            let of = match model.overlays.pop() {
                Some(
                    Overlay::Picker(_, Purpose::Screen(screen))
                    | Overlay::Prompt(_, screen)
                    | Overlay::Confirm(_, screen),
                ) => Some(screen),
                _ => None,
            };
            if let Some(screen) = of {
                model.pane_of_mut(screen).dismissed();
            }
            return true;
        }
        Command::Suspend | Command::Redraw => return false,
        _ => {}
    }
    let keymap = Arc::clone(&model.begin.keymap);
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
        Some(Overlay::Prompt(prompt, screen)) if command == Command::Open => {
            let (screen, choice) = (*screen, Choice { typed: Some(prompt.text().to_owned()), ..Choice::default() });
            model.overlays.pop();
            on_pane(model, effects, screen, |pane, now, turn| pane.chosen(choice, now, turn));
        }
        Some(Overlay::Confirm(confirm, _)) => {
            let answer = confirm.command(command);
            take_answer(model, answer, effects);
        }
        Some(Overlay::LiveWrite(confirm)) => {
            if let Some(answer) = confirm.command(command) {
                signing::answer_write(model, Some(answer), effects);
            }
        }
        Some(Overlay::SignIn(sign_in)) => effects.extend(sign_in.command(command)),
        Some(Overlay::Preview(preview)) => match preview.command(command) {
            Said::Nothing => {}
            Said::Hint(words) => model.say(NoticeKind::Hint, words.to_owned(), effects),
            Said::Address(address) => open_address(model, address, effects),
        },
        Some(Overlay::Prompt(..)) | None => {}
    }
    true
}

/// Takes the answer to the question that lies over the screen, where one was given.
fn take_answer(model: &mut Model, answer: Option<usize>, effects: &mut Vec<Effect>) {
    let Some(one) = answer else { return };
    let Some(Overlay::Confirm(_, screen)) = model.overlays.pop() else { return };
    let choice = Choice { one: Some(one), ..Choice::default() };
    on_pane(model, effects, screen, |pane, now, turn| pane.chosen(choice, now, turn));
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
        Purpose::Palette(commands, switches) => {
            let Some(at) = one else { return };
            match commands.get(at) {
                Some(command) => run(model, *command, effects),
                None => switch_to(model, switches.get(at - commands.len()).cloned(), effects),
            }
        }
        Purpose::Switch(switches) => switch_to(model, one.and_then(|at| switches.get(at).cloned()), effects),
        Purpose::Theme(names) => {
            effects.extend(one.and_then(|at| names.get(at).cloned()).map(Effect::ReadTheme));
        }
        Purpose::Store(stores) => {
            let chosen = one.and_then(|at| stores.get(at).cloned());
            if let Some(store) = chosen.or_else(|| typed.map(StoreUrl::from)) {
                take_turn(model, effects, Screen::Products, |model, now, turn| {
                    model.products.open_store(store, now, turn);
                });
            }
        }
        Purpose::Copy(texts) => {
            effects.extend(one.and_then(|at| texts.get(at).cloned()).map(Effect::CopyText));
        }
        Purpose::Screen(screen) => {
            let choice = Choice { marked: picker.marked(), one, typed };
            on_pane(model, effects, screen, |pane, now, turn| pane.chosen(choice, now, turn));
        }
    }
}

fn switch_to(model: &mut Model, to: Option<SwitchTo>, effects: &mut Vec<Effect>) {
    let Some(to) = to else { return };
    match signing::switch(model, to) {
        Ok(store) => {
            take_turn(model, effects, Screen::Products, |model, now, turn| model.products.open_store(store, now, turn));
        }
        Err(effect) => effects.extend(*effect),
    }
}

fn open_palette(model: &mut Model) {
    // The commands of the other screens can't be given here.
    let own = model.pane().layer();
    let here = |command: &Command| {
        let of = command.name().split('.').next().unwrap_or_default();
        let elsewhere = Layer::OUTSIDE_TEXT.iter().any(|layer| layer.name() == of && *layer != own);
        *command != Command::Palette && !elsewhere
    };
    let commands: Vec<Command> = Command::ALL.iter().copied().filter(here).collect();
    let entries: Vec<Entry> = commands
        .iter()
        .map(|command| Entry {
            label: capital(command.title()),
            detail: command.about().to_owned(),
            right: model.begin.keymap.first_key(*command).map(|key| key.label(model.begin.ascii)).unwrap_or_default(),
        })
        .collect();
    // One line goes to any store of any profile.
    let (places, switches) = signing::switches(model);
    let places = places.into_iter().map(|place| Entry { label: format!("Go to {}", place.label), ..place });
    let picker = Picker::new("Commands", entries.into_iter().chain(places).collect());
    lay_over(model, Overlay::Picker(picker, Purpose::Palette(commands, switches)));
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

/// Lets one screen take its turn as any screen can, and does what comes of it.
fn on_pane(
    model: &mut Model,
    effects: &mut Vec<Effect>,
    screen: Screen,
    take: impl FnOnce(&mut dyn Pane, Moment, &mut Turn),
) {
    let mut turn = turn_of(model);
    let now = model.now;
    take(model.pane_of_mut(screen), now, &mut turn);
    settle(model, effects, screen, turn);
}

/// Lets a screen take a turn that only it can take. What it lays over itself comes to the front, whatever is shown.
fn take_turn(
    model: &mut Model,
    effects: &mut Vec<Effect>,
    screen: Screen,
    take: impl FnOnce(&mut Model, Moment, &mut Turn),
) {
    let mut turn = turn_of(model);
    let now = model.now;
    take(model, now, &mut turn);
    settle(model, effects, screen, turn);
}

fn turn_of(model: &Model) -> Turn {
    Turn {
        read_only: model.begin.read_only.clone(),
        connected: matches!(model.connection, Remote::Ready(_)),
        has_ffmpeg: model.begin.has_ffmpeg,
        workspace: workspace(model),
        store: model.products.store.clone(),
        ..Turn::default()
    }
}

/// What tells what is kept of this workspace from what is kept of others.
fn workspace(model: &Model) -> String {
    match model.connection.known() {
        // The local workspace is the same wherever it is served.
        _ if model.begin.local => "local".to_owned(),
        Some(connected) => connected.base.clone(),
        None => String::new(),
    }
}

/// Drafts were left: that is said, and shown in the list of projects.
fn take_drafts(model: &mut Model, drafts: Vec<Waiting>, effects: &mut Vec<Effect>) {
    if !std::mem::replace(&mut model.drafts_told, true) && !drafts.is_empty() {
        let named: Vec<String> = drafts
            .iter()
            .take(3)
            .map(|draft| {
                let edits = draft.edits;
                format!("{} ({edits} edit{})", draft.name, if edits == 1 { "" } else { "s" })
            })
            .collect();
        let more = if drafts.len() > named.len() { ", and more" } else { "" };
        let say = format!("Not saved yet: {}{more}. Projects (2) has them as they were left.", named.join(", "));
        model.say(NoticeKind::Hint, say, effects);
    }
    let ids = drafts.into_iter().map(|draft| draft.project).collect();
    take_turn(model, effects, Screen::Projects, |model, now, turn| {
        model.projects.event(super::projects::Event::Drafts(ids), now, turn);
    });
}

/// Does what came of a screen's turn.
fn settle(model: &mut Model, effects: &mut Vec<Effect>, screen: Screen, mut turn: Turn) {
    effects.append(&mut turn.effects);
    for outcome in turn.outcomes {
        match outcome {
            Outcome::Notify(kind, words) => model.say(kind, words, effects),
            Outcome::Ask(prompt) => lay_over(model, Overlay::Prompt(*prompt, screen)),
            Outcome::Choose(picker) => lay_over(model, Overlay::Picker(*picker, Purpose::Screen(screen))),
            Outcome::Confirm(confirm) => lay_over(model, Overlay::Confirm(*confirm, screen)),
            Outcome::Show(page) => lay_over(model, Overlay::Page(*page)),
            Outcome::Copy(choices) => offer_copy(model, choices, effects),
            Outcome::Address(address) => open_address(model, address, effects),
            Outcome::Quit => {
                model.over = true;
                effects.push(Effect::Quit);
            }
            Outcome::Picture(address) => fetch_picture(model, address, effects),
            Outcome::Preview(film) => open_preview(model, *film, effects),
            Outcome::RetryPictures => model.pictures.forget_faults(),
            Outcome::Go(screen) => go(model, screen, effects),
            Outcome::OpenProject(project, name) => {
                take_turn(model, effects, Screen::Steps, |model, now, turn| model.steps.open(project, name, now, turn));
                go(model, Screen::Steps, effects);
            }
            Outcome::SignIn(profile) => signing::open(model, &profile),
            Outcome::Switch(to) if to.profile == model.begin.profile && to.store.is_none() => {
                model.say(NoticeKind::Hint, format!("{} is open already.", to.profile), effects);
            }
            Outcome::Switch(to) => switch_to(model, Some(to), effects),
            Outcome::Unauthorized => {
                let failure = Failure::new(
                    "The service refused the credential (401). Account (5) shows which one is in use; s there signs in.",
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
