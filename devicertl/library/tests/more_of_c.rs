//! Strings, random numbers of 48 bits, texts of errors, clocks and mathematical functions beside those of this machine's C library.

use device_library::{clock, errors, math, numbers, order, process, rand48, strings};
use std::ffi::{CStr, CString, c_int, c_void};
use std::ptr::null_mut;

/// Texts of a few letters, all of up to five.
fn texts() -> Vec<CString> {
    let mut all = vec![String::new()];
    for length in 0..5 {
        let longer: Vec<String> = all
            .iter()
            .filter(|text| text.len() == length)
            .flat_map(|text| ["a", "B", ","].map(|c| text.clone() + c))
            .collect();
        all.extend(longer);
    }
    all.into_iter().map(|text| CString::new(text).unwrap()).collect()
}

#[test]
fn words_and_places_of_strings() {
    unsafe extern "C" {
        fn strcasestr(text: *const i8, part: *const i8) -> *const u8;
        fn strsep(rest: *mut *mut u8, set: *const i8) -> *mut u8;
    }
    let parts = [c"", c"A", c"b", c",", c"ab", c"b,", c",,", c"aBA"];
    for text in texts() {
        let (x, p) = (text.as_ptr(), text.as_ptr().cast::<u8>());
        for part in parts {
            let q = part.as_ptr().cast::<u8>();
            /// The words that a function takes from a text of our own.
            fn words(text: &CStr, mut next: impl FnMut(*mut u8) -> *mut u8) -> (Vec<CString>, Vec<u8>) {
                let (mut text, mut found) = (text.to_bytes_with_nul().to_vec(), Vec::new());
                let mut word = next(text.as_mut_ptr());
                while !word.is_null() {
                    // SAFETY: a string in the text.
                    found.push(unsafe { CStr::from_ptr(word.cast()) }.to_owned());
                    word = next(null_mut());
                }
                (found, text)
            }
            // SAFETY: C strings.
            unsafe {
                assert_eq!(strings::strcasestr(p, q), strcasestr(x, part.as_ptr()), "{text:?} {part:?}");
                let ours = words(&text, |text| strings::strtok(text, q));
                let host = words(&text, |text| libc::strtok(text.cast(), part.as_ptr()).cast());
                assert_eq!(ours, host, "{text:?} {part:?}");
                let [mut rest, mut rest_of_host] = [null_mut(); 2];
                let ours = words(&text, |text| {
                    rest = if text.is_null() { rest } else { text };
                    strings::strsep(&mut rest, q)
                });
                let host = words(&text, |text| {
                    rest_of_host = if text.is_null() { rest_of_host } else { text };
                    strsep(&mut rest_of_host, part.as_ptr())
                });
                assert_eq!(ours, host, "{text:?} {part:?}");
            }
        }
        // SAFETY: C strings, in which the last byte that is looked for is.
        unsafe {
            for byte in [b'a', b',', 0].map(c_int::from) {
                assert_eq!(strings::index(p, byte), libc::strchr(x, byte).cast_const().cast(), "{text:?}");
                assert_eq!(strings::rindex(p, byte), libc::strrchr(x, byte).cast_const().cast(), "{text:?}");
            }
            assert_eq!(strings::rawmemchr(p, 0), p.add(text.count_bytes()));
            for bytes in 0..8 {
                let (mut ours, mut host) = ([b'#'; 8], [b'#'; 8]);
                let lengths = [
                    strings::strxfrm(ours.as_mut_ptr(), p, bytes),
                    libc::strxfrm(host.as_mut_ptr().cast(), x, bytes),
                ];
                assert_eq!(lengths[0], lengths[1]);
                // What it leaves where there is no room for all of it, C does not say.
                if lengths[0] < bytes {
                    assert_eq!(ours, host, "{text:?} {bytes}");
                }
            }
        }
    }
    let mut place = [1; 4];
    // SAFETY: inside the place.
    unsafe { strings::explicit_bzero(place.as_mut_ptr(), 3) };
    assert_eq!(place, [0, 0, 0, 1]);
}

