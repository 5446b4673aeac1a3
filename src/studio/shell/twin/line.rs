//! A command line.

use super::word::Word;
use crate::domain::{StoreUrl, text};

/// What was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deed {
    /// This command does the same.
    Line(Box<Line>),
    /// No script can do it: in words, and with the command that a person would give, where there is one.
    Aside {
        /// In words.
        what: String,
        /// The command.
        line: Option<Box<Line>>,
    },
}

impl Deed {
    /// Something that no command does.
    #[must_use]
    pub fn aside(what: impl Into<String>) -> Self {
        Self::Aside { what: what.into(), line: None }
    }

    /// Whether it is a command, and which.
    #[must_use]
    pub fn line(&self) -> Option<&Line> {
        match self {
            Self::Line(line) => Some(line),
            Self::Aside { .. } => None,
        }
    }
}

/// What a command works on, which says the flags that it needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// This machine's configuration.
    Machine,
    /// A workspace.
    Workspace,
    /// A store of it.
    Store(StoreUrl),
}

/// What a command makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// What it is: `project`, `step`, `video`, `webhook`.
    pub kind: &'static str,
    /// Its id, and what else stands for it.
    pub known_as: Vec<String>,
}

/// A command line: the arguments after `cutaway`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    scope: Scope,
    command: &'static [&'static str],
    operands: Vec<Word>,
    options: Vec<Word>,
    input: Option<Word>,
    made: Option<Made>,
    calls: Vec<Deed>,
    part_of: Option<String>,
    writes: Option<String>,
}

impl Line {
    /// A command.
    #[must_use]
    pub fn new(scope: Scope, command: &'static [&'static str]) -> Self {
        Self {
            scope,
            command,
            operands: Vec::new(),
            options: Vec::new(),
            input: None,
            made: None,
            calls: Vec::new(),
            part_of: None,
            writes: None,
        }
    }

    /// With an operand.
    #[must_use]
    pub fn operand(mut self, operand: impl Into<Word>) -> Self {
        self.operands.push(operand.into());
        self
    }

    /// With a flag that takes nothing.
    #[must_use]
    pub fn switch(mut self, name: &'static str) -> Self {
        self.options.push(name.into());
        self
    }

    /// With a flag and its value. One that begins like a flag is tied to it.
    #[must_use]
    pub fn flag(mut self, name: &'static str, value: impl Into<Word>) -> Self {
        let value = value.into();
        if value.plain().starts_with('-') {
            self.options.push(Word::text(format!("{name}=")).and(value));
        } else {
            self.options.extend([name.into(), value]);
        }
        self
    }

    /// With a flag for each of these.
    #[must_use]
    pub fn flags(self, name: &'static str, values: impl IntoIterator<Item = impl Into<Word>>) -> Self {
        values.into_iter().fold(self, |line, value| line.flag(name, value))
    }

    /// Given this on standard input.
    #[must_use]
    pub fn reading(mut self, input: Word) -> Self {
        self.input = Some(input);
        self
    }

    /// It makes this.
    #[must_use]
    pub fn making(mut self, kind: &'static str, known_as: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let known_as = known_as.into_iter().map(Into::into).filter(|id: &String| !id.is_empty()).collect();
        self.made = Some(Made { kind, known_as });
        self
    }

    /// What it makes.
    #[must_use]
    pub fn made(&self) -> Option<&Made> {
        self.made.as_ref()
    }

    /// It writes this file, which its next operand is.
    #[must_use]
    pub fn writing(mut self, file: &str) -> Self {
        self.writes = Some(file.to_owned());
        self.operand(Word::id(file))
    }

    /// The file that it writes.
    #[must_use]
    pub fn writes(&self) -> Option<&str> {
        self.writes.as_deref()
    }

    /// It names something that the service keeps for this: where a script makes that again, it has no such part.
    #[must_use]
    pub fn on_part_of(mut self, whole: impl Into<String>) -> Self {
        self.part_of = Some(whole.into());
        self
    }

    /// Whose part it names.
    #[must_use]
    pub fn part_of(&self) -> Option<&str> {
        self.part_of.as_deref()
    }

    /// It stands for these, which a script does one by one: what they make is known there.
    #[must_use]
    pub fn made_of(mut self, calls: Vec<Deed>) -> Self {
        self.calls = calls;
        self
    }

    /// What it stands for, where it is more than one call.
    #[must_use]
    pub fn calls(&self) -> &[Deed] {
        &self.calls
    }

    /// Whether any of its words holds this id.
    #[must_use]
    pub fn names(&self, id: &str) -> bool {
        self.operands.iter().chain(&self.options).chain(&self.input).any(|word| word.names(id))
    }

    /// It as a deed. What a program can't be given makes it something that no command does.
    #[must_use]
    pub fn done(self) -> Deed {
        let can_be_given = |word: &Word| !word.plain().contains('\0');
        if self.operands.iter().chain(&self.options).chain(&self.input).all(can_be_given) {
            Deed::Line(Box::new(self))
        } else {
            Deed::aside(format!("{}, with a text that holds the byte 0", self.command.join(" ")))
        }
    }

    /// The words after `cutaway`; `way` are the flags that lead to the workspace.
    #[must_use]
    pub fn words(&self, way: &[String]) -> Vec<Word> {
        let way = if self.scope == Scope::Machine { &[] } else { way };
        // A script may be run against another address: there a variable stands for the one it was recorded at.
        let is_address =
            |at: usize| at.checked_sub(1).and_then(|at| way.get(at)).is_some_and(|flag| flag.ends_with("-url"));
        let word = |(at, word): (usize, &String)| {
            if is_address(at) { Word::id(word.as_str()) } else { Word::text(word.as_str()) }
        };
        let mut words: Vec<Word> = way.iter().enumerate().map(word).collect();
        if let Scope::Store(store) = &self.scope {
            words.extend(["--app-url".into(), Word::text(store.as_str())]);
        }
        words.extend(self.own_words());
        words
    }

    fn own_words(&self) -> Vec<Word> {
        let mut words: Vec<Word> = Vec::new();
        words.extend(self.command.iter().map(|word| Word::text(*word)));
        if self.operands.iter().any(|operand| operand.plain().starts_with('-')) {
            words.extend(self.options.iter().cloned());
            words.push("--".into());
            words.extend(self.operands.iter().cloned());
        } else {
            words.extend(self.operands.iter().chain(&self.options).cloned());
        }
        words
    }

    /// The arguments after `cutaway`, as the program is given them.
    #[must_use]
    pub fn arguments(&self, way: &[String]) -> Vec<String> {
        self.words(way).iter().map(Word::plain).collect()
    }

    /// The line without what leads to its workspace: where all are of one, that tells them apart.
    #[must_use]
    pub fn brief(&self) -> String {
        self.own_words().iter().map(|word| word.quoted(&|_| None)).collect::<Vec<_>>().join(" ")
    }

    /// What it is given on standard input.
    #[must_use]
    pub fn input(&self) -> Option<String> {
        self.input.as_ref().map(Word::plain)
    }

    /// The line for `sh`.
    #[must_use]
    pub fn shell(&self, way: &[String], variable: &impl Fn(&str) -> Option<String>) -> String {
        let words: Vec<String> = self.words(way).iter().map(|word| word.quoted(variable)).collect();
        let given = self.input.as_ref().map(|input| format!("printf '%s\\n' {} | ", input.quoted(variable)));
        format!("{}cutaway {}", given.unwrap_or_default(), words.join(" "))
    }
}

/// A sentence on one line, as a comment.
pub(super) fn comment(what: &str) -> String {
    format!("# {}", text::line(what))
}
