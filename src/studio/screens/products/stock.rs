//! Stock at a glance: sums by option value, as a table of sizes by colours where there are two options.

use std::collections::BTreeMap;

use super::lines::{Line, padded};
use super::shelf::{Shelf, oversells};
use crate::domain::{Num, Product, Variant, text};
use crate::studio::widgets::{Piece, Role, number_in, piece, width};

/// Columns of a sum.
const SUM: u16 = 9;

/// What the variants of a cell, a row or a column have together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Sum {
    /// Of those that are counted.
    stock: Option<i64>,
    /// Whether there is a variant at all, one that is not counted, one that is sold beyond its stock.
    any: bool,
    untracked: bool,
    oversells: bool,
}

impl Sum {
    fn add(&mut self, variant: &Variant) {
        self.any = true;
        self.oversells |= oversells(variant);
        let untracked = Shelf::of_variant(variant) == Shelf::Untracked;
        self.untracked |= untracked;
        if let Some(stock) = variant.inventory_quantity.and_then(Num::whole).filter(|_| !untracked) {
            self.stock = Some(self.stock.unwrap_or_default().saturating_add(stock));
        }
    }

    /// As it is shown: what is not counted never runs out, whatever is beside it.
    fn piece(self, room: u16) -> Piece {
        let (stands, stock) = match self {
            Self { any: false, .. } => return piece(Role::Faint, right("·", room)),
            Self { untracked: true, stock: None | Some(..=0), .. } => {
                return piece(Shelf::Untracked.role(), right(Shelf::Untracked.mark(), room));
            }
            Self { stock: None, .. } => return piece(Role::Faint, right("–", room)),
            Self { stock: Some(stock), oversells, .. } => (Shelf::of_stock(stock, oversells), stock),
        };
        let words = match stands.mark() {
            "" => number_in(stock, room.saturating_sub(2)),
            mark => format!("{mark} {}", number_in(stock, room.saturating_sub(4))),
        };
        piece(stands.role(), right(&words, room))
    }
}

/// The options that a product's variants are sorted by, the values of each in the order of the product.
struct Axis {
    name: String,
    values: Vec<String>,
}

/// The sums of a product's stock by the values of its first two options; nothing where it has none.
#[must_use]
pub fn lines(product: &Product, room: u16) -> Vec<Line> {
    let options = product.options.as_deref().unwrap_or_default();
    let mut axes = options.iter().take(2).map(|option| axis(product, &option.name));
    let (Some(down), across) = (axes.next(), axes.next()) else { return Vec::new() };
    if down.values.len() < 2 && across.as_ref().is_none_or(|across| across.values.len() < 2) {
        return Vec::new();
    }
    match across {
        // Colours down, where there is no room for all of them side by side and there is for the sizes.
        Some(across) if taken(&down, &across) > room && taken(&across, &down) <= room => {
            draw(product, &across, Some(&down), room)
        }
        across => draw(product, &down, across.as_ref(), room),
    }
}

fn chosen<'a>(variant: &'a Variant, option: &str) -> Option<&'a String> {
    variant.selected_options.as_ref()?.iter().find(|selected| selected.name == option).map(|selected| &selected.value)
}

/// The values of an option in the order in which the product lists them, those that only variants have after them.
fn axis(product: &Product, option: &str) -> Axis {
    let listed = product.options.iter().flatten().find(|known| known.name == option);
    let mut values = listed.map(|known| known.values.clone()).unwrap_or_default();
    for value in product.variants.iter().filter_map(|variant| chosen(variant, option)) {
        if !values.contains(value) {
            values.push(value.clone());
        }
    }
    Axis { name: option.to_owned(), values }
}

fn clean(value: &str) -> String {
    text::line(value).into_owned()
}

/// Columns that the names of rows take.
fn first(down: &Axis) -> u16 {
    down.values.iter().map(|row| width(&clean(row))).max().unwrap_or(0).clamp(6, 18)
}

fn wide(column: &str) -> u16 {
    width(&clean(column)).clamp(7, 12) + 2
}

fn taken(down: &Axis, across: &Axis) -> u16 {
    let columns = across.values.iter().fold(0u16, |sum, column| sum.saturating_add(wide(column)));
    columns.saturating_add(first(down) + SUM)
}

