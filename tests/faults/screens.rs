//! The studio's screens while the line breaks: whatever fails, it goes on, shows what the service has once it can, and
//! creates nothing twice.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use cutaway::api::{
    CountProducts, CreateVideo, CreateWebhook, ExchangeKey, ListProjects, ListVideos, ListWebhooks, Me, Operation as _,
    Row, SearchProducts,
};

use rustix::process::Signal;

use crate::dice::{Dice, count, seed};
use crate::direct;
use crate::direct::Direct;
use crate::proxy::{Act, FAULTS, Fault, Proxy, proxy};
use crate::serving::Served;
use crate::terminal::{Start, Studio};
use crate::tries::Hits;

/// What takes longer than this hangs.
pub const HANGS: Duration = Duration::from_secs(240);

/// What is tried on a screen.
pub struct View {
    name: &'static str,
    /// The key that shows it.
    key: &'static str,
    /// What is read for it.
    pub reads: &'static [Row],
    /// Whether that is read when the studio begins.
    from_start: bool,
    /// What it shows once all is well.
    sound: fn(&Direct) -> String,
    /// Keys that create something, what they ask for, and how many of those there are.
    creates: Option<Creation>,
}

struct Creation {
    keys: fn(&mut Studio, &str),
    asks: Row,
    there: fn(&Direct, &str) -> usize,
}

fn listed(direct: &Direct, path: &str, member: Option<&str>, one: &str) -> String {
    let listed = direct.get(path);
    let listed = member.map_or(&listed, |member| &listed[member]);
    match listed.as_array().unwrap().len() {
        1 => format!("1 {one}"),
        count => format!("{count} {one}s"),
    }
}

pub const VIEWS: [View; 5] = [
    View {
        name: "products",
        key: "1",
        reads: &[SearchProducts::ROW, CountProducts::ROW],
        from_start: false,
        sound: |_| "274 products".to_owned(),
        creates: None,
    },
    View {
        name: "projects",
        key: "2",
        reads: &[ListProjects::ROW],
        from_start: false,
        sound: |_| "Gift finder".to_owned(),
        creates: None,
    },
    View {
        name: "videos",
        key: "3",
        reads: &[ListVideos::ROW],
        from_start: false,
        sound: |direct| listed(direct, "/videos/videos", Some("videos"), "video"),
        creates: Some(Creation {
            keys: |studio, token| {
                let address = format!("https://cdn.example/{token}.mp4");
                studio.keys("a").shows("Address of the video").keys(&address).shows(token).keys("\r");
                studio.shows("Name of the video").keys(token).keys("\r");
            },
            asks: CreateVideo::ROW,
            there: |direct, token| direct.get("/videos/videos").to_string().matches(&format!("{token}.mp4\"")).count(),
        }),
    },
    View {
        name: "webhooks",
        key: "4",
        reads: &[ListWebhooks::ROW],
        from_start: false,
        sound: |direct| listed(direct, "/webhooks", None, "webhook"),
        creates: Some(Creation {
            keys: |studio, token| {
                let address = format!("https://h.example/{token}");
                studio.keys("n").shows("New webhook").keys("\t").keys(&address).shows(token).keys("\r");
            },
            asks: CreateWebhook::ROW,
            there: |direct, token| direct.get("/webhooks").to_string().matches(token).count(),
        }),
    },
    // Whom the studio works as is found out when it begins.
    View {
        name: "account",
        key: "5",
        reads: &[ExchangeKey::ROW, Me::ROW],
        from_start: true,
        sound: |_| "1 profile".to_owned(),
        creates: None,
    },
];

/// What goes wrong at the moment, and how often it did.
struct Line {
    proxy: Proxy,
    armed: Arc<AtomicBool>,
    hits: Arc<AtomicUsize>,
}

/// A line on which these operations fail while it is armed; a creation only once.
fn line(served: &Served, fault: Fault, rows: Vec<Row>) -> Line {
    let (armed, hits) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let (is_armed, hit) = (Arc::clone(&armed), Arc::clone(&hits));
    let proxy = proxy(served.base(), move |asked| -> Act {
        let row = rows.iter().find(|row| Hits::Operation(**row).hits(asked));
        match row {
            Some(_) if is_armed.load(Ordering::SeqCst) => {
                let before = hit.fetch_add(1, Ordering::SeqCst);
                if row.is_some_and(Row::creates) && before > 0 { Fault::None.into() } else { fault.into() }
            }
            _ => Fault::None.into(),
        }
    });
    Line { proxy, armed, hits }
}

