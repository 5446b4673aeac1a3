//! How a command fails, and the exit code of that (contract, section 1).

use std::io;

use serde_json::{Value, json};
use thiserror::Error;

use super::serve::ServeError;
use crate::client::ClientError;
use crate::client::oauth::OAuthError;
use crate::domain::text;
use crate::runtime::connection::ConnectError;
use crate::runtime::export::ExportError;
use crate::runtime::profiles::ProfileError;
use crate::service::local::LocalError;
use crate::settings::{ConfigEditError, CredentialsError, TargetError};

/// Why a command failed.
#[derive(Debug, Error)]
pub enum Failure {
    /// The command line, its environment or the configuration is wrong.
    #[error("{0}")]
    Usage(String),
    /// There is no target.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// There is no credential; the sentence says what to do.
    #[error("{0}")]
    NoCredential(String),
    /// The service has no such thing.
    #[error("{0}")]
    NotFound(String),
    /// Some of several things failed; each was said already. With the exit code of the first that has one of its own.
    #[error("{what}")]
    Several {
        /// What, in all.
        what: String,
        /// The exit code.
        code: u8,
    },
    /// What was checked is not as it should be.
    #[error("{0}")]
    Faulty(String),
    /// Nobody was signed in.
    #[error(transparent)]
    SignIn(#[from] OAuthError),
    /// Credentials can't be read or kept.
    #[error(transparent)]
    Credentials(#[from] CredentialsError),
    /// The configuration was not changed.
    #[error(transparent)]
    Config(#[from] ConfigEditError),
    /// A plan found something to do.
    #[error("{0}")]
    ToDo(String),
    /// A call failed.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// A call failed, and it is known what that means.
    #[error("{what}")]
    Explained {
        /// What it means, with what the service said.
        what: String,
        /// The failure.
        error: Box<ClientError>,
    },
    /// Products were not exported.
    #[error(transparent)]
    Export(ExportError),
    /// No connection came about.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The service can't be served.
    #[error(transparent)]
    Serve(#[from] ServeError),
    /// Standard output can't be written to.
    #[error("standard output: {0}")]
    Output(io::Error),
    /// Anything else.
    #[error("{0:#}")]
    Other(color_eyre::Report),
}

impl From<ExportError> for Failure {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Client(error) => Self::Client(error),
            ExportError::Output(error) => Self::Output(error),
            error => Self::Export(error),
        }
    }
}

impl From<ProfileError> for Failure {
    fn from(error: ProfileError) -> Self {
        match error {
            ProfileError::Config(error) => Self::Config(error),
            ProfileError::NoHome(error) => Self::Usage(error.to_string()),
            error @ ProfileError::Credentials(..) => Self::Faulty(error.to_string()),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl Failure {
    /// The exit code.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) | Self::Target(_) => 2,
            // Where the keyring has one, its owner could not have it.
            Self::NoCredential(_)
            | Self::SignIn(OAuthError::Denied | OAuthError::Expired | OAuthError::Refused(_))
            | Self::Connect(ConnectError::Credentials(CredentialsError::Keyring(_))) => 3,
            Self::NotFound(_) | Self::Config(ConfigEditError::Missing(_)) => 4,
            Self::Several { code, .. } => *code,
            Self::ToDo(_) => 8,
            Self::Client(error) | Self::SignIn(OAuthError::Client(error)) => error.exit_code(),
            Self::Explained { error, .. } if error.status() == Some(404) => 4,
            Self::Serve(error) => error.exit_code(),
            // Served by a process that does not answer: not reached, like any other service.
            Self::Connect(ConnectError::Local(LocalError::Silent { .. })) => 6,
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => 0,
            Self::SignIn(_)
            | Self::Explained { .. }
            | Self::Credentials(_)
            | Self::Config(_)
            | Self::Faulty(_)
            | Self::Connect(_)
            | Self::Output(_)
            | Self::Export(_)
            | Self::Other(_) => 1,
        }
    }

    /// What to say, on one line that a terminal can be given; nothing where the reader of the output went away, which
    /// is how `head` ends a pipe.
    #[must_use]
    pub fn line(&self) -> Option<String> {
        match self {
            Self::Output(error) | Self::Serve(ServeError::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
                None
            }
            failure => Some(text::line(&without_numbers(&without_giants(&failure.to_string()))).into_owned()),
        }
    }
}

impl Failure {
    /// The failure as one document of RFC 9457, with the exit code; nothing where nothing is to be said. `status` and
    /// `requestId` stand in it where a service answered.
    #[must_use]
    pub fn document(&self) -> Option<Value> {
        let detail = self.line()?;
        let code = self.exit_code();
        let error = match self {
            Self::Client(error) | Self::SignIn(OAuthError::Client(error)) => Some(error),
            Self::Explained { error, .. } => Some(&**error),
            _ => None,
        };
        let problem = match error {
            Some(ClientError::Problem(problem)) => Some(problem),
            _ => None,
        };
        let said = problem.map(|problem| text::line(&problem.title).into_owned()).filter(|title| !title.is_empty());
        let mut document = json!({
            "type": "about:blank",
            "title": said.unwrap_or_else(|| title_of(code).to_owned()),
            "detail": detail,
            "exitCode": code,
        });
        if let Some(members) = document.as_object_mut() {
            let status = error.and_then(ClientError::status).map(Value::from);
            members.extend(status.map(|status| ("status".to_owned(), status)));
            let request = error.and_then(ClientError::request_id).map(Value::from);
            members.extend(request.map(|request| ("requestId".to_owned(), request)));
            let fields = problem.map(|problem| &problem.errors).filter(|errors| !errors.is_empty());
            let fields = fields.and_then(|errors| serde_json::to_value(errors).ok());
            members.extend(fields.map(|errors| ("errors".to_owned(), errors)));
        }
        Some(document)
    }
}

/// What the system says of an error, without the number that only programs know it by: `No such file or directory`.
fn without_numbers(said: &str) -> String {
    const NUMBER: &str = " (os error ";
    let (mut plain, mut rest) = (String::with_capacity(said.len()), said);
    while let Some((before, after)) = rest.split_once(NUMBER) {
        plain.push_str(before);
        let behind = after.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix(')');
        if behind.is_none() {
            plain.push_str(NUMBER);
        }
        rest = behind.unwrap_or(after);
    }
    plain + rest
}

/// What an exit code says, in words (contract, section 1).
pub(super) fn title_of(code: u8) -> &'static str {
    match code {
        2 => "The command line is wrong",
        3 => "Not authenticated",
        4 => "Not found",
        5 => "The request was invalid",
        6 => "The service could not be reached",
        7 => "Refused because read-only",
        8 => "There is something to do",
        _ => "Failed",
    }
}

/// A word longer than this is not read by anybody, characters.
const LONGEST_WORD: usize = 300;

/// A sentence in which ids and the like that are longer than anybody reads are told by their beginning and end.
fn without_giants(sentence: &str) -> String {
    let shortened = |word: &str| {
        let count = word.chars().count();
        if count <= LONGEST_WORD {
            return word.to_owned();
        }
        let begin: String = word.chars().take(60).collect();
        let end: String = word.chars().skip(count - 20).collect();
        format!("{begin}…{end}")
    };
    sentence.split(' ').map(shortened).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::service::{FolderError, ServedBy};

    #[test]
    fn a_person_is_told_no_number_of_the_system() {
        for (said, shown) in [
            ("a.toml: No such file or directory (os error 2); try b", "a.toml: No such file or directory; try b"),
            ("one (os error 2), two (os error 13)", "one, two"),
            ("(os error 2)", "(os error 2)"),
            ("it says (os error that)", "it says (os error that)"),
        ] {
            assert_eq!(Failure::Faulty(said.to_owned()).line().as_deref(), Some(shown));
        }
        let full = Failure::from(std::io::Error::from_raw_os_error(28));
        assert_eq!(full.line().as_deref(), Some("standard output: No space left on device"));
    }

    #[test]
    fn what_nobody_reads_is_shortened() {
        let failure = Failure::NotFound(format!("there is no product {:?} in a store", "é".repeat(65_000)));
        let line = failure.line().unwrap();
        assert!(line.starts_with("there is no product \"éé") && line.ends_with("éé\" in a store"), "{line}");
        assert!(line.contains("é…é") && line.chars().count() < 150, "{line}");
        let failure = Failure::NotFound("no such thing ".repeat(100));
        assert_eq!(failure.line().unwrap(), "no such thing ".repeat(100), "many words are not a long one");
    }

    #[test]
    fn a_failure_is_a_document_too() {
        let missing = Failure::NotFound("there is no\n such thing".to_owned()).document().unwrap();
        assert_eq!(
            missing,
            json!({ "type": "about:blank", "title": "Not found", "detail": "there is no  such thing", "exitCode": 4 })
        );
        let problem = br#"{"title":"Bad","detail":"limit","errors":[{"pointer":"/limit","detail":"too high"}]}"#;
        let problem = crate::api::Problem::read(400, problem, Some("r1".to_owned()));
        let refused = Failure::Client(ClientError::Problem(Box::new(problem))).document().unwrap();
        assert_eq!(
            (&refused["status"], &refused["title"], &refused["exitCode"]),
            (&json!(400), &json!("Bad"), &json!(5))
        );
        assert_eq!((&refused["requestId"], &refused["errors"][0]["pointer"]), (&json!("r1"), &json!("/limit")));
        assert!(Failure::Output(io::ErrorKind::BrokenPipe.into()).document().is_none());
    }

    #[test]
    fn a_local_workspace_that_does_not_answer_could_not_be_reached() {
        let by = Some(ServedBy { pid: 7, base_url: Some("http://127.0.0.1:9".to_owned()) });
        let held = FolderError::Served { path: "/data".into(), by };
        let silent = LocalError::Silent { held, waited: Duration::from_millis(10_004) };
        let failure = Failure::from(ConnectError::from(silent));
        assert_eq!(failure.exit_code(), 6);
        assert_eq!(
            failure.line().unwrap(),
            "/data is served already, by process 7 at http://127.0.0.1:9, but nothing answered within 10 s; if process 7 \
             is suspended, resume it (kill -CONT 7); if it hangs, end it (kill 7); then try again"
        );
    }
}
