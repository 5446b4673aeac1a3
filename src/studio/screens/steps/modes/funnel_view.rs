//! How the funnel in numbers looks.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::symbols::bar;
use ratatui::widgets::{Sparkline, Widget as _};

use super::super::{Editor, Mode};
use super::funnel::FunnelPanel;
use crate::api::{FunnelPath, ProjectFunnel, Revenue, StepFunnel};
use crate::domain::{Num, Share, text};
use crate::studio::widgets::{
    Ink, Panel, Piece, Role, number, piece, put, put_pieces, put_right, scrollbar, width, wipe,
};

/// Rows of the plot.
const PLOT: u16 = 4;
/// Rows above the lines that scroll: what is counted, the plot, and its dates.
const ABOVE: u16 = 2 + PLOT + 2;
/// A bar where there are no blocks.
const ASCII: bar::Set<'static> = bar::Set {
    full: "#",
    seven_eighths: "#",
    three_quarters: "#",
    five_eighths: "#",
    half: ".",
    three_eighths: ".",
    one_quarter: ".",
    one_eighth: ".",
    empty: " ",
};

fn whole(count: Num) -> u64 {
    count.whole().and_then(|count| u64::try_from(count).ok()).unwrap_or_default()
}

fn told(count: u64) -> String {
    number(i64::try_from(count).unwrap_or(i64::MAX))
}

fn share(part: Num, of: Num) -> Share {
    Share { part: whole(part), of: whole(of) }
}

/// `1,234 visits`.
fn visits(count: Num) -> String {
    let count = whole(count);
    format!("{} visit{}", told(count), if count == 1 { "" } else { "s" })
}

fn sold(name: &str, revenue: &[Revenue]) -> Option<Vec<Piece>> {
    let one = |one: &Revenue| format!("{} for {} {}", told(whole(one.orders)), one.amount, text::line(&one.currency));
    let all: Vec<String> = revenue.iter().map(one).collect();
    (!all.is_empty()).then(|| vec![piece(Role::Dim, format!("  {name:<11} ")), piece(Role::Text, all.join(", "))])
}

/// A text in so many columns.
fn cut(said: &str, room: usize) -> String {
    let said = &*crate::domain::drawn(said);
    let mut cut = String::new();
    for sign in said.chars() {
        if usize::from(width(&cut)) + 1 >= room {
            return cut + "~";
        }
        cut.push(sign);
    }
    cut
}

impl Editor {
    /// Rows that scroll.
    pub(super) fn funnel_page(area: Rect) -> usize {
        usize::from(area.height.saturating_sub(ABOVE + 2))
    }

