//! Pictures as the studio knows them: which are wanted where, which are here, and why some never will be.

use std::collections::HashMap;
use std::sync::Arc;

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;

pub use super::films::Address;
use crate::settings::Graphics;
use crate::studio::widgets::{Ink, Role, put, width};
use crate::uploads::bytes;

/// How finely the terminal shows pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Grain {
    /// Not at all.
    #[default]
    None,
    /// Two pixels a cell.
    Coarse,
    /// As many pixels as the cell has.
    Fine,
}

impl Grain {
    /// The room for a picture beside a row of a list, columns and rows.
    #[must_use]
    pub fn thumbnail(self) -> Option<(u16, u16)> {
        match self {
            Self::None => None,
            Self::Coarse => Some((8, 4)),
            Self::Fine => Some((4, 2)),
        }
    }
}

/// A picture that is wanted: its address and the room there is for it, in cells.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Wanted {
    /// Where it is.
    pub address: Address,
    /// Columns and rows that it may take.
    pub room: (u16, u16),
}

/// A picture's place on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The picture's address.
    pub address: Address,
    /// Where it may stand.
    pub area: Rect,
}

impl Place {
    fn wanted(&self) -> Wanted {
        Wanted { address: self.address.clone(), room: (self.area.width, self.area.height) }
    }
}

/// A picture ready to be shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// Tells it from all others of this process.
    pub id: u32,
    /// Columns and rows that it takes.
    pub size: (u16, u16),
    /// Its cells, row by row: what it looks like, or signs that hold its place.
    pub cells: Box<[Cell]>,
    /// What the terminal has to be given beside the cells.
    pub data: Option<Data>,
}

impl Picture {
    /// Draws its cells into the upper left of an area, as much as there is room for.
    pub fn draw(&self, buf: &mut Buffer, area: Rect) {
        let (across, down) = self.size;
        let rows = self.cells.chunks(usize::from(across.max(1)));
        for (row, y) in rows.zip(area.y..area.bottom().min(area.y.saturating_add(down))) {
            for (cell, x) in row.iter().zip(area.x..area.right()) {
                if let Some(into) = buf.cell_mut((x, y)) {
                    into.clone_from(cell);
                }
            }
        }
    }

    /// Bytes that it takes, nearly.
    fn weight(&self) -> usize {
        self.cells.len() * size_of::<Cell>() + self.data.as_ref().map_or(0, |data| data.bytes.len())
    }
}

/// What a terminal is given to show a picture that is more than characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Data {
    /// The sequences.
    pub bytes: Arc<str>,
    /// Whether they paint the picture over its cells, each time; else they are given once and the cells show it.
    pub over: bool,
}

/// A picture's pixels, for the whole screen: rows of red, green, blue.
#[derive(Clone, PartialEq, Eq)]
pub struct Raster {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Three bytes a pixel.
    pub rgb: Vec<u8>,
}

impl std::fmt::Debug for Raster {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Raster({}x{})", self.width, self.height)
    }
}

/// Why a picture can't be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PictureFault {
    /// Its address is none of the web.
    NoAddress,
    /// It is on this machine or in a network around it, where no store keeps pictures.
    Private,
    /// The host can't be reached.
    NoHost,
    /// It did not come in time.
    Slow,
    /// The host leads from one address to the next.
    Redirects,
    /// The host answered with this status.
    Status(u16),
    /// It has more bytes than are fetched.
    TooManyBytes,
    /// It has more pixels than are decoded: columns and rows.
    TooManyPixels(u32, u32),
    /// It is called one thing and is another.
    Mislabelled(&'static str, &'static str),
    /// It is something else, such as a page.
    NotAPicture(&'static str),
    /// It ends too early.
    CutOff,
    /// It can't be decoded.
    Broken,
    /// It would take more work to be decoded than any picture does.
    TooMuchWork,
    /// Nobody has one yet.
    NoPoster,
    /// It would have to be made of the video, by a program that is not here.
    NoFfmpeg,
    /// The video's file is not there any more.
    FileGone,
    /// Another file stands there than was looked at.
    FileChanged,
    /// The file is no video.
    NotAVideo,
    /// The video lies with another host than the service.
    OtherHost(String),
    /// The video has more bytes than are fetched for a picture.
    TooLongToFetch(u64),
    /// The video has no picture there.
    NoFrame,
    /// Making it of the video took too long.
    SlowToMake,
    /// The video can't be read.
    Unreadable,
    /// There is no room for it on this machine; what the system said.
    NotKept(String),
}

