//! The filter panel: every filter of §4.1 in the form that suits it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::query::{Ago, Field, Query, as_typed, typed_list};
use crate::domain::TagsMatch;
use crate::settings::Key;
use crate::studio::ground::{Command, Layer, Moment};
use crate::studio::widgets::paint::inside;
use crate::studio::widgets::time::{date_of, moment_of};
use crate::studio::widgets::{Ink, LineEdit, Panel, Piece, Role, RowCursor, piece, put, select};

/// The panel's fields, those that hold text being typed.
#[derive(Debug, Clone, Default)]
pub struct FilterPanel {
    place: RowCursor,
    edits: Vec<(Field, LineEdit)>,
    faults: Vec<(Field, &'static str)>,
}

/// How a field is filled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Chosen from what was seen, or typed.
    Choice,
    /// Typed.
    Text,
    /// Switched.
    Switch,
}

impl FilterPanel {
    /// The panel showing a query.
    #[must_use]
    pub fn new(query: &Query) -> Self {
        let mut panel = Self::default();
        panel.show(query);
        panel
    }

    /// Shows what a query holds, but for the field being typed in, which is left alone.
    pub fn show(&mut self, query: &Query) {
        self.edits = Field::ALL
            .into_iter()
            .filter(|field| form(*field) == Form::Text)
            .map(|field| (field, LineEdit::with(&typed_of(query, field))))
            .collect();
        self.faults.clear();
    }

    /// The selected field.
    #[must_use]
    pub fn field(&self) -> Field {
        Field::ALL.get(self.place.selected).copied().unwrap_or(Field::Type)
    }

    /// Takes a command that moves the selection, around the ends; whether it does.
    pub fn command(&mut self, command: Command, page: usize) -> bool {
        self.place.cycle(command, page, Field::ALL.len())
    }

    /// Turns the wheel.
    pub fn wheel(&mut self, by: isize, page: usize) {
        self.place.wheel(by, page, Field::ALL.len());
    }

    /// Moves the rows as little as needed for the selection to be seen.
    pub fn keep_in_sight(&mut self, page: usize) {
        self.place.keep_in_sight(page, Field::ALL.len());
    }

    /// Selects the field at a place of the screen, where the panel is drawn into this area; whether there is one.
    pub fn press(&mut self, area: Rect, x: u16, y: u16) -> bool {
        let row = self.place.row_at(inside(area), 1, x, y, Field::ALL.len());
        self.place.selected = row.unwrap_or(self.place.selected);
        row.is_some()
    }

    /// Takes a key for a field that is typed; whether the query changed.
    pub fn key(&mut self, key: Key, query: &mut Query, now: Moment) -> bool {
        self.edit(query, now, |edit| edit.key(key))
    }

    /// Takes pasted text; whether the query changed.
    pub fn paste(&mut self, pasted: &str, query: &mut Query, now: Moment) -> bool {
        self.edit(query, now, |edit| edit.paste(pasted))
    }

    fn edit(&mut self, query: &mut Query, now: Moment, change: impl FnOnce(&mut LineEdit) -> bool) -> bool {
        let field = self.field();
        let Some((_, edit)) = self.edits.iter_mut().find(|(known, _)| *known == field) else { return false };
        if !change(edit) {
            return false;
        }
        let text = edit.text().trim().to_owned();
        self.faults.retain(|(known, _)| *known != field);
        let before = query.clone();
        if let Err(fault) = take(query, field, &text, now) {
            self.faults.push((field, fault));
        }
        *query != before
    }

