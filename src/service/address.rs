//! Addresses that the service hands out, under its own address.

/// The path of the player page; a project's publish id follows.
pub(super) const PLAYER: &str = "/play/";

/// The path of uploaded videos; a video's id follows.
pub(super) const VIDEO_FILES: &str = "/videos/files/";

/// The player's address of a project, §2.7.
pub(super) fn player(base_url: &str, publish_id: &str) -> String {
    format!("{base_url}{PLAYER}{publish_id}")
}

/// The address that serves an uploaded video.
pub(super) fn video_file(base_url: &str, id: &str) -> String {
    format!("{base_url}{VIDEO_FILES}{id}")
}
