//! The form of a profile.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use url::Url;

use crate::domain::{StoreUrl, text};
use crate::settings::{Depth, Key, LOCAL_PROFILE, Profile, ProfileStore, THEMES, colour_of, host_url, profile_name};
use crate::studio::ground::Command;
use crate::studio::widgets::{Ink, LineEdit, Panel, Role, RowCursor, put};

/// A line of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Name,
    Base,
    Second,
    Upload,
    Auth,
    Store,
    Stores,
    ReadOnly,
    Live,
    Colour,
    Theme,
}

const FIELDS: [(Field, &str, &str); 11] = [
    (Field::Name, "Name", "what to call it here"),
    (Field::Base, "Service", "https://… of the service"),
    (Field::Second, "Fallback host", "for reads, when the first doesn't respond"),
    (Field::Upload, "Upload host", "empty: same as the service"),
    (Field::Auth, "Sign-in host", "empty: same as the service"),
    (Field::Store, "First store", "https://… of the store to open"),
    (Field::Stores, "Stores", "https://… = name, https://… = name"),
    (Field::ReadOnly, "Read-only", "Space: refuse every change"),
    (Field::Live, "Production", "Space: production shop, ask before each change"),
    (Field::Colour, "Frame color", "red, 208, #ff8800"),
    (Field::Theme, "Theme", "theme while this profile is open"),
];

/// A profile being written.
#[derive(Debug, Clone)]
pub struct Form {
    /// The profile as it was, where it is not new.
    pub before: Option<(String, Profile)>,
    lines: Vec<LineEdit>,
    read_only: bool,
    live: bool,
    place: RowCursor,
    problem: Option<(usize, String)>,
}

impl Form {
    /// The form of a new profile, or of one that there is.
    #[must_use]
    pub fn new(before: Option<(String, Profile)>) -> Self {
        let (name, profile) = before.clone().unwrap_or_default();
        let address = |url: &Option<Url>| url.as_ref().map_or("", |url| url.as_str().trim_end_matches('/')).to_owned();
        let stores: Vec<String> = profile
            .stores
            .iter()
            .map(|store| match &store.name {
                Some(name) => format!("{} = {name}", store.url),
                None => store.url.to_string(),
            })
            .collect();
        let texts = [
            name,
            address(&profile.base_url),
            address(&profile.lb_base_url),
            address(&profile.upload_url),
            address(&profile.auth_url),
            profile.app_url.as_ref().map(ToString::to_string).unwrap_or_default(),
            stores.join(", "),
            String::new(),
            String::new(),
            profile.colour.clone().unwrap_or_default(),
            profile.theme.clone().unwrap_or_default(),
        ];
        let lines = texts.iter().map(|text| LineEdit::with(text)).collect();
        let place = RowCursor { selected: usize::from(before.is_some()), top: 0 };
        Self { before, lines, read_only: profile.read_only, live: profile.live, place, problem: None }
    }

    fn field(&self) -> Field {
        FIELDS.get(self.place.selected).map_or(Field::Name, |(field, ..)| *field)
    }

    /// Takes a typed key.
    pub fn key(&mut self, key: Key) {
        let toggles = key == Key::char(' ');
        match self.field() {
            Field::ReadOnly => self.read_only ^= toggles,
            Field::Live => self.live ^= toggles,
            // The name of a profile that is there stands: it is what credentials and drafts are kept under.
            Field::Name if self.before.is_some() => {}
            _ => {
                if let Some(line) = self.lines.get_mut(self.place.selected) {
                    line.key(key);
                }
            }
        }
    }

    /// Takes pasted text.
    pub fn paste(&mut self, pasted: &str) {
        if !(self.field() == Field::Name && self.before.is_some())
            && let Some(line) = self.lines.get_mut(self.place.selected)
        {
            line.paste(pasted.trim());
        }
    }

    /// Takes a command; whether it is to be saved.
    pub fn command(&mut self, command: Command) -> bool {
        if command == Command::Open {
            return true;
        }
        self.place.cycle(command, FIELDS.len(), FIELDS.len());
        false
    }

    fn text(&self, field: Field) -> &str {
        let at = FIELDS.iter().position(|(known, ..)| *known == field).unwrap_or(0);
        self.lines.get(at).map_or("", |line| line.text().trim())
    }

    /// The name and the profile that were written; where something is wrong, that is shown.
    pub fn read(&mut self) -> Option<(String, Profile)> {
        match self.try_read() {
            Ok(read) => Some(read),
            Err((field, why)) => {
                self.place.selected = FIELDS.iter().position(|(known, ..)| *known == field).unwrap_or(0);
                self.problem = Some((self.place.selected, why));
                None
            }
        }
    }

