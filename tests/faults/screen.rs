//! Saves through the real studio in a pseudo-terminal: typed, saved, killed and found again, while the line breaks and
//! others edit.
//!
//! What others change here is never what is changed at the screen: what becomes of conflicts is tried with saves that no
//! screen stands between, and at the screen by tests of its own.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::json;

use crate::dice::{Dice, count, seed};
use crate::direct;
use crate::direct::Direct;
use crate::proxy::{Act, FAULTS, Fault, Proxy, proxy};
use crate::serving::Served;
use crate::terminal::{Start, Studio};

/// A save that takes longer than this hangs.
const HANGS: Duration = Duration::from_secs(240);

/// What is shared with the proxy of one save.
struct Stage {
    /// Whether things go wrong: not while the project is opened.
    armed: AtomicBool,
    /// How many writes came by.
    writes: AtomicUsize,
    /// What goes wrong still: faults, and edits by others.
    left: Mutex<(Dice, usize, usize)>,
    /// The steps that others edit.
    others: Mutex<Vec<String>>,
    /// What others wrote, by step.
    theirs: Mutex<HashMap<String, String>>,
    faults: AtomicUsize,
    /// What came by while things went wrong, and what went wrong with it.
    came: Mutex<Vec<String>>,
}

/// A proxy that spoils what passes, and before which others edit the steps that are not edited at the screen.
fn spoiling(direct: &Direct, stage: &Arc<Stage>, nth: usize) -> Proxy {
    let (direct, stage) = (direct.clone(), Arc::clone(stage));
    let service = direct.base.clone();
    proxy(&service, move |asked| {
        let mut act = Act::from(Fault::None);
        if !(asked.writes() || asked.reads_project()) {
            return act;
        }
        if asked.writes() {
            stage.writes.fetch_add(1, Ordering::SeqCst);
        }
        if !stage.armed.load(Ordering::SeqCst) {
            return act;
        }
        let mut left = stage.left.lock().unwrap();
        let (dice, faults, edits) = &mut *left;
        if *faults > 0 && dice.chance(40) {
            *faults -= 1;
            act.fault = *dice.pick(&FAULTS);
            stage.faults.fetch_add(1, Ordering::SeqCst);
        }
        stage.came.lock().unwrap().push(format!("{} {}: {:?}", asked.method, asked.path, act.fault));
        if *edits > 0 && dice.chance(20) {
            *edits -= 1;
            let others = stage.others.lock().unwrap();
            let (step, text) = (dice.pick(&others).clone(), format!("theirs-{nth}-{edits}"));
            drop(others);
            let (direct, stage) = (direct.clone(), Arc::clone(&stage));
            act.before = Some(Box::new(move || {
                let mut theirs = stage.theirs.lock().unwrap();
                let (status, _) =
                    direct.ask("PUT", &format!("/projects/steps/{step}"), &json!({ "overlayText": text }));
                assert_eq!(status, 200);
                theirs.insert(step, text);
            }));
        }
        act
    })
}

/// What the screen asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asks {
    /// The plan is shown or has stopped: Enter goes on.
    Enter,
    /// Everything is saved.
    Closing,
    /// It is under way.
    Waiting,
    /// No plan is shown, and there are edits that are not saved.
    Unsaved,
    /// No plan is shown, and nothing is to be saved.
    Nothing,
}

/// What a screen asks for.
pub fn asks(rows: &[String]) -> Asks {
    let has = |words: &str| rows.iter().any(|row| row.contains(words));
    match () {
        () if has("⏎ close") => Asks::Closing,
        () if has("⏎ save all") || has("⏎ continue") => Asks::Enter,
        () if has("─ Save ") || has(" Save ─") || has("Checking for changes by others") => Asks::Waiting,
        () if has("not saved") => Asks::Unsaved,
        () => Asks::Nothing,
    }
}

/// Opens the project at the screen, after the studio was killed: it may begin where it was, with the draft or, where
/// everything was saved just before, without one.
fn opened_again(start: Start, name: &str) -> Studio {
    let mut studio = start.open();
    let has = |rows: &[String], words: &str| rows.iter().any(|row| row.contains(words));
    let in_project = |rows: &[String]| has(rows, "draft: ") || has(rows, " steps · ");
    studio.until("the store, the projects, or the project", |rows| {
        has(rows, "274 products") || has(rows, " projects in ") || in_project(rows)
    });
    if in_project(&studio.rows()) {
        return studio;
    }
    // The list may have been the last place that was kept.
    studio.keys("1");
    walked(studio, name)
}

/// Opens the project at the screen.
fn opened(start: Start, name: &str) -> Studio {
    walked(start.open(), name)
}

fn walked(mut studio: Studio, name: &str) -> Studio {
    studio.shows("274 products").keys("2").shows(name).keys("/").keys(name).shows(&format!("/ {name}")).keys("\r");
    let words = name.to_owned();
    studio.until("the project, selected", |rows| rows.iter().any(|row| row.starts_with("│▌") && row.contains(&words)));
    studio.keys("\r").shows(" steps · ");
    studio
}

