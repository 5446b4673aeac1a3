//! The sign-in: how, then the key that nobody sees, the code to be approved, or the address to be opened.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::layer::{Came, Layered};
use crate::domain::text;
use crate::settings::Key;
use crate::studio::ground::layout::centered;
use crate::studio::ground::{Command, Hint, Keymap};
use crate::studio::screens::account::{Effect as Account, SignInStep, Way};
use crate::studio::shell::effect::Effect;
use crate::studio::shell::state::Shell;
use crate::studio::widgets::masked::MaskedEdit;
use crate::studio::widgets::qr::Code;
use crate::studio::widgets::{Ink, LineEdit, Panel, Role, RowCursor, put, width};

/// How it can be done, in words.
const WAYS: [&str; 3] = ["With an API key", "With a code, on a phone or any computer", "In a browser on this computer"];

/// Where the person is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Stage {
    #[default]
    Choose,
    Key,
    Waiting,
}

/// A sign-in to one profile.
#[derive(Debug, Clone, Default)]
pub struct SignIn {
    /// The profile, where it is not the one that is open.
    pub profile: Option<String>,
    title: String,
    /// Why it is asked for.
    why: Option<String>,
    stage: Stage,
    /// Which way is selected.
    way: RowCursor,
    key: MaskedEdit,
    pasted: LineEdit,
    step: Option<SignInStep>,
    qr: Option<Code>,
    problem: Option<String>,
    size: (u16, u16),
}

impl SignIn {
    /// A sign-in to a profile as the person knows it, at a service; `why` says what needs it.
    #[must_use]
    pub fn new(profile: Option<String>, name: &str, why: Option<&str>) -> Self {
        let title = format!("Sign in to {}", text::line(name));
        Self { profile, title, why: why.map(|why| text::line(why).into_owned()), ..Self::default() }
    }

    fn choose(&mut self) -> Vec<Effect> {
        self.problem = None;
        match self.way.selected {
            0 => {
                self.stage = Stage::Key;
                Vec::new()
            }
            1 => self.begin(Way::Device),
            _ => self.begin(Way::Browser),
        }
    }

    fn begin(&mut self, way: Way) -> Vec<Effect> {
        self.problem = None;
        self.stage = Stage::Waiting;
        self.step = Some(if matches!(way, Way::Key(_)) { SignInStep::Proving } else { SignInStep::Asking });
        vec![Effect::Account(Account::SignIn { profile: self.profile.clone(), way })]
    }

    fn address(&self) -> Option<String> {
        match &self.step {
            Some(SignInStep::Device { whole_address, .. }) => Some(whole_address.clone()),
            Some(SignInStep::Browser { address }) => Some(address.clone()),
            _ => None,
        }
    }

    /// It went on; `opens` says whether an address can be opened here.
    pub fn went_on(&mut self, step: SignInStep, opens: bool) -> Vec<Effect> {
        if self.stage != Stage::Waiting {
            return Vec::new();
        }
        self.qr = match &step {
            SignInStep::Device { whole_address, .. } => Code::of(whole_address),
            _ => None,
        };
        let mut effects = Vec::new();
        if let SignInStep::Browser { address } = &step {
            // It is too long to be typed, and broken over lines it can't be taken with the mouse.
            effects.push(Effect::CopySignIn(address.clone()));
            if opens {
                effects.push(Effect::OpenAddress(address.clone()));
            }
        }
        self.step = Some(step);
        effects
    }

    /// It failed: the person may try again, or another way.
    pub fn failed(&mut self, why: &str) {
        if self.stage == Stage::Waiting {
            self.stage = if self.way.selected == 0 { Stage::Key } else { Stage::Choose };
            self.step = None;
            self.problem = Some(text::line(why).into_owned());
        }
    }