impl PictureFault {
    /// A word or two, for where the picture would be.
    #[must_use]
    pub fn short(&self) -> String {
        match self {
            Self::NoAddress => "no address".to_owned(),
            Self::Private => "not asked".to_owned(),
            Self::NoHost => "no host".to_owned(),
            Self::Slow | Self::SlowToMake => "too slow".to_owned(),
            Self::Redirects => "redirects".to_owned(),
            Self::Status(status) => status.to_string(),
            Self::TooManyBytes | Self::TooManyPixels(..) => "too large".to_owned(),
            Self::Mislabelled(_, is) => format!("is {is}"),
            Self::NotAPicture(what) => (*what).to_owned(),
            Self::CutOff => "cut off".to_owned(),
            Self::Broken => "broken".to_owned(),
            Self::TooMuchWork => "too complex".to_owned(),
            Self::NoPoster => "no poster".to_owned(),
            Self::NoFfmpeg => "no ffmpeg".to_owned(),
            Self::FileGone => "file gone".to_owned(),
            Self::FileChanged => "file changed".to_owned(),
            Self::NotAVideo => "no video".to_owned(),
            Self::OtherHost(_) | Self::TooLongToFetch(_) => "not fetched".to_owned(),
            Self::NoFrame => "no picture".to_owned(),
            Self::Unreadable => "unreadable".to_owned(),
            Self::NotKept(_) => "no room".to_owned(),
        }
    }

    /// A sentence.
    #[must_use]
    pub fn long(&self) -> String {
        match self {
            Self::NoAddress => "The picture's address is not a web address.".to_owned(),
            Self::Private => "The picture is in a private network; it was not loaded.".to_owned(),
            Self::NoHost => "The picture's host can't be reached.".to_owned(),
            Self::Slow => "The picture's host didn't respond in time.".to_owned(),
            Self::Redirects => "The picture's host redirects too often.".to_owned(),
            Self::Status(status) => format!("The picture's host answered {status}."),
            Self::TooManyBytes => "The picture is too large to load.".to_owned(),
            Self::TooManyPixels(width, height) => {
                format!("The picture has too many pixels: {width} x {height}.")
            }
            Self::Mislabelled(called, is) => format!("The picture is called {called} and is {is}."),
            Self::NotAPicture(what) => format!("Not a picture: {what}."),
            Self::CutOff => "The picture is incomplete.".to_owned(),
            Self::Broken => "The picture can't be decoded.".to_owned(),
            Self::TooMuchWork => "The picture is too complex to decode.".to_owned(),
            Self::NoPoster => "This video has no poster yet.".to_owned(),
            Self::NoFfmpeg => {
                "This video has no poster yet. Install ffmpeg for posters and frames (ffmpeg.org, or your system's \
                 packages)."
                    .to_owned()
            }
            Self::FileGone => "The video's file no longer exists.".to_owned(),
            Self::FileChanged => "The video's file was changed since it was queued.".to_owned(),
            Self::NotAVideo => "The file is not a video.".to_owned(),
            Self::OtherHost(host) => {
                format!("The video is at {host}, not at the service: no frames of it. ‹app.address› opens it.")
            }
            Self::TooLongToFetch(most) => {
                format!("The video is larger than {}: no frames of it. ‹app.address› opens it.", bytes(*most))
            }
            Self::NoFrame => "The video has no frame at this time.".to_owned(),
            Self::SlowToMake => "ffmpeg didn't respond in time.".to_owned(),
            Self::Unreadable => "ffmpeg can't read the video.".to_owned(),
            Self::NotKept(why) => format!("Not enough disk space for the video: {why}."),
        }
    }
}

/// What is known of a picture.
#[derive(Debug, Clone)]
struct Known {
    what: Result<Arc<Picture>, PictureFault>,
    /// When it was last wanted.
    used: u64,
}

/// More bytes of pictures than these are not kept, but for those on the screen.
const MOST_BYTES: usize = 12 << 20;
/// More pictures, or faults, than these are not kept.
const MOST: usize = 400;