    /// Draws the panel, with how many were found where that is not seen beside it, and gives the cursor's place.
    pub fn draw(
        &self,
        buf: &mut Buffer,
        ink: Ink,
        area: Rect,
        query: &Query,
        focused: bool,
        found: Vec<Piece>,
    ) -> Option<(u16, u16)> {
        let bottom = vec![piece(Role::Dim, keys_words(ink))];
        let area = Panel { title: "Filters", right: found, bottom, focused }.draw(buf, ink, area);
        let mut cursor = None;
        for (row, (index, field)) in
            Field::ALL.iter().enumerate().skip(self.place.top).take(usize::from(area.height)).enumerate()
        {
            let y = area.y + u16::try_from(row).unwrap_or(0);
            let selected = index == self.place.selected;
            let style = if selected { ink.theme.text } else { ink.theme.dim };
            put(buf, ink, (area.x + 2, y), 15, field.title(), style);
            let at = (area.x + 18, y);
            let room = area.width.saturating_sub(19);
            if let Some(place) = self.draw_value(buf, ink, *field, query, at, room)
                && selected
            {
                cursor = Some(place);
            }
            if selected {
                select(buf, ink, Rect { y, height: 1, ..area });
            }
        }
        cursor.filter(|_| focused)
    }

    fn draw_value(
        &self,
        buf: &mut Buffer,
        ink: Ink,
        field: Field,
        query: &Query,
        at: (u16, u16),
        room: u16,
    ) -> Option<(u16, u16)> {
        if let Some((_, edit)) = self.edits.iter().find(|(known, _)| *known == field) {
            let cursor = edit.draw(buf, ink, at, room);
            let fault = self.faults.iter().find(|(known, _)| *known == field).map(|(_, fault)| *fault);
            let used = crate::studio::widgets::width(edit.text());
            let (say, role) = match fault {
                Some(fault) => (fault, Role::Error),
                None if edit.text().is_empty() => (example(field), Role::Faint),
                None => return Some(cursor),
            };
            let from = used.saturating_add(2).min(room);
            put(buf, ink, (at.0 + from, at.1), room - from, say, ink.style(role));
            return Some(cursor);
        }
        let (text, role) = match field {
            Field::Published => switch(ink, query.published),
            Field::TagsMatch => {
                let all = query.filters.tags_match_mode == Some(TagsMatch::All);
                (if all { "all of them" } else { "any of them" }.to_owned(), Role::Text)
            }
            field => {
                let mut query = query.clone();
                match query.list_mut(field).and_then(Option::take) {
                    Some(values) => (crate::domain::text::line(&values.join(", ")).into_owned(), Role::Text),
                    None => ("any".to_owned(), Role::Faint),
                }
            }
        };
        put(buf, ink, at, room, &text, ink.style(role));
        None
    }

    /// The panel as lines.
    pub fn reading(&self, query: &Query, lines: &mut Vec<String>) {
        lines.push("Filters".to_owned());
        for (index, field) in Field::ALL.iter().enumerate() {
            let mark = if index == self.place.selected { ">" } else { " " };
            let value = match (*field, self.edits.iter().find(|(known, _)| known == field)) {
                (_, Some((_, edit))) => edit.text().to_owned(),
                (Field::Published, _) => query.published.to_string(),
                (Field::TagsMatch, _) => {
                    let is_all = query.filters.tags_match_mode == Some(TagsMatch::All);
                    if is_all { "all" } else { "any" }.to_owned()
                }
                (field, _) => query.clone().list_mut(field).and_then(Option::take).unwrap_or_default().join(", "),
            };
            lines.push(format!("{mark} {}: {value}", field.title()));
        }
    }
}

/// What the keys do in the panel.
fn keys_words(ink: Ink) -> String {
    let layers = [Layer::Global, Layer::Products];
    let words = |(command, does)| Some(format!("{} {does}  ", ink.first_key(command, &layers)?));
    let bound: String = [(Command::Open, "edit"), (Command::Remove, "remove")].into_iter().filter_map(words).collect();
    bound + "Esc done"
}

fn switch(ink: Ink, on: bool) -> (String, Role) {
    if on {
        (format!("{} yes", ink.sign("●", "*")), Role::Ok)
    } else {
        (format!("{} no", ink.sign("○", ".")), Role::Faint)
    }
}

/// How a field is filled in.
#[must_use]
pub fn form(field: Field) -> Form {
    match field {
        Field::Type | Field::Category | Field::Tags => Form::Choice,
        Field::TagsMatch | Field::Published => Form::Switch,
        _ => Form::Text,
    }
}

