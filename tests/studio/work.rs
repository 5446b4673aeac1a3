//! The main job: find and inspect products.

use rustix::process::Signal;
use serde_json::Value;

use crate::bytes::{BEGIN, END, frames};
use crate::service::Service;
use crate::terminal::{Start, Studio};

/// The rows of the list: what stands between the header and the panel's lower edge.
fn listed(rows: &[String]) -> Vec<&String> {
    let from = rows.iter().position(|row| row.contains("Title ")).map_or(rows.len(), |at| at + 1);
    rows[from..].iter().take_while(|row| !row.starts_with('╰')).filter(|row| row.len() > 20).collect()
}

fn selected(rows: &[String]) -> Option<&String> {
    rows.iter().find(|row| row.starts_with("│▌"))
}

/// A studio on the sample store, once it shows it.
fn sample(start: Start) -> Studio {
    let mut studio = start.open();
    studio.shows("274 products").shows("Fjell wool sock");
    studio
}

#[test]
fn a_first_start_to_an_opened_product_and_out_again() {
    let mut studio = Start::new().open();
    studio.shows("This is the local workspace, with a sample store").shows("? help");
    studio.shows("274 products").shows("nordlys-outdoor.example").shows("Fjell wool sock");

    studio.keys("/wool").shows("/ wool").shows("43 found");
    studio.until("only what matches, by its title or its tags", |rows| {
        let listed = listed(rows);
        listed.len() > 20 && listed.iter().any(|row| row.contains("Fjell wool sock")) && selected(rows).is_some()
    });
    studio.keys("\r").shows("/ search").keys("f").shows("Filters").shows("Stock from");
    // Down to the tags, chosen by typing a part; then the stock.
    studio.keys("\x1b[B\x1b[B\r").keys("wool\r").shows("tags: wool");
    studio.keys("\x1b[B\x1b[B50").shows("stock").shows("26 found");
    studio.keys("\x1b").hides("Filters");

    studio.keys("\r").shows("Overview").shows("Product ID");
    studio.keys("]").shows("SKU").keys("]]").shows("Options").keys("]]]").shows("externalProductId: \"");
    studio.keys("\x1b").hides("Overview");
    // Without filters and search all is back.
    studio.keys("F").shows("274 products").hides("/ wool");
    studio.quit();
}

#[test]
fn any_size_is_survived() {
    let mut studio = sample(Start::new().size(80, 24));
    studio.keys("\r").shows("Overview");
    studio.resize(120, 40).shows("Overview").shows("Cutaway").shows("5 Account");
    studio.until("all forty rows", |rows| rows[39].contains("commands"));
    studio.resize(41, 11).until("eleven rows", |rows| rows[10].contains("commands"));
    studio.resize(30, 5).shows("Enlarge the window");
    studio.resize(1, 1);
    // One cell says nothing that could be waited for: the key has to get through all the same.
    studio.keys("\x1b").resize(120, 40).shows("274 products").hides("Overview");
    studio.quit();
}

/// The titles of all products, as another process on the same service reads them.
fn titles(studio: &Studio) -> Vec<String> {
    let lines = studio.beside(&["products", "search", "--all", "--json"]);
    let title = |line: &str| serde_json::from_str::<Value>(line).unwrap()["title"].as_str().map(str::to_owned);
    lines.lines().filter_map(title).collect()
}

/// Presses End until the very last row is selected: each press goes to the last row that was read.
fn to_the_end(studio: &mut Studio, last: &str) {
    let mut shown = String::new();
    while !shown.contains(last) {
        studio.keys("\x1b[F");
        studio.until(last, |rows| selected(rows).is_some_and(|row| *row != shown));
        shown = selected(&studio.rows()).cloned().unwrap_or_default();
    }
}

fn to_the_start(studio: &mut Studio) {
    studio.keys("\x1b[H").until("the first row", |rows| listed(rows).first().is_some_and(|row| row.starts_with("│▌")));
}

#[test]
fn a_large_store_is_scrolled_over_its_pages() {
    let service = Service::of(2_000);
    let mut studio = service.studio().open();
    studio.shows("2,000 products").until("a full screen", |rows| listed(rows).len() > 30);
    let titles = titles(&studio);
    assert_eq!(titles.len(), 2_000);
    for _ in 0..4 {
        let before = selected(&studio.rows()).cloned();
        studio
            .keys("\x1b[6~")
            .until("the next screen", |rows| selected(rows).is_some_and(|row| Some(row) != before.as_ref()));
    }
    to_the_end(&mut studio, &titles[1_999]);
    studio.shows(&titles[1_990]);
    to_the_start(&mut studio);
    studio.shows(&titles[0]).shows(&titles[20]);
    studio.quit();
}

