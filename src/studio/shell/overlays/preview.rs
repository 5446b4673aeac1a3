//! Pictures over the whole screen: one of a product, or a video's poster, and its frames one after the other.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::layer::{Came, Layered};
use crate::domain::text;
use crate::studio::ground::{Command, Keymap, Layer};
use crate::studio::screens::pane::Hint;
use crate::studio::shell::event::Event;
use crate::studio::shell::state::Shell;
use crate::studio::widgets::films::{Film, FilmFacts, Still};
use crate::studio::widgets::paint::wrap;
use crate::studio::widgets::pictures::{Address, Picture, PictureFault, Pictures, Place};
use crate::studio::widgets::{Ink, Role, piece, put, put_pieces, width, wipe};
use crate::uploads::bytes;

/// A step of a second, microseconds.
const SECOND: u64 = 1_000_000;
/// How long a frame is taken to stay until that is known, microseconds.
const LIKELY_FRAME: u64 = 40_000;
/// Rows under the picture: what is seen, and the keys.
const BELOW: u16 = 2;

/// Why there are no frames where ffmpeg is missing.
const NO_FFMPEG: &str = "Install ffmpeg to see frames (ffmpeg.org, or your system's packages). All else works without.";

/// The pictures of one video.
#[derive(Debug, Clone)]
pub struct Preview {
    film: Arc<Film>,
    /// Which picture is wanted: microseconds from the start, or the poster.
    at: Option<u64>,
    /// Which one arrived last: it stays until the next is here.
    shown: Option<Place>,
    facts: FilmFacts,
    /// How many bytes of the video were fetched, of how many.
    fetched: Option<(u64, Option<u64>)>,
    /// Whether there is a program that takes films apart.
    has_ffmpeg: bool,
    /// Whether it is a picture, and no film's.
    is_picture: bool,
    /// Rows above the picture: one where the studio is shared, which has to be seen.
    above: u16,
    size: (u16, u16),
}

impl Preview {
    /// The pictures of a film, its poster first.
    #[must_use]
    pub fn new(film: Film, has_ffmpeg: bool) -> Self {
        let facts = FilmFacts { duration_us: film.duration_ms.map(|ms| ms.saturating_mul(1000)), frame_us: None };
        let film = Arc::new(film);
        let (at, shown, fetched, is_picture) = (None, None, None, false);
        Self { film, at, shown, facts, fetched, has_ffmpeg, is_picture, above: 0, size: (0, 0) }
    }

    /// One picture: what it shows, and its address.
    #[must_use]
    pub fn of_picture(title: String, address: Arc<str>) -> Self {
        let film = Film { title, file: None, video: None, poster: Some(address), address: None, duration_ms: None };
        Self { is_picture: true, ..Self::new(film, true) }
    }

    /// Its film.
    #[must_use]
    pub fn film(&self) -> Arc<Film> {
        Arc::clone(&self.film)
    }

    fn area(&self) -> Rect {
        let height = self.size.1.saturating_sub(self.above + BELOW);
        Rect { x: 0, y: self.above, width: self.size.0, height }
    }

    fn place(&self, at_us: Option<u64>) -> Place {
        let address = match (at_us, &self.film.poster) {
            (None, Some(poster)) => Address::Web(Arc::clone(poster)),
            _ => Address::Still(Still { film: Arc::clone(&self.film), at_us }),
        };
        Place { address, area: self.area() }
    }

    /// The pictures that are wanted: the one that is meant, and the one that is seen until then.
    #[must_use]
    pub fn wanted(&self) -> Vec<Place> {
        let meant = self.place(self.at);
        let seen = self.shown.clone().filter(|shown| *shown != meant);
        std::iter::once(meant).chain(seen).collect()
    }

    /// Takes note of what is known by now, and whether it has to be seen that the studio is shared.
    pub fn settle(&mut self, pictures: &Pictures, is_shared: bool) {
        if self.above != u16::from(is_shared) {
            self.above = u16::from(is_shared);
            self.resize(self.size.0, self.size.1);
        }
        let meant = self.place(self.at);
        if pictures.known(&meant).is_some() {
            self.shown = Some(meant);
        }
    }

