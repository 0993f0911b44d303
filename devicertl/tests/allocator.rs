//! Allocators: where memory comes from, alignment, limits, fallbacks, who may free what.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "stands for compiled code, which keeps the runtime's rules"
)]

mod kernels;
mod machine;

use abi::{kernel::FallbackLaunchEnvironment, mode::ExecMode};
use devicertl::allocator::{
    dynamic::*,
    spaces::*,
    traits::{Handle, Trait, omp_destroy_allocator, omp_init_allocator},
    *,
};
use devicertl::query::omp_get_team_num;
use kernels::Kernel;
use machine::{launch, mallocs, pool_is_free};
use std::sync::Mutex;

static TEST: Mutex<()> = Mutex::new(());

/// Runs `body` with every thread of a block; afterwards pool and heap must be as before.
fn kernel(threads: u32, body: impl Fn() + Sync) {
    let _test = TEST.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let kernel = Kernel::new(ExecMode::SPMD);
    launch(1, threads, || {
        kernel.run(|| {
            body();
            devicertl::arch::syncthreads_aligned();
            assert!(pool_is_free());
        })
    });
}

const DEFAULT: Handle = Handle::of(1);
const LOW_LATENCY: Handle = Handle::of(5);
const CGROUP: Handle = Handle::of(6);
const PTEAM: Handle = Handle::of(7);
const THREAD: Handle = Handle::of(8);
const DEFAULT_SPACE: u64 = 99;

/// Traits of `omp.h` by number: key and value.
fn allocator(space: u64, traits: &[(u32, u64)]) -> Handle {
    let traits: Vec<_> = traits.iter().map(|(key, value)| Trait { key: *key, value: *value }).collect();
    unsafe { omp_init_allocator(space, traits.len() as i32, traits.as_ptr()) }
}
const ALIGNMENT: u32 = 2;
const ACCESS: u32 = 3;
const POOL_SIZE: u32 = 4;
const FALLBACK: u32 = 5;
const FB_DATA: u32 = 6;
const PTEAM_ACCESS: u64 = 9;
const DEFAULT_FB: u64 = 11;
const NULL_FB: u64 = 12;
const ALLOCATOR_FB: u64 = 14;

fn in_shared(memory: *mut u8) -> bool {
    devicertl::arch::is_shared(memory)
}

/// Fills memory, checks that it stays so, and frees it.
///
/// # Safety
/// `memory` must have `bytes`.
unsafe fn use_up(memory: *mut u8, bytes: usize) {
    let mark = devicertl::arch::tid() as u8;
    unsafe {
        memory.write_bytes(mark, bytes);
        std::thread::yield_now();
        assert!((0..bytes).all(|i| memory.add(i).read() == mark));
        omp_free(memory, Handle::NULL);
    }
}

#[test]
fn predefined_allocators() {
    kernel(8, || unsafe {
        for (handle, shared) in
            [(DEFAULT, false), (LOW_LATENCY, false), (CGROUP, true), (PTEAM, true), (THREAD, false)]
        {
            let memory = omp_alloc(40, handle);
            assert_eq!(in_shared(memory), shared, "{handle:?}");
            assert!(memory.addr().is_multiple_of(16));
            use_up(memory, 40);
        }
        // Not of this device, or of no device.
        for unknown in [100, 101, 55] {
            assert!(omp_alloc(8, Handle::of(unknown)).is_null());
        }
    });
}

#[test]
fn what_does_not_fit_into_the_pool_comes_from_the_heap() {
    kernel(64, || unsafe {
        for bytes in [1, 30, 200, 1008, 1009, 5000] {
            let memory = omp_alloc(bytes, PTEAM);
            assert!(!memory.is_null());
            use_up(memory, bytes as usize);
        }
    });
    kernel(1, || unsafe {
        let (fits, does_not) = (omp_alloc(1008, CGROUP), omp_alloc(1009, CGROUP));
        assert!(in_shared(fits) && !in_shared(does_not));
        use_up(fits, 1008);
        use_up(does_not, 1009);
    });
}

#[test]
fn alignment_is_kept_and_wastes_no_shared_memory() {
    kernel(4, || unsafe {
        for handle in [DEFAULT, PTEAM] {
            for alignment in (0..10).map(|shift| 1u64 << shift) {
                for bytes in [1, 24, 100] {
                    let memory = omp_aligned_alloc(alignment, bytes, handle);
                    assert!(memory.addr().is_multiple_of(alignment as usize), "{alignment}");
                    use_up(memory, bytes as usize);
                }
            }
            assert!(omp_aligned_alloc(3, 8, handle).is_null());
            assert!(omp_aligned_alloc(0, 8, handle).is_null());
        }
    });
    kernel(1, || unsafe {
        // 12 blocks with 32 bytes of head and 16 of their own: with the rest given back they fit.
        let blocks: Vec<_> = (0..12).map(|_| omp_aligned_alloc(64, 16, PTEAM)).collect();
        assert!(blocks.iter().all(|block| in_shared(*block)));
        blocks.into_iter().for_each(|block| use_up(block, 16));
    });
}

