//! What a database of PostgreSQL is marked with while nothing but a move may write in it.

/// The mark of a database, which is a setting of this name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::service::store) enum Mark {
    /// A move into it isn't finished.
    Moving,
    /// Its workspace is somewhere else.
    Moved,
}

impl Mark {
    /// Asks for the name of the mark; nothing where there is none.
    pub(in crate::service::store) const ASKED: &str = "SELECT min(name) FROM setting WHERE name IN ('moved', 'moving')";

    /// The setting that it is.
    pub(in crate::service::store) fn name(self) -> &'static str {
        match self {
            Self::Moving => "moving",
            Self::Moved => "moved",
        }
    }

    /// The one of this name.
    pub(in crate::service::store) fn named(name: &str) -> Option<Self> {
        [Self::Moving, Self::Moved].into_iter().find(|mark| mark.name() == name)
    }

    /// Why the database can't be used.
    pub(in crate::service::store) fn why(self) -> &'static str {
        match self {
            Self::Moving => {
                "the database contains an unfinished move; finish it by running the same cutaway serve move again"
            }
            Self::Moved => "the workspace of this database was moved to a data folder; use that folder",
        }
    }
}
