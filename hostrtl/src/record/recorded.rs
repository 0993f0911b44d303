//! Reading back what a recording says of a launch beside its memory and its image.

use std::ffi::{CStr, CString};

/// The parts of a launch that the calls of a replay have no place for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedLaunch {
    /// Blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y, z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared_memory: u32,
}

impl RecordedLaunch {
    /// One dimension, no shared memory.
    pub const PLAIN: Self = Self { grid: [1; 3], block: [1; 3], shared_memory: 0 };

    /// From `<kernel>.json`; `None` when it does not say, as those of LLVM's library do not.
    pub fn read(json: &[u8]) -> Option<Self> {
        let json: serde_json::Value = serde_json::from_slice(json).ok()?;
        let number = |value: &serde_json::Value| u32::try_from(value.as_u64()?).ok();
        let three = |name: &str| {
            let numbers: Vec<u32> = json[name].as_array()?.iter().map(number).collect::<Option<_>>()?;
            numbers.try_into().ok()
        };
        Some(Self {
            grid: three("Grid")?,
            block: three("Block")?,
            shared_memory: number(&json["SharedMemory"])?,
        })
    }
}

/// The variables in `<kernel>.globals` with their values; `None` when the file is cut off.
pub fn globals(mut file: &[u8]) -> Option<Vec<(CString, &[u8])>> {
    let mut globals = Vec::new();
    while !file.is_empty() {
        let name = CStr::from_bytes_until_nul(file).ok()?;
        let (length, rest) = file[name.count_bytes() + 1..].split_first_chunk()?;
        let (contents, rest) = rest.split_at_checked(u32::from_ne_bytes(*length) as usize)?;
        globals.push((name.to_owned(), contents));
        file = rest;
    }
    Some(globals)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launch_is_whole_or_unknown() {
        let json = br#"{"Grid": [2, 3, 4], "Block": [8, 1, 1], "SharedMemory": 128}"#;
        let expected = RecordedLaunch { grid: [2, 3, 4], block: [8, 1, 1], shared_memory: 128 };
        assert_eq!(RecordedLaunch::read(json), Some(expected));
        for json in ["", "{}", r#"{"Grid": [1, 1], "Block": [1, 1, 1], "SharedMemory": 0}"#, "[]"] {
            assert_eq!(RecordedLaunch::read(json.as_bytes()), None, "{json}");
        }
    }

    #[test]
    fn every_cut_of_the_globals_is_noticed() {
        let file = b"v\0\x03\0\0\0abclong\0\x00\0\0\0w\0\x01\0\0\0x";
        let expected: [(&CStr, &[u8]); 3] = [(c"v", b"abc"), (c"long", b""), (c"w", b"x")];
        let expected = expected.map(|(name, contents)| (name.to_owned(), contents));
        assert_eq!(globals(file).unwrap(), expected);
        let whole = [0, 9, 18, file.len()];
        for size in 0..file.len() {
            assert_eq!(globals(&file[..size]).is_some(), whole.contains(&size), "{size} bytes");
        }
    }
}
