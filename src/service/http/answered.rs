//! Which function answers which operation. Every operation of the table has to have one.

use std::sync::Arc;

use axum::routing::{MethodFilter, MethodRouter};

use super::App;
use crate::api::Operation;

/// An operation that this service answers; `answers!` says by which function.
pub(super) trait Answered: Operation {
    /// The function, for requests of this method.
    fn route(method: MethodFilter) -> MethodRouter<Arc<App>>;
}

/// Says which function answers an operation.
macro_rules! answers {
    ($( $operation:ident => $answer:path ),* $(,)?) => { $(
        impl $crate::service::http::answered::Answered for $crate::api::$operation {
            fn route(method: ::axum::routing::MethodFilter) -> ::axum::routing::MethodRouter<::std::sync::Arc<$crate::service::http::App>> {
                ::axum::routing::on(method, $answer)
            }
        }
    )* };
}
pub(super) use answers;
