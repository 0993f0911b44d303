//! Recognising device images and telling which device can run them.

mod bitcode;
mod fatbin;
pub mod ptx;
pub mod stack;

use crate::device::Backend;
use core::fmt;

/// What a device runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arch {
    /// Code for an NVIDIA GPU of this compute capability.
    Gpu(Capability),
    /// Code for this CPU.
    X86_64,
}

impl Arch {
    /// The GPU that `sm_<number>` names.
    pub const fn from_sm(number: u32) -> Self {
        Self::Gpu(Capability::from_sm(number))
    }
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gpu(capability) => write!(f, "{capability}"),
            Self::X86_64 => f.write_str("x86-64"),
        }
    }
}

/// A compute capability, written `sm_90`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Capability {
    /// 9 of `sm_90`, 12 of `sm_120`.
    pub major: u32,
    /// 0 of `sm_90`.
    pub minor: u32,
}

impl Capability {
    /// The capability that `sm_<number>` names.
    pub const fn from_sm(number: u32) -> Self {
        Self { major: number / 10, minor: number % 10 }
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sm_{}{}", self.major, self.minor)
    }
}

/// What a device image is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ImageKind {
    /// PTX text, compiled by the driver.
    Ptx {
        /// Its `.target`.
        arch: Capability,
        /// The target ends in `a`: the code runs on exactly this capability.
        exact: bool,
    },
    /// Machine code for an NVIDIA GPU.
    Cubin {
        /// What it was assembled for.
        arch: Capability,
    },
    /// PTX and cubins in one container, of which the driver takes what fits.
    Fatbin(Vec<ImageKind>),
    /// A shared object for x86-64.
    HostElf,
    /// Another ELF file.
    OtherElf {
        /// ELF machine number.
        machine: u16,
    },
    /// LLVM bitcode, made by `-fopenmp-target-jit`: compiled when it is loaded.
    Bitcode {
        /// First part of its target triple.
        target: String,
    },
    /// PTX without a readable `.target`, a cubin of an unknown header version, or none of the above.
    Unknown,
}

const EM_X86_64: u16 = 62;
const EM_CUDA: u16 = 190;

impl ImageKind {
    /// Recognises an image by its first bytes.
    pub fn of(image: &[u8]) -> Self {
        if image.starts_with(b"\x7fELF") {
            return Self::of_elf(image);
        }
        if image.starts_with(&bitcode::MAGIC) {
            return bitcode::target(image).map_or(Self::Unknown, |target| Self::Bitcode { target });
        }
        if image.starts_with(&fatbin::MAGIC) {
            return fatbin::members(image).map_or(Self::Unknown, Self::Fatbin);
        }
        ptx_target(image).unwrap_or(Self::Unknown)
    }

    /// The header fields of a 64-bit little-endian ELF file.
    fn of_elf(image: &[u8]) -> Self {
        let Some(header) = image.get(..52) else { return Self::Unknown };
        let machine = u16::from_le_bytes([header[18], header[19]]);
        match machine {
            EM_X86_64 => Self::HostElf,
            EM_CUDA => {
                let flags = u32::from_le_bytes([header[48], header[49], header[50], header[51]]);
                // EI_ABIVERSION: CUDA 12 writes 7, CUDA 13 writes 8 and moves the number.
                match header[8] {
                    7 => Self::Cubin { arch: Capability::from_sm(flags & 0xff) },
                    8 => Self::Cubin { arch: Capability::from_sm(flags >> 8 & 0xff) },
                    _ => Self::Unknown,
                }
            }
            machine => Self::OtherElf { machine },
        }
    }

    /// Whether a device can run the image.
    ///
    /// A cubin runs on devices of its major version with the same or a higher minor one; PTX on every later device.
    pub fn runs_on(&self, device: Arch, backend: Backend) -> bool {
        match (self, device) {
            (Self::Ptx { arch, exact: false }, Arch::Gpu(gpu)) => *arch <= gpu,
            (Self::Ptx { arch, exact: true }, Arch::Gpu(gpu)) => *arch == gpu,
            (Self::Cubin { arch }, Arch::Gpu(gpu)) => {
                matches!(backend, Backend::Cuda { .. }) && arch.major == gpu.major && arch.minor <= gpu.minor
            }
            (Self::Fatbin(members), _) => members.iter().any(|member| member.runs_on(device, backend)),
            (Self::Bitcode { target }, Arch::Gpu(_)) => target == "nvptx64",
            (Self::Bitcode { target }, Arch::X86_64) => target == "x86_64",
            (Self::HostElf, Arch::X86_64) => true,
            _ => false,
        }
    }

    /// Whether it is code for this CPU, if for no other device.
    pub fn is_for_host_cpu(&self) -> bool {
        self.runs_on(Arch::X86_64, Backend::X86)
    }

