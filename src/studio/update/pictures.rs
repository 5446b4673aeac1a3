//! Pictures: what the screen has room for, and the one that fills it.

use std::sync::Arc;

use super::resize;
use crate::settings::Graphics;
use crate::studio::effect::Effect;
use crate::studio::event::RequestId;
use crate::studio::model::{Model, NoticeKind};
use crate::studio::pictures::{PictureFault, Raster};
use crate::studio::screens::products::Grain;

/// The requests for pictures of the whole screen are counted from here: no screen counts so far.
const PICTURE_REQUESTS: u64 = 1 << 60;

/// Asks for the pictures that the screen has room for, where those changed.
pub(super) fn want_pictures(model: &mut Model, effects: &mut Vec<Effect>) {
    let grain = match model.pictures.graphics.filter(|_| model.pictures.shown()) {
        None | Some(Graphics::Off) => Grain::None,
        Some(Graphics::Blocks) => Grain::Coarse,
        Some(Graphics::Sixel | Graphics::Iterm2 | Graphics::Kitty { .. }) => Grain::Fine,
    };
    model.products.set_grain(grain, model.now);
    let Some(graphics) = model.pictures.graphics else { return };
    let places = model.pane().pictures();
    if let Some(wanted) = model.pictures.want(&places) {
        effects.push(Effect::Pictures { wanted, graphics, cell: model.pictures.cell });
    }
}

pub(super) fn fetch_picture(model: &mut Model, address: String, effects: &mut Vec<Effect>) {
    if !model.pictures.shown() {
        let say = "No pictures are shown here.".to_owned();
        model.say(NoticeKind::Hint, say, effects);
        return;
    }
    model.picture_requests += 1;
    let request = RequestId(PICTURE_REQUESTS + model.picture_requests);
    model.awaited_picture = Some(request);
    effects.push(Effect::FetchPicture { request, address: address.into() });
}

pub(super) fn take_picture(
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

/// Switches pictures on or off.
pub(super) fn switch_pictures(model: &mut Model, effects: &mut Vec<Effect>) {
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
