//! The studio's state.

use std::sync::Arc;

use ratatui::layout::Rect;

use super::begin::Begin;
use super::overlays::preview::Preview;
use super::overlays::{Overlay, What};
use super::plain::dialogue::Dialogue;
use super::screen::AnyScreen;
use super::screens::Screens;
use super::state::Shell;
use super::twin::Clerk;
use crate::studio::ground::layout::Frame;
use crate::studio::ground::{Command, Hint, Layer, Remote};
use crate::studio::widgets::pictures::Picture;

/// The studio's state.
#[derive(Debug, Clone)]
pub struct Model {
    /// What belongs to no screen.
    pub shell: Shell,
    /// The screens.
    pub screens: Screens,
    /// What lies over the screen that is shown, the uppermost last.
    pub layers: Vec<Overlay>,
    /// Who sees what is asked for and hears what comes of it.
    pub clerk: Clerk,
    /// The dialogue of lines, where the studio is one and no screen.
    pub plain: Option<Box<Dialogue>>,
}

impl Model {
    /// The state at the start: nothing asked, nothing known.
    #[must_use]
    pub fn new(begin: Begin) -> Self {
        Self {
            screens: Screens::new(&begin),
            shell: Shell::new(begin),
            layers: Vec::new(),
            clerk: Clerk::default(),
            plain: None,
        }
    }

    /// Where things stand.
    #[must_use]
    pub fn frame(&self) -> Frame {
        Frame::of(self.shell.size.0, self.shell.size.1)
    }

    /// Where the screen stands: the body, without the greeting's line.
    #[must_use]
    pub fn body(&self) -> Rect {
        let body = self.frame().body;
        let above = u16::from(self.greets() && body.height > 12);
        Rect { y: body.y + above, height: body.height - above, ..body }
    }

    /// Whether the first start's greeting is shown: not where the local workspace is not there.
    #[must_use]
    pub fn greets(&self) -> bool {
        self.shell.greeting && !matches!(self.shell.connection, Remote::Failed { .. })
    }

    /// Lays something over the screen; the keys that it names are put in before its lines are broken.
    pub fn lay_over(&mut self, overlay: impl Into<Overlay>) {
        let mut overlay = overlay.into();
        let named = |words: &mut String| self.shell.begin.name_keys(words);
        match &mut overlay.what {
            What::Page(page) => page.each_words(named),
            What::Confirm(question) => question.each_words(named),
            _ => {}
        }
        overlay.layer_mut().resize(self.shell.size.0, self.shell.size.1);
        self.layers.push(overlay);
    }

    /// Whether plain characters are text now.
    #[must_use]
    pub fn is_typing(&self) -> bool {
        self.layers.last().map_or_else(|| self.pane().is_typing(), |overlay| overlay.layer().is_typing())
    }

    /// Whether every character is text now.
    #[must_use]
    pub fn takes_text(&self) -> bool {
        self.layers.last().map_or_else(|| self.pane().takes_text(), |overlay| overlay.layer().is_typing())
    }

    /// What can be done now, in the words of whatever owns the keys.
    #[must_use]
    pub fn hints(&self) -> Vec<Hint> {
        if let Some(overlay) = self.layers.last() {
            return overlay.layer().hints().to_vec();
        }
        let mut hints = self.pane().hints().to_vec();
        if let Some(says) = self.pane().back_says() {
            // Behind what moves and opens, where there is room for it in any window.
            hints.insert(hints.len().min(2), Hint::of(Command::Back).saying(says));
        }
        hints
    }

    /// The layers that read a key now, the first that knows it wins.
    #[must_use]
    pub fn layers(&self) -> [Layer; 2] {
        match self.layers.last() {
            Some(overlay) if !overlay.layer().is_typing() => overlay.layer().keys(),
            None if self.pane().mode().is_some() || !self.pane().is_typing() => self.pane_layers(),
            _ => [Layer::Text; 2],
        }
    }

    /// The layers that read a key on the screen while nothing lies over it and no text is typed.
    #[must_use]
    pub fn pane_layers(&self) -> [Layer; 2] {
        match self.pane().mode() {
            Some(mode) => [mode, Layer::Text],
            None => [Layer::Global, self.pane().layer()],
        }
    }

    /// The pictures that are to be seen, each with the area that it takes.
    #[must_use]
    pub fn shown_pictures(&self) -> Vec<(Rect, Arc<Picture>)> {
        if !self.shell.pictures.shown()
            || !crate::studio::ground::layout::is_enough(self.shell.size.0, self.shell.size.1)
        {
            return Vec::new();
        }
        if let Some(preview) = self.preview() {
            return preview.shown(&self.shell.pictures).into_iter().collect();
        }
        let places = self.pane().pictures();
        let known = places.iter().filter_map(|place| Some((place.area, Arc::clone(self.shell.pictures.at(place)?))));
        known.map(|(area, picture)| (Rect { width: picture.size.0, height: picture.size.1, ..area }, picture)).collect()
    }

    /// The pictures of a video, where they lie over the screen.
    #[must_use]
    pub fn preview(&self) -> Option<&Preview> {
        self.layers.iter().rev().find_map(|overlay| match &overlay.what {
            What::Preview(preview) => Some(&**preview),
            _ => None,
        })
    }

    /// The same, to be changed.
    pub fn preview_mut(&mut self) -> Option<&mut Preview> {
        self.layers.iter_mut().rev().find_map(|overlay| match &mut overlay.what {
            What::Preview(preview) => Some(&mut **preview),
            _ => None,
        })
    }

    /// Makes it a dialogue of lines.
    pub fn speak(&mut self) {
        self.shell.begin.ascii = true;
        self.plain = Some(Box::default());
    }

    /// Whether what was asked for is still to come, as far as the studio itself knows: whether the service can be talked to,
    /// what Enter would open, the code of a studio to be shared, or the next step of a save, which waits for the disk and for
    /// the service in turn.
    #[must_use]
    pub fn is_awaiting(&self) -> bool {
        let is_connecting = matches!(self.shell.connection, Remote::Idle | Remote::Loading { .. });
        is_connecting || self.shell.sharing.asked || self.pane().awaits_what_opens() || self.pane().is_at_work()
    }

    /// Whether what is typed now is a secret.
    #[must_use]
    pub fn asks_secret(&self) -> bool {
        self.layers.last().is_some_and(|overlay| overlay.layer().is_secret())
    }

    /// The screen that is shown.
    #[must_use]
    pub fn pane(&self) -> &dyn AnyScreen {
        self.screens.of(self.screens.shown)
    }
}
