//! The functions of complex numbers beside those of this machine's C library.

use device_library::complex::functions;

/// `double _Complex` and `float _Complex`, which are passed like these.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Number<T>(T, T);

/// What is compared: our function, the host's, and how many units of the last place of a part they may be apart.
macro_rules! compare {
    ($($name:literal, $ours:ident($($host:ident)?), $ours_of_float:ident($($host_of_float:ident)?), $units:expr;)*) => {
        unsafe extern "C" { $(
            $(safe fn $host(z: Number<f64>) -> Number<f64>;)?
            $(safe fn $host_of_float(z: Number<f32>) -> Number<f32>;)?
        )* }
        fn all(x: f64, y: f64, wrong: &mut Vec<String>) {
            $(
                let (mut to, mut to_float) = ([0.0; 2], [0.0; 2]);
                // SAFETY: places of results.
                unsafe {
                    functions::$ours(&mut to, x, y);
                    functions::$ours_of_float(&mut to_float, x as f32, y as f32);
                }
                let Number(a, b) = $($host)?(Number(x, y));
                let apart = units(to, [a, b], f64::EPSILON, 5e-324);
                if apart > $units {
                    wrong.push(format!("{}({x:e}, {y:e}) = {to:?} instead of {:?}, {apart} units", $name, [a, b]));
                }
                let Number(a, b) = $($host_of_float)?(Number(x as f32, y as f32));
                let [u, v] = to_float.map(f64::from);
                let apart = units([u, v], [a.into(), b.into()], f32::EPSILON.into(), 1e-45);
                if apart > $units {
                    wrong.push(format!("{}f({x:e}, {y:e}) = {to_float:?} instead of {:?}, {apart} units", $name, [a, b]));
                }
            )*
        }
    };
}

compare! {
    "cacos", __omptarget_cacos(cacos), __omptarget_cacosf(cacosf), 6.0;
    "cacosh", __omptarget_cacosh(cacosh), __omptarget_cacoshf(cacoshf), 6.0;
    "casin", __omptarget_casin(casin), __omptarget_casinf(casinf), 6.0;
    "casinh", __omptarget_casinh(casinh), __omptarget_casinhf(casinhf), 6.0;
    "catan", __omptarget_catan(catan), __omptarget_catanf(catanf), 6.0;
    "catanh", __omptarget_catanh(catanh), __omptarget_catanhf(catanhf), 6.0;
    "ccos", __omptarget_ccos(ccos), __omptarget_ccosf(ccosf), 4.0;
    "ccosh", __omptarget_ccosh(ccosh), __omptarget_ccoshf(ccoshf), 4.0;
    "cexp", __omptarget_cexp(cexp), __omptarget_cexpf(cexpf), 4.0;
    "clog", __omptarget_clog(clog), __omptarget_clogf(clogf), 4.0;
    "cproj", __omptarget_cproj(cproj), __omptarget_cprojf(cprojf), 0.0;
    "csin", __omptarget_csin(csin), __omptarget_csinf(csinf), 4.0;
    "csinh", __omptarget_csinh(csinh), __omptarget_csinhf(csinhf), 4.0;
    "csqrt", __omptarget_csqrt(csqrt), __omptarget_csqrtf(csqrtf), 4.0;
    "ctan", __omptarget_ctan(ctan), __omptarget_ctanf(ctanf), 8.0;
    "ctanh", __omptarget_ctanh(ctanh), __omptarget_ctanhf(ctanhf), 8.0;
}

/// The larger distance of two parts, in units of the last place. Which part is NaN counts, and the sign of an infinity or of a 0 does where
/// the other part is a number: elsewhere C does not tell it.
fn units(ours: [f64; 2], host: [f64; 2], epsilon: f64, least: f64) -> f64 {
    let signs_count = !host.iter().any(|part| part.is_nan());
    let apart = |(a, b): (f64, f64)| {
        let [a, b] = if signs_count { [a, b] } else { [a.abs(), b.abs()] };
        if a == b || a.is_nan() && b.is_nan() {
            return if a == 0.0 && a.is_sign_negative() != b.is_sign_negative() {
                f64::INFINITY
            } else {
                0.0
            };
        }
        if !a.is_finite() || !b.is_finite() {
            return f64::INFINITY;
        }
        (a - b).abs() / (b.abs() * epsilon).max(least)
    };
    ours.into_iter().zip(host).map(apart).fold(0.0, f64::max)
}

