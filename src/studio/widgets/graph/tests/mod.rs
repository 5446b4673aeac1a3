//! What the graph looks like on a screen, and what is found there.

mod hostile;
mod sample;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde_json::Value;

use super::{Canvas, Marks, Selection, View};
use crate::domain::{Answer, Step, StepName, VideoId};
use crate::graph::{Chart, Graph, Known, Level};
use crate::settings::{Depth, Theme};
use crate::studio::widgets::Ink;

/// The steps of one of the sample's projects.
fn project(name: &str) -> Vec<Step> {
    let sample: Value = serde_json::from_str(include_str!("../../../../../assets/sample/projects.json")).unwrap();
    let projects = sample["projects"].as_array().unwrap();
    let project = projects.iter().find(|project| project["name"] == name).unwrap();
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let answer = |answer: &Value| Answer {
        text: text(&answer["text"]).unwrap_or_default(),
        next: text(&answer["next"]),
        ..Answer::default()
    };
    let step = |step: &Value| Step {
        name: text(&step["key"]).map(StepName::new),
        description: text(&step["description"]),
        overlay_text: text(&step["overlayText"]),
        video_id: text(&step["video"]).map(VideoId::new),
        answers: step["answers"].as_array().map(|answers| answers.iter().map(answer).collect()),
        ..Step::default()
    };
    project["steps"].as_array().unwrap().iter().map(step).collect()
}

/// A graph on a screen.
struct Stage {
    graph: Graph,
    chart: Chart,
    marks: Marks,
    area: Rect,
    ascii: bool,
}

impl Stage {
    fn new(steps: &[Step], width: u16, height: u16) -> Self {
        let graph = Graph::new(steps, &[]);
        let chart = Chart::new(&graph);
        let mut marks = Marks::default();
        marks.note(&graph.check(&Known::default()));
        Self { graph, chart, marks, area: Rect { x: 0, y: 0, width, height }, ascii: false }
    }

    fn canvas(&self, step: usize, port: Option<usize>) -> Canvas<'_> {
        Canvas {
            graph: &self.graph,
            chart: &self.chart,
            view: View::centered(&self.chart, step, self.area),
            selected: Some(Selection { step, port }),
            marks: &self.marks,
            wire: None,
            map: true,
            posters: false,
        }
    }

    fn zoom(&mut self, level: Level) {
        self.chart.zoom(&self.graph, level);
    }

    fn draw(&self, canvas: &Canvas) -> Buffer {
        let (theme, _) = Theme::load("dark", None, Depth::Indexed);
        let mut buf = Buffer::empty(self.area);
        canvas.draw(&mut buf, Ink::new(&theme, self.ascii), self.area);
        buf
    }

    fn shown(&self, canvas: &Canvas) -> String {
        text(&self.draw(canvas))
    }
}

/// What a buffer shows, without its colours.
fn text(buf: &Buffer) -> String {
    let mut out = String::new();
    for y in buf.area.top()..buf.area.bottom() {
        let mut line = String::new();
        let mut x = buf.area.left();
        while x < buf.area.right() {
            let sign = buf[(x, y)].symbol();
            line.push_str(sign);
            x += u16::try_from(unicode_width::UnicodeWidthStr::width(sign)).unwrap().max(1);
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}