#[test]
fn each_key_is_one_frame_and_nothing_comes_between() {
    let mut studio = sample(Start::new());
    let titles = titles(&studio);
    // Settled: everything was read, and nothing is asked any more.
    to_the_end(&mut studio, titles.last().unwrap());
    to_the_start(&mut studio);
    studio.until("nothing in flight", |rows| !rows[0].contains('⇅'));
    let from = studio.written();
    for _ in 0..5 {
        studio.keys("?").shows("Help").keys("\x1b").hides("Help");
        studio.keys(":").shows("Commands").keys("\x1b").hides("Commands");
    }
    let written = studio.since(from);
    assert_eq!(frames(&written).len(), 20, "one frame a key");
    assert!(written.starts_with(BEGIN) && written.ends_with(END), "and nothing beside them");
    studio.quit();
}

#[test]
fn a_signal_ends_it_and_the_terminal_is_as_it_was() {
    for signal in [Signal::TERM, Signal::HUP, Signal::INT] {
        let mut studio = sample(Start::new());
        studio.bytes(b"\x1b[?0u\x1b[?62c").signal(signal);
        let ended = studio.ended();
        assert!(ended.status.success(), "{signal:?}: {:?}", ended.status);
        ended.is_restored();
    }
}

#[test]
fn the_shell_has_the_terminal_while_it_is_suspended() {
    // A shell with job control: only under one is a process stopped by Ctrl-Z.
    let script = r#"set -m; "$0"; echo "back in the shell: $?"; read -r go; fg >/dev/null; echo "ended: $?""#;
    let mut studio = sample(Start::new().through(&["sh", "-c", script]));
    studio.keys("\x1a").shows("back in the shell");
    let from = studio.written();
    studio.keys("go\r").writes(from, b"\x1b[?1049h").shows("274 products").shows("Fjell wool sock");
    studio.keys("/wool").shows("43 found").keys("\rq");
    let ended = studio.ended();
    assert!(ended.screen.contents().contains("ended: 0"), "{}", ended.screen.contents());
    ended.is_restored();
}

#[test]
fn searches_and_the_way_the_list_is_shown_are_there_again() {
    let start = Start::new();
    let again = start.again();
    let mut studio = start.open();
    studio.shows("274 products").keys("/wool").shows("found").keys("\r").keys("S").shows("Save this search as");
    studio.keys(" for winter\r").shows("Saved as wool for winter");
    studio.keys("\x1b").shows("274 products").keys("/axe").hides("274 products").shows("found").keys("\r");
    studio.quit();
    let mut studio = again.open();
    studio.shows("Restored your last search: axe").shows("/ axe").keys("b").shows("wool for winter");
    studio.keys("winter\r").shows("/ wool");
    studio.quit();
}

#[test]
fn a_theme_is_read_again_when_it_is_saved() {
    let start = Start::new()
        .with("COLORTERM", "truecolor")
        .with("CUTAWAY_THEME", "mine")
        .configured("themes/mine.toml", "[roles]\naccent = \"#010203\"\n");
    let file = start.home().join("config/cutaway/themes/mine.toml");
    let mut studio = start.open();
    studio.shows("274 products");
    let before = studio.written();
    std::fs::write(file, "[roles]\naccent = \"#fa0102\"\n").unwrap();
    studio.writes(before, b"38;2;250;1;2");
    studio.quit();
}

#[test]
fn all_found_are_marked_exported_and_read_back() {
    let mut studio = Start::new().open();
    studio.shows("274 products").keys("a").shows("274 selected").shows("274 selected");
    // A search that finds a few of them takes no mark away.
    studio.keys("/wool").shows("43 found").keys("\r").shows("274 selected");
    studio.keys("e").shows("274 selected as CSV").keys("274 selected as NDJSON\r").shows("Export to file").keys("\r");
    studio.shows("Exported 274 products");
    let file = std::fs::read_to_string(studio.home().join("products.ndjson")).unwrap();
    let mut ids: Vec<String> = file
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["externalProductId"].to_string())
        .collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 274);
    // The same name once more is refused, and nothing is lost.
    studio.keys("e").shows("274 selected as CSV").keys("274 selected as NDJSON\r").shows("Export to file").keys("\r");
    studio.shows("already exists");
    studio.quit();
}

#[test]
fn the_sixteen_colours_and_none_are_what_is_written() {
    let mut studio = Start::new().with("TERM", "xterm-16color").configured("config.toml", "theme = \"ansi\"\n").open();
    studio.shows("274 products").keys("\r").shows("NOK 149");
    let ended = studio.quit();
    let text = String::from_utf8_lossy(&ended.raw).into_owned();
    for colour in ["\x1b[33m", "\x1b[36m", "38;5;3m", "38;5;6m"] {
        assert!(!text.contains(colour), "{colour:?} can't be read on white");
    }
    let mut studio = Start::new().configured("config.toml", "theme = \"monochrome\"\npictures = \"off\"\n").open();
    studio.shows("274 products").keys("\r").shows("NOK 149").keys("]").shows("SKU");
    let screen = studio.screen();
    for (row, column) in (0..40).flat_map(|row| (0..120).map(move |column| (row, column))) {
        let cell = screen.cell(row, column).unwrap();
        assert_eq!((cell.fgcolor(), cell.bgcolor()), (vt100::Color::Default, vt100::Color::Default));
    }
    studio.quit();
}
