//! Which lines the list has: folders and what is in them, or what a search found.

use std::collections::{HashMap, HashSet};

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use super::row::{Row, short};
use super::vocabulary::Listed;
use crate::domain::{FolderId, text};
use crate::studio::widgets::Select;

/// In which order projects stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// By name.
    #[default]
    Name,
    /// What was changed last comes first.
    Changed,
}

/// A folder, or `None` for the projects that are in none.
pub type Place = Option<FolderId>;

/// The projects of one folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Which folder.
    pub place: Place,
    /// What it is called, harmless.
    pub name: Box<str>,
    /// How many projects are in it.
    pub count: usize,
}

/// A line of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// A folder, by its number among the groups.
    Folder(usize),
    /// A project, by its number among the rows, with the letters of its name that a search matched.
    Project(usize, Vec<u32>),
}

/// The lines of the list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Arranged {
    /// The folders, by name; last those without one.
    pub groups: Vec<Group>,
    /// The lines that are shown; what is typed finds projects.
    pub lines: Select<Line>,
    /// The rows of each group, in order.
    members: Vec<Vec<usize>>,
}

impl Arranged {
    /// Sorts what was read into its folders. The lines still are those of what was read before.
    pub fn sort(&mut self, listed: &Listed, order: Order) {
        (self.groups, self.members) = groups(listed, order);
    }

    /// Whether projects stand under folders.
    #[must_use]
    pub fn is_grouped(&self) -> bool {
        !self.lines.is_searched() && self.groups.iter().any(|group| group.place.is_some())
    }

    /// The lines to show of the projects that are kept. A search finds the best first, without folders.
    #[must_use]
    pub fn find(
        &self,
        listed: &Listed,
        order: Order,
        folded: &HashSet<Place>,
        keeps: &dyn Fn(&Row) -> bool,
    ) -> Vec<Line> {
        let kept = |row: &usize| listed.rows.get(*row).is_some_and(keeps);
        if self.lines.is_searched() {
            let mut lines = find(listed, order, self.lines.query());
            lines.retain(|line| if let Line::Project(row, _) = line { kept(row) } else { true });
            return lines;
        }
        let (grouped, mut lines) = (self.is_grouped(), Vec::new());
        let all = listed.rows.iter().all(keeps);
        for (at, (group, members)) in self.groups.iter().zip(&self.members).enumerate() {
            // A folder of which nothing is kept is not in the way; an empty one is nobody's but its own.
            if grouped && (all || members.iter().any(&kept)) {
                lines.push(Line::Folder(at));
            }
            if !(grouped && folded.contains(&group.place)) {
                let members = members.iter().filter(|row| kept(row));
                lines.extend(members.map(|row| Line::Project(*row, Vec::new())));
            }
        }
        lines
    }

    /// The group that a line belongs to.
    #[must_use]
    pub fn group_of(&self, line: usize) -> Option<usize> {
        let above = self.lines.rows().get(..=line)?;
        above.iter().rev().find_map(|line| if let Line::Folder(group) = line { Some(*group) } else { None })
    }

    /// How many folders there are.
    #[must_use]
    pub fn folders(&self) -> usize {
        self.groups.iter().filter(|group| group.place.is_some()).count()
    }
}

fn groups(listed: &Listed, order: Order) -> (Vec<Group>, Vec<Vec<usize>>) {
    let mut groups: Vec<Group> = Vec::new();
    let mut at: HashMap<Place, usize> = HashMap::new();
    let mut members: Vec<Vec<usize>> = Vec::new();
    let mut open = |place: Place, name: Box<str>, groups: &mut Vec<Group>, members: &mut Vec<Vec<usize>>| {
        *at.entry(place.clone()).or_insert_with(|| {
            groups.push(Group { place, name, count: 0 });
            members.push(Vec::new());
            groups.len() - 1
        })
    };
    for folder in &listed.folders {
        open(Some(folder.id.clone()), folder.name.clone(), &mut groups, &mut members);
    }
    for (index, row) in listed.rows.iter().enumerate() {
        // A folder that the service did not tell is called by its id.
        let place = row.folder().cloned();
        let name = place.as_ref().map_or("No folder".into(), |id| short(id.as_str()));
        let group = open(place, name, &mut groups, &mut members);
        if let (Some(group), Some(members)) = (groups.get_mut(group), members.get_mut(group)) {
            group.count += 1;
            members.push(index);
        }
    }
    for members in &mut members {
        members.sort_by(|a, b| compare(listed, order, *a, *b));
    }
    let mut both: Vec<(Group, Vec<usize>)> = groups.into_iter().zip(members).collect();
    both.sort_by_cached_key(|(group, _)| (group.place.is_none(), text::natural(&group.name)));
    both.into_iter().unzip()
}

