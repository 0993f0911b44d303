//! The code of a merged region:
//!
//! ```text
//! entry:            the first region; barrier; to the second region, or if there is code of thread 0: thread 0 ?
//!                   serial.inputs : serial.end
//! serial.inputs:    what the code uses is taken from the arguments; to the code, which ends at serial.end
//! serial.end:       barrier; what thread 0 tells all; the second region
//! ```

use super::between::Serial;
use super::told::convert;
use crate::analysis::guards;
use crate::analysis::runtime::{THREAD_PARAMETERS, parallel_operand, region_code};
use crate::ir::{Block, Builder, Function, Inst, Module, Type, Value};

/// Barrier of a team.
pub const BARRIER: &str = "__kmpc_barrier";

/// One call in the place of two, at the second one. [`super::fits`] has looked at them.
pub fn merge(module: Module, first: Inst, serial: Option<&Serial>, second: Inst) -> Inst {
    let (Some((of_first, types)), Some((of_second, more))) = (region_code(first), region_code(second)) else {
        return second;
    };
    let inputs: &[Value] = serial.map_or(&[], |serial| &serial.inputs);
    let is_told = |number: &usize| serial.is_some_and(|serial| serial.told_arguments.contains_key(number));
    let passed: Vec<usize> = (0..more.len()).filter(|number| !is_told(number)).collect();
    let pointer = module.pointer_type();
    let input_type = |value: &Value| if value.ty() == pointer { pointer } else { module.int_type(64) };
    let input_types: Vec<Type> = inputs.iter().map(input_type).collect();
    let passed_types: Vec<Type> = passed.iter().map(|number| more[*number]).collect();
    let parameters = [&[pointer, pointer][..], &types, &input_types, &passed_types].concat();
    let count = parameters.len() - THREAD_PARAMETERS;

    let entry = first.function().entry().first_non_phi();
    let array =
        Builder::before(entry).alloca(module.bytes_type(8 * count.max(1) as u64), "merged_vars_addrs");
    array.set_alignment(8);
    // Those of the first region as they are now: its array may be filled again for the second.
    let of_the_first: Vec<usize> = (0..types.len()).collect();
    copy_arguments(module, first, array.value(), 0, &of_the_first);
    store_inputs(module, second, array.value(), types.len(), inputs);
    copy_arguments(module, second, array.value(), types.len() + inputs.len(), &passed);

    let merged = new_function(module, of_first, &parameters);
    let values = merged.parameters();
    let (thread, arguments) = values.split_at(THREAD_PARAMETERS);
    let (for_first, arguments) = arguments.split_at(types.len());
    let (for_serial, for_second) = arguments.split_at(inputs.len());
    let block = merged.append_block("entry");
    let builder = Builder::at_end_of(block);
    builder.call(of_first, &[thread, for_first].concat(), "");
    let number = builder.load(module.int_type(32), thread[0], "gtid").value();
    let barrier = module.function_or_declare(
        BARRIER,
        module.void_type(),
        &[pointer, module.int_type(32)],
        &["convergent", "nounwind"],
    );
    let meet = |block| {
        let arguments = [second.operand(0), number];
        Builder::at_end_of(block).call(barrier, &arguments, "").add_attribute("convergent");
    };
    meet(block);
    let last = match serial {
        Some(serial) => {
            let end = move_serial(module, serial, block, for_serial);
            meet(end);
            end
        }
        None => block,
    };
    let leave = Builder::at_end_of(last).return_void();
    let copies = serial.map(|serial| serial.told.compute_before(leave)).unwrap_or_default();
    let mut for_second = for_second.iter();
    let mut all = thread.to_vec();
    for (number, ty) in more.iter().enumerate() {
        let told = serial.and_then(|serial| serial.told_arguments.get(&number));
        all.push(match told {
            Some(value) => {
                convert(copies.get(value).copied().unwrap_or(*value), *ty, block.first_non_phi(), leave)
            }
            None => *for_second.next().expect("the others have a parameter each"),
        });
    }
    Builder::before(leave).call(of_second, &all, "");

    let call = second.clone_before(second);
    call.set_operand(parallel_operand::CODE, merged.value());
    call.set_operand(parallel_operand::ARGUMENTS, array.value());
    call.set_operand(parallel_operand::COUNT, module.int_type(64).constant(count as u64));
    merged.take_lines_of(second.function());
    first.erase();
    second.erase();
    if let Some(serial) = serial {
        serial.told.erase();
    }
    call
}

fn new_function(module: Module, first: Function, parameters: &[Type]) -> Function {
    let merged = module.add_function(&format!("{}.merged", first.name()), parameters);
    ["convergent", "nounwind", "alwaysinline"].into_iter().for_each(|name| merged.add_attribute(name));
    merged.take_target_of(first);
    merged
}

/// Copies arguments of a region, before its call, to `array` from element `start` on.
fn copy_arguments(module: Module, call: Inst, array: Value, start: usize, numbers: &[usize]) {
    let pointer = module.pointer_type();
    let builder = Builder::before(call);
    for (to, from) in (start..).zip(numbers) {
        let from = builder.pointer_element(call.operand(parallel_operand::ARGUMENTS), *from as u64, pointer);
        let value = builder.load(pointer, from, "");
        builder.store(value.value(), builder.pointer_element(array, to as u64, pointer));
    }
}

/// Stores what thread 0 will need to `array` from element `start` on: the arguments of a region are words of 64 bits.
fn store_inputs(module: Module, call: Inst, array: Value, start: usize, inputs: &[Value]) {
    let (pointer, word) = (module.pointer_type(), module.int_type(64));
    let builder = Builder::before(call);
    for (index, input) in inputs.iter().enumerate() {
        let element = builder.pointer_element(array, (start + index) as u64, pointer);
        if input.ty() != pointer {
            builder.store(word.constant(0), element);
        }
        builder.store(*input, element);
    }
}

/// Moves the code of thread 0 behind `block` of a merged region, where all threads are; gives the block where they are again.
fn move_serial(module: Module, serial: &Serial, block: Block, arguments: &[Value]) -> Block {
    let function = block.function();
    let inputs = function.append_block("serial.inputs");
    let head = serial.blocks[0];
    for part in &serial.blocks {
        part.move_to(function);
    }
    let end = function.append_block("serial.end");

    let builder = Builder::at_end_of(block);
    let (_, is_main) = guards::main_test(module, &builder);
    builder.branch_if(is_main, inputs, end);

    let way = Builder::at_end_of(inputs).branch(head);
    for (input, argument) in serial.inputs.iter().zip(arguments) {
        let value = if input.ty() == module.pointer_type() {
            *argument
        } else {
            convert(*argument, input.ty(), block.first_non_phi(), way)
        };
        input.replace_uses_in(value, |user| user.function() == function);
    }
    head.replace_phi_block(serial.check, inputs);
    for part in &serial.blocks {
        part.redirect(serial.join, end);
    }
    let way = serial.check.terminator();
    Builder::before(way).branch(serial.join);
    way.erase();
    end
}
