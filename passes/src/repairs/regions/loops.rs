//! Loops that flang gives the runtime as functions for their bodies, and that must be seen whole. They become loops as clang writes them:
//!
//! * `distribute` loops of serial code whose bodies hold parallel regions: LLVM's openmp-opt looks for none there, and takes away
//!   the loop in which workers wait for them;
//! * `do` loops with `ordered` regions: the runtime's function does not tell them their turns.

use super::Serial;
use crate::ir::{Block, Builder, Function, Inst, Module, Predicate, Type, Value};
use abi::schedule::{DISTRIBUTE_STATIC, ORDERED_STATIC_CHUNK};

const THREAD_NUMBER: &str = "__kmpc_global_thread_num";

/// A call of a function of the runtime that runs a loop.
struct Loop {
    module: Module,
    call: Inst,
    ident: Value,
    /// The function that is called for each iteration, and what it gets beside the number of the iteration.
    body: Function,
    argument: Value,
    /// How many there are, from 0 on: unsigned, and no 0 where the loop is written.
    iterations: Value,
    /// 0: the runtime's choice.
    chunk: Value,
    /// How the names of the runtime's functions for such numbers end.
    width: &'static str,
}

/// The loops in some functions whose function of the runtime begins with `start`, and has `chunk` as the number of this argument.
/// Not those whose threads are promised to have one iteration: flang promises nothing.
fn find(module: Module, functions: impl Fn(&Function) -> bool, start: &str, chunk: usize) -> Vec<Loop> {
    let functions = module.functions().into_iter().filter(functions);
    let calls = functions.flat_map(|function| function.instructions()).filter(|inst| inst.is_call());
    let of = |call: Inst| {
        let name = call.callee_name();
        let width = ["4u", "8u"].into_iter().find(|width| name.strip_prefix(start) == Some(width))?;
        let given = call.arguments();
        let body = given.get(1)?.strip_casts().as_function()?;
        let promises = given.get(chunk + 1)?.as_constant_int()?;
        let found = Loop {
            module,
            call,
            ident: given[0],
            body,
            argument: given[2],
            iterations: given[3],
            chunk: given[chunk],
            width,
        };
        (promises == 0 && !body.is_declaration()).then_some(found)
    };
    calls.filter_map(of).collect()
}

/// Writes the `distribute` loops with regions in serial code; whether there were any.
pub fn distribute(module: Module, serial: &Serial) -> bool {
    let of_serial_code = |function: &Function| serial.functions.contains(function);
    let mut loops = find(module, of_serial_code, "__kmpc_distribute_static_loop_", 4);
    loops.retain(|of| of.chunk.as_constant_int() == Some(0) && Serial::code_of([of.body]).has_regions());
    loops.iter().for_each(Loop::write_distribute);
    !loops.is_empty()
}

/// Writes the `do` loops with `ordered` regions; whether there were any.
pub fn ordered(module: Module) -> bool {
    if module.function("__kmpc_ordered").is_none() {
        return false;
    }
    let is_ordered = |body: Function| {
        let code = Serial::code_of([body]).functions;
        code.into_iter().any(|code| code.instructions().any(|inst| inst.callee_name() == "__kmpc_ordered"))
    };
    let mut loops = find(module, |_| true, "__kmpc_for_static_loop_", 5);
    loops.retain(|of| is_ordered(of.body));
    loops.iter().for_each(Loop::write_ordered);
    !loops.is_empty()
}

/// What the runtime's functions for loops write to.
struct Variables {
    last: Value,
    lower: Value,
    upper: Value,
    stride: Value,
}

/// The blocks of a loop that is written, and what is known in all of them.
struct Blocks {
    /// Reached if there are iterations.
    start: Block,
    body: Block,
    /// Behind the last iteration of a share.
    done: Block,
    /// What follows the loop.
    end: Block,
}

impl Loop {
    fn number(&self) -> Type {
        self.iterations.ty()
    }

    fn at_end_of(&self, block: Block) -> Builder {
        Builder::at_end_like(block, self.call)
    }

    /// Calls a function of the runtime.
    fn runtime(&self, builder: &Builder, name: &str, returns: Type, given: &[Value]) -> Value {
        let types: Vec<Type> = given.iter().map(|value| value.ty()).collect();
        // A thread may wait for others in all but one.
        let waits = name != THREAD_NUMBER;
        let attributes: &[&str] = if waits { &["convergent", "nounwind"] } else { &["nounwind"] };
        let function = self.module.function_or_declare(name, returns, &types, attributes);
        builder.call(function, given, "").value()
    }

    /// The same for one of those that have a form for each width of numbers.
    fn runtime_of_width(&self, builder: &Builder, name: &str, returns: Type, given: &[Value]) -> Value {
        self.runtime(builder, &format!("{name}_{}", self.width), returns, given)
    }

    fn thread(&self, builder: &Builder) -> Value {
        self.runtime(builder, THREAD_NUMBER, self.module.int_type(32), &[self.ident])
    }

    fn variables(&self) -> Variables {
        let first = Builder::before(self.call.function().entry().first_non_phi());
        let new = |ty: Type, name: &str| first.alloca(ty, &format!("loop.{name}")).value();
        Variables {
            last: new(self.module.int_type(32), "last"),
            lower: new(self.number(), "lower"),
            upper: new(self.number(), "upper"),
            stride: new(self.number(), "stride"),
        }
    }

