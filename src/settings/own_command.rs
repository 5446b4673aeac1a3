//! Commands of the person's own: programs that a key runs, with what is current among their arguments.

use toml::de::{DeTable, DeValue};

/// A program that a key runs: never through a shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnCommand {
    /// The program, and its arguments with [placeholders](PLACEHOLDERS).
    pub run: Vec<String>,
    /// What it is called in help and the palette.
    pub title: String,
    /// Whether it asks before each run.
    pub ask: bool,
}

/// What an argument may say in braces, and what that stands for.
pub const PLACEHOLDERS: [(&str, &str); 6] = [
    ("id", "the ID of what is current"),
    ("address", "its web address"),
    ("project", "the ID of the open project"),
    ("store", "the store's address"),
    ("profile", "the profile's name"),
    ("service", "the service's address"),
];

/// The members of its table in the file.
pub const MEMBERS: [&str; 3] = ["run", "title", "ask"];

/// Why an argument is not passed on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unfilled {
    /// Nothing stands for this placeholder here.
    #[error("nothing here has {{{0}}}")]
    Unknown(String),
    /// It would be taken for an option of the program.
    #[error("{{{0}}} begins with a dash here, and the program would take it for an option")]
    Option(String),
    /// It has characters in it that steer terminals.
    #[error("{{{0}}} contains control characters here")]
    Hostile(String),
}

impl OwnCommand {
    /// Reads the table of a key.
    pub(super) fn of_table(table: DeTable) -> Result<Self, String> {
        let (mut run, mut title, mut ask) = (Vec::new(), None, false);
        for (name, value) in table {
            match (name.get_ref().as_ref(), value.into_inner()) {
                ("run", DeValue::Array(words)) => {
                    for word in words {
                        let DeValue::String(word) = word.into_inner() else {
                            return Err("\"run\" is a list of texts: the program and its arguments".to_owned());
                        };
                        run.push(word.into_owned());
                    }
                }
                ("title", DeValue::String(said)) if !said.trim().is_empty() => title = Some(said.into_owned()),
                ("ask", DeValue::Boolean(asks)) => ask = asks,
                ("run", _) => return Err("\"run\" is a list of texts: the program and its arguments".to_owned()),
                ("title", _) => return Err("\"title\" is a text".to_owned()),
                ("ask", _) => return Err("\"ask\" is true or false".to_owned()),
                (other, _) => {
                    return Err(format!("{other:?} isn't known here; a program has {}", MEMBERS.join(", ")));
                }
            }
        }
        let program = run.first().filter(|program| !program.is_empty());
        let program = program.ok_or("\"run\" names no program")?;
        if placeholders(program).next().is_some() {
            return Err("the program itself can't have a placeholder, only its arguments".to_owned());
        }
        for word in &run {
            if let Some((_, name)) = placeholders(word).find(|(_, name)| !PLACEHOLDERS.iter().any(|it| it.0 == *name)) {
                let known: Vec<String> = PLACEHOLDERS.iter().map(|(name, _)| format!("{{{name}}}")).collect();
                return Err(format!("there is no placeholder {{{name}}}; there are {}", known.join(", ")));
            }
        }
        let title = title.unwrap_or_else(|| program.clone());
        Ok(Self { run, title, ask })
    }

    /// The program and its arguments, each placeholder filled in.
    ///
    /// # Errors
    /// Where a placeholder stands for nothing here, or for what a program would misunderstand.
    pub fn filled(&self, value: impl Fn(&str) -> Option<String>) -> Result<Vec<String>, Unfilled> {
        self.run.iter().map(|word| fill(word, &value)).collect()
    }

    /// It as a line for people.
    #[must_use]
    pub fn line(&self) -> String {
        self.run.join(" ")
    }
}

/// The placeholders in a word: where each begins, and its name. Other braces are text.
fn placeholders(word: &str) -> impl Iterator<Item = (usize, &str)> {
    word.match_indices('{').filter_map(|(at, _)| {
        let (name, _) = word.get(at + 1..)?.split_once('}')?;
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        is_name.then_some((at, name))
    })
}

fn fill(word: &str, value: &impl Fn(&str) -> Option<String>) -> Result<String, Unfilled> {
    let mut filled = String::new();
    let mut from = 0;
    for (at, name) in placeholders(word) {
        let found = value(name).filter(|found| !found.is_empty());
        let found = found.ok_or_else(|| Unfilled::Unknown(name.to_owned()))?;
        if found.chars().any(crate::domain::text::is_hostile) {
            return Err(Unfilled::Hostile(name.to_owned()));
        }
        filled.push_str(word.get(from..at).unwrap_or_default());
        if filled.is_empty() && found.starts_with('-') {
            return Err(Unfilled::Option(name.to_owned()));
        }
        filled.push_str(&found);
        from = at + name.len() + 2;
    }
    filled.push_str(word.get(from..).unwrap_or_default());
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(run: &[&str]) -> OwnCommand {
        OwnCommand { run: run.iter().map(|word| (*word).to_owned()).collect(), title: String::new(), ask: false }
    }

    #[test]
    fn placeholders_are_filled_in_and_nothing_else_is_changed() {
        let value = |name: &str| (name == "id").then(|| "a b; rm $HOME {id}".to_owned());
        let run = own(&["erp", "{id}", "--id={id}/{id}", "{\"a\": {}}", "$HOME"]);
        let id = "a b; rm $HOME {id}";
        let filled = ["erp", id, &format!("--id={id}/{id}"), "{\"a\": {}}", "$HOME"];
        assert_eq!(run.filled(value).unwrap(), filled);
        assert_eq!(own(&["erp", "{store}"]).filled(value), Err(Unfilled::Unknown("store".to_owned())));
    }

    #[test]
    fn a_value_is_never_an_option_and_steers_no_terminal() {
        let dash = |_: &str| Some("--delete".to_owned());
        assert_eq!(own(&["erp", "{id}"]).filled(dash), Err(Unfilled::Option("id".to_owned())));
        assert_eq!(own(&["erp", "--id={id}"]).filled(dash).unwrap(), ["erp", "--id=--delete"]);
        let hostile = |_: &str| Some("a\u{1b}[2J".to_owned());
        assert_eq!(own(&["erp", "x{id}"]).filled(hostile), Err(Unfilled::Hostile("id".to_owned())));
    }
}
