//! Two products field by field, side by side.

use std::collections::BTreeSet;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde_json::Value;

use super::lines::clean;
use super::overview::price_line;
use super::picturing::featured;
use super::vocabulary::{Effect, Record, Turn};
use super::{Focus, Products};
use crate::domain::{ProductId, text};
use crate::studio::ground::{Clock, Command, Failure, Moment, NoticeKind, Remote, RequestId};
use crate::studio::widgets::paint::{inside, wrap};
use crate::studio::widgets::pictures::{Grain, Place};
use crate::studio::widgets::rows::{scroll, stride};
use crate::studio::widgets::time::when;
use crate::studio::widgets::{Ink, Panel, Role, number, piece, put, scrollbar};

/// Two products that are compared.
#[derive(Debug, Clone)]
pub struct Compare {
    products: [ProductId; 2],
    records: [Remote<Option<Box<Record>>>; 2],
    /// Whether only what differs is shown.
    only_differences: bool,
    rows: Vec<Row>,
    top: usize,
}

/// A field: its name and both values, wrapped.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Row {
    name: String,
    values: [Vec<String>; 2],
    differs: bool,
}

impl Row {
    fn height(&self) -> usize {
        self.values.iter().map(Vec::len).max().unwrap_or(0).max(1)
    }
}

/// Columns of a field's name.
const NAME: u16 = 16;
/// The most of a value that is compared by eye, characters; the JSON tab has it whole.
const MOST_VALUE: usize = 600;

impl Compare {
    fn differing(&self) -> usize {
        self.rows.iter().filter(|row| row.differs).count()
    }

    fn shown(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.differs || !self.only_differences)
    }

    fn height(&self) -> usize {
        self.shown().map(Row::height).sum()
    }
}

impl Products {
    /// Compares the two marked products, or the marked one with the selected one.
    pub(super) fn compare(&mut self, now: Moment, turn: &mut Turn) {
        let mut chosen: Vec<ProductId> = self.marks.products.iter().take(3).cloned().collect();
        if let ([one], Some(row)) = (chosen.as_slice(), self.list.current())
            && *one != row.id
        {
            chosen.push(row.id.clone());
        }
        let (Ok(products), Some(store)) = (<[ProductId; 2]>::try_from(chosen), turn.context.store.clone()) else {
            turn.say(NoticeKind::Hint, "Select two products with ‹app.select›, then ‹products.compare› compares them.");
            return;
        };
        self.close_compare(turn);
        let mut records = [Remote::Idle, Remote::Idle];
        for (product, record) in products.iter().zip(&mut records) {
            let request = turn.next_id();
            record.load(request, now);
            let (store, product) = (store.clone(), product.clone());
            turn.ask(Effect::FetchProduct { request, store, product, after_ms: 0 });
        }
        self.comparison = Some(Compare { products, records, only_differences: false, rows: Vec::new(), top: 0 });
        self.focus = Focus::Compare;
        self.resize(self.area, now);
    }

    pub(super) fn close_compare(&mut self, turn: &mut Turn) {
        if let Some(compare) = self.comparison.take() {
            turn.cancel(compare.records.iter().filter_map(Remote::waiting));
        }
    }

    /// Takes a record that was asked for to be compared; whether it was.
    pub(super) fn compared(
        &mut self,
        request: RequestId,
        product: &Result<Option<Box<Record>>, Failure>,
        now: Moment,
    ) -> bool {
        let records = self.comparison.as_mut().map(|compare| &mut compare.records);
        let Some(record) = records.into_iter().flatten().find(|record| record.wants(request)) else { return false };
        record.settle(product.clone().map_err(|failure| failure.what));
        self.lay_out_compare(now);
        true
    }

    /// Works out what is compared, for the room that there is.
    pub(super) fn lay_out_compare(&mut self, now: Moment) {
        let column = self.compare_column();
        let Some(compare) = &mut self.comparison else { return };
        compare.rows.clear();
        if let [Some(Some(left)), Some(Some(right))] = [0, 1].map(|at| compare.records.get(at).and_then(Remote::known))
        {
            compare.rows = rows(left, right, column, Clock { now, zone: &self.zone });
        }
    }

    fn compare_column(&self) -> u16 {
        self.area.width.saturating_sub(4 + NAME + 3) / 2
    }

    /// The room of each picture, where pictures are shown and there is room.
    fn compare_pictures(&self) -> Option<(u16, u16)> {
        let high = (self.area.height / 4).min(self.compare_column() / 2).min(12);
        (self.grain != Grain::None && high >= 4).then_some((high * 2, high))
    }

