//! Account and identity, §4.2.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use serde_json::{Map, Value};

use super::answered::answers;
use super::written::MaybeWritten;
use super::{App, answer, guard};
use crate::api::{ExchangedToken, Problem};
use crate::domain::Num;
use crate::service::store::{Credential, Identity};

answers! {
    ExchangeKey => exchange,
    Me => me,
}

/// `POST /account-service/authenticateCliApiKey`
async fn exchange(
    State(app): State<Arc<App>>,
    Extension(identity): Extension<Identity>,
    MaybeWritten(written): MaybeWritten<Map<String, Value>>,
) -> Response {
    if !identity.by_key {
        return guard::unauthenticated("A token can't be exchanged; send an API key as X-CLI-API-Key.");
    }
    if !written.findings.is_empty() {
        return answer::invalid(&written.findings);
    }
    if identity.credential == Credential::Owner {
        // There is no stored key that the token could end with; the client goes on with what it has.
        return answer::problem(&Problem::new(501, "Use this credential directly; it can't be exchanged for a token."));
    }
    match app.store.add_token(&identity).await {
        Err(error) => answer::refused(&error),
        Ok((token, lasts)) => answer::json(&ExchangedToken {
            access_token: Some(token.expose().to_owned()),
            token_type: Some("Bearer".to_owned()),
            expires_in: Some(Num::from(lasts)),
            ..ExchangedToken::default()
        }),
    }
}

/// `GET /users/me`
async fn me(State(app): State<Arc<App>>, Extension(identity): Extension<Identity>) -> Response {
    match app.store.user(&identity).await {
        Ok(user) => answer::json(&user),
        Err(error) => answer::refused(&error),
    }
}