/// The pictures that are known, and the way in which they are shown.
#[derive(Debug, Clone)]
#[allow(clippy::struct_excessive_bools)] // Each is a switch of its own.
pub struct Pictures {
    /// How the terminal shows them; `None` while it has not answered.
    pub graphics: Option<Graphics>,
    /// Pixels of a cell, across and down.
    pub cell: (u16, u16),
    /// Whether they are shown at all.
    pub on: bool,
    /// Whether they are shown only on demand, as the way to the terminal is slow: until the person chooses.
    pub on_demand: bool,
    /// Whether one fills the screen, which was asked for.
    pub fills: bool,
    /// Whether that was said.
    pub said_on_demand: bool,
    /// Whether the person chose whether they are shown.
    pub chosen: bool,
    known: HashMap<Wanted, Known>,
    asked: Vec<Wanted>,
    clock: u64,
    weight: usize,
}

impl Default for Pictures {
    fn default() -> Self {
        Self {
            graphics: None,
            cell: (10, 20),
            on: true,
            on_demand: false,
            fills: false,
            said_on_demand: false,
            chosen: false,
            known: HashMap::new(),
            asked: Vec::new(),
            clock: 0,
            weight: 0,
        }
    }
}

impl Pictures {
    /// Whether pictures are shown.
    #[must_use]
    pub fn shown(&self) -> bool {
        self.may_be_shown() && (self.fills || !self.on_demand)
    }

    /// Whether pictures are shown at least where one is asked for.
    #[must_use]
    pub fn may_be_shown(&self) -> bool {
        self.on && !matches!(self.graphics, None | Some(Graphics::Off))
    }

    /// The terminal said how it shows pictures: those made for another way are of no use any more.
    pub fn learn(&mut self, graphics: Graphics, cell: (u16, u16)) {
        if self.graphics != Some(graphics) || self.cell != cell {
            (self.graphics, self.cell) = (Some(graphics), cell);
            self.forget();
        }
    }

    /// Forgets what is known, so that all of it is asked for again.
    pub fn forget(&mut self) {
        self.known.clear();
        self.asked.clear();
        self.weight = 0;
    }

    /// Forgets why pictures could not be shown.
    pub fn forget_faults(&mut self) {
        self.known.retain(|_, known| known.what.is_ok());
        self.asked.clear();
    }

    /// Forgets why films have no pictures: one was made since, maybe.
    pub fn forget_film_faults(&mut self) {
        self.known.retain(|wanted, known| known.what.is_ok() || matches!(wanted.address, Address::Web(_)));
    }

    /// How finely they are shown.
    #[must_use]
    pub fn grain(&self) -> Grain {
        match self.graphics.filter(|_| self.may_be_shown() && !self.on_demand) {
            None | Some(Graphics::Off) => Grain::None,
            Some(Graphics::Blocks) => Grain::Coarse,
            Some(Graphics::Sixel | Graphics::Iterm2 | Graphics::Kitty { .. }) => Grain::Fine,
        }
    }

    /// Takes note of what is wanted now, the most wanted first; what has to be asked for, where that changed.
    pub fn want(&mut self, places: &[Place]) -> Option<Vec<Wanted>> {
        self.clock += 1;
        let mut asked: Vec<Wanted> = Vec::new();
        let shown = self.shown();
        for place in places.iter().filter(|place| shown && !place.area.is_empty()) {
            let wanted = place.wanted();
            match self.known.get_mut(&wanted) {
                Some(known) => known.used = self.clock,
                None if asked.contains(&wanted) => {}
                None => asked.push(wanted),
            }
        }
        if asked == self.asked {
            return None;
        }
        self.asked.clone_from(&asked);
        Some(asked)
    }

    /// Takes a picture that arrived, or why it did not.
    pub fn take(&mut self, wanted: Wanted, what: Result<Arc<Picture>, PictureFault>) {
        self.asked.retain(|asked| *asked != wanted);
        self.weight += weight(&what);
        if let Some(old) = self.known.insert(wanted, Known { what, used: self.clock }) {
            self.weight -= weight(&old.what);
        }
        while self.known.len() > MOST || self.weight > MOST_BYTES {
            let oldest = self.known.iter().filter(|(_, known)| known.used < self.clock).min_by_key(|(_, k)| k.used);
            let Some(oldest) = oldest.map(|(wanted, _)| wanted.clone()) else { break };
            if let Some(gone) = self.known.remove(&oldest) {
                self.weight -= weight(&gone.what);
            }
        }
    }

