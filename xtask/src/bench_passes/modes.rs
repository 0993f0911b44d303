//! The modes of kernels, as their environments in PTX tell them.

/// A kernel.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kernel {
    /// Its symbol.
    pub name: String,
    /// LLVM's number: bit 0 generic, bit 1 SPMD.
    pub mode: u8,
}

/// The kernel was made generic.
pub const GENERIC: u8 = 1;
/// The kernel was made generic and is SPMD now.
pub const CONVERTED: u8 = 3;

/// The kernels of a module, by name. The mode is byte 2 of the kernel environment.
pub fn kernels(ptx: &str) -> Vec<Kernel> {
    let mut kernels: Vec<_> = ptx.lines().filter_map(kernel).collect();
    kernels.sort();
    kernels
}

/// Of `.u64 k_kernel_environment[6] = {4295163904, ...` or `.b8 k_kernel_environment[48] = {0, 1, 3, ...`.
fn kernel(line: &str) -> Option<Kernel> {
    let (head, rest) = line.split_once("_kernel_environment[")?;
    let (kind, name) = head.rsplit_once(' ')?;
    let (_, values) = rest.split_once('{')?;
    let mut values = values.split([',', '}']).map(|value| value.trim().parse::<u64>());
    let mode = if kind.ends_with(".b8") { values.nth(2)?.ok()? } else { values.next()?.ok()? >> 16 };
    Some(Kernel { name: name.to_owned(), mode: mode as u8 })
}

/// `generic`, or how many are what.
pub fn text(kernels: &[Kernel]) -> String {
    let name = |mode: u8| match mode {
        GENERIC => "generic",
        CONVERTED => "converted",
        2 => "SPMD",
        6 => "no loop",
        _ => "other",
    };
    let all = ["generic", "converted", "SPMD", "no loop", "other"];
    let count = |word| kernels.iter().filter(|kernel| name(kernel.mode) == word).count();
    let parts: Vec<_> =
        all.into_iter().map(|word| (word, count(word))).filter(|&(_, count)| count > 0).collect();
    match parts[..] {
        [] => "-".to_owned(),
        [(word, _)] => word.to_owned(),
        _ => parts.iter().map(|(word, count)| format!("{count} {word}")).collect::<Vec<_>>().join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_stand_in_the_environment() {
        let ptx = "\
.weak .global .align 8 .u64 b_kernel_environment[6] = {4295163904, 18446744069414584448, generic(x)};
.global .align 8 .b8 a_kernel_environment[48] = {1, 1, 1, 0};
.global .align 8 .b8 a_dynamic_environment[2];
";
        let found = kernels(ptx);
        let kernel = |name: &str, mode| Kernel { name: name.to_owned(), mode };
        assert_eq!(found, [kernel("a", GENERIC), kernel("b", CONVERTED)]);
        assert_eq!((text(&found), text(&found[..1])), ("1 generic, 1 converted".into(), "generic".into()));
    }
}
