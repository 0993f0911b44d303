//! What can go wrong in a target construct.

use crate::device::DeviceError;
use crate::info;

/// Why a construct failed. The text is complete: it is printed as it is, once.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// An explicit map overlaps a mapping but is not inside of it (OpenMP 5.2, 5.8.3).
    #[error(
        "explicit extension not allowed: host address specified is {begin:#018x} ({size} bytes), but device \
         allocation maps to host at {mapped_begin:#018x} ({mapped_size} bytes)"
    )]
    ExplicitExtension {
        /// First host address of the map.
        begin: usize,
        /// Bytes of the map.
        size: usize,
        /// First host address of the mapping that exists.
        mapped_begin: usize,
        /// Bytes of the mapping that exists.
        mapped_size: usize,
        /// Whether the map has the `present` modifier, which is violated, too.
        present: bool,
    },
    /// A `present` modifier on data that is not on the device (OpenMP 5.2, 5.8.3 and 13.9).
    #[error(
        "device mapping required by 'present' {0} modifier does not exist for host address {begin:#018x} ({size} bytes)",
        .on.modifier()
    )]
    NotPresent {
        /// Where it stands.
        on: PresentOn,
        /// First host address.
        begin: usize,
        /// Bytes.
        size: usize,
    },
    /// A map that a kernel cannot do without was refused: one of the two errors above.
    #[error("{0}")]
    BeforeKernel(Box<Error>),
    /// A map of a null pointer with a size.
    #[error(
        "cannot map a null pointer: argument {index}, '{name}', has size {size} bytes but a null address, at {location}"
    )]
    NullPointer {
        /// Position in the construct's list of maps.
        index: usize,
        /// The mapped expression.
        name: String,
        /// Bytes.
        size: usize,
        /// The construct.
        location: String,
    },
    /// A map with a size below zero.
    #[error("cannot map a negative size: argument {index}, '{name}', has size {size} bytes, at {location}")]
    NegativeSize {
        /// Position in the construct's list of maps.
        index: usize,
        /// The mapped expression.
        name: String,
        /// Bytes.
        size: i64,
        /// The construct.
        location: String,
    },
    /// The pointer of a pointer-and-pointee map has no counterpart to write the device address into.
    #[error("the pointer at host address {slot:#018x}, '{name}', cannot be mapped, at {location}")]
    PointerNotMapped {
        /// Host address of the pointer.
        slot: usize,
        /// The mapped expression.
        name: String,
        /// The construct.
        location: String,
    },
    /// A section with strides whose descriptors contradict its size.
    #[error(
        "cannot update a section with strides: argument {index}, '{name}', of {size} dimensions or bytes, has descriptors \
         that say something else, at {location}"
    )]
    Section {
        /// Position in the construct's list of maps.
        index: usize,
        /// The mapped expression.
        name: String,
        /// What the compiler passed.
        size: usize,
        /// The construct.
        location: String,
    },
    /// No registered program holds this region.
    #[error("host address {0:#018x} names no target region of a registered program or library")]
    UnknownRegion(usize),
    /// The region's program or library has taken its registration back.
    #[error("the program ends: its target regions are no longer on the device")]
    Unloaded,
    /// The image has no such kernel.
    #[error("the device image has no kernel '{0}'")]
    NoKernel(String),
    /// A library without an image for this device.
    #[error("{0}")]
    NoImage(String),
    /// An image that the device's driver refused.
    #[error("failed to load images on device '{device}': {cause}{advice}")]
    Load {
        /// Number of the device.
        device: i32,
        /// What the driver said.
        cause: DeviceError,
        /// What to do about it, if that is known.
        advice: String,
    },
    /// A kernel that could not be launched or did not finish.
    #[error("kernel '{kernel}' at {location} failed: {cause}")]
    Kernel {
        /// Symbol of the kernel.
        kernel: String,
        /// The target construct.
        location: String,
        /// What the driver said.
        cause: DeviceError,
    },
    /// A launch packet of a compiler that is newer than this library.
    #[error("launch packet version {0} is not known; this library knows versions 1 to 3 (LLVM 15 to 22)")]
    PacketVersion(u32),
    /// Any other call of the device's driver.
    #[error("{0}")]
    Device(#[from] DeviceError),
}

