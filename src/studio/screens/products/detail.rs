//! The product that is open: its record, its tabs, and how far they are scrolled.

use ratatui::layout::Rect;

use super::gallery::{self, Gallery};
use super::lines::{Line, clean, column, field, table};
use super::shelf::{Shelf, oversells};
use super::vocabulary::Record;
use crate::domain::{Analysis, Product, ProductId, Variant};
use crate::studio::ground::layout::scrolled;
use crate::studio::ground::{Clock, Remote};
use crate::studio::widgets::paint::wrap;
use crate::studio::widgets::rows::scroll;
use crate::studio::widgets::time::when;
use crate::studio::widgets::tree::Tree;
use crate::studio::widgets::{Piece, Role, RowCursor, number, piece};

/// The tabs, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(missing_docs)]
pub enum Tab {
    #[default]
    Overview,
    Variants,
    Media,
    Options,
    Meta,
    Analysis,
    Json,
}

impl Tab {
    /// Every tab.
    pub const ALL: [Self; 7] =
        [Self::Overview, Self::Variants, Self::Media, Self::Options, Self::Meta, Self::Analysis, Self::Json];

    /// Its title.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Overview => "Overview",
            Self::Variants => "Variants",
            Self::Media => "Media",
            Self::Options => "Options",
            Self::Meta => "Meta",
            Self::Analysis => "Analysis",
            Self::Json => "JSON",
        }
    }

    /// Whether it is a tree with a selected row.
    #[must_use]
    pub fn is_tree(self) -> bool {
        matches!(self, Self::Meta | Self::Json)
    }
}

/// The open product.
#[derive(Debug, Clone)]
pub struct Detail {
    /// Which one.
    pub id: ProductId,
    /// Its title as the list had it, until the record is here.
    pub title: String,
    /// The record; `None` where the service knows no such product.
    pub record: Remote<Option<Box<Record>>>,
    /// The analysis, asked for when its tab is shown; `None` where there is none yet.
    pub analysis: Remote<Option<Box<Analysis>>>,
    /// The tab that is shown.
    pub tab: Tab,
    /// The lines of the tab, for tabs that are text.
    pub lines: Vec<Line>,
    /// The tab's tree, for tabs that are one.
    pub tree: Tree,
    /// The selected row of a tree.
    pub selected: usize,
    /// The first line that is seen; of the media's tiles the first row.
    pub top: usize,
    /// How the media's tiles stand, where they are shown as tiles.
    pub gallery: Option<Gallery>,
}

/// The room that a product has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Room {
    /// Under the tabs.
    pub body: Rect,
    /// For the picture of the overview, where one is shown.
    pub picture: Option<(u16, u16)>,
    /// Whether media are shown as tiles.
    pub tiles: bool,
}

impl Detail {
    /// A product that is being opened.
    #[must_use]
    pub fn new(id: ProductId, title: String, tab: Tab) -> Self {
        Self {
            id,
            title,
            record: Remote::Idle,
            analysis: Remote::Idle,
            tab,
            lines: Vec::new(),
            tree: Tree::default(),
            selected: 0,
            top: 0,
            gallery: None,
        }
    }

    /// The record, where it is here.
    #[must_use]
    pub fn known(&self) -> Option<&Record> {
        self.record.known().and_then(|record| record.as_deref())
    }

    /// Shows another tab from its beginning.
    pub fn show(&mut self, tab: Tab) {
        self.tab = tab;
        self.selected = 0;
        self.top = 0;
        self.tree = Tree::default();
    }

