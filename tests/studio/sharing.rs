//! Over the shoulder: two real processes in two terminals, one of which shows its studio to the other.

use crate::terminal::{Start, Studio};

/// What belongs to a person, or is a key: nobody who watches may see any of it.
const PLANTED: [&str; 3] = ["anna.berg@example.com", "+47 22 33 44 55", "ctw_8Kd2mQ91xLp4Zr7T"];

/// Runs a command of the studio by its title.
fn command(studio: &mut Studio, title: &str) {
    studio.keys(":").shows("Commands").keys(title).until(title, |rows| rows.iter().any(|row| row.contains(title)));
    studio.keys("\r");
}

/// Shares a studio; the code.
fn shares(studio: &mut Studio) -> String {
    command(studio, "Share this studio");
    studio.shows("cutaway join ");
    let rows = studio.rows();
    let row = rows.iter().find(|row| row.contains("cutaway join ")).unwrap();
    row.split("cutaway join ").nth(1).unwrap().chars().take(14).collect()
}

fn opened() -> (Start, Studio) {
    let start = Start::new().with("CUTAWAY_FRESH", "1");
    let again = start.again();
    let mut owner = start.open();
    owner.shows("274 products").until("nothing is shared", |rows| !rows[0].contains("shared"));
    (again, owner)
}

fn joins(start: &Start, code: &str) -> Studio {
    start.again().size(100, 30).with("USER", "bo").arguments(&["join", code]).open()
}

#[test]
fn a_studio_is_watched_and_nothing_of_a_person_is_seen() {
    let (start, mut owner) = opened();
    let name = format!("Ask {} {} {}", PLANTED[0], PLANTED[1], PLANTED[2]);
    owner.beside(&["projects", "create", &name]);
    let code = shares(&mut owner);
    owner.until("it is said", |rows| rows[0].contains("shared: nobody yet"));
    // As people say it.
    let mut watcher = joins(&start, &code.to_lowercase().replace('-', ""));
    // What passes is looked for first.
    owner.shows("bo is now watching this studio").until("it is said", |rows| rows[0].contains("shared: bo"));
    watcher.until("it is said", |rows| rows[0].contains("watching")).shows("Fjell wool sock").shows("q leave");
    owner.hides("cutaway join ");

    // In a size of their own, and read-only.
    owner.keys("2").shows("Gift finder").shows(PLANTED[0]);
    watcher.shows("Gift finder").shows("Ask •");
    watcher.keys("3x").resize(120, 35);
    watcher.until("all of it", |rows| rows.len() == 35 && rows[34].contains("leave")).shows("Ask •");
    owner.shows("Gift finder");

    // What the owner types is hidden, too.
    owner.keys("/").keys("\x1b[200~find anna.berg@example.com\x1b[201~").shows("find anna.berg");
    watcher.shows("find •••••••••");
    owner.keys("\x1b\x1b").shows("Gift finder");
    watcher.shows("Gift finder");
    let written = watcher.since(0);
    for part in PLANTED.iter().flat_map(|planted| [*planted, &planted[..8], &planted[planted.len() - 8..]]) {
        assert!(!written.windows(part.len()).any(|window| window == part.as_bytes()), "{part} was seen");
    }

    // The code was used: it lets nobody else in.
    let second = joins(&start, &code).ended();
    assert_eq!(second.status.exit_code(), 4);
    assert!(String::from_utf8_lossy(&second.raw).contains("works once"));

    watcher.keys("q");
    owner.shows("bo stopped watching").until("nothing is shared", |rows| !rows[0].contains("shared"));
    let left = watcher.ended();
    assert!(left.status.success());
    left.is_restored();
    owner.quit();
}

#[test]
fn whoever_watches_points_and_has_the_keys_while_the_owner_leaves_them() {
    let (start, mut owner) = opened();
    let code = shares(&mut owner);
    let mut watcher = joins(&start, &code);
    watcher.shows("Fjell wool sock").shows("q leave");
    owner.keys("2").shows("Gift finder");
    watcher.shows("Gift finder");

    // A ring on what they mean, seen by both, each where it is on their own screen.
    let rows = watcher.rows();
    let y = rows.iter().position(|row| row.contains("Gift finder")).unwrap();
    let x = rows[y].split("Gift finder").next().unwrap().chars().count();
    watcher.keys(&format!("\x1b[<0;{};{}M\x1b[<0;{};{}m", x + 2, y + 1, x + 2, y + 1));
    watcher.shows("(Gift finder");
    owner.shows("(Gift finder");
    watcher.keys("\x1b[B").hides("(Gift finder)").until("a ring", |rows| rows.iter().any(|row| row.contains('(')));
    watcher.keys("\x1b").hides("(Gift finder)");

    // Without the keys nothing they press counts; with them it does, until the owner presses any.
    watcher.keys("k");
    owner.shows("bo asks for the keys");
    command(&mut owner, "Hand over keys");
    owner.until("it is said", |rows| rows[0].contains("bo has the keys"));
    watcher.until("it is said", |rows| rows[0].contains("you have the keys"));
    watcher.keys("1");
    owner.shows("274 products");
    // Quitting, files and the clipboard stay the owner's.
    watcher.keys("q");
    owner.shows("only the owner can do this");
    watcher.keys("2");
    owner.shows("Gift finder");
    owner.keys("1").shows("You have the keys again").shows("Gift finder");
    watcher.shows("q leave");

    // Ended at once by the owner.
    command(&mut owner, "Stop sharing");
    owner.shows("Sharing ended").until("nothing is shared", |rows| !rows[0].contains("shared"));
    let ended = watcher.ended();
    assert!(ended.status.success());
    ended.is_restored();
    assert!(String::from_utf8_lossy(&ended.raw).contains("The owner stopped sharing"));
    owner.quit();
}

#[test]
fn a_code_ends_with_the_studio() {
    let (start, mut owner) = opened();
    let code = shares(&mut owner);
    let mut watcher = joins(&start, &code);
    watcher.shows("q leave");
    owner.keys("\x1b");
    owner.quit();
    let ended = watcher.ended();
    assert!(ended.status.success());
    ended.is_restored();

    let (start, mut owner) = opened();
    let code = shares(&mut owner);
    owner.keys("\x1b");
    owner.quit();
    assert_eq!(joins(&start, &code).ended().status.exit_code(), 4);
    assert_eq!(joins(&start, "no code").ended().status.exit_code(), 2);
}
