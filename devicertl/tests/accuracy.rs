//! The errors of the math functions are within CUDA's bounds, on a sample of the arguments that `examples/ulp.rs` tries.

mod machine;
mod reference;

use devicertl::math::bessel_j::{__nv_jn, __nv_jnf};
use reference::{bounds::CASES, measure, mpfr::Big};
use std::sync::{
    Mutex,
    atomic::{AtomicUsize, Ordering::Relaxed},
};

#[test]
fn errors_are_within_cudas_bounds() {
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let Some(case) = CASES.get(next.fetch_add(1, Relaxed)) {
                    let worst = measure(case, case.sample, 2);
                    if !worst.within(case.bound) {
                        found
                            .lock()
                            .unwrap()
                            .push(format!("{} {}: {:?}, {worst:?}", case.name, case.part, case.bound));
                    }
                }
            });
        }
    });
    let found = found.into_inner().unwrap();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn zeros_have_the_sign_of_the_true_value() {
    for case in CASES.iter().filter(|case| case.ranges.len() == 1) {
        for zero in [0.0, -0.0] {
            let exact = (case.reference)(&[Big::new(zero)]).to_f64();
            let got = (case.run)(&[zero]);
            let same = exact != 0.0 || got.to_bits() == exact.to_bits();
            assert!(same, "{}({zero}) is {got}, not {exact}", case.name);
        }
    }
    for (order, wanted) in [(1, -0.0), (3, -0.0), (-3, 0.0), (2, 0.0)] {
        assert_eq!(__nv_jn(order, -0.0).to_bits(), f64::to_bits(wanted), "{order}");
        assert_eq!(__nv_jnf(order, -0.0).to_bits(), (wanted as f32).to_bits(), "{order}");
    }
}