    /// How many lines of the comparison are seen.
    fn compare_page(&self) -> usize {
        let above = self.compare_pictures().map_or(0, |(_, high)| high + 1);
        usize::from(inside(self.area).height.saturating_sub(2 + above)).max(1)
    }

    pub(super) fn compare_command(&mut self, command: Command, turn: &mut Turn) -> bool {
        let page = self.compare_page();
        let Some(compare) = &mut self.comparison else { return false };
        if let Some(by) = stride(command, page) {
            self.scroll_compare(by);
            return true;
        }
        match command {
            Command::Mark => {
                compare.only_differences = !compare.only_differences;
                compare.top = 0;
            }
            Command::Open => turn.say(NoticeKind::Hint, "Space shows differences only, or all."),
            _ => return false,
        }
        true
    }

    pub(super) fn scroll_compare(&mut self, by: isize) {
        let page = self.compare_page();
        if let Some(compare) = &mut self.comparison {
            let all = compare.height();
            scroll(&mut compare.top, by, page, all);
        }
    }

    /// The pictures of both products.
    pub(super) fn compare_places(&self) -> Vec<Place> {
        let (Some(compare), Some((width, height))) = (&self.comparison, self.compare_pictures()) else {
            return Vec::new();
        };
        let area = inside(self.area);
        let column = self.compare_column();
        let known = compare.records.iter().zip([0, column + 2]).filter_map(|(record, shift)| {
            let address: Arc<str> = featured(&record.known()?.as_ref()?.product)?;
            Some(Place {
                address: address.into(),
                area: Rect { x: area.x + 1 + NAME + shift, y: area.y + 1, width, height },
            })
        });
        known.collect()
    }

    pub(super) fn draw_compare(&self, buf: &mut Buffer, ink: Ink, now: Moment) {
        let Some(compare) = &self.comparison else { return };
        let right = match compare.differing() {
            0 if compare.rows.is_empty() => Vec::new(),
            0 => vec![piece(Role::Ok, "no difference")],
            1 => vec![piece(Role::Warn, "1 difference")],
            many => vec![piece(Role::Warn, format!("{many} differences"))],
        };
        let (shown, other) = if compare.only_differences {
            ("only what differs; ", " shows all")
        } else {
            ("all fields; ", " shows what differs")
        };
        let bottom = vec![piece(Role::Dim, shown), piece(Role::Accent, "‹app.select›"), piece(Role::Dim, other)];
        let panel = Panel { title: "Compared", right, bottom, focused: true };
        let area = panel.draw(buf, ink, self.area);
        let column = self.compare_column();
        if area.height < 3 || column < 6 {
            return;
        }
        let mut y = area.y + 1;
        for (at, record) in compare.records.iter().enumerate() {
            let x = area.x + 1 + NAME + if at == 0 { 0 } else { column + 2 };
            let id = compare.products.get(at).map(|id| clean(id.as_str())).unwrap_or_default();
            let (role, say) = match record {
                Remote::Failed { problem, stale: None } => (Role::Error, clean(problem)),
                Remote::Ready(None) => (Role::Warn, format!("{id}: no longer at the service")),
                Remote::Loading { since, stale: None, .. } if now.since(*since) >= 300 => {
                    (Role::Dim, format!("{id} …"))
                }
                _ => continue,
            };
            for (line, row) in ink.wrap(&say, column).iter().zip(y..area.bottom()) {
                put(buf, ink, (x, row), column, line, ink.style(role));
            }
        }
        y += self.compare_pictures().map_or(0, |(_, high)| high + 1);
        let mut skip = compare.top;
        for row in compare.shown() {
            for line in 0..row.height() {
                if skip > 0 {
                    skip -= 1;
                    continue;
                }
                if y >= area.bottom() {
                    break;
                }
                draw_line(buf, ink, (area.x, y), column, row, line);
                y += 1;
            }
        }
        scrollbar(buf, ink, self.area, compare.top, self.compare_page(), compare.height());
    }

    pub(super) fn read_compare(&self, lines: &mut Vec<String>) {
        let Some(compare) = &self.comparison else { return };
        lines.push(format!("Compared: {} differences", compare.differing()));
        for row in compare.shown() {
            let [left, right] = row.values.each_ref().map(|value| value.join(" "));
            let sign = if row.differs { "differs" } else { "same" };
            lines.push(format!("{}: {left} | {right} ({sign})", row.name));
        }
    }
}

