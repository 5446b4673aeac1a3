//! Answers that fit: short, and of characters that any terminal and any screen reader takes.

use std::collections::VecDeque;

use crate::domain::text;

/// The most characters that an answer has, its line feeds among them.
pub const MOST: usize = 200;

/// What comes late has so much room, however much was said before it: enough to say that there is more.
pub const LEAST: usize = 40;

/// What an answer ends with that goes on.
const MORE: &str = "; more";

/// Signs that stand for keys and ways, in words.
const SIGNS: [(&str, &str); 9] = [
    ("↑↓", "Up/Down"),
    ("←→", "Left/Right"),
    (" → ", " to "),
    ("→", "Right"),
    ("←", "Left"),
    ("↑", "Up"),
    ("↓", "Down"),
    ("⏎", "Enter"),
    (" · ", "; "),
];

/// A text on one line, without controls, boxes, blocks, braille and doubled spaces.
pub fn plain(said: &str) -> String {
    let mut said = said.to_owned();
    for (sign, word) in SIGNS {
        if said.contains(sign) {
            said = said.replace(sign, word);
        }
    }
    let kept: String = text::line(&said).chars().map(|c| if is_drawn(c) { ' ' } else { c }).collect();
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a character is there to draw with: boxes, blocks, geometric shapes, braille.
fn is_drawn(c: char) -> bool {
    matches!(c, '\u{2500}'..='\u{25ff}' | '\u{2800}'..='\u{28ff}' | '\u{1fb00}'..='\u{1fbff}')
}

/// How many characters an answer has, its line feeds among them.
pub fn length(said: &[String]) -> usize {
    said.iter().map(|line| line.chars().count() + 1).sum()
}

/// Puts what is asked for behind what is current; where both have no room together, before the rest of that.
pub fn before(mut items: Vec<String>, asks: Option<String>) -> Vec<String> {
    let Some(asks) = asks else { return items };
    let room = MOST.saturating_sub(asks.chars().count() + MORE.len() + 2);
    let tail = match items.pop().map(|here| plain(&here)) {
        Some(here) if here.chars().count() > room => {
            let (head, tail) = cut(&here, room);
            items.push(head);
            Some(tail)
        }
        here => {
            items.extend(here);
            None
        }
    };
    items.push(asks);
    items.extend(tail);
    items
}

/// Takes an answer of so many characters from what is to be said; what has no room stays for the next.
pub fn answer(rest: &mut VecDeque<String>, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut used = 0;
    while let Some(next) = rest.pop_front() {
        let length = next.chars().count();
        // The last one needs no room for what goes on.
        let more = if rest.is_empty() { 0 } else { MORE.len() };
        if used + length + more <= most {
            used += length + 1;
            lines.push(next);
            continue;
        }
        // A line is only cut where it has no room in any answer.
        if lines.is_empty() {
            let (head, tail) = cut(&next, most.saturating_sub(MORE.len()).max(1));
            lines.push(head);
            rest.push_front(tail);
        } else {
            rest.push_front(next);
        }
        break;
    }
    if let Some(last) = lines.last_mut().filter(|_| !rest.is_empty()) {
        // A sentence's end, or what stands between two things, is not said twice.
        last.truncate(last.trim_end_matches([';', ',', '.', ':', ' ']).len());
        last.push_str(MORE);
    }
    lines
}

/// A text in two, where a word ends.
fn cut(line: &str, room: usize) -> (String, String) {
    let end = line.char_indices().nth(room).map_or(line.len(), |(at, _)| at);
    let (head, _) = line.split_at(end);
    let at = head.rfind(' ').filter(|at| *at > 0).unwrap_or(end);
    let (head, tail) = line.split_at(at);
    (head.trim_end().to_owned(), tail.trim_start().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_drawn_and_what_controls_is_not_said() {
        assert_eq!(plain("│ ● Wool\u{1b}[2J   sock ⠿ ─"), "Wool·[2J sock");
        assert_eq!(plain("Select an answer first (↑↓). a → b"), "Select an answer first (Up/Down). a to b");
    }

    #[test]
    fn an_answer_fits_and_what_follows_is_all_the_rest() {
        for length in [1, 5, 60, 150, 199, 200, 201, 450, 2_000] {
            let words = "wörd ".repeat(length);
            let all: String = words.chars().take(length).collect();
            let mut rest: VecDeque<String> = [all.trim_end().to_owned(), "and this".to_owned()].into();
            let mut said = Vec::new();
            while !rest.is_empty() {
                let lines = answer(&mut rest, MOST);
                assert!(!lines.is_empty() && lines.join("\n").chars().count() <= MOST, "{lines:?}");
                said.extend(lines.into_iter().map(|line| line.trim_end_matches(MORE).to_owned()));
            }
            let (said, all) = (said.join(" "), format!("{} and this", all.trim_end()));
            assert_eq!(said.split(' ').collect::<Vec<_>>(), all.split(' ').collect::<Vec<_>>());
        }
    }

    #[test]
    fn what_goes_on_ends_with_one_sign() {
        for end in [".", ";", "; ", ":", ""] {
            let mut rest: VecDeque<String> = [format!("Type quit{end}"), "x".repeat(195)].into();
            assert_eq!(answer(&mut rest, MOST), ["Type quit; more"], "{end:?}");
        }
        let mut rest: VecDeque<String> = [format!("{}; 1 of 4; {}", "x".repeat(180), "y".repeat(100))].into();
        assert!(answer(&mut rest, MOST)[0].ends_with("1 of 4; more"));
    }

    #[test]
    fn what_is_asked_for_is_in_the_first_answer() {
        let said = before(vec!["long ".repeat(60)], Some("Type the name; Esc cancels.".to_owned()));
        let first = answer(&mut said.into(), MOST);
        assert!(first.iter().any(|line| line.starts_with("Type the name")), "{first:?}");
    }

    #[test]
    fn a_word_that_is_longer_than_an_answer_is_cut() {
        let mut rest: VecDeque<String> = ["x".repeat(500)].into();
        let first = answer(&mut rest, MOST);
        assert_eq!(first.join("").chars().count(), MOST);
        assert_eq!(answer(&mut rest, MOST).len() + answer(&mut rest, MOST).len(), 2);
        assert!(rest.is_empty());
    }
}
