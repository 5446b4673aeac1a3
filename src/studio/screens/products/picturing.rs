//! Where pictures stand on the Products screen, and which one is meant.

use std::sync::Arc;

use ratatui::layout::Rect;

use super::gallery::Gallery;
use super::vocabulary::Turn;
use super::{Change, Detail, Products, Tab};
use crate::domain::Product;
use crate::studio::ground::{Command, Moment, NoticeKind};
use crate::studio::screens::turn::Outcome;
use crate::studio::widgets::RowCursor;
use crate::studio::widgets::pictures::{Grain, Place};

impl Products {
    /// The room for a picture beside each row of the list, where they are shown.
    #[must_use]
    pub fn thumbnail(&self) -> Option<(u16, u16)> {
        self.grain.thumbnail().filter(|_| self.thumbnails)
    }

    /// Rows of the screen that a product of the list takes.
    #[must_use]
    pub fn row_height(&self) -> u16 {
        self.thumbnail().map_or(1, |(_, high)| high)
    }

    /// Columns before a product's texts that its picture takes.
    #[must_use]
    pub fn indent(&self) -> u16 {
        self.thumbnail().map_or(0, |(wide, _)| wide + 1)
    }

    /// Tells the screen how finely pictures are shown.
    pub fn set_grain(&mut self, grain: Grain, now: Moment) {
        if self.grain != grain {
            self.grain = grain;
            self.resize(self.area, now);
        }
    }

    /// The room for the picture in the overview of a pane whose inside is so large.
    #[must_use]
    pub fn overview_picture(&self, body: Rect) -> Option<(u16, u16)> {
        let high = (body.width / 5).min(body.height / 2).min(16);
        (self.grain != Grain::None && high >= 4).then_some((high * 2, high))
    }

    /// Every picture on the screen: the open product's first.
    #[must_use]
    pub fn places(&self) -> Vec<Place> {
        if self.grain == Grain::None {
            return Vec::new();
        }
        if self.comparison.is_some() {
            return self.compare_places();
        }
        let mut places = Vec::new();
        if let (Some(detail), Some(body), None) = (&self.detail, self.detail_body(), &self.panel)
            && let Some(record) = detail.known()
        {
            let product = &record.product;
            match detail.tab {
                Tab::Overview if detail.top == 0 => {
                    let room = self.overview_picture(body);
                    if let (Some((width, height)), Some(address)) = (room, featured(product)) {
                        places.push(Place { address: address.into(), area: Rect { width, height, ..body } });
                    }
                }
                Tab::Media => {
                    places.extend(
                        detail.gallery.iter().flat_map(|gallery| gallery.places(body, detail.top, &product.media)),
                    );
                }
                _ => {}
            }
        }
        if let (Some((width, height)), Some(pane), None) = (self.thumbnail(), self.split().0, &self.problems) {
            let rows = self.parts(pane).rows;
            let shown = self.list.found.rows().iter().skip(self.list.found.top()).take(self.page());
            for (row, y) in shown.zip((rows.y..rows.bottom()).step_by(usize::from(height))) {
                if !row.picture.is_empty() && y + height <= rows.bottom() {
                    let area = Rect { x: rows.x + 3, y, width, height };
                    places.push(Place { address: (&*row.picture).into(), area });
                }
            }
        }
        places
    }

    /// What the picture shows that is meant now, and its address.
    fn meant_picture(&self) -> Option<(String, String)> {
        let meant = match &self.detail {
            Some(detail) => {
                let product = detail.known().map(|record| &record.product)?;
                let medium = product.media.get(detail.selected).filter(|_| detail.tab == Tab::Media);
                let address = match medium {
                    Some(medium) => medium.preview_url.clone(),
                    None => featured(product).map(|address| address.to_string()),
                };
                address.map(|address| (product.title.clone(), address))
            }
            None => self.list.current().map(|row| (row.title.to_string(), row.picture.to_string())),
        };
        meant.filter(|(_, address)| !address.is_empty())
    }

    /// Takes a command about pictures.
    pub(super) fn picture_command(&mut self, command: Command, now: Moment, turn: &mut Turn) {
        match command {
            Command::FullPicture => match self.meant_picture() {
                Some((title, address)) => turn.outcomes.push(Outcome::Picture(title, address.into())),
                None => turn.say(NoticeKind::Hint, "No picture here."),
            },
            _ if self.grain == Grain::None => {
                turn.say(NoticeKind::Hint, "Pictures are off, or this terminal can't show them.");
            }
            _ => {
                self.thumbnails = !self.thumbnails;
                self.remember(Change::Thumbnails(self.thumbnails), turn);
                self.resize(self.area, now);
            }
        }
    }

    /// The pane's inside under the tabs, where the open product stands.
    #[must_use]
    pub fn detail_body(&self) -> Option<Rect> {
        let pane = self.split().1?;
        Some(Rect {
            x: pane.x + 2,
            y: pane.y + 3,
            width: pane.width.saturating_sub(4),
            height: pane.height.saturating_sub(4),
        })
    }
}

impl Detail {
    /// Moves the selection among the tiles of the media; whether that is what the command means here.
    pub(super) fn gallery_command(&mut self, command: Command) -> bool {
        let Some((gallery, media, mut rows)) = self.gallery_rows() else { return false };
        let last = media - 1;
        match command {
            Command::Left if self.selected > 0 && gallery.columns > 1 => self.selected -= 1,
            Command::Right if self.selected < last && gallery.columns > 1 => self.selected += 1,
            Command::Home => self.selected = 0,
            Command::End => self.selected = last,
            command => {
                if !rows.command(command, gallery.rows, media.div_ceil(gallery.columns)) {
                    return false;
                }
                self.selected = (rows.selected * gallery.columns + self.selected % gallery.columns).min(last);
            }
        }
        self.top = gallery.top(rows.top, self.selected, media);
        true
    }

    /// Turns the wheel over the tiles of the media; whether there are some.
    pub(super) fn wheel_gallery(&mut self, by: isize) -> bool {
        let Some((gallery, media, mut rows)) = self.gallery_rows() else { return false };
        rows.wheel(by.signum(), gallery.rows, media.div_ceil(gallery.columns));
        self.selected = (rows.selected * gallery.columns + self.selected % gallery.columns).min(media - 1);
        self.top = rows.top;
        true
    }

    /// The tiles, how many media there are, and which row of tiles is selected.
    fn gallery_rows(&self) -> Option<(Gallery, usize, RowCursor)> {
        let media = self.known().map_or(0, |record| record.product.media.len());
        let gallery = self.gallery.filter(|_| self.tab == Tab::Media && media > 0)?;
        Some((gallery, media, RowCursor { selected: self.selected / gallery.columns, top: self.top }))
    }
}

/// The picture that stands for a product.
pub(super) fn featured(product: &Product) -> Option<Arc<str>> {
    let first = || product.media.iter().find_map(|medium| medium.preview_url.as_deref());
    product.featured_media_preview_url.as_deref().or_else(first).map(Arc::from)
}