fn check(numbers: impl Iterator<Item = (f64, f64)>) {
    let mut wrong = Vec::new();
    numbers.for_each(|(x, y)| all(x, y, &mut wrong));
    let mut shown = wrong.clone();
    // A few of each function.
    let name = |line: &String| line.split('(').next().map(str::to_owned);
    let mut counts = std::collections::BTreeMap::new();
    shown.retain(|line| {
        let count = counts.entry(name(line)).or_insert(0);
        *count += 1;
        *count <= 4
    });
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), shown.join("\n"));
}

#[test]
fn numbers_of_all_sizes() {
    let mut rng = fastrand::Rng::with_seed(5);
    let mut part = move || {
        let size = match rng.u32(0..4) {
            0 => rng.f64() * 4.0,
            1 => 10_f64.powf(rng.f64() * 8.0 - 4.0),
            2 => 10_f64.powf(rng.f64() * 30.0 - 15.0),
            _ => 10_f64.powf(rng.f64() * 70.0 - 35.0),
        };
        if rng.bool() { size } else { -size }
    };
    check(std::iter::repeat_with(|| (part(), part())).take(20_000));
}

#[test]
fn numbers_near_those_where_something_happens() {
    let places = [
        0.0,
        1e-320,
        1e-310,
        1e-200,
        1e-160,
        1e-20,
        1e-9,
        0.5,
        0.6,
        0.8,
        std::f64::consts::FRAC_1_SQRT_2,
        1.0,
        2.0,
        10.0,
    ];
    let far = [
        21.9,
        22.1,
        88.0,
        89.5,
        700.0,
        709.0,
        710.0,
        745.0,
        1400.0,
        1e5,
        1e16,
        1e40,
        1e154,
        1e200,
        1e308,
        f64::MAX,
    ];
    let none = [f64::INFINITY, f64::NAN];
    let all = places.into_iter().chain(far).chain(none).flat_map(|place| [place, -place]);
    let all: Vec<f64> = all.flat_map(|x| [x, if x.abs() < 1e300 { x * (1.0 + 1e-15) } else { -x }]).collect();
    check(all.iter().flat_map(|x| all.iter().map(|y| (*x, *y))));
}

#[test]
fn logarithms_near_1() {
    let mut rng = fastrand::Rng::with_seed(6);
    let near = std::iter::repeat_with(move || {
        let angle = rng.f64() * 7.0;
        let size = 1.0 + 10_f64.powf(rng.f64() * -16.0) * (rng.f64() - 0.5);
        (size * angle.cos(), size * angle.sin())
    });
    check(near.take(5000));
}

#[test]
fn powers() {
    unsafe extern "C" {
        safe fn cpow(z: Number<f64>, w: Number<f64>) -> Number<f64>;
    }
    let mut rng = fastrand::Rng::with_seed(7);
    for _ in 0..2000 {
        let [x, y, a, b] = [(); 4].map(|()| rng.f64() * 6.0 - 3.0);
        let mut to = [0.0; 2];
        // SAFETY: a place for the result.
        unsafe { functions::__omptarget_cpow(&mut to, x, y, a, b) };
        let Number(real, imaginary) = cpow(Number(x, y), Number(a, b));
        let size = real.hypot(imaginary);
        let apart = (to[0] - real).hypot(to[1] - imaginary) / size / f64::EPSILON;
        assert!(
            apart < 16.0,
            "({x}, {y}) to the power of ({a}, {b}): {to:?} and {real} {imaginary}, {apart} units"
        );
    }
}

#[test]
fn whole_powers() {
    let power = |[a, b]: [f64; 2], n| {
        let mut to = [0.0; 2];
        // SAFETY: a place of a result.
        unsafe { functions::__omptarget_cpowk(&raw mut to, a, b, n) };
        to
    };
    assert_eq!(power([1.0, 1.0], 8), [16.0, 0.0]);
    assert_eq!(power([0.0, 2.0], 3), [-0.0, -8.0]);
    assert_eq!(power([3.0, 4.0], 0), [1.0, 0.0]);
    assert_eq!(power([0.0, 2.0], -2), [-0.25, 0.0]);
    assert_eq!(power([0.0, 1.0], i64::MIN), [1.0, 0.0]);
}
