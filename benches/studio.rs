//! What a key costs in the studio: `update`, `view` and the frame, on the Products screen with many rows, and in the
//! switcher with 50 profiles of ten stores each.
//!
//! `cargo bench --bench studio`; `CUTAWAY_BENCH_ROWS` sets how many rows are loaded (100,000).

use std::io::{self, Write as _};
use std::sync::Arc;
use std::time::{Duration, Instant};

use cutaway::domain::{FoundProduct, Num, Product, StoreUrl, Variant};
use cutaway::settings::{Depth, Graphics, Key, KeyCode, Profile, ProfileStore, Theme};
use cutaway::studio::effect::Effect;
use cutaway::studio::event::{Connected, Event, Moment};
use cutaway::studio::products::Page;
use cutaway::studio::products::{Effect as OnProducts, Event as OfProducts};
use cutaway::studio::{Begin, Credential, Keymap, KnownProfile, Memory, Model, Row, update, view};
use cutaway::terminal::Screen;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

const NOW: Moment = Moment(1_795_176_000_000);

fn main() -> io::Result<()> {
    let rows = std::env::var("CUTAWAY_BENCH_ROWS").ok().and_then(|rows| rows.parse().ok()).unwrap_or(100_000);
    let mut out = io::stdout().lock();
    writeln!(out, "{rows} rows, 120x40, medians of 500 keys; bytes of a frame beside")?;
    for (name, setup, key) in [
        ("Down, within the page", "", Key::plain(KeyCode::Down)),
        ("Down, scrolling", "scrolled", Key::plain(KeyCode::Down)),
        ("PageDown", "", Key::plain(KeyCode::PageDown)),
        ("a letter of a search", "/", Key::char('a')),
    ] {
        let mut studio = Studio::with(rows);
        if setup == "/" {
            studio.press(Key::char('/'));
        } else if !setup.is_empty() {
            for _ in 0..40 {
                studio.press(Key::plain(KeyCode::Down));
            }
        }
        let mut times = Vec::new();
        let mut bytes = 0;
        for at in 0..500 {
            if setup.is_empty() && key.code == KeyCode::Down && at % 20 == 0 {
                for _ in 0..20 {
                    let _ = studio.press(Key::plain(KeyCode::Up));
                }
            }
            let (time, written) = studio.press(key);
            times.push(time);
            bytes += written;
        }
        tell(&mut out, name, times, bytes)?;
    }
    for (name, open) in [("the switcher", '@'), ("the palette", ':')] {
        let mut studio = Studio::with(1000);
        let (mut opened, mut typed) = (Vec::new(), Vec::new());
        let (mut opened_bytes, mut typed_bytes) = (0, 0);
        for _ in 0..50 {
            let (time, bytes) = studio.press(Key::char(open));
            opened.push(time);
            opened_bytes += bytes;
            for letter in "shop 37 st".chars() {
                let (time, bytes) = studio.press(Key::char(letter));
                typed.push(time);
                typed_bytes += bytes;
            }
            let _ = studio.press(Key::plain(KeyCode::Esc));
        }
        tell(&mut out, &format!("{name} opened"), opened, opened_bytes)?;
        tell(&mut out, &format!("a letter in {name}"), typed, typed_bytes)?;
    }
    Ok(())
}

fn tell(out: &mut impl io::Write, name: &str, mut times: Vec<Duration>, bytes: usize) -> io::Result<()> {
    times.sort();
    let at = |part: usize| times.get(times.len() * part / 100).copied().unwrap_or_default();
    let each = bytes / times.len().max(1);
    writeln!(out, "{name:24} p50 {:>9.1?}  p99 {:>9.1?}  {each:>6} bytes", at(50), at(99))
}

