//! Anything may come, in any order, at any size: nothing panics, and nothing hostile reaches a cell.

use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::probe::{NOON, Probe};
use crate::domain::{Analysis, AnalysisStatus, Cursor, FoundProduct, Media, Product, Variant, text};
use crate::settings::{Graphics, Key, KeyCode};
use crate::studio::ground::{Alarm, Failure, Moment, Mouse, MouseAction};
use crate::studio::products::{Effect as OnProducts, Event as OfProducts};
use crate::studio::screens::products::{Page, Record};
use crate::studio::shell::effect::Effect;
use crate::studio::shell::event::Event;
use crate::studio::shell::view;
use crate::studio::widgets::pictures::{Picture, PictureFault};
use crate::studio::{Command, Facets, Row, Seen, description_lines};

#[derive(Debug, Clone)]
enum Step {
    Press(Key),
    Paste(String),
    Mouse(u16, u16, u8),
    Resize(u16, u16),
    /// Answers an open question, well or ill.
    Answer {
        titles: Vec<String>,
        more: bool,
        fail: bool,
    },
    Late,
    Time(i64),
}

fn hostile_text() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => Just("\u{1b}[31mred\u{1b}]0;title\u{7}".to_owned()),
        8 => Just("\u{202e}evil\u{2066}\u{200b}\u{feff}".to_owned()),
        1 => Just("x".repeat(100_000)),
        8 => Just("e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}".to_owned()),
        8 => Just("<p><b>broken & <i>".to_owned()),
        8 => Just("\n\r\t\0\u{7f}\u{9b}".to_owned()),
        8 => Just("日本語👩‍👩‍👧‍👦🇳🇴".to_owned()),
        8 => "\\PC{0,40}",
    ]
}

fn key() -> impl Strategy<Value = Key> {
    let codes = prop_oneof![
        4 => prop::sample::select("/fcsFPrRyo[]qjklhgGxt?:!T123456 woolAzLSbB=viImae".chars().collect::<Vec<_>>()).prop_map(KeyCode::Char),
        1 => any::<char>().prop_map(KeyCode::Char),
        4 => prop::sample::select(vec![
            KeyCode::Enter, KeyCode::Esc, KeyCode::Tab, KeyCode::Up, KeyCode::Down, KeyCode::Left, KeyCode::Right,
            KeyCode::PageUp, KeyCode::PageDown, KeyCode::Home, KeyCode::End, KeyCode::Backspace, KeyCode::Delete,
            KeyCode::Function(5),
        ]),
    ];
    (codes, prop::bool::weighted(0.1), prop::bool::weighted(0.1), prop::bool::weighted(0.1))
        .prop_map(|(code, ctrl, alt, shift)| Key { code, ctrl, alt, shift })
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => key().prop_map(Step::Press),
        1 => hostile_text().prop_map(Step::Paste),
        1 => (0u16..220, 0u16..70, 0u8..5).prop_map(|(x, y, what)| Step::Mouse(x, y, what)),
        1 => prop_oneof![(0u16..4, 0u16..4), (1u16..220, 1u16..70), Just((80, 24)), Just((41, 11))]
            .prop_map(|(width, height)| Step::Resize(width, height)),
        3 => (prop::collection::vec(hostile_text(), 0..40), any::<bool>(), prop::bool::weighted(0.2))
            .prop_map(|(titles, more, fail)| Step::Answer { titles, more, fail }),
        1 => Just(Step::Late),
        1 => (-1000i64..1_000_000).prop_map(Step::Time),
    ]
}

fn found(title: &str) -> FoundProduct {
    let variant = Variant { sku: Some(title.to_owned()), price: Some(title.to_owned()), ..Variant::default() };
    let product = Product {
        title: title.to_owned(),
        external_product_id: title.into(),
        vendor: Some(title.to_owned()),
        tags: vec![title.to_owned(); 3],
        status: Some(title.to_owned()),
        product_url: title.to_owned(),
        updated_at: title.to_owned(),
        featured_media_preview_url: Some(title.to_owned()),
        media: vec![Media { preview_url: Some(title.to_owned()), alt: Some(title.to_owned()), ..Media::default() }; 5],
        variants: vec![variant; 3],
        ..Product::default()
    };
    let analysis_status =
        Some(if title.len().is_multiple_of(2) { AnalysisStatus::Pending } else { AnalysisStatus::Analyzed });
    let analysis = title.len().is_multiple_of(3).then(Analysis::default);
    FoundProduct { product, analysis, analysis_status, ..FoundProduct::default() }
}

