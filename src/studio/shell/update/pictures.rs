//! Pictures: what the screen has room for, and the one that fills it.

use std::sync::Arc;

use super::resize;
use crate::settings::Graphics;
use crate::studio::ground::NoticeKind;
use crate::studio::shell::effect::Effect;
use crate::studio::shell::event::Event;
use crate::studio::shell::model::Model;
use crate::studio::shell::overlays::preview::Preview;
use crate::studio::shell::overlays::{Overlay, Purpose, What};
use crate::studio::shell::sharing;
use crate::studio::widgets::films::Film;

/// Takes what happened to pictures.
pub(super) fn take(model: &mut Model, event: Event, effects: &mut Vec<Effect>) {
    match event {
        Event::GraphicsKnown { graphics, cell } => {
            model.shell.pictures.learn(graphics, cell);
            say_on_demand(model, effects);
        }
        Event::PictureArrived { wanted, picture } => model.shell.pictures.take(wanted, picture),
        // The terminal did not say it in time.
        Event::Woke(_) => {
            if model.shell.pictures.graphics.is_none() {
                model.shell.pictures.learn(model.shell.begin.graphics, model.shell.pictures.cell);
                say_on_demand(model, effects);
            }
        }
        event => {
            if let Some(preview) = model.preview_mut() {
                preview.learn(event);
            }
        }
    }
}

/// Asks for the pictures that the screen has room for, where those changed.
pub(super) fn want_pictures(model: &mut Model, effects: &mut Vec<Effect>) {
    model.shell.pictures.fills = model.preview().is_some();
    let grain = model.shell.pictures.grain();
    model.screens.products.set_grain(grain, model.shell.now);
    model.screens.videos.set_grain(grain);
    model.screens.steps.set_grain(grain);
    let is_open = model.preview().is_some();
    if std::mem::replace(&mut model.shell.film_open, is_open) && !is_open {
        effects.push(Effect::CloseFilm);
        model.shell.pictures.forget_film_faults();
    }
    let Some(graphics) = model.shell.pictures.graphics else { return };
    let (pictures, is_shared) = (&model.shell.pictures, sharing::status(&model.shell.sharing).is_some());
    model.layers.iter_mut().for_each(|overlay| {
        if let What::Preview(preview) = &mut overlay.what {
            preview.settle(pictures, is_shared);
        }
    });
    let places = model.preview().map_or_else(|| model.pane().pictures(), Preview::wanted);
    if let Some(wanted) = model.shell.pictures.want(&places) {
        effects.push(Effect::Pictures { wanted, graphics, cell: model.shell.pictures.cell });
    }
}

/// Whether pictures are shown; where not, that is said.
fn may_fill_the_screen(model: &mut Model, effects: &mut Vec<Effect>) -> bool {
    let shown = model.shell.pictures.may_be_shown();
    if !shown {
        model.say(NoticeKind::Hint, "This terminal shows no pictures.".to_owned(), effects);
    }
    shown
}

/// Shows the pictures of a film on the whole screen.
pub(super) fn open_preview(model: &mut Model, film: Film, effects: &mut Vec<Effect>) {
    if may_fill_the_screen(model, effects) {
        let preview = Preview::new(film, model.shell.begin.has_ffmpeg);
        effects.push(Effect::OpenFilm(preview.film()));
        model.lay_over(Overlay::new(What::Preview(Box::new(preview)), Purpose::Nothing));
    }
}

/// Shows a picture on the whole screen.
pub(super) fn open_picture(model: &mut Model, title: String, address: Arc<str>, effects: &mut Vec<Effect>) {
    if may_fill_the_screen(model, effects) {
        // Asked for again, it is fetched again.
        model.shell.pictures.forget_faults();
        let preview = Preview::of_picture(title, address);
        model.lay_over(Overlay::new(What::Preview(Box::new(preview)), Purpose::Nothing));
    }
}

/// A slower way to the terminal than this shows pictures on demand only, milliseconds there and back.
const ON_DEMAND_ABOVE_MS: u64 = 150;

/// One that was slow shows them by itself again below this: where it varies around one limit, they would come and go.
const SHOWN_BELOW_MS: u64 = 100;

/// The way to the terminal was measured: where it is slow, pictures wait until they are asked for.
pub(super) fn measured(model: &mut Model, round_trip_ms: u64, effects: &mut Vec<Effect>) {
    model.shell.link_ms = Some(round_trip_ms);
    let pictures = &mut model.shell.pictures;
    let is_slow = if pictures.on_demand { round_trip_ms >= SHOWN_BELOW_MS } else { round_trip_ms > ON_DEMAND_ABOVE_MS };
    let was = std::mem::replace(&mut pictures.on_demand, !pictures.chosen && is_slow);
    if was != model.shell.pictures.on_demand {
        say_on_demand(model, effects);
        resize(model);
    }
}

/// Says, once, that pictures would be shown here and how to have them.
fn say_on_demand(model: &mut Model, effects: &mut Vec<Effect>) {
    let pictures = &mut model.shell.pictures;
    let Some(ms) = model.shell.link_ms.filter(|_| pictures.on_demand && pictures.may_be_shown()) else { return };
    if !std::mem::replace(&mut pictures.said_on_demand, true) {
        let say = format!("Slow connection to your terminal ({ms} ms): press ‹app.pictures› to show pictures.");
        model.say(NoticeKind::Hint, say, effects);
    }
}

/// Switches pictures on or off.
pub(super) fn switch_pictures(model: &mut Model, effects: &mut Vec<Effect>) {
    let off = matches!(model.shell.pictures.graphics, Some(Graphics::Off));
    let pictures = &mut model.shell.pictures;
    pictures.on = off || !pictures.on || pictures.on_demand;
    (pictures.on_demand, pictures.chosen) = (false, true);
    let say = match (off, model.shell.pictures.on) {
        (true, _) => "Pictures are off: this terminal can't show them, or the configuration turns them off.",
        (_, true) => "Pictures on.",
        (_, false) => "Pictures off.",
    };
    model.say(NoticeKind::Hint, say.to_owned(), effects);
    resize(model);
}
