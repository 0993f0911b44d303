//! The device memory routines on a real device: the GPU when there is one, else the SIMT device.

use core::ffi::{c_int, c_void};
use core::ptr::{null, null_mut};
use hostrtl::api::copy::{self, DependObjects, Linear, Rectangle};
use hostrtl::api::{FAIL, SUCCESS, llvm, omp};
use hostrtl::device::AllocKind;

const DEVICE: c_int = 0;
/// `omp_initial_device`
const HOST: c_int = -1;
const NO_DEVICE: c_int = 77;
const NOTHING: DependObjects = DependObjects { count: 0, list: null() };

fn linear(to: (*mut u32, c_int), from: (*const u32, c_int), bytes: usize) -> Linear {
    Linear {
        destination: to.0.cast(),
        source: from.0.cast(),
        bytes,
        destination_offset: 0,
        source_offset: 0,
        destination_device: to.1,
        source_device: from.1,
    }
}

/// Copies now, or in a task.
fn memcpy(later: bool, to: (*mut u32, c_int), from: (*const u32, c_int), bytes: usize) -> c_int {
    let arguments = linear(to, from, bytes);
    // SAFETY: the tests give memory of these sizes; without libomp a task is done at once.
    unsafe {
        match later {
            false => copy::target_memcpy(&arguments),
            true => copy::target_memcpy_async(&arguments, NOTHING),
        }
    }
}

/// A block of the device with these numbers.
fn block(contents: &[u32]) -> *mut u32 {
    let bytes = size_of_val(contents);
    let block: *mut u32 = llvm::alloc(bytes, DEVICE, AllocKind::Device).cast();
    assert!(!block.is_null());
    assert_eq!(memcpy(false, (block, DEVICE), (contents.as_ptr(), HOST), bytes), SUCCESS);
    block
}

fn contents<const N: usize>(block: *const u32) -> [u32; N] {
    let mut contents = [0; N];
    assert_eq!(memcpy(false, (contents.as_mut_ptr(), HOST), (block, DEVICE), 4 * N), SUCCESS);
    contents
}

fn free(block: *mut u32) {
    // SAFETY: a block of `block`.
    unsafe { llvm::free(block.cast(), DEVICE, AllocKind::Device) };
}

fn copies_in_all_directions() {
    for later in [false, true] {
        let first = block(&[1, 2, 3, 4]);
        let second = block(&[0; 4]);
        assert_eq!(memcpy(later, (second, DEVICE), (first, DEVICE), 12), SUCCESS);
        assert_eq!(contents(second), [1, 2, 3, 0]);
        let mut host = [9; 4];
        assert_eq!(memcpy(later, (host.as_mut_ptr(), HOST), (second, DEVICE), 8), SUCCESS);
        let initial = omp::get_initial_device();
        let source = [host[1]; 1];
        assert_eq!(memcpy(later, (&mut host[3], initial), (source.as_ptr(), HOST), 4), SUCCESS);
        assert_eq!(host, [1, 2, 9, 2]);
        free(first);
        free(second);
    }
}

fn copies_of_boxes() {
    let matrix: Vec<u32> = (0..100).collect();
    let device = block(&matrix);
    for later in [false, true] {
        let mut part = [0_u32; 6];
        // A 2 x 3 box at (4, 5) of a 10 x 10 matrix.
        let arguments = Rectangle {
            destination: part.as_mut_ptr().cast(),
            source: device.cast(),
            element_size: 4,
            dimensions: 2,
            volume: [2, 3].as_ptr(),
            destination_offsets: [0, 0].as_ptr(),
            source_offsets: [4, 5].as_ptr(),
            destination_dimensions: [2, 3].as_ptr(),
            source_dimensions: [10, 10].as_ptr(),
            destination_device: HOST,
            source_device: DEVICE,
        };
        let outside = Rectangle { source_offsets: [4, 8].as_ptr(), ..arguments };
        let query = Rectangle { destination: null_mut(), source: null(), ..arguments };
        let no_device = Rectangle { source_device: NO_DEVICE, ..arguments };
        let bad = [
            no_device,
            Rectangle { dimensions: 0, ..arguments },
            Rectangle { volume: null(), ..arguments },
            Rectangle { element_size: 0, ..arguments },
            Rectangle { source: null(), ..arguments },
        ];
        // SAFETY: the arrays have two elements, and the boxes lie inside of their memory.
        let run = |arguments: &Rectangle| unsafe {
            match later {
                false => copy::target_memcpy_rect(arguments),
                true => copy::target_memcpy_rect_async(arguments, NOTHING),
            }
        };
        assert_eq!(run(&query), c_int::MAX);
        for (index, arguments) in bad.iter().enumerate() {
            // A task tells of the missing device when it runs.
            let expected = if later && index == 0 { SUCCESS } else { FAIL };
            assert_eq!(run(arguments), expected, "{index}");
        }
        assert_eq!(part, [0; 6]);
        assert_eq!(run(&arguments), SUCCESS);
        assert_eq!(part, [45, 46, 47, 55, 56, 57]);
        // A row goes on in the next one, as with LLVM's and GCC's libraries.
        assert_eq!(run(&outside), SUCCESS);
        assert_eq!(part, [48, 49, 50, 58, 59, 60]);
    }
    free(device);
}

