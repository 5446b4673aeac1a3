//! What happens on the Videos screen.

use super::answer::{Answer, Turn};
use super::library::Measured;
use super::queue::{set_at_once, set_limit};
use super::showing::Showing;
use super::vocabulary::{Effect, Event, LibraryVideo, Unplayable};
use super::{Focus, Videos};
use crate::domain::{VideoId, address_problem, text};
use crate::studio::ground::{Alarm, Command, Failure, Moment, NoticeKind, Remote};
use crate::studio::screens::turn::Outcome;
use crate::studio::widgets::chooser::{Chosen, paths};
use crate::studio::widgets::rows::stride;
use crate::studio::widgets::{Answered, Prompt, Question, Role};
use crate::uploads::State;

/// While uploads arrive one after the other the library is read at most so often, milliseconds.
const READ_EVERY_MS: i64 = 3_000;

pub(super) fn fail(turn: &mut Turn, failure: &Failure, what: &str) {
    if failure.unauthorized {
        turn.outcomes.push(Outcome::Unauthorized);
    } else {
        turn.say(NoticeKind::Error, format!("{what}: {}", failure.what));
    }
}

impl Videos {
    /// It came to the front.
    pub(super) fn came_to_the_front(&mut self, now: Moment, turn: &mut Turn) {
        if !turn.context.connected {
            return;
        }
        turn.ask(Effect::Look);
        if self.library.videos.known().is_none() && self.library.videos.waiting().is_none() {
            self.read_library(now, turn);
        }
    }

    pub(super) fn read_library(&mut self, now: Moment, turn: &mut Turn) {
        let request = turn.next_id();
        self.library.videos.load(request, now);
        (self.library.read_at, self.library.outdated) = (now, false);
        turn.ask(Effect::List(request));
        turn.wake(Alarm::Spinner, 300);
    }

    /// Reads the library again where it was read before something arrived. While more is on its way that is done now
    /// and then: each reading costs as much as there are videos.
    pub(super) fn reread_library(&mut self, more_comes: bool, now: Moment, turn: &mut Turn) {
        let library = &self.library;
        let wanted = library.outdated && library.videos.known().is_some() && library.videos.waiting().is_none();
        let soon = more_comes && now.since(library.read_at) < READ_EVERY_MS;
        if wanted && !soon && turn.context.connected {
            self.read_library(now, turn);
        }
    }

    /// Takes what happened.
    pub fn event(&mut self, event: Event, now: Moment, turn: &mut Turn) {
        self.take_event(event, now, turn);
        self.leave_problems(turn);
    }