    fn try_read(&self) -> Result<(String, Profile), (Field, String)> {
        let name = profile_name(self.text(Field::Name)).map_err(|why| (Field::Name, why))?;
        let local = name == LOCAL_PROFILE;
        if local && self.before.is_none() {
            return Err((Field::Name, "the name local is taken by the local workspace".to_owned()));
        }
        let address = |field: Field| match self.text(field) {
            "" => Ok(None),
            text => host_url(text).map(Some).map_err(|why| (field, why.to_string())),
        };
        let base_url = address(Field::Base)?;
        if base_url.is_none() && !local {
            return Err((Field::Base, "enter the address of the service".to_owned()));
        }
        let mut stores = Vec::new();
        for one in self.text(Field::Stores).split(',').map(str::trim).filter(|one| !one.is_empty()) {
            let (url, name) = match one.split_once(" = ").or_else(|| one.split_once('=')) {
                Some((url, name)) => (url.trim(), Some(name.trim().to_owned()).filter(|name| !name.is_empty())),
                None => (one, None),
            };
            host_url(url).map_err(|why| (Field::Stores, why.to_string()))?;
            stores.push(ProfileStore { url: StoreUrl::from(url), name });
        }
        if !self.text(Field::Store).is_empty() {
            host_url(self.text(Field::Store)).map_err(|why| (Field::Store, why.to_string()))?;
        }
        let some = |field: Field| Some(self.text(field)).filter(|text| !text.is_empty()).map(str::to_owned);
        let colour = some(Field::Colour);
        if let Some(colour) = &colour
            && colour_of(colour, Depth::True).is_none()
        {
            return Err((Field::Colour, format!("{colour:?} is not a color")));
        }
        Ok((
            name,
            Profile {
                base_url,
                lb_base_url: address(Field::Second)?,
                upload_url: address(Field::Upload)?,
                auth_url: address(Field::Auth)?,
                app_url: some(Field::Store).map(StoreUrl::from),
                stores,
                read_only: self.read_only,
                live: self.live,
                colour,
                theme: some(Field::Theme),
            },
        ))
    }

    /// Which field is current, of how many.
    #[must_use]
    pub fn position(&self) -> (usize, usize) {
        (self.place.selected, FIELDS.len())
    }

    /// Draws the form and gives the cursor's place.
    pub fn view(&self, buf: &mut Buffer, ink: Ink, area: Rect) -> Option<(u16, u16)> {
        let title = if self.before.is_some() { "Edit profile" } else { "New profile" };
        let inside = Panel { title, focused: true, ..Panel::default() }.draw(buf, ink, area);
        let mut cursor = None;
        let seen = usize::from(inside.height);
        let top = (self.place.selected + 2).saturating_sub(seen);
        let mut y = inside.y;
        for (at, (field, label, hint)) in FIELDS.iter().enumerate().skip(top) {
            if y >= inside.bottom() {
                break;
            }
            let chosen = at == self.place.selected;
            let role = if chosen { Role::Accent } else { Role::Dim };
            let mark = if chosen { ink.sign("▌", ">") } else { " " };
            put(buf, ink, (inside.x, y), 1, mark, ink.style(Role::Accent));
            put(buf, ink, (inside.x + 2, y), 13, label, ink.style(role));
            let (place, room) = ((inside.x + 16, y), inside.width.saturating_sub(17));
            match field {
                Field::ReadOnly | Field::Live => {
                    let on = if *field == Field::ReadOnly { self.read_only } else { self.live };
                    let shown = if on { ink.sign("● yes", "* yes") } else { ink.sign("○ no", ". no") };
                    let used = put(buf, ink, place, room, shown, ink.style(Role::Text));
                    if chosen {
                        ink.stands(place);
                        put(
                            buf,
                            ink,
                            (place.0 + used + 2, y),
                            room.saturating_sub(used + 2),
                            hint,
                            ink.style(Role::Faint),
                        );
                    }
                }
                _ => {
                    let line = self.lines.get(at);
                    if line.is_none_or(|line| line.text().is_empty()) {
                        let themes: Vec<&str> = THEMES.iter().map(|(name, _)| *name).collect();
                        let hint = if *field == Field::Theme { themes.join(", ") } else { (*hint).to_owned() };
                        put(buf, ink, place, room, &hint, ink.style(Role::Faint));
                    }
                    let drawn = line.map(|line| line.draw(buf, ink, place, room));
                    if chosen {
                        cursor = drawn;
                    }
                }
            }
            y += 1;
            if let Some((_, why)) = self.problem.as_ref().filter(|(of, _)| *of == at)
                && y < inside.bottom()
            {
                put(buf, ink, (inside.x + 16, y), room, &text::line(why), ink.style(Role::Error));
                y += 1;
            }
        }
        cursor
    }

    /// The form as lines.
    pub fn reading(&self, lines: &mut Vec<String>) {
        for (at, (field, label, _)) in FIELDS.iter().enumerate() {
            let mark = if at == self.place.selected { ">" } else { " " };
            let value = match field {
                Field::ReadOnly => self.read_only.to_string(),
                Field::Live => self.live.to_string(),
                _ => self.lines.get(at).map(|line| line.text().to_owned()).unwrap_or_default(),
            };
            lines.push(format!("{mark} {label}: {value}"));
        }
        lines.extend(self.problem.iter().map(|(_, why)| why.clone()));
    }
}
