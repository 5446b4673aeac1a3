//! Pictures of products in the terminal of a command.

use std::collections::HashSet;

use image::{DynamicImage, RgbImage};
use tokio::sync::mpsc::unbounded_channel;

use crate::cli::{Failure, Session, streams, telling};
use crate::domain::Media;
use crate::runtime::connection::Connection;
use crate::runtime::pictures::Pictures;
use crate::settings::Depth;
use crate::studio::pictures::Raster;

/// A picture is no wider than this, columns: several fit one below the other.
const WIDEST: u16 = 60;

/// That there is a terminal to show pictures in.
///
/// # Errors
/// Where standard output is none.
pub(super) fn may_show() -> Result<(), Failure> {
    if streams::is_shown() {
        return Ok(());
    }
    Err(Failure::Usage("--show needs a terminal: without it, the addresses are listed".to_owned()))
}

/// Prints the pictures one below the other, each under its description. What can't be shown is said.
///
/// # Errors
/// Where the terminal takes nothing.
pub(super) async fn show(session: &Session, connection: &Connection, media: &[Media]) -> Result<(), Failure> {
    let (events, _kept) = unbounded_channel();
    let pictures = Pictures::new(None, Some(connection.base_url.clone()), Depth::True, events);
    if let Some(workspace) = &connection.workspace {
        pictures.own_files().connected(std::sync::Arc::clone(workspace));
    }
    let is_true = session.environment.get("COLORTERM").is_some_and(|word| word == "truecolor" || word == "24bit");
    let mut shown: HashSet<&str> = HashSet::new();
    for (at, one) in media.iter().enumerate() {
        let Some(address) = one.preview_url.as_deref().filter(|address| shown.insert(address)) else {
            continue;
        };
        let alt = one.alt.as_deref().unwrap_or("no description");
        match pictures.raster(address.into()).await {
            Ok(picture) => {
                telling::hint(&format!("{}: {alt}", at + 1));
                print(&picture, is_true)?;
            }
            Err(fault) => telling::hint(&format!("{}: {alt}: {}", at + 1, fault.long())),
        }
    }
    Ok(())
}

/// Prints one picture where the cursor is.
fn print(picture: &Raster, is_true: bool) -> Result<(), Failure> {
    let image = RgbImage::from_raw(picture.width, picture.height, picture.rgb.clone());
    let Some(image) = image else { return Ok(()) };
    let columns = crossterm::terminal::size().map_or(WIDEST, |(columns, _)| columns.clamp(1, WIDEST));
    let config = viuer::Config {
        absolute_offset: false,
        width: Some(u32::from(columns)),
        truecolor: is_true,
        // It would ask the terminal, and wait for ever where nobody answers.
        use_kitty: false,
        ..viuer::Config::default()
    };
    let printed = viuer::print(&DynamicImage::ImageRgb8(image), &config);
    printed.map(drop).map_err(|error| Failure::Other(color_eyre::eyre::eyre!("couldn't show the picture: {error}")))
}
