//! The regions of `parallel.c`, for kernels of the mode that the crate has chosen.

use crate::MODE;
use crate::frame::*;

/// Runs serial code by one thread of the team; the others see what it has written.
#[inline(always)]
fn serial(code: impl FnOnce()) {
    if !MODE.is_spmd() {
        return code();
    }
    if thread() == 0 {
        code()
    }
    // SAFETY: all threads of an SPMD kernel come here.
    unsafe { __kmpc_barrier_simple_spmd(location(), 0) }
}

/// Each thread of a team of the right size writes a number.
extern "C" fn first(
    _number: *const i32,
    _bound: *const i32,
    of_team: *mut u32,
    seed: *mut c_void,
    size: *mut u64,
) {
    let thread = omp_get_thread_num() as u32;
    // SAFETY: a place for each thread, and a word that one of them writes.
    unsafe {
        of_team.add(thread as usize).write(hash((seed.addr() as u32).wrapping_add(thread)));
        if thread == 0 {
            size.write(omp_get_num_threads() as u64);
        }
    }
}
wrapper!(first_of_worker, first(of_team seed size));

extern "C" fn nothing(_number: *const i32, _bound: *const i32) {
    opaque();
}
wrapper!(nothing_of_worker, nothing());

target!("empty", MODE, |launch| {
    let (of_team, size) = (launch.of_team(), launch.cycles());
    let seed = core::ptr::without_provenance_mut(launch.seed as usize);
    let mut arguments = [of_team.cast(), seed, size.cast()];
    parallel(-1, first as Code, first_of_worker as Code, &mut arguments);
    serial(|| {
        // SAFETY: the words of the team, which the region has written.
        let word = |i: u64| unsafe { of_team.add(i as usize).read_volatile() };
        // SAFETY: as above.
        let size = unsafe { size.read_volatile() };
        let mut right = size == launch.argument;
        let mut i = 0;
        while right && i < size {
            right = word(i) == hash(launch.seed.wrapping_add(i as u32));
            i += 1;
        }
        launch.judge(right);
    });
    let start = clock();
    let mut i = 0;
    while i < launch.repeats {
        parallel(-1, nothing as Code, nothing_of_worker as Code, &mut []);
        i += 1;
    }
    let end = clock();
    serial(|| launch.took(start, end));
});

/// A kernel with regions that share these variables, which one thread of each region changes.
macro_rules! sharing {
    ($kernel:literal: $($name:ident)*) => {
        const _: () = {
            extern "C" fn region(_number: *const i32, _bound: *const i32 $(, $name: *mut u32)*) {
                if omp_get_thread_num() == 0 {
                    let mut i = 0;
                    $(
                        i += 1;
                        // SAFETY: a variable of the serial code, which waits.
                        unsafe { $name.write($name.read().wrapping_add(i)) };
                    )*
                    let _ = i;
                }
            }
            wrapper!(worker, region($($name)*));

            const COUNT: usize = [$(stringify!($name)),*].len();

            target!($kernel, MODE, |launch| {
                // Memory that all threads of the team see; those of an SPMD kernel learn its address from a word of the team.
                let bytes = (COUNT * size_of::<u32>()) as u64;
                let place = launch.cycles().cast::<*mut u32>();
                let first = |i: usize| launch.seed.wrapping_add(i as u32);
                // SAFETY: the team's word, and memory of this size.
                serial(|| unsafe {
                    let variables: *mut u32 = __kmpc_alloc_shared(bytes).cast();
                    place.write_volatile(variables);
                    let mut i = 0;
                    while i < COUNT {
                        variables.add(i).write(first(i));
                        i += 1;
                    }
                });
                // SAFETY: it has been written.
                let variables = unsafe { place.read_volatile() };
                let start = clock();
                let mut repeat = 0;
                while repeat < launch.repeats {
                    let mut i = 0;
                    let mut arguments: [*mut c_void; COUNT] = [$({
                        let _ = stringify!($name);
                        i += 1;
                        // SAFETY: one of the variables.
                        unsafe { variables.add(i - 1).cast() }
                    }),*];
                    parallel(-1, region as Code, worker as Code, &mut arguments);
                    repeat += 1;
                }
                let end = clock();
                // SAFETY: the same memory, which no region uses any more.
                serial(|| unsafe {
                    let mut i = 0;
                    while i < COUNT {
                        let added = (i as u32 + 1).wrapping_mul(launch.repeats as u32);
                        launch.judge(variables.add(i).read_volatile() == first(i).wrapping_add(added));
                        i += 1;
                    }
                    __kmpc_free_shared(variables.cast(), bytes);
                    launch.took(start, end);
                });
            });
        };
    };
}

sharing!("shared_1": v0);
sharing!("shared_2": v0 v1);
sharing!("shared_4": v0 v1 v2 v3);
sharing!("shared_8": v0 v1 v2 v3 v4 v5 v6 v7);
sharing!("shared_16": v0 v1 v2 v3 v4 v5 v6 v7 v8 v9 v10 v11 v12 v13 v14 v15);
sharing!("shared_32":
    v0 v1 v2 v3 v4 v5 v6 v7 v8 v9 v10 v11 v12 v13 v14 v15 v16 v17 v18 v19 v20 v21 v22 v23 v24 v25 v26 v27 v28
    v29 v30 v31
);
sharing!("shared_64":
    v0 v1 v2 v3 v4 v5 v6 v7 v8 v9 v10 v11 v12 v13 v14 v15 v16 v17 v18 v19 v20 v21 v22 v23 v24 v25 v26 v27 v28
    v29 v30 v31 v32 v33 v34 v35 v36 v37 v38 v39 v40 v41 v42 v43 v44 v45 v46 v47 v48 v49 v50 v51 v52 v53 v54
    v55 v56 v57 v58 v59 v60 v61 v62 v63
);