fn example(field: Field) -> &'static str {
    match field {
        Field::StockFrom | Field::StockTo => "a number",
        Field::CreatedFrom | Field::CreatedTo => "2026-01-31, or 7d (days ago)",
        Field::ProductIds | Field::VariantIds | Field::Skus | Field::Names => "comma-separated",
        _ => "",
    }
}

fn typed_of(query: &Query, field: Field) -> String {
    let filters = &query.filters;
    match field {
        Field::StockFrom => filters.inventory.as_ref().and_then(|r| r.min).map(|n| n.to_string()),
        Field::StockTo => filters.inventory.as_ref().and_then(|r| r.max).map(|n| n.to_string()),
        Field::CreatedFrom => filters.created_at.as_ref().and_then(|r| r.from.clone()),
        Field::CreatedTo => filters.created_at.as_ref().and_then(|r| r.to.clone()),
        field => query.clone().list_mut(field).and_then(Option::take).map(|values| as_typed(&values)),
    }
    .unwrap_or_default()
}

/// Takes what was typed into the query; what can't be meant leaves it as it was.
fn take(query: &mut Query, field: Field, text: &str, now: Moment) -> Result<(), &'static str> {
    if text.is_empty() {
        query.remove(field);
        return Ok(());
    }
    match field {
        Field::StockFrom | Field::StockTo => {
            let number: i64 = text.replace([',', ' '], "").parse().map_err(|_| "not a whole number")?;
            query.set_stock(Some(number), field == Field::StockFrom);
        }
        Field::CreatedFrom | Field::CreatedTo => {
            let lower = field == Field::CreatedFrom;
            if moment_of(text).is_some() {
                query.set_created(Some(text.to_owned()), lower);
            } else {
                let ago = typed_ago(text, now).ok_or("not a date")?;
                query.set_created(Some(ago.date.clone()), lower);
                let [from, to] = &mut query.ago;
                *if lower { from } else { to } = Some(ago);
            }
        }
        field => {
            let values = typed_list(text);
            if let Some(list) = query.list_mut(field) {
                *list = (!values.is_empty()).then_some(values);
            }
        }
    }
    Ok(())
}

/// So many days, weeks, months or years ago (`7d`, `2w`, `3m`, `1y`).
fn typed_ago(text: &str, now: Moment) -> Option<Ago> {
    let (at, unit) = text.char_indices().last()?;
    let days = match unit {
        'd' => 1,
        'w' => 7,
        'm' => 30,
        'y' => 365,
        _ => return None,
    };
    let number: i64 = text.get(..at)?.trim().parse().ok().filter(|number| (0..=10_000).contains(number))?;
    let days = number * days;
    Some(Ago { date: date_of(Moment(now.0 - days * 86_400_000)), days })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_becomes_filters() {
        let mut query = Query::default();
        let now = moment_of("2026-11-20T12:00:00Z").unwrap();
        assert_eq!(take(&mut query, Field::StockFrom, "1,000", now), Ok(()));
        assert_eq!(take(&mut query, Field::StockTo, "many", now), Err("not a whole number"));
        assert_eq!(take(&mut query, Field::CreatedFrom, "7d", now), Ok(()));
        assert_eq!(take(&mut query, Field::CreatedTo, "soon", now), Err("not a date"));
        assert_eq!(take(&mut query, Field::Skus, "A, \"B,C\"", now), Ok(()));
        assert_eq!(query.filters.inventory.as_ref().unwrap().min.unwrap().whole(), Some(1000));
        assert_eq!(query.filters.created_at.as_ref().unwrap().from.as_deref(), Some("2026-11-13"));
        assert_eq!(query.ago[0].as_ref().map(|ago| (ago.date.as_str(), ago.days)), Some(("2026-11-13", 7)));
        assert_eq!(take(&mut query, Field::CreatedFrom, "2026-11-13", now), Ok(()));
        assert_eq!(query.ago, [None, None], "what is typed as a date is meant as one");
        assert_eq!(query.filters.sku, Some(vec!["A".to_owned(), "B,C".to_owned()]));
        assert_eq!(typed_of(&query, Field::Skus), "A, \"B,C\"");
        take(&mut query, Field::StockFrom, "", now).unwrap();
        assert_eq!(query.filters.inventory, None);
    }
}
