//! What has a handle: contexts, modules, kernels, streams, events, pools, linkers; and what an allocation is.
//!
//! A handle is a number with an index and a generation in it, and every use looks it up: a wrong, old or foreign
//! handle gives an error code, never an access.

use super::error::CUresult;
use super::types::{CUdevice, CUhandle, c_int, c_uint};
use crate::device::{Function, Module};
use slotmap::{DefaultKey, Key, KeyData};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, RwLock};
use std::time::Instant;

/// Key of an object in the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub(super) struct Handle(pub(super) DefaultKey);

impl Handle {
    /// As the client sees it: generation and index, never 0 and never a small number.
    pub(super) fn to_c(self) -> CUhandle {
        std::ptr::without_provenance_mut(self.0.data().as_ffi() as usize)
    }

    /// What the client sent; it may name nothing.
    pub(super) fn from_c(handle: CUhandle) -> Self {
        Self(KeyData::from_ffi(handle.addr() as u64).into())
    }
}

/// A context.
pub(super) struct Context {
    /// Its device.
    pub(super) device: CUdevice,
    /// Flags of creation, `CU_CTX_*`.
    pub(super) flags: c_uint,
    /// Contexts whose memory it may use.
    pub(super) peers: HashSet<Handle>,
    /// Whether it is the primary context of the device.
    pub(super) primary: bool,
    /// Whether it can be used: the primary context is there for ever, but in use only while it is retained.
    pub(super) active: bool,
    /// Code of the kernel that failed; every later call gets it too.
    pub(super) error: Option<CUresult>,
    /// Limits by `CUlimit`.
    pub(super) limits: [usize; super::context::LIMITS],
    /// `CUfunc_cache` and `CUsharedconfig`, kept to be asked for.
    pub(super) cache: c_int,
    /// See `cache`.
    pub(super) shared_bank: c_int,
    /// See the head of this file.
    pub(super) order: Arc<RwLock<()>>,
}

/// A loaded module.
pub(super) struct ModuleObject {
    pub(super) context: Handle,
    pub(super) module: Arc<Module>,
    /// Handles of the kernels that were asked for.
    pub(super) functions: HashMap<String, Handle>,
}

/// A kernel.
pub(super) struct FunctionObject {
    pub(super) context: Handle,
    pub(super) module: Handle,
    pub(super) function: Function,
    /// Its name, for clients that ask.
    pub(super) name: std::ffi::CString,
    /// `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`.
    pub(super) max_dynamic_shared: u32,
    /// `CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT`, a hint.
    pub(super) carveout: c_int,
}

/// A stream.
pub(super) struct Stream {
    pub(super) context: Handle,
    pub(super) flags: c_uint,
    /// Held while an operation of the stream runs.
    pub(super) lock: Arc<Mutex<()>>,
}

/// An event.
pub(super) struct Event {
    pub(super) context: Handle,
    pub(super) flags: c_uint,
    /// When it was recorded last.
    pub(super) recorded: Option<Instant>,
}

/// The memory pool of the device: its settings, which are kept and given back; freed memory goes back at once.
pub(super) struct Pool {
    /// `CU_MEMPOOL_ATTR_REUSE_*` (1 to 3) and `_RELEASE_THRESHOLD` (4), at their numbers.
    pub(super) settings: [u64; 5],
}

/// A linker.
pub(super) struct LinkObject {
    pub(super) context: Handle,
    pub(super) options: super::jit::Options,
    /// What has been added.
    pub(super) inputs: Vec<ptx_link::Module>,
    /// The image, once it is complete.
    pub(super) result: Option<Box<[u8]>>,
}

/// Everything that has a handle.
pub(super) enum Object {
    Link(LinkObject),
    Context(Context),
    Module(ModuleObject),
    Function(FunctionObject),
    Stream(Stream),
    Event(Event),
    Pool(Pool),
}

/// A kind of object, with the code for a handle that names no object of the kind.
pub(super) trait Kind: Sized {
    const INVALID: CUresult = CUresult::INVALID_HANDLE;
    fn of(object: &Object) -> Option<&Self>;
    fn of_mut(object: &mut Object) -> Option<&mut Self>;
}

macro_rules! kinds {
    ($($variant:ident($kind:ty) $(else $invalid:ident)?;)*) => {$(
        impl Kind for $kind {
            $(const INVALID: CUresult = CUresult::$invalid;)?
            fn of(object: &Object) -> Option<&Self> {
                match object {
                    Object::$variant(inner) => Some(inner),
                    _ => None,
                }
            }
            fn of_mut(object: &mut Object) -> Option<&mut Self> {
                match object {
                    Object::$variant(inner) => Some(inner),
                    _ => None,
                }
            }
        }
    )*};
}

kinds! {
    Context(Context) else INVALID_CONTEXT;
    Module(ModuleObject);
    Function(FunctionObject);
    Stream(Stream);
    Event(Event);
    Pool(Pool) else INVALID_VALUE;
    Link(LinkObject);
}

/// What an allocation is to the client.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MemoryKind {
    /// `cuMemAlloc` and its asynchronous forms.
    Device,
    /// `cuMemAllocManaged`.
    Managed,
    /// `cuMemAllocHost`, `cuMemHostAlloc`.
    Host,
    /// `cuMemHostRegister`: no memory of the device at all.
    Registered,
}

/// An allocation in device memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allocation {
    pub(super) context: Handle,
    pub(super) bytes: u64,
    pub(super) kind: MemoryKind,
    /// `CU_POINTER_ATTRIBUTE_BUFFER_ID`: different for all allocations of the process.
    pub(super) id: u64,
}