#[test]
fn bases_and_widest_integers() {
    // SAFETY: C strings.
    unsafe {
        for base in [-1, 1, 37] {
            process::__errno_location().write(0);
            let mut end = c"there".as_ptr().cast();
            let before = end;
            assert_eq!(numbers::strtol(c"12".as_ptr().cast(), &mut end, base), 0);
            assert_eq!((process::__errno_location().read(), end), (libc::EINVAL, before));
        }
        assert_eq!(numbers::strtoimax(c"-9223372036854775808".as_ptr().cast(), null_mut(), 0), i64::MIN);
        assert_eq!(numbers::strtoumax(c"ffffffffffffffff".as_ptr().cast(), null_mut(), 16), u64::MAX);
        assert_eq!(numbers::__isoc23_strtoimax(c"-0b11".as_ptr().cast(), null_mut(), 0), -3);
        assert_eq!(numbers::__isoc23_strtoumax(c"0b11".as_ptr().cast(), null_mut(), 2), 3);
        assert_eq!([numbers::imaxabs(-5), numbers::imaxabs(5)], [5, 5]);
    }
}

#[test]
fn numbers_of_48_bits() {
    /// What all functions give, one after the other.
    macro_rules! drawn {
        ($of:ident, $number:ty) => {{
            let (mut found, mut own): (Vec<f64>, [u16; 3]) = (Vec::new(), [1, 2, 3]);
            let (mut seed, mut all) = ([9_u16, 8, 7], [60_001_u16, 2, 3, 4, 50_005, 6, 7]);
            // SAFETY: places of ours, on which no other thread works.
            unsafe {
                let mut draw = || {
                    for _ in 0..20 {
                        found.extend([$of::drand48(), $of::lrand48() as f64, $of::mrand48() as f64]);
                        let state: $number = (&raw mut own).cast();
                        found.extend([
                            $of::erand48(state),
                            $of::nrand48(state) as f64,
                            $of::jrand48(state) as f64,
                        ]);
                    }
                };
                draw();
                $of::srand48(-123_456_789_012);
                draw();
                let before = $of::seed48((&raw mut seed).cast()).cast::<[u16; 3]>().read();
                draw();
                $of::lcong48((&raw mut all).cast());
                draw();
                found.extend(before.map(f64::from));
            }
            found
        }};
    }
    assert_eq!(drawn!(rand48, *mut [u16; 3]), drawn!(libc, *mut u16));
}

#[test]
fn texts_of_errors() {
    for number in (-2..140).chain([c_int::MAX, c_int::MIN]) {
        // SAFETY: C strings.
        let [ours, host] = unsafe {
            [errors::strerror(number).cast(), libc::strerror(number).cast_const()]
                .map(|text| CStr::from_ptr(text))
        };
        if host.to_str().unwrap().starts_with("Unknown error") {
            assert_eq!(ours, c"Unknown error", "{number}");
        } else {
            assert_eq!(ours, host, "{number}");
        }
    }
}

#[test]
fn clocks_tell_seconds_and_the_rest() {
    let (seconds, nanoseconds) = (1_700_000_000, 123_456_789);
    let mut told = clock::Time { seconds: 0, rest: 0 };
    let mut now = 0;
    // SAFETY: places of ours.
    unsafe {
        assert_eq!(clock::time(&mut now), seconds);
        assert_eq!((now, clock::time(null_mut())), (seconds, seconds));
        for id in [libc::CLOCK_REALTIME, libc::CLOCK_MONOTONIC, libc::CLOCK_BOOTTIME] {
            assert_eq!(clock::clock_gettime(id, &mut told), 0);
            assert_eq!(told, clock::Time { seconds, rest: nanoseconds });
        }
        assert_eq!(clock::clock_gettime(-1, &mut told), -1);
        assert_eq!(process::__errno_location().read(), libc::EINVAL);
        assert_eq!(clock::gettimeofday(&mut told, null_mut()), 0);
        assert_eq!(told, clock::Time { seconds, rest: nanoseconds / 1000 });
        assert_eq!([clock::timespec_get(&mut told, 1), clock::timespec_get(&mut told, 0)], [1, 0]);
        assert_eq!(told, clock::Time { seconds, rest: nanoseconds });
        assert_eq!(clock::difftime(3, 5), -2.0);
        for (seconds, rest) in [(-1, 0), (0, -1), (0, 1_000_000_000)] {
            assert_eq!(clock::nanosleep(&clock::Time { seconds, rest }, null_mut()), -1);
        }
    }
}

