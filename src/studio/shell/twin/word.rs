//! A word of a command line.

use crate::domain::shell;

/// A word: texts, and ids of things that an earlier command may have made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Word(Vec<Piece>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Id(String),
}

impl Word {
    /// A text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self(vec![Piece::Text(text.into())])
    }

    /// An id or a name that the service gave.
    #[must_use]
    pub fn id(id: impl Into<String>) -> Self {
        Self(vec![Piece::Id(id.into())])
    }

    /// The two as one.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// The word as the program is given it.
    #[must_use]
    pub fn plain(&self) -> String {
        self.0.iter().map(Piece::as_str).collect()
    }

    /// Whether it holds this id.
    #[must_use]
    pub fn names(&self, id: &str) -> bool {
        self.0.iter().any(|piece| matches!(piece, Piece::Id(named) if named == id))
    }

    /// The word for `sh`; ids of which a variable holds the value stand as that variable.
    #[must_use]
    pub fn quoted(&self, variable: &impl Fn(&str) -> Option<String>) -> String {
        let mut pieces: Vec<Result<String, String>> = Vec::new();
        for piece in &self.0 {
            match (piece, pieces.last_mut()) {
                (Piece::Id(id), last) => match (variable(id), last) {
                    (Some(variable), _) => pieces.push(Err(variable)),
                    (None, Some(Ok(text))) => text.push_str(id),
                    (None, _) => pieces.push(Ok(id.clone())),
                },
                (Piece::Text(text), Some(Ok(before))) => before.push_str(text),
                (Piece::Text(text), _) => pieces.push(Ok(text.clone())),
            }
        }
        if pieces.len() > 1 {
            pieces.retain(|piece| piece.as_ref().map_or(true, |text| !text.is_empty()));
        }
        let quoted = pieces.iter().map(|piece| match piece {
            Ok(text) => shell::word(text),
            Err(variable) => format!("\"${variable}\""),
        });
        let word: String = quoted.collect();
        if word.is_empty() { "''".to_owned() } else { word }
    }
}

impl Piece {
    fn as_str(&self) -> &str {
        match self {
            Self::Text(text) | Self::Id(text) => text,
        }
    }
}

impl From<&str> for Word {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for Word {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}