fn draw_line(buf: &mut Buffer, ink: Ink, (x, y): (u16, u16), column: u16, row: &Row, line: usize) {
    if line == 0 {
        let sign = if row.differs { ink.sign("≠", "#") } else { " " };
        put(buf, ink, (x, y), 1, sign, ink.style(Role::Warn));
        put(buf, ink, (x + 1, y), NAME - 1, &row.name, ink.style(Role::Dim));
    }
    let role = if row.differs { Role::Warn } else { Role::Text };
    for (value, shift) in row.values.iter().zip([0, column + 2]) {
        if let Some(text) = value.get(line) {
            put(buf, ink, (x + 1 + NAME + shift, y), column, text, ink.style(role));
        }
    }
}

type Field<'a> = (&'a str, fn(&Record, Clock<'_>) -> String);

/// The fields that are compared, in this order; metafields follow by name.
const FIELDS: [Field<'_>; 18] = [
    ("Title", |record, _| record.product.title.clone()),
    ("Vendor", |record, _| record.product.vendor.clone().unwrap_or_default()),
    ("Type", |record, _| record.product.product_type.clone().unwrap_or_default()),
    ("Category", |record, _| {
        record.product.category.as_ref().map(|category| category.full_name.clone()).unwrap_or_default()
    }),
    ("Status", |record, _| record.product.status.clone().unwrap_or_default()),
    ("Price", |record, _| price_line(&record.product).unwrap_or_default()),
    ("Stock", |record, _| record.product.inventory().map(number).unwrap_or_default()),
    ("Variants", |record, _| record.product.variants.len().to_string()),
    ("SKUs", |record, _| {
        let skus: Vec<&str> = record.product.variants.iter().filter_map(|variant| variant.sku.as_deref()).collect();
        skus.join(", ")
    }),
    ("Options", |record, _| {
        let options = record.product.options.iter().flatten();
        options.map(|option| format!("{}: {}", option.name, option.values.join(", "))).collect::<Vec<_>>().join("; ")
    }),
    ("Tags", |record, _| record.product.tags.join(", ")),
    ("Media", |record, _| record.product.media.len().to_string()),
    ("Published", |record, clock| record.product.published_at.as_deref().map(|at| when(at, clock)).unwrap_or_default()),
    ("Created", |record, clock| {
        let product = &record.product;
        when(product.provider_created_at.as_deref().unwrap_or(&product.created_at), clock)
    }),
    ("Updated", |record, clock| {
        let product = &record.product;
        when(product.provider_updated_at.as_deref().unwrap_or(&product.updated_at), clock)
    }),
    ("Address", |record, _| record.product.product_url.clone()),
    ("Product ID", |record, _| record.product.external_product_id.as_str().to_owned()),
    ("Description", |record, _| record.description.join(" ")),
];

fn rows(left: &Record, right: &Record, column: u16, clock: Clock<'_>) -> Vec<Row> {
    let row = |name: &str, values: [String; 2]| {
        let differs = values.iter().collect::<BTreeSet<_>>().len() > 1;
        let shown = values.map(|value| {
            let value: String = text::line(&value).chars().take(MOST_VALUE).collect();
            if value.is_empty() { vec!["–".to_owned()] } else { wrap(&value, column) }
        });
        Row { name: clean(name), values: shown, differs }
    };
    let mut rows: Vec<Row> =
        FIELDS.iter().map(|(name, value)| row(name, [left, right].map(|record| value(record, clock)))).collect();
    let metafields = [left, right].map(|record| leaves(record.raw.get("metafields").unwrap_or(&Value::Null)));
    let names: BTreeSet<&String> = metafields.iter().flatten().map(|(name, _)| name).collect();
    for name in names {
        let values = metafields.each_ref().map(|fields| {
            fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone()).unwrap_or_default()
        });
        rows.push(row(name, values));
    }
    rows
}

/// More metafields than these are for the JSON tab.
const MOST_LEAVES: usize = 200;

/// The metafields by their paths, each as text.
fn leaves(value: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut waiting = vec![(String::new(), value, 0)];
    while let Some((path, value, depth)) = waiting.pop() {
        if found.len() >= MOST_LEAVES {
            break;
        }
        match value {
            Value::Object(object) if depth < 3 => {
                for (key, value) in object {
                    let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                    waiting.push((path, value, depth + 1));
                }
            }
            Value::Null => {}
            Value::String(text) => found.push((path, text.clone())),
            other => found.push((path, other.to_string())),
        }
    }
    found
}