    /// How good a choice among images that run: machine code before PTX before what has to be compiled, then the later
    /// architecture.
    pub fn preference(&self) -> impl Ord + use<> {
        let none = Capability { major: 0, minor: 0 };
        match *self {
            Self::HostElf => (4, none),
            Self::Cubin { arch } => (4, arch),
            Self::Fatbin(_) => (3, none),
            Self::Ptx { arch, .. } => (2, arch),
            Self::Bitcode { .. } => (1, none),
            _ => (0, none),
        }
    }

    /// What to do so that there is an image for the device.
    pub fn advice(&self, device: Arch, backend: Backend) -> String {
        match (self, device) {
            (Self::Cubin { .. }, Arch::Gpu(_)) if backend == Backend::Simt => {
                "the SIMT device runs PTX, not machine code; recompile with `omptarget cc`, which embeds PTX"
                    .to_owned()
            }
            (kind, Arch::Gpu(_)) if kind.is_for_host_cpu() => {
                format!("OMPTARGET_DEVICE=x86 runs it on this CPU; or recompile with --offload-arch={device}")
            }
            (_, Arch::Gpu(_)) => format!("recompile with --offload-arch={device}"),
            (_, Arch::X86_64) => "recompile with -fopenmp-targets=x86_64-pc-linux-gnu".to_owned(),
        }
    }
}

impl fmt::Display for ImageKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ptx { arch, exact } => write!(f, "PTX for {arch}{}", if *exact { "a" } else { "" }),
            Self::Cubin { arch } => write!(f, "cubin for {arch}"),
            Self::Fatbin(members) => {
                f.write_str("fat binary of ")?;
                for (index, member) in members.iter().enumerate() {
                    write!(f, "{}{member}", if index == 0 { "" } else { " and " })?;
                }
                if members.is_empty() { f.write_str("nothing") } else { Ok(()) }
            }
            Self::HostElf => f.write_str("shared object for x86-64"),
            Self::OtherElf { machine } => write!(f, "ELF file for machine {machine}"),
            Self::Bitcode { target } => write!(f, "LLVM bitcode for {target}"),
            Self::Unknown => f.write_str("unknown format"),
        }
    }
}

