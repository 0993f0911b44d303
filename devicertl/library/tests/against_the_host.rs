//! The functions beside those of this machine's C and C++ libraries.

use device_library::{
    characters, complex, complex_functions, cxx, format, integers, memory, numbers, order, process, random,
    strings, wide,
};
use std::ffi::{CStr, CString, c_int, c_void};
use std::ptr::null_mut;

#[test]
fn classes_of_characters() {
    unsafe extern "C" {
        fn __ctype_b_loc() -> *const *const u16;
        fn __ctype_tolower_loc() -> *const *const i32;
        fn __ctype_toupper_loc() -> *const *const i32;
    }
    let ours = [characters::isalnum, characters::isalpha, characters::isblank, characters::iscntrl];
    let ours = ours.into_iter().chain([characters::isdigit, characters::isgraph, characters::islower]);
    let ours = ours.chain([characters::isprint, characters::ispunct, characters::isspace]);
    let ours = ours.chain([characters::isupper, characters::isxdigit]).collect::<Vec<_>>();
    let host = [libc::isalnum, libc::isalpha, libc::isblank, libc::iscntrl, libc::isdigit, libc::isgraph];
    let host = host.into_iter().chain([libc::islower, libc::isprint, libc::ispunct, libc::isspace]);
    let host = host.chain([libc::isupper, libc::isxdigit]).collect::<Vec<_>>();
    for c in -128..256 {
        // SAFETY: the functions take the values of bytes, with a sign or without.
        unsafe {
            for (ours, host) in ours.iter().zip(&host) {
                assert_eq!(ours(c) != 0, host(c) != 0, "{c}");
            }
            let element = |middle: *const *const u16| middle.read().offset(c as isize).read();
            assert_eq!(element(characters::__ctype_b_loc().cast()), element(__ctype_b_loc()), "{c}");
            let letter = |middle: *const *const i32| middle.read().offset(c as isize).read();
            assert_eq!(
                letter(characters::__ctype_tolower_loc().cast()),
                letter(__ctype_tolower_loc()),
                "{c}"
            );
            assert_eq!(
                letter(characters::__ctype_toupper_loc().cast()),
                letter(__ctype_toupper_loc()),
                "{c}"
            );
            if c >= 0 {
                assert_eq!(characters::tolower(c), libc::tolower(c));
                assert_eq!(characters::toupper(c), libc::toupper(c));
            }
        }
    }
    // SAFETY: as above.
    unsafe {
        assert_eq!([65, 127, 128, -1].map(|c| characters::isascii(c)), [1, 1, 0, 0]);
        assert_eq!(characters::toascii(200), 72);
    }
}

/// Words of pieces, as texts.
fn texts(count: usize, pieces: &[&str]) -> impl Iterator<Item = CString> {
    let mut rng = fastrand::Rng::with_seed(1);
    let pieces: Vec<String> = pieces.iter().map(|piece| piece.to_string()).collect();
    (0..count).map(move |_| {
        let words: String = (0..rng.usize(0..7)).map(|_| rng.choice(&pieces).unwrap().as_str()).collect();
        CString::new(words).unwrap()
    })
}

/// What a function makes of a text, and how far it reads.
fn read<T>(text: &CStr, of: impl Fn(*const u8, *mut *const u8) -> T) -> (T, isize) {
    let (start, mut end) = (text.as_ptr().cast::<u8>(), std::ptr::null());
    let value = of(start, &mut end);
    // SAFETY: it is in the text.
    (value, unsafe { end.offset_from(start) })
}

