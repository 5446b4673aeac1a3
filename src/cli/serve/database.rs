//! Where the database is: a flag, and its twins in the environment.

use clap::Args;
use secrecy::{ExposeSecret as _, SecretString};

use super::ServeError;
use super::storage::{content, unread};
use crate::service::DatabasePlace;

const URL: &str = "CUTAWAY_DATABASE_URL";
const URL_FILE: &str = "CUTAWAY_DATABASE_URL_FILE";

/// The flag that says where the database is. Its twins in the environment hold for every command of `serve`.
#[derive(Debug, Clone, Default, Args)]
pub struct DatabaseArgs {
    /// Store everything but videos in a PostgreSQL database, as in `postgres://USER@HOST/DATABASE`; several processes can
    /// serve it [env: CUTAWAY_DATABASE_URL, or a file that contains it: CUTAWAY_DATABASE_URL_FILE]
    // Not read here: what is wrong with it is said without repeating it, since a password may be in it.
    #[arg(long, value_name = "URL", value_parser = unread, global = true)]
    pub database_url: Option<SecretString>,
}

fn place(name: &str, text: &str) -> Result<DatabasePlace, ServeError> {
    text.parse().map_err(|why| ServeError::Usage(format!("{name}: {why}")))
}

/// The database that a flag names, in which a password is refused.
pub(super) fn of_flag(flag: &str, text: &SecretString) -> Result<DatabasePlace, ServeError> {
    let place = place(flag, text.expose_secret())?;
    if place.has_password() {
        return Err(ServeError::Usage(format!(
            "{flag} must not contain a password, which other users of this machine could see; set {URL} or {URL_FILE} \
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
        let get = |name| get(name).filter(|text| !text.is_empty());
        Ok(match (&self.database_url, get(URL), get(URL_FILE)) {
            (Some(flag), ..) => Some(of_flag("--database-url", flag)?),
            (None, Some(_), Some(_)) => return Err(ServeError::Usage(format!("set {URL} or {URL_FILE}, not both"))),
            (None, Some(text), None) => Some(place(URL, &text)?),
            (None, None, Some(file)) => Some(place(URL_FILE, content(URL_FILE, &file)?.trim())?),
            (None, None, None) => None,
        })
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
        let wrong = DatabaseArgs::default().place(of(&[(URL, "mysql://shop:hush@db")])).unwrap_err();
        assert!(!wrong.to_string().contains("hush"));
    }
}
