//! The tour of the README, key by key: what it promises is what one sees, and no key that it names is left out.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::Value;

use crate::terminal::{Start, Studio};

const README: &str = include_str!("../../README.md");

/// What the README says of its tour.
fn tour() -> &'static str {
    let begins = README.find("## See what it does").unwrap();
    README[begins..].split("\n## ").next().unwrap()
}

/// The keys that the steps of the tour name, in their order.
fn named() -> Vec<String> {
    let steps = tour().split("\n1. ").nth(1).unwrap().split("\n\n").next().unwrap();
    let mut keys = Vec::new();
    for (at, part) in steps.split('`').enumerate() {
        if at % 2 == 1 {
            // Not a key, but what the draft survives.
            keys.extend((part != "kill -9").then(|| part.to_owned()));
        } else {
            let words = part.split(|c: char| !c.is_alphanumeric());
            keys.extend(words.filter(|word| ["Enter", "Esc"].contains(word)).map(str::to_owned));
        }
    }
    keys
}

/// Somebody who presses what the README names.
struct Reader {
    studio: Studio,
    pressed: Vec<String>,
}

impl Reader {
    fn press(&mut self, key: &str) -> &mut Studio {
        self.pressed.push(key.to_owned());
        self.studio.keys(match key {
            "Enter" => "\r",
            "Esc" => "\x1b",
            "↓" => "\x1b[B",
            key => key,
        })
    }
}

/// A studio at its first start, with a program that is given the addresses to open.
fn start() -> Start {
    let start = Start::new().size(120, 40).with("CUTAWAY_FRESH", "1");
    let folder = start.home().join("bin");
    fs::create_dir_all(&folder).unwrap();
    let name = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    crate::programs::script(&folder.join(name), r#"echo "$1" > "$HOME/part" && mv "$HOME/part" "$HOME/opened""#);
    let path = format!("{}:/usr/bin:/bin", folder.display());
    start.with("DISPLAY", ":0").with("PATH", &path)
}

/// The address that was opened, once it was.
fn opened(path: &Path) -> String {
    let begun = Instant::now();
    loop {
        if let Ok(text) = fs::read_to_string(path) {
            return text.trim().to_owned();
        }
        assert!(begun.elapsed() < Duration::from_secs(90), "no address was opened");
        std::thread::yield_now();
    }
}

fn json(studio: &Studio, arguments: &[&str]) -> Value {
    serde_json::from_str(&studio.beside(arguments)).unwrap()
}

fn at(address: &str) -> Value {
    let asked = async { reqwest::get(address).await.unwrap().json().await.unwrap() };
    tokio::runtime::Runtime::new().unwrap().block_on(asked)
}

#[test]
fn the_tour_of_the_readme_ends_with_the_new_product_on_the_card() {
    let studio = start().open();
    let mut reader = Reader { studio, pressed: Vec::new() };
    reader.studio.shows("274 products");
    // 1: the quiz.
    reader.press("2").shows("6 projects in 2 folders").shows("Gift finder");
    reader.press("↓").shows("Hardanger belay jacket");
    reader.press("Enter").shows("1 problem");
    // 2: what viewers did, of a month.
    reader.press(";").shows("came to the end").shows("% of ");
    reader.press("|").shows("Paths that viewers took most").shows("other paths");
    // What they clicked and bought is below.
    reader.studio.keys("\x1b[6~\x1b[6~").shows("orders");
    reader.press("Esc").hides("Paths that viewers took most");
    // 3: the worst problem is said with the share of viewers who meet it.
    reader.press(".").shows("\"Hardanger belay jacket\", which is sold out").shows("% of viewers)");
    // 4 and 5: another product in its place, played.
    reader.press("m").shows("in place of").shows("Fjell wool liner");
    reader.press("Enter").shows("1 edit not saved").hides("1 problem");
    reader.press("p").shows("╭ Play");
    reader.press("Esc").hides("╭ Play");

    // Until it is saved the edit was only on this disk, also after it was killed.
    reader.studio.journal_holds("productId");
    let again = reader.studio.again();
    reader.studio.signal(Signal::KILL).is_gone();
    reader.studio = again.open();
    reader
        .studio
        .shows("274 products")
        .keys("2")
        .shows("Gift finder")
        .keys("/gift f")
        .shows("1 of 6 projects")
        .keys("\r\r");
    reader.studio.until("the quiz", |rows| rows.last().is_some_and(|last| last.contains("p play")));
    reader.studio.shows("1 edit not saved");

    // 6 and 7: saved, and on the card in a browser.
    reader.press("S").shows("save all");
    reader.press("Enter").shows("All changes saved");
    reader.press("o").shows("Opened.");
    assert_eq!(reader.pressed, named(), "the README names each key in its turn");
    let numbers = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    let count = numbers.get(reader.pressed.len()).map_or_else(|| reader.pressed.len().to_string(), |n| (*n).to_owned());
    assert!(tour().contains(&format!("in {count} keys")), "it takes {count}: {}", tour());

    let address = opened(&reader.studio.home().join("opened"));
    let card = at(&format!("{address}/steps/B1gGf/products"));
    let titles: Vec<&str> =
        card["products"].as_array().unwrap().iter().map(|product| product["title"].as_str().unwrap()).collect();
    assert_eq!(titles.len(), 2, "{card}");
    let is_new = titles.iter().any(|title| title.starts_with("Fjell wool"));
    assert!(is_new && !titles.contains(&"Hardanger belay jacket"), "{card}");

    // What is said beside the steps: a month of sample visits, and where keys are found.
    let listed = json(&reader.studio, &["projects", "list", "--json"]);
    let quiz = listed["projects"].as_array().unwrap().iter().find(|project| project["name"] == "Gift finder").unwrap();
    let funnel = json(&reader.studio, &["projects", "funnel", quiz["id"].as_str().unwrap(), "--json"]);
    let days = funnel["days"].as_array().unwrap();
    let day = |one: &Value| one["day"].as_str().unwrap().parse::<jiff::civil::Date>().unwrap();
    let span = day(&days[days.len() - 1]).since(day(&days[0])).unwrap().get_days() + 1;
    assert!((28..=31).contains(&span), "a month: {span} days");
    assert_eq!(funnel["sampleVisits"], funnel["visits"]);
    let last = reader.studio.rows().last().cloned().unwrap_or_default();
    assert!(last.contains("? help") && last.contains(": commands"), "the last line names keys: {last}");
    reader.press("?").shows("type to search");
    reader.press("Esc").hides("type to search");
    reader.press(":");
    reader.studio.keys("where viewers left").shows("Show funnel");
}

#[test]
fn the_commands_of_the_readme_are_the_program() {
    // `cargo run` starts the one binary that there is, which is the studio; the tests are here.
    assert!(README.contains("cargo run --release") && README.contains("cargo test "));
    let manifest = include_str!("../../Cargo.toml");
    assert_eq!(manifest.matches("[[bin]]").count().max(1), 1, "else `cargo run` has to be told which");
    let version = manifest.lines().find_map(|line| line.strip_prefix("rust-version = ")).unwrap().trim_matches('"');
    assert!(README.contains(&format!(" {version} or newer")), "{version}");
}