    /// What is said, above what is chosen or typed.
    fn lines(&self) -> Vec<(Role, String)> {
        let mut lines = Vec::new();
        if let Some(why) = self.why.as_ref().filter(|_| self.stage != Stage::Waiting) {
            lines.push((Role::Text, why.clone()));
        }
        if let Some(problem) = &self.problem {
            lines.push((Role::Error, problem.clone()));
        }
        match (self.stage, &self.step) {
            (Stage::Choose, _) => lines.push((Role::Dim, "How?".to_owned())),
            (Stage::Key, _) => {
                lines.push((Role::Dim, "Type or paste your API key; it is checked before it is saved.".to_owned()));
            }
            (Stage::Waiting, Some(SignInStep::Device { user_code, address, lasts, .. })) => {
                lines.push((Role::Text, "Open on a phone or any computer:".to_owned()));
                lines.push((Role::Accent, text::line(address).into_owned()));
                lines.push((Role::Text, "and enter the code".to_owned()));
                lines.push((Role::Accent, text::line(user_code).into_owned()));
                lines.push((
                    Role::Dim,
                    format!(
                        "Waiting for approval. Code valid for {} minutes. ‹app.copy› copies the address.",
                        lasts.div_ceil(60)
                    ),
                ));
            }
            (Stage::Waiting, Some(SignInStep::Browser { address })) => {
                lines.push((Role::Text, "Open this address (copied to the clipboard) and approve:".to_owned()));
                lines.push((Role::Accent, text::line(address).into_owned()));
                let paste =
                    "If the browser is on another computer, its last page can't load: paste that page's address here.";
                lines.push((Role::Dim, paste.to_owned()));
            }
            (Stage::Waiting, Some(SignInStep::Proving)) => lines.push((Role::Dim, "Checking …".to_owned())),
            (Stage::Waiting, _) => lines.push((Role::Dim, "Contacting the authorization server …".to_owned())),
        }
        lines
    }

    /// Takes a command; what is to be done.
    fn command(&mut self, command: Command) -> Vec<Effect> {
        match (self.stage, command) {
            (Stage::Choose, command) if self.way.cycle(command, WAYS.len(), WAYS.len()) => {}
            // Digits are the screens' elsewhere; here they choose.
            (Stage::Choose, Command::GoProducts) => self.way.selected = 0,
            (Stage::Choose, Command::GoProjects) => self.way.selected = 1,
            (Stage::Choose, Command::GoVideos) => self.way.selected = 2,
            (Stage::Choose, Command::Open) => return self.choose(),
            (Stage::Key, Command::Open) => {
                if let Some(key) = self.key.take() {
                    return self.begin(Way::Key(key));
                }
            }
            (Stage::Waiting, Command::Open) if self.is_typing() => {
                let pasted = self.pasted.text().trim().to_owned();
                self.pasted.clear();
                if !pasted.is_empty() {
                    return vec![Effect::Account(Account::Pasted(pasted))];
                }
            }
            (Stage::Waiting, Command::Copy) => return self.address().map(Effect::CopySignIn).into_iter().collect(),
            (Stage::Waiting, Command::Address) => return self.address().map(Effect::OpenAddress).into_iter().collect(),
            _ => {}
        }
        if self.stage == Stage::Choose
            && matches!(command, Command::GoProducts | Command::GoProjects | Command::GoVideos)
        {
            return self.choose();
        }
        Vec::new()
    }
}

impl SignIn {
    /// Draws what is below the words: what there is to choose from, or what is typed; where the cursor stands.
    fn draw_below(&self, buf: &mut Buffer, ink: Ink, inside: Rect, y: u16) -> Option<(u16, u16)> {
        match self.stage {
            Stage::Choose => {
                for ((at, way), y) in WAYS.iter().enumerate().zip(y..inside.bottom()) {
                    let chosen = at == self.way.selected;
                    let mark = if chosen { ink.sign("▌ ", "> ") } else { "  " };
                    let role = if chosen { Role::Accent } else { Role::Text };
                    put(buf, ink, (inside.x, y), inside.width, &format!("{mark}{} {way}", at + 1), ink.style(role));
                    if chosen {
                        ink.stands((inside.x, y));
                    }
                }
                None
            }
            _ if self.is_typing() => {
                put(buf, ink, (inside.x + 1, y), 2, ink.sign("❯ ", "> "), ink.style(Role::Accent));
                let (at, room) = ((inside.x + 3, y), inside.width.saturating_sub(4));
                Some(if self.stage == Stage::Key {
                    self.key.draw(buf, ink, at, room)
                } else {
                    self.pasted.draw(buf, ink, at, room)
                })
            }
            _ => None,
        }
    }
}

impl Layered for SignIn {
    fn resize(&mut self, width: u16, height: u16) {
        self.size = (width, height);
    }

    fn is_typing(&self) -> bool {
        self.stage == Stage::Key
            || (self.stage == Stage::Waiting && matches!(self.step, Some(SignInStep::Browser { .. })))
    }

