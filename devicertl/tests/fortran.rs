//! Functions of the Fortran runtime: assignments of arrays against a model that reads all before it writes, and the rules of the
//! others.

mod machine;

use devicertl::fortran::{
    allocate::*,
    assign::_FortranAAssign,
    complex::{_FortranACppDotProductComplex8, _FortranACppSumComplex4, _FortranAMatmulComplex8Integer4},
    decimal::Decimal,
    derived::{_FortranADestroy, _FortranAInitialize, Type},
    descriptor::{Descriptor, Dimension},
    kinds::*,
    locate::{_FortranAFindloc, _FortranAMaxlocDim, _FortranAMinvalCharacter},
    model::*,
    output::{
        _FortranAioBeginExternalListOutput, _FortranAioEndIoStatement, _FortranAioOutputAscii,
        _FortranAioOutputComplex32, _FortranAioOutputComplex64,
    },
    reduce::{_FortranACountDim, _FortranAMaxvalReal8, _FortranAMinvalReal8, _FortranASumDim},
    reduce_by::{
        _FortranACppReduceComplex8Value, _FortranAReduceChar1, _FortranAReduceLogical2DimRef,
        _FortranAReduceReal8Ref,
    },
};

/// A descriptor with its dimensions.
#[repr(C)]
struct Array<const RANK: usize> {
    head: Descriptor,
    dimensions: [Dimension; RANK],
}

const INTEGER: i8 = 9;
const DOUBLE: i8 = 28;
const BOOL: i8 = 39;
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

