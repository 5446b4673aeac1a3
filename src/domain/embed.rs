//! What puts a project's player into a page of a shop, as HTML to be pasted there.

use std::fmt::Write as _;

use url::Url;

/// How the player comes into the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EmbedKind {
    /// A script of the service, which sizes the player, and tells the page what happens in it.
    #[default]
    Script,
    /// A frame alone: for pages that take no scripts.
    Frame,
}

/// What the snippet is to be.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Embed {
    /// How the player comes into the page.
    pub kind: EmbedKind,
    /// Whether it floats in a corner, small and muted, until it is touched. Takes the script.
    pub bubble: bool,
    /// Width and height of its shape; those of a phone's window where nothing is said.
    pub aspect: Option<(u32, u32)>,
    /// The language of the player's own texts, where the project has none (BCP 47).
    pub language: Option<String>,
}

/// Text as HTML has it in quoted attributes and elements. Nothing of it starts again in a terminal either.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars().filter(|c| !c.is_control()) {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

/// The address of the script that belongs to a player's address, and the project's id there; nothing where the address
/// isn't one of a Cutaway service.
#[must_use]
pub fn embed_script(player: &str) -> Option<(String, String)> {
    let url = Url::parse(player).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let (before, id) = url.path().rsplit_once("/play/")?;
    if id.is_empty() || id.contains('/') {
        return None;
    }
    let mut script = url.clone();
    script.set_path(&format!("{before}/player/embed.js"));
    script.set_query(None);
    script.set_fragment(None);
    Some((script.to_string(), id.to_owned()))
}

impl Embed {
    /// Every snippet that there is for a player, each with what it is.
    #[must_use]
    pub fn choices(player: &str, name: &str) -> Vec<(&'static str, String)> {
        let frame = Self { kind: EmbedKind::Frame, ..Self::default() };
        let bubble = Self { bubble: true, ..Self::default() };
        let all = [("a script, in the page", Self::default()), ("a script, as a bubble", bubble), ("a frame", frame)];
        all.into_iter().filter_map(|(what, embed)| Some((what, embed.snippet(player, name)?))).collect()
    }

    /// The snippet for the player at this address of a project of this name; nothing where a script is wanted and the
    /// service at that address has none.
    #[must_use]
    pub fn snippet(&self, player: &str, name: &str) -> Option<String> {
        let title = escaped(if name.trim().is_empty() { "Video" } else { name.trim() });
        let (across, down) = self.aspect.filter(|(across, down)| *across > 0 && *down > 0).unwrap_or((9, 16));
        if self.kind == EmbedKind::Frame && !self.bubble {
            let mut address = player.to_owned();
            if let Some(language) = &self.language {
                address.push_str(if address.contains('?') { "&lang=" } else { "?lang=" });
                address.push_str(language);
            }
            let (address, widest) = (escaped(&address), if across > down { "100%" } else { "24rem" });
            return Some(format!(
                "<iframe src=\"{address}\" title=\"{title}\" loading=\"lazy\"\n  \
                 allow=\"autoplay; fullscreen; picture-in-picture\"\n  style=\"border: 0; display: block; width: 100%; \
                 max-width: {widest}; margin: 0 auto; aspect-ratio: {across}/{down}; color-scheme: light\"></iframe>\n"
            ));
        }
        let (script, id) = embed_script(player)?;
        let mut out = format!("<script async src=\"{}\" data-project=\"{}\"", escaped(&script), escaped(&id));
        // Writing to a text can't fail.
        if self.bubble {
            out.push_str(" data-bubble");
        } else {
            let _ = write!(out, " data-aspect=\"{across}/{down}\"");
        }
        if let Some(language) = &self.language {
            let _ = write!(out, " data-lang=\"{}\"", escaped(language));
        }
        let _ = writeln!(out, " data-title=\"{title}\"></script>");
        let _ = writeln!(out, "<noscript><a href=\"{}\">{title}</a></noscript>", escaped(player));
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snippets_name_the_player_and_stay_html() {
        let player = "https://video.example.com/base/play/0f-1";
        let snippet = Embed::default().snippet(player, "Gifts <\"&\u{1b}>").unwrap();
        assert_eq!(
            snippet,
            "<script async src=\"https://video.example.com/base/player/embed.js\" data-project=\"0f-1\" \
             data-aspect=\"9/16\" data-title=\"Gifts &lt;&quot;&amp;&gt;\"></script>\n\
             <noscript><a href=\"https://video.example.com/base/play/0f-1\">Gifts &lt;&quot;&amp;&gt;</a></noscript>\n"
        );
        let bubble = Embed { bubble: true, language: Some("de".to_owned()), ..Embed::default() };
        assert!(bubble.snippet(player, "").unwrap().contains(" data-bubble data-lang=\"de\" data-title=\"Video\""));
        let frame = Embed { kind: EmbedKind::Frame, aspect: Some((16, 9)), ..bubble.clone() };
        let frame = Embed { bubble: false, ..frame }.snippet(player, "Tour").unwrap();
        assert!(frame.contains("src=\"https://video.example.com/base/play/0f-1?lang=de\"") && frame.contains("16/9"));
        assert_eq!(Embed::choices(player, "Tour").len(), 3);
        let foreign = "https://player.example/watch?v=1";
        assert_eq!(Embed::default().snippet(foreign, "x"), None);
        assert!(Embed { kind: EmbedKind::Frame, ..Embed::default() }.snippet(foreign, "x").is_some());
    }
}