    pub(super) fn draw_funnel(&self, panel: &FunnelPanel, buf: &mut Buffer, ink: Ink, area: Rect, beside: bool) {
        wipe(buf, ink, area);
        let by = match panel.version {
            None if panel.weekly => "by week".to_owned(),
            None => "by day".to_owned(),
            Some(back) => self.version_words(back),
        };
        let inner = if beside {
            let right = vec![piece(Role::Dim, by.as_str())];
            Panel { title: "Funnel", right, focused: true, ..Panel::default() }.draw(buf, ink, area)
        } else {
            put(buf, ink, (area.x + 1, area.y), area.width, "Funnel", ink.style(Role::Accent));
            put_right(buf, ink, (area.x, area.y), area.width.saturating_sub(1), &by, ink.style(Role::Dim));
            Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area }
        };
        let inner = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
        if inner.height < 2 || inner.width < 20 {
            return;
        }
        let Some(funnel) = self.panel_funnel() else {
            let say = self.numbers.state(ink);
            put(buf, ink, (inner.x, inner.y), inner.width, &say, ink.style(Role::Dim));
            return;
        };
        let mut y = inner.y;
        for line in Self::funnel_head(&funnel) {
            put_pieces(buf, ink, (inner.x, y), inner.width, &line);
            y += 1;
        }
        let plot = Rect { y, height: PLOT.min(inner.bottom().saturating_sub(y)), ..inner };
        match panel.version {
            None => Self::draw_plot(&funnel, panel.weekly, buf, ink, plot),
            // Days are not told apart by version.
            Some(_) => {
                put(
                    buf,
                    ink,
                    (plot.x, plot.y),
                    plot.width,
                    "‹funnel.version› shows the next version.",
                    ink.style(Role::Dim),
                );
            }
        }
        let rows = Rect { y: y + PLOT + 2, height: inner.bottom().saturating_sub(y + PLOT + 2), ..inner };
        let lines = self.funnel_lines(inner.width);
        for (line, y) in lines.iter().skip(panel.top).zip(rows.y..rows.bottom()) {
            put_pieces(buf, ink, (rows.x, y), rows.width, line);
        }
        scrollbar(buf, ink, area, panel.top, usize::from(rows.height), lines.len());
    }

    /// A version by its place from the newest one: `version 3f9a1c22d07b, 2 of 3`.
    fn version_words(&self, back: usize) -> String {
        let Some(funnel) = self.known_funnel() else { return String::new() };
        let Some(version) = funnel.versions.iter().rev().nth(back) else { return String::new() };
        let name = if version.sample == Some(true) { "sample data" } else { version.version.as_str() };
        format!("version {}, {} of {}", text::line(name), back + 1, funnel.versions.len())
    }

    /// How many there were, and where the numbers come from.
    fn funnel_head(funnel: &ProjectFunnel) -> [Vec<Piece>; 2] {
        let done = share(funnel.completed, funnel.visits).to_string();
        let mut first = vec![piece(Role::Text, visits(funnel.visits))];
        if !done.is_empty() {
            first.push(piece(Role::Dim, format!(", {done} came to the end")));
        }
        let sample = funnel.sample_visits.map(whole).unwrap_or_default();
        let second = match (sample, funnel.source.as_deref()) {
            (0, Some("payloads")) => "counted here, from webhook events that were kept".to_owned(),
            (0, _) if whole(funnel.visits) == 0 => "No visits yet. The numbers come with the first viewers.".to_owned(),
            (0, _) => String::new(),
            (all, _) if all == whole(funnel.visits) => "sample data: cutaway serve remove-sample-visits".to_owned(),
            (some, _) => format!("{} of them are sample data: cutaway serve remove-sample-visits", told(some)),
        };
        [first, vec![piece(Role::Warn, second)]]
    }

    /// Visits over time, a column for each day or week; between them are days without any.
    fn draw_plot(funnel: &ProjectFunnel, weekly: bool, buf: &mut Buffer, ink: Ink, area: Rect) {
        let counts = plotted(funnel, weekly);
        let (Some((first, _)), Some((last, _))) = (counts.first(), counts.last()) else { return };
        let room = usize::from(area.width.saturating_sub(1));
        // As wide as there is room: columns of one, two or more cells.
        let wide = (room / counts.len().max(1)).clamp(1, 6);
        let seen = counts.len().min(room / wide);
        let bars: Vec<u64> = counts
            .iter()
            .skip(counts.len() - seen)
            .flat_map(|(_, visits)| std::iter::repeat_n(*visits, wide))
            .collect();
        let most = counts.iter().map(|(_, visits)| *visits).max().unwrap_or_default();
        let set = if ink.ascii { ASCII } else { bar::NINE_LEVELS };
        Sparkline::default().data(bars).max(most.max(1)).bar_set(set).style(ink.style(Role::Accent)).render(area, buf);
        let first = counts.get(counts.len() - seen).map_or(first, |(first, _)| first);
        let unit = if weekly { "week" } else { "day" };
        let say = format!("{first} to {last}, at most {} a {unit}", told(most));
        put(buf, ink, (area.x, area.bottom()), area.width, &say, ink.style(Role::Dim));
    }

    /// What scrolls below the plot.
    pub(super) fn funnel_lines(&self, room: u16) -> Vec<Vec<Piece>> {
        let Some(funnel) = self.panel_funnel() else { return Vec::new() };
        let funnel = funnel.as_ref();
        let heading = |said: &str| vec![piece(Role::Accent, said.to_owned())];
        let mut lines = Vec::new();
        if !funnel.paths.is_empty() {
            lines.push(heading("Paths that viewers took most"));
            let all = Num::from(funnel.paths.iter().filter_map(|path| path.visits.whole()).sum::<i64>());
            lines.extend(funnel.paths.iter().map(|path| Self::path_line(funnel, path, all, room)));
            lines.push(Vec::new());
        }
        lines.push(heading("Steps: seen, left here, went back, median"));
        lines.extend(funnel.steps.iter().map(|step| Self::funnel_step(step, room)));
        lines.extend(self.product_lines_of(funnel, room));
        let gone = whole(funnel.gone.seen) + whole(funnel.gone.unknown);
        if gone > 0 {
            lines.push(vec![piece(Role::Warn, format!("  {} at steps that are gone", told(gone)))]);
        }
        let gone: u64 = funnel.steps.iter().map(|step| whole(step.gone_answers)).sum();
        if gone > 0 {
            lines.push(vec![piece(Role::Warn, format!("  {} choices of answers that are gone", told(gone)))]);
        }
        let orders = [("direct", &funnel.direct), ("indirect", &funnel.indirect), ("unverified", &funnel.unverified)];
        let orders: Vec<_> = orders.into_iter().filter_map(|(name, revenue)| sold(name, revenue)).collect();
        if !orders.is_empty() {
            lines.push(Vec::new());
            lines.push(heading("Orders"));
            lines.extend(orders);
        }
        if !funnel.versions.is_empty() {
            lines.push(Vec::new());
            lines.push(heading("Versions of the project, by their first visit"));
            lines.extend(funnel.versions.iter().map(|version| {
                let since = version.first_visit_at.split('T').next().unwrap_or_default();
                let name = if version.sample == Some(true) { "sample data" } else { version.version.as_str() };
                let done = share(version.completed, version.visits).to_string();
                let done = if done.is_empty() { done } else { format!(", {done} came to the end") };
                vec![
                    piece(Role::Text, format!("  {} ", text::line(since))),
                    piece(Role::Dim, format!("{:<13}", text::line(name))),
                    piece(Role::Text, visits(version.visits)),
                    piece(Role::Dim, done),
                ]
            }));
        }
        lines
    }

    /// What the steps show of products, and what was bought of it.
    fn product_lines_of(&self, funnel: &ProjectFunnel, room: u16) -> Vec<Vec<Piece>> {
        let mut lines = Vec::new();
        for step in funnel.steps.iter().filter(|step| !step.products.is_empty()) {
            for product in &step.products {
                let numbers = format!("{:>7} {:>8}", told(whole(product.shown)), told(whole(product.clicked)));
                let said = format!("{}, {}", text::line(&step.name), self.counted_title(&product.id));
                lines.push(Self::numbered(&said, numbers, room));
            }
            lines.extend(sold("orders here", &step.orders));
        }
        if !lines.is_empty() {
            lines.insert(0, vec![piece(Role::Accent, "Products: shown, clicked".to_owned())]);
            lines.insert(0, Vec::new());
        }
        let Some(bought) = funnel.sold.as_deref().filter(|bought| !bought.is_empty()) else { return lines };
        lines.push(Vec::new());
        lines.push(vec![piece(Role::Accent, "Products in orders: orders, their amount".to_owned())]);
        lines.extend(bought.iter().map(|one| {
            let numbers = format!("{:>7} {:>8} {}", told(whole(one.orders)), one.amount, text::line(&one.currency));
            Self::numbered(&self.counted_title(&one.id), numbers, room)
        }));
        lines
    }

    /// What a product is called that was counted by its id, with a variant's behind a blank.
    fn counted_title(&self, counted: &str) -> String {
        let id = counted.split(' ').next().unwrap_or(counted);
        let mut links = self.shown.graph.nodes().iter().flat_map(|node| &node.products);
        let link = links.find(|link| link.product_id.as_str() == id);
        let title = link.and_then(|link| self.shared.catalog.listed_title(link)).unwrap_or(counted);
        text::line(title).into_owned()
    }

    /// A line with numbers at its right.
    fn numbered(said: &str, numbers: String, room: u16) -> Vec<Piece> {
        let rest = usize::from(room).saturating_sub(numbers.chars().count() + 3);
        let said = cut(said, rest);
        let pad = " ".repeat(rest.saturating_sub(usize::from(width(&said))));
        vec![piece(Role::Dim, format!("  {said}{pad}")), piece(Role::Text, numbers)]
    }

    fn path_line(funnel: &ProjectFunnel, path: &FunnelPath, all: Num, room: u16) -> Vec<Piece> {
        let called = |name: &String| {
            let step = funnel.steps.iter().find(|step| step.name == *name);
            let title = step.and_then(|step| step.title.as_deref()).unwrap_or(name);
            text::line(title).into_owned()
        };
        let mut words: Vec<String> = path.steps.iter().map(called).collect();
        if path.steps.is_empty() {
            words.push("other paths".to_owned());
        } else if path.goes_on == Some(true) {
            words.push("and on".to_owned());
        }
        let count = format!("{:>7} {:>8}  ", told(whole(path.visits)), share(path.visits, all).to_string());
        let rest = usize::from(room).saturating_sub(count.chars().count());
        vec![piece(Role::Text, count), piece(Role::Dim, cut(&words.join(" > "), rest))]
    }

    fn funnel_step(step: &StepFunnel, room: u16) -> Vec<Piece> {
        let of = |part: Num| match whole(part) {
            0 => String::new(),
            _ => share(part, step.seen).to_string(),
        };
        let median = step.median_seconds.map(|seconds| format!("{seconds} s")).unwrap_or_default();
        let numbers = format!("{:>7} {:>8} {:>8} {median:>7}", told(whole(step.seen)), of(step.left), of(step.back));
        let title = text::line(step.title.as_deref().unwrap_or(&step.name)).into_owned();
        let name = text::line(&step.name).into_owned();
        let said = if title == name { name } else { format!("{name} {title}") };
        Self::numbered(&said, numbers, room)
    }

    /// The panel as lines of text.
    pub(in super::super) fn read_funnel_panel(&self, lines: &mut Vec<String>) {
        let Some(funnel) = self.panel_funnel() else {
            lines.push("Funnel: not loaded yet".to_owned());
            return;
        };
        let funnel = funnel.as_ref();
        if let Mode::Funnel(FunnelPanel { version: Some(back), .. }) = &self.mode {
            lines.push(format!("Version: {}", self.version_words(*back)));
        }
        let plain = |line: &[Piece]| line.iter().map(|piece| piece.text.as_str()).collect::<String>().trim().to_owned();
        lines.extend(Self::funnel_head(funnel).iter().map(|line| plain(line)));
        lines.extend(
            funnel.weeks.iter().map(|week| format!("Week of {}: {}", text::line(&week.week), visits(week.visits))),
        );
        lines.extend(self.funnel_lines(200).iter().map(|line| plain(line)));
        lines.retain(|line| !line.is_empty());
    }
}

