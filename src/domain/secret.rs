//! Credentials. Their text is handed out only where it is sent or hashed; printing one shows nothing.

use std::fmt;

use secrecy::{ExposeSecret, SecretString};

macro_rules! secret {
    ($( $(#[$meta:meta])* $name:ident ),* $(,)?) => { $(
        $(#[$meta])*
        #[derive(Clone)]
        pub struct $name(SecretString);

        impl $name {
            /// Takes the text, without the white space that pasting leaves around it.
            #[must_use]
            pub fn new(text: &str) -> Self {
                Self(SecretString::from(text.trim()))
            }

            /// The text itself: only for a header that is sent, a file of 0600, or a hash.
            #[must_use]
            pub fn expose(&self) -> &str {
                self.0.expose_secret()
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), "(…)"))
            }
        }

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.expose() == other.expose()
            }
        }

        impl Eq for $name {}
    )* };
}

secret! {
    /// An API key of a workspace, §5.4.
    ApiKey,
    /// A bearer token, §5.2.
    AccessToken,
    /// What a new access token is had for, RFC 6749 §1.5.
    RefreshToken,
    /// What the deliveries of a subscription are signed with, `whsec_…` as Standard Webhooks has it.
    WebhookSecret,
    /// The workspace key, `appKey` in §2.11 and §5.5.
    AppKey,
}
