//! A studio without a world: keys and replies go in, effects and pictures come out.

use std::sync::{Arc, LazyLock};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::domain::{Cursor, FoundProduct, Media, Num, Product, ProductId, StoreUrl, Variant};
use crate::settings::{Depth, Graphics, Key, Theme};
use crate::studio::ground::layout::is_enough;
use crate::studio::ground::{Moment, RequestId};
use crate::studio::products::{Effect as OnProducts, Event as OfProducts};
use crate::studio::screens::products::{Page, Record};
use crate::studio::screens::turn::Turn;
use crate::studio::shell::effect::Effect;
use crate::studio::shell::event::{Connected, Event};
use crate::studio::shell::overlays::Overlay;
use crate::studio::shell::{take_turn, update, view};
use crate::studio::widgets::Question;
use crate::studio::{Begin, Credential, Keymap, Memory, Model, Row, Seen};

/// 2026-11-20 12:00 UTC.
pub const NOON: Moment = Moment(1_795_176_000_000);

pub struct Probe {
    pub model: Model,
    /// Effects that nobody answered yet.
    pub effects: Vec<Effect>,
    pub now: Moment,
    /// Records of the draft that are on the disk.
    pub kept: usize,
    /// What was said where the same is done as a dialogue of lines.
    pub said: super::plain::Shadow,
}

/// Read once: thousands of studios begin with them.
static KEYMAP: LazyLock<Arc<Keymap>> = LazyLock::new(|| Arc::new(Keymap::load(None).0));
static THEME: LazyLock<Arc<Theme>> = LazyLock::new(|| Arc::new(Theme::load("dark", None, Depth::True).0));

pub fn begin() -> Begin {
    Begin {
        profile: "local".into(),
        local: true,
        credential: Credential::From("local workspace".into()),
        read_only: None,
        store: None,
        first_start: false,
        theme: Arc::clone(&THEME),
        themes: vec!["dark".into(), "light".into()],
        keymap: Arc::clone(&KEYMAP),
        faults: Vec::new(),
        notes: Vec::new(),
        warnings: Vec::new(),
        ascii: false,
        opens_addresses: false,
        ssh: None,
        guest: None,
        profiles: Vec::new(),
        resume: None,
        memory: Memory::default(),
        graphics: Graphics::Off,
        has_ffmpeg: true,
        way: Arc::from(["--profile".to_owned(), "local".to_owned()]),
        zone: crate::studio::ground::Zone::default(),
        deeds: crate::studio::shell::twin::Deeds::default(),
    }
}

impl Probe {
    /// A studio of a size that is connected to a store of `found` products.
    pub fn new(width: u16, height: u16) -> Self {
        Self::begun(begin(), width, height)
    }

    pub fn begun(begin: Begin, width: u16, height: u16) -> Self {
        let mut probe = Self::unconnected(begin, width, height);
        probe.event(Event::Connected(Connected {
            base: "http://127.0.0.1:7227/".into(),
            store: Some(StoreUrl::from("https://nordlys.example")),
            stores: vec!["https://nordlys.example".into(), "https://other.example".into()],
        }));
        probe
    }

    pub fn unconnected(begin: Begin, width: u16, height: u16) -> Self {
        let mut model = Model::new(begin);
        update(&mut model, NOON, Event::Resized { width, height }).into_iter().for_each(drop);
        let effects = model.start(NOON);
        Self { model, effects, now: NOON, kept: 0, said: super::plain::Shadow::default() }
    }

    pub fn event(&mut self, event: Event) -> &mut Self {
        self.effects.extend(update(&mut self.model, self.now, event));
        self
    }

    /// Lets a screen take a turn of its own.
    pub fn turn<E, A>(&mut self, take: impl FnOnce(&mut Model, Moment, &mut Turn<E, A>)) -> &mut Self
    where
        Effect: From<E>,
        Overlay: From<Question<A>>,
    {
        let mut effects = Vec::new();
        take_turn(&mut self.model, &mut effects, take);
        for effect in &effects {
            self.model.shell.wanted.ask(effect);
        }
        self.effects.extend(effects);
        self
    }

    /// Takes this as asked for.
    pub fn asks(&mut self, effect: Effect) -> &mut Self {
        self.model.shell.wanted.ask(&effect);
        self.model.clerk.sees(&effect, &self.model.screens);
        self.effects.push(effect);
        self
    }

    /// Presses keys: letters as they are, others as `<esc>`, `<ctrl-p>`.
    pub fn keys(&mut self, script: &str) -> &mut Self {
        let mut rest = script;
        while let Some(c) = rest.chars().next() {
            let named = rest.strip_prefix('<').and_then(|inner| inner.split_once('>'));
            let (key, after) = match named {
                Some((name, after)) => (Key::parse(name).unwrap(), after),
                None => (Key::char(c), rest.strip_prefix(c).unwrap()),
            };
            let shadow = self.said.enters(&self.model, self.now, key);
            let before = self.effects.len();
            self.event(Event::Pressed(key));
            shadow.is_like(key, &self.model, self.effects.get(before..).unwrap_or_default());
            rest = after;
        }
        self
    }

    /// The newest search that nobody answered.
    pub fn search(&self) -> (RequestId, crate::domain::ProductSearch) {
        let search = self.effects.iter().rev().find_map(|effect| match effect {
            Effect::Products(OnProducts::Search { request, search, .. }) => Some((*request, (**search).clone())),
            _ => None,
        });
        search.expect("a search")
    }