unsafe extern "C" fn compare_by(a: *const c_void, b: *const c_void, order: *mut c_void) -> c_int {
    // SAFETY: bytes, and a number for each.
    unsafe {
        let order = order.cast::<[i32; 256]>().read();
        order[a.cast::<u8>().read() as usize].cmp(&order[b.cast::<u8>().read() as usize]) as c_int
    }
}

#[test]
fn sorting_by_a_value() {
    let mut rng = fastrand::Rng::with_seed(8);
    for _ in 0..100 {
        let mut order = [0; 256].map(|_| rng.i32(..));
        let mut bytes: Vec<u8> = (0..rng.usize(0..80)).map(|_| rng.u8(..)).collect();
        // SAFETY: elements of a byte.
        unsafe {
            order::qsort_r(bytes.as_mut_ptr().cast(), bytes.len(), 1, compare_by, (&raw mut order).cast())
        };
        assert!(bytes.is_sorted_by_key(|byte| order[*byte as usize]));
    }
}

/// Compares our functions for a type with the host's of the same names, of numbers that are told and others.
macro_rules! compare {
    ($check:ident, $float:ident, [$up:ident, $down:ident, $llogb:ident, $scalb:ident, $significand:ident, $lgamma:ident]) => {
        fn $check(rng: &mut fastrand::Rng, next: impl Fn(&mut fastrand::Rng) -> $float) {
            unsafe extern "C" {
                safe fn $up(x: $float) -> $float;
                safe fn $down(x: $float) -> $float;
                safe fn $llogb(x: $float) -> i64;
                safe fn $scalb(x: $float, n: $float) -> $float;
                safe fn $significand(x: $float) -> $float;
                safe fn $lgamma(x: $float, sign: &mut c_int) -> $float;
            }
            let special = [
                0.0,
                1.0,
                2.0,
                3.0,
                3.5,
                0.5,
                1e30,
                $float::MAX,
                $float::MIN_POSITIVE,
                $float::INFINITY,
                $float::NAN,
            ];
            let special = special.into_iter().chain([$float::from_bits(1)]);
            let mut numbers: Vec<$float> = special.flat_map(|x| [x, -x]).collect();
            numbers.extend((0..3000).map(|_| next(rng)));
            let same = |what: &str, x: $float, a: $float, b: $float| {
                assert!(
                    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan(),
                    "{what} of {x:e}: {a:e} instead of {b:e}"
                );
            };
            for &x in &numbers {
                let n = match rng.u32(0..4) {
                    0 => *rng.choice(&numbers).unwrap(),
                    1 => rng.i32(-60..60) as $float / 2.0,
                    _ => rng.i32(-2300..2300) as $float,
                };
                let (mut ours, mut host) = (0, 0);
                // SAFETY: numbers, and places of ours.
                unsafe {
                    same("the next above", x, math::$up(x), $up(x));
                    same("the next below", x, math::$down(x), $down(x));
                    assert_eq!(math::$llogb(x), $llogb(x), "the exponent of {x:e}");
                    same(&format!("scalb by {n}"), x, math::$scalb(x, n), $scalb(x, n));
                    same("significand", x, math::$significand(x), $significand(x));
                    same("lgamma", x, math::$lgamma(x, &mut ours), $lgamma(x, &mut host));
                }
                assert_eq!(ours, host, "the sign of gamma of {x:e}");
            }
        }
    };
}

compare!(of_double, f64, [nextup, nextdown, llogb, scalb, significand, lgamma_r]);
compare!(of_float, f32, [nextupf, nextdownf, llogbf, scalbf, significandf, lgammaf_r]);

#[test]
fn functions_of_exponents_and_neighbours() {
    let mut rng = fastrand::Rng::with_seed(9);
    of_double(&mut rng, |rng| f64::from_bits(rng.u64(..)));
    of_float(&mut rng, |rng| f32::from_bits(rng.u32(..)));
    of_double(&mut rng, |rng| rng.f64() * 40.0 - 30.0);
    of_float(&mut rng, |rng| rng.f32() * 40.0 - 30.0);
}
