//! Themes: colours by role, from TOML files.

use std::collections::BTreeMap;
use std::str::FromStr as _;

use ratatui::style::{Modifier, Style};
use serde::Deserialize;
use strum::{EnumIter, EnumString, IntoStaticStr};
use toml::Spanned;

use super::color::{Depth, colour, colour_of};
use super::fault::FileFault;

/// The themes that Cutaway brings: name and text.
pub const THEMES: [(&str, &str); 5] = [
    ("dark", include_str!("../../themes/dark.toml")),
    ("light", include_str!("../../themes/light.toml")),
    ("high-contrast", include_str!("../../themes/high-contrast.toml")),
    ("ansi", include_str!("../../themes/ansi.toml")),
    ("monochrome", include_str!("../../themes/monochrome.toml")),
];

/// The style of each role.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Theme {
    /// The name by which it is chosen.
    pub name: String,
    pub text: Style,
    pub dim: Style,
    pub faint: Style,
    pub accent: Style,
    pub ok: Style,
    pub warn: Style,
    pub error: Style,
    pub select: Style,
    pub matched: Style,
    pub live: Style,
    /// What frames are drawn in where a profile says so.
    pub frame: Option<Style>,
}

/// What a text is, which decides how it looks: the roles, as theme files name them. What reads these files, what describes
/// them and what is drawn go by the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumIter, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[allow(missing_docs)]
pub enum Role {
    Text,
    Dim,
    Faint,
    Accent,
    Ok,
    Warn,
    Error,
    Select,
    Match,
    Live,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    roles: BTreeMap<String, Spanned<Paint>>,
    /// In place of those, on terminals of 16 colours, which know neither tones nor each other's background.
    #[serde(default)]
    basic: BTreeMap<String, Spanned<Paint>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Paint {
    Colour(String),
    Full(Full),
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
#[expect(clippy::struct_excessive_bools, reason = "the file has them side by side")]
struct Full {
    fg: Option<String>,
    bg: Option<String>,
    bold: bool,
    dim: bool,
    italic: bool,
    underline: bool,
    reverse: bool,
}

impl Theme {
    /// The theme of this name: the person's own file where there is one, else the one that Cutaway brings, else the
    /// dark one. What is wrong in a file is named and the dark theme's role used in its place.
    #[must_use]
    pub fn load(name: &str, own: Option<&str>, depth: Depth) -> (Self, Vec<FileFault>) {
        let brought = THEMES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text);
        let name = if depth == Depth::Mono { "monochrome" } else { name };
        let mut theme = Self::plain(name);
        let mut faults = Vec::new();
        let base = if depth == Depth::Mono {
            THEMES.iter().find(|(known, _)| *known == "monochrome").map(|(_, text)| *text)
        } else {
            brought.or(THEMES.first().map(|(_, text)| *text))
        };
        if let Some(base) = base {
            theme.apply("theme", base, depth, &mut faults);
        }
        match own {
            Some(own) if depth != Depth::Mono => theme.apply(&format!("themes/{name}.toml"), own, depth, &mut faults),
            None if brought.is_none() && depth != Depth::Mono => {
                let known: Vec<&str> = THEMES.iter().map(|(known, _)| *known).collect();
                let what = format!("there is no theme {name:?}; the themes are {}", known.join(", "));
                faults.push(FileFault { file: "theme".to_owned(), line: 1, column: 1, what });
            }
            _ => {}
        }
        (theme, faults)
    }

    /// The theme with its frames in the colour of a live profile; its own colour for that where none is given.
    #[must_use]
    pub fn for_live(mut self, colour: Option<&str>, depth: Depth) -> Self {
        // Who chose to have no colours has none there either.
        let colour = colour.filter(|_| self.name != "monochrome");
        let own = colour.and_then(|colour| colour_of(colour, depth)).map(|colour| Style::new().fg(colour));
        self.frame = Some(own.unwrap_or(self.live));
        self
    }

    fn plain(name: &str) -> Self {
        let plain = Style::new();
        Self {
            name: name.to_owned(),
            text: plain,
            dim: plain,
            faint: plain,
            accent: plain,
            ok: plain,
            warn: plain,
            error: plain,
            select: plain,
            matched: plain,
            live: plain,
            frame: None,
        }
    }

    fn apply(&mut self, file: &str, text: &str, depth: Depth, faults: &mut Vec<FileFault>) {
        let parsed: File = match toml::from_str(text) {
            Ok(parsed) => parsed,
            Err(error) => {
                faults.push(FileFault::of_toml(file, text, &error));
                return;
            }
        };
        let basic = parsed.basic.into_iter().filter(|_| depth == Depth::Basic);
        for (role, paint) in parsed.roles.into_iter().chain(basic) {
            let at = paint.span().start;
            match (Role::from_str(&role), paint.into_inner().style(depth)) {
                (Ok(role), Ok(style)) => *self.role(role) = style,
                (Err(_), _) => faults.push(FileFault::at(file, text, at, format!("there is no role {role:?}"))),
                (_, Err(what)) => faults.push(FileFault::at(file, text, at, what)),
            }
        }
    }

    /// The style of a role.
    #[must_use]
    pub fn style(&self, role: Role) -> Style {
        match role {
            Role::Text => self.text,
            Role::Dim => self.dim,
            Role::Faint => self.faint,
            Role::Accent => self.accent,
            Role::Ok => self.ok,
            Role::Warn => self.warn,
            Role::Error => self.error,
            Role::Select => self.select,
            Role::Match => self.matched,
            Role::Live => self.live,
        }
    }

    fn role(&mut self, role: Role) -> &mut Style {
        match role {
            Role::Text => &mut self.text,
            Role::Dim => &mut self.dim,
            Role::Faint => &mut self.faint,
            Role::Accent => &mut self.accent,
            Role::Ok => &mut self.ok,
            Role::Warn => &mut self.warn,
            Role::Error => &mut self.error,
            Role::Select => &mut self.select,
            Role::Match => &mut self.matched,
            Role::Live => &mut self.live,
        }
    }
}

impl Paint {
    fn style(self, depth: Depth) -> Result<Style, String> {
        let full = match self {
            Self::Colour(name) => Full { fg: Some(name), ..Full::default() },
            Self::Full(full) => full,
        };
        let mut style = Style::new();
        style.fg = full.fg.map(|name| colour(&name, depth)).transpose()?;
        style.bg = full.bg.map(|name| colour(&name, depth)).transpose()?;
        for (set, modifier) in [
            (full.bold, Modifier::BOLD),
            (full.dim, Modifier::DIM),
            (full.italic, Modifier::ITALIC),
            (full.underline, Modifier::UNDERLINED),
            (full.reverse, Modifier::REVERSED),
        ] {
            if set {
                style = style.add_modifier(modifier);
            }
        }
        Ok(style)
    }
}

#[cfg(test)]
mod tests {
    use ratatui::style::Color;

