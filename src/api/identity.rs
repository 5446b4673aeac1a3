//! Account and identity, §4.2.

use serde_json::Value;

use super::operation::{Host, Method, Operation, Row};
use crate::domain::{Finding, Num, Reader, User};
use crate::shape;

/// The header that carries the API key to be exchanged, §4.2 and §5.4.
pub const API_KEY_HEADER: &str = "x-cli-api-key";

/// `POST /account-service/authenticateCliApiKey`: the key travels in [`API_KEY_HEADER`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ExchangeKey;

shape! {
    /// The answer of the exchange, whose shape §4.2 does not show: the names that services use for it.
    pub struct ExchangedToken {
        access_token: optnull String => "accessToken",
        access_token_snake: optnull String => "access_token",
        token: optnull String => "token",
        token_type: optnull String => "tokenType",
        /// Seconds from now.
        expires_in: optnull Num => "expiresIn",
        expires_in_snake: optnull Num => "expires_in",
    }
}

impl Operation for ExchangeKey {
    const ROW: Row = Row {
        name: "authenticateCliApiKey",
        tag: "stores",
        method: Method::Post,
        path: "/account-service/authenticateCliApiKey",
        host: Host::Base,
        writes: false,
        idempotent: true,
        takes_app_key: false,
    };
    type Response = ExchangedToken;

    fn read(body: &Value) -> (ExchangedToken, Vec<Finding>) {
        Reader::read(body)
    }
}

/// `GET /users/me`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Me;

impl Operation for Me {
    const ROW: Row = Row {
        name: "getMe",
        tag: "stores",
        method: Method::Get,
        path: "/users/me",
        host: Host::Base,
        writes: false,
        idempotent: true,
        takes_app_key: false,
    };
    type Response = User;

    fn read(body: &Value) -> (User, Vec<Finding>) {
        Reader::read(body)
    }
}