/// Answers the newest open question of the probe.
fn answer(probe: &mut Probe, titles: &[String], more: bool, fail: bool) {
    let Some(effect) = probe.effects.pop() else { return };
    let failure = || Failure { what: titles.first().cloned().unwrap_or_default(), unauthorized: more, missing: false };
    let first = titles.first().map(|title| found(title)).unwrap_or_default();
    let event = match effect {
        Effect::Products(OnProducts::Search { request, .. }) => {
            let found: Vec<FoundProduct> = titles.iter().map(|title| found(title)).collect();
            let mut seen = Seen::default();
            for found in &found {
                seen.note(found);
            }
            let page = Page {
                rows: found.iter().map(Row::of).collect(),
                next: more.then(|| Cursor::from("next")),
                seen,
                findings: titles.to_vec(),
                findings_count: titles.len(),
            };
            Event::Products(OfProducts::PageArrived { request, page: if fail { Err(failure()) } else { Ok(page) } })
        }
        Effect::Products(OnProducts::FetchProduct { request, product, .. }) => {
            let description = description_lines(Some(&first.product.title), None);
            let raw = serde_json::to_value(&first.product).unwrap();
            let record = Record { id: product, product: first.product, raw, description, findings: titles.to_vec() };
            let product = if fail { Err(failure()) } else { Ok(more.then(|| Box::new(record))) };
            Event::Products(OfProducts::ProductArrived { request, product })
        }
        Effect::Products(OnProducts::FetchAnalysis { request, .. }) => {
            let analysis = if fail { Err(failure()) } else { Ok(more.then(Box::default)) };
            Event::Products(OfProducts::AnalysisArrived { request, analysis })
        }
        Effect::Products(OnProducts::FetchFacets { request, products, .. }) => {
            let known = products.into_iter().map(|product| (product, Facets::of(&first).unwrap_or(Facets::Pending)));
            Event::Products(OfProducts::FacetsArrived {
                request,
                facets: if fail { Err(failure().what) } else { Ok(known.collect()) },
            })
        }
        Effect::Pictures { wanted, .. } => {
            let Some(wanted) = wanted.into_iter().next() else { return };
            let size = wanted.room;
            let cells = vec![ratatui::buffer::Cell::new("█"); usize::from(size.0) * usize::from(size.1)];
            let picture = Picture { id: 7, size, cells: cells.into(), data: None };
            let fault = PictureFault::NotAPicture("HTML");
            Event::PictureArrived { wanted, picture: if fail { Err(fault) } else { Ok(picture.into()) } }
        }
        Effect::Products(OnProducts::Count { request, .. }) => Event::Products(OfProducts::CountArrived {
            request,
            total: if fail { Err(failure()) } else { Ok(u64::MAX) },
        }),
        Effect::Connect if fail => Event::ConnectFailed(failure()),
        Effect::OpenAddress(address) => Event::AddressOpened(Err(address)),
        Effect::Wake { alarm, .. } => Event::Woke(alarm),
        _ => return,
    };
    probe.event(event);
}

fn take(probe: &mut Probe, step: Step) {
    match step {
        Step::Press(key) => drop(probe.event(Event::Pressed(key))),
        Step::Paste(text) => drop(probe.event(Event::Pasted(text))),
        Step::Mouse(x, y, what) => {
            let what = [
                MouseAction::Press,
                MouseAction::WheelUp,
                MouseAction::WheelDown,
                MouseAction::Drag,
                MouseAction::Release,
            ][usize::from(what)];
            probe.event(Event::Mouse(Mouse { x, y, what }));
        }
        Step::Resize(width, height) => drop(probe.event(Event::Resized { width, height })),
        Step::Answer { titles, more, fail } => answer(probe, &titles, more, fail),
        Step::Late => drop(probe.event(Event::Woke(Alarm::Notice(1)))),
        Step::Time(by) => probe.now = Moment(probe.now.0.saturating_add(by)),
    }
}

fn picture(probe: &Probe) {
    let (width, height) = probe.model.shell.size;
    let area = Rect { x: 0, y: 0, width, height };
    let mut buffer = Buffer::empty(area);
    let cursor = view(&probe.model, &mut buffer);
    if let Some((x, y)) = cursor {
        assert!(x < width && y < height, "the cursor is on the screen");
    }
    for cell in &buffer.content {
        assert!(!cell.symbol().chars().any(text::is_hostile), "{:?} reached the screen", cell.symbol());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, max_shrink_iters: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn nothing_panics(steps in prop::collection::vec(step(), 1..40), width in 1u16..200, height in 1u16..60) {
        let mut probe = Probe::new(width, height);
        if width.is_multiple_of(2) {
            probe.event(Event::GraphicsKnown { graphics: Graphics::Blocks, cell: (10, 20) });
        }
        prop_assert_eq!(probe.now, NOON);
        for step in steps {
            take(&mut probe, step);
            picture(&probe);
        }
    }
}

#[test]
fn every_command_can_be_given_anywhere() {
    for width in [1, 40, 80, 200] {
        for command in Command::ALL {
            let mut probe = Probe::new(width, width / 3);
            probe.found(&["a", "b"], Some("next"));
            let keymap = std::sync::Arc::clone(&probe.model.shell.begin.keymap);
            for key in keymap.first_key(*command).iter().flat_map(|chord| chord.keys()).cycle().take(3) {
                probe.event(Event::Pressed(*key));
                picture(&probe);
            }
        }
    }
}

#[test]
fn every_command_has_a_key_or_stands_in_the_palette() {
    let mut probe = Probe::new(120, 60);
    probe.keys(":");
    for command in Command::ALL {
        let known = probe.model.shell.begin.keymap.first_key(*command).is_some();
        let by_title = ["app.reconnect", "session.share", "session.keys", "session.end", "steps.take_over"]
            .contains(&command.name());
        let named = *command == Command::Palette || known || by_title;
        assert!(named, "{} can't be reached", command.name());
    }
}

#[path = "service_screens.rs"]
pub(super) mod service_screens;
#[path = "watching.rs"]
mod watching;
