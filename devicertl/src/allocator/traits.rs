//! Allocators: the predefined ones and those that programs make of traits (OpenMP 5.2, 6.2).

use super::spaces;
use crate::{arch, state};

/// `omp_allocator_handle_t`: the number of a predefined allocator, or the address of an [`Allocator`].
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Handle(u64);

/// First value that is an address.
const FIRST_ADDRESS: u64 = 4096;

impl Handle {
    /// `omp_null_allocator`
    pub const NULL: Self = Self(0);
    /// `omp_default_mem_alloc`
    pub const DEFAULT: Self = Self(1);
    /// `omp_low_lat_mem_alloc`
    const LOW_LATENCY: Self = Self(5);
    /// `omp_cgroup_mem_alloc`
    const CGROUP: Self = Self(6);
    /// `omp_pteam_mem_alloc`
    const PTEAM: Self = Self(7);
    /// `omp_thread_mem_alloc`
    const THREAD: Self = Self(8);
    /// `llvm_omp_target_device_mem_alloc`
    const DEVICE: Self = Self(102);

    /// The handle of this value.
    #[inline(always)]
    pub const fn of(bits: u64) -> Self {
        Self(bits)
    }

    /// Its value.
    #[inline(always)]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// A predefined allocator whose memory is that of the heap. All teams may access the memory of
    /// `omp_low_lat_mem_alloc`, so it cannot be shared memory.
    #[inline(always)]
    pub const fn is_plain_heap(self) -> bool {
        self.0 >= Self::DEFAULT.0 && self.0 <= Self::LOW_LATENCY.0
            || self.0 == Self::THREAD.0
            || self.0 == Self::DEVICE.0
    }

    /// This allocator, or the default one for the null allocator.
    pub fn or_default(self) -> Self {
        if self == Self::NULL { Self(state::def_allocator()) } else { self }
    }

    /// The allocator that a program made, or null for a predefined one.
    #[inline(always)]
    fn made(self) -> *mut Allocator {
        if self.0 < FIRST_ADDRESS { core::ptr::null_mut() } else { self.0 as *mut Allocator }
    }

    /// What the allocator does; `None` for one that no memory of a device can satisfy.
    pub fn rules(self) -> Option<Rules> {
        let made = self.made();
        if !made.is_null() {
            // SAFETY: `omp_init_allocator` made it.
            return Some(unsafe { (*made).rules(made) });
        }
        let shared = self == Self::CGROUP || self == Self::PTEAM;
        if !shared && !self.is_plain_heap() {
            return None;
        }
        // For the predefined allocators the heap is at hand either way, as their fallback.
        let fallback = Fallback::Null;
        Some(Rules { shared, heap: true, alignment: 1, fallback, allocator: core::ptr::null_mut() })
    }

    /// Takes freed bytes off what the allocator has given out.
    pub fn give_back(self, bytes: u64) {
        let made = self.made();
        if !made.is_null() {
            Reserved { allocator: made, bytes }.give_back();
        }
    }
}

/// What to do if there is no memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fallback {
    /// `default_mem_fb`
    DefaultMemory,
    /// `null_fb`
    Null,
    /// `abort_fb`
    Abort,
    /// `allocator_fb`
    Allocator(Handle),
}

/// How an allocator allocates.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// In shared memory first.
    pub shared: bool,
    /// On the heap.
    pub heap: bool,
    /// Least alignment.
    pub alignment: u64,
    /// What to do if there is none.
    pub fallback: Fallback,
    /// Whose `pool_size` counts, or null.
    allocator: *mut Allocator,
}

impl Rules {
    /// Counts bytes against `pool_size`; `None` if they are too many.
    pub fn reserve(&self, bytes: u64) -> Option<Reserved> {
        let reserved = Reserved { allocator: self.allocator, bytes };
        if self.allocator.is_null() {
            return Some(reserved);
        }
        // SAFETY: a live allocator, which any thread of the device may use.
        unsafe {
            let (limit, used) = ((*self.allocator).pool_size, &raw mut (*self.allocator).used);
            let mut now = arch::device_cas_u64(used, 0, 0);
            loop {
                let next = now.checked_add(bytes)?;
                if next > limit {
                    return None;
                }
                let before = arch::device_cas_u64(used, now, next);
                if before == now {
                    return Some(reserved);
                }
                now = before;
            }
        }
    }
}

/// Bytes that are counted against `pool_size`.
pub struct Reserved {
    allocator: *mut Allocator,
    bytes: u64,
}

impl Reserved {
    /// They are free again.
    pub fn give_back(self) {
        if self.allocator.is_null() {
            return;
        }
        // SAFETY: a live allocator, which any thread of the device may use.
        unsafe {
            let used = &raw mut (*self.allocator).used;
            let mut now = arch::device_cas_u64(used, 0, 0);
            loop {
                let before = arch::device_cas_u64(used, now, now.wrapping_sub(self.bytes));
                if before == now {
                    return;
                }
                now = before;
            }
        }
    }
}

