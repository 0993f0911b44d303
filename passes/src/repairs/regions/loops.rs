//! `distribute` loops of serial code whose bodies hold parallel regions: flang makes the body a function that the runtime calls,
//! where LLVM's openmp-opt looks for no regions and takes away the loop in which workers wait for them. Here they become
//! loops as clang writes them.

use super::Serial;
use crate::ir::{Builder, Inst, Module, Predicate, Value};
use abi::schedule::DISTRIBUTE_STATIC;

/// How the runtime's functions begin that run a loop. What is behind it says the width of the number of iterations.
const LOOP: &str = "__kmpc_distribute_static_loop_";

/// A call of such a function.
struct Loop {
    call: Inst,
    ident: Value,
    /// The function that is called for each iteration, and what it gets beside the number of the iteration.
    body: crate::ir::Function,
    argument: Value,
    iterations: Value,
    width: &'static str,
}

impl Loop {
    /// A loop as flang writes it: unsigned, in one piece for each team.
    fn of(call: Inst) -> Option<Self> {
        let name = call.callee_name();
        let width = ["4u", "8u"].into_iter().find(|width| name.strip_prefix(LOOP) == Some(width))?;
        let given = call.arguments();
        let rest_is_zero = given.iter().skip(4).all(|value| value.as_constant_int() == Some(0));
        let body = given.get(1)?.strip_casts().as_function()?;
        (given.len() == 6 && rest_is_zero && !body.is_declaration()).then(|| Self {
            call,
            ident: given[0],
            body,
            argument: given[2],
            iterations: given[3],
            width,
        })
    }
}

/// Writes the loops with regions in the serial code that starts with these functions; whether there were any.
pub fn run(module: Module, roots: &Serial) -> bool {
    let functions = module.functions().into_iter().filter(|function| roots.functions.contains(function));
    let calls = functions.flat_map(|function| function.instructions()).filter(|inst| inst.is_call());
    let loops: Vec<Loop> = calls.filter_map(Loop::of).collect();
    let mut changed = false;
    for found in loops {
        if Serial::code_of([found.body]).has_regions() {
            write(module, &found);
            changed = true;
        }
    }
    changed
}

/// ```text
///     iterations != 0 ? distribute.start : distribute.end
/// distribute.start:  __kmpc_distribute_static_init; lower <= upper ? distribute.body : distribute.fini
/// distribute.body:   the body; index == upper ? distribute.fini : distribute.body
/// distribute.fini:   __kmpc_distribute_static_fini
/// distribute.end:
/// ```
fn write(module: Module, found: &Loop) {
    let (function, number) = (found.call.function(), found.iterations.ty());
    let [pointer, int] = [module.pointer_type(), module.int_type(32)];
    let nothing = module.void_type();
    let first = Builder::before(function.entry().first_non_phi());
    let last = first.alloca(int, "distribute.last").value();
    let [lower, upper, stride] =
        ["lower", "upper", "stride"].map(|name| first.alloca(number, &format!("distribute.{name}")).value());

    let before = found.call.block();
    let end = found.call.next().expect("a call is no terminator").split_before("distribute.end");
    let fini = end.new_before("distribute.fini");
    let body = fini.new_before("distribute.body");
    let start = body.new_before("distribute.start");
    before.terminator().erase();
    let (zero, one) = (number.constant(0), number.constant(1));
    let builder = Builder::at_end_like(before, found.call);
    let some = builder.compare(Predicate::LLVMIntNE, found.iterations, zero, "distribute.some");
    builder.branch_if(some, start, end);

    let builder = Builder::at_end_like(start, found.call);
    let thread_number =
        module.function_or_declare("__kmpc_global_thread_num", int, &[pointer], &["nounwind"]);
    let thread = builder.call(thread_number, &[found.ident], "").value();
    let most = builder.subtract(found.iterations, one, "distribute.most");
    builder.store(int.constant(0), last);
    builder.store(zero, lower);
    builder.store(most, upper);
    builder.store(one, stride);
    let init = module.function_or_declare(
        &format!("__kmpc_distribute_static_init_{}", found.width),
        nothing,
        &[pointer, int, int, pointer, pointer, pointer, pointer, number, number],
        &["nounwind"],
    );
    let schedule = int.constant(DISTRIBUTE_STATIC as u64);
    builder.call(init, &[found.ident, thread, schedule, last, lower, upper, stride, one, one], "");
    let from = builder.load(number, lower, "distribute.from").value();
    let given = builder.load(number, upper, "distribute.given").value();
    let beyond = builder.compare(Predicate::LLVMIntUGT, given, most, "distribute.beyond");
    let to = builder.select(beyond, most, given, "distribute.to");
    let any = builder.compare(Predicate::LLVMIntULE, from, to, "distribute.any");
    builder.branch_if(any, body, fini);

    let builder = Builder::at_end_like(body, found.call);
    let index = builder.phi(number, "distribute.index");
    builder.call(found.body, &[index.value(), found.argument], "");
    let done = builder.compare(Predicate::LLVMIntEQ, index.value(), to, "distribute.done");
    let next = builder.add(index.value(), one, "distribute.next");
    builder.branch_if(done, fini, body);
    index.add_incoming(from, start);
    index.add_incoming(next, body);

    let builder = Builder::at_end_like(fini, found.call);
    let finish =
        module.function_or_declare("__kmpc_distribute_static_fini", nothing, &[pointer, int], &["nounwind"]);
    builder.call(finish, &[found.ident, thread], "");
    builder.branch(end);
    found.call.erase();
}
