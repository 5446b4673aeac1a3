//! The QR code of a project's player, with the address that it holds.

use crate::studio::widgets::qr::Code;

/// What is shown on the whole screen, for a telephone to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayerCode {
    /// The address, harmless.
    pub address: String,
    /// What it belongs to, harmless.
    pub called: String,
    /// The code of the address.
    pub code: Code,
}

impl PlayerCode {
    /// The code of an address; none where it is too long for one.
    #[must_use]
    pub fn of(address: &str, called: &str) -> Option<Self> {
        let code = Code::of(address)?;
        Some(Self { address: address.to_owned(), called: called.to_owned(), code })
    }

    /// Whether only the machine that shows it can open the address.
    #[must_use]
    pub fn is_local(&self) -> bool {
        let host = self.address.split_once("://").map_or("", |(_, rest)| rest);
        ["127.", "localhost", "[::1]"].iter().any(|local| host.starts_with(local))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_told_who_can_open_the_address() {
        let is_local = |address: &str| PlayerCode::of(address, "Quiz").unwrap().is_local();
        assert!(is_local("http://127.0.0.1:7227/play/3f0c7d52") && is_local("http://[::1]:7227/play/3f0c7d52"));
        assert!(!is_local("https://player.example/play/3f0c7d52"));
        assert_eq!(PlayerCode::of(&"x".repeat(5_000), "Quiz"), None);
    }
}