fn draw(product: &Product, down: &Axis, across: Option<&Axis>, room: u16) -> Vec<Line> {
    let columns = across.map(|across| across.values.as_slice()).unwrap_or_default();
    let mut cells: BTreeMap<(usize, usize), Sum> = BTreeMap::new();
    let (mut rows, mut sums) = (vec![Sum::default(); down.values.len()], vec![Sum::default(); columns.len()]);
    let mut all = Sum::default();
    for variant in &product.variants {
        let at =
            |axis: &Axis| chosen(variant, &axis.name).and_then(|value| axis.values.iter().position(|v| v == value));
        let (row, column) = (at(down), across.and_then(at));
        all.add(variant);
        row.and_then(|row| rows.get_mut(row)).into_iter().for_each(|sum| sum.add(variant));
        column.and_then(|column| sums.get_mut(column)).into_iter().for_each(|sum| sum.add(variant));
        if let (Some(row), Some(column)) = (row, column) {
            cells.entry((row, column)).or_default().add(variant);
        }
    }
    let heading = match across {
        Some(across) => format!("Stock by {} and {}", clean(&down.name), clean(&across.name)),
        None => format!("Stock by {}", clean(&down.name)),
    };
    let first = first(down);
    // Columns that there is no room for are left out whole; the sum at the right counts them all the same.
    let mut used = first + SUM;
    let shown = columns.iter().take_while(|column| {
        used += wide(column);
        used <= room
    });
    let shown: Vec<(usize, u16)> = shown.map(|column| wide(column)).enumerate().collect();
    let mut head = vec![piece(Role::Dim, padded("", first, false))];
    head.extend(columns.iter().zip(&shown).map(|(label, (_, wide))| piece(Role::Dim, right(&clean(label), *wide))));
    head.push(piece(Role::Dim, right("sum", SUM)));
    let mut lines = vec![Vec::new(), vec![piece(Role::Accent, heading)], head];
    for (row, label) in down.values.iter().enumerate() {
        let mut line = vec![piece(Role::Text, padded(&clean(label), first, false))];
        line.extend(
            shown.iter().map(|(column, wide)| cells.get(&(row, *column)).copied().unwrap_or_default().piece(*wide)),
        );
        line.push(rows.get(row).copied().unwrap_or_default().piece(SUM));
        lines.push(line);
    }
    let mut line = vec![piece(Role::Dim, padded("sum", first, false))];
    line.extend(sums.iter().zip(&shown).map(|(sum, (_, wide))| sum.piece(*wide)));
    line.push(all.piece(SUM));
    lines.push(line);
    let left_out = columns.len() - shown.len();
    if left_out > 0 {
        lines.push(vec![piece(Role::Dim, format!("{left_out} more columns"))]);
    }
    lines
}

fn right(value: &str, room: u16) -> String {
    let cut = padded(value, room.saturating_sub(2).min(width(value)), false);
    padded(&cut, room, true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{ProductOption, SelectedOption};

    fn option(name: &str, values: &[&str]) -> ProductOption {
        ProductOption {
            name: name.into(),
            values: values.iter().map(|value| (*value).to_owned()).collect(),
            ..ProductOption::default()
        }
    }

    fn variant(size: &str, colour: &str, stock: i64) -> Variant {
        Variant {
            selected_options: Some(vec![
                SelectedOption { name: "Size".into(), value: size.into(), ..SelectedOption::default() },
                SelectedOption { name: "Colour".into(), value: colour.into(), ..SelectedOption::default() },
            ]),
            inventory_quantity: Some(Num::from(stock)),
            ..Variant::default()
        }
    }

    fn text(product: &Product, room: u16) -> Vec<String> {
        lines(product, room).iter().map(|line| line.iter().map(|piece| piece.text.as_str()).collect()).collect()
    }

    #[test]
    fn sizes_by_colours() {
        let product = Product {
            options: Some(vec![option("Size", &["S", "M"]), option("Colour", &["Moss", "Stone"])]),
            variants: vec![variant("S", "Moss", 3), variant("S", "Stone", 0), variant("M", "Moss", 1200)],
            ..Product::default()
        };
        assert_eq!(
            text(&product, 60),
            [
                "",
                "Stock by Size and Colour",
                "           Moss    Stone      sum",
                "S           ! 3      ✗ 0      ! 3",
                "M         1,200        ·    1,200",
                "sum       1,203      ✗ 0    1,203",
            ]
        );
        assert_eq!(lines(&Product::default(), 60), Vec::<Line>::new());
    }

    #[test]
    fn what_is_not_counted_and_what_sells_on_is_marked() {
        let untracked = Variant { inventory_tracked: Some(false), ..variant("S", "Moss", 0) };
        let unknown = Variant { inventory_quantity: None, ..variant("M", "Moss", 0) };
        let beyond = Variant { inventory_policy: Some("CONTINUE".into()), ..variant("L", "Moss", -4) };
        let product = Product {
            options: Some(vec![option("Size", &["S", "M", "L"])]),
            variants: vec![untracked, unknown, beyond],
            ..Product::default()
        };
        let said = text(&product, 60);
        assert!(said[3].ends_with('∞') && said[4].ends_with('–') && said[5].ends_with("↓ -4"), "{said:?}");
    }

    #[test]
    fn more_colours_than_there_is_room_for_stand_below_each_other_or_are_said() {
        let colours: Vec<String> = (0..12).map(|number| format!("Colour {number}")).collect();
        let named: Vec<&str> = colours.iter().map(String::as_str).collect();
        let product = Product {
            options: Some(vec![option("Size", &["S", "M"]), option("Colour", &named)]),
            variants: named.iter().map(|colour| variant("S", colour, 9)).collect(),
            ..Product::default()
        };
        let said = text(&product, 50);
        assert_eq!((said[1].as_str(), said.len()), ("Stock by Colour and Size", 16));
        let said = text(&product, 24);
        assert!(said.last().unwrap().contains("more columns"), "{said:?}");
        assert!(said.iter().skip(2).take(14).all(|line| width(line) <= 24 + 1), "{said:?}");
    }
}
