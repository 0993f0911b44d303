//! What the tests of several modules share: a recorder with the runtime's state around it, and arrays of maps.

use crate::api::tgt::{DataConstruct, run_data};
use crate::arrays::{MapperFunction, OwnedArrays, RawArrays};
use crate::device::recorder::Recorder;
use crate::env::Settings;
use crate::error::Result;
use crate::info::InfoFlags;
use crate::location::Location;
use crate::lock;
use crate::offload::OffloadDevice;
use abi::map::MapType;
use core::ffi::c_void;

/// (base, begin, size, kind) of one map.
pub type Map = (usize, usize, usize, u64);

/// A device for tests.
pub struct Fixture {
    pub recorder: Recorder,
    pub offload: OffloadDevice,
}

impl Fixture {
    pub fn new() -> Self {
        Self::with(Recorder::new(), &Settings::default())
    }

    /// A device with this number, of two.
    pub fn with_id(id: i32) -> Self {
        let recorder = Recorder::new();
        let offload = OffloadDevice::new(id, 2, Box::new(recorder.clone()), &Settings::default());
        Self { recorder, offload }
    }

    pub fn with_info(bits: u32) -> Self {
        Self::with(Recorder::new(), &Settings { info: InfoFlags(bits), ..Settings::default() })
    }

    pub fn with(recorder: Recorder, settings: &Settings) -> Self {
        Self { offload: OffloadDevice::new(0, 1, Box::new(recorder.clone()), settings), recorder }
    }

    /// Runs a construct and gives the bases afterwards.
    pub fn run(&self, construct: DataConstruct, maps: &[Map]) -> Result<Vec<usize>> {
        let mut arrays = owned(maps);
        // SAFETY: the tests map memory that lives through the construct.
        run_data(construct, &self.offload, location(), &mut unsafe { arrays.view() })?;
        Ok(arrays.bases().to_vec())
    }

    pub fn begin(&self, maps: &[Map]) -> Result<Vec<usize>> {
        self.run(DataConstruct::Begin, maps)
    }

    pub fn end(&self, maps: &[Map]) -> Result<Vec<usize>> {
        self.run(DataConstruct::End, maps)
    }

    pub fn update(&self, maps: &[Map]) -> Result<Vec<usize>> {
        self.run(DataConstruct::Update, maps)
    }

    /// Device address of a mapped host address.
    pub fn device(&self, host: usize) -> crate::device::DevicePtr {
        self.offload.mapped_address(host).expect("mapped")
    }

    pub fn device_u64(&self, host: usize) -> u64 {
        self.recorder.read_u64(self.device(host))
    }

    pub fn set_device_u64(&self, host: usize, value: u64) {
        self.recorder.write(self.device(host), &value.to_le_bytes());
    }

    /// Device memory that the runtime did not allocate.
    pub fn recorder_block(&self, bytes: usize) -> crate::device::DevicePtr {
        self.offload.device.alloc(bytes, crate::device::AllocKind::Device).expect("memory")
    }

    /// Runs a construct with one map that has a user-defined mapper.
    pub fn run_mapped(&self, construct: DataConstruct, map: Map, mapper: MapperFunction) -> Result<()> {
        let (mut base, mut begin) = (map.0 as *mut c_void, map.1 as *mut c_void);
        let (size, kind, mapper) = (map.2 as i64, map.3 as i64, mapper as *mut c_void);
        let raw = RawArrays {
            count: 1,
            bases: &mut base,
            begins: &mut begin,
            sizes: &size,
            kinds: &kind,
            names: core::ptr::null(),
            mappers: &mapper,
        };
        // SAFETY: complete arrays; the tests map memory that lives through the construct.
        run_data(construct, &self.offload, location(), &mut unsafe { raw.view() })
    }

    /// Dynamic count of the entry that begins at a host address, as messages show it; `-` when there is none.
    pub fn count(&self, begin: usize) -> String {
        let table = lock(&self.offload.table);
        table.get(begin).map_or("-".to_owned(), |entry| entry.dynamic_count().to_string())
    }
}

/// The place of all constructs of the tests.
pub fn location() -> Location<'static> {
    Location::from_text(c";dir/t.c;main;7;3;;")
}

/// Maps with the name `v`.
pub fn owned(maps: &[Map]) -> OwnedArrays {
    let mut arrays = OwnedArrays::default();
    for (base, begin, size, kind) in maps {
        arrays.push(*base, *begin, *size as i64, MapType(*kind), c";v;t.c;5;9;;".as_ptr().cast());
    }
    arrays
}

/// Address of a value.
pub fn addr<T>(value: &T) -> usize {
    core::ptr::from_ref(value).expose_provenance()
}

/// Address of a value that the device will change.
pub fn addr_mut<T>(value: &mut T) -> usize {
    core::ptr::from_mut(value).expose_provenance()
}

/// What this thread has done since it last asked.
pub mod count {
    use core::cell::Cell;
    use std::alloc::{GlobalAlloc, Layout, System};

    thread_local! {
        static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
        static LOCKS: Cell<usize> = const { Cell::new(0) };
    }

    /// The system's allocator, which counts.
    struct Counting;

    #[global_allocator]
    static ALLOCATOR: Counting = Counting;

    // SAFETY: every call is the system allocator's; counting allocates nothing.
    unsafe impl GlobalAlloc for Counting {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
            // SAFETY: the contract of this function.
            unsafe { System.alloc(layout) }
        }

        unsafe fn dealloc(&self, address: *mut u8, layout: Layout) {
            // SAFETY: the contract of this function.
            unsafe { System.dealloc(address, layout) }
        }
    }

    /// A lock was taken.
    pub fn lock() {
        LOCKS.set(LOCKS.get() + 1);
    }

    /// (allocations, locks) of some work.
    pub fn of(work: impl FnOnce()) -> (usize, usize) {
        let before = (ALLOCATIONS.get(), LOCKS.get());
        work();
        (ALLOCATIONS.get() - before.0, LOCKS.get() - before.1)
    }
}
