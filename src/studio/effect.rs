//! What the world should do. Inert data: a driver in `runtime` carries it out.

use std::sync::Arc;

use super::event::{Alarm, RequestId};
use super::films::Film;
use super::pictures::{Raster, Wanted};
use super::resume::Left;
use super::screens::products::Change;
use super::screens::{account, inspector, projects, steps, videos, webhooks};
use crate::domain::{ExportColumn, ProductId, ProductSearch, StoreUrl};
use crate::settings::Graphics;

pub use crate::domain::ExportFormat;

/// Which products are exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportScope {
    /// Those that are marked.
    Marked,
    /// Those that the search finds, to its end.
    Found,
}

/// An export to a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Export {
    /// The searches whose products go in, each followed to its end.
    pub searches: Vec<ProductSearch>,
    /// The form.
    pub format: ExportFormat,
    /// The columns of a table.
    pub columns: Vec<ExportColumn>,
    /// The file, as the person typed it.
    pub file: String,
}

/// One thing the world should do.
#[must_use]
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Connect to the service of the profile.
    Connect,
    /// Ask for a page of products.
    Search {
        /// What the reply is called.
        request: RequestId,
        /// What is asked.
        search: Box<ProductSearch>,
        /// Wait so long first, milliseconds: more is being typed.
        after_ms: u64,
    },
    /// Ask how many products a store has.
    Count {
        /// What the reply is called.
        request: RequestId,
        /// The store.
        store: StoreUrl,
    },
    /// Ask for a product's record.
    FetchProduct {
        /// What the reply is called.
        request: RequestId,
        /// The store.
        store: StoreUrl,
        /// Which one.
        product: ProductId,
        /// Wait so long first, milliseconds: the selection may move on.
        after_ms: u64,
    },
    /// Ask for a product's analysis.
    FetchAnalysis {
        /// What the reply is called.
        request: RequestId,
        /// The store.
        store: StoreUrl,
        /// Which one.
        product: ProductId,
        /// How long the service may wait for it, milliseconds.
        timeout_ms: u32,
        /// Wait so long first, milliseconds: the selection may move on.
        after_ms: u64,
    },
    /// Ask for the analyses of products in the list.
    FetchFacets {
        /// What the reply is called.
        request: RequestId,
        /// The store.
        store: StoreUrl,
        /// Which ones.
        products: Vec<ProductId>,
        /// How long the service may wait for them, milliseconds.
        timeout_ms: u32,
    },
    /// Follow a search to its end for the ids of what it finds.
    Gather {
        /// What its reports are called.
        request: RequestId,
        /// The search, where it goes on.
        search: Box<ProductSearch>,
    },
    /// Write products to a file: whole, or not at all.
    Export {
        /// What its reports are called.
        request: RequestId,
        /// What, how and where.
        export: Box<Export>,
    },
    /// These pictures are wanted now, the most wanted first, and no others.
    Pictures {
        /// Which, and how large.
        wanted: Vec<Wanted>,
        /// In which form.
        graphics: Graphics,
        /// Pixels of a cell, across and down.
        cell: (u16, u16),
    },
    /// Fetch a picture to fill the screen.
    FetchPicture {
        /// What the reply is called.
        request: RequestId,
        /// Where it is.
        address: Arc<str>,
    },
    /// Somebody looks at the pictures of a film: what is known of it is asked for.
    OpenFilm(Arc<Film>),
    /// Nobody looks at the pictures of a film any more: what was fetched of it is let go.
    CloseFilm,
    /// Show a picture on the whole screen until a key is pressed.
    ShowPicture(Arc<Raster>),
    /// The reply is no longer wanted.
    Cancel(RequestId),
    /// Put text on the terminal's clipboard.
    CopyText(String),
    /// Tell the person's desktop something, where the terminal passes it on; the words are harmless already.
    TellDesktop(String),
    /// Open an address with what the system has for it.
    OpenAddress(String),
    /// Wake the model.
    Wake {
        /// Why.
        alarm: Alarm,
        /// In so many milliseconds.
        after_ms: u64,
    },
    /// Remember something of the Products screen, for the next start.
    Remember(Box<Change>),
    /// Read a theme.
    ReadTheme(String),
    /// Paint everything again.
    Repaint,
    /// Hand the terminal back to the shell until it is brought back.
    Suspend,
    /// Let the person change a text in the editor of their choice.
    EditText(String),
    /// Save a recording as a script that can be run, under this name or a fresh one like it.
    SaveScript {
        /// The file, as the person typed it.
        file: String,
        /// What it holds.
        script: String,
    },
    /// Keep where the studio is, for the next start.
    KeepSession(Box<Left>),
    /// Look for drafts that were left in a workspace.
    FindDrafts(String),
    /// End.
    Quit,
    /// Something for the Projects screen.
    Projects(projects::Effect),
    /// Something for the Steps screen.
    Steps(steps::Effect),
    /// Something for the Videos screen.
    Videos(videos::Effect),
    /// Something for the Webhooks screen.
    Webhooks(webhooks::Effect),
    /// Something for the Account screen.
    Account(account::Effect),
    /// Something for the Inspector screen.
    Inspector(inspector::Effect),
}
