//! The rows of a box: what a rectangular copy moves one by one.

/// A box inside of an array.
#[derive(Clone, Copy, Debug)]
pub struct Box<'a> {
    /// Where it starts, in elements of each dimension.
    pub offsets: &'a [usize],
    /// Elements of the array in each dimension.
    pub dimensions: &'a [usize],
}

/// Pieces of one size, at regular distances on both sides of a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    bytes: usize,
    to_start: usize,
    from_start: usize,
    /// From the slowest to the fastest; none when there is one row.
    outer: Vec<Stride>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stride {
    count: usize,
    to: usize,
    from: usize,
}

impl Rows {
    /// One piece.
    pub const fn one(bytes: usize) -> Self {
        Self { bytes, to_start: 0, from_start: 0, outer: Vec::new() }
    }

    /// Bytes of each row.
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Calls `each` with the offsets in bytes of every row in destination and source, until one fails.
    pub fn try_for_each<E>(&self, mut each: impl FnMut(usize, usize) -> Result<(), E>) -> Result<(), E> {
        let mut index = vec![0; self.outer.len()];
        let (mut to, mut from) = (self.to_start, self.from_start);
        loop {
            each(to, from)?;
            // The next index: the last digit that does not overflow.
            let mut digit = self.outer.len();
            loop {
                let Some(current) = digit.checked_sub(1) else { return Ok(()) };
                let stride = self.outer[current];
                index[current] += 1;
                if index[current] < stride.count {
                    (to, from) = (to + stride.to, from + stride.from);
                    break;
                }
                index[current] = 0;
                (to, from) = (to - stride.to * (stride.count - 1), from - stride.from * (stride.count - 1));
                digit = current;
            }
        }
    }

    /// All rows.
    #[cfg(test)]
    fn list(&self) -> Vec<(usize, usize)> {
        let mut rows = Vec::new();
        let Ok(()) = self.try_for_each::<core::convert::Infallible>(|to, from| {
            rows.push((to, from));
            Ok(())
        });
        rows
    }
}

/// The rows of a box of `volume` elements; `None` when it is empty. All slices have the same length, which is not 0.
///
/// # Errors
/// What is wrong with the arguments.
pub fn rows(
    element_size: usize,
    volume: &[usize],
    to: Box<'_>,
    from: Box<'_>,
) -> Result<Option<Rows>, &'static str> {
    let too_large = "the dimensions are larger than any memory";
    if volume.contains(&0) {
        return Ok(None);
    }
    // Bytes from one element of a dimension to the next. That the box lies inside the dimensions is not asked: addresses are sums of
    // offsets and strides, and programs use that, as LLVM's library and GCC's let them.
    let strides = |side: Box<'_>| {
        let mut strides = vec![element_size; volume.len()];
        for dimension in (1..volume.len()).rev() {
            strides[dimension - 1] = strides[dimension].checked_mul(side.dimensions[dimension])?;
        }
        strides[0].checked_mul(side.dimensions[0])?;
        volume.iter().zip(side.offsets).zip(&strides).try_fold(
            0_usize,
            |end, ((volume, offset), stride)| {
                end.checked_add(offset.checked_add(*volume)?.checked_mul(*stride)?)
            },
        )?;
        Some(strides)
    };
    let (to_strides, from_strides) = (strides(to).ok_or(too_large)?, strides(from).ok_or(too_large)?);
    let start = |side: Box<'_>, strides: &[usize]| {
        side.offsets.iter().zip(strides).map(|(offset, stride)| offset * stride).sum::<usize>()
    };
    // Dimensions that both sides have whole are one piece.
    let mut inner = volume.len() - 1;
    while inner > 0 && [to, from].iter().all(|side| side.dimensions[inner] == volume[inner]) {
        inner -= 1;
    }
    let outer = (0..inner).map(|dimension| Stride {
        count: volume[dimension],
        to: to_strides[dimension],
        from: from_strides[dimension],
    });
    Ok(Some(Rows {
        bytes: volume[inner] * to_strides[inner],
        to_start: start(to, &to_strides),
        from_start: start(from, &from_strides),
        outer: outer.collect(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_box<'a>(offsets: &'a [usize], dimensions: &'a [usize]) -> Box<'a> {
        Box { offsets, dimensions }
    }

    /// The whole of an array of this shape.
    fn whole(dimensions: &[usize]) -> Box<'_> {
        Box { offsets: &[0; 8][..dimensions.len()], dimensions }
    }

    #[test]
    fn rows_of_a_matrix() {
        // A 2 x 3 box at (1, 2) of a 4 x 8 matrix, to (0, 0) of a 2 x 3 one; elements of 4 bytes.
        let rows = rows(4, &[2, 3], whole(&[2, 3]), in_box(&[1, 2], &[4, 8])).unwrap().unwrap();
        assert_eq!((rows.bytes(), rows.list()), (12, vec![(0, 40), (12, 72)]));
    }

    #[test]
    fn rows_of_three_dimensions() {
        let rows = rows(1, &[2, 2, 5], whole(&[2, 2, 5]), in_box(&[1, 0, 2], &[3, 4, 10])).unwrap().unwrap();
        assert_eq!(rows.list(), [(0, 42), (5, 52), (10, 82), (15, 92)]);
    }

    #[test]
    fn what_is_contiguous_is_one_row() {
        for (volume, to, from, expected) in [
            (&[7][..], in_box(&[1], &[9]), in_box(&[2], &[9]), (56, vec![(8, 16)])),
            (&[2, 3], in_box(&[1, 0], &[4, 3]), in_box(&[0, 0], &[2, 3]), (48, vec![(24, 0)])),
            (&[2, 2, 3], whole(&[2, 2, 3]), in_box(&[0, 1, 0], &[2, 4, 3]), (48, vec![(0, 24), (48, 120)])),
        ] {
            let rows = rows(8, volume, to, from).unwrap().unwrap();
            assert_eq!((rows.bytes(), rows.list()), expected);
        }
    }

    /// The addresses are what the offsets and strides make, inside the dimensions or not.
    #[test]
    fn a_box_may_reach_out_of_its_dimensions() {
        let rows = rows(4, &[3, 2], in_box(&[0, 1], &[1, 2]), in_box(&[2, 1], &[4, 3])).unwrap().unwrap();
        assert_eq!(rows.list(), [(4, 28), (12, 40), (20, 52)]);
    }

    #[test]
    fn an_empty_box_has_no_rows() {
        assert_eq!(rows(4, &[2, 0], whole(&[2, 2]), whole(&[2, 2])), Ok(None));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for (volume, to, from) in [
            (&[1][..], in_box(&[usize::MAX], &[1]), whole(&[1])),
            (&[1, 1, 1], whole(&[usize::MAX, 2, 2]), whole(&[1, 1, 1])),
            (&[1], whole(&[usize::MAX]), whole(&[1])),
        ] {
            assert!(rows(4, volume, to, from).is_err(), "{volume:?} {to:?} {from:?}");
        }
    }
}
