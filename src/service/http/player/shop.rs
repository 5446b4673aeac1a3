//! Whether a purchase is reported by the shop, or just by somebody who knows the visit, as every page around a player does.

use axum::response::Response;
use http::HeaderMap;
use http::header::AUTHORIZATION;

use super::MOST_NAME;
use crate::api::verify;
use crate::domain::Verdict;
use crate::service::http::{App, answer, guard};
use crate::service::timing;

fn header<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// What a signed report calls itself.
pub(super) fn message(headers: &HeaderMap) -> Option<String> {
    let id = header(headers, "webhook-id");
    (!id.is_empty() && id.len() <= MOST_NAME).then(|| id.to_owned())
}

/// Whether a report has a credential of the project's workspace, or is signed with the secret of its shops, as Standard
/// Webhooks has it. One that has neither is not verified; one that has a wrong one is refused: the shop would not learn of
/// its mistake otherwise.
///
/// # Errors
/// The 401 of that.
pub(super) async fn verified(app: &App, publish_id: &str, headers: &HeaderMap, body: &[u8]) -> Result<bool, Response> {
    let bearer = headers.get(AUTHORIZATION);
    let signatures = header(headers, "webhook-signature");
    if bearer.is_none() && signatures.is_empty() {
        return Ok(false);
    }
    let shop = app.store.shop_of_player(publish_id.to_owned()).await.map_err(|error| answer::refused(&error))?;
    // Of a project that does not exist more is not said; the purchase itself is answered with a 404.
    let Some(shop) = shop else { return Ok(false) };
    if let Some(bearer) = bearer {
        let secret = bearer.to_str().ok().and_then(|value| value.split_once(' '));
        let secret =
            secret.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer")).map(|(_, secret)| secret.trim());
        let identity = match secret {
            None => None,
            Some(secret) => app.store.bearer(secret).await.map_err(|error| answer::refused(&error))?,
        };
        return match identity {
            Some(identity) if identity.workspace == shop.workspace && !identity.read_only => Ok(true),
            _ => Err(guard::unauthenticated(
                "The credential doesn't belong to this project's workspace, or is read-only.",
            )),
        };
    }
    let Some(secret) = shop.secret else {
        return Err(guard::unauthenticated(
            "There is no secret to verify with; `cutaway serve shop-secret` creates one.",
        ));
    };
    let (id, timestamp) = (header(headers, "webhook-id"), header(headers, "webhook-timestamp"));
    match verify(&secret, id, timestamp, body, signatures, timing::timestamp().as_second()) {
        Verdict::Verified => Ok(true),
        Verdict::Stale(_) => Err(guard::unauthenticated("The signature's time is more than five minutes off.")),
        _ => Err(guard::unauthenticated("The signature doesn't match this workspace's shop secret.")),
    }
}