    fn take_event(&mut self, event: Event, now: Moment, turn: &mut Turn) {
        match event {
            Event::Listed { request, videos } if self.library.videos.wants(request) => self.take_listed(videos, turn),
            Event::SizeTold { video, size, .. } => {
                self.library.sizes.insert(video, size);
            }
            Event::UsesRead { request, project, uses, read, of } if self.using == Some(request) => {
                (self.uses.read, self.uses.all) = (read, Some(of));
                for (step, video) in uses {
                    self.uses.of.entry(video).or_default().push((project.clone(), step));
                }
                if matches!(self.library.showing, Showing::Used | Showing::Unused) {
                    self.arrange();
                }
            }
            Event::UsesEnded { request, read } if self.using == Some(request) => self.take_uses(read, now, turn),
            Event::Deleted { video, said: Ok(said), .. } => {
                turn.say(NoticeKind::Done, text::line(&said).into_owned());
                self.uses.of.remove(&video);
                self.read_library(now, turn);
            }
            Event::Deleted { said: Err(failure), .. } => fail(turn, &failure, "Couldn't delete the video"),
            Event::CaptionsRead { video, language, read, .. } => self.take_captions(&video, &language, read, turn),
            Event::CaptionsAdded { added, .. } => self.take_added(added, now, turn),
            Event::CaptionsRemoved { language, removed, .. } => self.take_removed(&language, removed, now, turn),
            Event::Registered { registered: Ok(id), .. } => self.take_registered(id, now, turn),
            Event::Registered { registered: Err(failure), .. } => fail(turn, &failure, "Couldn't add the video"),
            Event::FolderRead { request, folder } if self.chooser.folder.wants(request) => {
                if let Err(why) = &folder {
                    turn.say(NoticeKind::Warning, why.clone());
                }
                self.lay_out();
                self.chooser.take(folder);
            }
            Event::IsFolder { folder, .. } => {
                if turn.may_write() {
                    self.focus = Focus::Chooser;
                    self.chooser.marked.clear();
                    self.take_chosen(Chosen::Folder(folder), now, turn);
                }
            }
            Event::Queued { count, refused, repeated, unplayable, .. } => {
                self.queued(count, &refused, &repeated, turn);
                if let Some(unplayable) = unplayable {
                    ask_about(*unplayable, turn);
                }
            }
            Event::ProjectsListed { request, projects } if self.using == Some(request) => {
                self.miss_projects(&projects, turn);
            }
            Event::Uploads(overview) => self.take_overview(*overview, now, turn),
            Event::Check(reply) => self.checked(reply, turn),
            // Replies that are no longer wanted.
            Event::Listed { .. }
            | Event::ProjectsListed { .. }
            | Event::UsesRead { .. }
            | Event::UsesEnded { .. }
            | Event::FolderRead { .. } => {}
        }
    }

    fn take_registered(&mut self, id: VideoId, now: Moment, turn: &mut Turn) {
        let name = self.registering.take().filter(|name| !name.is_empty());
        let called = name.map_or_else(|| "the video".to_owned(), |name| text::line(&name).into_owned());
        turn.say(NoticeKind::Done, format!("Added {called}."));
        self.library.wanted = Some(id);
        self.read_library(now, turn);
    }

    fn take_listed(&mut self, videos: Result<Vec<LibraryVideo>, Failure>, turn: &mut Turn) {
        if let Err(failure) = &videos
            && (failure.unauthorized || self.library.videos.known().is_some())
        {
            fail(turn, failure, "Couldn't load the library");
        }
        self.library.videos.settle(videos.map_err(|failure| failure.what));
        self.arrange();
        self.take_up();
        self.moved(turn);
        if self.uses.all.is_none() && self.using.is_none() {
            self.read_uses(turn);
        }
    }

    /// What was uploaded from here is known from its file.
    pub(super) fn learn_measures(&mut self) {
        for (id, ms) in &*self.overview.lengths {
            self.library.measured.entry(id.clone()).or_default().duration_ms.get_or_insert(*ms);
        }
        for upload in self.overview.queue.uploads() {
            if let State::Done { video, .. } = &upload.state {
                let id = VideoId::from(video.as_str());
                self.library.sizes.insert(id.clone(), Some(upload.file.fingerprint.size));
                let (duration_ms, picture) = (upload.file.duration_ms, upload.file.picture);
                self.library.measured.insert(id, Measured { duration_ms, picture });
            }
        }
    }

    /// The selection moved: what the detail lacks is asked for.
    pub(super) fn moved(&mut self, turn: &mut Turn) {
        self.detail_top = 0;
        if self.parts().detail.height == 0 {
            return;
        }
        let Some(video) = self.library.current() else { return };
        let unknown = self.library.size(video).is_none() && !self.library.sizes.contains_key(&video.id);
        if let (true, Some(address)) = (unknown, video.address.clone()) {
            let video = video.id.clone();
            // Asked once, whatever comes of it.
            self.library.sizes.insert(video.clone(), None);
            turn.request(|request| Effect::AskSize { request, video, address });
        }
    }

    /// Takes a command; whether it knew what to do with it.
    pub(super) fn take_command(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
        let is_done = (self.focus == Focus::Problems && self.problems_command(command, now, turn))
            || self.command_on_videos(command, now, turn);
        self.leave_problems(turn);
        is_done
    }