#[test]
fn integers() {
    let pieces = [
        " ",
        "\t",
        "-",
        "+",
        "0",
        "0x",
        "0b",
        "1",
        "7",
        "9",
        "z",
        "Ff",
        "18446744073709551615",
        "9223372036854775808",
    ];
    for text in texts(20_000, &pieces) {
        for base in [0, 2, 8, 10, 16, 36] {
            // SAFETY: C strings.
            unsafe {
                let ours = read(&text, |text, end| numbers::strtol(text, end, base));
                let host = read(&text, |text, end| libc::strtol(text.cast(), end.cast::<*mut _>(), base));
                assert_eq!(ours, host, "{text:?} {base}");
                let ours = read(&text, |text, end| numbers::strtoull(text, end, base));
                let host = read(&text, |text, end| libc::strtoull(text.cast(), end.cast::<*mut _>(), base));
                assert_eq!(ours, host, "{text:?} {base}");
            }
        }
        // SAFETY: C strings.
        unsafe {
            assert_eq!(numbers::atoi(text.as_ptr().cast()), libc::atoi(text.as_ptr()), "{text:?}");
            assert_eq!(numbers::atol(text.as_ptr().cast()), libc::atol(text.as_ptr()), "{text:?}");
        }
    }
    // SAFETY: C strings.
    unsafe {
        let of = |text: &CStr, base| read(text, |text, end| numbers::__isoc23_strtol(text, end, base));
        assert_eq!(of(c"0b101", 0), (5, 5));
        assert_eq!(of(c"-0B11", 2), (-3, 5));
        assert_eq!(of(c"0b2", 0), (0, 1));
        process::__errno_location().write(0);
        assert_eq!(of(c"123", 10), (123, 3));
        assert_eq!(process::__errno_location().read(), 0);
        of(c"99999999999999999999", 10);
        assert_eq!(process::__errno_location().read(), libc::ERANGE);
    }
}

#[test]
fn fractions() {
    let pieces = [
        " ",
        "-",
        "+",
        ".",
        "0",
        "1",
        "5",
        "123456789",
        "e",
        "E-30",
        "e+",
        "e300",
        "0x",
        "0X1.",
        "p",
        "p-10",
        "P+1000",
        "p-1070",
        "abc",
        "8000000000000",
        "fffffffffffff",
        "inf",
        "INFINITY",
        "nan",
        "nan(",
        "_1)",
        "2.2250738585072014e-308",
        "4.9406564584124654e-324",
        "1.7976931348623157e308",
        "1.401298464e-45",
        "3.4028235e38",
        "00000000000000000001",
    ];
    for text in texts(200_000, &pieces) {
        // SAFETY: C strings.
        unsafe {
            let ours = read(&text, |text, end| numbers::strtod(text, end));
            let host = read(&text, |text, end| libc::strtod(text.cast(), end.cast::<*mut _>()));
            assert_eq!(ours.1, host.1, "{text:?}");
            // Which of the numbers that are none it is, does not matter.
            let bits = |value: f64| if value.is_nan() { u64::MAX } else { value.to_bits() };
            assert_eq!(bits(ours.0), bits(host.0), "{text:?}: {} {}", ours.0, host.0);
            let ours = read(&text, |text, end| numbers::strtof(text, end));
            let host = read(&text, |text, end| libc::strtof(text.cast(), end.cast::<*mut _>()));
            assert_eq!(ours.1, host.1, "{text:?}");
            let bits = |value: f32| if value.is_nan() { u32::MAX } else { value.to_bits() };
            assert_eq!(bits(ours.0), bits(host.0), "{text:?}: {} {}", ours.0, host.0);
        }
    }
}

/// What `vsnprintf` writes and returns, and the host's `snprintf` with the same argument.
macro_rules! printed {
    ($format:expr, $bytes:expr, $value:expr) => {{
        let (format, value): (&CStr, _) = ($format, $value);
        let (mut ours, mut host) = ([b'#'; 600], [b'#'; 600]);
        // SAFETY: the argument is of the type that the format names.
        let [a, b] = unsafe {
            [
                format::vsnprintf(
                    ours.as_mut_ptr(),
                    $bytes,
                    format.as_ptr().cast(),
                    (&raw const value).cast(),
                ),
                libc::snprintf(host.as_mut_ptr().cast(), $bytes, format.as_ptr(), value),
            ]
        };
        let text = |of: &[u8]| String::from_utf8_lossy(of).trim_end_matches('#').to_owned();
        assert_eq!(text(&ours), text(&host), "{format:?} of {value:?}");
        assert_eq!(a, b, "{format:?} of {value:?}");
    }};
}