    /// Works out the lines, rows or tiles of the tab for the room that there is.
    pub fn lay_out(&mut self, room: Room, clock: Clock<'_>) {
        let width = room.body.width;
        self.lines.clear();
        self.gallery = None;
        let Some(record) = self.record.known().and_then(|record| record.as_deref()) else { return };
        let product = &record.product;
        match self.tab {
            Tab::Overview => self.lines = super::overview::lines(record, width, room.picture, clock),
            Tab::Variants => {
                self.lines = variants(product, width);
                self.lines.extend(super::stock::lines(product, width));
            }
            Tab::Media => {
                self.lines = gallery::lines(&product.media);
                let tiles = Gallery::of(width, room.body.height).filter(|_| room.tiles);
                let any = !product.media.is_empty();
                self.gallery = tiles.or_else(|| Gallery::list(width, room.body.height)).filter(|_| any);
            }
            Tab::Options => self.lines = options(product, width),
            Tab::Analysis => self.lines = analysis(&self.analysis, width, clock),
            Tab::Meta => self.tree.lay_out(record.raw.get("metafields").unwrap_or(&serde_json::Value::Null)),
            Tab::Json => self.tree.lay_out(&record.raw),
        }
        if let Some(gallery) = self.gallery {
            let media = product.media.len();
            self.selected = self.selected.min(media.saturating_sub(1));
            self.top = gallery.top(self.top, self.selected, media);
            return;
        }
        self.selected = self.selected.min(self.tree.rows.len().saturating_sub(1));
        self.top = self.top.min(self.line_count().saturating_sub(1));
    }

    /// What a tab is called: with how many are in it, where that is known.
    #[must_use]
    pub fn label(&self, tab: Tab) -> String {
        let count = self.known().and_then(|record| {
            let product = &record.product;
            match tab {
                Tab::Variants => Some(product.variants.len()),
                Tab::Media => Some(product.media.len()),
                Tab::Options => Some(product.options.as_ref().map_or(0, Vec::len)),
                _ => None,
            }
        });
        count.map_or_else(|| tab.title().to_owned(), |count| format!("{} {count}", tab.title()))
    }

    /// How many lines or rows the tab has.
    #[must_use]
    pub fn line_count(&self) -> usize {
        if self.tab.is_tree() { self.tree.rows.len() } else { self.lines.len() }
    }

    /// Moves the selection of a tree, or scrolls a text.
    pub fn scroll(&mut self, by: isize, page: usize) {
        let last = self.line_count().saturating_sub(1);
        if self.tab.is_tree() {
            self.selected = self.selected.saturating_add_signed(by).min(last);
            self.top = scrolled(self.top, self.selected, page, self.line_count());
        } else {
            let all = self.line_count();
            scroll(&mut self.top, by, page, all);
        }
    }

    /// Turns the wheel: the lines move, the selected one only as far as it must to be seen.
    pub fn wheel(&mut self, by: isize, page: usize) {
        if self.wheel_gallery(by) {
            return;
        }
        if !self.tab.is_tree() {
            self.scroll(by, page);
            return;
        }
        let mut place = RowCursor { selected: self.selected, top: self.top };
        place.wheel(by, page, self.line_count());
        (self.selected, self.top) = (place.selected, place.top);
    }
}

fn variants(product: &Product, width: u16) -> Vec<Line> {
    if product.variants.is_empty() {
        return vec![vec![piece(Role::Dim, "No variants.")]];
    }
    let columns = [
        column("SKU", false, 18),
        column("Option", false, 24),
        column("Price", true, 10),
        column("Stock", true, 9),
        column("Compare", true, 10),
        column("Policy", false, 10),
        column("Barcode", false, 14),
        column("Variant id", false, 20),
    ];
    let mut lines = table(&columns, product.variants.iter().map(variant).collect(), width);
    lines.extend(legend(product, width));
    lines
}

/// What the signs of the stock mean, those that are there.
fn legend(product: &Product, width: u16) -> Vec<Line> {
    let of: Vec<Shelf> = product.variants.iter().map(Shelf::of_variant).collect();
    let sells_on =
        product.variants.iter().any(|variant| oversells(variant) && Shelf::of_variant(variant) != Shelf::Untracked);
    let known = [Shelf::SoldOut, Shelf::Low, Shelf::SellsOn, Shelf::Untracked];
    let said = known.into_iter().filter(|shelf| of.contains(shelf) || (*shelf == Shelf::SellsOn && sells_on));
    let mut lines: Vec<Line> = Vec::new();
    let mut used = 0;
    for shelf in said {
        let words = format!("{} {}  ", shelf.mark(), shelf.words());
        let taken = crate::studio::widgets::width(&words);
        if lines.is_empty() || used + taken > width + 2 {
            lines.push(Vec::new());
            used = 0;
        }
        used += taken;
        lines.last_mut().into_iter().for_each(|line| line.push(piece(shelf.role(), words.clone())));
    }
    lines
}

