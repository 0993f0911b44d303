//! Constructors and destructors of globals on the device.
//!
//! LLVM's pass `nvptx-lower-ctor-dtor` gives the image two kernels that walk over an array of functions, and for each
//! function a constant with its address, whose name ends in its priority. The array itself is the host's to make.

use crate::device::{AllocKind, ImageHandle};
use crate::error::Result;
use crate::launch::Shape;
use crate::location::Location;
use crate::offload::OffloadDevice;
use crate::region::Region;
use std::ffi::{CStr, CString};

/// The two lists of an image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Constructors, after the image is loaded.
    Init,
    /// Destructors, before it is unloaded.
    Fini,
}

impl Phase {
    const fn kernel(self) -> &'static CStr {
        match self {
            Self::Init => c"nvptx$device$init",
            Self::Fini => c"nvptx$device$fini",
        }
    }

    const fn object_prefix(self) -> &'static str {
        match self {
            Self::Init => "__init_array_object_",
            Self::Fini => "__fini_array_object_",
        }
    }

    const fn bounds(self) -> [&'static CStr; 2] {
        match self {
            Self::Init => [c"__init_array_start", c"__init_array_end"],
            Self::Fini => [c"__fini_array_start", c"__fini_array_end"],
        }
    }
}

/// Names of a phase's constants in the order in which their functions run: constructors by rising priority,
/// destructors by falling.
///
/// They are found by their text, which stands in PTX as well as in the string table of a cubin.
pub fn objects(image: &[u8], phase: Phase) -> Vec<CString> {
    let prefix = phase.object_prefix().as_bytes();
    let mut names: Vec<(u32, &[u8])> = image
        .windows(prefix.len())
        .enumerate()
        .filter(|(_, window)| *window == prefix)
        .filter_map(|(start, _)| {
            let rest = &image[start..];
            let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
            let name = &rest[..rest.iter().position(|byte| !is_part(byte)).unwrap_or(rest.len())];
            let priority = core::str::from_utf8(name).ok()?.rsplit('_').next()?.parse().ok()?;
            Some((priority, name))
        })
        .collect();
    names.sort_unstable();
    names.dedup();
    if phase == Phase::Fini {
        names.reverse();
    }
    names.into_iter().filter_map(|(_, name)| CString::new(name).ok()).collect()
}

/// Runs the constructors or destructors of an image; most images have none.
pub fn run(offload: &OffloadDevice, handle: ImageHandle, image: &[u8], phase: Phase) -> Result<()> {
    let objects = objects(image, phase);
    if objects.is_empty() {
        return Ok(());
    }
    let device = offload.device.as_ref();
    let Some((function, _)) = device.function(handle, phase.kernel())? else { return Ok(()) };
    let mut region = Region::start(offload, Location::default())?;
    let mut functions = Vec::with_capacity(objects.len());
    for name in &objects {
        if let Some((constant, 8)) = device.global(handle, name)? {
            let mut address = [0; 8];
            region.read(constant, &mut address)?;
            functions.extend_from_slice(&address);
        }
    }
    let array = device.alloc(functions.len(), AllocKind::Device)?;
    let end = array.offset(functions.len());
    region.submit_owned(array, functions.into())?;
    for (name, value) in phase.bounds().into_iter().zip([array, end]) {
        if let Some((bound, _)) = device.global(handle, name)? {
            region.submit_owned(bound, Box::new(value.0.to_le_bytes()))?;
        }
    }
    region.queue().arguments.clear();
    let single = Shape { grid: [1; 3], block: [1; 3] };
    region.launch(function, single, 0)?;
    let outcome = region.finish();
    device.free(array, AllocKind::Device)?;
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DevicePtr;
    use crate::device::recorder::{Recorder, Symbol};
    use crate::testing::Fixture;

    const IMAGE: &[u8] = b".visible .const .align 8 .u64 __init_array_object_late_1f_65535 = late;\n\
        .visible .const .align 8 .u64 __init_array_object_early_1f_101 = early;\n\
        .visible .const .align 8 .u64 __fini_array_object_last_1f_101;\n\
        .visible .const .align 8 .u64 __fini_array_object_first_1f_65535;\n\
        // __init_array_object_early_1f_101 again, and __init_array_object_x without priority\n";

    fn names(phase: Phase) -> Vec<String> {
        objects(IMAGE, phase).into_iter().map(|name| name.into_string().unwrap()).collect()
    }

    #[test]
    fn order() {
        assert_eq!(
            names(Phase::Init),
            ["__init_array_object_early_1f_101", "__init_array_object_late_1f_65535"]
        );
        assert_eq!(
            names(Phase::Fini),
            ["__fini_array_object_first_1f_65535", "__fini_array_object_last_1f_101"]
        );
        assert!(objects(b"__init_array", Phase::Init).is_empty());
    }

    #[test]
    fn the_kernel_finds_the_array_between_the_bounds() {
        let global = |value: u64| Symbol::Global(value.to_le_bytes().to_vec());
        let recorder = Recorder::new()
            .with_symbol("nvptx$device$init", Symbol::Kernel(1024))
            .with_symbol("__init_array_start", global(0))
            .with_symbol("__init_array_end", global(0))
            .with_symbol("__init_array_object_late_1f_65535", global(0xb))
            .with_symbol("__init_array_object_early_1f_101", global(0xa));
        let fixture = Fixture::with(recorder, &crate::env::Settings::default());
        fixture.recorder.on_launch(|device, arguments| {
            assert!(arguments.is_empty());
            let start = DevicePtr(device.read_u64(device.global_address("__init_array_start")));
            let end = DevicePtr(device.read_u64(device.global_address("__init_array_end")));
            assert_eq!(end, start.offset(16));
            assert_eq!((device.read_u64(start), device.read_u64(start.offset(8))), (0xa, 0xb));
        });
        run(&fixture.offload, ImageHandle(1), IMAGE, Phase::Init).unwrap();
        assert_eq!(fixture.recorder.count("launch"), 1);
        assert_eq!(fixture.recorder.live_blocks(), 0);
    }

    #[test]
    fn images_without_constructors_cost_nothing() {
        let fixture = Fixture::new();
        run(&fixture.offload, ImageHandle(1), b".version 7.8", Phase::Init).unwrap();
        assert!(fixture.recorder.take_calls().is_empty());
    }
}
