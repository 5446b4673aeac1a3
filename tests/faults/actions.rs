//! Everything that the studio can ask a service for, with every fault, by keys in the real program: whatever goes wrong, it
//! goes on, says of nothing that it was done that was not, makes nothing twice, and does it once nothing is wrong any more.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use cutaway::api::{EnableWebhook, Operation as _};
use rustix::process::Signal;
use serde_json::json;

use crate::dice::{Dice, count, seed};
use crate::direct;
use crate::direct::Direct;
use crate::keys::{Action, Again, FUNNEL, all, opens, shows};
use crate::proxy::{Act, FAULTS, Fault, Proxy, proxy};
use crate::screen::{Asks, asks};
use crate::screens::HANGS;
use crate::serving::Served;
use crate::terminal::{Start, Studio};
use crate::tries::{self, Hits, Stage, Wanted};

/// What a try is made on: everything bears its token.
fn set(served: &Served, direct: &Direct, product: &str, action: &Action, token: &str) -> Stage {
    let mut stage = tries::set(served, direct, product, token);
    let (status, said) = direct.ask("PUT", &format!("/projects/{}", stage.project), &json!({ "name": token }));
    assert_eq!(status, 200, "{said}");
    let video = json!({ "video": { "videoUrl": format!("https://cdn.example/{token}.mp4"), "name": token } });
    stage.video = direct.create("/videos/video", &video);
    let vtt = "WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n";
    let path = format!("/videos/{}/captions/en", stage.video);
    assert_eq!(direct.ask("PUT", &path, &json!({ "vtt": vtt })).0, 200);
    let url = format!("https://h.invalid/{token}");
    stage.webhook = direct.create("/webhooks", &json!({ "event": "conversion", "url": url }));
    let at = format!("/webhooks/{}", stage.webhook);
    assert_eq!(direct.ask("POST", &format!("{at}/ping"), &serde_json::Value::Null).0, 202);
    if matches!(action.hits, Hits::Operation(row) if row == EnableWebhook::ROW) {
        assert_eq!(direct.ask("POST", &format!("{at}/disable"), &serde_json::Value::Null).0, 200);
    }
    stage.secret = direct.get(&format!("{at}/secret"))["secret"].clone();
    stage
}

/// Whether it was done, once at most.
fn is_done(action: &Action, direct: &Direct, stage: &Stage) -> Result<bool, String> {
    match action.wanted {
        Wanted::Nothing | Wanted::Shows(_) => Ok(true),
        Wanted::So(so) => Ok(so(direct, stage)),
        Wanted::Once(times) => match times(direct, stage) {
            0 => Ok(false),
            1 => Ok(true),
            times => Err(format!("it was made {times} times")),
        },
    }
}

/// Waits until something is so, pressing these keys again and again.
fn until(studio: &mut Studio, keys: &[&str], what: &str, mut is_so: impl FnMut(&[String]) -> bool) {
    let began = Instant::now();
    loop {
        let rows = studio.rows();
        if is_so(&rows) {
            return;
        }
        assert!(began.elapsed() < HANGS, "{what}: never, but\n{}", rows.join("\n"));
        for key in keys {
            // Each by itself: Esc and a letter that arrive together are another key.
            studio.keys(key).changes(Duration::from_millis(300));
        }
        studio.changes(Duration::from_millis(200));
    }
}

/// Presses a key until this is shown. Whoever is asked to sign in, because a refusal came late, says no to that, and does
/// it again: the question took the keys that were pressed when it came, or no closed what was open.
fn shows_again(studio: &mut Studio, key: &str, what: &str, mut again: impl FnMut(&mut Studio)) {
    let began = Instant::now();
    while !shows(&studio.rows(), what) {
        assert!(began.elapsed() < HANGS, "{what}: never again, but\n{}", studio.rows().join("\n"));
        if shows(&studio.rows(), "Sign in to ") {
            studio.keys("\x1b").changes(Duration::from_millis(500));
            again(studio);
        } else {
            studio.keys(key).changes(Duration::from_millis(500));
        }
    }
}

