//! Files that a person names: found as a shell would find them, and written whole or not at all.

use std::fs::{DirBuilder, File, Permissions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf, absolute};

use tempfile::NamedTempFile;

/// So many names are tried where the one that was meant is taken.
const MOST_NAMES: u32 = 1_000;

/// Who may read a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Only its owner: names and addresses of people are in it (0600).
    Private,
    /// Whoever the person's umask lets.
    Usual,
    /// Only its owner, who may also run it (0700).
    Program,
}

/// What happens where a file of the name exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// It stays, and nothing is written.
    Refuse,
    /// The new file replaces it once it is whole.
    Replace,
    /// It stays, and the new file gets the next free name: `tour.sh`, `tour-2.sh`, `tour-3.sh`.
    Number,
}

/// Finds and writes files for one person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files {
    home: Option<PathBuf>,
    /// Where relative paths begin; none where the working directory is gone.
    start: Option<PathBuf>,
}

impl Files {
    /// Of a person whose home and working directory are these.
    #[must_use]
    pub fn new(home: Option<PathBuf>, start: Option<PathBuf>) -> Self {
        Self { home, start }
    }

    /// Of the person who runs this process.
    #[must_use]
    pub fn of_process() -> Self {
        let home = directories::BaseDirs::new().map(|dirs| dirs.home_dir().to_owned());
        Self::new(home, std::env::current_dir().ok())
    }

    /// The home folder.
    #[must_use]
    pub fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// Where relative paths begin.
    #[must_use]
    pub fn start(&self) -> Option<&Path> {
        self.start.as_deref()
    }

    /// The absolute path of what was typed: `~` is the home folder, other relative paths begin at the working directory.
    #[must_use]
    pub fn find(&self, typed: impl AsRef<Path>) -> PathBuf {
        let typed = typed.as_ref();
        self.find_in(typed.to_str().map_or(typed, |typed| Path::new(typed.trim())), None)
    }

    /// The same for a path that begins at `folder`, where one is shown, unless it says otherwise.
    #[must_use]
    pub fn find_in(&self, path: &Path, folder: Option<&Path>) -> PathBuf {
        if let (Ok(rest), Some(home)) = (path.strip_prefix("~"), &self.home) {
            // Joined with nothing it would end with a slash.
            return if rest.as_os_str().is_empty() { home.clone() } else { home.join(rest) };
        }
        let whole = folder.or(self.start.as_deref()).map_or_else(|| path.to_owned(), |start| start.join(path));
        absolute(&whole).unwrap_or(whole)
    }

    /// Begins a file; what is written to it stands at its place once it is kept.
    ///
    /// # Errors
    /// Where something exists there that stays ([`io::ErrorKind::AlreadyExists`]), or the folder can't be written to.
    pub fn begin(&self, typed: impl AsRef<Path>, access: Access, existing: Existing) -> io::Result<NewFile> {
        NewFile::at(self.find(typed), access, existing)
    }

    /// Writes a file; where it is.
    ///
    /// # Errors
    /// As [`Self::begin`] and [`NewFile::keep`].
    pub fn write(
        &self,
        typed: impl AsRef<Path>,
        content: &[u8],
        access: Access,
        existing: Existing,
    ) -> io::Result<PathBuf> {
        let file = self.begin(typed, access, existing)?;
        file.writer()?.write_all(content)?;
        file.keep()
    }
}

/// A file that is not whole yet: beside its place, and gone where it is dropped.
#[derive(Debug)]
pub struct NewFile {
    file: NamedTempFile,
    place: PathBuf,
    existing: Existing,
}

impl NewFile {
    fn at(place: PathBuf, access: Access, existing: Existing) -> io::Result<Self> {
        // A link that leads nowhere is something, too.
        if existing == Existing::Refuse && place.symlink_metadata().is_ok() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if access == Access::Private {
            make_private(folder)?;
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(".cutaway-");
        #[cfg(unix)]
        builder.permissions(<Permissions as std::os::unix::fs::PermissionsExt>::from_mode(match access {
            Access::Private => 0o600,
            Access::Usual => 0o666,
            Access::Program => 0o700,
        }));
        Ok(Self { file: builder.tempfile_in(folder)?, place, existing })
    }

    /// Writes to it.
    ///
    /// # Errors
    /// Where no more files can be opened.
    pub fn writer(&self) -> io::Result<File> {
        self.file.reopen()
    }

    /// Puts it in its place, on the disk before it has its name; where it is.
    ///
    /// # Errors
    /// Where it can't be written, or something came to exist there meanwhile that stays.
    pub fn keep(self) -> io::Result<PathBuf> {
        let Self { file, place, existing } = self;
        file.as_file().sync_all()?;
        match existing {
            Existing::Replace => file.persist(&place).map_err(|error| error.error)?,
            Existing::Refuse => file.persist_noclobber(&place).map_err(|error| error.error)?,
            Existing::Number => return number(file, &place),
        };
        Ok(place)
    }
}

/// What is private may get a folder of its own; for others a folder that is missing is a mistyped one.
fn make_private(folder: &Path) -> io::Result<()> {
    let mut making = DirBuilder::new();
    making.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut making, 0o700);
    making.create(folder)
}