    /// Answers the newest search with products of these titles.
    pub fn found(&mut self, titles: &[&str], next: Option<&str>) -> &mut Self {
        let (request, _) = self.search();
        let found: Vec<FoundProduct> = titles.iter().enumerate().map(|(at, title)| product(at, title)).collect();
        let mut seen = Seen::default();
        for found in &found {
            seen.note(found);
        }
        let page =
            Page { rows: found.iter().map(Row::of).collect(), next: next.map(Cursor::from), seen, ..Page::default() };
        self.event(Event::Products(OfProducts::PageArrived { request, page: Ok(page) }))
    }

    pub fn counted(&mut self, total: u64) -> &mut Self {
        let request = self.effects.iter().rev().find_map(|effect| match effect {
            Effect::Products(OnProducts::Count { request, .. }) => Some(*request),
            _ => None,
        });
        self.event(Event::Products(OfProducts::CountArrived { request: request.expect("a count"), total: Ok(total) }))
    }

    /// Answers the newest question for a product.
    pub fn fetched(&mut self) -> &mut Self {
        let asked = self.effects.iter().rev().find_map(|effect| match effect {
            Effect::Products(OnProducts::FetchProduct { request, product, .. }) => Some((*request, product.clone())),
            _ => None,
        });
        let (request, id) = asked.expect("a question for a product");
        let at = id.as_str().parse().unwrap_or(0);
        let title = self.model.screens.products.detail.as_ref().map(|detail| detail.title.clone()).unwrap_or_default();
        let product = Product { metafields: meta(), ..product(at, &title).product };
        let record = Record {
            id,
            raw: serde_json::to_value(&product).unwrap(),
            description: vec!["Warm, dry and light.".into(), String::new(), "* merino".into()],
            findings: Vec::new(),
            product,
        };
        self.event(Event::Products(OfProducts::ProductArrived { request, product: Ok(Some(Box::new(record))) }))
    }

    /// The screen, a line a row, without what trails.
    pub fn screen(&self) -> String {
        let (width, height) = self.model.shell.size;
        let mut buffer = Buffer::empty(Rect { x: 0, y: 0, width, height });
        let cursor = view(&self.model, &mut buffer);
        let stands = cursor.is_some_and(|(x, y)| x < width && y < height);
        assert!(
            stands || !is_enough(width, height),
            "the cursor stands on what is current, whatever is shown: {cursor:?}"
        );
        lines(&buffer).join("\n")
    }

    /// The part of the screen that holds a text.
    pub fn shows(&self, text: &str) -> bool {
        self.screen().contains(text)
    }
}

pub fn lines(buffer: &Buffer) -> Vec<String> {
    let across = usize::from(buffer.area.width).max(1);
    buffer
        .content
        .chunks(across)
        .map(|row| {
            let mut line = String::new();
            let mut covered = 0;
            for cell in row {
                if covered == 0 {
                    line.push_str(cell.symbol());
                    covered = unicode_width::UnicodeWidthStr::width(cell.symbol());
                }
                covered = covered.saturating_sub(1);
            }
            line.trim_end().to_owned()
        })
        .collect()
}

fn meta() -> serde_json::Map<String, serde_json::Value> {
    serde_json::json!({"custom": {"material": "wool", "care": ["30 degrees", "flat"]}}).as_object().unwrap().clone()
}

/// A picture, or a video by another name.
fn medium(at: usize, of: &str) -> Media {
    let video = !of.is_empty();
    Media {
        media_content_type: if video { "VIDEO" } else { "IMAGE" }.into(),
        alt: Some(if video { "How it is knitted" } else { "From the front" }.into()),
        preview_url: Some(format!("https://cdn.example/{at}{of}.jpg")),
        preview_width: Some(Num::from(480i64)),
        preview_height: Some(Num::from(480i64)),
        video_url: video.then(|| format!("https://cdn.example/{at}.mp4")),
        video_size: video.then(|| Num::from(4_200_000i64)),
        ..Media::default()
    }
}

pub fn product(at: usize, title: &str) -> FoundProduct {
    let number = i64::try_from(at).unwrap();
    let variant = |size: &str, price: &str, stock: i64| Variant {
        title: Some(size.into()),
        price: Some(price.into()),
        sku: Some(format!("SKU-{at}-{size}")),
        inventory_quantity: Some(Num::from(stock)),
        external_variant_id: format!("v{at}{size}").as_str().into(),
        ..Variant::default()
    };
    let product = Product {
        id: Num::from(number),
        external_product_id: ProductId::new(at.to_string()),
        title: title.into(),
        vendor: Some("Nordlys".into()),
        product_type: Some("socks".into()),
        tags: vec!["wool".into(), "winter".into()],
        status: Some("active".into()),
        currency_code: Some("NOK".into()),
        updated_at: "2026-11-20T09:00:00Z".into(),
        published_at: Some("2026-01-01T00:00:00Z".into()),
        product_url: format!("https://nordlys.example/products/{at}"),
        featured_media_preview_url: Some(format!("https://cdn.example/{at}.jpg")),
        media: vec![medium(at, ""), medium(at, "-b")],
        variants: vec![variant("S", "149.00", number * 3), variant("L", "189.00", 2)],
        ..Product::default()
    };
    FoundProduct { product, media_count: Num::from(0i64), variants_count: Num::from(2i64), ..FoundProduct::default() }
}