/// Days or weeks with their visits, those without any among them.
fn plotted(funnel: &ProjectFunnel, weekly: bool) -> Vec<(String, u64)> {
    if weekly {
        return filled(funnel.weeks.iter().map(|week| (week.week.as_str(), whole(week.visits))), 7);
    }
    filled(funnel.days.iter().map(|day| (day.day.as_str(), whole(day.visits))), 1)
}

/// The most dates that are plotted: more of them fit no terminal.
const MOST_DATES: usize = 2000;

fn filled<'a>(counted: impl Iterator<Item = (&'a str, u64)>, days: i64) -> Vec<(String, u64)> {
    let mut all: Vec<(String, u64)> = Vec::new();
    let mut last: Option<jiff::civil::Date> = None;
    for (text, visits) in counted {
        let Ok(date) = text.parse::<jiff::civil::Date>() else { continue };
        let step = jiff::Span::new().days(days);
        while let Some(next) = last.and_then(|last| last.checked_add(step).ok())
            && next < date
            && all.len() < MOST_DATES
        {
            all.push((next.to_string(), 0));
            last = Some(next);
        }
        all.push((date.to_string(), visits));
        last = Some(date);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::filled;

    #[test]
    fn days_without_visits_have_their_place() {
        let days = [("2026-02-27", 3), ("2026-03-02", 1), ("no date", 9)];
        let told = filled(days.into_iter(), 1);
        let told: Vec<(&str, u64)> = told.iter().map(|(day, visits)| (day.as_str(), *visits)).collect();
        assert_eq!(told, [("2026-02-27", 3), ("2026-02-28", 0), ("2026-03-01", 0), ("2026-03-02", 1)]);
        assert_eq!(filled([("0001-01-01", 1), ("2026-01-01", 1)].into_iter(), 1).len(), 2001);
    }
}
