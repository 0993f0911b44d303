//! The initial bytes of variables, as far as they are numbers.
//!
//! A host runtime reads some of them out of the image file (`<kernel>_kernel_environment`). Addresses in an initial
//! value are 0 here: only the device knows them.

use crate::module::{Module, Symbol};

/// The initial bytes of a variable; `None` if all are 0 or its size is not known.
pub fn initial(module: &Module, variable: &Symbol) -> Option<Vec<u8>> {
    let size = usize::try_from(module.size_of(variable)?).ok()?;
    let words: Vec<&str> = variable.signature.clone().map(|token| module.word(token)).collect();
    let equals = words.iter().position(|word| *word == "=")?;
    let width = words[..equals].iter().rev().find_map(|word| width(word))?;
    let mut bytes = vec![];
    for element in words[equals + 1..].split(|word| *word == ",") {
        let element: Vec<&str> = element.iter().copied().filter(|word| !matches!(*word, "{" | "}")).collect();
        if !element.is_empty() {
            let value = value(&element).unwrap_or(0);
            bytes.extend(value.to_le_bytes().into_iter().take(width));
        }
    }
    bytes.resize(size, 0);
    bytes.iter().any(|&byte| byte != 0).then_some(bytes)
}

/// Bytes of an element of a type.
fn width(word: &str) -> Option<usize> {
    let bits = word.strip_prefix('.')?.strip_prefix(['b', 'u', 's', 'f'])?;
    Some(bits.parse::<usize>().ok()? / 8)
}

/// A number with its sign; anything else is an address.
fn value(element: &[&str]) -> Option<u64> {
    match element {
        ["-", number] => Some(number_of(number)?.wrapping_neg()),
        [number] => number_of(number),
        _ => None,
    }
}

/// PTX ISA 4.5: decimal, `0x`, `0b`, octal with a leading 0, each perhaps with `U`, and the bits of floats.
fn number_of(word: &str) -> Option<u64> {
    let word = word.strip_suffix('U').unwrap_or(word);
    let prefixes =
        [("0x", 16), ("0X", 16), ("0f", 16), ("0F", 16), ("0d", 16), ("0D", 16), ("0b", 2), ("0B", 2)];
    match prefixes.iter().find_map(|(prefix, radix)| Some((word.strip_prefix(prefix)?, *radix))) {
        Some((digits, radix)) => u64::from_str_radix(digits, radix).ok(),
        None if word.len() > 1 && word.starts_with('0') => u64::from_str_radix(word, 8).ok(),
        None => word.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(directive: &str) -> Option<Vec<u8>> {
        let text = format!(".version 7.8\n.target sm_90\n.address_size 64\n{directive};\n");
        let module = Module::parse("test", text).unwrap();
        initial(&module, &module.symbols[0])
    }

    #[test]
    fn numbers_become_bytes_and_addresses_stay_zero() {
        assert_eq!(of(".global .u32 a = 258"), Some(vec![2, 1, 0, 0]));
        assert_eq!(of(".visible .global .align 8 .b8 a[4] = {1, 0x2, 010U}"), Some(vec![1, 2, 8, 0]));
        assert_eq!(of(".global .s16 a[2][2] = {{-1, 2}, {0b11, 4}}"), Some(vec![255, 255, 2, 0, 3, 0, 4, 0]));
        assert_eq!(of(".const .f32 a = 0f3F800000"), Some(1_f32.to_le_bytes().to_vec()));
        assert_eq!(of(".global .f64 a = 0d3FF0000000000000"), Some(1_f64.to_le_bytes().to_vec()));
        let pointer = of(".global .align 8 .u64 a[3] = {7, generic(b)+4, 9}").unwrap();
        assert_eq!(pointer[..9], [7, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(pointer[16], 9);
    }

    #[test]
    fn what_is_all_zero_has_no_bytes() {
        for directive in [".global .u32 a", ".global .u32 a[2] = {0, 0}", ".extern .shared .b8 a[]"] {
            assert_eq!(of(directive), None, "{directive}");
        }
    }
}
