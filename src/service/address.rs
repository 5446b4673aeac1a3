//! Addresses that the service hands out, under its own address.

/// The path of the player page; a project's publish id follows.
pub(super) const PLAYER: &str = "/play/";

/// What the paths of the player page's own files begin with.
pub(super) const PLAYER_FILES: &str = "/player/";

/// What the paths of the authorization server begin with, §5.3.
pub(super) const OAUTH: &str = "/oauth/";

/// What it can do (RFC 8414).
pub(super) const OAUTH_METADATA: &str = "/.well-known/oauth-authorization-server";

/// The path of uploaded videos; a video's id follows.
pub(super) const VIDEO_FILES: &str = "/videos/files/";

/// The widths in which posters of the sample are there, too, pixels.
pub(super) const POSTER_WIDTHS: [u32; 3] = [64, 240, 480];

/// The player's address of a project, §2.7.
pub(super) fn player(base_url: &str, publish_id: &str) -> String {
    format!("{base_url}{PLAYER}{publish_id}")
}

/// The address that serves an uploaded video.
pub(super) fn video_file(base_url: &str, id: &str) -> String {
    format!("{base_url}{VIDEO_FILES}{id}")
}

/// The address that serves captions of a video; a part of their hash makes it another one once they change.
pub(super) fn captions(base_url: &str, id: &str, language: &str, hash: &[u8]) -> String {
    let version = hash.iter().take(6).fold(String::new(), |text, byte| format!("{text}{byte:02x}"));
    format!("{base_url}{VIDEO_FILES}{id}/captions/{language}.vtt?v={version}")
}
