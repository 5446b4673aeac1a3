//! Stock at a glance: sums by option value, as a table of sizes by colours where there are two options.

use std::collections::BTreeMap;

use super::detail::Line;
use crate::domain::{Product, Variant, text};
use crate::studio::widgets::{Piece, Role, number, piece, width};

/// The sums of a product's stock by the values of its first two options; nothing where it has none.
#[must_use]
pub fn lines(product: &Product, room: u16) -> Vec<Line> {
    let names: Vec<&str> =
        product.options.as_deref().unwrap_or_default().iter().map(|option| option.name.as_str()).collect();
    let (Some(down), across) = (names.first().copied(), names.get(1).copied()) else { return Vec::new() };
    let rows = values(product, down);
    let columns = across.map(|across| values(product, across)).unwrap_or_default();
    if rows.len() < 2 && columns.len() < 2 {
        return Vec::new();
    }
    let mut sums: BTreeMap<(usize, Option<usize>), i64> = BTreeMap::new();
    for variant in &product.variants {
        let place = |option: &str, values: &[String]| {
            let value = chosen(variant, option)?;
            values.iter().position(|known| known == value)
        };
        let Some(row) = place(down, &rows) else { continue };
        let stock = variant.inventory_quantity.and_then(crate::domain::Num::whole).unwrap_or(0);
        let column = across.and_then(|across| place(across, &columns));
        *sums.entry((row, column)).or_default() += stock;
    }
    draw(&rows, &columns, &sums, [down, across.unwrap_or_default()], room)
}

fn chosen<'a>(variant: &'a Variant, option: &str) -> Option<&'a String> {
    variant.selected_options.as_ref()?.iter().find(|selected| selected.name == option).map(|selected| &selected.value)
}

/// The values of an option in the order in which the product lists them, those that only variants have after them.
fn values(product: &Product, option: &str) -> Vec<String> {
    let listed = product.options.iter().flatten().find(|known| known.name == option);
    let mut values = listed.map(|known| known.values.clone()).unwrap_or_default();
    for value in product.variants.iter().filter_map(|variant| chosen(variant, option)) {
        if !values.contains(value) {
            values.push(value.clone());
        }
    }
    values
}

fn draw(
    rows: &[String],
    columns: &[String],
    sums: &BTreeMap<(usize, Option<usize>), i64>,
    [down, across]: [&str; 2],
    room: u16,
) -> Vec<Line> {
    let clean = |value: &str| text::line(value).into_owned();
    let heading = if across.is_empty() {
        format!("Stock by {}", clean(down))
    } else {
        format!("Stock by {} and {}", clean(down), clean(across))
    };
    let first = rows.iter().map(|row| width(&clean(row))).max().unwrap_or(0).clamp(6, 18);
    // Columns that there is no room for are left out whole; the sum at the right counts them all the same.
    let mut taken = first + 9;
    let shown: Vec<(usize, String, u16)> = columns
        .iter()
        .enumerate()
        .map(|(at, column)| (at, clean(column), width(&clean(column)).clamp(5, 12) + 2))
        .take_while(|(_, _, wide)| {
            taken += wide;
            taken <= room
        })
        .collect();
    let mut head = vec![piece(Role::Dim, fit("", first))];
    head.extend(shown.iter().map(|(_, label, wide)| piece(Role::Dim, right(label, *wide))));
    head.push(piece(Role::Dim, right("sum", 9)));
    let mut lines = vec![Vec::new(), vec![piece(Role::Accent, heading)], head];
    for (row, label) in rows.iter().enumerate() {
        let mut line = vec![piece(Role::Text, fit(&clean(label), first))];
        for (column, _, wide) in &shown {
            line.push(match sums.get(&(row, Some(*column))) {
                Some(stock) => amount(*stock, *wide),
                None => piece(Role::Faint, right("·", *wide)),
            });
        }
        let sum = sums.range((row, None)..=(row, Some(usize::MAX))).map(|(_, stock)| stock).sum();
        line.push(amount(sum, 9));
        lines.push(line);
    }
    lines
}

fn amount(stock: i64, room: u16) -> Piece {
    let role = match stock {
        ..=0 => Role::Error,
        1..=4 => Role::Warn,
        _ => Role::Text,
    };
    piece(role, right(&number(stock), room))
}

fn fit(value: &str, room: u16) -> String {
    let mut out = String::new();
    for c in value.chars() {
        if width(&out) + 1 > room {
            break;
        }
        out.push(c);
    }
    let gap = room.saturating_sub(width(&out));
    out + &" ".repeat(usize::from(gap))
}

fn right(value: &str, room: u16) -> String {
    let cut = fit(value, room.saturating_sub(2).min(width(value)));
    " ".repeat(usize::from(room.saturating_sub(width(&cut)))) + &cut
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Num, ProductOption, SelectedOption};

    #[test]
    fn sizes_by_colours() {
        let option = |name: &str, values: &[&str]| ProductOption {
            name: name.into(),
            values: values.iter().map(|value| (*value).to_owned()).collect(),
            ..ProductOption::default()
        };
        let variant = |size: &str, colour: &str, stock: i64| Variant {
            selected_options: Some(vec![
                SelectedOption { name: "Size".into(), value: size.into(), ..SelectedOption::default() },
                SelectedOption { name: "Colour".into(), value: colour.into(), ..SelectedOption::default() },
            ]),
            inventory_quantity: Some(Num::from(stock)),
            ..Variant::default()
        };
        let product = Product {
            options: Some(vec![option("Size", &["S", "M"]), option("Colour", &["Moss", "Stone"])]),
            variants: vec![variant("S", "Moss", 3), variant("S", "Stone", 0), variant("M", "Moss", 1200)],
            ..Product::default()
        };
        let text: Vec<String> =
            lines(&product, 60).iter().map(|line| line.iter().map(|piece| piece.text.as_str()).collect()).collect();
        assert_eq!(
            text,
            [
                "",
                "Stock by Size and Colour",
                "         Moss  Stone      sum",
                "S           3      0        3",
                "M       1,200      ·    1,200",
            ]
        );
        assert_eq!(lines(&Product::default(), 60), Vec::<Line>::new());
    }
}
