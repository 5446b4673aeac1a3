//! Values as PostgreSQL has them on the wire.

use std::borrow::Cow;
use std::error::Error as StdError;

use bytes::{BufMut as _, BytesMut};
use rusqlite::types::{ToSqlOutput, ValueRef};
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

use super::{Error, FromSqlError, Result};

/// What a column holds, before anybody says what it is.
struct Raw<'a>(Option<&'a [u8]>);

impl<'a> FromSql<'a> for Raw<'a> {
    fn from_sql(_: &Type, raw: &'a [u8]) -> std::result::Result<Self, Box<dyn StdError + Sync + Send>> {
        Ok(Self(Some(raw)))
    }

    fn from_sql_null(_: &Type) -> std::result::Result<Self, Box<dyn StdError + Sync + Send>> {
        Ok(Self(None))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

fn fixed<const N: usize>(raw: &[u8]) -> Result<[u8; N]> {
    raw.try_into().map_err(|_| FromSqlError::InvalidType.into())
}

/// A whole number as `numeric` writes it: sums of `bigint` are of that type.
fn whole(raw: &[u8]) -> Result<i64> {
    let mut words = raw.chunks_exact(2).map(|word| fixed(word).map(i16::from_be_bytes));
    let mut next = || words.next().unwrap_or_else(|| Err(FromSqlError::InvalidType.into()));
    let (digits, weight, sign, _) = (next()?, next()?, next()?, next()?);
    let mut number: i128 = 0;
    for at in 0..=weight {
        let digit = if at < digits { next()? } else { 0 };
        number = number.saturating_mul(10_000).saturating_add(digit.into());
    }
    let number = if sign == 0 { number } else { -number };
    i64::try_from(number).map_err(|_| FromSqlError::InvalidType.into())
}

/// What a column of a row holds.
pub(super) fn value(row: &tokio_postgres::Row, at: usize) -> Result<ValueRef<'_>> {
    let raw: Raw<'_> = row.try_get(at)?;
    let (Some(raw), Some(column)) = (raw.0, row.columns().get(at)) else { return Ok(ValueRef::Null) };
    Ok(match *column.type_() {
        Type::BOOL => ValueRef::Integer(i64::from(fixed(raw).map(u8::from_be_bytes)?)),
        Type::INT2 => ValueRef::Integer(i16::from_be_bytes(fixed(raw)?).into()),
        Type::INT4 => ValueRef::Integer(i32::from_be_bytes(fixed(raw)?).into()),
        Type::INT8 => ValueRef::Integer(i64::from_be_bytes(fixed(raw)?)),
        Type::NUMERIC => ValueRef::Integer(whole(raw)?),
        Type::FLOAT8 => ValueRef::Real(f64::from_be_bytes(fixed(raw)?)),
        // Numbers of a list are read by `numbers`.
        Type::BYTEA | Type::INT8_ARRAY => ValueRef::Blob(raw),
        Type::TEXT | Type::VARCHAR | Type::NAME | Type::UNKNOWN | Type::BPCHAR => ValueRef::Text(raw),
        _ => return Err(Error::Value(FromSqlError::InvalidType)),
    })
}

/// The numbers of a list of one dimension, as the server writes it: dimensions, whether nulls are among them, their type, how
/// many there are, and the number of the first one; then each with its length.
pub(super) fn numbers(raw: &[u8]) -> Result<Vec<Option<i64>>> {
    const HEAD: usize = 20;
    let mut rest = raw.get(HEAD..).unwrap_or_default();
    let mut numbers = Vec::with_capacity(rest.len() / 12);
    while let Some((length, behind)) = rest.split_first_chunk() {
        if i32::from_be_bytes(*length) < 0 {
            numbers.push(None);
            rest = behind;
        } else {
            let (number, behind) = behind.split_first_chunk().ok_or(FromSqlError::InvalidType)?;
            numbers.push(Some(i64::from_be_bytes(*number)));
            rest = behind;
        }
    }
    Ok(numbers)
}

/// What stands for U+0000: two characters that are none.
const NOBODY_WRITES: &str = "\u{ffff}\u{fffe}";

/// A text as the server takes the question for it: with U+0000 in it, it is one that nobody writes.
pub(super) fn askable(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { text.replace('\0', NOBODY_WRITES).into() } else { text.into() }
}

/// A value that fills a place of a statement.
#[derive(Debug)]
pub(super) struct Given<'a>(ToSqlOutput<'a>);

impl<'a> Given<'a> {
    /// A text with U+0000 in it is nowhere in a database of PostgreSQL's, which does not even take the question: who only
    /// asks (`reads`) asks for one that nobody writes.
    pub(super) fn of(value: &'a dyn rusqlite::types::ToSql, reads: bool) -> Result<Self> {
        let given = Self(value.to_sql()?);
        match given.read() {
            Ok(ValueRef::Text(text)) if reads && text.contains(&0) => {
                let asked = String::from_utf8_lossy(text).replace('\0', NOBODY_WRITES);
                Ok(Self(ToSqlOutput::Owned(asked.into())))
            }
            _ => Ok(given),
        }
    }

    /// What it is by itself.
    pub(super) fn own_type(&self) -> Type {
        match self.read() {
            Ok(ValueRef::Integer(_)) => Type::INT8,
            Ok(ValueRef::Real(_)) => Type::FLOAT8,
            Ok(ValueRef::Text(_)) => Type::TEXT,
            Ok(ValueRef::Blob(_)) => Type::BYTEA,
            Ok(ValueRef::Null) | Err(_) => Type::UNKNOWN,
        }
    }

    fn read(&self) -> std::result::Result<ValueRef<'_>, Box<dyn StdError + Sync + Send>> {
        match &self.0 {
            ToSqlOutput::Borrowed(value) => Ok(*value),
            ToSqlOutput::Owned(value) => Ok(value.into()),
            _ => Err("a value of this kind has no place in the database".into()),
        }
    }
}

impl ToSql for Given<'_> {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> std::result::Result<IsNull, Box<dyn StdError + Sync + Send>> {
        match (self.read()?, ty) {
            (ValueRef::Null, _) => return Ok(IsNull::Yes),
            (ValueRef::Integer(number), &Type::BOOL) => out.put_u8(u8::from(number != 0)),
            (ValueRef::Integer(number), &Type::INT2) => out.put_i16(i16::try_from(number)?),
            (ValueRef::Integer(number), &Type::INT4) => out.put_i32(i32::try_from(number)?),
            (ValueRef::Integer(number), &Type::INT8) => out.put_i64(number),
            #[expect(clippy::cast_precision_loss, reason = "as SQLite keeps a whole number in a column of reals")]
            (ValueRef::Integer(number), &Type::FLOAT8) => out.put_f64(number as f64),
            (ValueRef::Real(number), &Type::FLOAT8) => out.put_f64(number),
            (ValueRef::Text(bytes) | ValueRef::Blob(bytes), &Type::TEXT | &Type::BYTEA) => out.put_slice(bytes),
            (value, ty) => return Err(format!("a value of {} has no place in {ty}", value.data_type()).into()),
        }
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}