    /// Takes what was learned about its film.
    pub fn learn(&mut self, event: Event) {
        match event {
            Event::FilmLearned { film, facts } if film == self.film => {
                self.facts.duration_us = facts.duration_us.or(self.facts.duration_us);
                self.facts.frame_us = facts.frame_us.or(self.facts.frame_us);
            }
            Event::FilmFetched { film, done, of } if film == self.film => self.fetched = Some((done, of)),
            _ => {}
        }
    }

    /// What is seen: the picture that is meant, or until it is here the one before.
    fn seen<'a>(&self, pictures: &'a Pictures) -> Option<Result<&'a Arc<Picture>, &'a PictureFault>> {
        let before = || self.shown.as_ref().and_then(|shown| pictures.known(shown));
        pictures.known(&self.place(self.at)).or_else(before)
    }

    /// The picture that is shown, in the middle of the area that it has.
    #[must_use]
    pub fn shown(&self, pictures: &Pictures) -> Option<(Rect, Arc<Picture>)> {
        let picture = self.seen(pictures)?.ok()?;
        let area = self.area();
        let (width, height) = (picture.size.0.min(area.width), picture.size.1.min(area.height));
        let (x, y) = (area.x + (area.width - width) / 2, area.y + (area.height - height) / 2);
        Some((Rect { x, y, width, height }, Arc::clone(picture)))
    }

    fn waiting(&self, ink: Ink) -> String {
        match self.fetched {
            Some((done, Some(of))) if done < of => format!("loading the video: {} of {}", bytes(done), bytes(of)),
            Some((done, None)) => format!("fetching the video: {}", bytes(done)),
            _ => ink.ellipsis().to_owned(),
        }
    }
}

impl Layered for Preview {
    fn resize(&mut self, width: u16, height: u16) {
        self.size = (width, height);
        let area = self.area();
        if let Some(shown) = &mut self.shown {
            shown.area = area;
        }
    }

    fn keys(&self) -> [Layer; 2] {
        [Layer::Preview, Layer::Global]
    }

