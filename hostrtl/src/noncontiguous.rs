//! Array sections with strides, in `target update`: the map's address points to one descriptor per dimension.
//!
//! An index is `offset + i` times the stride, as in LLVM's library. clang 22 passes the lower bound of `a[1:n:2]` as
//! offset 1 with the stride of two elements, so that such a section starts at element 2: the same wrong element with
//! LLVM's library and with this one, since the descriptor does not tell the length of one step.
//!
//! The size of such a map is the number of descriptors. Where a length is not a constant, clang 22 passes the bytes of the
//! section instead, and LLVM's library then reads as many descriptors; here the descriptors themselves tell.

/// One dimension (LLVM: `__tgt_target_non_contig`), outermost first; the last one counts elements.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Dimension {
    /// First index.
    offset: u64,
    /// Number of indices.
    count: u64,
    /// Bytes between indices.
    stride: u64,
}

impl Dimension {
    /// The last descriptor stands for one element.
    const fn is_element(self) -> bool {
        self.offset == 0 && self.count == 1 && self.stride != 0
    }
}

/// Most descriptors that make sense.
const MOST: usize = 16;

/// (offset, size) in bytes of each contiguous piece of the section, from the base address. `None`: the descriptors make no
/// sense.
///
/// # Safety
/// `dimensions` is the address of descriptors, the last of which stands for one element; `size` is their number, or the
/// bytes of the section.
pub unsafe fn pieces(dimensions: usize, size: usize) -> Option<Vec<(usize, usize)>> {
    if dimensions == 0 || size == 0 {
        return Some(Vec::new());
    }
    let address = dimensions as *const Dimension;
    // SAFETY: a descriptor, or what lies behind them: they lie in the frame of a caller, with more of the stack behind.
    let at = |index| unsafe { address.add(index).read() };
    let count = if size <= MOST && at(size - 1).is_element() { size } else { count_by_bytes(at, size)? };
    // SAFETY: that many descriptors, by the contract.
    Some(of_dimensions(unsafe { core::slice::from_raw_parts(address, count) }))
}

/// The number of descriptors of a section with this number of bytes.
fn count_by_bytes(at: impl Fn(usize) -> Dimension, bytes: usize) -> Option<usize> {
    let mut elements = 1_u64;
    for index in 0..MOST {
        let dimension = at(index);
        if index > 0 && dimension.is_element() && elements.checked_mul(dimension.stride)? == bytes as u64 {
            return Some(index + 1);
        }
        elements = elements.checked_mul(dimension.count)?;
    }
    None
}

fn of_dimensions(dimensions: &[Dimension]) -> Vec<(usize, usize)> {
    let [outer @ .., last] = dimensions else { return Vec::new() };
    let mut start = last.offset * last.stride;
    let mut size = last.count * last.stride;
    let mut outer = outer;
    // Indices that follow each other without a gap are one piece.
    while let [rest @ .., dimension] = outer
        && dimension.stride == size
    {
        start += dimension.offset * dimension.stride;
        size *= dimension.count;
        outer = rest;
    }
    let mut pieces = vec![start];
    for dimension in outer {
        let indices = dimension.offset..dimension.offset + dimension.count;
        pieces = pieces
            .iter()
            .flat_map(|piece| indices.clone().map(move |index| piece + index * dimension.stride))
            .collect();
    }
    if size == 0 {
        return Vec::new();
    }
    pieces.into_iter().map(|piece| (piece as usize, size as usize)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces_of(dimensions: &[(u64, u64, u64)]) -> Vec<(usize, usize)> {
        let dimensions: Vec<Dimension> = dimensions
            .iter()
            .map(|(offset, count, stride)| Dimension { offset: *offset, count: *count, stride: *stride })
            .collect();
        of_dimensions(&dimensions)
    }

    /// `double g[16]`, section `g[0:8:2]`: clang-22 writes {0, 8, 16}, {0, 1, 8}.
    #[test]
    fn strided_vector() {
        let expected: Vec<_> = (0..8).map(|index| (index * 16, 8)).collect();
        assert_eq!(pieces_of(&[(0, 8, 16), (0, 1, 8)]), expected);
    }

    #[test]
    fn block_of_a_matrix() {
        // int a[5][5], section a[1:2][2:3].
        assert_eq!(pieces_of(&[(1, 2, 20), (2, 3, 4), (0, 1, 4)]), [(28, 12), (48, 12)]);
    }

    #[test]
    fn whole_rows_are_one_piece() {
        assert_eq!(pieces_of(&[(1, 2, 20), (0, 5, 4), (0, 1, 4)]), [(20, 40)]);
    }

    fn of_size(dimensions: &[(u64, u64, u64)], size: usize) -> Option<Vec<(usize, usize)>> {
        let mut all = [Dimension { offset: 7, count: 7, stride: 7 }; MOST];
        for (place, (offset, count, stride)) in all.iter_mut().zip(dimensions) {
            *place = Dimension { offset: *offset, count: *count, stride: *stride };
        }
        // SAFETY: there are as many descriptors as are ever looked at.
        unsafe { pieces(all.as_ptr().expose_provenance(), size) }
    }

    /// clang-22 passes the number of descriptors for `g[0:8:2]` and the bytes for `g[0:n:2]`.
    #[test]
    fn size_in_descriptors_or_bytes() {
        let vector = [(0, 8, 16), (0, 1, 8)];
        assert_eq!(of_size(&vector, 2), Some(pieces_of(&vector)));
        assert_eq!(of_size(&vector, 64), Some(pieces_of(&vector)));
        let one = [(0, 1, 16), (0, 1, 8)];
        assert_eq!(of_size(&one, 8), Some(vec![(0, 8)]));
        let block = [(1, 2, 20), (2, 3, 4), (0, 1, 4)];
        assert_eq!(of_size(&block, 3), Some(pieces_of(&block)));
        assert_eq!(of_size(&block, 24), Some(pieces_of(&block)));
        let bytes = [(0, 2, 2), (0, 1, 1)];
        assert_eq!(of_size(&bytes, 2), Some(pieces_of(&bytes)));
        assert_eq!(of_size(&vector, 0), Some(vec![]));
        assert_eq!(of_size(&vector, 72), None, "neither");
        assert_eq!(of_size(&vector, 5), None);
    }

    #[test]
    fn empty_sections() {
        assert_eq!(pieces_of(&[(0, 0, 16), (0, 1, 8)]), []);
        assert_eq!(pieces_of(&[(0, 4, 16), (0, 0, 8)]), []);
        assert_eq!(pieces_of(&[]), []);
    }
}
