//! Who reads a key: typing, everything, a screen, or a mode that has the keys for itself.

/// Who reads a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Layer {
    /// While text is typed.
    Text,
    /// Everywhere else.
    Global,
    /// The Products screen's own.
    Products,
    /// The Projects screen's own.
    Projects,
    /// The Steps screen's own.
    Steps,
    /// The Videos screen's own.
    Videos,
    /// The Webhooks screen's own.
    Webhooks,
    /// The Account screen's own.
    Account,
    /// The Inspector screen's own.
    Inspector,
    /// While the pictures of a video lie over the screen.
    Preview,
    /// While a project is played.
    Play,
    /// While an answer is wired.
    Wire,
    /// On a field of a step's form that takes no text.
    Form,
    /// While it is shown what will be saved.
    Save,
    /// On the products of a step, and on those found for it.
    StepProducts,
    /// While the funnel is shown in numbers.
    Funnel,
    /// While a QR code is shown.
    Qr,
}

impl Layer {
    const ALL: [(Self, &'static str); 17] = [
        (Self::Text, "text"),
        (Self::Global, "global"),
        (Self::Products, "products"),
        (Self::Projects, "projects"),
        (Self::Steps, "steps"),
        (Self::Videos, "videos"),
        (Self::Webhooks, "webhooks"),
        (Self::Account, "account"),
        (Self::Inspector, "inspector"),
        (Self::Preview, "preview"),
        (Self::Play, "play"),
        (Self::Wire, "wire"),
        (Self::Form, "form"),
        (Self::Save, "save"),
        (Self::StepProducts, "step_products"),
        (Self::Funnel, "funnel"),
        (Self::Qr, "qr"),
    ];

    /// The layers outside of typing: everywhere, then the screens, then the modes, in the order of help.
    pub const OUTSIDE_TEXT: [Self; 16] = [
        Self::Global,
        Self::Products,
        Self::Projects,
        Self::Steps,
        Self::Videos,
        Self::Webhooks,
        Self::Account,
        Self::Inspector,
        Self::Preview,
        Self::Play,
        Self::Wire,
        Self::Form,
        Self::Save,
        Self::StepProducts,
        Self::Funnel,
        Self::Qr,
    ];

    /// The names of all layers in the keymap file.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::ALL.into_iter().map(|(_, name)| name)
    }

    /// The name in the keymap file.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(layer, _)| *layer == self).map_or("", |(_, name)| name)
    }

    /// Whether it is of a mode, which has the keys for itself: neither the global layer nor the screen's is asked.
    #[must_use]
    pub fn is_mode(self) -> bool {
        use Layer::{Form, Funnel, Play, Preview, Qr, Save, StepProducts, Wire};
        matches!(self, Preview | Play | Wire | Form | Save | StepProducts | Funnel | Qr)
    }

    /// The layer of this name in the keymap file.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(layer, _)| *layer)
    }
}