#[test]
fn zeroed_and_impossible_sizes() {
    kernel(4, || unsafe {
        for handle in [DEFAULT, PTEAM] {
            let dirty = omp_alloc(96, handle);
            use_up(dirty, 96);
            let zeroed = omp_calloc(12, 8, handle);
            assert!((0..96).all(|i| zeroed.add(i).read() == 0));
            use_up(zeroed, 96);
            let zeroed = omp_aligned_calloc(128, 3, 7, handle);
            assert!(zeroed.addr().is_multiple_of(128) && (0..21).all(|i| zeroed.add(i).read() == 0));
            use_up(zeroed, 21);
            assert!(omp_calloc(1 << 60, 32, handle).is_null());
            assert!(omp_calloc(0, 32, handle).is_null());
            assert!(omp_alloc(0, handle).is_null());
            assert!(omp_alloc(u64::MAX - 8, handle).is_null());
        }
        omp_free(std::ptr::null_mut(), PTEAM);
    });
}

#[test]
fn realloc_moves_contents_and_changes_the_allocator() {
    kernel(2, || unsafe {
        let mut memory = omp_realloc(std::ptr::null_mut(), 10, PTEAM, Handle::NULL);
        assert!(in_shared(memory));
        memory.write_bytes(7, 10);
        memory = omp_realloc(memory, 300, Handle::NULL, Handle::NULL);
        assert!(in_shared(memory), "the allocator stays");
        assert!((0..10).all(|i| memory.add(i).read() == 7));
        memory = omp_realloc(memory, 5, DEFAULT, PTEAM);
        assert!(!in_shared(memory));
        assert!((0..5).all(|i| memory.add(i).read() == 7));
        assert!(omp_realloc(memory, 0, DEFAULT, DEFAULT).is_null());
    });
}

#[test]
fn the_default_allocator() {
    kernel(2, || unsafe {
        assert_eq!(omp_get_default_allocator(), DEFAULT);
        let before = mallocs();
        devicertl::arch::syncthreads_aligned();
        omp_set_default_allocator(PTEAM);
        omp_set_default_allocator(Handle::NULL);
        assert_eq!(omp_get_default_allocator(), PTEAM);
        let memory = omp_alloc(8, Handle::NULL);
        assert!(in_shared(memory));
        use_up(memory, 8);
        assert_eq!(mallocs(), before);
    });
}

#[test]
fn pool_size_and_fallbacks() {
    kernel(1, || unsafe {
        let limited = allocator(DEFAULT_SPACE, &[(POOL_SIZE, 100), (FALLBACK, NULL_FB), (ALIGNMENT, 256)]);
        let (first, second) = (omp_alloc(60, limited), omp_alloc(40, limited));
        assert!(first.addr().is_multiple_of(256) && second.addr().is_multiple_of(256));
        assert!(omp_alloc(1, limited).is_null(), "the limit is reached");
        use_up(second, 40);
        assert!(omp_alloc(41, limited).is_null());
        use_up(omp_alloc(40, limited), 40);

        let next =
            allocator(DEFAULT_SPACE, &[(FALLBACK, ALLOCATOR_FB), (FB_DATA, limited.bits()), (POOL_SIZE, 8)]);
        let (own, others) = (omp_alloc(8, next), omp_alloc(30, next));
        assert!(!own.is_null() && others.addr().is_multiple_of(256));
        assert!(omp_alloc(11, next).is_null(), "neither has as much");
        use_up(others, 30);
        use_up(own, 8);
        use_up(first, 60);
        omp_destroy_allocator(next);

        let default = allocator(DEFAULT_SPACE, &[(POOL_SIZE, 0), (FALLBACK, DEFAULT_FB)]);
        use_up(omp_alloc(500, default), 500);
        omp_destroy_allocator(default);
        omp_destroy_allocator(limited);
        omp_destroy_allocator(PTEAM);
    });
}

#[test]
fn many_threads_share_a_limit() {
    static LIMITED: Mutex<Handle> = Mutex::new(Handle::NULL);
    kernel(64, || unsafe {
        if devicertl::arch::tid() == 0 {
            *LIMITED.lock().unwrap() = allocator(DEFAULT_SPACE, &[(POOL_SIZE, 64 * 8), (FALLBACK, NULL_FB)]);
        }
        devicertl::arch::syncthreads_aligned();
        let limited = *LIMITED.lock().unwrap();
        for _ in 0..20 {
            use_up(omp_alloc(8, limited), 8);
        }
        // All at once have exactly what there is.
        let memory = omp_alloc(8, limited);
        devicertl::arch::syncthreads_aligned();
        assert!(!memory.is_null() && omp_alloc(1, limited).is_null());
        devicertl::arch::syncthreads_aligned();
        use_up(memory, 8);
        devicertl::arch::syncthreads_aligned();
        if devicertl::arch::tid() == 0 {
            omp_destroy_allocator(limited);
        }
    });
}

