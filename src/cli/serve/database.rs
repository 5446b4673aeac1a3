//! Where the database is: a flag, and its twins in the environment.

use clap::Args;
use secrecy::{ExposeSecret as _, SecretString};

use super::ServeError;
use super::storage::{content, unread};
use crate::service::DatabasePlace;

const URL: &str = "CUTAWAY_DATABASE_URL";
const URL_FILE: &str = "CUTAWAY_DATABASE_URL_FILE";
const READ_URL: &str = "CUTAWAY_DATABASE_READ_URL";
const READ_URL_FILE: &str = "CUTAWAY_DATABASE_READ_URL_FILE";

/// The flag that says where the database is. Its twins in the environment hold for every command of `serve`.
#[derive(Debug, Clone, Default, Args)]
pub struct DatabaseArgs {
    /// Store everything but videos in a PostgreSQL database, as in `postgres://USER@HOST/DATABASE`; several processes can
    /// serve it [env: CUTAWAY_DATABASE_URL, or a file that contains it: CUTAWAY_DATABASE_URL_FILE]
    // Not read here: what is wrong with it is said without repeating it, since a password may be in it.
    #[arg(long, value_name = "URL", value_parser = unread, global = true)]
    pub database_url: Option<SecretString>,
}

/// The flag that says where a replica is.
#[derive(Debug, Clone, Default, Args)]
pub struct ReplicaArgs {
    /// Read pages of catalogs from a replica of the database, as long as it isn't behind
    /// [env: CUTAWAY_DATABASE_READ_URL, or a file that contains it: CUTAWAY_DATABASE_READ_URL_FILE]
    #[arg(long, value_name = "URL", value_parser = unread)]
    pub database_read_url: Option<SecretString>,
}

impl ReplicaArgs {
    /// A flag that was given.
    pub(super) fn given(&self) -> Option<&'static str> {
        self.database_read_url.is_some().then_some("--database-read-url")
    }

    /// Where the replica of the `database` is, by the flag or else by what the environment says.
    pub(super) fn place(
        &self,
        database: Option<&DatabasePlace>,
        get: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<DatabasePlace>, ServeError> {
        let replica = said(("--database-read-url", self.database_read_url.as_ref()), (READ_URL, READ_URL_FILE), get)?;
        if replica.is_some() && database.is_none() {
            let why = "--database-read-url needs --database-url: it names a replica of that database";
            return Err(ServeError::Usage(why.to_owned()));
        }
        Ok(replica)
    }
}

/// What a flag says, or else what the environment does: a variable, or the file that another one names.
fn said(
    (flag, given): (&str, Option<&SecretString>),
    (url, file): (&str, &str),
    get: impl Fn(&str) -> Option<String>,
) -> Result<Option<DatabasePlace>, ServeError> {
    let get = |name| get(name).filter(|text| !text.is_empty());
    Ok(match (given, get(url), get(file)) {
        (Some(text), ..) => Some(of_flag((flag, url, file), text)?),
        (None, Some(_), Some(_)) => return Err(ServeError::Usage(format!("set {url} or {file}, not both"))),
        (None, Some(text), None) => Some(place(url, &text)?),
        (None, None, Some(named)) => Some(place(file, content(file, &named)?.trim())?),
        (None, None, None) => None,
    })
}

fn place(name: &str, text: &str) -> Result<DatabasePlace, ServeError> {
    text.parse().map_err(|why| ServeError::Usage(format!("{name}: {why}")))
}

/// The database that a flag of `move` names, in which a password is refused.
pub(super) fn of_move(flag: &str, text: &SecretString) -> Result<DatabasePlace, ServeError> {
    of_flag((flag, URL, URL_FILE), text)
}

/// The database that a flag names, in which a password is refused.
fn of_flag((flag, url, file): (&str, &str, &str), text: &SecretString) -> Result<DatabasePlace, ServeError> {
    let place = place(flag, text.expose_secret())?;
    if place.has_password() {
        return Err(ServeError::Usage(format!(
            "{flag} must not contain a password, which other users of this machine could see; set {url} or {file} \
             instead"
        )));
    }
    Ok(place)
}

impl DatabaseArgs {
    /// Whether the flag was given.
    pub(super) fn is_given(&self) -> bool {
        self.database_url.is_some()
    }

    /// Where the database is, by the flag or else by what the environment says; nothing is the data folder.
    pub(super) fn place(&self, get: impl Fn(&str) -> Option<String>) -> Result<Option<DatabasePlace>, ServeError> {
        said(("--database-url", self.database_url.as_ref()), (URL, URL_FILE), get)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(&str, &str)]) -> impl Fn(&str) -> Option<String> {
        let pairs: Vec<_> = pairs.iter().map(|pair| (pair.0.to_owned(), pair.1.to_owned())).collect();
        move |name| pairs.iter().find(|pair| pair.0 == name).map(|pair| pair.1.clone())
    }

    #[test]
    fn a_password_is_taken_from_the_environment_and_refused_in_the_flag() {
        let secret = "postgres://shop:hush@db.example/cutaway";
        let flag = |text: &str| DatabaseArgs { database_url: Some(SecretString::from(text)) };
        let refusal = flag(secret).place(of(&[])).unwrap_err();
        assert_eq!(refusal.exit_code(), 2);
        assert!(!refusal.to_string().contains("hush") && !format!("{:?}", flag(secret)).contains("hush"));
        assert!(flag("postgres://shop@db.example/cutaway").place(of(&[(URL, secret)])).unwrap().is_some());
        assert!(DatabaseArgs::default().place(of(&[(URL, secret)])).unwrap().unwrap().has_password());
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), format!("{secret}\n")).unwrap();
        let named = file.path().to_str().unwrap();
        assert!(DatabaseArgs::default().place(of(&[(URL_FILE, named)])).unwrap().is_some());
        assert!(DatabaseArgs::default().place(of(&[(URL_FILE, named), (URL, secret)])).is_err());
        assert_eq!(DatabaseArgs::default().place(of(&[(URL, "")])).unwrap(), None);
        let replica = |text: &str| ReplicaArgs { database_read_url: Some(SecretString::from(text)) };
        let database = secret.parse().ok();
        let refusal = replica(secret).place(database.as_ref(), of(&[])).unwrap_err().to_string();
        assert!(refusal.contains(READ_URL) && !refusal.contains("hush"), "{refusal}");
        assert!(replica("postgres://shop@b/cutaway").place(None, of(&[])).is_err());
        assert!(ReplicaArgs::default().place(database.as_ref(), of(&[(READ_URL, secret)])).unwrap().is_some());
        let wrong = DatabaseArgs::default().place(of(&[(URL, "mysql://shop:hush@db")])).unwrap_err();
        assert!(!wrong.to_string().contains("hush"));
    }
}
