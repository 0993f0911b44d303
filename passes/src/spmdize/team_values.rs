//! Structures that serial code gives to functions by value, where all threads call them.
//!
//! A call makes the copy that the called function owns, on the stack of its thread: each thread would read the caller's structure, which
//! thread 0 alone has written, and have a copy that thread 0 alone changes. So thread 0 makes one for the team, as serial
//! code does everything, and the function gets its address.

use crate::deglobalize::{self, ALIGNMENT};
use crate::ir::{Builder, Function, Inst, Module};

/// Gives the function that `call` calls, which is made for such code, structures of the team.
pub fn give(module: Module, call: Inst) {
    let size = module.int_type(64);
    for index in 0..call.arguments().len() as u32 {
        let Some((ty, _)) = call.by_value(index) else { continue };
        let [allocate, free] = deglobalize::functions(module);
        let bytes = module.size_of(ty);
        let builder = Builder::before(call);
        let memory = builder.call(allocate, &[size.constant(bytes)], "by.value");
        memory.promise_alignment(ALIGNMENT);
        builder.copy_aligned((memory.value(), ALIGNMENT), (call.operand(index), 1), bytes);
        call.set_operand(index, memory.value());
        call.give_by_reference(index);
        let behind = Builder::before(call.next().expect("a call is no terminator"));
        behind.call(free, &[memory.value(), size.constant(bytes)], "");
    }
}

/// Lets a function that is made for such code get them.
pub fn take(function: Function) {
    let parameters = 0..function.parameters().len() as u32;
    parameters
        .filter(|index| function.by_value(*index).is_some())
        .for_each(|index| function.take_by_reference(index));
}
