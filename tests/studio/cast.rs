//! The cast of the first chapter, recorded from the running program, and the film that is drawn from it for the book. Each
//! screen that was recorded comes again, or `UPDATE_DOCS=1` records and draws them again. Between two screens lies a time that is
//! written here, whatever it took.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::num::NonZero;
use std::time::Duration;

use serde_json::{Value, json};
use vt100::{Parser, Screen};

use crate::picture::{BACKGROUND, CELL, draw_row, lasting};
use crate::terminal::{Start, Studio};

const CAST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/first-ten-minutes.cast");
const FILM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/first-ten-minutes.svg");
const STALE: &str = "is out of date: UPDATE_DOCS=1 cargo test --test studio cast";

/// Columns and rows.
const SIZE: (u16, u16) = (100, 28);

/// Tenths of a second that a letter, an action and something to be read are on the screen.
const LETTER: u32 = 1;
const ACTION: u32 = 12;
const READ: u32 = 25;

#[test]
fn the_cast_of_the_first_chapter_is_of_today() {
    let mut take = Take::begin();
    take.press("", READ).press("/", ACTION).types("wool", READ).press("\r", ACTION).press("\r", READ).press("]", READ);
    take.press("\x1b", ACTION).press("2", READ);
    // What is shown of the new project for a moment is an address that is another one each time.
    take.press("n", ACTION).types("Socks", ACTION).unseen("\r", "no steps yet; Enter").press("\r", READ);
    take.press("n", ACTION)
        .press("\r", ACTION)
        .types("Say hello", ACTION)
        .press("\t", ACTION)
        .types("For whom?", ACTION);
    take.press("\x1b", ACTION).press("V", ACTION).types("Welc", ACTION).press("\r", READ);
    take.press("a", ACTION)
        .types("For me", ACTION)
        .press("\r", ACTION)
        .press("a", ACTION)
        .types("A present", ACTION)
        .press("\r", ACTION)
        .press("w", READ)
        .press("n", READ);
    take.press("V", ACTION).types("Welc", ACTION).press("\r", READ);
    take.press("p", READ).press("2", READ).press("\x1b", ACTION).press("S", READ).press("\r", READ);
    take.end();
}

/// A screen of the cast, and how many tenths of a second after the beginning it comes.
struct Frame {
    at: u32,
    screen: Screen,
}

struct Take {
    studio: Studio,
    /// What was recorded; nothing where it is recorded again.
    recorded: Option<Vec<Frame>>,
    frames: Vec<Frame>,
    /// When the next screen comes.
    at: u32,
}

impl Take {
    fn begin() -> Self {
        let recorded = std::env::var_os("UPDATE_DOCS").is_none().then(|| {
            let cast = std::fs::read_to_string(CAST).unwrap();
            frames(&cast)
        });
        let start = Start::new().size(SIZE.0, SIZE.1).with("COLORTERM", "truecolor");
        let mut studio = start.configured("config.toml", "pictures = \"off\"\n").open();
        studio.shows("274 products").shows("Fjell wool sock");
        Self { studio, recorded, frames: Vec::new(), at: 0 }
    }

    /// Presses a key; what is shown then stays for so many tenths of a second.
    fn press(&mut self, keys: &str, tenths: u32) -> &mut Self {
        self.studio.keys(keys);
        let number = self.frames.len();
        match &self.recorded {
            Some(recorded) => {
                let frame = recorded.get(number).unwrap_or_else(|| panic!("{CAST} {STALE}: it has {number} screens"));
                let before = what_lasts(&frame.screen);
                let what = format!("screen {number} of {CAST}, which {STALE}:\n{}", before.join("\n"));
                self.studio.until_screen(&what, |screen| what_lasts(screen) == before);
            }
            // It is quiet when everything that the key led to is there.
            None => loop {
                let before = self.studio.written();
                self.studio.changes(Duration::from_millis(800));
                if self.studio.written() == before {
                    break;
                }
            },
        }
        self.frames.push(Frame { at: self.at, screen: self.studio.screen() });
        self.at += tenths;
        self
    }

    /// Types a text letter by letter.
    fn types(&mut self, text: &str, tenths: u32) -> &mut Self {
        for letter in text.chars() {
            self.press(&letter.to_string(), LETTER);
        }
        self.at = self.at - LETTER + tenths;
        self
    }

    /// Presses a key and leaves out what is shown then.
    fn unseen(&mut self, keys: &str, words: &str) -> &mut Self {
        self.studio.keys(keys).shows(words);
        self
    }

    fn end(mut self) {
        let ended = self.frames.len();
        if let Some(recorded) = &self.recorded {
            assert_eq!(recorded.len(), ended, "{CAST} {STALE}");
            let drawn = std::fs::read_to_string(FILM).unwrap();
            assert!(drawn == film(recorded), "{FILM} {STALE}");
        } else {
            let cast = cast(&self.frames, self.at);
            std::fs::write(FILM, film(&frames(&cast))).unwrap();
            std::fs::write(CAST, cast).unwrap();
        }
        self.studio.keys("\r").hides("All changes saved");
        self.studio.quit();
    }
}