/// `pointer(2:3, 0:1) => target` of every second number, `pointer(5:, 7:) => pointer`, and whether they are associated.
#[test]
fn pointers_with_bounds_of_their_own() {
    let mut numbers = [1i32, 2, 3, 4, 5, 6, 7, 8];
    let target = array(numbers.as_mut_ptr().cast(), 4, INTEGER, [(4, 8)]);
    let mut bounds = [2i64, 3, 0, 1];
    let bounds = array(bounds.as_mut_ptr().cast(), 8, 10, [(2, 8), (2, 16)]);
    let mut pointer = array(std::ptr::null_mut(), 0, 0, [(0, 0), (0, 0)]);
    let mut other = array(std::ptr::null_mut(), 0, 0, [(0, 0), (0, 0)]);
    let mut lower = [5i32, 7];
    let lower = array(lower.as_mut_ptr().cast(), 4, INTEGER, [(2, 4)]);
    let of = |array: &Array<2>| (&raw const *array).cast::<Descriptor>();
    let bounds_of = |array: &Array<2>| array.dimensions.map(|d| (d.lower, d.extent, d.stride));
    // SAFETY: descriptors with their dimensions behind them.
    unsafe {
        let target = (&raw const target).cast();
        _FortranAPointerAssociateRemapping((&raw mut pointer).cast(), target, of(&bounds), c"".as_ptr(), 1);
        assert_eq!(bounds_of(&pointer), [(2, 2, 8), (0, 2, 16)]);
        assert_eq!((pointer.head.base, pointer.head.rank), (numbers.as_mut_ptr().cast(), 2));
        let lower = (&raw const lower).cast();
        _FortranAPointerAssociateLowerBounds((&raw mut other).cast(), of(&pointer), lower);
        assert_eq!(bounds_of(&other), [(5, 2, 8), (7, 2, 16)]);
        assert!(_FortranAPointerIsAssociatedWith(of(&pointer), of(&other)));
        assert!(!_FortranAPointerIsAssociatedWith(of(&pointer), target));
        other.dimensions[1].stride = 8;
        assert!(!_FortranAPointerIsAssociatedWith(of(&pointer), of(&other)));
        // What has no elements is associated with nothing.
        other = array(other.head.base, 4, INTEGER, [(0, 8), (2, 16)]);
        assert!(!_FortranAPointerIsAssociatedWith(of(&other), of(&other)));
        assert!(_FortranAPointerIsAssociated(of(&other)));
        _FortranAPointerAssociateScalar((&raw mut other).cast(), std::ptr::null_mut());
        assert!(!_FortranAPointerIsAssociated(of(&other)));
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

fn null<const RANK: usize>() -> *const Array<RANK> {
    std::ptr::null()
}

/// A descriptor's address as functions take it.
fn given<const RANK: usize>(array: *const Array<RANK>) -> *const Descriptor {
    array.cast()
}

const WHERE: (*const std::ffi::c_char, i32) = (c"test".as_ptr(), 1);

/// Of real numbers with a NaN that number counts that are there; without any, the NaN.
#[test]
fn extremes_of_what_is_no_number() {
    let (file, line) = WHERE;
    let of = |numbers: &mut [f64]| {
        let array = array(numbers.as_mut_ptr().cast(), 8, DOUBLE, [(numbers.len() as i64, 8)]);
        // SAFETY: a descriptor with its dimension behind it.
        unsafe {
            (
                _FortranAMaxvalReal8(given(&array), file, line, 0, given(null::<0>())),
                _FortranAMinvalReal8(given(&array), file, line, 0, given(null::<0>())),
            )
        }
    };
    assert_eq!(of(&mut [f64::NAN, 2.0, f64::NAN, -3.0]), (2.0, -3.0));
    assert_eq!(of(&mut [1.0, f64::NAN]), (1.0, 1.0));
    assert_eq!(of(&mut [f64::NEG_INFINITY]), (f64::NEG_INFINITY, f64::NEG_INFINITY));
    assert_eq!(of(&mut []), (f64::MIN, f64::MAX));
    assert!(of(&mut [f64::NAN, f64::NAN]).0.is_nan());
}

/// Sums, counts and places along all dimensions of a part of an array, backwards in one, with masks of two sizes, against loops.
#[test]
fn along_dimensions() {
    const EXTENTS: [i64; 3] = [2, 3, 4];
    let mut numbers: Vec<i32> = (0..4 * 3 * 8).map(|i| (i * 37 % 23) - 11).collect();
    // Element (i, j, k) is number 2i + 4 (2 - j) + 12 k.
    let strides = [8, -16, 48];
    let at = |i: [usize; 3]| 2 * i[0] + 4 * (2 - i[1]) + 12 * i[2];
    let dimensions: [(i64, i64); 3] = std::array::from_fn(|n| (EXTENTS[n], strides[n]));
    let source = array(numbers.as_mut_ptr().wrapping_add(8).cast(), 4, INTEGER, dimensions);
    let mut bytes: Vec<i8> = numbers.iter().map(|number| i8::from(number % 3 != 0)).collect();
    let mask = array(bytes.as_mut_ptr().wrapping_add(8).cast(), 1, BOOL, dimensions.map(|(e, s)| (e, s / 4)));
    let (file, line) = WHERE;
    for dimension in 0..3 {
        let others: Vec<usize> = (0..3).filter(|n| *n != dimension).collect();
        let mut results = [(); 3].map(|()| array::<2>(std::ptr::null_mut(), 4, INTEGER, [(0, 0); 2]));
        let number = dimension as i32 + 1;
        // SAFETY: descriptors with their dimensions behind them.
        unsafe {
            let [sums, counts, places] = results.each_mut().map(|result| (&raw mut *result).cast());
            _FortranASumDim(sums, given(&source), number, file, line, given(&mask));
            _FortranACountDim(counts, given(&mask), number, 4, file, line);
            _FortranAMaxlocDim(places, given(&source), 4, number, file, line, given(&mask), true);
        }
        let extents: Vec<i64> = others.iter().map(|n| EXTENTS[*n]).collect();
        for (b, a) in (0..extents[1] as usize).flat_map(|b| (0..extents[0] as usize).map(move |a| (b, a))) {
            let line = (0..EXTENTS[dimension] as usize).map(|k| {
                let mut index = [0; 3];
                (index[others[0]], index[others[1]], index[dimension]) = (a, b, k);
                (numbers[at(index)], bytes[at(index)] != 0)
            });
            let kept: Vec<(usize, i32)> =
                line.enumerate().filter(|(_, (_, kept))| *kept).map(|(k, (number, _))| (k, number)).collect();
            // The last one of the greatest.
            let place = kept.iter().max_by_key(|(_, number)| *number).map_or(0, |(k, _)| *k as i32 + 1);
            let expected = [kept.iter().map(|(_, n)| n).sum::<i32>(), kept.len() as i32, place];
            for (result, expected) in results.iter().zip(expected) {
                let shape = result.dimensions.map(|Dimension { lower, extent, .. }| (lower, extent));
                assert_eq!(shape.to_vec(), extents.iter().map(|extent| (1, *extent)).collect::<Vec<_>>());
                let number = a + b * extents[0] as usize;
                // SAFETY: an element of the result.
                assert_eq!(unsafe { result.head.base.cast::<i32>().add(number).read() }, expected);
            }
        }
    }
}

/// Fractions, exponents, scalings, spacings and neighbours of numbers of all sizes are those that follow from their bits.
#[test]
fn parts_of_real_numbers() {
    let mut random = fastrand::Rng::with_seed(7);
    let special = [
        1.0,
        -1.5,
        f64::MIN_POSITIVE,
        f64::MAX,
        f64::from_bits(1),
        -f64::from_bits(3),
        f64::from_bits(1 << 14),
    ];
    let numbers = (0..20_000).map(|_| f64::from_bits(random.u64(..))).filter(|x| x.is_finite() && *x != 0.0);
    for x in numbers.chain(special) {
        // SAFETY: numbers.
        unsafe {
            let (fraction, exponent) = (_FortranAFraction8(x), _FortranAExponent8_4(x));
            assert!((0.5..1.0).contains(&fraction.abs()), "{x:e}");
            let halves = |by: i32| (fraction * 2f64.powi(by / 2)) * 2f64.powi(by - by / 2);
            assert_eq!(halves(exponent), x, "{x:e}");
            assert_eq!(_FortranAScale8(fraction, exponent.into()), x);
            assert_eq!(_FortranASetExponent8(x, 0), fraction);
            for by in [-2200, -1100, -60, -3, 1, 54, 900, 2200] {
                let (a, b) = (2f64.powi(by / 3), 2f64.powi(by - 2 * (by / 3)));
                let scaled = _FortranAScale8(x, by.into());
                // Three factors of which none is too small: exact unless the result is subnormal.
                if scaled.is_normal() && by.abs() < 1000 {
                    assert_eq!(scaled, x * a * a * b, "{x:e} by {by}");
                }
                assert_eq!(scaled.is_sign_negative(), x < 0.0);
            }
            let next = _FortranANearest8(x.abs(), true);
            assert_eq!(next, x.abs().next_up());
            assert_eq!(_FortranANearest8(x, false), x.next_down());
            if x.is_normal() && next.is_finite() && x.abs() > 1e-290 {
                assert_eq!(_FortranASpacing8(x), next - x.abs());
                assert_eq!(_FortranARRSpacing8(x), x.abs() / _FortranASpacing8(x));
            }
            let x = x as f32;
            if x.is_finite() && x != 0.0 {
                assert_eq!(_FortranAScale4(_FortranAFraction4(x), _FortranAExponent4_8(x)), x);
            }
        }
    }
    // SAFETY: numbers.
    unsafe {
        // Rounded once: a half and a bit of the least number is that number, a half is 0.
        let least = f64::from_bits(1);
        assert_eq!(_FortranAScale8(1.0 + f64::EPSILON, -1075), least);
        assert_eq!(_FortranAScale8(1.0, -1075), 0.0);
        assert_eq!(_FortranAScale8(1.5, -1074), 2.0 * least);
        assert_eq!(_FortranAScale8(f64::INFINITY, -5000), f64::INFINITY);
        assert_eq!(_FortranASpacing8(0.0), f64::MIN_POSITIVE);
        assert_eq!(_FortranAExponent8_4(f64::NAN), i32::MAX);
    }
}

/// The sign is that of the second number, and a remainder of 0 stays one.
#[test]
fn modulo() {
    let (file, line) = WHERE;
    // SAFETY: numbers.
    let of =
        |x, by| unsafe { (_FortranAModReal8(x, by, file, line), _FortranAModuloReal8(x, by, file, line)) };
    assert_eq!(of(7.5, 2.0), (1.5, 1.5));
    assert_eq!(of(-7.5, 2.0), (-1.5, 0.5));
    assert_eq!(of(7.5, -2.0), (1.5, -0.5));
    assert_eq!(of(-6.0, 3.0), (0.0, 0.0));
    assert!(of(1.0, 0.0).1.is_nan());
}

/// The digits are those of Rust's shortest numbers; where these end at the middle between two, which belongs to the even one, there
/// may be more. The number that they stand for is the same.
#[test]
fn shortest_decimal_numbers() {
    let digits = |bits: u64, mantissa_bits: i32, bias: i32| {
        let (exponent, fraction) = ((bits >> mantissa_bits) as i32, bits & ((1 << mantissa_bits) - 1));
        let mantissa = if exponent == 0 { fraction } else { fraction | 1 << mantissa_bits };
        let least = exponent.max(1) - bias - mantissa_bits;
        let decimal = Decimal::shortest(mantissa, least, fraction == 0 && exponent > 1);
        let digits: String =
            (0..decimal.count).map(|index| char::from(b'0' + decimal.digit(index))).collect();
        format!("{}.{}e{}", &digits[..1], &digits[1..], decimal.exponent - 1)
    };
    let rust = |text: String| {
        let (digits, exponent) = text.split_once('e').unwrap();
        let (first, rest) = digits.split_once('.').unwrap_or((digits, ""));
        format!("{first}.{rest}e{exponent}")
    };
    let mut random = fastrand::Rng::with_seed(11);
    let special =
        [1.0, f64::MIN_POSITIVE, f64::MAX, f64::from_bits(1), 1e23, 9007199254740992.0, 0.3, 5e-324, 2e-308];
    let powers = (-1074..1024).map(|power| {
        if power < -1022 {
            f64::from_bits(1 << (power + 1074))
        } else {
            f64::from_bits(((power + 1023) as u64) << 52)
        }
    });
    let numbers: Vec<f64> = (0..20_000)
        .map(|_| f64::from_bits(random.u64(..) >> 1))
        .filter(|x| x.is_finite() && *x != 0.0)
        .collect();
    let mut different = 0;
    for x in numbers.into_iter().chain(special).chain(powers) {
        let text = digits(x.to_bits(), 52, 1023);
        assert_eq!(text.parse::<f64>().unwrap(), x, "{text}");
        different += u32::from(text != rust(format!("{x:e}")));
        let x = x as f32;
        if x.is_finite() && x != 0.0 {
            let text = digits(x.to_bits().into(), 23, 127);
            assert_eq!(text.parse::<f32>().unwrap(), x, "{text}");
            different += u32::from(text != rust(format!("{x:e}")));
        }
    }
    assert!(different < 20, "{different}");
}

/// Complex numbers, which flang 22 does not compile for a device, and the parts of one on two lines.
#[test]
fn complex_numbers_are_printed() {
    let (file, line) = WHERE;
    let mut letters = *b"bbbbbbbbbb";
    // SAFETY: a statement from its begin to its end.
    unsafe {
        let statement = _FortranAioBeginExternalListOutput(6, file, line);
        for _ in 0..7 {
            _FortranAioOutputAscii(statement, letters.as_mut_ptr(), 10);
        }
        _FortranAioOutputComplex32(statement, 1.5, -2.5);
        _FortranAioOutputComplex64(statement, 0.0, f64::INFINITY);
        assert_eq!(_FortranAioEndIoStatement(statement), 0);
    }
    let lines = machine::LINES.lock().unwrap();
    assert_eq!(*lines, [format!(" {} (1.5,\n-2.5) (0.,Inf)", "b".repeat(70))]);
}

/// Bytes where flang's structures have them.
#[repr(C, align(8))]
struct Block<const BYTES: usize>([u8; BYTES]);

impl<const BYTES: usize> Block<BYTES> {
    fn with<const N: usize>(mut self, offset: usize, bytes: [u8; N]) -> Self {
        self.0[offset..offset + N].copy_from_slice(&bytes);
        self
    }
}

/// A scalar of a derived type.
#[repr(C)]
struct Node {
    head: Descriptor,
    ty: *const Type,
    parameters: i64,
}

/// `type node; integer :: value; type(node), allocatable :: next`: more elements in each other than fit into a frame of the runtime.
#[test]
fn types_that_contain_themselves() {
    const LENGTH: i32 = 100;
    const COMPONENT: usize = 256;
    const BYTES: u64 = 48;
    // A component's genre, category, kind and rank; its place.
    let component = |of: [u8; 4], offset: u64| {
        Block::<COMPONENT>([0; _]).with(24, of).with(32, offset.to_ne_bytes()).with(16, [0x97, 0xf3, 0x34, 1])
    };
    let mut components = [component([1, 0, 4, 0], 0), component([3, 6, 0, 0], 8)];
    let mut ty = Block::<440>([0; _])
        .with(88, BYTES.to_ne_bytes())
        .with(232, components.as_mut_ptr().expose_provenance().to_ne_bytes())
        .with(232 + 32, 2_u64.to_ne_bytes())
        // No FINAL procedures, and no assignment of its own.
        .with(431, [1, 1]);
    let address = (&raw mut ty).expose_provenance();
    components[1].0[56..64].copy_from_slice(&address.to_ne_bytes());
    let ty: *const Type = std::ptr::with_exposed_provenance(address);

    let variable = |memory: &mut Block<48>| Node {
        head: Descriptor {
            base: memory.0.as_mut_ptr(),
            bytes: BYTES,
            version: 20240719,
            rank: 0,
            ty: 42,
            attribute: 0,
            extra: 1,
        },
        ty,
        parameters: 0,
    };
    let (mut memory, mut other) = (Block([0xee; 48]), Block([0xee; 48]));
    let (mut first, mut copy) = (variable(&mut memory), variable(&mut other));
    let values = |node: &Node| {
        let (mut at, mut values) = (node.head.base, Vec::new());
        while !at.is_null() {
            // SAFETY: a node, whose second component is the descriptor of the next one.
            unsafe {
                values.push(at.cast::<i32>().read());
                at = (*at.add(8).cast::<Descriptor>()).base;
            }
        }
        values
    };
    // SAFETY: descriptors of scalars of the type, as flang has them.
    unsafe {
        for node in [&mut first, &mut copy] {
            _FortranAInitialize((&raw const *node).cast(), c"test".as_ptr(), 1);
            node.head.base.cast::<i32>().write(0);
        }
        let mut at = first.head.base;
        for value in 1..LENGTH {
            let next: *mut Descriptor = at.add(8).cast();
            let none = std::ptr::null_mut();
            _FortranAAllocatableAllocate(next, none, false, none.cast(), c"test".as_ptr(), 1, none.cast());
            at = (*next).base;
            at.cast::<i32>().write(value);
        }
        _FortranAAssign((&raw mut copy).cast(), (&raw const first).cast(), c"test".as_ptr(), 1);
        at.cast::<i32>().write(-1);
        assert_eq!(values(&copy), (0..LENGTH).collect::<Vec<_>>());
        assert_eq!(values(&first).last(), Some(&-1));
        // A shorter one in its place.
        let second: *mut Descriptor = copy.head.base.add(8).cast();
        _FortranAAllocatableDeallocate(second, false, std::ptr::null(), c"test".as_ptr(), 1);
        _FortranAAssign((&raw mut first).cast(), (&raw const copy).cast(), c"test".as_ptr(), 1);
        assert_eq!(values(&first), [0]);
        _FortranADestroy((&raw const first).cast());
        assert_eq!(values(&first), [0]);
    }
}

/// Functions of the program get the elements in their order, by reference or by value, and what the mask does not let through not at all.
#[test]
fn reductions_by_functions() {
    fn minus(a: *const f64, b: *const f64) -> f64 {
        // SAFETY: two numbers.
        unsafe { *a - *b }
    }
    fn differ(a: *const i16, b: *const i16) -> i16 {
        // SAFETY: two numbers.
        unsafe { i16::from((*a != 0) != (*b != 0)) }
    }
    fn turned([a, b]: [f64; 2], [c, d]: [f64; 2]) -> [f64; 2] {
        [c - b, d + a]
    }
    fn last(
        to: *mut u8,
        count: u64,
        _: (*const u8, u64),
        (text, length): (*const u8, u64),
    ) -> (*const u8, u64) {
        assert_eq!(count, length);
        // SAFETY: texts of this length.
        unsafe { std::ptr::copy_nonoverlapping(text, to, count as usize) };
        (to, count)
    }
    let null = std::ptr::null();
    let file = c"test".as_ptr();
    let mut numbers = [10.0, 1.0, 2.0, 3.0];
    let array_of = |base: *mut f64| array(base.cast(), 8, DOUBLE, [(4, 8)]);
    let numbers = array_of(numbers.as_mut_ptr());
    let mut mask = [1u8, 0, 1, 1];
    let mask = array(mask.as_mut_ptr(), 1, BOOL, [(4, 1)]);
    let mut flags = [1i16, 0, 1, 1, 1, 1];
    let flags = array(flags.as_mut_ptr().cast(), 2, 8, [(3, 2), (2, 6)]);
    let mut along = array(std::ptr::null_mut(), 2, 8, [(0, 0)]);
    let mut complex = [[1.0, 2.0], [3.0, 4.0]];
    let complex = array(complex.as_mut_ptr().cast(), 16, 35, [(2, 16)]);
    let mut words = *b"abcdef";
    let words = array(words.as_mut_ptr(), 2, TEXT, [(3, 2)]);
    let (mut turn, mut word) = ([0.0; 2], [0u8; 2]);
    let none = array(std::ptr::null_mut(), 8, DOUBLE, [(0, 8)]);
    let least = 7.5;
    let identity: *const u8 = (&raw const least).cast();
    // SAFETY: descriptors with their dimensions behind them, and functions of these types.
    unsafe {
        let of = |numbers: &Array<1>, mask, identity| {
            let numbers = (&raw const *numbers).cast();
            _FortranAReduceReal8Ref(numbers, minus as *const _, file, 1, 0, mask, identity, true)
        };
        assert_eq!(of(&numbers, null, std::ptr::null()), 4.0);
        assert_eq!(of(&numbers, (&raw const mask).cast(), std::ptr::null()), 5.0);
        assert_eq!(of(&none, null, identity), 7.5);
        let result = (&raw mut along).cast();
        let given = (&raw const flags).cast();
        _FortranAReduceLogical2DimRef(result, given, differ as *const _, file, 1, 1, null, identity, true);
        assert_eq!(along.head.base.cast::<[i16; 2]>().read(), [0, 1]);
        let (to, given) = ((&raw mut turn).cast(), (&raw const complex).cast());
        _FortranACppReduceComplex8Value(
            to,
            given,
            turned as *const _,
            file,
            1,
            0,
            null,
            std::ptr::null(),
            true,
        );
        assert_eq!(turn, [1.0, 5.0]);
        let (to, given) = (word.as_mut_ptr(), (&raw const words).cast());
        _FortranAReduceChar1(to, given, last as *const _, file, 1, 0, null, std::ptr::null(), true);
        assert_eq!(&word, b"ef");
        let mut least = array(std::ptr::null_mut(), 2, TEXT, []);
        _FortranAMinvalCharacter((&raw mut least).cast(), given, file, 1, null);
        assert_eq!(least.head.base.cast::<[u8; 2]>().read(), *b"ab");
    }
}

#[test]
fn sums_and_products_of_complex_numbers() {
    let mut single = [[1f32, 2.0], [0.5, -1.0], [9.0, 9.0]];
    let single = array(single.as_mut_ptr().cast(), 8, 34, [(3, 8)]);
    let mut mask = [1u8, 1, 0];
    let mask = array(mask.as_mut_ptr(), 1, BOOL, [(3, 1)]);
    let mut double = [[1.0, 2.0], [3.0, -1.0], [0.0, 1.0], [2.0, 0.0]];
    let double = array(double.as_mut_ptr().cast(), 16, 35, [(2, 16), (2, 32)]);
    let mut whole = [2i32, 3];
    let whole = array(whole.as_mut_ptr().cast(), 4, INTEGER, [(2, 4)]);
    let mut vector = [[1.0, 1.0], [0.0, 2.0]];
    let vector = array(vector.as_mut_ptr().cast(), 16, 35, [(2, 16)]);
    let (mut sum, mut dot) = ([0f32; 2], [0.0; 2]);
    let mut product = array(std::ptr::null_mut(), 16, 35, [(0, 0)]);
    // SAFETY: descriptors with their dimensions behind them.
    unsafe {
        let (file, mask) = (c"test".as_ptr(), (&raw const mask).cast());
        _FortranACppSumComplex4(&raw mut sum, (&raw const single).cast(), file, 1, 0, mask);
        assert_eq!(sum, [1.5, 1.0]);
        let vector = (&raw const vector).cast();
        let mut wanted = [0f32, 2.0];
        let wanted = array(wanted.as_mut_ptr().cast(), 8, 34, []);
        let mut place = array(std::ptr::null_mut(), 4, INTEGER, [(0, 0)]);
        let (to, wanted) = ((&raw mut place).cast(), (&raw const wanted).cast());
        _FortranAFindloc(to, vector, wanted, 4, file, 1, std::ptr::null(), false);
        assert_eq!(place.head.base.cast::<i32>().read(), 2);
        _FortranACppDotProductComplex8(&raw mut dot, vector, vector, file, 1);
        assert_eq!(dot, [6.0, 0.0], "the first one is conjugate");
        let (a, b) = ((&raw const double).cast(), (&raw const whole).cast());
        _FortranAMatmulComplex8Integer4((&raw mut product).cast(), a, b, file, 1);
        assert_eq!(product.head.base.cast::<[[f64; 2]; 2]>().read(), [[2.0, 7.0], [12.0, -2.0]]);
        assert_eq!(product.dimensions[0].extent, 2);
    }
}

/// The kinds that flang 22's runtime gives on the host.
#[test]
fn kinds_by_what_they_hold() {
    let file = c"test".as_ptr();
    // SAFETY: numbers of this size, and texts.
    unsafe {
        let whole = |digits: i32| _FortranASelectedIntKind(file, 1, (&raw const digits).cast(), 4);
        assert_eq!([-3, 2, 3, 5, 10, 19, 39].map(whole), [1, 1, 2, 4, 8, 16, -1]);
        let real = |digits: i32, range: i16, mask: i32| {
            let (digits, range) = ((&raw const digits).cast(), (&raw const range).cast());
            _FortranASelectedRealKindMasked(file, 1, digits, 4, range, 2, std::ptr::null(), 0, mask)
        };
        let all = 1 << 4 | 1 << 8;
        assert_eq!(
            [(6, 37), (7, 1), (1, 38), (16, 1), (1, 308), (16, 308)].map(|(d, r)| real(d, r, all)),
            [4, 8, 8, -1, -2, -3]
        );
        assert_eq!(real(15, 300, 1 << 4 | 1 << 16), 16);
        let word = |text: &str| _FortranASelectedCharKind(file, 1, text.as_ptr(), text.len() as u64);
        assert_eq!(
            ["ascii  ", "DEFAULT", "iso_10646", "ASCIIx", "", "ascii".repeat(9).as_str()].map(word),
            [1, 1, 4, -1, -1, -1]
        );
    }
}
