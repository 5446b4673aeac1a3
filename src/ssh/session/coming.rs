//! What comes by a channel, on its way to what runs there. It is handed over in the conversation of the connection, which
//! reads nothing else meanwhile: that is what holds an upload back. So it never waits for who doesn't read, or for who
//! can't go on before the conversation does.

use std::time::Duration;

use tokio::io::AsyncWriteExt as _;

use super::Line;

/// What takes nothing for so long has stopped for good.
const STALLED: Duration = Duration::from_secs(60);

/// What waits for its place is waited for so long where other channels of the connection may be what it waits for.
const CROWDED: Duration = Duration::from_secs(5);

impl Line {
    /// Hands on what came, as soon as there is room; what takes nothing any more is ended rather than waited for.
    pub(super) async fn hand_over(&mut self, data: &[u8], has_neighbors: bool) {
        let Some(input) = &mut self.input else { return };
        let (begun, end) = (&self.begun, &self.end);
        let patience = async {
            if begun.is_cancelled() || !has_neighbors {
                begun.cancelled().await;
                tokio::time::sleep(STALLED).await;
            } else {
                tokio::time::sleep(CROWDED).await;
            }
            end.cancel();
        };
        let is_taken = tokio::select! {
            biased;
            () = end.cancelled() => false,
            () = self.deaf.cancelled() => false,
            handed = input.write_all(data) => handed.is_ok(),
            () = patience => false,
        };
        if !is_taken {
            // What else comes is passed over. Who still reads was ended, and takes no part for the whole.
            self.input = None;
        }
    }
}