/// One save; what is wrong with what came of it.
fn save(served: &Served, nth: usize, mut dice: Dice, faults: &AtomicUsize, kills: &AtomicUsize) -> Vec<String> {
    let direct = direct(served);
    let name = format!("Screen-{nth}x");
    let texts: Vec<String> = (0..3).map(|at| format!("base-{nth}-{at}")).collect();
    let (project, steps) = direct.project(&name, &texts);
    let most = (1 + dice.below(4), dice.below(3));
    let stage = Arc::new(Stage {
        armed: AtomicBool::new(false),
        writes: AtomicUsize::new(0),
        left: Mutex::new((Dice(u64::try_from(dice.below(1 << 30)).unwrap()), most.0, most.1)),
        others: Mutex::default(),
        theirs: Mutex::default(),
        faults: AtomicUsize::new(0),
        came: Mutex::default(),
    });
    let proxy = spoiling(&direct, &stage, nth);
    let start = Start::new().arguments(&["--base-url", &proxy.base, "--app-url", served.store()]);
    let start = start.with("CUTAWAY_API_KEY", served.key());
    let mut again = start.again_with_arguments().with("CUTAWAY_API_KEY", served.key());

    let mut studio = opened(start, &name);
    let (mine, added) = (format!("mine-{nth}"), format!("added-{nth}"));
    studio.keys("\r").shows("Internal note").keys("\t").keys(&mine).shows(&mine).keys("\x1b");
    studio.shows("draft: 1 edit not saved");
    // Which of them was selected is up to the picture of the steps.
    let whole = |at: usize| format!("base-{nth}-{at}{mine}");
    let edited = |rows: &[String]| (0..steps.len()).find(|at| rows.iter().any(|row| row.contains(&whole(*at))));
    studio.until("the edited text", |rows| edited(rows).is_some());
    let edited = edited(&studio.rows()).unwrap();
    let others = steps.iter().enumerate().filter(|(at, _)| *at != edited).map(|(_, id)| id.clone());
    *stage.others.lock().unwrap() = others.collect();
    studio.keys("n").shows("4 steps").keys("\r").shows("Internal note").keys(&added).shows(&added);
    studio.keys("\x1b").until("everything on the disk", |rows| rows.iter().any(|row| row.contains("not saved ─")));
    stage.armed.store(true, Ordering::SeqCst);
    let mut kill_at = dice.chance(50).then(|| 1 + dice.below(3));
    let began = Instant::now();
    loop {
        if began.elapsed() > HANGS {
            return vec![format!("it hangs:\n{}", studio.rows().join("\n"))];
        }
        if kill_at.is_some_and(|at| stage.writes.load(Ordering::SeqCst) >= at) {
            kill_at = None;
            kills.fetch_add(1, Ordering::SeqCst);
            studio.signal(Signal::KILL);
            drop(studio.ended());
            stage.armed.store(false, Ordering::SeqCst);
            let next = again.again_with_arguments().with("CUTAWAY_API_KEY", served.key());
            studio = opened_again(std::mem::replace(&mut again, next), &name);
            stage.armed.store(true, Ordering::SeqCst);
            continue;
        }
        match asks(&studio.rows()) {
            Asks::Enter => drop(studio.keys("\r")),
            Asks::Unsaved => drop(studio.keys("S")),
            Asks::Closing | Asks::Nothing => break,
            Asks::Waiting => {}
        }
        // What is shown after the key, or what comes of what is under way.
        studio.changes(Duration::from_millis(500));
    }
    stage.armed.store(false, Ordering::SeqCst);
    studio.signal(Signal::KILL);
    drop(studio.ended());
    proxy.settle();
    faults.fetch_add(stage.faults.load(Ordering::SeqCst), Ordering::SeqCst);

    let now = direct.get(&format!("/projects/{project}"));
    let told = now["steps"].as_array().unwrap();
    let step = |id: &str| told.iter().find(|step| step["id"] == id).map(|step| step["overlayText"].to_string());
    let mut wrong = Vec::new();
    if !step(&steps[edited]).is_some_and(|text| text.contains(&mine)) {
        wrong.push(format!("{mine} is lost: {now}"));
    }
    let times = told.iter().filter(|step| step["description"].to_string().contains(&added)).count();
    if times != 1 || told.len() != 4 {
        wrong.push(format!("{added} is there {times} times, of {} steps: {now}", told.len()));
    }
    if !wrong.is_empty() {
        wrong.push(stage.came.lock().unwrap().join("\n"));
    }
    for (id, text) in stage.theirs.lock().unwrap().iter() {
        if !step(id).is_some_and(|told| told.contains(text.as_str())) {
            wrong.push(format!("{text} was overwritten: {now}"));
        }
    }
    wrong
}

#[test]
fn random_saves_at_the_screen_double_nothing_lose_nothing_and_overwrite_nothing() {
    let served = Served::start();
    let (seed, saves) = (seed("saves at the screen"), count("CUTAWAY_FAULTS_SCREENS", 4));
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let (faults, kills) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let nth = next.fetch_add(1, Ordering::SeqCst);
                    if nth >= saves {
                        return;
                    }
                    let own = seed.wrapping_add(u64::try_from(nth).unwrap().wrapping_mul(7_919));
                    for why in save(&served, nth, Dice(own), &faults, &kills) {
                        wrong.lock().unwrap().push(format!("save {nth}: {why}"));
                    }
                }
            });
        }
    });
    let (faults, kills) = (faults.into_inner(), kills.into_inner());
    let wrong = wrong.into_inner().unwrap();
    eprintln!("{saves} saves at the screen with {faults} faults and {kills} kills, {} wrong", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