    /// The picture of a place, where it is here.
    #[must_use]
    pub fn at(&self, place: &Place) -> Option<&Arc<Picture>> {
        self.known.get(&place.wanted()).and_then(|known| known.what.as_ref().ok())
    }

    /// What is known of the picture of a place, where anything is.
    #[must_use]
    pub fn known(&self, place: &Place) -> Option<Result<&Arc<Picture>, &PictureFault>> {
        self.known.get(&place.wanted()).map(|known| known.what.as_ref())
    }

    /// Draws what is known of a picture into its place: its cells, why it can't be shown, or that it is on its way.
    pub fn draw(&self, buf: &mut Buffer, ink: Ink, place: &Place) {
        let area = place.area.intersection(buf.area);
        if !self.shown() || area != place.area || area.is_empty() {
            return;
        }
        match self.known.get(&place.wanted()).map(|known| &known.what) {
            Some(Ok(picture)) => picture.draw(buf, area),
            Some(Err(PictureFault::NoPoster)) => middle(buf, ink, area, ink.sign("▶", ">"), ""),
            Some(Err(fault)) => middle(buf, ink, area, ink.sign("✗", "x"), &fault.short()),
            None => middle(buf, ink, area, ink.ellipsis(), ""),
        }
    }
}

fn weight(what: &Result<Arc<Picture>, PictureFault>) -> usize {
    what.as_ref().map_or(0, |picture| picture.weight())
}

/// A sign in the middle of an area, with words where there is room.
fn middle(buf: &mut Buffer, ink: Ink, area: Rect, sign: &str, words: &str) {
    let whole = format!("{sign} {words}");
    let say = if width(&whole) <= area.width { whole.trim_end() } else { sign };
    let x = area.x + (area.width.saturating_sub(width(say))) / 2;
    put(buf, ink, (x, area.y + area.height / 2), area.right() - x, say, ink.style(Role::Faint));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(address: &str) -> Place {
        Place { address: address.into(), area: Rect { x: 1, y: 1, width: 4, height: 2 } }
    }

    fn picture(id: u32, bytes: usize) -> Arc<Picture> {
        let data = Data { bytes: "x".repeat(bytes).into(), over: false };
        Arc::new(Picture { id, size: (4, 2), cells: vec![Cell::new("x"); 8].into(), data: Some(data) })
    }

    fn on() -> Pictures {
        Pictures { graphics: Some(Graphics::Blocks), ..Pictures::default() }
    }

    #[test]
    fn what_is_wanted_is_asked_for_once() {
        let mut pictures = on();
        let asked = pictures.want(&[place("a"), place("b"), place("a")]).unwrap();
        assert_eq!(asked.iter().map(|wanted| wanted.address.to_string()).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(pictures.want(&[place("a"), place("b")]), None);
        pictures.take(place("a").wanted(), Ok(picture(1, 1)));
        pictures.take(place("b").wanted(), Err(PictureFault::CutOff));
        assert_eq!(pictures.want(&[place("a"), place("b")]), None);
        assert_eq!(pictures.want(&[place("c")]).unwrap().len(), 1);
        assert_eq!(pictures.want(&[]).unwrap(), [], "and what is not wanted any more is said");
        pictures.forget_faults();
        assert_eq!(pictures.want(&[place("a"), place("b")]).unwrap().len(), 1);
    }

    #[test]
    fn none_are_wanted_before_the_terminal_said_how() {
        let mut pictures = Pictures::default();
        assert_eq!(pictures.want(&[place("a")]), None);
        pictures.learn(Graphics::Blocks, (10, 20));
        assert!(pictures.want(&[place("a")]).is_some());
        pictures.on = false;
        assert_eq!(pictures.want(&[place("a")]).unwrap(), []);
    }

    #[test]
    fn what_is_kept_is_bounded_but_for_what_is_seen() {
        let mut pictures = on();
        for id in 0..40 {
            let place = place(&id.to_string());
            pictures.want(std::slice::from_ref(&place));
            pictures.take(place.wanted(), Ok(picture(id, 1 << 20)));
            assert!(pictures.at(&place).is_some());
        }
        assert!(pictures.weight <= MOST_BYTES && pictures.known.len() < 13);
        assert!(pictures.at(&place("0")).is_none());
    }
}