    fn command_on_videos(&mut self, command: Command, now: Moment, turn: &mut Turn) -> bool {
        if let Some(by) = stride(command, self.page()) {
            self.stride(by, now, turn);
            return true;
        }
        match command {
            Command::VideoProblems | Command::StepsNextProblem | Command::StepsPreviousProblem => {
                self.go_to_problems(command, now, turn);
            }
            Command::StepsFix | Command::StepsIgnore | Command::StepsBaseline => {
                turn.say(NoticeKind::Hint, "No problems are listed here. ‹videos.problems› checks the videos.");
            }
            Command::VideosFilter => self.focus = Focus::Filter,
            Command::VideosShow => self.choose_showing(now, turn),
            Command::VideosSort => {
                self.library.sort = self.library.sort.next();
                self.arrange();
                self.moved(turn);
            }
            Command::Retry if self.focus != Focus::Queue && matches!(self.library.videos, Remote::Failed { .. }) => {
                self.read_library(now, turn);
            }
            Command::VideosRefresh => {
                turn.outcomes.push(Outcome::RetryPictures);
                self.read_library(now, turn);
                self.read_uses(turn);
            }
            Command::VideosUpload => self.open_chooser(now, turn),
            Command::VideosRegister => {
                if turn.may_write() {
                    ask_address("https://", None, turn);
                }
            }
            Command::VideosCaptions => self.choose_captions(turn),
            Command::VideosDelete => self.begin_delete(now, turn),
            Command::UploadLimit => self.ask_limit(turn),
            Command::UploadAtOnce => self.ask_at_once(turn),
            Command::Remove if self.focus == Focus::Queue => {
                return self.queue_command(Command::UploadCancel, now, turn);
            }
            Command::Remove if matches!(self.focus, Focus::List | Focus::Detail | Focus::Problems) => {
                self.begin_delete(now, turn);
            }
            Command::NextPane if self.focus == Focus::Chooser => {
                let chosen = self.chooser.mark();
                self.take_chosen(chosen, now, turn);
            }
            Command::PreviousPane if self.focus == Focus::Chooser => {}
            Command::NextPane | Command::PreviousPane => self.next_pane(command == Command::NextPane, turn),
            Command::Open => self.open(now, turn),
            Command::Copy => self.copy(turn),
            Command::Address => self.show_address(turn),
            Command::VideosPreview => self.show_preview(turn),
            Command::VideosThumbnails => self.switch_thumbnails(turn),
            Command::Back if self.deleting.take().is_some() => turn.say(NoticeKind::Hint, "Nothing is deleted."),
            Command::Back => return self.back(now, turn),
            command => return self.queue_command(command, now, turn),
        }
        true
    }

    fn stride(&mut self, by: isize, now: Moment, turn: &mut Turn) {
        match self.focus {
            Focus::List | Focus::Filter => {
                self.library.shown.step(by);
                self.moved(turn);
            }
            Focus::Detail => self.scroll_detail(by, now),
            Focus::Queue => self.step_upload(by),
            Focus::Chooser => self.chooser.found.step(by),
            Focus::Problems => {}
        }
    }

    fn page(&self) -> usize {
        match self.focus {
            Focus::Queue => self.queue_page(),
            Focus::Chooser => self.chooser.found.page(),
            _ => self.list_page(),
        }
    }

    fn next_pane(&mut self, forward: bool, turn: &mut Turn) {
        let main = if self.problems.is_some() { Focus::Problems } else { Focus::List };
        let mut panes = vec![main, Focus::Detail];
        if !self.overview.queue.uploads().is_empty() {
            panes.push(Focus::Queue);
        }
        let at = panes.iter().position(|pane| *pane == self.focus).unwrap_or(0);
        let step = if forward { 1 } else { panes.len() - 1 };
        self.focus = panes.get((at + step) % panes.len()).copied().unwrap_or_default();
        if self.focus == Focus::Queue {
            self.lead_uploads();
        }
        self.moved(turn);
    }

