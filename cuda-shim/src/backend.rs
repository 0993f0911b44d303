//! The choice between the driver library and the SIMT device, made once in a process.

use crate::CUresult;
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW, Symbol};
use std::ffi::{CStr, OsStr, c_int, c_uint, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::OnceLock;

/// The environment variable that names the device.
const VARIABLE: &str = "OMPTARGET_DEVICE";
/// File name of the driver library, as the NVIDIA driver installs it.
const LIBRARY: &str = "libcuda.so.1";

/// Who answers the driver calls.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Backend {
    /// The NVIDIA driver, with at least one GPU.
    Cuda {
        /// The library that was opened.
        path: PathBuf,
    },
    /// The SIMT device in this process.
    Simt,
    /// `OMPTARGET_DEVICE=cuda`, but there is no such device: every call returns `code`.
    Unavailable {
        /// `CUDA_ERROR_SHARED_OBJECT_INIT_FAILED` without the library, `CUDA_ERROR_NO_DEVICE` without a GPU, or what
        /// else `cuInit` returned.
        code: CUresult,
        /// What is missing and what to do, in one line for the user.
        reason: String,
    },
}

/// The driver library, opened and with a device.
struct Driver {
    library: Library,
    path: PathBuf,
}

/// Why the driver cannot be used: code, and a clause on what is missing.
struct Missing {
    code: CUresult,
    what: String,
}

struct Choice {
    backend: Backend,
    library: Option<Library>,
}

/// The backend, chosen by the first call of anything in this crate.
///
/// `OMPTARGET_DEVICE` is `simt`, `cuda`, or anything else or nothing for automatic: the driver library if it can be
/// opened, `cuInit` succeeds and there is a device, else the SIMT device.
pub fn backend() -> &'static Backend {
    &choice().backend
}

/// Why there is no GPU to use, in words; `None` when there is one. Whatever `OMPTARGET_DEVICE` says.
pub fn why_no_gpu() -> Option<String> {
    Driver::open().err().map(|missing| missing.what)
}

/// Lets kernels of the SIMT device reach the memory of this program; false where it cannot, or where a GPU is used.
pub fn share_host_memory() -> bool {
    *backend() == Backend::Simt && simt::host_memory::share()
}

fn choice() -> &'static Choice {
    static CHOICE: OnceLock<Choice> = OnceLock::new();
    CHOICE.get_or_init(|| {
        let wanted = std::env::var_os(VARIABLE).unwrap_or_default();
        choose(wanted.as_bytes(), Driver::open)
    })
}

fn choose(wanted: &[u8], open: impl FnOnce() -> Result<Driver, Missing>) -> Choice {
    let simt = Choice { backend: Backend::Simt, library: None };
    if wanted == b"simt" {
        return simt;
    }
    match open() {
        Ok(Driver { library, path }) => Choice { backend: Backend::Cuda { path }, library: Some(library) },
        Err(Missing { code, what }) if wanted == b"cuda" => {
            let reason = format!(
                "{VARIABLE}=cuda: {what}; install the NVIDIA driver for the GPU or use {VARIABLE}=simt"
            );
            Choice { backend: Backend::Unavailable { code: crate::slot::known(code), reason }, library: None }
        }
        Err(_) => simt,
    }
}

/// The address behind the forwarder `name` (with its terminator).
///
/// # Errors
/// The code that the forwarder has to return.
pub(crate) fn resolve(name: &str, simt: *const c_void) -> Result<*const c_void, CUresult> {
    match (&choice().backend, &choice().library) {
        (Backend::Unavailable { code, .. }, _) => Err(*code),
        (_, None) => Ok(simt),
        (_, Some(library)) => symbol(library, name).ok_or(CUresult::SHARED_OBJECT_SYMBOL_NOT_FOUND),
    }
}

/// Address of a function in the library.
fn symbol(library: &Library, name: &str) -> Option<*const c_void> {
    // SAFETY: only the address is taken; who calls it knows the signature.
    let found: Symbol<*const c_void> = unsafe { library.get(name.as_bytes()) }.ok()?;
    let address = found.as_raw_ptr().cast_const();
    (!address.is_null()).then_some(address)
}