    /// Makes place for the loop, and jumps over it if there are no iterations.
    fn blocks(&self) -> Blocks {
        let before = self.call.block();
        let end = self.call.next().expect("a call is no terminator").split_before("loop.end");
        let done = end.new_before("loop.done");
        let body = done.new_before("loop.body");
        let start = body.new_before("loop.start");
        before.terminator().erase();
        let builder = self.at_end_of(before);
        let zero = self.number().constant(0);
        let some = builder.compare(Predicate::LLVMIntNE, self.iterations, zero, "loop.some");
        builder.branch_if(some, start, end);
        Blocks { start, body, done, end }
    }

    /// The iterations from `from`, which comes from the block `start`, to `to`; `behind` is done behind each.
    fn write_body(&self, blocks: &Blocks, start: Block, [from, to]: [Value; 2], behind: impl Fn(&Builder)) {
        let builder = self.at_end_of(blocks.body);
        let one = self.number().constant(1);
        let index = builder.phi(self.number(), "loop.index");
        builder.call(self.body, &[index.value(), self.argument], "");
        behind(&builder);
        let is_last = builder.compare(Predicate::LLVMIntEQ, index.value(), to, "loop.is_last");
        let next = builder.add(index.value(), one, "loop.next");
        builder.branch_if(is_last, blocks.done, blocks.body);
        index.add_incoming(from, start);
        index.add_incoming(next, blocks.body);
    }

    /// ```text
    /// start: __kmpc_distribute_static_init; is there a share? body : done
    /// body:  an iteration; was it the last? done : body
    /// done:  __kmpc_distribute_static_fini
    /// ```
    fn write_distribute(&self) {
        let (nothing, int) = (self.module.void_type(), self.module.int_type(32));
        let (zero, one) = (self.number().constant(0), self.number().constant(1));
        let Variables { last, lower, upper, stride } = self.variables();
        let blocks = self.blocks();

        let builder = self.at_end_of(blocks.start);
        let thread = self.thread(&builder);
        let most = builder.subtract(self.iterations, one, "loop.most");
        builder.store(int.constant(0), last);
        builder.store(zero, lower);
        builder.store(most, upper);
        builder.store(one, stride);
        let schedule = int.constant(DISTRIBUTE_STATIC as u64);
        let given = [self.ident, thread, schedule, last, lower, upper, stride, one, one];
        self.runtime_of_width(&builder, "__kmpc_distribute_static_init", nothing, &given);
        let from = builder.load(self.number(), lower, "loop.from").value();
        let share = builder.load(self.number(), upper, "loop.share").value();
        let beyond = builder.compare(Predicate::LLVMIntUGT, share, most, "loop.beyond");
        let to = builder.select(beyond, most, share, "loop.to");
        let any = builder.compare(Predicate::LLVMIntULE, from, to, "loop.any");
        builder.branch_if(any, blocks.body, blocks.done);

        self.write_body(&blocks, blocks.start, [from, to], |_| {});

        let builder = self.at_end_of(blocks.done);
        self.runtime(&builder, "__kmpc_distribute_static_fini", nothing, &[self.ident, thread]);
        builder.branch(blocks.end);
        self.call.erase();
    }

    /// ```text
    /// start: __kmpc_dispatch_init
    /// done:  __kmpc_dispatch_next ? share : end
    /// share: its bounds
    /// body:  an iteration; __kmpc_dispatch_fini; was it the last? done : body
    /// end:   __kmpc_barrier
    /// ```
    fn write_ordered(&self) {
        let (nothing, int) = (self.module.void_type(), self.module.int_type(32));
        let (zero, one) = (self.number().constant(0), self.number().constant(1));
        let Variables { last, lower, upper, stride } = self.variables();
        let blocks = self.blocks();
        let share = blocks.body.new_before("loop.share");

        let builder = self.at_end_of(blocks.start);
        let thread = self.thread(&builder);
        let most = builder.subtract(self.iterations, one, "loop.most");
        let is_chosen = builder.compare(Predicate::LLVMIntEQ, self.chunk, zero, "loop.is_chosen");
        let chunk = builder.select(is_chosen, one, self.chunk, "loop.chunk");
        let schedule = int.constant(ORDERED_STATIC_CHUNK as u64);
        let given = [self.ident, thread, schedule, zero, most, one, chunk];
        self.runtime_of_width(&builder, "__kmpc_dispatch_init", nothing, &given);
        builder.branch(blocks.done);

        let builder = self.at_end_of(blocks.done);
        let given = [self.ident, thread, last, lower, upper, stride];
        let got = self.runtime_of_width(&builder, "__kmpc_dispatch_next", int, &given);
        let more = builder.compare(Predicate::LLVMIntNE, got, int.constant(0), "loop.more");
        builder.branch_if(more, share, blocks.end);

        let builder = self.at_end_of(share);
        let bounds = [lower, upper].map(|variable| builder.load(self.number(), variable, "").value());
        builder.branch(blocks.body);

        self.write_body(&blocks, share, bounds, |builder| {
            self.runtime_of_width(builder, "__kmpc_dispatch_fini", nothing, &[self.ident, thread]);
        });

        // Not by the same number, which is not there if there are no iterations.
        let builder = Builder::before(blocks.end.first_non_phi());
        let thread = self.thread(&builder);
        self.runtime(&builder, "__kmpc_barrier", nothing, &[self.ident, thread]);
        self.call.erase();
    }
}
