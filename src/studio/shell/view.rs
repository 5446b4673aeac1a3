//! How the studio looks. Takes the model, draws it; decides nothing.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::begin::Credential;
use super::hints;
use super::model::Model;
use super::{sharing, silence};
use crate::domain::{Veil, text};
use crate::studio::ground::layout::{LEAST, is_enough};
use crate::studio::ground::{Remote, Screen};
use crate::studio::screens::products;
use crate::studio::widgets::{Awaited, Ink, Linked, Noted, Piece, Role, piece, put, put_pieces, shortened, width};

/// Draws the model into a buffer of the model's size and gives the cursor's place: where text is typed, else on what is
/// current.
pub fn view(model: &Model, buf: &mut Buffer) -> Option<(u16, u16)> {
    let noted = Noted::default();
    cursor(model, buf, &noted)
}

/// The same, with the cells that show an address of the web.
pub fn view_with_links(model: &Model, buf: &mut Buffer) -> (Option<(u16, u16)>, Vec<Linked>) {
    let noted = Noted::with_links();
    (cursor(model, buf, &noted), noted.links(buf))
}

fn cursor(model: &Model, buf: &mut Buffer, noted: &Noted) -> Option<(u16, u16)> {
    draw(model, buf, noted).or(noted.at()).filter(|place| buf.area.contains((*place).into()))
}

fn draw(model: &Model, buf: &mut Buffer, noted: &Noted) -> Option<(u16, u16)> {
    let signs_in = model.layers.iter().any(super::overlays::Overlay::asks_sign_in);
    let awaited = if signs_in { Awaited::SignIn } else { model.shell.service() };
    let ink = Ink { noted: Some(noted), awaited, ..model.shell.ink() };
    let (across, down) = (buf.area.width.min(model.shell.size.0), buf.area.height.min(model.shell.size.1));
    if !is_enough(across, down) {
        let words = format!(
            "Enlarge the window: Cutaway needs at least {}x{} (it is {across}x{down}). q quits.",
            LEAST.0, LEAST.1
        );
        for (line, y) in crate::studio::widgets::paint::wrap(&words, across).iter().zip(0..down) {
            put(buf, ink, (0, y), across, line, ink.style(Role::Text));
        }
        // It is said in the first line however small the window is.
        draw_sharing(model, buf, ink, across);
        return None;
    }
    let frame = model.frame();
    draw_bar(model, buf, ink, frame.bar);
    if model.body().y > frame.body.y {
        draw_greeting(model, buf, ink, Rect { height: 1, ..frame.body });
    }
    let mut cursor = match model.screens.shown {
        Screen::Products => draw_products(model, buf, ink),
        _ => model.pane().view(buf, ink, model.shell.now),
    };
    if model.preview().is_none() {
        for place in model.pane().pictures() {
            model.shell.pictures.draw(buf, ink, &place);
        }
    }
    if !sharing::draw_hints(&model.shell.sharing, buf, ink, frame.hints) {
        hints::draw(model, buf, ink, frame.hints);
    }
    for overlay in &model.layers {
        noted.clear();
        cursor = overlay.layer().view(buf, &model.shell, ink);
    }
    if model.preview().is_some() {
        draw_sharing(model, buf, ink, across);
    }
    hints::draw_notice(model, buf, ink, frame.hints);
    if let Some((_, mark, screen)) = &model.shell.sharing.pointed
        && *screen == model.screens.shown
    {
        sharing::draw_ring(buf, ink, mark, model.shell.veil.as_deref().unwrap_or(&Veil::default()));
    }
    cursor
}

/// Says in the first line, where nothing else stands there, that the studio is shared.
fn draw_sharing(model: &Model, buf: &mut Buffer, ink: Ink, across: u16) {
    if let Some(words) = sharing::status(&model.shell.sharing) {
        put(buf, ink, (0, 0), across, &format!("{:<1$}", words.text, usize::from(across)), ink.style(words.role));
    }
}

/// How much of its name every tab says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tabs {
    /// All of it.
    Long,
    /// The one that is shown all of it, the others a few letters.
    Short,
    /// The one that is shown all of it where there is room, the others none.
    Digits,
}