/// What a screen says that it says each time. The row before the last has notices, which go by themselves.
fn what_lasts(screen: &Screen) -> Vec<String> {
    let rows: Vec<String> = screen.rows(0, SIZE.0).collect();
    let is_notice = |at: usize| at + 2 == rows.len();
    rows.iter().enumerate().filter(|(at, _)| !is_notice(*at)).map(|(_, row)| without_ids(&lasting(row))).collect()
}

/// Ids are others each time, and so are the names that the service gives to steps.
fn without_ids(row: &str) -> String {
    let is_id = |word: &str| word.len() == 36 && word.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
    let is_name = |before: &str, word: &str| before == "step" && word.len() == 6 && word.ends_with(':');
    let words: Vec<&str> = row.split(' ').collect();
    let before = std::iter::once("").chain(words.iter().copied());
    let kept = before.zip(&words).filter(|(before, word)| !is_id(word) && !is_name(before, word));
    kept.map(|(_, word)| *word).collect::<Vec<_>>().join(" ")
}

/// The cast as asciinema writes it, in its second version: a head, then what was written when.
fn cast(frames: &[Frame], end: u32) -> String {
    let head = json!({"version": 2, "width": SIZE.0, "height": SIZE.1, "title": "Cutaway: the first ten minutes"});
    let mut cast = format!("{head}\n");
    let empty = parser();
    let mut before = empty.screen();
    for frame in frames {
        let written = frame.screen.contents_diff(before);
        writeln!(cast, "{}", json!([seconds(frame.at), "o", written])).unwrap();
        before = &frame.screen;
    }
    writeln!(cast, "{}", json!([seconds(end), "o", ""])).unwrap();
    cast
}

fn seconds(tenths: u32) -> f64 {
    f64::from(tenths) / 10.0
}

fn parser() -> Parser {
    let cells = |cells| NonZero::new(cells).unwrap();
    Parser::new(cells(SIZE.1), cells(SIZE.0), 0)
}

/// The screens of a cast, but for the last event, which is its end.
fn frames(cast: &str) -> Vec<Frame> {
    let mut lines = cast.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let head = lines.next().unwrap();
    assert_eq!((&head["version"], head.get("timestamp")), (&json!(2), None));
    let mut parser = parser();
    let mut frames: Vec<Frame> = lines
        .map(|event| {
            parser.process(event[2].as_str().unwrap().as_bytes());
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // A cast runs for minutes.
            let at = (event[0].as_f64().unwrap() * 10.0).round() as u32;
            Frame { at, screen: parser.screen().clone() }
        })
        .collect();
    frames.push(Frame { at: frames.last().unwrap().at, screen: parser.screen().clone() });
    frames.truncate(frames.len() - 2);
    frames
}

/// The film: all screens side by side, of which one is seen at a time. It needs no script, and stands still at its end for
/// those who asked for less motion. Rows that are the same are drawn once.
fn film(frames: &[Frame]) -> String {
    let (width, height) = (f32::from(SIZE.0) * CELL.0 + 24.0, f32::from(SIZE.1) * CELL.1 + 24.0);
    let place = |number: usize| f32::from(u16::try_from(number).unwrap()) * width;
    let end = frames.last().map_or(0, |frame| frame.at) + 40;
    let (mut rows, mut drawn) = (HashMap::new(), String::new());
    let (mut strip, mut moves) = (String::new(), String::new());
    for (number, frame) in frames.iter().enumerate() {
        let share = f64::from(frame.at) * 100.0 / f64::from(end);
        writeln!(moves, "{share:.3}%{{transform:translateX({:.1}px)}}", -place(number)).unwrap();
        writeln!(strip, "<g transform=\"translate({:.1} 12)\">", place(number) + 12.0).unwrap();
        for row in 0..SIZE.1 {
            let mut shown = String::new();
            draw_row(&mut shown, &frame.screen, row, 0);
            if !shown.is_empty() {
                let next = rows.len();
                let id = *rows.entry(shown).or_insert_with_key(|shown| {
                    write!(drawn, "<g id=\"r{next}\">\n{shown}</g>\n").unwrap();
                    next
                });
                writeln!(strip, "<use href=\"#r{id}\" y=\"{}\"/>", f32::from(row) * CELL.1).unwrap();
            }
        }
        strip.push_str("</g>\n");
    }
    let last = place(frames.len().saturating_sub(1));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.1} {height:.1}\" font-size=\"14\" \
         font-family=\"ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace\">\n<style>\n\
         .film{{animation:film {}s steps(1,end) infinite}}\n\
         @media (prefers-reduced-motion:reduce){{.film{{animation:none;transform:translateX(-{last:.1}px)}}}}\n\
         @keyframes film{{\n{moves}}}\n</style>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"10\" fill=\"{BACKGROUND}\"/>\n\
         <defs>\n{drawn}</defs>\n<g class=\"film\">\n{strip}</g>\n</svg>\n",
        seconds(end)
    )
}