fn fills() {
    let device = block(&[7; 4]);
    // SAFETY: 16 bytes there; a null pointer and no bytes are allowed.
    unsafe {
        assert_eq!(copy::target_memset(device.cast(), 0x1ff, 4, DEVICE), device.cast());
        assert_eq!(
            copy::target_memset_async(device.wrapping_add(2).cast(), 1, 4, DEVICE, NOTHING),
            device.wrapping_add(2).cast()
        );
        assert!(copy::target_memset(null_mut(), 1, 4, DEVICE).is_null());
        copy::target_memset(device.cast(), 1, 0, NO_DEVICE);
        copy::target_memset(device.cast(), 1, 16, NO_DEVICE);
    }
    assert_eq!(contents(device), [u32::MAX, 7, 0x0101_0101, 7]);
    let mut host = [7_u32; 2];
    // SAFETY: four bytes there.
    unsafe { copy::target_memset(host.as_mut_ptr().cast(), 0, 4, HOST) };
    assert_eq!(host, [0, 7]);
    free(device);
}

fn bad_copies_are_refused() {
    let mut data = [1_u32, 2];
    let address = data.as_mut_ptr();
    for later in [false, true] {
        assert_eq!(memcpy(later, (null_mut(), HOST), (address, HOST), 4), FAIL);
        assert_eq!(memcpy(later, (address, HOST), (null(), HOST), 4), FAIL);
        assert_eq!(memcpy(later, (null_mut(), HOST), (null(), HOST), 0), SUCCESS);
        assert_eq!(memcpy(later, (address, HOST), (address, HOST), usize::MAX), FAIL);
    }
    assert_eq!(memcpy(false, (address, NO_DEVICE), (address, HOST), 4), FAIL);
    let arguments = linear((address, HOST), (address.wrapping_add(1), HOST), 4);
    let uninitialized = [null::<c_void>()];
    for after in [
        DependObjects { count: -1, list: null() },
        DependObjects { count: 1, list: null() },
        DependObjects { count: 1, list: uninitialized.as_ptr() },
    ] {
        // SAFETY: both are memory of the host.
        assert_eq!(unsafe { copy::target_memcpy_async(&arguments, after) }, FAIL);
    }
    assert_eq!(data, [1, 2]);
}

fn association() {
    let (host, device) = ([0_u32; 100], block(&[0; 100]));
    let key = host.as_ptr().cast();
    let associate = |bytes, offset| omp::target_associate_ptr(key, device.cast(), bytes, offset, DEVICE);
    assert_eq!(omp::target_is_present(key, DEVICE), 0);
    assert_eq!(omp::target_disassociate_ptr(key, DEVICE), FAIL);
    assert_eq!(associate(0, 0), FAIL);
    assert_eq!(associate(200, 8), SUCCESS);
    assert_eq!(associate(200, 8), SUCCESS, "the same once more");
    assert_eq!(associate(200, 0), FAIL, "other memory of the device");
    assert_eq!(associate(100, 8), FAIL, "another size");
    assert_eq!(omp::target_is_present(key, DEVICE), 1);
    assert_eq!(omp::target_is_present(host[50..].as_ptr().cast(), DEVICE), 0);
    assert_eq!(omp::get_mapped_ptr(host[1..].as_ptr().cast(), DEVICE), device.wrapping_add(3).cast());
    assert_eq!(omp::get_mapped_ptr(key, HOST), key.cast_mut());
    for wrong in [HOST, NO_DEVICE] {
        assert_eq!(omp::target_associate_ptr(key, device.cast(), 4, 0, wrong), FAIL);
        assert_eq!(omp::target_disassociate_ptr(key, wrong), FAIL);
    }
    assert_eq!(omp::target_is_present(key, NO_DEVICE), 0);
    assert!(omp::get_mapped_ptr(key, NO_DEVICE).is_null());
    assert_eq!(omp::target_disassociate_ptr(host[1..].as_ptr().cast(), DEVICE), FAIL, "not the first byte");
    assert_eq!(omp::target_disassociate_ptr(key, DEVICE), SUCCESS);
    assert_eq!(omp::target_disassociate_ptr(key, DEVICE), FAIL);
    assert_eq!(omp::target_is_present(key, DEVICE), 0);
    free(device);
}