/// Where the tabs stand in the first line.
#[must_use]
pub fn tab_places(model: &Model) -> Vec<(Screen, Range<u16>)> {
    let across = model.shell.size.0;
    places(across, model.screens.shown, tabs(model)).into_iter().map(|(screen, place, _)| (screen, place)).collect()
}

/// How much the tabs say: as much as leaves room for what has to be said beside them.
fn tabs(model: &Model) -> Tabs {
    let across = model.shell.size.0;
    let fits = |tabs| {
        let room = across.saturating_sub(end_of(&places(across, model.screens.shown, tabs)) + 3);
        let status = Status::of(model, model.shell.ink(), room);
        // Names that are short already are not given up for the end of a long store's.
        if tabs == Tabs::Short { status.least() <= room } else { taken(&status.short) <= room }
    };
    match across {
        118.. if fits(Tabs::Long) => Tabs::Long,
        70.. if fits(Tabs::Short) => Tabs::Short,
        _ => Tabs::Digits,
    }
}

/// A tab, its columns, and what it says.
type Tab = (Screen, Range<u16>, &'static str);

fn end_of(places: &[Tab]) -> u16 {
    places.last().map_or(0, |(_, place, _)| place.end)
}

fn places(across: u16, chosen: Screen, tabs: Tabs) -> Vec<Tab> {
    let mut x = if tabs == Tabs::Long { 11 } else { 1 };
    Screen::ALL
        .into_iter()
        .map(|screen| {
            let is_chosen = screen == chosen.tab();
            let name = match tabs {
                Tabs::Long => screen.title(),
                Tabs::Short if is_chosen => screen.title(),
                Tabs::Short => screen.short(),
                // Where there is little room only the chosen one says its name: the store matters more.
                Tabs::Digits if is_chosen && across >= 60 => screen.title(),
                Tabs::Digits => "",
            };
            let place = x..x + if name.is_empty() { 1 } else { 2 + width(name) };
            x = place.end + if tabs == Tabs::Short { 1 } else { 2 };
            (screen, place, name)
        })
        .collect()
}

fn draw_bar(model: &Model, buf: &mut Buffer, ink: Ink, area: Rect) {
    let tabs = tabs(model);
    if tabs == Tabs::Long {
        put(buf, ink, (1, area.y), 9, "Cutaway", ink.style(Role::Accent));
    }
    let places = places(model.shell.size.0, model.screens.shown, tabs);
    let end = end_of(&places);
    for ((screen, place, name), digit) in places.into_iter().zip(1..) {
        let chosen = screen == model.screens.shown.tab();
        let style = if chosen { ink.style(Role::Accent) } else { ink.style(Role::Dim) };
        let label = if name.is_empty() { digit.to_string() } else { format!("{digit} {name}") };
        put(buf, ink, (place.start, area.y), place.end - place.start, &label, style);
    }
    let room = area.width.saturating_sub(end + 3);
    let status = Status::of(model, ink, room).fitted(ink, room);
    let taken: u16 = status.iter().map(|piece| width(&piece.text)).sum();
    put_pieces(buf, ink, (area.width.saturating_sub(taken + 1), area.y), taken, &status);
}

/// Profile, store, credential, read-only, what is on its way: the most needed first, as many as there is room for.
struct Status {
    /// What is left out last, the end of it first; with the sum of the uploads as a whole.
    needed: Vec<Piece>,
    /// The same with the sum in as few words as it goes.
    short: Vec<Piece>,
    /// How many columns of the store are left out at most: it stands last.
    cut: u16,
    /// Nothing where it has to be said: that the service is gone stands before the store.
    traffic: Option<Piece>,
    /// The way to the terminal, where it is long enough to be felt.
    terminal: Option<Piece>,
    credential: Piece,
}

/// So many columns of the store are shown at least.
const STORE: u16 = 18;

/// The same where it is also said that nothing can be written: the names of the tabs would have no room else.
const STORE_READ_ONLY: u16 = 10;

/// How it stands with the service.
fn traffic(model: &Model, ink: Ink, room: u16) -> Piece {
    if let (Remote::Ready(_), Some(seconds)) = (&model.shell.connection, silence::seconds(model)) {
        let who = model.shell.service().who();
        let long = format!("no answer from {who} for {seconds} s");
        return piece(Role::Error, if room >= 60 { long } else { format!("no answer {seconds} s") });
    }
    match (&model.shell.connection, model.shell.in_flight, model.shell.round_trip_ms) {
        (Remote::Failed { .. }, _, _) => piece(Role::Error, "not connected"),
        (Remote::Idle | Remote::Loading { .. }, _, _) => piece(Role::Dim, "connecting"),
        (Remote::Ready(_), 0, _) if model.shell.lost => piece(Role::Error, "no response"),
        (Remote::Ready(_), 0, Some(ms)) => piece(Role::Dim, format!("{ms} ms")),
        (Remote::Ready(_), 0, None) => piece(Role::Dim, "ready"),
        (Remote::Ready(_), sent, _) => piece(Role::Accent, format!("{} {sent}", ink.sign("⇅", "wait"))),
    }
}

/// How many columns pieces take with what stands between them.
fn taken(parts: &[Piece]) -> u16 {
    parts.iter().map(|part| width(&part.text) + 3).sum::<u16>().saturating_sub(3)
}

impl Status {
    fn of(model: &Model, ink: Ink, room: u16) -> Self {
        let mut needed: Vec<Piece> = sharing::status(&model.shell.sharing).into_iter().collect();
        if let Some(why) = &model.shell.begin.read_only {
            let why = if room >= 60 { format!("read-only: {}", text::line(why)) } else { "read-only".to_owned() };
            needed.push(piece(Role::Warn, why));
        }
        if model.shell.deeds.recording.is_some() {
            needed.push(piece(Role::Error, format!("{} rec {}", ink.sign("●", "*"), model.shell.deeds.recorded())));
        }
        needed.push(piece(Role::Text, text::line(&model.shell.begin.profile).into_owned()));
        let traffic = traffic(model, ink, room);
        let traffic = if traffic.role == Role::Error {
            needed.push(traffic);
            None
        } else {
            Some(traffic)
        };
        let (mut short, mut cut) = (needed.clone(), 0);
        if let Some((sum, in_short)) = model.screens.videos.status() {
            needed.push(sum);
            short.push(in_short);
        }
        if let Some(store) = &model.shell.store {
            let store = text::line(store.as_str()).into_owned();
            let host = store.split_once("://").map_or(store.as_str(), |(_, host)| host).to_owned();
            let least = if model.shell.begin.read_only.is_some() { STORE_READ_ONLY } else { STORE };
            cut = width(&host).saturating_sub(least);
            needed.push(piece(Role::Dim, host.clone()));
            short.push(piece(Role::Dim, host));
        }
        let terminal = model.shell.link_ms.map(|ms| piece(Role::Dim, format!("terminal {ms} ms")));
        let credential = match &model.shell.begin.credential {
            Credential::None => piece(Role::Warn, "no key"),
            Credential::From(source) => piece(Role::Faint, format!("key: {}", text::line(source))),
        };
        Self { needed, short, cut, traffic, terminal, credential }
    }

    /// How many columns it takes at least to say what has to be said.
    fn least(&self) -> u16 {
        taken(&self.short).saturating_sub(self.cut)
    }

    /// What of it there is room for.
    fn fitted(self, ink: Ink, room: u16) -> Vec<Piece> {
        let Self { needed, mut short, cut, traffic, terminal, credential } = self;
        let with = |parts: &[Piece], more: &[&Piece]| -> Vec<Piece> {
            parts.iter().chain(more.iter().copied()).cloned().collect()
        };
        let one: Vec<&Piece> = traffic.iter().collect();
        let both: Vec<&Piece> = traffic.iter().chain(&terminal).collect();
        let all: Vec<&Piece> = both.iter().copied().chain([&credential]).collect();
        let choices = [
            with(&needed, &all),
            with(&needed, &both),
            with(&needed, &one),
            needed,
            with(&short, &both),
            with(&short, &one),
        ];
        let parts = choices.into_iter().find(|parts| taken(parts) <= room).unwrap_or_else(|| {
            let over = taken(&short).saturating_sub(room);
            if let Some(store) = short.last_mut().filter(|_| (1..=cut).contains(&over)) {
                store.text = shortened(&store.text, width(&store.text) - over, ink);
            }
            while short.len() > 1 && taken(&short) > room {
                short.pop();
            }
            short
        });
        let mut pieces = Vec::new();
        for part in parts {
            if !pieces.is_empty() {
                pieces.push(piece(Role::Faint, ink.sign(" · ", " | ")));
            }
            pieces.push(part);
        }
        pieces
    }
}

fn draw_greeting(model: &Model, buf: &mut Buffer, ink: Ink, area: Rect) {
    let roomy = area.width >= 100;
    let is_guest = model.shell.begin.guest.is_some();
    let where_it_is = if is_guest {
        " You work in the workspace of this server.  "
    } else if roomy {
        " This is the local workspace, with a sample store.  "
    } else {
        " Local sample store.  "
    };
    let mut pieces = vec![piece(Role::Text, where_it_is)];
    let look = if model.shell.begin.ascii { "enter" } else { "↑↓ ⏎" };
    let connect = (!is_guest).then_some(("‹go.account› ‹account.new›", "connect your shop"));
    let all = [Some((look, "look around")), connect, Some(("‹app.help›", "help"))];
    for (key, what) in all.into_iter().flatten() {
        pieces.push(piece(Role::Accent, key));
        pieces.push(piece(Role::Dim, format!(" {what}  ")));
    }
    put_pieces(buf, ink, (area.x, area.y), area.width, &pieces);
}

fn draw_products(model: &Model, buf: &mut Buffer, ink: Ink) -> Option<(u16, u16)> {
    let cursor = products::view(&model.screens.products, buf, ink, model.shell.now);
    let body = crate::studio::widgets::paint::inside(model.body());
    if model.screens.products.list.read || body.height < 6 {
        return cursor;
    }
    let mut lines: Vec<Piece> = Vec::new();
    match &model.shell.connection {
        Remote::Failed { problem, .. } => {
            lines.push(piece(Role::Error, "Couldn't connect to the service."));
            let told = ink.wrap(&text::line(problem), body.width.saturating_sub(6));
            lines.extend(told.into_iter().map(|line| piece(Role::Dim, line)));
            lines.push(piece(Role::Text, "Nothing was lost. ‹app.retry› retries."));
        }
        Remote::Loading { since, .. } => {
            if let Some((what, done, of)) = &model.shell.prepared {
                let far = match done.saturating_mul(100).checked_div(*of) {
                    Some(percent) => format!("{percent}%"),
                    None => format!("{done} so far"),
                };
                lines.push(piece(Role::Text, format!("{}: {far}", text::line(what))));
            } else if model.shell.now.since(*since) >= 300 {
                let is_local = model.shell.begin.local;
                let say = match model.shell.now.silent_since(*since).filter(|_| !is_local) {
                    _ if ink.awaited == Awaited::SignIn => "Waiting for you to sign in.".to_owned(),
                    Some(seconds) => format!("Connecting … no answer for {seconds} s"),
                    None if is_local => "Starting the local workspace …".to_owned(),
                    None => "Connecting …".to_owned(),
                };
                lines.push(piece(Role::Dim, say));
            }
        }
        Remote::Ready(_) if model.shell.store.is_none() => {
            lines.push(piece(Role::Text, "No products yet: no store is set."));
            lines.push(piece(Role::Dim, "‹app.store› sets a store's address. To keep it, add app_url to the profile."));
        }
        _ => {}
    }
    for (line, y) in lines.iter().zip(body.y + 5..body.bottom()) {
        put_pieces(buf, ink, (body.x + 3, y), body.width.saturating_sub(4), std::slice::from_ref(line));
    }
    cursor
}
