//! Assignments of arrays, against a model that reads all before it writes.

mod machine;

use devicertl::fortran::{_FortranAAssign, Descriptor, Dimension};

/// A descriptor with its dimensions.
#[repr(C)]
struct Array<const RANK: usize> {
    head: Descriptor,
    dimensions: [Dimension; RANK],
}

const INTEGER: i8 = 9;
const TEXT: i8 = 40;
const ALLOCATABLE: u8 = 2;

/// Elements of `bytes` bytes: in each dimension so many, so many bytes apart.
fn array<const RANK: usize>(base: *mut u8, bytes: u64, ty: i8, of: [(i64, i64); RANK]) -> Array<RANK> {
    Array {
        head: Descriptor { base, bytes, version: 20240719, rank: RANK as u8, ty, attribute: 0, extra: 0 },
        dimensions: of.map(|(extent, stride)| Dimension { lower: 1, extent, stride }),
    }
}

fn assign<const T: usize, const F: usize>(to: &mut Array<T>, from: &Array<F>) {
    // SAFETY: descriptors with their dimensions behind them.
    unsafe {
        _FortranAAssign((&raw mut *to).cast(), (&raw const *from).cast(), c"test".as_ptr(), 1);
    }
}

/// Parts of one array of 24 numbers, from all places, forwards and backwards, with all strides: also over each other.
#[test]
fn sections() {
    let before: Vec<i32> = (0..24).map(|i| 100 + i).collect();
    let places = |start: i64, step: i64| (0..5).map(move |k| (start + k * step) as usize);
    let steps = [-3, -2, -1, 1, 2, 3];
    let start_of = |step: i64, shift: i64| if step < 0 { 12 + shift } else { shift };
    for (to_step, from_step) in steps.iter().flat_map(|t| steps.iter().map(move |f| (*t, *f))) {
        for (to_shift, from_shift) in (0..8).flat_map(|t| (0..8).map(move |f| (t, f))) {
            let (to, from) = (start_of(to_step, to_shift), start_of(from_step, from_shift));
            let mut expected = before.clone();
            for (t, f) in places(to, to_step).zip(places(from, from_step)) {
                expected[t] = before[f];
            }
            let mut numbers = before.clone();
            let base = numbers.as_mut_ptr();
            let part = |start: i64, step: i64| {
                array(base.wrapping_offset(start as isize).cast(), 4, INTEGER, [(5, 4 * step)])
            };
            assign(&mut part(to, to_step), &part(from, from_step));
            assert_eq!(numbers, expected, "{to} by {to_step} = {from} by {from_step}");
        }
    }
}

/// A part of a matrix, by a transposed descriptor, and by one number, also one of its own.
#[test]
fn matrices_and_scalars() {
    let (mut to, mut from) = ([[0i64; 4]; 3], [[0i64; 3]; 4]);
    for (i, j) in (0..4).flat_map(|i| (0..3).map(move |j| (i, j))) {
        from[i][j] = (10 * i + j) as i64;
    }
    let mut target = array(to.as_mut_ptr().cast(), 8, INTEGER, [(4, 8), (3, 32)]);
    assign(&mut target, &array(from.as_mut_ptr().cast(), 8, INTEGER, [(4, 24), (3, 8)]));
    for (i, j) in (0..4).flat_map(|i| (0..3).map(move |j| (i, j))) {
        assert_eq!(to[j][i], from[i][j]);
    }
    let own = &raw mut to[1][2];
    assign(&mut target, &array(own.cast(), 8, INTEGER, []));
    assert_eq!(to, [[21; 4]; 3]);
    let mut nothing = array(to.as_mut_ptr().cast(), 8, INTEGER, [(0, 8), (3, 32)]);
    assign(&mut nothing, &array(from.as_mut_ptr().cast(), 8, INTEGER, []));
    assert_eq!(to, [[21; 4]; 3]);
}

#[test]
fn text_gets_blanks_or_is_cut() {
    let (mut to, mut from) = (*b"......", *b"abcdef");
    assign(&mut array(to.as_mut_ptr(), 3, TEXT, [(2, 3)]), &array(from.as_mut_ptr(), 2, TEXT, [(2, 3)]));
    assert_eq!(&to, b"ab de ");
    assign(&mut array(to.as_mut_ptr(), 2, TEXT, [(2, 3)]), &array(from.as_mut_ptr(), 5, TEXT, []));
    assert_eq!(&to, b"ab ab ");
}

#[test]
fn an_allocatable_array_is_allocated() {
    let mut from = [1i64, 0, 2, 0, 3];
    let mut to = array(std::ptr::null_mut(), 8, INTEGER, [(0, 0)]);
    to.head.attribute = ALLOCATABLE;
    let mut source = array(from.as_mut_ptr().cast(), 8, INTEGER, [(3, 16)]);
    source.dimensions[0].lower = 5;
    assign(&mut to, &source);
    let Dimension { lower, extent, stride } = to.dimensions[0];
    assert_eq!((lower, extent, stride), (5, 3, 8));
    // SAFETY: three numbers.
    assert_eq!(unsafe { to.head.base.cast::<[i64; 3]>().read() }, [1, 2, 3]);
}