/// Where a `present` modifier stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PresentOn {
    /// A map at the begin of a construct.
    Begin,
    /// A map at its end.
    End,
    /// `target update`.
    Update,
}

impl PresentOn {
    const fn modifier(self) -> &'static str {
        match self {
            Self::Begin | Self::End => "map type",
            Self::Update => "motion",
        }
    }
}

/// Result of the host runtime's own functions.
pub type Result<T> = core::result::Result<T, Error>;

impl Error {
    /// This error of a map, when it is a kernel's.
    pub fn before_kernel(self) -> Self {
        match self {
            Self::ExplicitExtension { .. } | Self::NotPresent { .. } => Self::BeforeKernel(Box::new(self)),
            other => other,
        }
    }

    /// Prints the error with the prefix that LLVM gives it, and LLVM's further lines for a map that it refuses.
    pub fn report(&self) {
        let refused =
            |why| info::error(format_args!("Call to getTargetPointer returned null pointer ({why})."));
        match *self {
            Self::BeforeKernel(ref map) => {
                map.report();
                info::error("Call to targetDataBegin failed, abort target.");
                info::error("Failed to process data before launching the kernel.");
            }
            Self::ExplicitExtension { begin, size, present, .. } => {
                info::message(self);
                match present {
                    true => Self::NotPresent { on: PresentOn::Begin, begin, size }.report(),
                    false => refused("device failure or illegal mapping"),
                }
            }
            Self::NotPresent { on, .. } => {
                info::message(self);
                if on == PresentOn::Begin {
                    refused("'present' map type modifier");
                }
            }
            _ => info::error(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_tools_match() {
        let extension = |present| Error::ExplicitExtension {
            begin: 0x1000,
            size: 8,
            mapped_begin: 0xff0,
            mapped_size: 24,
            present,
        };
        let told = |error: Error| {
            error.report();
            info::captured::take()
        };
        let extended = "omptarget message: explicit extension not allowed: host address specified is \
                        0x0000000000001000 (8 bytes), but device allocation maps to host at 0x0000000000000ff0 (24 bytes)";
        let refused =
            |why| format!("omptarget error: Call to getTargetPointer returned null pointer ({why}).");
        let not_present = |modifier, begin, size| {
            format!(
                "omptarget message: device mapping required by 'present' {modifier} modifier does not exist for host \
                 address {begin:#018x} ({size} bytes)"
            )
        };
        let illegal = refused("device failure or illegal mapping");
        assert_eq!(told(extension(false)), [extended, &illegal]);
        let absent = refused("'present' map type modifier");
        assert_eq!(told(extension(true)), [extended, &not_present("map type", 0x1000, 8), &absent]);
        let missing = |on| told(Error::NotPresent { on, begin: 0x10, size: 4 });
        assert_eq!(missing(PresentOn::Begin), [not_present("map type", 0x10, 4), absent]);
        assert_eq!(told(extension(false).before_kernel()).len(), 4, "two lines for the kernel");
        assert_eq!(missing(PresentOn::End), [not_present("map type", 0x10, 4)]);
        assert_eq!(missing(PresentOn::Update), [not_present("motion", 0x10, 4)]);
    }

    #[test]
    fn a_failed_kernel_names_kernel_place_and_cause() {
        let cause = DeviceError { call: "cuStreamSynchronize".into(), text: "an illegal address".into() };
        let error = Error::Kernel { kernel: "k_l9".into(), location: "a.c:9:1".into(), cause };
        error.report();
        assert_eq!(
            info::captured::take(),
            [
                "omptarget error: kernel 'k_l9' at a.c:9:1 failed: error in cuStreamSynchronize: an illegal address"
            ]
        );
    }
}