#[test]
fn formats() {
    let mut rng = fastrand::Rng::with_seed(2);
    let mut floats = vec![
        0.0, 1.0, 0.5, 1.5, 2.5, 9.5, 0.095, 99.95, 999_999.5, 1e-5, 0.0001, 123_456.0, 1e15, 1e16, 1e22,
    ];
    floats.extend([f64::MAX, f64::MIN_POSITIVE, 5e-324, f64::INFINITY, f64::NAN, 1e100, 0.1, 1.0 / 3.0]);
    floats.extend((0..200).map(|_| f64::from_bits(rng.u64(..))));
    floats.extend((0..200).map(|_| rng.f64() * 10f64.powi(rng.i32(-8..20))));
    let mut integers = vec![0i64, 1, -1, 9, 10, 255, i64::MAX, i64::MIN, i32::MIN.into(), 65536, -32769];
    integers.extend((0..50).map(|_| rng.i64(..) >> rng.u32(0..64)));
    let words = [c"", c"a", c"some text that is longer than the width"];
    for _ in 0..40_000 {
        let flags: String = (0..rng.usize(0..4)).map(|_| *rng.choice(b"-+ #0").unwrap() as char).collect();
        let width = if rng.bool() { String::new() } else { rng.u32(1..40).to_string() };
        let precision = match rng.u32(0..4) {
            0 => format!(".{}", rng.u32(0..30)),
            1 => String::from("."),
            _ => String::new(),
        };
        let of = |letters: &str| CString::new(format!("<%{flags}{width}{precision}{letters}>")).unwrap();
        let bytes = if rng.u32(0..5) == 0 { rng.usize(0..20) } else { 600 };
        match rng.u32(0..6) {
            0..3 => {
                let letter = *rng.choice(b"fFeEgGaA").unwrap() as char;
                let value = *rng.choice(&floats).unwrap() * if rng.bool() { -1.0 } else { 1.0 };
                // glibc loses digits of `%#g` where rounding makes one more of them (2.41: "1.e+06" of 999999.5).
                if !(flags.contains('#') && "gG".contains(letter)) {
                    printed!(&of(&letter.to_string()), bytes, value);
                }
            }
            3 => {
                let letters =
                    *rng.choice(&["d", "i", "u", "x", "X", "o", "hd", "hhd", "hu", "hhx", "c"]).unwrap();
                printed!(&of(letters), bytes, *rng.choice(&integers).unwrap() as c_int);
            }
            4 => {
                let letters = *rng.choice(&["ld", "lu", "llx", "lX", "zo", "jd", "td"]).unwrap();
                printed!(&of(letters), bytes, *rng.choice(&integers).unwrap());
            }
            _ => printed!(&of("s"), bytes, rng.choice(&words).unwrap().as_ptr()),
        }
    }
    for address in integers {
        printed!(c"<%p|", 600, address);
        printed!(c"<%-24p|", 600, address);
        printed!(c"<%5p|", 600, address);
    }
    for value in [1.0, 0.0, 123.456, 1e-9, 1e20, 0.0001] {
        printed!(c"%#g", 600, value);
        printed!(c"%#.3G", 600, value);
    }
    printed!(c"%s", 600, std::ptr::null::<i8>());
    printed!(c"%p", 600, std::ptr::null::<i8>());
    printed!(c"%y 100%% %d", 600, 5);
}

#[test]
fn several_arguments_and_stars() {
    // clang's layout: each argument aligned to its size.
    #[repr(C)]
    struct Arguments(c_int, c_int, f64, c_int, *const i8, *mut c_int);
    let (mut place, mut count) = ([0u8; 64], 0);
    let arguments = Arguments(-9, 3, 2.0 / 3.0, 2, c"text".as_ptr(), &mut count);
    // SAFETY: they are what the format names.
    let length = unsafe {
        format::vsprintf(place.as_mut_ptr(), c"[%*.*f|%.*s]%n".as_ptr().cast(), (&raw const arguments).cast())
    };
    assert_eq!(CStr::from_bytes_until_nul(&place).unwrap(), c"[0.667    |te]");
    assert_eq!((length, count), (14, 14));
}

