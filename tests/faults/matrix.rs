//! Every operation with every fault, through the command line of the real binary.

use std::process::{Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use cutaway::api::{GetProjectByPost, Operation as _};

use crate::dice::{Dice, count, seed};
use crate::direct;
use crate::direct::Direct;
use crate::proxy::{Act, FAULTS, Fault, proxy};
use crate::serving::Served;
use crate::tries::{self, Hits, Stage, Tried, Wanted};

/// A command that takes longer than this hangs.
const HANGS: Duration = Duration::from_secs(150);

/// What came of a command, or nothing where it hangs.
fn ended(served: &Served, base: &str, command: &[String]) -> Option<Output> {
    let arguments: Vec<&str> = command.iter().map(String::as_str).collect();
    let mut child = served
        .command(&arguments)
        .env("CUTAWAY_BASE_URL", base)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Read beside, so that a full pipe holds nothing up.
    let mut out = child.stdout.take().unwrap();
    let reading = std::thread::spawn(move || {
        let mut read = Vec::new();
        let _ = std::io::Read::read_to_end(&mut out, &mut read);
        read
    });
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed() > HANGS {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut output = child.wait_with_output().unwrap();
    output.stdout = reading.join().unwrap();
    Some(output)
}

/// How often a fault happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// To the first request that it can happen to.
    Once,
    /// To each of them, however often it is tried again.
    Always,
}

/// Tries one operation with one fault; what is wrong with what came of it.
fn tried(
    served: &Served,
    direct: &Direct,
    operation: &Tried,
    (fault, holds): (Fault, Holds),
    stage: &Stage,
) -> Result<(), String> {
    let (hit, hits) = (AtomicBool::new(false), operation.hits);
    let by_post = matches!(hits, Hits::Operation(row) if row == GetProjectByPost::ROW);
    let proxy = proxy(served.base(), move |asked| -> Act {
        if by_post && asked.reads_project() {
            return Fault::NotAllowed.into();
        }
        let now = hits.hits(asked) && (!hit.swap(true, Ordering::SeqCst) || holds == Holds::Always);
        if now { fault.into() } else { Fault::None.into() }
    });
    let command = (operation.command)(stage);
    let Some(output) = ended(served, &proxy.base, &command) else { return Err("it hangs".to_owned()) };
    proxy.settle();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let code = output.status.code();
    if said.contains("panicked") || !code.is_some_and(|code| (0..=8).contains(&code)) {
        return Err(format!("it ended with {code:?}: {said}"));
    }
    let done = code == Some(0);
    if !done && holds == Holds::Once && fault.passes() && operation.is_repeated() && is_shown(operation) {
        return Err(format!("it isn't tried again; exit code {code:?}: {said}"));
    }
    match operation.wanted {
        Wanted::Nothing => {}
        Wanted::Shows(shows) => {
            let printed = String::from_utf8_lossy(&output.stdout);
            // What an answer lacks is said, or left out of what is printed as it came; another type may be read as a text.
            let is_empty_table = printed.lines().count() == 1 && printed.contains("  ");
            let told = fault.garbles() && (!said.trim().is_empty() || !is_empty_table);
            if done && !printed.contains(&shows(stage)) && !told {
                return Err(format!("exit code 0, and it is not shown: {printed:?} {said}"));
            }
        }
        Wanted::Once(times) => {
            let times = times(direct, stage);
            if times > 1 || (done && times == 0) {
                return Err(format!("{times} times there, exit code {code:?}: {said}"));
            }
        }
        Wanted::So(so) => {
            if done && !so(direct, stage) {
                return Err(format!("not done, exit code 0: {said}"));
            }
        }
    }
    Ok(())
}

/// Whether the command has nothing to find fault with but what goes wrong on the way.
fn is_shown(operation: &Tried) -> bool {
    matches!(operation.wanted, Wanted::Shows(_))
}

#[test]
fn every_operation_with_every_fault() {
    let served = Served::start();
    let direct = direct(&served);
    let product = served.json(&["products", "search", "wool", "--limit", "1"])["products"][0]["externalProductId"]
        .as_str()
        .unwrap()
        .to_owned();
    let mut dice = Dice(seed("every operation with every fault"));
    let operations = tries::all();
    let pairs = pairs(operations.len(), &mut dice);
    let all = pairs.len();
    // Every operation is among them.
    let pairs = &pairs[..count("CUTAWAY_FAULTS_PAIRS", 3 * operations.len()).min(all)];
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                while let Some((at, (fault, holds))) = pairs.get(next.fetch_add(1, Ordering::SeqCst)) {
                    // No token is the beginning of another: `Broken` and `BrokenAfter` are two.
                    let token = format!("t{at}x{fault:?}{holds:?}z");
                    let operation = &operations[*at];
                    let stage = operation.set(&served, &direct, &product, &token);
                    if let Err(why) = tried(&served, &direct, operation, (*fault, *holds), &stage) {
                        let command = (operation.command)(&stage);
                        wrong.lock().unwrap().push(format!("{command:?} with {fault:?} {holds:?}: {why}"));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    eprintln!(
        "{} of {all} pairs of {} commands and a fault, once or always, tried, {} wrong",
        pairs.len(),
        operations.len(),
        wrong.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every command with every fault, once and always, in an order in which each command comes by as soon as the others.
fn pairs(commands: usize, dice: &mut Dice) -> Vec<(usize, (Fault, Holds))> {
    let mut shuffled = Vec::new();
    for _ in 0..commands {
        let mut faults: Vec<(Fault, Holds)> =
            FAULTS.iter().flat_map(|fault| [(*fault, Holds::Once), (*fault, Holds::Always)]).collect();
        for at in (1..faults.len()).rev() {
            faults.swap(at, dice.below(at + 1));
        }
        shuffled.push(faults);
    }
    (0..2 * FAULTS.len())
        .flat_map(|nth| shuffled.iter().map(move |faults| faults[nth]).enumerate().collect::<Vec<_>>())
        .collect()
}
