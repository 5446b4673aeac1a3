//! What the authorization server can do, RFC 8414.

use axum::response::Response;
use serde_json::json;

use super::{AUTHORIZE, DEVICE_CODE, REVOKE, SCOPE, TOKEN, token};
use crate::service::http::answer;
use crate::service::http::base_url::BaseUrl;

/// `GET /.well-known/oauth-authorization-server`
pub(super) async fn answer(BaseUrl(base): BaseUrl) -> Response {
    answer::json(&json!({
        "issuer": base,
        "authorization_endpoint": format!("{base}{AUTHORIZE}"),
        "token_endpoint": format!("{base}{TOKEN}"),
        "device_authorization_endpoint": format!("{base}{DEVICE_CODE}"),
        "revocation_endpoint": format!("{base}{REVOKE}"),
        "scopes_supported": [SCOPE],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": [token::BY_CODE, token::BY_REFRESH, token::BY_DEVICE],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": true,
    }))
}