#[test]
fn traits_that_decide_where_memory_is() {
    kernel(1, || unsafe {
        let team = allocator(DEFAULT_SPACE, &[(ACCESS, PTEAM_ACCESS)]);
        let small = omp_alloc(8, team);
        assert!(in_shared(small));
        use_up(small, 8);
        let low = allocator(4, &[(ACCESS, PTEAM_ACCESS), (FALLBACK, NULL_FB)]);
        assert!(
            omp_alloc(4000, low).is_null(),
            "shared memory has not as much, and the heap is not of that space"
        );
        let large = omp_alloc(4000, team);
        assert!(!large.is_null() && !in_shared(large));
        use_up(large, 4000);
        // `omp_atv_default` is the default of any trait.
        let all = allocator(4, &[(ACCESS, u64::MAX), (ALIGNMENT, u64::MAX), (POOL_SIZE, u64::MAX)]);
        let memory = omp_alloc(8, all);
        assert!(!in_shared(memory));
        use_up(memory, 8);
        for impossible in
            [(ALIGNMENT, 24), (FALLBACK, 3), (11, 19), (12, 21), (77, 1), (FALLBACK, ALLOCATOR_FB)]
        {
            assert_eq!(allocator(DEFAULT_SPACE, &[impossible]), Handle::NULL, "{impossible:?}");
        }
        for elsewhere in [100, 101, 7] {
            assert_eq!(allocator(elsewhere, &[]), Handle::NULL);
        }
        [team, low, all].into_iter().for_each(|made| omp_destroy_allocator(made));
    });
}

#[test]
fn memory_of_another_thread_is_freed() {
    static PLACES: Mutex<[usize; 32]> = Mutex::new([0; 32]);
    kernel(32, || unsafe {
        let me = devicertl::arch::tid() as usize;
        let handle = if me.is_multiple_of(2) { PTEAM } else { DEFAULT };
        PLACES.lock().unwrap()[me] = omp_alloc(32, handle) as usize;
        devicertl::arch::syncthreads_aligned();
        let other = PLACES.lock().unwrap()[(me + 1) % 32];
        use_up(other as *mut u8, 32);
    });
}

#[test]
fn memory_spaces() {
    let here = 1; // the device number of the machine
    unsafe {
        for (space, handle) in [(99, 1), (1, 2), (2, 3), (3, 4), (4, 5), (102, 102)] {
            assert_eq!(omp_get_device_memspace(here, space), space);
            assert_eq!(omp_get_device_allocator(here, space), Handle::of(handle));
            assert_eq!(omp_get_device_memspace(0, space), 0);
            assert_eq!(omp_get_device_and_host_allocator(here, space), Handle::NULL);
            assert_eq!(omp_get_devices_memspace(2, [here, here].as_ptr(), space), space);
            assert_eq!(omp_get_devices_allocator(2, [here, 0].as_ptr(), space), Handle::NULL);
            assert_eq!(omp_get_devices_all_memspace(space), 0);
            assert_eq!(omp_get_memspace_num_resources(space), 1);
            assert_eq!(omp_get_submemspace(space, 1, [0].as_ptr()), space);
            assert_eq!(omp_get_submemspace(space, 1, [1].as_ptr()), 0);
        }
        assert_eq!(omp_get_device_memspace(here, 0), 0);
        assert_eq!(omp_get_memspace_num_resources(100), 0);
    }
}

/// The machine of these tests has no dynamic shared memory, so a launch has what its environment says.
#[test]
fn memory_of_teams_in_the_place_of_shared_memory() {
    let _test = TEST.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let given = FallbackLaunchEnvironment {
        mark: FallbackLaunchEnvironment::MARK,
        memory: 0x1000,
        size: 100,
        stride: 128,
        ..FallbackLaunchEnvironment::default()
    };
    let unmarked = FallbackLaunchEnvironment { mark: 0, ..given };
    for mut environment in [given, unmarked] {
        let is_there = environment.mark != 0;
        let kernel = Kernel::new(ExecMode::SPMD).launched_with((&raw mut environment).cast());
        launch(3, 2, || {
            kernel.run(|| {
                let of_team = 0x1000 + 128 * omp_get_team_num() as usize;
                let expected = |address: usize| if is_there { address } else { 0 };
                assert_eq!(omp_get_dyn_gprivate_ptr(0, 0) as usize, expected(of_team));
                assert_eq!(omp_get_dyn_gprivate_ptr(7, 0) as usize, expected(of_team + 7));
                assert!(omp_get_dyn_gprivate_nofb_ptr(7, 0).is_null());
                assert_eq!(omp_get_dyn_gprivate_size(0), expected(100));
                assert_eq!(omp_get_dyn_gprivate_memspace(0), expected(99) as u64);
            })
        });
    }
    let kernel = Kernel::new(ExecMode::SPMD).launched_with(std::ptr::without_provenance_mut(usize::MAX));
    launch(1, 2, || kernel.run(|| assert_eq!(omp_get_dyn_gprivate_size(0), 0)));
}
