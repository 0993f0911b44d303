//! A short run of the fuzz target `registration` on inputs that a fixed generator makes: no panic, and nothing found that was
//! not registered. `cargo fuzz run registration` goes on where this ends.

#[path = "../../fuzz/registration.rs"]
mod registration;

use fastrand::Rng;
use registration::{ENTRIES_IN_IMAGES, NEGATIVE, NEW_FORM, NO_IMAGE, NO_LIST, REVERSED, registration};

/// Inputs. `HOSTRTL_FUZZ_INPUTS` gives another number, `HOSTRTL_FUZZ_SEED` other inputs.
const INPUTS: u64 = 50_000;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().expect(name))
}

/// A header of 64 bytes with a few fields.
fn header(magic: &[u8], fields: &[(usize, &[u8])]) -> Vec<u8> {
    let mut bytes = vec![0; 64];
    for (at, field) in [(0, magic)].iter().chain(fields) {
        bytes[*at..at + field.len()].copy_from_slice(field);
    }
    bytes
}

/// A module of LLVM bitcode that has only a version and a triple (<https://llvm.org/docs/BitCodeFormat.html>).
fn bitcode(triple: &str) -> Vec<u8> {
    let mut bits = Vec::new();
    let fixed = |bits: &mut Vec<bool>, value: u32, width: u32| {
        bits.extend((0..width).map(|bit| value >> bit & 1 != 0));
    };
    let variable = |bits: &mut Vec<bool>, value: u32| {
        if value >= 32 {
            fixed(bits, value & 31 | 32, 6);
        }
        fixed(bits, if value >= 32 { value >> 5 } else { value }, 6);
    };
    let letters: Vec<u32> = triple.bytes().map(u32::from).collect();
    for (code, operands) in [(1, &[2][..]), (2, &letters)] {
        fixed(&mut bits, 3, 3);
        variable(&mut bits, code);
        variable(&mut bits, operands.len() as u32);
        operands.iter().for_each(|operand| variable(&mut bits, *operand));
    }
    bits.resize(bits.len().next_multiple_of(32), false);
    // A block: its abbreviation of 2 bits, the module's number, 3 bits for each abbreviation inside, and its words.
    let mut head = Vec::new();
    fixed(&mut head, 1, 2);
    fixed(&mut head, 8, 8);
    fixed(&mut head, 3, 4);
    head.resize(32, false);
    fixed(&mut head, bits.len() as u32 / 32, 32);
    let all: Vec<bool> = head.into_iter().chain(bits).collect();
    let byte = |bits: &[bool]| bits.iter().rev().fold(0, |byte, bit| byte << 1 | u8::from(*bit));
    b"BC\xc0\xde".iter().copied().chain(all.chunks(8).map(byte)).collect()
}

/// Images of each kind, as short as they can be.
fn images() -> Vec<Vec<u8>> {
    let elf = |machine: u8, abi: u8, flags: u32| {
        header(b"\x7fELF", &[(8, &[abi]), (18, &[machine]), (48, &flags.to_le_bytes())])
    };
    let member = |kind: u8| header(&[kind], &[(4, &[64]), (28, &[90])]);
    let members = [member(1), member(2)].concat();
    let mut fat = header(&0xba55_ed50_u32.to_le_bytes(), &[(6, &[16]), (8, &[members.len() as u8])]);
    fat.truncate(16);
    vec![
        b".version 7.8\n.target sm_75, debug\n.visible .const .u64 __init_array_object_f_a_101 = f;\n"
            .to_vec(),
        b"// by hand\n.version 9.0\n.target sm_90a\n__fini_array_object__1 __fini_array_object_$_2\0"
            .to_vec(),
        elf(190, 7, 90),
        elf(190, 8, 120 << 8),
        elf(62, 0, 0),
        [fat, members].concat(),
        bitcode("nvptx64-nvidia-cuda"),
    ]
}

/// Head, table and images of an input.
fn input(random: &mut Rng, images: &[Vec<u8>]) -> Vec<u8> {
    let mut flags = random.u8(..4);
    for (bit, one_in) in
        [(NEW_FORM, 2), (ENTRIES_IN_IMAGES, 4), (REVERSED, 16), (NO_IMAGE, 16), (NEGATIVE, 16), (NO_LIST, 16)]
    {
        flags |= if random.u8(..one_in) == 0 { bit } else { 0 };
    }
    // Half of them have no entries, so that more of the changes come to the images.
    let words = if random.bool() { 0 } else { random.u8(..60) };
    let mut bytes = vec![flags, words, random.u8(..)];
    // Addresses, sizes and flags are small where it matters.
    let word = |_| if random.bool() { random.u64(..64) } else { random.u64(..) >> random.u32(..64) };
    bytes.extend((0..words).map(word).flat_map(u64::to_le_bytes));
    for _ in 0..flags & 3 {
        bytes.extend(&images[random.usize(..images.len())]);
    }
    bytes
}

/// Changes a few bytes, or cuts or repeats a part.
fn change(random: &mut Rng, bytes: &mut Vec<u8>) {
    const EDGES: [u8; 8] = [0, 1, 0x20, 0x39, 0x7f, 0x80, 0xfe, 0xff];
    for _ in 0..random.usize(..6) {
        let at = random.usize(..bytes.len());
        match random.u8(..8) {
            0 => bytes.truncate(at.max(1)),
            1 => {
                let part = bytes[at..(at + random.usize(1..40)).min(bytes.len())].to_vec();
                bytes.splice(at..at, part);
            }
            2 => drop(bytes.drain(at..(at + random.usize(1..9)).min(bytes.len() - 1).max(at))),
            3 => bytes[at] = random.u8(..),
            4 => bytes[at] ^= 1 << random.u8(..8),
            // Numbers at their edges, wherever one begins.
            5 | 6 => {
                let end = (at + [2, 4, 8][random.usize(..3)]).min(bytes.len());
                bytes[at..end].fill(if random.bool() { 0xff } else { 0 });
            }
            _ => bytes[at] = EDGES[random.usize(..EDGES.len())],
        }
    }
}

#[test]
fn registrations_are_read_or_refused() {
    let images = images();
    let mut random = Rng::with_seed(number("HOSTRTL_FUZZ_SEED", 0x5eed));
    for number in 0..number("HOSTRTL_FUZZ_INPUTS", INPUTS) {
        let mut bytes = input(&mut random, &images);
        change(&mut random, &mut bytes);
        let outcome = std::panic::catch_unwind(|| registration(&bytes));
        assert!(outcome.is_ok(), "input {number}: {bytes:x?}");
    }
}

/// The images that inputs are made of are understood, or changes of them would show little.
#[test]
fn seeds_are_images() {
    let kinds: Vec<String> =
        images().iter().map(|image| hostrtl::image::ImageKind::of(image).to_string()).collect();
    assert_eq!(
        kinds,
        [
            "PTX for sm_75",
            "PTX for sm_90a",
            "cubin for sm_90",
            "cubin for sm_120",
            "shared object for x86-64",
            "fat binary of PTX for sm_90 and cubin for sm_90",
            "LLVM bitcode for nvptx64",
        ]
    );
}