    fn open(&mut self, now: Moment, turn: &mut Turn) {
        match self.focus {
            Focus::Filter => self.focus = Focus::List,
            Focus::List => {
                self.focus = Focus::Detail;
                self.moved(turn);
            }
            Focus::Chooser => {
                let chosen = self.chooser.open();
                self.take_chosen(chosen, now, turn);
            }
            Focus::Detail | Focus::Problems => {}
            Focus::Queue => self.show_upload(now, turn),
        }
    }

    fn back(&mut self, now: Moment, turn: &mut Turn) -> bool {
        if let Some(request) = self.library.videos.stop(now) {
            turn.cancel([request]);
            return true;
        }
        match self.focus {
            Focus::Filter if self.library.shown.clear_query() => {
                self.arrange();
                self.moved(turn);
            }
            Focus::List if self.library.shown.clear_query() => self.arrange(),
            Focus::List if self.library.showing != Showing::All => self.show_only(Showing::All, turn),
            Focus::List => return false,
            Focus::Detail | Focus::Queue if self.problems.is_some() => self.focus = Focus::Problems,
            _ => self.focus = Focus::List,
        }
        true
    }

    fn copy(&self, turn: &mut Turn) {
        if self.focus == Focus::Queue {
            let texts = self.current_upload().map(|upload| {
                let mut texts = vec![("Path", upload.file.path.0.to_string_lossy().into_owned())];
                match &upload.state {
                    State::Done { video, .. } => texts.insert(0, ("ID", video.clone())),
                    State::Failed { why, .. } | State::Retrying { why, .. } => texts.push(("Why", why.clone())),
                    _ => {}
                }
                texts
            });
            turn.outcomes.extend(texts.map(Outcome::Copy));
            return;
        }
        let Some(video) = self.library.current() else { return };
        let mut texts = vec![("ID", video.id.as_str().to_owned())];
        texts.extend(video.address.clone().map(|address| ("Address", address)));
        texts.extend(video.poster.clone().map(|poster| ("Poster", poster)));
        // What is shown is local and to the minute.
        texts.extend((!video.created.is_empty()).then(|| ("Added", video.created.clone())));
        turn.outcomes.push(Outcome::Copy(texts));
    }

    fn open_chooser(&mut self, now: Moment, turn: &mut Turn) {
        if turn.may_write() {
            self.focus = Focus::Chooser;
            self.chooser.marked.clear();
            self.chooser.found.clear_query();
            let request = turn.next_id();
            self.chooser.folder.load(request, now);
            turn.ask(Effect::ReadFolder { request, folder: None });
        }
    }

    pub(super) fn take_chosen(&mut self, chosen: Chosen, now: Moment, turn: &mut Turn) {
        match chosen {
            Chosen::Nothing => {}
            Chosen::Refused(why) => turn.say(NoticeKind::Hint, why),
            Chosen::Folder(folder) => {
                let request = turn.next_id();
                self.chooser.folder.load(request, now);
                turn.ask(Effect::ReadFolder { request, folder: Some(folder) });
            }
            Chosen::Files(files) => {
                self.focus = Focus::List;
                turn.request(|request| Effect::Upload { request, files });
            }
        }
    }

    /// Takes pasted text: paths are files to be uploaded, in the filter it is text.
    pub(super) fn take_paste(&mut self, pasted: &str, turn: &mut Turn) {
        let dropped = paths(pasted);
        if !dropped.is_empty() && self.focus != Focus::Filter {
            if turn.may_write() {
                if self.focus == Focus::Chooser {
                    self.focus = Focus::List;
                }
                turn.request(|request| Effect::Upload { request, files: dropped });
            }
        } else if self.focus == Focus::Filter && self.library.shown.paste(pasted) {
            self.arrange();
            self.moved(turn);
        } else if self.focus == Focus::Chooser {
            self.chooser.paste(pasted);
        }
        self.leave_problems(turn);
    }

