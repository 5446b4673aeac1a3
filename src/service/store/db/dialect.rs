//! The SQL of the store, said to PostgreSQL. Statements are written once, in what both databases know; what is left to
//! say otherwise is here: places of values, a few functions, words that are taken, and how rows are numbered.

/// Tables whose rows are numbered in the order in which they came, and what that number is called. SQLite numbers them
/// by itself: one more than the last.
pub(super) const NUMBERED: [(&str, &str); 10] = [
    ("workspace", "id"),
    ("store", "id"),
    ("folder", "number"),
    ("project", "number"),
    ("step", "number"),
    ("video", "number"),
    ("webhook", "number"),
    ("visit", "number"),
    ("delivery", "number"),
    ("audit", "number"),
];
/// The same for a table that was added later.
const CAPTION: (&str, &str) = ("caption", "number");

/// Names that are words of the language in PostgreSQL.
const TAKEN: [&str; 2] = ["user", "interval"];

/// A piece of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token<'a> {
    Space(&'a str),
    Word(&'a str),
    /// A text or a quoted name, with its quotation marks.
    Quoted(&'a str),
    /// A place of a value, by its number.
    Place(&'a str),
    Sign(&'a str),
}

impl<'a> Token<'a> {
    fn text(self) -> &'a str {
        match self {
            Self::Space(text) | Self::Word(text) | Self::Quoted(text) | Self::Place(text) | Self::Sign(text) => text,
        }
    }

    fn is(self, word: &str) -> bool {
        matches!(self, Self::Word(text) if text.eq_ignore_ascii_case(word))
    }
}

/// How many bytes at the start belong to the first piece.
fn length(rest: &str) -> usize {
    let up_to = |wanted: fn(char) -> bool| rest.find(|c| !wanted(c)).unwrap_or(rest.len());
    match rest.chars().next() {
        Some(c) if c.is_whitespace() => up_to(char::is_whitespace),
        Some(c) if c.is_alphanumeric() || c == '_' => up_to(|c| c.is_alphanumeric() || c == '_'),
        Some('?') => 1 + rest.chars().skip(1).take_while(char::is_ascii_digit).count(),
        Some(quote @ ('\'' | '"')) => {
            rest.char_indices().skip(1).find(|(_, c)| *c == quote).map_or(rest.len(), |(at, _)| at + 1)
        }
        Some(c) => c.len_utf8(),
        None => 0,
    }
}

fn tokens(sql: &str) -> Vec<Token<'_>> {
    let (mut rest, mut found) = (sql, Vec::new());
    while let Some((piece, after)) = rest.split_at_checked(length(rest)).filter(|(piece, _)| !piece.is_empty()) {
        rest = after;
        found.push(match piece.chars().next() {
            Some(c) if c.is_whitespace() => Token::Space(piece),
            Some(c) if c.is_alphanumeric() || c == '_' => Token::Word(piece),
            Some('?') => Token::Place(piece.get(1..).unwrap_or_default()),
            Some('\'' | '"') => Token::Quoted(piece),
            _ => Token::Sign(piece),
        });
    }
    found
}

/// What stands in a call's parentheses, which begin at `open`: how many values, and where they end.
fn call(tokens: &[Token<'_>], open: usize) -> Option<(usize, usize)> {
    let (mut depth, mut values) = (0_usize, 1);
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token {
            Token::Sign("(") => depth += 1,
            Token::Sign(",") if depth == 1 => values += 1,
            Token::Sign(")") if depth == 1 => return Some((values, at)),
            Token::Sign(")") => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The words behind a place, without the space between.
fn words<'t, 's>(tokens: &'t [Token<'s>], from: usize) -> impl Iterator<Item = (usize, Token<'s>)> + 't {
    tokens.iter().copied().enumerate().skip(from).filter(|(_, token)| !matches!(token, Token::Space(_)))
}

fn follows(tokens: &[Token<'_>], from: usize, wanted: &[&str]) -> Option<usize> {
    let mut found = words(tokens, from);
    let mut last = None;
    for word in wanted {
        let (at, token) = found.next()?;
        if !token.text().eq_ignore_ascii_case(word) {
            return None;
        }
        last = Some(at);
    }
    last
}

/// A statement of SQLite's as PostgreSQL takes it.
pub(super) fn translated(sql: &str) -> String {
    let tokens = tokens(sql);
    let mut out = write(&tokens);
    if follows(&tokens, 0, &["INSERT", "OR", "IGNORE"]).is_some() {
        out.push_str(" ON CONFLICT DO NOTHING");
    }
    out
}

/// The places of a statement, the first one first: whether it asks for the value there. Nobody says of which type a value
/// is that is not asked for.
pub(super) fn asked_for(sql: &str) -> Vec<bool> {
    let places = tokens(sql).into_iter().filter_map(|token| match token {
        Token::Place(number) => number.parse::<usize>().ok(),
        _ => None,
    });
    let places: std::collections::BTreeSet<usize> = places.collect();
    (1..=places.last().copied().unwrap_or_default()).map(|place| places.contains(&place)).collect()
}

fn write(tokens: &[Token<'_>]) -> String {
    let mut out = String::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at = special(tokens, at, &mut out).unwrap_or_else(|| {
            out.push_str(token.text());
            at + 1
        });
    }
    out
}

/// Writes what PostgreSQL says in another way, where that begins here; where it ends.
fn special(tokens: &[Token<'_>], at: usize, out: &mut String) -> Option<usize> {
    let token = *tokens.get(at)?;
    match token {
        Token::Place(number) => {
            // Nothing else says of which type it is, where the value is asked for by itself.
            let is_first = !tokens.iter().take(at).any(|before| *before == token);
            let is_asked = is_first && follows(tokens, at + 1, &["IS", "NULL"]).is_some();
            out.extend(["$", number, if is_asked { "::bigint" } else { "" }]);
            Some(at + 1)
        }
        Token::Word(word) => {
            if let Some(last) = follows(tokens, at, &["NOT", "INDEXED"]) {
                return Some(last + 1);
            }
            if let Some(last) = follows(tokens, at, &["INDEXED", "BY"]) {
                return words(tokens, last + 1).next().map(|(name, _)| name + 1);
            }
            if let Some(last) = follows(tokens, at, &["OR", "IGNORE"]) {
                return Some(last + 1);
            }
            if token.is("x")
                && let Some(Token::Quoted(text)) = tokens.get(at + 1)
            {
                out.extend(["'\\x", text.trim_matches('\''), "'::bytea"]);
                return Some(at + 2);
            }
            if TAKEN.contains(&word) {
                out.extend(["\"", word, "\""]);
                return Some(at + 1);
            }
            function(tokens, at, word, out).or_else(|| numbered(tokens, at, out))
        }
        _ => None,
    }
}

/// A function that is called otherwise, or has another name.
fn function(tokens: &[Token<'_>], at: usize, word: &str, out: &mut String) -> Option<usize> {
    let open = at + 1;
    if tokens.get(open) != Some(&Token::Sign("(")) {
        return None;
    }
    let (values, close) = call(tokens, open)?;
    let inside = tokens.get(open + 1..close)?;
    let lower = word.to_ascii_lowercase();
    let said = match lower.as_str() {
        "max" if values > 1 => format!("greatest({})", write(inside)),
        "min" if values > 1 => format!("least({})", write(inside)),
        "instr" => format!("strpos({})", write(inside)),
        "group_concat" => format!("string_agg({})", write(inside)),
        "unixepoch" => "floor(extract(epoch FROM now()))::bigint".to_owned(),
        "json_array_length" => format!("json_array_length(({})::json)", write(inside)),
        "cast" => {
            // A text is cast to its bytes, and bytes to the text that they are.
            let last = inside.iter().rev().find(|token| !matches!(token, Token::Space(_)))?;
            let value = inside.iter().position(|token| token.is("AS")).and_then(|end| inside.get(..end))?;
            let way = if last.is("BLOB") { "convert_to" } else { "convert_from" };
            format!("{way}({}, 'UTF8')", write(value).trim())
        }
        _ => return None,
    };
    out.push_str(&said);
    Some(close + 1)
}

/// The row of a numbered table gets its number: `INSERT INTO table (…) VALUES (…)`, or with a `SELECT` of one row.
fn numbered(tokens: &[Token<'_>], at: usize, out: &mut String) -> Option<usize> {
    let last = follows(tokens, at, &["INTO"])?;
    let (name_at, name) = words(tokens, last + 1).next()?;
    let (table, number) = NUMBERED.into_iter().chain([CAPTION]).find(|(table, _)| name.is(table))?;
    let (open, _) = words(tokens, name_at + 1).next().filter(|(_, token)| *token == Token::Sign("("))?;
    let (_, close) = call(tokens, open)?;
    let (way_at, way) = words(tokens, close + 1).next()?;
    let after = if way.is("VALUES") { words(tokens, way_at + 1).next()?.0 } else { way_at };
    let columns = write(tokens.get(open + 1..close)?);
    out.extend(["INTO ", table, " (", number, ", ", &columns, ") ", way.text()]);
    out.push_str(if way.is("VALUES") { " (" } else { " " });
    out.extend(["(SELECT coalesce(max(", number, "), 0) + 1 FROM ", table, "), "]);
    Some(after + 1)
}

#[cfg(test)]
mod tests {
    use super::translated;

    #[test]
    fn statements_are_said_as_postgresql_says_them() {
        for (sqlite, postgres) in [
            ("SELECT a FROM t WHERE b = ?1 AND c = ?12", "SELECT a FROM t WHERE b = $1 AND c = $12"),
            ("SELECT '?1 user', \"user\", user.id FROM user", "SELECT '?1 user', \"user\", \"user\".id FROM \"user\""),
            (
                "SELECT id FROM p NOT INDEXED WHERE (?4 IS NULL OR a > ?4)",
                "SELECT id FROM p  WHERE ($4::bigint IS NULL OR a > $4)",
            ),
            ("SELECT id FROM p INDEXED BY p_a WHERE a = ?1", "SELECT id FROM p  WHERE a = $1"),
            ("SELECT max(a), max(a, max(b), 1) FROM t", "SELECT max(a), greatest(a, max(b), 1) FROM t"),
            (
                "INSERT OR IGNORE INTO setting (a) VALUES (x'01')",
                "INSERT  INTO setting (a) VALUES ('\\x01'::bytea) ON CONFLICT DO NOTHING",
            ),
            (
                "INSERT INTO step (id, a) VALUES (?1, nullif(?2, ''))",
                "INSERT INTO step (number, id, a) VALUES ((SELECT coalesce(max(number), 0) + 1 FROM step), $1, nullif($2, ''))",
            ),
            (
                "INSERT INTO visit (a) SELECT ?2 FROM project WHERE b = ?1",
                "INSERT INTO visit (number, a) SELECT (SELECT coalesce(max(number), 0) + 1 FROM visit),  $2 FROM project WHERE b = $1",
            ),
            (
                "DELETE FROM c WHERE instr(CAST(answer AS TEXT), ?2) > 0",
                "DELETE FROM c WHERE strpos(convert_from(answer, 'UTF8'), $2) > 0",
            ),
            ("SELECT length(CAST(vtt AS BLOB)) FROM c", "SELECT length(convert_to(vtt, 'UTF8')) FROM c"),
        ] {
            assert_eq!(translated(sqlite), postgres);
        }
    }
}
