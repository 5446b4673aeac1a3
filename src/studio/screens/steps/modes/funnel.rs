//! The funnel in numbers: visits over time, the paths that most viewers took, versions, steps, orders.

use std::borrow::Cow;
use std::sync::Arc;

use super::super::vocabulary::Turn;
use super::super::{Editor, Mode};
use crate::api::ProjectFunnel;
use crate::studio::ground::{Command, Moment, NoticeKind};
use crate::studio::screens::pane::Hint;
use crate::studio::widgets::rows::{scroll, stride};

/// What the last line shows.
pub(super) const HINTS: &[Hint] = &[
    Hint::moves().saying("scroll"),
    Hint::of(Command::FunnelDay),
    Hint::of(Command::FunnelWeek),
    Hint::of(Command::FunnelVersion),
    Hint::of(Command::Retry).saying("reload"),
    Hint::of(Command::Back),
];

/// How the panel is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FunnelPanel {
    /// Whether the plot is by weeks.
    pub(super) weekly: bool,
    /// The first line that is seen.
    pub(super) top: usize,
    /// The version whose numbers are shown, by its place from the newest one; all of them where there is none.
    pub(super) version: Option<usize>,
}

impl Editor {
    /// Shows the panel, with numbers that are read again.
    pub(in super::super) fn begin_funnel(&mut self, now: Moment, turn: &mut Turn) {
        self.mode = Mode::Funnel(FunnelPanel::default());
        self.read_funnel(now, turn);
    }

    fn scroll_funnel(&mut self, by: isize) {
        let area = self.side().unwrap_or_default();
        let all = self.funnel_lines(area.width.saturating_sub(2)).len();
        let page = Self::funnel_page(area);
        if let Mode::Funnel(panel) = &mut self.mode {
            scroll(&mut panel.top, by, page, all);
        }
    }

    /// Takes a command while the panel is shown.
    pub(super) fn funnel_command(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
        let page = Self::funnel_page(self.side().unwrap_or_default());
        match command {
            Command::Back | Command::StepsFunnelPanel => self.mode = Mode::Normal,
            Command::Retry | Command::StepsRefresh => self.read_funnel(now, turn),
            Command::StepsFunnel => self.turn_funnel(now, turn),
            Command::FunnelDay => self.plot_weekly(false),
            Command::FunnelWeek => self.plot_weekly(true),
            Command::FunnelVersion => self.next_version(turn),
            command => match stride(command, page) {
                Some(by) => self.scroll_funnel(by),
                None => return false,
            },
        }
        true
    }

    fn plot_weekly(&mut self, weekly: bool) {
        if let Mode::Funnel(panel) = &mut self.mode {
            panel.weekly = weekly;
        }
    }

    pub(super) fn funnel_wheel(&mut self, by: isize) {
        self.scroll_funnel(by);
    }

    /// Shows the numbers of the next version, the newest first, and of all of them after the oldest.
    fn next_version(&mut self, turn: &mut Turn) {
        let Mode::Funnel(panel) = &self.mode else { return };
        let next = panel.version.map_or(0, |version| version + 1);
        let Some(funnel) = self.numbers.known() else { return };
        let count = funnel.versions.len();
        let is_counted = funnel.versions.iter().any(|version| version.steps.is_some());
        if count == 0 || !is_counted {
            let say = if count == 0 {
                "No version was met by a viewer yet."
            } else {
                "This service doesn't count by version."
            };
            turn.say(NoticeKind::Hint, say);
            return;
        }
        if let Mode::Funnel(panel) = &mut self.mode {
            (panel.version, panel.top) = ((next < count).then_some(next), 0);
        }
    }

    /// The numbers that the panel shows, where they are there: of all visits, or of those that met one version.
    pub(super) fn panel_funnel(&self) -> Option<Cow<'_, ProjectFunnel>> {
        let funnel = self.numbers.known()?;
        let version = if let Mode::Funnel(panel) = &self.mode { panel.version } else { None };
        let of = version.and_then(|back| funnel.versions.iter().rev().nth(back));
        Some(match of.map(|version| funnel.of_version(&version.version)) {
            Some(Ok(of_version)) => Cow::Owned(of_version),
            Some(Err(_)) | None => Cow::Borrowed(funnel.as_ref()),
        })
    }

    /// The numbers of all visits, where they are there.
    pub(super) fn known_funnel(&self) -> Option<&Arc<ProjectFunnel>> {
        self.numbers.known()
    }
}