    use super::super::color::rgb_of;
    use super::*;

    #[test]
    fn the_themes_we_bring_are_whole() {
        for (name, _) in THEMES {
            for depth in [Depth::Mono, Depth::Basic, Depth::Indexed, Depth::True] {
                let (theme, faults) = Theme::load(name, None, depth);
                assert_eq!(faults, []);
                assert_ne!(theme.select, Style::new(), "{name}: a selection has to be seen");
            }
        }
    }

    /// The 16 colours as two common terminals have them.
    const XTERM: [(u8, u8, u8); 16] = [
        (0, 0, 0),
        (205, 0, 0),
        (0, 205, 0),
        (205, 205, 0),
        (0, 0, 238),
        (205, 0, 205),
        (0, 205, 205),
        (229, 229, 229),
        (127, 127, 127),
        (255, 0, 0),
        (0, 255, 0),
        (255, 255, 0),
        (92, 92, 255),
        (255, 0, 255),
        (0, 255, 255),
        (255, 255, 255),
    ];
    const VGA: [(u8, u8, u8); 16] = [
        (0, 0, 0),
        (170, 0, 0),
        (0, 170, 0),
        (170, 85, 0),
        (0, 0, 170),
        (170, 0, 170),
        (0, 170, 170),
        (170, 170, 170),
        (85, 85, 85),
        (255, 85, 85),
        (85, 255, 85),
        (255, 255, 85),
        (85, 85, 255),
        (255, 85, 255),
        (85, 255, 255),
        (255, 255, 255),
    ];

    fn rgb(colour: Option<Color>, otherwise: (u8, u8, u8), palette: &[(u8, u8, u8); 16]) -> (u8, u8, u8) {
        let ansi = [
            Color::Black,
            Color::Red,
            Color::Green,
            Color::Yellow,
            Color::Blue,
            Color::Magenta,
            Color::Cyan,
            Color::Gray,
            Color::DarkGray,
            Color::LightRed,
            Color::LightGreen,
            Color::LightYellow,
            Color::LightBlue,
            Color::LightMagenta,
            Color::LightCyan,
            Color::White,
        ];
        match colour {
            None | Some(Color::Reset) => otherwise,
            Some(Color::Rgb(r, g, b)) => (r, g, b),
            Some(Color::Indexed(index @ 0..16)) => palette[usize::from(index)],
            Some(Color::Indexed(index)) => rgb(Some(rgb_of(index)), otherwise, palette),
            Some(named) => palette[ansi.iter().position(|known| *known == named).unwrap()],
        }
    }

