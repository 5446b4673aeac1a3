//! The pictures of the Videos screen: a poster beside each video, one of the video or upload that is meant, and the
//! preview.

use ratatui::layout::Rect;

use super::answer::Turn;
use super::vocabulary::LibraryVideo;
use super::{Focus, Videos};
use crate::domain::{VideoId, text};
use crate::studio::ground::NoticeKind;
use crate::studio::screens::turn::Outcome;
use crate::studio::widgets::films::{Film, FilmFile};
use crate::studio::widgets::paint::inside;
use crate::studio::widgets::pictures::{Grain, Place};
use crate::uploads::{State, Upload};

impl Videos {
    /// Tells the screen how finely pictures are shown.
    pub fn set_grain(&mut self, grain: Grain) {
        if self.grain != grain {
            self.grain = grain;
            self.lay_out();
        }
    }

    /// The room for a poster beside each row of the list, where they are shown: films are wider than high.
    fn thumbnail(&self) -> Option<(u16, u16)> {
        // Where a cell has two pixels a poster takes four rows: that is for whoever asks for it.
        let wanted = self.thumbnails.unwrap_or(self.grain == Grain::Fine);
        self.grain.thumbnail().filter(|_| wanted).map(|(_, high)| (high * 7 / 2, high))
    }

    /// Rows of the screen that a video of the list takes.
    pub(super) fn row_height(&self) -> u16 {
        self.thumbnail().map_or(1, |(_, high)| high)
    }

    /// Columns before a video's texts that its poster takes.
    pub(super) fn indent(&self) -> u16 {
        self.thumbnail().map_or(0, |(wide, _)| wide + 1)
    }

    /// The room of the poster at the top of the detail, whose inside this is.
    pub(super) fn detail_picture(&self, inside: Rect) -> Option<Rect> {
        let width = inside.width.saturating_sub(2);
        let height = (width * 9 / 32).min(inside.height / 2).min(14);
        let room = Rect { x: inside.x + 1, y: inside.y, width: (height * 32 / 9).min(width), height };
        (self.grain != Grain::None && height >= 4 && self.meant_film().is_some()).then_some(room)
    }

    /// The posters on the screen: the one in the detail first.
    pub(super) fn places(&self) -> Vec<Place> {
        if self.grain == Grain::None {
            return Vec::new();
        }
        let parts = self.parts();
        let mut places = Vec::new();
        if parts.detail.height > 0
            && self.detail_top == 0
            && let Some(area) = self.detail_picture(inside(parts.detail))
            && let Some(address) = self.meant_film().and_then(|film| film.poster())
        {
            places.push(Place { address, area });
        }
        if let Some((width, height)) = self
            .thumbnail()
            .filter(|_| parts.main.height > 0 && self.focus != Focus::Chooser && self.problems.is_none())
        {
            let main = inside(parts.main);
            let (top, bottom) = (main.y + 2, main.bottom());
            let shown = self.library.rows().skip(self.library.shown.top()).take(self.list_page());
            for (video, y) in shown.zip((top..bottom).step_by(usize::from(height))) {
                if y + height <= bottom
                    && let Some(address) = self.film_of(video).poster()
                {
                    places.push(Place { address, area: Rect { x: main.x + 2, y, width, height } });
                }
            }
        }
        places
    }

    /// A video of the library as a film. Its file is known while its upload stands in the queue.
    fn film_of(&self, video: &LibraryVideo) -> Film {
        let uploads = self.overview.queue.uploads();
        let is_it =
            |upload: &&Upload| matches!(&upload.state, State::Done { video: id, .. } if *id == video.id.as_str());
        let name = if video.name.is_empty() { video.id.as_str() } else { &video.name };
        Film {
            title: text::line(name).into_owned(),
            file: uploads.iter().find(is_it).map(|upload| FilmFile::from(&upload.file)),
            video: Some(video.id.clone()),
            poster: video.poster.as_deref().map(Into::into),
            address: video.address.as_deref().map(Into::into),
            duration_ms: self.library.duration(video),
        }
    }

    /// An upload as a film.
    fn film_of_upload(&self, upload: &Upload) -> Film {
        let arrived = match &upload.state {
            State::Done { video, .. } => Some(VideoId::from(video.as_str())),
            _ => None,
        };
        let listed = arrived.as_ref().and_then(|id| self.library.rows().find(|video| video.id == *id));
        Film {
            title: text::line(&upload.file.name).into_owned(),
            file: Some(FilmFile::from(&upload.file)),
            video: arrived,
            poster: None,
            address: listed.and_then(|video| video.address.as_deref()).map(Into::into),
            duration_ms: upload.file.duration_ms,
        }
    }

    /// The film of the video or upload that is meant now.
    fn meant_film(&self) -> Option<Film> {
        match self.focus {
            Focus::Queue => self.current_upload().map(|upload| self.film_of_upload(upload)),
            Focus::List | Focus::Filter | Focus::Detail | Focus::Problems => {
                self.library.current().map(|video| self.film_of(video))
            }
            Focus::Chooser => None,
        }
    }

    /// Shows what is meant on the whole screen.
    pub(super) fn show_preview(&self, turn: &mut Turn) {
        match self.meant_film() {
            Some(film) => turn.outcomes.push(Outcome::Preview(Box::new(film))),
            None => turn.say(NoticeKind::Hint, "No video here."),
        }
    }

    /// Opens or shows the address of what is meant; of an upload that did not arrive, where its file is.
    pub(super) fn show_address(&self, turn: &mut Turn) {
        let Some(film) = self.meant_film() else { return };
        let path = || film.file.as_ref().map(|file| file.path.0.to_string_lossy().into_owned());
        match film.address.as_deref().map(str::to_owned).or_else(path) {
            Some(address) => turn.outcomes.push(Outcome::Address(address)),
            None => turn.say(NoticeKind::Hint, "The service has no address for this video."),
        }
    }

    pub(super) fn switch_thumbnails(&mut self, turn: &mut Turn) {
        if self.grain == Grain::None {
            turn.say(NoticeKind::Hint, "Pictures are off, or this terminal can't show them.");
            return;
        }
        self.thumbnails = Some(self.thumbnail().is_none());
        self.lay_out();
    }

    /// Says once what ffmpeg would add, where it is not here; to guests, how their videos come here.
    pub(super) fn tell_of_ffmpeg(&mut self, turn: &mut Turn) {
        if let Some(port) = turn.context.guest_port {
            if turn.context.connected
                && turn.context.read_only.is_none()
                && !std::mem::replace(&mut self.told_of_ffmpeg, true)
            {
                let say =
                    format!("Bring videos by scp -P {port}, or ssh -p {port} HOST videos upload - --name N < FILE.");
                turn.say(NoticeKind::Hint, say);
            }
            return;
        }
        let matters = turn.context.connected && !turn.context.has_ffmpeg && self.grain != Grain::None;
        if matters && !std::mem::replace(&mut self.told_of_ffmpeg, true) {
            let say =
                "Install ffmpeg for posters of your files and frames with ‹videos.preview›. All else works without.";
            turn.say(NoticeKind::Hint, say);
        }
    }
}