/// Fifty profiles of ten stores each.
fn profiles() -> Vec<KnownProfile> {
    let store = |profile: usize, at: usize| ProfileStore {
        url: StoreUrl::from(format!("https://store-{at}.shop-{profile}.example")),
        name: Some(format!("Store {at} of shop {profile}")),
    };
    let known = |at: usize| KnownProfile {
        name: format!("shop {at}"),
        profile: Profile { stores: (0..10).map(|store_at| store(at, store_at)).collect(), ..Profile::default() },
        ..KnownProfile::default()
    };
    (0..50).map(known).collect()
}

struct Studio {
    model: Model,
    screen: Screen<io::Sink>,
    buffer: Buffer,
}

impl Studio {
    fn with(rows: usize) -> Self {
        let area = Rect { x: 0, y: 0, width: 120, height: 40 };
        let mut model = Model::new(begin());
        let studio_events = |model: &mut Model, event| update(model, NOW, event);
        drop(studio_events(&mut model, Event::Resized { width: area.width, height: area.height }));
        drop(model.start(NOW));
        let store = StoreUrl::from("https://bench.example");
        let connected = Connected { base: "http://127.0.0.1/".into(), store: Some(store.clone()), stores: vec![store] };
        let effects = studio_events(&mut model, Event::Connected(connected));
        let request = effects.iter().find_map(|effect| match effect {
            Effect::Products(OnProducts::Search { request, .. }) => Some(*request),
            _ => None,
        });
        let page = Page { rows: (0..rows).map(row).collect(), ..Page::default() };
        if let Some(request) = request {
            drop(studio_events(&mut model, Event::Products(OfProducts::PageArrived { request, page: Ok(page) })));
        }
        let mut studio = Self { model, screen: Screen::new(io::sink()), buffer: Buffer::empty(area) };
        studio.press(Key::plain(KeyCode::Home));
        studio
    }

    /// A key from update to the bytes of its frame.
    fn press(&mut self, key: Key) -> (Duration, usize) {
        let begin = Instant::now();
        drop(update(&mut self.model, NOW, Event::Pressed(key)));
        self.buffer.reset();
        let cursor = view(&self.model, &mut self.buffer);
        let written = self.screen.present(&self.buffer, cursor).map_or(0, |written| written.bytes);
        (begin.elapsed(), written)
    }
}

fn row(at: usize) -> Row {
    let number = i64::try_from(at).unwrap_or_default();
    let variant = Variant {
        price: Some(format!("{}.00", 99 + at % 900)),
        inventory_quantity: Some(Num::from(number % 300)),
        ..Variant::default()
    };
    let product = Product {
        external_product_id: at.to_string().into(),
        title: format!(
            "{} wool sock for cold days {at}",
            ["Fjell", "Bre", "Vidde", "Røros"].get(at % 4).unwrap_or(&"")
        ),
        vendor: Some(["Nordlys", "Ullvang", "Skarvøy"].get(at % 3).copied().unwrap_or_default().to_owned()),
        product_type: Some("Socks".to_owned()),
        updated_at: "2026-10-01T09:00:00Z".to_owned(),
        published_at: Some("2026-01-01T00:00:00Z".to_owned()),
        product_url: format!("https://bench.example/products/{at}"),
        variants: vec![variant],
        ..Product::default()
    };
    Row::of(&FoundProduct { product, ..FoundProduct::default() })
}

fn begin() -> Begin {
    Begin {
        profile: "local".into(),
        local: true,
        credential: Credential::From("local workspace".into()),
        read_only: None,
        store: None,
        first_start: false,
        theme: Arc::new(Theme::load("dark", None, Depth::True).0),
        themes: Vec::new(),
        keymap: Arc::new(Keymap::load(None).0),
        faults: Vec::new(),
        notes: Vec::new(),
        warnings: Vec::new(),
        ascii: false,
        opens_addresses: false,
        profiles: profiles(),
        resume: None,
        memory: Memory::default(),
        graphics: Graphics::Off,
        has_ffmpeg: false,
        ssh: None,
        guest: None,
        way: Arc::from(["--profile".to_owned(), "local".to_owned()]),
        deeds: cutaway::studio::twin::Deeds::default(),
        zone: cutaway::studio::Zone::default(),
    }
}