fn compare(listed: &Listed, order: Order, a: usize, b: usize) -> std::cmp::Ordering {
    let (Some(one), Some(other)) = (listed.rows.get(a), listed.rows.get(b)) else { return a.cmp(&b) };
    // Without a name it comes last, as what has none can't be looked for by it.
    let nameless = one.key.is_empty().cmp(&other.key.is_empty());
    let named = nameless.then_with(|| one.key.cmp(&other.key)).then(a.cmp(&b));
    match order {
        Order::Name => named,
        Order::Changed => other.changed.cmp(&one.changed).then(named),
    }
}

fn find(listed: &Listed, order: Order, term: &str) -> Vec<Line> {
    let pattern = Pattern::parse(term, CaseMatching::Ignore, Normalization::Smart);
    let mut matcher = Matcher::new(Config::DEFAULT);
    let mut letters = Vec::new();
    let mut found: Vec<(u32, usize, Vec<u32>)> = listed
        .rows
        .iter()
        .enumerate()
        .filter_map(|(index, row)| {
            let mut places = Vec::new();
            let name = Utf32Str::new(&row.name, &mut letters);
            if let Some(score) = pattern.indices(name, &mut matcher, &mut places) {
                places.sort_unstable();
                return Some((score, index, places));
            }
            // Whoever pastes an id means that project.
            (row.project.id.as_str() == term.trim()).then(|| (u32::MAX, index, Vec::new()))
        })
        .collect();
    found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| compare(listed, order, a.1, b.1)));
    found.into_iter().map(|(_, index, places)| Line::Project(index, places)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::row::FolderName;
    use super::*;
    use crate::domain::Project;

    fn row(name: &str, folder: &str, updated: &str) -> Row {
        Row::of(Project {
            id: name.into(),
            name: Some(name.to_owned()),
            folder: Some(folder.into()),
            updated_at: Some(updated.to_owned()),
            ..Project::default()
        })
    }

    fn listed() -> Listed {
        let folder = |id: &str, name: &str| FolderName { id: id.into(), name: name.into() };
        Listed {
            rows: vec![
                row("Tour", "1", "2026-01-03"),
                row("älg", "1", "2026-01-01"),
                row("Quiz", "", "2026-01-02"),
                row("Lost", "9", "2026-01-02"),
            ],
            folders: vec![folder("2", "Empty"), folder("1", "beds")],
            ..Listed::default()
        }
    }

    fn arranged(listed: &Listed, order: Order, folded: &HashSet<Place>, term: &str) -> Arranged {
        let mut arranged = Arranged::default();
        arranged.sort(listed, order);
        arranged.lines.paste(term);
        arranged.lines.show_found(arranged.find(listed, order, folded, &|_| true));
        arranged
    }

    fn shown(arranged: &Arranged, listed: &Listed) -> Vec<String> {
        let name = |line: &Line| match line {
            Line::Folder(group) => format!("[{} {}]", arranged.groups[*group].name, arranged.groups[*group].count),
            Line::Project(row, _) => listed.rows[*row].name.to_string(),
        };
        arranged.lines.rows().iter().map(name).collect()
    }

    #[test]
    fn folders_stand_by_name_and_projects_in_them() {
        let listed = listed();
        let sorted = arranged(&listed, Order::Name, &HashSet::new(), "");
        let all = ["[9 1]", "Lost", "[beds 2]", "älg", "Tour", "[Empty 0]", "[No folder 1]", "Quiz"];
        assert_eq!(shown(&sorted, &listed), all);
        assert_eq!((sorted.folders(), sorted.group_of(4)), (3, Some(1)));
        let folded = HashSet::from([Some("1".into()), None]);
        let sorted = arranged(&listed, Order::Name, &folded, "");
        assert_eq!(shown(&sorted, &listed), ["[9 1]", "Lost", "[beds 2]", "[Empty 0]", "[No folder 1]"]);
        let sorted = arranged(&listed, Order::Changed, &HashSet::new(), "");
        assert_eq!(shown(&sorted, &listed)[2..5], ["[beds 2]", "Tour", "älg"]);
    }

    #[test]
    fn a_search_looks_into_folded_folders_and_shows_the_best_first() {
        let listed = listed();
        let folded = HashSet::from([Some("1".into())]);
        assert_eq!(shown(&arranged(&listed, Order::Name, &folded, "alg"), &listed), ["älg"]);
        assert_eq!(shown(&arranged(&listed, Order::Name, &folded, "u"), &listed), ["Quiz", "Tour"]);
        assert_eq!(shown(&arranged(&listed, Order::Name, &folded, "zzz"), &listed), [] as [&str; 0]);
    }

    #[test]
    fn without_folders_there_is_nothing_to_fold() {
        let listed = Listed { rows: vec![row("B", "", ""), row("A", "", "")], ..Listed::default() };
        let sorted = arranged(&listed, Order::Name, &HashSet::from([None]), "");
        assert_eq!(shown(&sorted, &listed), ["A", "B"]);
    }
}