fn number(mut file: NamedTempFile, place: &Path) -> io::Result<PathBuf> {
    for number in 1..=MOST_NAMES {
        let place = numbered(place, number);
        file = match file.persist_noclobber(&place) {
            Ok(_) => return Ok(place),
            Err(taken) if taken.error.kind() == io::ErrorKind::AlreadyExists => taken.file,
            Err(other) => return Err(other.error),
        };
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// `tour.sh`, `tour-2.sh`, `tour-3.sh`
fn numbered(path: &Path, number: u32) -> PathBuf {
    if number == 1 {
        return path.to_owned();
    }
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{number}"));
    if let Some(ending) = path.extension() {
        name.push(".");
        name.push(ending);
    }
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_found_as_a_shell_finds_it() {
        let files = Files::new(Some("/home/me".into()), Some("/srv".into()));
        for (typed, found) in [
            ("~", "/home/me"),
            ("~/x.har", "/home/me/x.har"),
            (" ~/a/b.har ", "/home/me/a/b.har"),
            ("x.har", "/srv/x.har"),
            ("./a/x.har", "/srv/a/x.har"),
            ("/tmp/x.har", "/tmp/x.har"),
            ("~other/x.har", "/srv/~other/x.har"),
        ] {
            assert_eq!(files.find(typed), Path::new(found), "{typed:?}");
        }
        assert_eq!(files.find_in(Path::new("a.mp4"), Some(Path::new("/films"))), Path::new("/films/a.mp4"));
        assert_eq!(files.find_in(Path::new("~/a.mp4"), Some(Path::new("/films"))), Path::new("/home/me/a.mp4"));
        // Without a home `~` is a name like others.
        assert_eq!(Files::new(None, Some("/srv".into())).find("~/x"), Path::new("/srv/~/x"));
    }

    #[test]
    fn what_exists_stays_is_replaced_or_gets_another_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let files = Files::new(Some(folder.path().to_owned()), None);
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        let write = |content: &str, existing| files.write("~/a.txt", content.as_bytes(), Access::Usual, existing);
        assert_eq!(write("1", Existing::Refuse).unwrap(), folder.path().join("a.txt"));
        assert_eq!(write("2", Existing::Refuse).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(read("a.txt"), "1");
        assert_eq!(write("3", Existing::Number).unwrap(), folder.path().join("a-2.txt"));
        assert_eq!(write("4", Existing::Number).unwrap(), folder.path().join("a-3.txt"));
        write("5", Existing::Replace).unwrap();
        assert_eq!((read("a.txt"), read("a-2.txt"), read("a-3.txt")), ("5".into(), "3".into(), "4".into()));
        // One that came to exist while it was written stays, too.
        let begun = files.begin("~/b.txt", Access::Usual, Existing::Refuse).unwrap();
        std::fs::write(folder.path().join("b.txt"), "theirs").unwrap();
        assert_eq!(begun.keep().unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(read("b.txt"), "theirs");
        assert!(files.write("~/no/such/a.txt", b"", Access::Usual, Existing::Refuse).is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 4, "nothing half is left");
    }

    #[cfg(unix)]
    #[test]
    fn what_is_private_is_the_owners_alone_and_a_link_is_not_followed() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let files = Files::new(Some(folder.path().to_owned()), None);
        for (access, mode) in [(Access::Private, 0o600), (Access::Program, 0o700)] {
            let path = files.write("~/x", b"x", access, Existing::Number).unwrap();
            assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, mode);
        }
        let secret = folder.path().join("secret");
        std::os::unix::fs::symlink(&secret, folder.path().join("link")).unwrap();
        let refused = files.write("~/link", b"x", Access::Usual, Existing::Refuse).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
        assert!(!secret.exists());
    }
}