#[test]
fn strings_as_the_hosts() {
    let pieces = ["a", "b", "ab", "A", "aB", ",", ", ", "ba"];
    let all: Vec<CString> = texts(300, &pieces).collect();
    for a in &all {
        for b in &all {
            let (x, y) = (a.as_ptr(), b.as_ptr());
            let (p, q) = (x.cast::<u8>(), y.cast::<u8>());
            // SAFETY: C strings.
            unsafe {
                assert_eq!(strings::strspn(p, q), libc::strspn(x, y), "{a:?} {b:?}");
                assert_eq!(strings::strcspn(p, q), libc::strcspn(x, y), "{a:?} {b:?}");
                assert_eq!(strings::strpbrk(p, q), libc::strpbrk(x, y).cast_const().cast(), "{a:?} {b:?}");
                assert_eq!(strings::strstr(p, q), libc::strstr(x, y).cast_const().cast(), "{a:?} {b:?}");
                assert_eq!(
                    strings::strcasecmp(p, q).signum(),
                    libc::strcasecmp(x, y).signum(),
                    "{a:?} {b:?}"
                );
                assert_eq!(strings::strncasecmp(p, q, 2).signum(), libc::strncasecmp(x, y, 2).signum());
                assert_eq!(strings::strcoll(p, q).signum(), libc::strcmp(x, y).signum(), "{a:?} {b:?}");
                let lengths = [a.as_bytes().len(), b.as_bytes().len()];
                let host = libc::memmem(x.cast(), lengths[0], y.cast(), lengths[1]);
                assert_eq!(strings::memmem(p, lengths[0], q, lengths[1]), host.cast_const().cast());
                let least = lengths[0].min(lengths[1]);
                assert_eq!(strings::bcmp(p, q, least) != 0, libc::memcmp(x.cast(), y.cast(), least) != 0);
                let tokens = |of: &dyn Fn(*mut u8, *mut *mut u8) -> *mut u8| {
                    let (mut text, mut rest, mut found) =
                        (a.to_bytes_with_nul().to_vec(), null_mut(), Vec::new());
                    let mut token = of(text.as_mut_ptr(), &mut rest);
                    while !token.is_null() {
                        found.push(CStr::from_ptr(token.cast()).to_owned());
                        token = of(null_mut(), &mut rest);
                    }
                    (found, text)
                };
                assert_eq!(
                    tokens(&|text, rest| strings::strtok_r(text, q, rest)),
                    tokens(&|text, rest| libc::strtok_r(text.cast(), y, rest.cast()).cast()),
                    "{a:?} {b:?}"
                );
            }
        }
    }
}

#[test]
fn lowest_bits() {
    for number in (0..64).map(|bit| 5_i64 << bit).chain([0, -1, i64::MIN, i64::from(i32::MIN)]) {
        let lowest = number & number.wrapping_neg();
        let wanted = |bits: u32| {
            (0..bits).find(|bit| lowest == 1_i64.wrapping_shl(*bit)).map_or(0, |bit| bit as i32 + 1)
        };
        // SAFETY: numbers alone.
        let got = unsafe { [strings::ffs(number as i32), strings::ffsl(number), strings::ffsll(number)] };
        assert_eq!(got, [wanted(32), wanted(64), wanted(64)], "{number:#x}");
    }
}

#[test]
fn copies_of_strings() {
    let mut place = [b'#'; 12];
    let to = place.as_mut_ptr();
    // SAFETY: all is inside the places.
    unsafe {
        let text = c"device".as_ptr().cast::<u8>();
        assert_eq!([strings::strnlen(text, 3), strings::strnlen(text, 30)], [3, 6]);
        assert_eq!(strings::stpcpy(to, text), to.add(6));
        assert_eq!(&place, b"device\0#####");
        assert_eq!(strings::stpncpy(to, c"ab".as_ptr().cast(), 4), to.add(2));
        assert_eq!(&place, b"ab\0\0ce\0#####");
        assert_eq!(strings::stpncpy(to, text, 3), to.add(3));
        assert_eq!(strings::mempcpy(to, c"xy".as_ptr().cast(), 2), to.add(2));
        assert_eq!(&place, b"xyv\0ce\0#####");
        assert_eq!(strings::memccpy(to, text, b'v'.into(), 6), to.add(3));
        assert_eq!(strings::memccpy(to, text, b'x'.into(), 2), null_mut());
        strings::bzero(to.add(10), 2);
        assert_eq!(&place, b"dev\0ce\0###\0\0");
        assert_eq!(strings::strchrnul(text, b'v'.into()), text.add(2));
        assert_eq!(strings::strchrnul(text, b'x'.into()), text.add(6));
        assert_eq!(strings::memrchr(text, b'e'.into(), 6), text.add(5));
        assert_eq!(strings::memrchr(text, b'e'.into(), 5), text.add(1));
        assert!(strings::memrchr(text, b'x'.into(), 6).is_null());
        let copies = [memory::strdup(text), memory::strndup(text, 3), memory::calloc(4, 3)];
        assert_eq!(CStr::from_ptr(copies[0].cast()), c"device");
        assert_eq!(CStr::from_ptr(copies[1].cast()), c"dev");
        assert_eq!(std::slice::from_raw_parts(copies[2], 12), [0; 12]);
        copies.into_iter().for_each(|copy| libc::free(copy.cast()));
        assert!(memory::calloc(usize::MAX, 2).is_null());
    }
}