/// Presses keys, again and again, until this is so.
fn until(studio: &mut Studio, keys: &[&str], what: &str, is_so: impl Fn(&[String]) -> bool) -> Result<(), String> {
    let began = Instant::now();
    while !is_so(&studio.rows()) {
        if began.elapsed() > HANGS {
            return Err(format!("{what} is not shown:\n{}", studio.rows().join("\n")));
        }
        for key in keys {
            // Each by itself: Esc and a letter that arrive together are another key.
            studio.keys(key).changes(Duration::from_millis(300));
        }
    }
    Ok(())
}

fn end(mut studio: Studio) {
    studio.signal(Signal::KILL);
    drop(studio.ended());
}

/// Tries one screen with one fault.
fn tried(served: &Served, view: &View, fault: Fault, token: &str) -> Result<(), String> {
    let direct = direct(served);
    let open = |line: &Line| {
        let start = Start::new().arguments(&["--base-url", &line.proxy.base, "--app-url", served.store()]);
        start.with("CUTAWAY_API_KEY", served.key()).open()
    };
    let shows = |words: String| move |rows: &[String]| rows.iter().any(|row| row.contains(&words));
    let line_of_reads = line(served, fault, view.reads.to_vec());
    line_of_reads.armed.store(view.from_start, Ordering::SeqCst);
    let mut studio = open(&line_of_reads);
    if !view.from_start {
        studio.shows("274 products");
    }
    line_of_reads.armed.store(true, Ordering::SeqCst);
    let hits = Arc::clone(&line_of_reads.hits);
    studio.keys(view.key);
    // What a screen has read before is read again only where that is wanted.
    until(&mut studio, &["r"], "that it is read", |_| hits.load(Ordering::SeqCst) > 0)?;
    line_of_reads.armed.store(false, Ordering::SeqCst);
    until(&mut studio, &["\x1b", view.key, "r"], "what the service has", shows((view.sound)(&direct)))?;
    // Whatever it was, the products are there by now, or come where they are asked for.
    until(&mut studio, &["\x1b", "1", "R", "r"], "the products", shows("274 products".to_owned()))?;
    end(studio);

    let Some(creation) = &view.creates else { return Ok(()) };
    let line_of_writes = line(served, fault, vec![creation.asks]);
    let mut studio = open(&line_of_writes);
    studio.shows("274 products").keys(view.key).shows(&(view.sound)(&direct));
    line_of_writes.armed.store(true, Ordering::SeqCst);
    (creation.keys)(&mut studio, token);
    let hits = Arc::clone(&line_of_writes.hits);
    until(&mut studio, &[], "that it is created", |_| {
        std::thread::yield_now();
        hits.load(Ordering::SeqCst) > 0
    })?;
    line_of_writes.proxy.settle();
    until(&mut studio, &["\x1b", view.key, "r"], "what the service has", |rows| shows((view.sound)(&direct))(rows))?;
    end(studio);
    match (creation.there)(&direct, token) {
        0 | 1 => Ok(()),
        times => Err(format!("it was created {times} times")),
    }
}

#[test]
fn every_screen_goes_on_whatever_goes_wrong() {
    let served = Served::start();
    let mut dice = Dice(seed("screens with faults"));
    let mut pairs: Vec<(usize, Fault)> = (0..VIEWS.len()).flat_map(|at| FAULTS.map(|fault| (at, fault))).collect();
    for at in (1..pairs.len()).rev() {
        pairs.swap(at, dice.below(at + 1));
    }
    // One of each screen first.
    let mut seen = [0; VIEWS.len()];
    let mut ranked: Vec<(usize, (usize, Fault))> = Vec::new();
    for pair in pairs {
        seen[pair.0] += 1;
        ranked.push((seen[pair.0], pair));
    }
    ranked.sort_by_key(|(rank, _)| *rank);
    let mut pairs: Vec<(usize, Fault)> = ranked.into_iter().map(|(_, pair)| pair).collect();
    let all = pairs.len();
    pairs.truncate(count("CUTAWAY_FAULTS_VIEWS", VIEWS.len()));
    let mut wrong = Vec::new();
    for (at, fault) in &pairs {
        let view = &VIEWS[*at];
        if let Err(why) = tried(&served, view, *fault, &format!("t{at}x{fault:?}z")) {
            wrong.push(format!("{} with {fault:?}: {why}", view.name));
        }
    }
    eprintln!("{} of {all} pairs of a screen and a fault tried, {} wrong", pairs.len(), wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