    fn hints(&self) -> &'static [Hint] {
        use Command as C;
        const BACK: Hint = Hint::of(C::Back);
        match (self.stage, &self.step) {
            (Stage::Choose, _) => {
                const { &[Hint::moves(), Hint::of(C::Open).saying("continue"), Hint::of(C::Back).saying("cancel")] }
            }
            (Stage::Key, _) => const { &[Hint::of(C::Open).saying("sign in"), BACK] },
            (Stage::Waiting, Some(SignInStep::Browser { .. })) => {
                const { &[Hint::of(C::Open).saying("sign in"), BACK] }
            }
            (Stage::Waiting, Some(SignInStep::Device { .. })) => {
                const { &[Hint::of(C::Copy).saying("copy address"), Hint::of(C::Back).saying("cancel")] }
            }
            (Stage::Waiting, _) => const { &[Hint::of(C::Back).saying("cancel")] },
        }
    }

    fn text_key(&mut self, key: Key) -> Came {
        match self.stage {
            Stage::Key => self.key.key(key),
            Stage::Waiting => {
                self.pasted.key(key);
            }
            Stage::Choose => {
                let digit = [Key::char('1'), Key::char('2'), Key::char('3')].iter().position(|digit| *digit == key);
                if let Some(digit) = digit {
                    self.way.selected = digit;
                    return Came::Effects(self.choose());
                }
            }
        }
        Came::Nothing
    }

    fn pasted(&mut self, pasted: &str) {
        match self.stage {
            Stage::Key => self.key.paste(pasted),
            Stage::Waiting => {
                self.pasted.paste(pasted.trim());
            }
            Stage::Choose => {}
        }
    }

    fn back(&mut self) -> Came {
        match std::mem::take(&mut self.stage) {
            Stage::Choose => Came::Left(vec![Effect::Account(Account::DeclineSignIn)]),
            Stage::Key => {
                self.key = MaskedEdit::default();
                Came::Nothing
            }
            Stage::Waiting => {
                self.step = None;
                Came::Effects(vec![Effect::Account(Account::CancelSignIn)])
            }
        }
    }

    fn take(&mut self, command: Command, _keymap: &Keymap) -> Came {
        Came::Effects(self.command(command))
    }

    /// A stray press does not throw away a sign-in.
    fn pressed(&mut self, _x: u16, _y: u16) -> Came {
        Came::Nothing
    }

    fn view(&self, buf: &mut Buffer, _shell: &Shell, ink: Ink) -> Option<(u16, u16)> {
        let screen = Rect { x: 0, y: 0, width: self.size.0, height: self.size.1 };
        // Beside the words, where there is room for both.
        let beside = (screen.width.saturating_sub(36), screen.height.saturating_sub(2));
        let qr = self.qr.as_ref().filter(|_| self.stage == Stage::Waiting);
        let qr = qr.and_then(|code| code.rows(beside.0, beside.1, ink.ascii)).unwrap_or_default();
        let code = qr.first().map_or(0, |line| width(line));
        let code_rows = u16::try_from(qr.len()).unwrap_or(u16::MAX);
        let has_code = code > 0;
        let across = screen.width.saturating_sub(2).min(if has_code { code + 44 } else { 76 });
        let room = across.saturating_sub(if has_code { code + 5 } else { 4 });
        let lines: Vec<(Role, String)> = self
            .lines()
            .into_iter()
            .flat_map(|(role, line)| ink.wrap(&line, room).into_iter().map(move |line| (role, line)))
            .collect();
        let below = match self.stage {
            Stage::Choose => u16::try_from(WAYS.len()).unwrap_or(3),
            _ => u16::from(self.is_typing()),
        };
        let rows = u16::try_from(lines.len()).unwrap_or(u16::MAX).saturating_add(below + 1);
        let rows = if has_code { rows.max(code_rows) } else { rows };
        let area = centered(screen, across, rows.saturating_add(2));
        crate::studio::widgets::wipe(buf, ink, area);
        let inside = Panel { title: &self.title, focused: true, ..Panel::default() }.draw(buf, ink, area);
        if has_code {
            let paper = ratatui::style::Style::new().fg(ratatui::style::Color::Black).bg(ratatui::style::Color::White);
            for (line, y) in qr.iter().zip(inside.y..inside.bottom()) {
                put(buf, ink, (inside.right().saturating_sub(code + 1), y), code, line, paper);
            }
        }
        let mut y = inside.y;
        for (role, line) in &lines {
            if y < inside.bottom() {
                put(buf, ink, (inside.x + 1, y), room, line, ink.style(*role));
            }
            y += 1;
        }
        if y >= inside.bottom() {
            return None;
        }
        self.draw_below(buf, ink, inside, y)
    }

    fn is_secret(&self) -> bool {
        self.is_typing()
    }

    fn read(&self, _shell: &Shell, lines: &mut Vec<String>) {
        lines.push(self.title.clone());
        lines.extend(self.lines().into_iter().map(|(_, line)| line));
        if self.stage == Stage::Choose {
            for (at, way) in WAYS.iter().enumerate() {
                lines.push(format!("{} {} {way}", if at == self.way.selected { ">" } else { " " }, at + 1));
            }
        }
    }
}
