//! The list: what is selected in it, and how that moves.

use std::collections::HashSet;

use super::arrange::{Group, Line, Order, Place};
use super::row::Row;
use super::vocabulary::Listed;
use super::vocabulary::Turn;
use super::{Filter, Focus, Projects};
use crate::domain::{FolderId, ProjectId};
use crate::studio::ground::{Moment, Remote, Waiting};

/// What is selected, whatever line it stands in.
enum Spot {
    Folder(Place),
    Project(ProjectId),
}

impl Projects {
    /// What was read, current or stale.
    #[must_use]
    pub fn listed(&self) -> Option<&Listed> {
        self.list.known()
    }

    /// The project of a line.
    #[must_use]
    pub fn row_at(&self, line: usize) -> Option<&Row> {
        match self.arranged.lines.rows().get(line)? {
            Line::Project(row, _) => self.listed()?.rows.get(*row),
            Line::Folder(_) => None,
        }
    }

    /// The selected project.
    #[must_use]
    pub fn current(&self) -> Option<&Row> {
        self.row_at(self.arranged.lines.selected())
    }

    /// The selected folder.
    #[must_use]
    pub fn current_folder(&self) -> Option<&Group> {
        match self.arranged.lines.current()? {
            Line::Folder(group) => self.arranged.groups.get(*group),
            Line::Project(..) => None,
        }
    }

    /// What a folder is called: its name, or its id where the service did not tell one.
    #[must_use]
    pub fn folder_name(&self, id: &FolderId) -> Option<&str> {
        let group = self.arranged.groups.iter().find(|group| group.place.as_ref() == Some(id))?;
        Some(&group.name)
    }

    /// Works the lines out again; what was selected stays so.
    pub(super) fn rearrange(&mut self) {
        let spot = self.spot();
        self.arrange(spot);
    }

    /// Takes a list that was read, or another order; `spot` is what is to be selected.
    fn regroup(&mut self, spot: Option<Spot>) {
        let Some(listed) = self.list.known() else { return };
        self.arranged.sort(listed, self.order);
        self.arrange(spot);
    }

    /// The draft of a project, where edits of it are not saved.
    #[must_use]
    pub fn draft_of(&self, id: &ProjectId) -> Option<&Waiting> {
        self.drafts.iter().find(|draft| draft.project == *id)
    }

    /// Takes the drafts that wait. What is edited in one can be got at also where the service has its project no more.
    pub(super) fn take_drafts(&mut self, drafts: Vec<Waiting>, now: Moment, turn: &mut Turn) {
        self.drafts = drafts;
        let Remote::Ready(listed) = &mut self.list else { return };
        let before = listed.rows.len();
        let known = listed.rows.iter().filter(|row| row.unlisted).count();
        add_drafts(listed, &self.drafts);
        if known > 0 || listed.rows.len() != before {
            let spot = self.spot();
            self.regroup(spot);
            self.follow(now, turn);
        }
    }

    /// Takes the list that was read in place of the one before.
    pub(super) fn replace_list(&mut self, mut listed: Listed) {
        add_drafts(&mut listed, &self.drafts);
        let wanted = self.wanted.take();
        let spot = wanted.clone().map(Spot::Project).or_else(|| self.spot());
        self.list.settle(Ok(listed));
        self.regroup(spot);
        if let Some(wanted) = wanted.filter(|id| self.current().is_none_or(|row| row.project.id != *id)) {
            self.reveal(wanted);
        }
    }

    fn spot(&self) -> Option<Spot> {
        match (self.current(), self.current_folder()) {
            (Some(row), _) => Some(Spot::Project(row.project.id.clone())),
            (None, Some(group)) => Some(Spot::Folder(group.place.clone())),
            (None, None) => None,
        }
    }

    fn arrange(&mut self, spot: Option<Spot>) {
        self.lay_out();
        let Some(lines) = self.find() else { return };
        let (rows, groups) = (self.list.known().map(|listed| &listed.rows), &self.arranged.groups);
        let is_it = |line: &Line| match (line, &spot) {
            (Line::Folder(group), Some(Spot::Folder(place))) => {
                groups.get(*group).is_some_and(|group| group.place == *place)
            }
            (Line::Project(row, _), Some(Spot::Project(id))) => {
                let row = rows.and_then(|rows| rows.get(*row));
                !id.is_empty() && row.is_some_and(|row| row.project.id == *id)
            }
            _ => false,
        };
        self.arranged.lines.show_at(lines, is_it);
    }

