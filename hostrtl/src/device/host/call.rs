//! Calling a kernel with any number of 8-byte arguments (System V ABI for x86-64, 3.2.3).

use core::arch::asm;

/// Arguments that go in registers; the others go on the stack.
const REGISTERS: usize = 6;

/// Calls `function` with the arguments as integers, which is how clang passes pointers and packed scalars to kernels.
///
/// # Safety
/// A function that takes at most these arguments, all of integer or pointer type.
pub unsafe fn call(function: usize, arguments: &[u64]) {
    let (first, rest) = arguments.split_at(arguments.len().min(REGISTERS));
    let mut registers = [0; REGISTERS];
    registers[..first.len()].copy_from_slice(first);
    // SAFETY: `asm!` gives an aligned stack, which stays aligned with an even number of slots and is put back; the
    // function keeps r12 to r15, and everything else that it may change is a clobber of the ABI.
    unsafe {
        asm!(
            "mov r15, rsp",
            "test r13, 1",
            "jz 2f",
            "sub rsp, 8",
            "2:",
            "test r13, r13",
            "jz 3f",
            "push qword ptr [r12 + 8 * r13 - 8]",
            "dec r13",
            "jmp 2b",
            "3:",
            "call r14",
            "mov rsp, r15",
            in("r12") rest.as_ptr(),
            inout("r13") rest.len() => _,
            in("r14") function,
            out("r15") _,
            in("rdi") registers[0],
            in("rsi") registers[1],
            in("rdx") registers[2],
            in("rcx") registers[3],
            in("r8") registers[4],
            in("r9") registers[5],
            clobber_abi("C"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A callee with `$name`s as parameters writes its arguments, and whether the stack was aligned, through the first.
    macro_rules! callee {
        ($function:ident $($name:ident)*) => {
            extern "C" fn $function(results: *mut Vec<u64>, $($name: u64),*) {
                #[repr(align(16))]
                struct Aligned(u8);
                let local = Aligned(1);
                assert!(core::hint::black_box((&raw const local).addr()).is_multiple_of(16) && local.0 == 1);
                // SAFETY: the test passes the address of a vector.
                unsafe { (*results).extend::<[u64; _]>([$($name),*]) };
            }
        };
    }
    callee!(none);
    callee!(five a b c d e);
    callee!(six a b c d e f);
    callee!(seven a b c d e f g);
    callee!(many a b c d e f g h i j k l m n o p q r s t u v w x y z);

    #[test]
    fn arguments_in_registers_and_on_the_stack() {
        let functions =
            [(none as *const (), 0), (five as _, 5), (six as _, 6), (seven as _, 7), (many as _, 26)];
        for (function, count) in functions {
            let mut results = Vec::<u64>::new();
            let expected: Vec<u64> = (0..count).map(|index| u64::MAX - index).collect();
            let mut arguments = vec![(&raw mut results).expose_provenance() as u64];
            arguments.extend(&expected);
            // SAFETY: a function with these parameters.
            unsafe { call(function.expose_provenance(), &arguments) };
            assert_eq!(results, expected);
        }
    }

    #[test]
    fn more_arguments_than_the_function_takes() {
        let mut results = Vec::<u64>::new();
        let mut arguments = vec![7; 40];
        arguments[0] = (&raw mut results).expose_provenance() as u64;
        // SAFETY: the first arguments are those of the function; the caller takes the others from the stack again.
        unsafe { call((five as *const ()).expose_provenance(), &arguments) };
        assert_eq!(results, [7; 5]);
    }
}