impl Driver {
    fn open() -> Result<Self, Missing> {
        // SAFETY: the driver library's initialisers are those of the installed NVIDIA driver, which is trusted.
        let library =
            unsafe { Library::open(Some(LIBRARY), RTLD_NOW | RTLD_LOCAL) }.map_err(|error| Missing {
                code: CUresult::SHARED_OBJECT_INIT_FAILED,
                what: format!("{LIBRARY} cannot be opened: {}", describe(&error)),
            })?;
        let function = |name: &str| {
            symbol(&library, name).ok_or_else(|| Missing {
                code: CUresult::SHARED_OBJECT_SYMBOL_NOT_FOUND,
                what: format!("{LIBRARY} has no function {}", name.trim_end_matches('\0')),
            })
        };
        let (init, count) = (function("cuInit\0")?, function("cuDeviceGetCount\0")?);
        let path = path_of(init);
        let failed = |what: &str, code: CUresult| Missing {
            code,
            what: format!("{what} of {} gives {}", path.display(), in_words(code)),
        };
        // SAFETY: the C signature of cuInit.
        let init =
            unsafe { std::mem::transmute::<*const c_void, unsafe extern "C" fn(c_uint) -> CUresult>(init) };
        // SAFETY: cuInit may be called at any time, from any thread.
        match unsafe { init(0) } {
            CUresult::SUCCESS => {}
            code => return Err(failed("cuInit", code)),
        }
        let mut devices = 0;
        // SAFETY: the C signature of cuDeviceGetCount.
        let count = unsafe {
            std::mem::transmute::<*const c_void, unsafe extern "C" fn(*mut c_int) -> CUresult>(count)
        };
        // SAFETY: `devices` is a live variable.
        match unsafe { count(&mut devices) } {
            CUresult::SUCCESS if devices > 0 => Ok(Self { library, path }),
            CUresult::SUCCESS => {
                let what = format!("{} finds no GPU", path.display());
                Err(Missing { code: CUresult::NO_DEVICE, what })
            }
            code => Err(failed("cuDeviceGetCount", code)),
        }
    }
}

/// The loader's own words on a failure.
fn describe(error: &libloading::Error) -> String {
    match std::error::Error::source(error) {
        Some(source) => source.to_string(),
        None => error.to_string(),
    }
}

/// Name, number and meaning of a code.
fn in_words(code: CUresult) -> String {
    match code.text() {
        Some(text) => format!("{code:?}, {}", text.to_string_lossy()),
        None => format!("{code:?}"),
    }
}

/// The file that a function is in; its plain name if the loader does not tell.
fn path_of(function: *const c_void) -> PathBuf {
    let mut info = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    // SAFETY: any address may be asked for; `info` is a live variable.
    let found = unsafe { libc::dladdr(function, &mut info) };
    if found == 0 || info.dli_fname.is_null() {
        return LIBRARY.into();
    }
    // SAFETY: the name is the loader's and stays while the library is loaded.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    PathBuf::from(OsStr::from_bytes(name.to_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without_driver(wanted: &[u8]) -> Backend {
        let missing = || Err(Missing { code: CUresult::NO_DEVICE, what: "no GPU".to_owned() });
        choose(wanted, missing).backend
    }

    fn with_driver(wanted: &[u8]) -> Backend {
        // The program itself stands for the driver library.
        let open = || Ok(Driver { library: Library::this(), path: "here".into() });
        choose(wanted, open).backend
    }

    #[test]
    fn automatic_takes_the_driver_if_there_is_one() {
        for wanted in [&b""[..], b"auto", b"x86", b"none", b"nonsense"] {
            assert_eq!(with_driver(wanted), Backend::Cuda { path: "here".into() });
            assert_eq!(without_driver(wanted), Backend::Simt);
        }
    }

    #[test]
    fn what_is_asked_for_is_taken_or_missed() {
        assert_eq!(with_driver(b"simt"), Backend::Simt);
        assert_eq!(with_driver(b"cuda"), Backend::Cuda { path: "here".into() });
        let reason = "OMPTARGET_DEVICE=cuda: no GPU; install the NVIDIA driver for the GPU or use OMPTARGET_DEVICE=simt";
        assert_eq!(
            without_driver(b"cuda"),
            Backend::Unavailable { code: CUresult::NO_DEVICE, reason: reason.to_owned() }
        );
    }

    #[test]
    fn codes_are_named_in_messages() {
        assert_eq!(in_words(CUresult(100)), "CUDA_ERROR_NO_DEVICE (100), no CUDA-capable device is detected");
        assert_eq!(in_words(CUresult(4711)), "CUresult(4711)");
    }

    #[test]
    fn a_function_tells_its_file() {
        let path = path_of(libc::getpid as *const c_void);
        assert!(path.to_string_lossy().contains("libc.so"), "{}", path.display());
    }
}