unsafe extern "C" fn compare(a: *const c_void, b: *const c_void) -> c_int {
    // SAFETY: elements of the tests below begin with two bytes.
    let [a, b] = unsafe { [a.cast::<[u8; 2]>().read(), b.cast::<[u8; 2]>().read()] };
    a.cmp(&b) as c_int
}

#[test]
fn sorting_and_searching() {
    let mut rng = fastrand::Rng::with_seed(3);
    for _ in 0..300 {
        let mut elements: Vec<[u8; 3]> =
            (0..rng.usize(0..90)).map(|_| [rng.u8(0..6), rng.u8(..), rng.u8(..)]).collect();
        let mut sorted = elements.clone();
        sorted.sort();
        let key = [rng.u8(0..6), rng.u8(..)];
        // SAFETY: elements of three bytes.
        let found = unsafe {
            order::qsort(elements.as_mut_ptr().cast(), elements.len(), 3, compare);
            order::bsearch(key.as_ptr().cast(), elements.as_ptr().cast(), elements.len(), 3, compare)
        };
        assert!(elements.is_sorted_by_key(|element| [element[0], element[1]]));
        let there = elements.iter().position(|element| element[..2] == key);
        assert_eq!(!found.is_null(), there.is_some());
        if !found.is_null() {
            // SAFETY: an element.
            assert_eq!(unsafe { found.cast::<[u8; 2]>().read() }, key);
        }
        elements.sort();
        assert_eq!(elements, sorted);
    }
}

#[test]
fn random_numbers_of_the_host() {
    unsafe extern "C" {
        fn rand_r(seed: *mut u32) -> c_int;
    }
    let [mut ours, mut host] = [1u32, 1];
    for _ in 0..1000 {
        // SAFETY: a number each.
        unsafe { assert_eq!(random::rand_r(&mut ours), rand_r(&mut host)) };
    }
    assert_eq!(ours, host);
}

#[test]
fn random_numbers_of_all_threads() {
    // SAFETY: no rules.
    let draw = || (0..200).map(|_| unsafe { random::rand() }).collect::<Vec<_>>();
    // SAFETY: no rules.
    unsafe { random::srand(7) };
    let first = draw();
    assert!(first.iter().all(|number| *number >= 0));
    assert!(first.iter().collect::<std::collections::BTreeSet<_>>().len() > 195);
    // SAFETY: no rules.
    unsafe { random::srand(7) };
    assert_eq!(draw(), first);
}

#[test]
fn wide_characters() {
    let (text, mut place) = ([3, 1, -4, 1, 5, 0], [9; 8]);
    let to = place.as_mut_ptr();
    // SAFETY: all is inside the places.
    unsafe {
        assert_eq!(wide::wcslen(text.as_ptr()), 5);
        assert_eq!(wide::wmemcpy(to, text.as_ptr(), 6), to);
        assert_eq!(wide::wmemmove(to.add(1), to, 4), to.add(1));
        assert_eq!(wide::wmemset(to.add(6), 7, 1), to.add(6));
        assert_eq!(place, [3, 3, 1, -4, 1, 0, 7, 9]);
        let orders = [(0, 0), (1, 0), (0, 1), (3, 2)]
            .map(|(a, b)| wide::wmemcmp(place.as_ptr().add(a), place.as_ptr().add(b), 2));
        assert_eq!(orders, [0, -1, 1, -1]);
        assert_eq!(wide::wmemchr(to, -4, 8), to.cast_const().add(3));
        assert!(wide::wmemchr(to, -4, 3).is_null());
    }
}

