//! Answers that are not drawn as lines: a sign and a name beside their port.

use super::steps::{Graph, Leads};

/// Why there is no line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StubKind {
    /// It leads back, or to the same column: `↩`.
    Back,
    /// It leads far ahead, or there was no room for its line: `⇢`.
    Far,
    /// It leads to its own step: `↺`.
    Itself,
    /// It leads nowhere that exists: `⊘`.
    Dangling,
}

impl StubKind {
    /// Its sign.
    #[must_use]
    pub fn sign(self) -> char {
        match self {
            Self::Back => '↩',
            Self::Far => '⇢',
            Self::Itself => '↺',
            Self::Dangling => '⊘',
        }
    }

    /// Its sign where only ASCII can be shown.
    #[must_use]
    pub fn sign_ascii(self) -> char {
        match self {
            Self::Back => '<',
            Self::Far => '>',
            Self::Itself => '@',
            Self::Dangling => '!',
        }
    }
}

/// An answer that is not drawn as a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stub {
    /// Why.
    pub kind: StubKind,
    /// The step of the answer.
    pub from: usize,
    /// Which answer.
    pub port: usize,
    /// Where it leads, if anywhere.
    pub to: Option<usize>,
    /// The column right of its port.
    pub x: i32,
    /// The row of its port.
    pub y: i32,
    /// How many cells it may take, sign and spaces included; at least two.
    pub width: i32,
}

impl Stub {
    /// What stands after the sign: the name of the other end, or the value that resolves to nothing. From the service: to
    /// be cleaned and cut to `width` before it is shown.
    #[must_use]
    pub fn label<'a>(&self, graph: &'a Graph) -> &'a str {
        let Some(port) = graph.ports(self.from).get(self.port) else { return "" };
        match port.leads {
            Leads::Step(to) if self.kind != StubKind::Itself => graph.name(to),
            Leads::Dangling => &port.next,
            _ => "",
        }
    }
}
