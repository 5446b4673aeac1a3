//! Texts and sizes that nobody would wish for.

use ratatui::layout::Rect;

use super::{Stage, text};
use crate::domain::{Answer, Step, StepName, text::is_hostile};
use crate::graph::{Edge, Level};
use crate::studio::widgets::graph::{Hit, Marks, UploadMark, View};

fn wild() -> Vec<Step> {
    let texts = [
        "日本語のくつした日本語のくつした日本語",
        "👩‍👧 🧦🧦🧦🧦🧦🧦🧦🧦🧦🧦🧦🧦🧦🧦",
        "جوارب صوفية دافئة للشتاء الطويل",
        "a\u{1b}[31mred\u{202e}back\u{7}",
        "e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}",
        "",
    ];
    let long = "long ".repeat(20_000);
    (0..12)
        .map(|at| Step {
            name: Some(StepName::new(format!("{}{at}", texts[at % 6]))),
            description: Some(texts[(at + 1) % 6].to_owned()),
            overlay_text: Some(if at % 3 == 0 { long.clone() } else { texts[(at + 2) % 6].to_owned() }),
            answers: Some(
                (0..if at == 3 { 50 } else { at % 4 })
                    .map(|nth| Answer {
                        text: texts[(at + nth) % 6].to_owned(),
                        next: Some(match (at + nth) % 5 {
                            0 => "gone\u{1b}]0;x\u{7}".to_owned(),
                            nth => format!("{}{}", texts[(at + nth) % 6], (at + nth) % 12),
                        }),
                        ..Answer::default()
                    })
                    .collect(),
            ),
            ..Step::default()
        })
        .collect()
}

#[test]
fn whatever_steps_hold_the_screen_stays_whole() {
    for ascii in [false, true] {
        for level in Level::ALL {
            let mut stage = Stage::new(&wild(), 80, 24);
            stage.ascii = ascii;
            stage.zoom(level);
            stage.marks.hints = (0..12).map(|step| (step, "fj".to_owned())).collect();
            let words = "42 %\u{1b}[2J".to_owned();
            stage.marks.uploads.insert(2, UploadMark { words, stopped: false });
            let outline = stage.chart.outline();
            for x in (outline.x - 40..outline.right() + 40).step_by(3) {
                for y in (outline.y - 10..outline.bottom() + 10).step_by(7) {
                    let mut canvas = stage.canvas(3, Some(7));
                    canvas.view = View { x, y };
                    canvas.wire = Some(Edge { from: 3, port: 2, to: 0 });
                    let buf = stage.draw(&canvas);
                    let shown = text(&buf);
                    assert!(!shown.chars().any(|c| is_hostile(c) && c != '\n'));
                    assert!(!ascii || shown.is_ascii(), "{shown}");
                }
            }
        }
    }
}

#[test]
fn any_area_will_do() {
    for (width, height) in [(0, 0), (1, 1), (3, 2), (40, 1), (1, 40), (60, 17)] {
        let mut stage = Stage::new(&wild(), 60, 17);
        stage.area = Rect { x: 2, y: 1, width, height };
        let canvas = stage.canvas(3, Some(1));
        stage.draw(&canvas);
        assert!(matches!(canvas.hit(stage.area, 0, 0), Hit::Nothing));
        let _ = (canvas.hints(stage.area), canvas.view.moved(1_000_000, -1_000_000, &stage.chart, stage.area));
    }
    let empty = Stage::new(&[], 80, 24);
    let canvas = empty.canvas(0, None);
    assert_eq!(empty.shown(&canvas).trim(), "");
    assert_eq!(Marks::default(), empty.marks);
}
