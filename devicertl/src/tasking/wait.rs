//! Constructs that wait for tasks, or let others run: `taskwait` and `taskyield`.

use super::{
    deferred::{self, Until},
    dependence::{Dependence, Dependences},
    record,
};
use abi::ident::Ident;

#[allow(missing_docs)]
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_omp_taskwait(_loc: *const Ident, _gtid: i32) -> i32 {
    if record::possible() {
        deferred::wait(Until::Children);
    }
    0
}

#[allow(missing_docs)]
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_omp_taskyield(_loc: *const Ident, _gtid: i32, _end_part: i32) -> i32 {
    if record::possible() {
        deferred::yield_once();
    }
    0
}

macro_rules! with_dependences {
    ($($(#[$attribute:meta])+ $name:ident($($modifier:ident: i32,)?) no_wait: $no_wait:expr;)+) => { $(
        $(#[$attribute])+
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            _loc: *const Ident,
            _gtid: i32,
            count: i32,
            list: *const Dependence,
            more_count: i32,
            more: *const Dependence,
            $($modifier: i32,)?
        ) {
            if record::possible() {
                // SAFETY: the compiler's lists.
                unsafe {
                    let dependences = Dependences::new(count, list, more_count, more);
                    if $no_wait {
                        deferred::add_empty_task(dependences);
                    } else {
                        deferred::wait(Until::Met(dependences));
                    }
                }
            }
        }
    )+ };
}
with_dependences! {
    /// `taskwait depend(...)`, and before an undeferred task with dependences.
    __kmpc_omp_wait_deps() no_wait: false;
    /// As [`__kmpc_omp_wait_deps`]; with `nowait` the dependences are those of an empty task.
    __kmpc_omp_taskwait_deps_51(modifier: i32,) no_wait: modifier != 0;
}