    /// Takes a key that no command is bound to.
    pub(super) fn take_text_key(&mut self, key: crate::settings::Key, now: Moment, turn: &mut Turn) {
        match self.focus {
            Focus::Filter if self.library.shown.key(key) => {
                self.arrange();
                self.moved(turn);
            }
            Focus::Chooser => {
                let chosen = self.chooser.key(key);
                self.take_chosen(chosen, now, turn);
            }
            _ => {}
        }
    }

    /// Does what was answered.
    pub(super) fn take_answer(&mut self, answered: Answered<Answer>, turn: &mut Turn) {
        let Answered { answer, typed, .. } = answered;
        match answer {
            Answer::Keep => {}
            Answer::Delete(video) => turn.request(|request| Effect::Delete { request, video }),
            Answer::Show(showing) => self.show_only(showing, turn),
            Answer::ReadCaptions(video, language) => {
                turn.request(|request| Effect::ReadCaptions { request, video, language });
            }
            Answer::AddCaptions(video) => Self::ask_captions_file(video, turn),
            Answer::PickRemoved(video) => self.pick_removed(&video, turn),
            Answer::AskRemove(video, language) => self.ask_remove(video, language, turn),
            Answer::RemoveCaptions(video, language) => {
                turn.request(|request| Effect::RemoveCaptions { request, video, language });
            }
            Answer::CaptionsFile(_) if typed.is_empty() => {
                turn.say(NoticeKind::Hint, "No file was entered. Nothing was changed.");
            }
            Answer::CaptionsFile(video) => {
                turn.request(|request| Effect::AddCaptions { request, video, file: typed });
            }
            Answer::Address if address_problem(&typed).is_some() => {
                ask_address(&typed, address_problem(&typed), turn);
            }
            Answer::Address => {
                turn.question(Question::line(Prompt::new("Name of the video", ""), Answer::Name(typed)));
            }
            Answer::Name(address) => {
                let request = turn.next_id();
                self.registering = Some(typed.clone());
                turn.ask(Effect::Register { request, address, name: typed });
            }
            Answer::BaselineFile if typed.is_empty() => {}
            Answer::BaselineFile => self.save_ignored(typed, turn),
            Answer::UploadAnyway(unplayable) => {
                turn.request(|request| Effect::UploadAnyway { request, unplayable });
            }
            Answer::Limit => set_limit(&typed, turn),
            Answer::AtOnce => set_at_once(&typed, turn),
            Answer::HandOver => {
                turn.ask(Effect::HandOver);
                turn.outcomes.push(Outcome::Quit);
            }
            Answer::Wait => {
                self.leaving = true;
                turn.say(NoticeKind::Hint, "Cutaway will quit when the uploads are done. ‹app.quit› asks again.");
            }
            Answer::Stop => turn.outcomes.push(Outcome::Quit),
        }
    }
}

/// Asks whether files are uploaded that not every browser plays.
fn ask_about(unplayable: Unplayable, turn: &mut Turn) {
    let one = unplayable.files.len() == 1;
    let title = if one { "Not every browser plays this video" } else { "Not every browser plays these videos" };
    let mut lines: Vec<(Role, String)> =
        unplayable.files.iter().map(|(_, why)| (Role::Text, format!("• {}", text::line(why)))).collect();
    lines.push((Role::Dim, "H.264, VP9 or AV1 in MP4 or WebM play everywhere.".to_owned()));
    let anyway = (Answer::UploadAnyway(Box::new(unplayable)), "Upload anyway");
    turn.question(Question::decide(title, lines, [(Answer::Keep, "Don't upload"), anyway]).deliberate());
}

/// Asks for the address of a video; again with what was typed and why the service would refuse it.
fn ask_address(begin: &str, problem: Option<&str>, turn: &mut Turn) {
    let lines = problem.map(|problem| (Role::Error, format!("{problem}."))).into_iter().collect();
    let prompt = Prompt::new("Address of the video", begin).with_lines(lines);
    turn.question(Question::line(prompt, Answer::Address));
}
