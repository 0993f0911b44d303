//! What is told about an error beyond its own words: what was mapped, how much memory there is, and what to do.

use crate::device::{Backend, DeviceError};
use crate::error::Error;
use crate::image::ImageKind;
use crate::info;
use crate::lock;
use crate::offload::OffloadDevice;
use crate::table::Entry;
use crate::tool::trace;

/// Most rows of a table of mappings.
const ROWS: usize = 20;

/// Tells what helps to understand `error`, after its own line.
pub fn explain(devices: &[OffloadDevice], error: &Error) {
    let cause = match error {
        Error::Kernel { cause, .. } | Error::Device(cause) => cause,
        _ => return,
    };
    if cause.is_out_of_memory() {
        devices.iter().for_each(|device| report_mappings(device, "mapped by other constructs"));
    } else if let Error::Kernel { .. } = error {
        devices.iter().for_each(|device| report_mappings(device, "mapped when the kernel failed"));
    }
    trace::report_launches();
}

/// The mappings of a device, biggest first. Nothing when there are none.
fn report_mappings(device: &OffloadDevice, title: &str) {
    let table = lock(&device.table);
    let mut entries: Vec<&Entry> = table.entries().collect();
    let size = |entry: &Entry| entry.end - entry.begin;
    entries.sort_by_key(|entry| core::cmp::Reverse(size(entry)));
    let sum: usize = entries.iter().map(|entry| size(entry)).sum();
    info::error(format_args!(
        "device {}: {title}: {} variables, {} bytes in all",
        device.id,
        entries.len(),
        sum
    ));
    for entry in entries.iter().take(ROWS) {
        info::error(format_args!(
            "  {:>12} bytes  {:#018x}  {}",
            size(entry),
            entry.device_begin.0,
            entry.map_name().declaration()
        ));
    }
    if let Some(more @ 1..) = entries.len().checked_sub(ROWS) {
        info::error(format_args!("  and {more} smaller ones"));
    }
}

/// A size for people.
pub fn bytes(count: u64) -> String {
    let units = [("GiB", 30), ("MiB", 20), ("KiB", 10)];
    match units.iter().find(|(_, shift)| count >> shift > 0) {
        Some((unit, shift)) => format!("{:.1} {unit}", count as f64 / (1_u64 << shift) as f64),
        None => format!("{count} bytes"),
    }
}

/// What to do about an image that the driver refused: nothing is known unless the driver is too old.
pub fn of_image(image: &[u8], kind: &ImageKind, backend: Backend, cause: &DeviceError) -> String {
    let Backend::Cuda { .. } = backend else { return String::new() };
    let too_new =
        ["CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "CUDA_ERROR_NO_BINARY_FOR_GPU", "CUDA_ERROR_INVALID_IMAGE"];
    if !too_new.iter().any(|name| cause.text.contains(name)) {
        return String::new();
    }
    match (kind, ptx_version(image)) {
        (ImageKind::Ptx { .. }, Some((major, minor))) => {
            let needed = cuda_of_ptx(major, minor).map_or_else(
                || format!("a driver that knows PTX {major}.{minor}"),
                |(major, minor)| format!("CUDA {major}.{minor} or later"),
            );
            format!(
                "; the image is PTX {major}.{minor}, which needs a driver of {needed}, and this is the {backend}: update \
                 the driver, or compile with an older CUDA folder as --cuda-path"
            )
        }
        (ImageKind::Cubin { arch }, _) => format!(
            "; the image is a cubin for {arch}, and this is the {backend}: a cubin runs on drivers of the CUDA version \
             that made it, or later"
        ),
        _ => String::new(),
    }
}

/// `.version` of PTX text.
pub fn ptx_version(image: &[u8]) -> Option<(u32, u32)> {
    let line = image.split(|byte| *byte == b'\n').take(200).find(|line| line.starts_with(b".version"))?;
    let version = core::str::from_utf8(line).ok()?.strip_prefix(".version")?.trim();
    let (major, minor) = version.split_once('.')?;
    Some((major.parse().ok()?, minor.split_whitespace().next()?.parse().ok()?))
}

/// The CUDA version whose driver first knew a PTX version (PTX ISA 9.0, release notes). From 8.0 to 8.5 the numbers
/// run beside each other.
fn cuda_of_ptx(major: u32, minor: u32) -> Option<(u32, u32)> {
    match (major, minor) {
        (6, 0..=5) => Some([(9, 0), (9, 1), (9, 2), (10, 0), (10, 1), (10, 2)][minor as usize]),
        (7, 0..=8) => Some((11, minor)),
        (8, 0..=5) => Some((12, minor)),
        (8, 6..=8) => Some((12, minor + 1)),
        (9, _) => Some((13, minor)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::Capability;

    #[test]
    fn sizes() {
        assert_eq!(bytes(1023), "1023 bytes");
        assert_eq!(bytes(1536), "1.5 KiB");
        assert_eq!(bytes(8 << 30), "8.0 GiB");
    }

    #[test]
    fn versions_of_ptx() {
        assert_eq!(ptx_version(b"//\n.version 8.7\n.target sm_100\n"), Some((8, 7)));
        assert_eq!(ptx_version(b".target sm_100\n"), None);
        for (ptx, cuda) in
            [((7, 8), (11, 8)), ((8, 4), (12, 4)), ((8, 7), (12, 8)), ((9, 0), (13, 0)), ((6, 3), (10, 0))]
        {
            assert_eq!(cuda_of_ptx(ptx.0, ptx.1), Some(cuda));
        }
    }

    #[test]
    fn an_old_driver_is_told_what_the_image_needs() {
        let cause = |text: &str| DeviceError { call: "cuModuleLoadDataEx".into(), text: text.into() };
        let old = Backend::Cuda { driver_version: 12040 };
        let arch = Capability::from_sm(90);
        let ptx = ImageKind::Ptx { arch, exact: false };
        let text = of_image(b".version 8.7\n", &ptx, old, &cause("x (CUDA_ERROR_UNSUPPORTED_PTX_VERSION)"));
        for part in ["PTX 8.7", "CUDA 12.8 or later", "CUDA driver 12.4"] {
            assert!(text.contains(part), "{text}");
        }
        let cubin = ImageKind::Cubin { arch };
        assert!(
            of_image(b"", &cubin, old, &cause("x (CUDA_ERROR_NO_BINARY_FOR_GPU)"))
                .contains("cubin for sm_90")
        );
        assert_eq!(of_image(b".version 8.7\n", &ptx, old, &cause("x (CUDA_ERROR_OUT_OF_MEMORY)")), "");
    }
}