#[test]
fn hashes_of_the_host() {
    // SAFETY: libstdc++ does nothing when it is loaded, and the function has this type.
    let (_library, host) = unsafe {
        let library =
            libloading::Library::new("libstdc++.so.6").expect("libstdc++ is what clang++ links with");
        let hash = *library
            .get::<unsafe extern "C" fn(*const u8, usize, u64) -> u64>("_ZSt11_Hash_bytesPKvmm")
            .expect("a function of libstdc++");
        (library, hash)
    };
    let mut rng = fastrand::Rng::with_seed(4);
    for count in 0..70 {
        let (bytes, seed): (Vec<u8>, u64) = ((0..count).map(|_| rng.u8(..)).collect(), rng.u64(..));
        // SAFETY: so many bytes.
        let hashes = unsafe {
            [cxx::hash::hash_bytes(bytes.as_ptr(), count, seed), host(bytes.as_ptr(), count, seed)]
        };
        assert_eq!(hashes[0], hashes[1], "{count} bytes");
    }
}

#[test]
fn integers_of_128_bits() {
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        state ^ state >> 29
    };
    for round in 0..100_000 {
        let bits = u128::from(random()) << 64 | u128::from(random());
        let number = bits >> (round % 128);
        // Numbers beside those that lie in the middle between two others.
        let number = if round % 3 == 0 { number & !(number >> 25) } else { number };
        // SAFETY: the functions have no rules.
        unsafe {
            assert_eq!(integers::__floatuntidf(number).to_bits(), (number as f64).to_bits(), "{number}");
            assert_eq!(integers::__floatuntisf(number).to_bits(), (number as f32).to_bits(), "{number}");
            let signed = number as i128;
            assert_eq!(integers::__floattidf(signed).to_bits(), (signed as f64).to_bits(), "{signed}");
            assert_eq!(integers::__floattisf(signed).to_bits(), (signed as f32).to_bits(), "{signed}");
            let exponent = round % 160 - 30;
            let x = f64::from_bits(random() >> 12 | 0x3ff0 << 48) * 2_f64.powi(exponent);
            if x < 2_f64.powi(127) {
                assert_eq!(integers::__fixunsdfti(x), x as u128, "{x}");
                assert_eq!(integers::__fixdfti(-x), -x as i128, "{x}");
                assert_eq!(integers::__fixdfti(x), x as i128, "{x}");
                assert_eq!(integers::__fixsfti(-x as f32), -x as f32 as i128, "{x}");
            }
            assert_eq!(integers::__fixunssfti(0.0), 0);
        }
    }
}

/// Annex G of ISO C: what an infinity times and over something is, and quotients in a type's whole range.
#[test]
fn complex_numbers() {
    const INF: f64 = f64::INFINITY;
    const NAN: f64 = f64::NAN;
    let with = |of: unsafe extern "C" fn(*mut [f64; 2], f64, f64, f64, f64), [a, b, c, d]: [f64; 4]| {
        let mut to = [0.0; 2];
        // SAFETY: `to` has room for both parts.
        unsafe { of(&raw mut to, a, b, c, d) };
        to
    };
    let times = |parts| with(complex::__omptarget_muldc3, parts);
    let over = |parts| with(complex::__omptarget_divdc3, parts);
    assert_eq!(times([1.0, 2.0, 3.0, -1.0]), [5.0, 5.0]);
    assert_eq!(times([INF, NAN, 2.0, 1.0])[0], INF);
    assert_eq!(times([2.0, 1.0, NAN, -INF])[1], -INF);
    assert_eq!(times([1e300, 1e300, 1e300, NAN])[0].abs(), INF);
    assert!(times([NAN, 1.0, 1.0, 1.0])[0].is_nan());
    assert_eq!(over([5.0, 5.0, 3.0, -1.0]), [1.0, 2.0]);
    // Squares of these are out of range.
    assert_eq!(over([4e300, 2e300, 2e300, 0.0]), [2.0, 1.0]);
    assert_eq!(over([6e-310, 3e-310, 0.0, 3e-310]), [1.0, -2.0]);
    assert_eq!(over([1.0, -2.0, 0.0, 0.0]), [INF, -INF]);
    assert_eq!(over([INF, 1.0, 2.0, 0.0])[0], INF);
    assert_eq!(over([1.0, 1.0, INF, -INF]), [0.0, 0.0]);
    assert!(over([NAN, NAN, 0.0, 0.0])[0].is_nan());
    let mut single = [0.0_f32; 2];
    // SAFETY: as above.
    unsafe { complex::__omptarget_divsc3(&raw mut single, 4e30, 2e30, 2e30, 0.0) };
    assert_eq!(single, [2.0, 1.0]);
    // SAFETY: as above.
    unsafe { complex::__omptarget_mulsc3(&raw mut single, 1.0, 2.0, 3.0, -1.0) };
    assert_eq!(single, [5.0, 5.0]);
}

