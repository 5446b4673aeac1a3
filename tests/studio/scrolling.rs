//! What a key costs while pictures are scrolled past.

use std::time::{Duration, Instant};

use crate::bytes::END;
use crate::graphics::{ITERM, KITTY, PLAIN, SIXEL};
use crate::terminal::{Start, Studio};

/// Opens the list with pictures, or without.
fn listed(answers: &[u8], pictures: bool) -> Studio {
    let mut studio = Start::new().with("COLORTERM", "truecolor").open();
    studio.writes(0, b"\x1b[c").bytes(answers).shows("274 products").shows("Fjell wool sock");
    if pictures {
        studio.keys("i");
    }
    studio
}

/// How long each of so many keys takes until its frame is here whole.
fn answered(studio: &mut Studio, keys: usize) -> Vec<Duration> {
    let mut times = Vec::new();
    for _ in 0..keys {
        let (from, begun) = (studio.written(), Instant::now());
        studio.keys("j").until_written(from, "a frame", |written| written.windows(END.len()).any(|end| end == END));
        times.push(begun.elapsed());
        // As fast as a key repeats.
        std::thread::sleep(Duration::from_millis(33).saturating_sub(begun.elapsed()));
    }
    times
}

fn sixels(written: &[u8]) -> usize {
    written.windows(2).filter(|pair| pair == b"\x1bP").count()
}

#[test]
fn pictures_are_painted_once_a_list_that_moves_has_come_to_rest() {
    let mut studio = listed(SIXEL, true);
    studio.until_written(0, "a column of pictures", |written| sixels(written) >= 12);
    // Down the page, and so far on that none of the first ones is left; each key's frame is waited for.
    let before = studio.written();
    let (mut rests, mut last, mut rested) = (0, Instant::now(), before);
    for _ in 0..60 {
        let from = studio.written();
        studio.keys("j").until_written(from, "a frame", |written| written.windows(END.len()).any(|end| end == END));
        // Where the next key comes so late, on a machine that is busy, the list may have come to rest between the two.
        rests += usize::from(last.elapsed() > Duration::from_millis(40));
        last = Instant::now();
        rested = from;
    }
    // From the last key on: on a machine that is busy they come with its own frame.
    studio.until_written(rested, "the column that is seen", |written| sixels(written) >= 12);
    // Painted with every step they would be more than five hundred.
    let painted = sixels(&studio.since(before));
    assert!(painted < 250 + rests * 24, "{painted} pictures were painted, with {rests} rests");
    // What is on the screen stays: a key that moves nothing paints nothing.
    studio.keys("-").shows("Select the first");
    let from = studio.written();
    studio.keys("?").shows("Help").keys("\x1b").hides("Help");
    studio.until_written(from, "the pictures again", |written| sixels(written) > 0);
    studio.quit();
}

#[test]
#[ignore = "measures; run it by name on a machine that has nothing else to do"]
fn what_a_key_costs() {
    for (name, answers, pictures) in [
        ("none", PLAIN, false),
        ("half blocks", PLAIN, true),
        ("sixel", SIXEL, true),
        ("kitty", KITTY, true),
        ("iTerm2", ITERM, true),
        ("none", PLAIN, false),
    ] {
        let mut studio = listed(answers, pictures);
        let from = studio.written();
        let mut times = answered(&mut studio, 200);
        let bytes = (studio.written() - from) / 200;
        times.sort();
        println!(
            "{name:12} p50 {:>7.2?} p95 {:>7.2?} max {:>7.2?} {bytes:>7} bytes a key",
            times[100], times[190], times[199]
        );
        studio.quit();
    }
}