/// Whether a variant has stock and is sold beyond it.
fn sells_on(variant: &Variant) -> bool {
    oversells(variant) && matches!(Shelf::of_variant(variant), Shelf::SellsOn | Shelf::Low)
}

fn variant(variant: &Variant) -> Vec<Piece> {
    let option = match &variant.selected_options {
        Some(options) if !options.is_empty() => {
            options.iter().map(|option| option.value.as_str()).collect::<Vec<_>>().join(" / ")
        }
        _ => variant.title.clone().unwrap_or_default(),
    };
    let stock = variant.inventory_quantity;
    let shelf = Shelf::of_variant(variant);
    let amount = |price: &Option<String>| clean(price.as_deref().unwrap_or("–"));
    vec![
        piece(Role::Text, clean(variant.sku.as_deref().unwrap_or("–"))),
        piece(Role::Text, clean(&option)),
        piece(Role::Text, amount(&variant.price)),
        match stock {
            _ if shelf == Shelf::Untracked => piece(Role::Faint, "∞"),
            Some(stock) => {
                let number = stock.whole().map_or_else(|| stock.to_string(), number);
                let low = if shelf == Shelf::Low && sells_on(variant) { Shelf::SellsOn.mark() } else { "" };
                piece(shelf.role(), format!("{}{low} {number}", shelf.mark()).trim_start().to_owned())
            }
            None => piece(Role::Faint, "–"),
        },
        piece(Role::Dim, amount(&variant.compare_at_price)),
        piece(Role::Dim, clean(variant.inventory_policy.as_deref().unwrap_or("–"))),
        piece(Role::Dim, clean(variant.barcode.as_deref().unwrap_or("–"))),
        piece(Role::Dim, clean(variant.external_variant_id.as_str())),
    ]
}

fn options(product: &Product, width: u16) -> Vec<Line> {
    let options = product.options.as_deref().unwrap_or_default();
    if options.is_empty() {
        return vec![vec![piece(Role::Dim, "No options.")]];
    }
    let mut lines = Vec::new();
    for option in options {
        lines.push(vec![
            piece(Role::Accent, clean(&option.name)),
            piece(Role::Faint, format!("  {} values", option.values.len())),
        ]);
        for line in wrap(&clean(&option.values.join(" · ")), width.saturating_sub(2)) {
            lines.push(vec![piece(Role::Text, format!("  {line}"))]);
        }
        lines.push(Vec::new());
    }
    lines
}

fn analysis(analysis: &Remote<Option<Box<Analysis>>>, width: u16, clock: Clock<'_>) -> Vec<Line> {
    let told = |role: Role, said: &str| wrap(said, width).into_iter().map(move |line| vec![piece(role, line)]);
    match analysis {
        Remote::Idle | Remote::Loading { stale: None, .. } => {
            vec![vec![piece(Role::Dim, "Loading the analysis …")]]
        }
        Remote::Failed { problem, .. } => told(Role::Error, "Couldn't load the analysis.")
            .chain(told(Role::Dim, &clean(problem)))
            .chain([vec![piece(Role::Accent, "‹app.retry›"), piece(Role::Dim, " asks again.")]])
            .collect(),
        // Asked again, it stays what it was until there is an answer.
        Remote::Ready(None) | Remote::Loading { stale: Some(None), .. } => told(Role::Warn, "pending")
            .chain(told(Role::Dim, "The service hasn't analyzed this product yet. Checked again automatically."))
            .chain(told(Role::Dim, "‹app.retry› checks now."))
            .collect(),
        Remote::Ready(Some(found)) | Remote::Loading { stale: Some(Some(found)), .. } => {
            let data = &found.data;
            vec![
                field("Type", clean(data.product_type.as_str())),
                field("Gender", clean(data.gender_appropriateness.as_str())),
                field("Age", clean(data.age_group.as_str())),
                field("Price range", clean(data.price_range.as_str())),
                field("Confidence", data.confidence.to_string()),
                Vec::new(),
                field("Version", found.version.to_string()),
                field("Updated", when(&found.updated_at, clock)),
            ]
        }
    }
}
