//! Vectors that are read without a panic: outside of them lies the type's default, or an empty list.

/// Reading and writing by index.
pub(super) trait Dense<T> {
    /// The value there, or the default.
    fn at(&self, index: usize) -> T;
    /// Puts a value there; outside it is let fall.
    fn put(&mut self, index: usize, value: T);
}

impl<T: Copy + Default> Dense<T> for [T] {
    #[inline]
    fn at(&self, index: usize) -> T {
        self.get(index).copied().unwrap_or_default()
    }

    #[inline]
    fn put(&mut self, index: usize, value: T) {
        if let Some(slot) = self.get_mut(index) {
            *slot = value;
        }
    }
}

/// Lists by index, all in one allocation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lists<T> {
    starts: Vec<usize>,
    values: Vec<T>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Self { starts: Vec::new(), values: Vec::new() }
    }
}

impl<T: Copy + Default> Lists<T> {
    /// Sorts the pairs into `count` lists by their first part; inside a list they keep their order.
    pub(super) fn new(count: usize, pairs: &[(usize, T)]) -> Self {
        let mut starts = vec![0; count + 1];
        for (list, _) in pairs {
            let size = starts.at(list + 1) + 1;
            starts.put(list + 1, size);
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut next = starts.clone();
        let mut values = vec![T::default(); sum];
        for (list, value) in pairs {
            if *list < count {
                let at = next.at(*list);
                values.put(at, *value);
                next.put(*list, at + 1);
            }
        }
        Self { starts, values }
    }

    /// One of the lists; empty where there is none.
    #[inline]
    pub(super) fn of(&self, list: usize) -> &[T] {
        match (self.starts.get(list), self.starts.get(list + 1)) {
            (Some(start), Some(end)) => self.values.get(*start..*end).unwrap_or_default(),
            _ => &[],
        }
    }
}

/// A count as a number of cells.
#[inline]
pub(super) fn cells(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX / 4)
}

/// A number of cells as an index; what is negative is 0.
#[inline]
pub(super) fn index(cells: i32) -> usize {
    usize::try_from(cells).unwrap_or(0)
}

/// An index as a number to reckon with.
#[inline]
pub(super) fn real(index: usize) -> f64 {
    f64::from(cells(index))
}

/// The nearest cell.
#[inline]
pub(super) fn nearest(place: f64) -> i32 {
    // A cast from a float saturates, and NaN becomes 0.
    #[allow(clippy::cast_possible_truncation)]
    let cell = (place + 0.5).floor() as i32;
    cell
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_keep_their_order_and_forgive_what_is_outside() {
        let lists = Lists::new(3, &[(2, 'a'), (0, 'b'), (2, 'c'), (9, 'x')]);
        assert_eq!(lists.of(0), ['b']);
        assert_eq!(lists.of(1), [] as [char; 0]);
        assert_eq!(lists.of(2), ['a', 'c']);
        assert_eq!(lists.of(7), [] as [char; 0]);
        assert_eq!([1, 2].at(5), 0);
        assert_eq!((nearest(-0.5), nearest(1.49), nearest(f64::NAN)), (0, 1, 0));
    }
}
