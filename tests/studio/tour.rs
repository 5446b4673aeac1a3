//! A tour with nothing known beforehand: a key is pressed only after the screen named it, in its last line or in help.
//!
//! From a first start to a project that was created, edited, wired, played and saved, at each of the usual sizes. Where a
//! key that is needed is named nowhere, the tour ends there, and that is a fault of the program.

use crate::terminal::{Start, Studio};

/// Someone who reads the last line and help, and types only what these name, or text where text is asked for.
struct Newcomer {
    studio: Studio,
    /// What was pressed and what for, for the message of a failure.
    pressed: Vec<String>,
}

impl Newcomer {
    fn of(start: Start) -> Self {
        let mut studio = start.with("CUTAWAY_FRESH", "1").open();
        studio.shows("274 products").shows("Fjell wool sock").shows("? help");
        Self { studio, pressed: Vec::new() }
    }

    /// The keys and words of the last line.
    fn hints(&self) -> Vec<(String, String)> {
        let rows = self.studio.rows();
        let line = rows.last().cloned().unwrap_or_default();
        let hints = line.split("  ").filter_map(|hint| hint.trim().split_once(' '));
        hints.map(|(key, words)| (key.to_owned(), words.to_owned())).collect()
    }

    /// Presses the key that the last line names with these words.
    fn hint(&mut self, words: &str) -> &mut Self {
        let of = words.to_owned();
        // The last line follows what has the keys a frame later.
        self.studio.until(&format!("a hint {words:?}"), move |rows| {
            let of_hint = |hint: &str| hint.trim().split_once(' ').is_some_and(|(_, words)| words == of);
            rows.last().is_some_and(|line| line.split("  ").any(of_hint))
        });
        let hints = self.hints();
        let named = hints.iter().find(|(_, named)| named == words);
        let key = named.unwrap_or_else(|| panic!("{words:?} is not among {hints:?}")).0.clone();
        self.press(&key, words)
    }

    /// Looks a command up in help, of which words are known as one would say them, and presses its key.
    fn look_up(&mut self, about: &str) -> &mut Self {
        self.hint("help");
        self.studio.shows("type to search");
        self.studio.keys(about);
        // What lies beside help is not read: its rows are between its edges.
        let row_of = |rows: &[String], words: &str| -> Option<String> {
            let parts = rows.iter().flat_map(|row| row.split('│'));
            parts.filter(|part| !part.contains('❯')).find(|part| part.contains(words)).map(str::to_owned)
        };
        let words = about.to_owned();
        self.studio.until(&format!("help on {about:?}"), move |rows| {
            let typed = rows.iter().any(|row| row.contains('❯') && row.contains(&words));
            typed && row_of(rows, &words).is_some()
        });
        let row = row_of(&self.studio.rows(), about).unwrap();
        let key = row.split_whitespace().next().unwrap().to_owned();
        self.hint("close");
        self.studio.hides("╭ Help");
        self.press(&key, about)
    }

    fn press(&mut self, key: &str, what_for: &str) -> &mut Self {
        self.pressed.push(format!("{key} ({what_for})"));
        let bytes = match key {
            "⏎" => "\r",
            "Esc" => "\x1b",
            "Tab" => "\t",
            "F1" => "\x1bOP",
            "Space" | "␣" => " ",
            "→" => "\x1b[C",
            "←" => "\x1b[D",
            "1-9" => "1",
            "Ctrl-C" => "\x03",
            one if one.chars().count() == 1 => one,
            other => panic!("{other:?} is no key that a newcomer can read; so far: {:?}", self.pressed),
        };
        self.studio.keys(bytes);
        self
    }

    /// Types where a text is asked for.
    fn types(&mut self, text: &str) -> &mut Self {
        self.studio.keys(text).shows(text);
        self
    }

    fn sees(&mut self, words: &str) -> &mut Self {
        self.studio.shows(words);
        self
    }
}

/// The tour, where nothing is known but the sample store.
pub fn tour(start: Start) {
    let mut guest = Newcomer::of(start);
    guest.look_up("Show the projects, or the one that is open").sees("6 projects in 2 folders");
    guest.hint("new").sees("Name of the new project").types("Autumn").hint("done").sees("7 projects");
    guest.studio.until("the new project is selected", |rows| {
        rows.iter().any(|row| row.starts_with("│▌") && row.contains("Autumn"))
    });
    guest.hint("open").sees("This project has no steps yet");
    guest.hint("new step").sees("1 edit not saved");
    guest.hint("edit").sees("Internal note").types("Welcome").hint("next field").types("Who is it for?");
    guest.hint("close").sees("3 edits not saved");
    guest.hint("add answer").types("For her").hint("done").sees("1 answer");
    guest.hint("wire").hint("new step").sees("2 steps");
    guest.look_up("Choose the step's video from the library").sees("Welcome to Nordlys").hint("choose");
    guest.studio.hides("Welcome to Nordlys").shows("6 edits not saved");
    guest.look_up("Play the project as a viewer does, from its first step").sees("Who is it for?");
    guest.hint("answer").sees("1 of 1 answers played");
    guest.hint("stop");
    guest.look_up("Show what will be written to the service, then save").hint("save all");
    guest.sees("All changes saved").hint("close").sees("2 steps");
    guest.studio.until("nothing left to save", |rows| !rows.iter().any(|row| row.contains("not saved")));

    let listed = guest.studio.beside(&["projects", "list", "--json"]);
    let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
    let autumn = listed["projects"].as_array().unwrap().iter().find(|project| project["name"] == "Autumn").unwrap();
    let shown = guest.studio.beside(&["projects", "show", autumn["id"].as_str().unwrap(), "--json"]);
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    let steps = shown["steps"].as_array().unwrap();
    let first = steps.iter().find(|step| step["overlayText"] == "Who is it for?").expect("the step that was edited");
    let next = first["answers"][0]["next"].as_str().unwrap();
    let second = steps.iter().find(|step| step["name"] == next || step["id"] == next).expect("the step it leads to");
    // The service leaves zeros out at the end of a time, so that texts don't compare.
    let made = |step: &serde_json::Value| step["createdAt"].as_str().unwrap().parse::<jiff::Timestamp>().unwrap();
    assert!(made(first) < made(second), "the first step is what viewers see first: {shown}");
    assert!(second["videoId"].as_str().is_some_and(|video| !video.is_empty()), "{second}; {:?}", guest.pressed);

    guest.look_up("Quit Cutaway.");
    let ended = guest.studio.ended();
    assert!(ended.status.success(), "{:?}", ended.status);
    ended.is_restored();
}

#[test]
fn a_newcomer_gets_from_the_first_start_to_a_saved_project_in_the_least_of_the_usual_sizes() {
    tour(Start::new().size(80, 24));
}

#[test]
fn a_newcomer_gets_from_the_first_start_to_a_saved_project_in_the_middle_size() {
    tour(Start::new().size(120, 40));
}

#[test]
fn a_newcomer_gets_from_the_first_start_to_a_saved_project_in_the_largest_of_the_usual_sizes() {
    tour(Start::new().size(200, 60));
}
