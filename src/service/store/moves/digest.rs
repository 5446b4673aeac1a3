//! What the rows of a table amount to, the same in every database that has the same rows.

use super::super::db::Value;

/// A row, its values in the order of the table's columns.
pub(super) type Row = Vec<Value>;

/// How many rows were seen, and the BLAKE3 of their values: each begins with a byte that says what it is, texts and bytes
/// with their length, numbers are in eight bytes, the highest first. Rows come in the order of their keys, columns in that
/// of their names.
#[derive(Default)]
pub(super) struct Digest {
    rows: u64,
    hasher: blake3::Hasher,
}

impl Digest {
    pub(super) fn add(&mut self, rows: &[Row]) {
        for value in rows.iter().flatten() {
            match value {
                Value::Null => self.hasher.update(&[0]),
                Value::Integer(number) => self.hasher.update(&[1]).update(&number.to_be_bytes()),
                // SQLite keeps no sign of a zero.
                Value::Real(number) => self.hasher.update(&[2]).update(&(number + 0.0).to_be_bytes()),
                Value::Text(text) => self.bytes(3, text.as_bytes()),
                Value::Blob(bytes) => self.bytes(4, bytes),
            };
        }
        self.rows += rows.len() as u64;
    }

    fn bytes(&mut self, kind: u8, bytes: &[u8]) -> &mut blake3::Hasher {
        self.hasher.update(&[kind]).update(&(bytes.len() as u64).to_be_bytes()).update(bytes)
    }

    /// How many rows, and the hash as 64 hexadecimal digits.
    pub(super) fn sum(&self) -> (u64, String) {
        (self.rows, self.hasher.finalize().to_hex().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(rows: &[Row]) -> (u64, String) {
        let mut digest = Digest::default();
        digest.add(rows);
        digest.sum()
    }

    #[test]
    fn rows_that_differ_in_anything_have_another_sum() {
        let text = |text: &str| Value::Text(text.to_owned());
        let rows = [
            vec![vec![text("a"), text("b")]],
            vec![vec![text("ab"), text("")]],
            vec![vec![text("a"), Value::Blob(b"b".to_vec())]],
            vec![vec![text("a"), Value::Null]],
            vec![vec![Value::Integer(1), text("b")]],
            vec![vec![Value::Real(1.0), text("b")]],
            vec![vec![text("b"), text("a")]],
        ];
        let sums: std::collections::BTreeSet<_> = rows.iter().map(|rows| sum(rows)).collect();
        assert_eq!(sums.len(), rows.len());
        assert_eq!(sum(&[vec![Value::Real(-0.0)]]), sum(&[vec![Value::Real(0.0)]]));
    }
}