fn access_without_a_map() {
    let device = block(&[0; 4]);
    let host = [0_u32; 4];
    let shared = llvm::alloc(16, DEVICE, AllocKind::Shared);
    assert!(!shared.is_null());
    let accessible = |address: *const c_void, bytes| omp::target_is_accessible(address, bytes, DEVICE);
    assert_eq!(accessible(device.cast(), 16), 1);
    assert_eq!(accessible(device.wrapping_add(1).cast(), 16), 0, "it ends behind the block");
    assert_eq!(accessible(shared, 16), 1);
    assert_eq!(accessible(null(), 1), 0);
    assert_eq!(accessible(host.as_ptr().cast(), usize::MAX), 0);
    assert_eq!(omp::target_is_accessible(host.as_ptr().cast(), 16, HOST), 1);
    assert_eq!(omp::target_is_accessible(host.as_ptr().cast(), 16, NO_DEVICE), 0);
    // SAFETY: allocated above.
    unsafe { llvm::free(shared, DEVICE, AllocKind::Shared) };
    free(device);
}

fn locked_memory() {
    let mut host = vec![5_u32; 4096];
    let address = host.as_mut_ptr().cast();
    let mapped = llvm::lock_mem(address, 16384, DEVICE);
    assert!(!mapped.is_null());
    assert!(llvm::lock_mem(address, 16384, DEVICE).is_null(), "it is locked");
    llvm::unlock_mem(address, DEVICE);
    assert!(!llvm::lock_mem(address, 16384, DEVICE).is_null(), "and was unlocked");
    llvm::unlock_mem(address, DEVICE);
    assert_eq!(llvm::lock_mem(address, 16384, HOST), address);
    assert!(llvm::lock_mem(address, 0, DEVICE).is_null());
    assert!(llvm::lock_mem(address, 16384, NO_DEVICE).is_null());
}

fn memory_that_there_is_not() {
    for kind in [AllocKind::Device, AllocKind::Host, AllocKind::Shared] {
        assert!(llvm::alloc(1 << 60, DEVICE, kind).is_null(), "{kind:?}");
        let block = llvm::alloc(1, DEVICE, kind);
        assert_eq!(block as usize % 256, 0, "{kind:?}");
        // SAFETY: allocated above.
        unsafe { llvm::free(block, DEVICE, kind) };
    }
    assert!(llvm::alloc(16, NO_DEVICE, AllocKind::Device).is_null());
    assert!(llvm::alloc(0, DEVICE, AllocKind::Device).is_null());
}

fn identities() {
    // SAFETY: C strings of the runtime, or null.
    unsafe {
        let uid = omp::get_uid_from_device(DEVICE);
        assert!(core::ffi::CStr::from_ptr(uid).to_bytes().starts_with(b"CUDA-"));
        assert_eq!(omp::get_device_from_uid(uid), DEVICE);
        let host = omp::get_uid_from_device(HOST);
        assert_eq!(core::ffi::CStr::from_ptr(host), c"HOST");
        assert_eq!(omp::get_device_from_uid(host), omp::get_initial_device());
        assert!(omp::get_uid_from_device(NO_DEVICE).is_null());
        for unknown in [null(), c"".as_ptr(), c"CUDA-0".as_ptr()] {
            assert_eq!(omp::get_device_from_uid(unknown), -2);
        }
    }
}

tests_gpu::trials! {
    copies_in_all_directions,
    copies_of_boxes,
    fills,
    bad_copies_are_refused,
    association,
    access_without_a_map,
    locked_memory,
    memory_that_there_is_not,
    identities,
}
