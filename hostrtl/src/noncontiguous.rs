//! Array sections with strides, in `target update`: the map's address points to one descriptor per dimension.
//!
//! An index is `offset + i` times the stride, as in LLVM's library. clang 22 passes the lower bound of `a[1:n:2]` as
//! offset 1 with the stride of two elements, so that such a section starts at element 2: the same wrong element with
//! LLVM's library and with this one, since the descriptor does not tell the length of one step.

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

/// (offset, size) in bytes of each contiguous piece of the section, from the base address.
///
/// # Safety
/// `dimensions` is the address of `count` descriptors.
pub unsafe fn pieces(dimensions: usize, count: usize) -> Vec<(usize, usize)> {
    if dimensions == 0 || count == 0 {
        return Vec::new();
    }
    // SAFETY: the contract.
    let dimensions = unsafe { core::slice::from_raw_parts(dimensions as *const Dimension, count) };
    of_dimensions(dimensions)
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

    #[test]
    fn empty_sections() {
        assert_eq!(pieces_of(&[(0, 0, 16), (0, 1, 8)]), []);
        assert_eq!(pieces_of(&[(0, 4, 16), (0, 0, 8)]), []);
        assert_eq!(pieces_of(&[]), []);
    }
}
