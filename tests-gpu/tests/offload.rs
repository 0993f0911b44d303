//! The whole runtime under a program made by hand: registration in both entry forms, globals, data constructs, launches
//! with and without hidden parameter, the device memory routines. It runs on the GPU when there is one, else on the SIMT
//! device.

use abi::entry::{BinaryDescriptor, DeviceImage, OffloadEntry, OldOffloadEntry};
use abi::ident::Ident;
use abi::kernel::KernelArguments;
use core::ffi::{CStr, c_void};
use core::ptr::{from_ref, null, null_mut};
use hostrtl::api::tgt::{self, DataConstruct};
use hostrtl::api::{SUCCESS, legacy, omp};
use hostrtl::arrays::RawArrays;
use std::sync::Once;

const IMAGE: &[u8] = include_bytes!("../../hostrtl/tests/kernel.ptx");
const DEVICE: i64 = -1;

const TO: i64 = 0x1;
const FROM: i64 = 0x2;
const PARAM: i64 = 0x20;
const LITERAL: i64 = 0x120;

static SCALE: u8 = 0;
static FILL: u8 = 0;
static mut FACTOR: u64 = 2;

/// Tests change `FACTOR` on the device: one at a time.
static SERIAL: std::sync::Mutex<()> = std::sync::Mutex::new(());

fn leak<T>(value: T) -> *const T {
    Box::leak(Box::new(value))
}

fn register(begin: *const c_void, end: *const c_void) {
    let range = IMAGE.as_ptr_range();
    let image = DeviceImage {
        image_start: range.start.cast(),
        image_end: range.end.cast(),
        entries_begin: begin,
        entries_end: end,
    };
    let descriptor = BinaryDescriptor {
        num_device_images: 1,
        device_images: leak(image),
        host_entries_begin: begin,
        host_entries_end: end,
    };
    // SAFETY: everything lives until the process ends.
    unsafe { tgt::register_lib(leak(descriptor)) };
}

/// Two libraries with the same image: one as LLVM 22 writes its entries, one as LLVM 19 and REX do.
fn register_all() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let new = |address: *const c_void, name: &'static CStr, size| OffloadEntry {
            reserved: 0,
            version: 1,
            kind: 1,
            flags: 0,
            address: address.cast_mut(),
            symbol_name: name.as_ptr(),
            size,
            data: 0,
            aux_address: null_mut(),
        };
        let entries =
            [new(from_ref(&SCALE).cast(), c"scale", 0), new((&raw const FACTOR).cast(), c"factor", 8)];
        let entries = Vec::leak(entries.to_vec()).as_ptr_range();
        register(entries.start.cast(), entries.end.cast());

        let old = OldOffloadEntry {
            address: from_ref(&FILL).cast_mut().cast(),
            name: c"fill".as_ptr(),
            size: 0,
            flags: 0,
            data: 0,
        };
        let entries = Vec::leak(vec![old]).as_ptr_range();
        register(entries.start.cast(), entries.end.cast());
    });
}

fn ident() -> *const Ident {
    leak(Ident {
        reserved_1: 0,
        flags: 2,
        reserved_2: 0,
        reserved_3: 0,
        psource: c";t.c;main;1;1;;".as_ptr(),
    })
}

/// The arrays of some maps: (address, size, kind).
struct Maps {
    bases: Vec<*mut c_void>,
    addresses: Vec<*mut c_void>,
    sizes: Vec<i64>,
    kinds: Vec<i64>,
}

impl Maps {
    fn new(maps: &[(*const c_void, usize, i64)]) -> Self {
        Self {
            bases: maps.iter().map(|map| map.0.cast_mut()).collect(),
            addresses: maps.iter().map(|map| map.0.cast_mut()).collect(),
            sizes: maps.iter().map(|map| map.1 as i64).collect(),
            kinds: maps.iter().map(|map| map.2).collect(),
        }
    }

    fn raw(&mut self) -> RawArrays {
        RawArrays {
            count: self.addresses.len() as i32,
            bases: self.bases.as_mut_ptr(),
            begins: self.addresses.as_mut_ptr(),
            sizes: self.sizes.as_ptr(),
            kinds: self.kinds.as_ptr(),
            names: null(),
            mappers: null(),
        }
    }

    fn data(mut self, construct: DataConstruct) {
        // SAFETY: the tests map memory that lives through the construct.
        unsafe { tgt::data(construct, ident(), DEVICE, self.raw(), false) }
    }