/// Goes to where it is done, past whatever is open; whether what it is done to is there, which it always is at first.
fn goes(studio: &mut Studio, action: &Action, stage: &Stage, may_be_gone: bool) -> bool {
    // In an open product Enter would turn to its next tab.
    let is_list = |rows: &[String]| shows(rows, "274 products") && !shows(rows, "Overview");
    until(studio, &["\x1b", "1"], "the products", is_list);
    if action.screen == "1" {
        return true;
    }
    studio.keys(action.screen);
    let there = match action.screen {
        "2" => " projects in ",
        "3" => " videos",
        _ => " webhooks",
    };
    // An open project stands in the place of the list.
    until(studio, &["\x1b", action.screen], there, |rows| shows(rows, there));
    if action.finds {
        let (token, searched) = (stage.token.clone(), format!("/ {}", stage.token));
        // What was asked for before may come late, and then lies over the list.
        until(studio, &["\x1b", "/", "\x15", &token], "the search", |rows| shows(rows, &searched));
        studio.keys("\r");
        let is_there = |rows: &[String]| rows.iter().any(|row| row.contains('▌') && row.contains(&token));
        studio.until("what was looked for, selected", |rows| {
            is_there(rows) || may_be_gone && (shows(rows, "No matching") || shows(rows, "Nothing matches"))
        });
        return is_there(&studio.rows());
    }
    true
}

/// What goes wrong while it is armed, and how often it did.
struct Line {
    proxy: Proxy,
    armed: Arc<AtomicBool>,
    hits: Arc<AtomicUsize>,
}

fn line(served: &Served, hits: Hits, fault: Fault, always: bool) -> Line {
    let (armed, hit) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let (is_armed, counted) = (Arc::clone(&armed), Arc::clone(&hit));
    let proxy = proxy(served.base(), move |asked| -> Act {
        let fits = is_armed.load(Ordering::SeqCst) && hits.hits(asked);
        let now = fits && (counted.fetch_add(1, Ordering::SeqCst) == 0 || always);
        if now { fault.into() } else { Fault::None.into() }
    });
    Line { proxy, armed, hits: hit }
}

/// Saves what the draft still has.
fn saves(studio: &mut Studio, is_done: impl Fn() -> bool) {
    let began = Instant::now();
    loop {
        match asks(&studio.rows()) {
            Asks::Enter | Asks::Closing => drop(studio.keys("\r")),
            Asks::Unsaved => drop(studio.keys("S")),
            Asks::Nothing if is_done() => return,
            Asks::Nothing | Asks::Waiting => {}
        }
        studio.changes(Duration::from_millis(500));
        assert!(began.elapsed() < HANGS, "it is never saved:\n{}", studio.rows().join("\n"));
    }
}