    /// How well two colours are told apart: from 1, not at all, to 21, as black on white (WCAG 2).
    fn contrast(a: (u8, u8, u8), b: (u8, u8, u8)) -> f64 {
        let light = |(r, g, b): (u8, u8, u8)| {
            let part = |value: u8| {
                let value = f64::from(value) / 255.0;
                if value <= 0.04 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
            };
            0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b) + 0.05
        };
        let (a, b) = (light(a), light(b));
        if a > b { a / b } else { b / a }
    }

    #[test]
    fn every_theme_can_be_read_where_it_is_for() {
        let (black, white) = ((0, 0, 0), (255, 255, 255));
        for (name, grounds) in [
            ("dark", vec![black]),
            ("light", vec![white]),
            ("high-contrast", vec![black]),
            ("ansi", vec![black, white]),
            ("monochrome", vec![black, white]),
        ] {
            for (depth, least) in [(Depth::Basic, 2.5), (Depth::Indexed, 4.0), (Depth::True, 4.0)] {
                let (theme, _) = Theme::load(name, None, depth);
                // A theme of names is shown by the terminal's palette whatever the depth.
                let least = if name == "ansi" { 2.5 } else { least };
                for (ground, palette) in grounds.iter().flat_map(|ground| [(*ground, &XTERM), (*ground, &VGA)]) {
                    let text = if ground == black { white } else { black };
                    let measure = |style: Style| {
                        let (fg, bg) = (rgb(style.fg, text, palette), rgb(style.bg, ground, palette));
                        contrast(fg, bg)
                    };
                    for (role, style) in [
                        ("text", theme.text),
                        ("dim", theme.dim),
                        ("accent", theme.accent),
                        ("ok", theme.ok),
                        ("warn", theme.warn),
                        ("error", theme.error),
                        ("match", theme.matched),
                        ("live", theme.live),
                        ("select", theme.select),
                    ] {
                        let found = measure(style);
                        assert!(found >= least, "{name} {depth:?} {role} on {ground:?}: {found:.1}");
                    }
                    assert!(measure(theme.faint) >= 1.8, "{name} {depth:?} faint on {ground:?}");
                    // What is read second and faint text stand on the selection too.
                    if theme.select.bg.is_some() && theme.select.fg.is_none() {
                        let on = Style { bg: theme.select.bg, ..theme.dim };
                        assert!(measure(on) >= 2.5, "{name} {depth:?} dim where it is selected: {:.1}", measure(on));
                    }
                }
            }
        }
    }

    #[test]
    fn the_theme_without_colours_has_none_at_any_depth() {
        for depth in [Depth::Mono, Depth::Basic, Depth::Indexed, Depth::True] {
            let theme = Theme::load("monochrome", None, depth).0.for_live(Some("#ff0000"), depth);
            let frame = theme.frame.unwrap_or_default();
            for style in [
                theme.text,
                theme.dim,
                theme.faint,
                theme.accent,
                theme.ok,
                theme.warn,
                theme.error,
                theme.select,
                theme.matched,
                theme.live,
                frame,
            ] {
                assert_eq!((style.fg, style.bg), (None, None), "{depth:?}");
            }
        }
    }

    #[test]
    fn faults_have_a_place_and_the_rest_holds() {
        let own = "[roles]\naccent = \"#12\"\nwarn = \"red\"\nglow = \"red\"\n";
        let (theme, faults) = Theme::load("dark", Some(own), Depth::True);
        assert_eq!(theme.warn.fg, Some(Color::Red));
        assert_eq!(theme.accent, Theme::load("dark", None, Depth::True).0.accent);
        let places: Vec<_> = faults.iter().map(|fault| (fault.line, fault.column)).collect();
        assert_eq!(places, [(2, 10), (4, 8)]);
        assert!(!Theme::load("no such", None, Depth::True).1.is_empty());
    }

    #[test]
    fn no_colour_means_none() {
        let (theme, _) = Theme::load("dark", None, Depth::Mono);
        for style in [theme.text, theme.accent, theme.error, theme.select] {
            assert!(matches!(style.fg, None | Some(Color::Reset)) && matches!(style.bg, None | Some(Color::Reset)));
        }
    }
}