    /// Launches `scale` with a packet of version 3.
    fn scale(mut self, blocks: u32, threads: u32) {
        let arrays = self.raw();
        let packet = KernelArguments {
            version: 3,
            num_args: arrays.count as u32,
            arg_base_ptrs: arrays.bases,
            arg_ptrs: arrays.begins,
            arg_sizes: arrays.sizes,
            arg_types: arrays.kinds,
            arg_names: null(),
            arg_mappers: null(),
            trip_count: 0,
            flags: 0,
            num_teams: [blocks, 1, 1],
            thread_limit: [threads, 1, 1],
            dyn_cgroup_mem: 0,
        };
        let region = from_ref(&SCALE).cast();
        // SAFETY: a complete packet; the tests map memory that lives through the construct.
        let code =
            unsafe { tgt::target_kernel(ident(), DEVICE, blocks as i32, threads as i32, region, &packet) };
        assert_eq!(code, SUCCESS);
    }
}

fn address<T>(values: &mut [T]) -> *const c_void {
    values.as_mut_ptr().cast_const().cast()
}

fn value(number: usize) -> *const c_void {
    core::ptr::without_provenance(number)
}

fn a_kernel_with_maps_a_literal_and_the_hidden_parameter() {
    let _serial = SERIAL.lock().unwrap();
    register_all();
    let mut data: Vec<f64> = (0..1000).map(f64::from).collect();
    let mut seen = [0_u64];
    Maps::new(&[
        (address(&mut data), 8000, TO | FROM | PARAM),
        (value(1000), 8, LITERAL),
        (address(&mut seen), 8, FROM | PARAM),
    ])
    .scale(8, 128);
    assert!(data.iter().enumerate().all(|(index, value)| *value == 2.0 * index as f64));
    assert_eq!(seen, [u64::MAX], "no launch environment needed");
}

fn target_data_update_and_a_global() {
    let _serial = SERIAL.lock().unwrap();
    register_all();
    let mut data = vec![1.0_f64; 256];
    let mut seen = [0_u64];
    let whole = |data: &mut Vec<f64>, kind| Maps::new(&[(address(data), 2048, kind)]);
    whole(&mut data, TO | FROM).data(DataConstruct::Begin);
    let factor = (&raw const FACTOR).cast::<c_void>();
    // SAFETY: the test's own global, under the lock.
    unsafe { FACTOR = 5 };
    Maps::new(&[(factor, 8, TO)]).data(DataConstruct::Update);
    for _ in 0..2 {
        let data = (address(&mut data), 2048, TO | FROM | PARAM);
        let seen = (address(&mut seen), 8, FROM | PARAM);
        Maps::new(&[data, (value(256), 8, LITERAL), seen]).scale(2, 128);
    }
    assert_eq!(data[7], 1.0, "still mapped: not copied back");
    Maps::new(&[(address(&mut data[..1]), 8, FROM)]).data(DataConstruct::Update);
    assert_eq!((data[0], data[7]), (25.0, 1.0));
    whole(&mut data, TO | FROM).data(DataConstruct::End);
    assert!(data.iter().all(|value| *value == 25.0));
    // SAFETY: as above.
    unsafe { FACTOR = 2 };
    Maps::new(&[(factor, 8, TO)]).data(DataConstruct::Update);
}

fn a_legacy_call_has_no_hidden_parameter() {
    register_all();
    let mut data = vec![0_u64; 6 * 4];
    let mut maps = Maps::new(&[(address(&mut data), 6 * 4 * 8, FROM | PARAM), (value(100), 8, LITERAL)]);
    let region = from_ref(&FILL).cast();
    // SAFETY: complete arrays; the memory lives through the construct.
    let code = unsafe { legacy::target(null(), DEVICE, region, maps.raw(), 6, 4) };
    assert_eq!(code, SUCCESS);
    assert!(data.iter().all(|value| *value == 106), "{data:?}");
}

/// Threads map the same array and their own, launch, and unmap, all at once.
fn many_threads() {
    let _serial = SERIAL.lock().unwrap();
    register_all();
    let mut shared = vec![3.0_f64; 512];
    let shared_address = address(&mut shared).expose_provenance();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            scope.spawn(move || {
                for round in 0..10 {
                    let mut own = vec![f64::from(thread * 100 + round); 64];
                    let mut seen = [0_u64];
                    let shared = (core::ptr::with_exposed_provenance(shared_address), 4096, TO);
                    Maps::new(&[shared]).data(DataConstruct::Begin);
                    Maps::new(&[
                        (address(&mut own), 512, TO | FROM | PARAM),
                        (value(64), 8, LITERAL),
                        (address(&mut seen), 8, FROM | PARAM),
                    ])
                    .scale(1, 64);
                    Maps::new(&[shared]).data(DataConstruct::End);
                    assert!(own.iter().all(|value| *value == f64::from(2 * (thread * 100 + round))));
                }
            });
        }
    });
    assert_eq!(omp::target_is_present(address(&mut shared), 0), 0, "every use has ended");
}

tests_gpu::trials! {
    a_kernel_with_maps_a_literal_and_the_hidden_parameter,
    target_data_update_and_a_global,
    a_legacy_call_has_no_hidden_parameter,
    many_threads,
}
