//! The errors of the math functions are within CUDA's bounds, on a sample of the arguments that `examples/ulp.rs` tries.

mod machine;
mod reference;

use reference::{bounds::CASES, measure};
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