/// Tries one action with one fault.
fn tried(
    served: &Served,
    product: &str,
    action: &Action,
    (fault, always): (Fault, bool),
    token: &str,
) -> Result<(), String> {
    let direct = direct(served);
    let stage = set(served, &direct, product, action, token);
    let line = line(served, action.hits, fault, always);
    let start = Start::new().arguments(&["--base-url", &line.proxy.base, "--app-url", served.store()]);
    let mut studio = start.with("CUTAWAY_API_KEY", served.key()).open();
    studio.shows("274 products");
    goes(&mut studio, action, &stage, false);
    // What only reads may be read on the way: it goes wrong there then.
    line.armed.store(action.last.is_empty(), Ordering::SeqCst);
    (action.keys)(&mut studio, &stage);
    line.armed.store(true, Ordering::SeqCst);
    studio.keys(action.last);
    until(&mut studio, &[], "that it is asked for", |_| line.hits.load(Ordering::SeqCst) > 0);
    line.proxy.settle();
    // What is tried again by itself has its time.
    studio.changes(Duration::from_secs(1));
    line.armed.store(false, Ordering::SeqCst);

    // It goes on, and says of nothing that it was done that was not.
    until(&mut studio, &["\x1b", "1", "R", "r"], "the products", |rows| shows(rows, "274 products"));
    line.proxy.settle();
    let writes = !matches!(action.wanted, Wanted::Nothing);
    if writes && !action.done.is_empty() {
        studio.keys("!").shows("Notices");
        let said = shows(&studio.rows(), action.done);
        if said && !is_done(action, &direct, &stage)? {
            return Err(format!("it says that it was done:\n{}", studio.rows().join("\n")));
        }
        studio.keys("\x1b").hides("Notices");
    }
    // Nothing is wrong any more: it is done.
    if !writes || (!is_done(action, &direct, &stage)? && action.again == Again::Same) {
        // A deletion that was repeated by itself may have come through by now.
        let is_there = goes(&mut studio, action, &stage, writes);
        // What came through on the way there is not done once more: an order that is toggled would go back.
        if is_there && !(writes && is_done(action, &direct, &stage)?) {
            (action.keys)(&mut studio, &stage);
            studio.keys(action.last);
        }
        if !writes {
            // What failed is tried again where that is wanted. What one key shows and hides may have come meanwhile, and
            // be hidden now: the same key shows it again.
            let again = if action.name == FUNNEL { action.last } else { "R" };
            shows_again(&mut studio, again, action.done, |studio| {
                goes(studio, action, &stage, false);
                (action.keys)(studio, &stage);
                studio.keys(action.last);
            });
        }
    }
    if action.again == Again::Save {
        goes(&mut studio, action, &stage, false);
        opens(&mut studio);
        saves(&mut studio, || is_done(action, &direct, &stage) == Ok(true));
    }
    if action.again != Again::Else {
        until(&mut studio, &[], "that it is done", |_| is_done(action, &direct, &stage).unwrap_or(true));
    }
    studio.signal(Signal::KILL);
    let ended = studio.ended();
    if crate::serving::tells_panic(&String::from_utf8_lossy(&ended.raw)) {
        return Err("it tells of a panic".to_owned());
    }
    is_done(action, &direct, &stage).map(drop)
}

#[test]
fn every_operation_of_the_studio_with_every_fault() {
    let served = Served::start();
    let product = served.json(&["products", "search", "wool", "--limit", "1"])["products"][0]["externalProductId"]
        .as_str()
        .unwrap()
        .to_owned();
    let mut dice = Dice(seed("every operation of the studio with every fault"));
    let actions = all();
    let mut pairs: Vec<(usize, (Fault, bool))> = Vec::new();
    let shuffled: Vec<Vec<(Fault, bool)>> = (0..actions.len())
        .map(|_| {
            let mut faults: Vec<(Fault, bool)> =
                FAULTS.iter().flat_map(|fault| [(*fault, false), (*fault, true)]).collect();
            for at in (1..faults.len()).rev() {
                faults.swap(at, dice.below(at + 1));
            }
            faults
        })
        .collect();
    // Every action comes by as soon as the others.
    for nth in 0..2 * FAULTS.len() {
        pairs.extend(shuffled.iter().enumerate().map(|(at, faults)| (at, faults[nth])));
    }
    let all = pairs.len();
    pairs.truncate(count("CUTAWAY_FAULTS_ACTIONS", actions.len()));
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while let Some((at, (fault, always))) = pairs.get(next.fetch_add(1, Ordering::SeqCst)) {
                    let (action, token) = (&actions[*at], format!("t{at}x{fault:?}{}z", u8::from(*always)));
                    let trying = AssertUnwindSafe(|| tried(&served, &product, action, (*fault, *always), &token));
                    let came = catch_unwind(trying).unwrap_or_else(|why| {
                        Err(why.downcast_ref::<String>().cloned().unwrap_or_else(|| "it panicked".to_owned()))
                    });
                    if let Err(why) = came {
                        let often = if *always { "always" } else { "once" };
                        wrong.lock().unwrap().push(format!("{} with {fault:?} {often}: {why}", action.name));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    eprintln!(
        "{} of {all} pairs of {} actions in the studio and a fault, once or always, tried, {} wrong",
        pairs.len(),
        actions.len(),
        wrong.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