/// `double _Complex` as the host's C passes it.
#[repr(C)]
#[derive(Clone, Copy)]
struct Complex(f64, f64);

/// The functions of `<complex.h>` in all quadrants, near their cuts and branch points, and far away.
#[test]
fn functions_of_complex_numbers() {
    type OfOne = unsafe extern "C" fn(*mut [f64; 2], f64, f64);
    macro_rules! both {
        ($($name:ident $own:ident $least:literal;)*) => {{
            unsafe extern "C" { $( fn $name(z: Complex) -> Complex; )* }
            [$( (stringify!($name), $name as unsafe extern "C" fn(Complex) -> Complex, complex_functions::$own as OfOne, $least) ),*]
        }};
    }
    // The last number: what an error is measured by, at least, where parts cancel each other.
    let functions = both! {
        cexp __omptarget_cexp 0.0;
        clog __omptarget_clog 1.0;
        csqrt __omptarget_csqrt 0.0;
        csin __omptarget_csin 0.0;
        ccos __omptarget_ccos 0.0;
        ctan __omptarget_ctan 0.0;
        csinh __omptarget_csinh 0.0;
        ccosh __omptarget_ccosh 0.0;
        ctanh __omptarget_ctanh 0.0;
        casin __omptarget_casin 0.0;
        cacos __omptarget_cacos 0.0;
        catan __omptarget_catan 0.0;
        casinh __omptarget_casinh 0.0;
        cacosh __omptarget_cacosh 0.0;
        catanh __omptarget_catanh 0.0;
    };
    let parts = [0.0, 1e-300, 1e-9, 0.3, 0.999, 1.0, 1.5, 3.0, 18.0, 30.0, 700.0, 1e5, 1e160, 1e307];
    let parts: Vec<f64> = parts.iter().flat_map(|part| [*part, -*part]).collect();
    for (name, host, own, least) in functions {
        for (a, b) in parts.iter().flat_map(|a| parts.iter().map(move |b| (*a, *b))) {
            // SAFETY: `to` has room for both parts.
            let (got, want) = unsafe {
                let mut to = [0.0; 2];
                own(&raw mut to, a, b);
                (to, host(Complex(a, b)))
            };
            let size = want.0.abs().max(want.1.abs()).max(least);
            for (got, want) in [(got[0], want.0), (got[1], want.1)] {
                let near = got == want || (got - want).abs() <= 1e-14 * size || got.is_nan() && want.is_nan();
                assert!(near, "{name}({a:e}, {b:e}): {got:e}, the host has {want:e}");
                assert!(
                    want == 0.0 || got == 0.0 || got.is_nan() || got.signum() == want.signum(),
                    "{name}({a:e}, {b:e})"
                );
            }
        }
    }
    let power = |[a, b]: [f64; 2], n| {
        let mut to = [0.0; 2];
        // SAFETY: as above.
        unsafe { complex_functions::__omptarget_cpowi(&raw mut to, a, b, n) };
        to
    };
    assert_eq!(power([1.0, 1.0], 8), [16.0, 0.0]);
    assert_eq!(power([0.0, 2.0], 3), [-0.0, -8.0]);
    assert_eq!(power([3.0, 4.0], 0), [1.0, 0.0]);
    assert_eq!(power([0.0, 2.0], -2), [-0.25, 0.0]);
    assert_eq!(power([0.0, 1.0], i64::MIN), [1.0, 0.0]);
    let mut to = [0.0; 2];
    // SAFETY: as above.
    unsafe {
        complex_functions::__omptarget_cpow(&raw mut to, 0.0, 1.0, 2.0, 0.0);
        assert!((to[0] + 1.0).abs() < 1e-15 && to[1].abs() < 1e-15, "{to:?}");
        complex_functions::__omptarget_cpow(&raw mut to, 0.0, 0.0, 0.0, 0.0);
        assert_eq!(to, [1.0, 0.0]);
        assert_eq!(complex_functions::__omptarget_cabs(-3.0, 4.0), 5.0);
        assert_eq!(complex_functions::__omptarget_carg(0.0, -1.0), -std::f64::consts::FRAC_PI_2);
    }
}