    /// What is typed is another: the best comes first, and it is what was meant.
    pub(super) fn search(&mut self) {
        match self.find().filter(|_| self.arranged.lines.is_searched()) {
            Some(found) => self.arranged.lines.show_found(found),
            None => self.rearrange(),
        }
    }

    /// The lines to show; none where no list was read.
    fn find(&self) -> Option<Vec<Line>> {
        let (filter, drafts) = (&self.filter, &self.drafts);
        let keeps = |row: &Row| filter.keeps(row, drafts);
        self.list.known().map(|listed| self.arranged.find(listed, self.order, &self.folded, &keeps))
    }

    /// Selects a project that is hidden: its folder is unfolded, and a search that does not find it is ended.
    fn reveal(&mut self, id: ProjectId) {
        let known = self.listed().and_then(|listed| listed.rows.iter().find(|row| row.project.id == id));
        if let Some(place) = known.map(|row| row.folder().cloned()) {
            self.folded.remove(&place);
            self.arranged.lines.clear_query();
            self.filter = Filter::All;
        }
        self.arrange(Some(Spot::Project(id)));
    }

    /// Moves the selection.
    pub(super) fn step(&mut self, by: isize, now: Moment, turn: &mut Turn) {
        self.lay_out();
        self.arranged.lines.step(by);
        self.follow(now, turn);
    }

    /// Turns the wheel: the list moves, the selection only as far as it must to be seen.
    pub(super) fn wheel(&mut self, by: isize, now: Moment, turn: &mut Turn) {
        self.lay_out();
        self.arranged.lines.wheel(by);
        self.follow(now, turn);
    }

    /// Tells the list how many of its lines are seen, as things stand now.
    pub(super) fn lay_out(&mut self) {
        self.arranged.lines.resize(self.page());
    }

    /// Folds the selected folder, or unfolds it; whether one is selected.
    pub(super) fn toggle_fold(&mut self) -> bool {
        let Some(place) = self.current_folder().map(|group| group.place.clone()) else { return false };
        if !self.folded.remove(&place) {
            self.folded.insert(place);
        }
        self.rearrange();
        true
    }

    /// Folds every folder, or unfolds all where all are folded.
    pub(super) fn fold_all(&mut self, now: Moment, turn: &mut Turn) {
        let places = || self.arranged.groups.iter().map(|group| group.place.clone());
        let all = places().all(|place| self.folded.contains(&place));
        // The folder of the selected project stays selected when it is folded.
        let group =
            self.arranged.group_of(self.arranged.lines.selected()).and_then(|group| self.arranged.groups.get(group));
        let place = group.map(|group| group.place.clone());
        self.folded = if all { HashSet::new() } else { places().collect() };
        match place.filter(|_| !all) {
            Some(place) => self.arrange(Some(Spot::Folder(place))),
            None => self.rearrange(),
        }
        self.follow(now, turn);
    }

    /// Left: out of a project to its folder, then the folder is folded.
    pub(super) fn go_out(&mut self, now: Moment, turn: &mut Turn) {
        if let Some(place) = self.current_folder().map(|group| group.place.clone()) {
            self.folded.insert(place);
            self.rearrange();
        } else if let Some(group) = self.arranged.group_of(self.arranged.lines.selected()) {
            let line = self.arranged.lines.rows().iter().position(|line| *line == Line::Folder(group));
            self.arranged.lines.go_to(line.unwrap_or(self.arranged.lines.selected()));
        }
        self.follow(now, turn);
    }

    /// Right: a folder is unfolded, then entered; of a project what is said of it.
    pub(super) fn go_in(&mut self, now: Moment, turn: &mut Turn) {
        if let Some(place) = self.current_folder().map(|group| group.place.clone()) {
            if self.folded.remove(&place) {
                self.rearrange();
            } else {
                self.step(1, now, turn);
            }
        } else if self.current().is_some() {
            self.focus = Focus::Detail;
            self.follow(now, turn);
        }
    }

    pub(super) fn sort(&mut self) {
        self.order = match self.order {
            Order::Name => Order::Changed,
            Order::Changed => Order::Name,
        };
        let spot = self.spot();
        self.regroup(spot);
    }
}

/// Adds a row for each draft whose project is not among those that the service lists.
fn add_drafts(listed: &mut Listed, drafts: &[Waiting]) {
    listed.rows.retain(|row| !row.unlisted);
    let known: HashSet<&ProjectId> = listed.rows.iter().map(|row| &row.project.id).collect();
    let rows: Vec<Row> = drafts.iter().filter(|draft| !known.contains(&draft.project)).map(Row::of_draft).collect();
    listed.rows.extend(rows);
}
