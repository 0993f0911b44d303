//! What workers of a generic kernel call to run a region: it fetches the arguments.

use super::sharing::Doubt;
use crate::analysis::kernel::MOST_THREADS;
use crate::analysis::runtime::{parallel_operand, region_code};
use crate::ir::{Builder, Function, Inst, Module, Type};

/// Gives a region its wrapper, as clang writes it, and none if one of the doubtful addresses is on the main thread's stack: then that thread
/// runs the region.
///
/// # Panics
/// [`region_code`] does not know its code.
pub fn give(module: Module, region: Inst, doubts: &[Doubt]) {
    let (code, types) = region_code(region).expect("checked");
    let name = format!("{}_wrapper", code.name());
    let wrapper = module.function(&name).unwrap_or_else(|| write(module, &name, code, &types));
    let pointer = module.pointer_type();
    let builder = Builder::before(region);
    let mut given = wrapper.value();
    for (holder, offset) in doubts {
        let is_local =
            module.function_or_declare("llvm.nvvm.isspacep.local", module.int_type(1), &[pointer], &[]);
        let place = builder.byte_behind(holder.value(), module.int_type(64).constant(*offset as u64));
        let address = builder.load(pointer, place, "").value();
        let local = builder.call(is_local, &[address], "region.is_local").value();
        given = builder.select(local, pointer.null(), given, "region.wrapper");
    }
    region.set_operand(parallel_operand::WRAPPER, given);
}

fn write(module: Module, name: &str, code: Function, types: &[Type]) -> Function {
    let [pointer, number] = [module.pointer_type(), module.int_type(32)];
    let wrapper = module.add_function(name, &[module.int_type(16), number]);
    let builder = Builder::at_end_of(wrapper.append_block("entry"));
    let arguments = builder.alloca(pointer, "global_args");
    let thread = builder.alloca(number, "thread");
    let zero = builder.alloca(number, "zero");
    builder.store(wrapper.parameters()[1], thread.value());
    builder.store(number.constant(0), zero.value());
    let fetch = module.function_or_declare(
        "__kmpc_get_shared_variables",
        module.void_type(),
        &[pointer],
        &["nounwind"],
    );
    builder.call(fetch, &[arguments.value()], "");
    let array = builder.load(pointer, arguments.value(), "").value();
    let mut given = vec![thread.value(), zero.value()];
    for (index, ty) in (0..).zip(types) {
        given.push(builder.load(*ty, builder.pointer_element(array, index, pointer), "").value());
    }
    builder.call(code, &given, "");
    builder.return_void();
    wrapper.take_target_of(code);
    wrapper.copy_string_attributes(code, &MOST_THREADS);
    wrapper.take_lines_of(code);
    wrapper
}