/// Reads `.target sm_<number>[a|f]`, which follows `.version` at the top of every PTX file; comments may stand before.
fn ptx_target(image: &[u8]) -> Option<ImageKind> {
    let text = |bytes| core::str::from_utf8(bytes).unwrap_or("");
    let mut version = false;
    for line in image.split(|byte| *byte == b'\n').take(200) {
        let line = text(line.split(|byte| *byte == 0).next()?).trim();
        if line.starts_with(".version") {
            version = true;
        } else if let Some(target) = line.strip_prefix(".target") {
            let name = target.split([',', ' ', '\t']).map(str::trim).find(|part| !part.is_empty())?;
            let digits = name.strip_prefix("sm_")?;
            let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
            let arch = Capability::from_sm(digits[..end].parse().ok()?);
            return version.then_some(ImageKind::Ptx { arch, exact: &digits[end..] == "a" });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const GPU: Backend = Backend::Cuda { driver_version: 13000 };

    fn elf(abi_version: u8, machine: u16, flags: u32) -> Vec<u8> {
        let mut header = vec![0; 64];
        header[..4].copy_from_slice(b"\x7fELF");
        header[7] = 0x41;
        header[8] = abi_version;
        header[18..20].copy_from_slice(&machine.to_le_bytes());
        header[48..52].copy_from_slice(&flags.to_le_bytes());
        header
    }

    fn sm(number: u32) -> Capability {
        Capability::from_sm(number)
    }

    fn runs(kind: &ImageKind, number: u32, backend: Backend) -> bool {
        kind.runs_on(Arch::from_sm(number), backend)
    }

    #[test]
    fn cubins_of_both_header_versions() {
        for (abi_version, flags) in [(7, 0x5a_055a), (8, 0x600_5a04), (8, 0x900_5a04)] {
            assert_eq!(ImageKind::of(&elf(abi_version, EM_CUDA, flags)), ImageKind::Cubin { arch: sm(90) });
        }
        assert_eq!(ImageKind::of(&elf(8, EM_CUDA, 0x600_7804)), ImageKind::Cubin { arch: sm(120) });
        assert_eq!(ImageKind::of(&elf(9, EM_CUDA, 0x5a)), ImageKind::Unknown);
    }

    #[test]
    fn other_files() {
        assert_eq!(ImageKind::of(&elf(0, EM_X86_64, 0)), ImageKind::HostElf);
        assert_eq!(ImageKind::of(&elf(0, 224, 0)), ImageKind::OtherElf { machine: 224 });
        assert_eq!(ImageKind::of(b"\x7fELF"), ImageKind::Unknown);
        assert_eq!(ImageKind::of(b""), ImageKind::Unknown);
        assert_eq!(ImageKind::of(b"hello\n"), ImageKind::Unknown);
    }

    #[test]
    fn ptx_with_comments_modifiers_and_padding() {
        let ptx = |target: &str| {
            format!("//\n// Generated by LLVM\n//\n\n.version 7.8\n.target {target}\n.address_size 64\n\0\0")
        };
        let of = |target: &str| ImageKind::of(ptx(target).as_bytes());
        assert_eq!(of("sm_90"), ImageKind::Ptx { arch: sm(90), exact: false });
        assert_eq!(of("sm_90, debug"), ImageKind::Ptx { arch: sm(90), exact: false });
        assert_eq!(of("sm_90a"), ImageKind::Ptx { arch: sm(90), exact: true });
        assert_eq!(of("sm_100"), ImageKind::Ptx { arch: Capability { major: 10, minor: 0 }, exact: false });
        assert_eq!(of("gfx90a"), ImageKind::Unknown);
        assert_eq!(ImageKind::of(b".target sm_90\n"), ImageKind::Unknown, "no .version before it");
    }

    #[test]
    fn which_device_runs_which_image() {
        let ptx = |number| ImageKind::Ptx { arch: sm(number), exact: false };
        let cubin = |number| ImageKind::Cubin { arch: sm(number) };
        assert!(runs(&ptx(75), 90, GPU) && runs(&ptx(90), 90, GPU));
        assert!(!runs(&ptx(100), 90, GPU));
        assert!(runs(&cubin(80), 86, GPU) && !runs(&cubin(86), 80, GPU));
        assert!(!runs(&cubin(80), 90, GPU));
        assert!(!runs(&cubin(90), 90, Backend::Simt) && runs(&ptx(90), 90, Backend::Simt));
        let exact = ImageKind::Ptx { arch: sm(90), exact: true };
        assert!(runs(&exact, 90, GPU) && !runs(&exact, 100, GPU));
        let fat = ImageKind::Fatbin(vec![cubin(80), ptx(90)]);
        assert!(runs(&fat, 86, GPU) && runs(&fat, 90, Backend::Simt) && !runs(&fat, 75, GPU));
        let bitcode = |target: &str| ImageKind::Bitcode { target: target.to_owned() };
        assert!(runs(&bitcode("nvptx64"), 90, GPU) && !runs(&bitcode("x86_64"), 90, GPU));
        for kind in [ImageKind::HostElf, bitcode("x86_64")] {
            assert!(kind.is_for_host_cpu() && !runs(&kind, 90, GPU), "{kind}");
        }
        for kind in [ptx(75), cubin(80), fat, bitcode("nvptx64"), ImageKind::OtherElf { machine: 183 }] {
            assert!(!kind.is_for_host_cpu(), "{kind}");
        }
    }

    #[test]
    fn machine_code_comes_first_then_the_later_one() {
        let ptx = |number| ImageKind::Ptx { arch: sm(number), exact: false };
        let cubin = |number| ImageKind::Cubin { arch: sm(number) };
        assert!(cubin(80).preference() > ptx(86).preference());
        assert!(cubin(86).preference() > cubin(80).preference());
        assert!(ptx(86).preference() > ptx(80).preference());
    }

    #[test]
    fn names_and_advice() {
        assert_eq!(ImageKind::Cubin { arch: sm(120) }.to_string(), "cubin for sm_120");
        assert_eq!(ImageKind::Ptx { arch: sm(90), exact: true }.to_string(), "PTX for sm_90a");
        let fat = ImageKind::Fatbin(vec![ImageKind::Cubin { arch: sm(80) }, ImageKind::HostElf]);
        assert_eq!(fat.to_string(), "fat binary of cubin for sm_80 and shared object for x86-64");
        let cubin = ImageKind::Cubin { arch: sm(90) };
        assert_eq!(cubin.advice(Arch::from_sm(80), GPU), "recompile with --offload-arch=sm_80");
        assert!(cubin.advice(Arch::from_sm(90), Backend::Simt).contains("runs PTX"));
        assert!(cubin.advice(Arch::X86_64, Backend::X86).contains("-fopenmp-targets=x86_64"));
        assert!(ImageKind::HostElf.advice(Arch::from_sm(90), GPU).contains("OMPTARGET_DEVICE=x86"));
    }

    /// Whatever the bytes are, they are recognised as something, and looking does not fail.
    #[test]
    fn images_of_random_bytes() {
        let mut random = fastrand::Rng::with_seed(1);
        let starts: [&[u8]; 5] = [
            b"\x7fELF\x02\x01\x01\x41\x08\0\0\0\0\0\0\0\x02\0\xbe\0",
            &bitcode::MAGIC,
            &fatbin::MAGIC,
            b".version 8.5\n.target sm_90a, debug\n.address_size 64\n",
            b"",
        ];
        for _ in 0..20_000 {
            let mut image = starts[random.usize(..starts.len())].to_vec();
            image.extend((0..random.usize(..200)).map(|_| random.u8(..) >> random.u32(..8)));
            for _ in 0..random.usize(..4) {
                let at = random.usize(..image.len().max(1));
                if let Some(byte) = image.get_mut(at) {
                    *byte = random.u8(..);
                }
            }
            image.truncate(random.usize(..=image.len()));
            assert!(!ImageKind::of(&image).to_string().is_empty());
        }
    }
}