    fn hints(&self) -> &'static [Hint] {
        if self.is_picture {
            return const { &[Hint::of(Command::Address), Hint::of(Command::Back).saying("close")] };
        }
        const {
            &[
                Hint::pair(Command::PreviewSecondBack, Command::PreviewSecondOn, "second"),
                Hint::pair(Command::PreviewFrameBack, Command::PreviewFrameOn, "frame"),
                Hint::pair(Command::PreviewFirst, Command::PreviewLast, "first/last"),
                Hint::of(Command::Address),
                Hint::of(Command::Back).saying("close"),
            ]
        }
    }

    fn take(&mut self, command: Command, _keymap: &Keymap) -> Came {
        let frame = self.facts.frame_us.unwrap_or(LIKELY_FRAME).max(1);
        let now = self.at.unwrap_or(0);
        let to = match command {
            Command::PreviewSecondBack => now.saturating_sub(SECOND),
            Command::PreviewSecondOn => now.saturating_add(SECOND),
            Command::PreviewFrameBack => now.saturating_sub(frame),
            Command::PreviewFrameOn => now.saturating_add(frame),
            Command::PageUp | Command::Up => now.saturating_sub(10 * SECOND),
            Command::PageDown | Command::Down => now.saturating_add(10 * SECOND),
            Command::PreviewFirst => 0,
            Command::PreviewLast => u64::MAX,
            Command::Address => {
                if self.is_picture {
                    return self.film.poster.as_ref().map_or(Came::Nothing, |poster| Came::Address(poster.to_string()));
                }
                let file = || self.film.file.as_ref().map(|file| file.path.0.to_string_lossy().into_owned());
                let address = self.film.address.as_ref().map(ToString::to_string).or_else(file);
                return address.map_or(Came::Hint("The service has no address for this video."), Came::Address);
            }
            _ => return Came::Nothing,
        };
        if self.is_picture {
            return Came::Nothing;
        }
        if !self.has_ffmpeg {
            return Came::Hint(NO_FFMPEG);
        }
        if self.film.file.is_none() && self.film.address.is_none() {
            return Came::Hint("The service has no address for this video, only its poster.");
        }
        // The last frame begins a frame before the end.
        let last = self.facts.duration_us.map(|duration| duration.saturating_sub(frame));
        match last {
            None if to == u64::MAX => return Came::Hint("Its length is known once the first frame is loaded."),
            Some(last) => self.at = Some(to.min(last)),
            None => self.at = Some(to),
        }
        Came::Nothing
    }

    fn wheel(&mut self, by: isize, keymap: &Keymap) -> Came {
        self.take(if by < 0 { Command::Up } else { Command::Down }, keymap)
    }

    fn view(&self, buf: &mut Buffer, shell: &Shell, ink: Ink) -> Option<(u16, u16)> {
        let pictures = &shell.pictures;
        let area = self.area();
        wipe(buf, ink, Rect { y: 0, height: area.bottom() + 1, ..area });
        let waits = pictures.known(&self.place(self.at)).is_none();
        if let Some((place, picture)) = self.shown(pictures) {
            picture.draw(buf, place);
        } else {
            let (role, words) = match self.seen(pictures) {
                _ if !pictures.shown() => (Role::Dim, "This terminal shows no pictures.".to_owned()),
                Some(Err(PictureFault::NoPoster)) if !self.has_ffmpeg => (Role::Warn, PictureFault::NoFfmpeg.long()),
                Some(Err(fault)) => (Role::Warn, fault.long()),
                _ => (Role::Dim, ink.ellipsis().to_owned()),
            };
            let lines = wrap(&words, area.width.saturating_sub(4).min(64));
            let above = area.height.saturating_sub(u16::try_from(lines.len()).unwrap_or(u16::MAX)) / 2;
            for (line, y) in lines.iter().zip(area.y + above..area.bottom()) {
                let x = area.x + area.width.saturating_sub(width(line)) / 2;
                put(buf, ink, (x, y), area.right() - x, line, ink.style(role));
            }
        }
        let mut pieces = vec![piece(Role::Text, format!(" {}  ", text::line(&self.film.title)))];
        let at = if self.is_picture { String::new() } else { self.at.map_or_else(|| "poster".to_owned(), clock) };
        let before: u16 = pieces.iter().map(|piece| width(&piece.text)).sum();
        ink.stands((area.x + before.min(area.width.saturating_sub(1)), area.bottom()));
        pieces.push(piece(Role::Accent, at));
        if let Some(duration) = self.facts.duration_us {
            pieces.push(piece(Role::Dim, format!(" {} {}", ink.sign("/", "of"), clock(duration))));
        }
        if waits && pictures.shown() {
            pieces.push(piece(Role::Dim, format!("  {}", self.waiting(ink))));
        }
        put_pieces(buf, ink, (area.x, area.bottom()), area.width, &pieces);
        None
    }

    fn read(&self, shell: &Shell, lines: &mut Vec<String>) {
        let title = text::line(&self.film.title);
        lines.push(match self.at {
            _ if self.is_picture => format!("Picture of {title}"),
            None => format!("Preview of {title}: poster"),
            Some(at) => format!("Preview of {title}: {}", clock(at)),
        });
        if let Some(Err(fault)) = self.seen(&shell.pictures) {
            lines.push(fault.long());
        }
    }
}

/// A place in a film: `0:01.04`.
fn clock(us: u64) -> String {
    let hundredths = us / 10_000;
    let (seconds, rest) = (hundredths / 100, hundredths % 100);
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}.{rest:02}")
    } else {
        format!("{minutes}:{seconds:02}.{rest:02}")
    }
}