/// An allocator that a program made.
#[repr(C)]
pub struct Allocator {
    alignment: u64,
    pool_size: u64,
    /// Bytes given out.
    used: u64,
    fallback: u64,
    fallback_data: u64,
    shared: bool,
    /// The heap is its memory space, not only what it may fall back on.
    heap: bool,
}

impl Allocator {
    fn rules(&self, this: *mut Self) -> Rules {
        let fallback = match self.fallback {
            value::NULL_FB => Fallback::Null,
            value::ABORT_FB => Fallback::Abort,
            value::ALLOCATOR_FB => Fallback::Allocator(Handle(self.fallback_data)),
            _ => Fallback::DefaultMemory,
        };
        Rules { shared: self.shared, heap: self.heap, alignment: self.alignment, fallback, allocator: this }
    }
}

/// `omp_alloctrait_t`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Trait {
    /// `omp_alloctrait_key_t`
    pub key: u32,
    /// A number or one of `omp_alloctrait_value_t`.
    pub value: u64,
}

/// `omp_alloctrait_key_t`
mod key {
    pub const SYNC_HINT: u32 = 1;
    pub const ALIGNMENT: u32 = 2;
    pub const ACCESS: u32 = 3;
    pub const POOL_SIZE: u32 = 4;
    pub const FALLBACK: u32 = 5;
    pub const FB_DATA: u32 = 6;
    pub const PINNED: u32 = 7;
    pub const PARTITION: u32 = 8;
    pub const PIN_DEVICE: u32 = 9;
    pub const PREFERRED_DEVICE: u32 = 10;
    pub const DEVICE_ACCESS: u32 = 11;
    pub const TARGET_ACCESS: u32 = 12;
    pub const ATOMIC_SCOPE: u32 = 13;
    pub const PART_SIZE: u32 = 14;
}

/// `omp_alloctrait_value_t`
mod value {
    pub const PTEAM: u64 = 9;
    pub const CGROUP: u64 = 10;
    pub const DEFAULT_MEM_FB: u64 = 11;
    pub const NULL_FB: u64 = 12;
    pub const ABORT_FB: u64 = 13;
    pub const ALLOCATOR_FB: u64 = 14;
    pub const ALL: u64 = 19;
    pub const MULTIPLE: u64 = 21;
    /// The trait has its default value.
    pub const DEFAULT: u64 = u64::MAX;
}

/// Reads the traits; `None` if this device cannot have such an allocator.
fn with_traits(space: u64, traits: impl Iterator<Item = Trait>) -> Option<Allocator> {
    let mut made = Allocator {
        alignment: 1,
        pool_size: u64::MAX,
        used: 0,
        fallback: value::DEFAULT_MEM_FB,
        fallback_data: 0,
        shared: false,
        heap: true,
    };
    for Trait { key, value } in traits {
        if value == value::DEFAULT {
            continue;
        }
        match key {
            key::ALIGNMENT if value.is_power_of_two() => made.alignment = value,
            key::ACCESS => made.shared = value == value::CGROUP || value == value::PTEAM,
            key::POOL_SIZE => made.pool_size = value,
            key::FALLBACK if (value::DEFAULT_MEM_FB..=value::ALLOCATOR_FB).contains(&value) => {
                made.fallback = value
            }
            key::FB_DATA => made.fallback_data = value,
            // Memory of a device that others, or the host, could access too.
            key::DEVICE_ACCESS | key::TARGET_ACCESS if value == value::ALL || value == value::MULTIPLE => {
                return None;
            }
            // The memory of a device is pinned, on this device, of one part, and of no influence on what atomics
            // cover; how much threads contend for it changes nothing.
            key::SYNC_HINT
            | key::PINNED
            | key::PARTITION
            | key::PIN_DEVICE
            | key::PREFERRED_DEVICE
            | key::DEVICE_ACCESS
            | key::TARGET_ACCESS
            | key::ATOMIC_SCOPE
            | key::PART_SIZE => {}
            _ => return None,
        }
    }
    if made.fallback == value::ALLOCATOR_FB && made.fallback_data == 0 {
        return None;
    }
    // Memory of low latency for one team is shared memory, and the heap is not.
    made.heap = !(made.shared && space == spaces::LOW_LATENCY);
    Some(made)
}

/// An allocator for memory of `space` with `count` traits; the null allocator if that cannot be.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_init_allocator(space: u64, count: i32, traits: *const Trait) -> Handle {
    if !spaces::is_here(space) {
        return Handle::NULL;
    }
    // SAFETY: the user's array.
    let traits = (0..count.max(0) as usize).map(|i| unsafe { traits.add(i).read() });
    let Some(allocator) = with_traits(space, traits) else { return Handle::NULL };
    let place = arch::malloc(size_of::<Allocator>() as u64).cast::<Allocator>();
    if !place.is_null() {
        // SAFETY: fresh memory of the right size.
        unsafe { place.write(allocator) }
    }
    Handle(place as u64)
}

/// Frees the allocator; predefined ones stay.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_destroy_allocator(allocator: Handle) {
    let made = allocator.made();
    if !made.is_null() {
        // SAFETY: the user's allocator, which nobody uses any more.
        unsafe { arch::free(made.cast()) }
    }
}
