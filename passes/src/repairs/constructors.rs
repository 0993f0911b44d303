//! Constructors and destructors of a program that use OpenMP.
//!
//! LLVM makes kernels of them (`nvptx$device$init`, `nvptx$device$fini`) that do not call `__kmpc_target_init`: the runtime finds
//! in shared memory what is there by chance. And openmp-opt, for which they are reached from no kernel, folds what they ask the
//! runtime to nothing at all and drops the code behind it (`docs/upstream.md`). So each is called by a function that is a kernel to
//! openmp-opt: one of a single thread, which sets up the state and takes it down.

use crate::analysis::kernel::Kernel;
use crate::analysis::runtime::{Known, known};
use crate::ir::{Builder, Function, Global, Module, Predicate, Value};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The lists of them: structures of a priority, a function and an object.
const LISTS: [&str; 2] = ["llvm.global_ctors", "llvm.global_dtors"];
/// Which element of such a structure is the function.
const FUNCTION: u32 = 1;

/// The attribute that makes a function a kernel to openmp-opt.
const KERNEL: &str = "kernel";

/// Gives them such callers; whether there were any.
pub fn run(module: Module) -> bool {
    let lists = module.globals().into_iter().filter(|global| LISTS.contains(&&*global.value().name()));
    let lists: Vec<Global> = lists.collect();
    if lists.is_empty() {
        return false;
    }
    let mark = mark(module);
    lists.into_iter().fold(false, |any, list| enclose(module, list, mark) | any)
}

fn enclose(module: Module, list: Global, mark: u64) -> bool {
    let Some(initial) = list.initializer() else { return false };
    let entries: Vec<Value> = (0..).map_while(|index| initial.element(index)).collect();
    let enclosed = |entry: &Value| {
        let function = entry.element(FUNCTION)?.strip_casts().as_function()?;
        let wanted = function.string_attribute(KERNEL).is_none() && uses_openmp(function);
        let fields: Vec<Value> = (0..).map_while(|index| entry.element(index)).collect();
        wanted.then(|| module.structure(&[fields[0], caller(module, function, mark).value(), fields[2]]))
    };
    let new: Vec<Option<Value>> = entries.iter().map(enclosed).collect();
    if new.iter().all(Option::is_none) {
        return false;
    }
    let all: Vec<Value> = entries.into_iter().zip(new).map(|(old, new)| new.unwrap_or(old)).collect();
    list.set_initializer(module.array(&all));
    true
}

/// Whether a function may come to one of the runtime that knows the team.
fn uses_openmp(function: Function) -> bool {
    let mut seen = HashSet::from([function]);
    let mut work = vec![function];
    while let Some(function) = work.pop() {
        if function.is_declaration() || function.is_interposable() {
            return true;
        }
        for call in function.instructions().filter(|inst| inst.is_call()) {
            let Some(callee) = call.callee() else {
                if call.called().is_some_and(Value::is_inline_asm) {
                    continue;
                }
                return true;
            };
            match known(callee) {
                Some(Known::Leaf | Known::Uniform | Known::Nothing)
                    if !callee.name().ends_with("_shared") => {}
                Some(_) => return true,
                None if seen.insert(callee) => work.push(callee),
                None => {}
            }
        }
    }
    false
}

/// A function that is a kernel of one thread, and calls this one. Other files can name it, as any kernel: one that they cannot is
/// to openmp-opt what `-g` puts between a kernel and its code.
fn caller(module: Module, function: Function, mark: u64) -> Function {
    let [pointer, number] = [module.pointer_type(), module.int_type(32)];
    // LLVM takes dots, which PTX does not know, from names of this module alone: clang's `_GLOBAL__sub_I_file.cpp` was one.
    let name = function.name().replace(|c: char| !(c.is_ascii_alphanumeric() || c == '$'), "_");
    let kernel = module.add_function(&format!("{name}_openmp_{mark:016x}"), &[]);
    kernel.make_protected();
    let environment = Kernel::add_environment_of_one_thread(kernel);
    let [entry, code, end] =
        ["entry", "user_code.entry", "worker.exit"].map(|name| kernel.append_block(name));
    let init = module.function_or_declare("__kmpc_target_init", number, &[pointer, pointer], &["nounwind"]);
    let deinit = module.function_or_declare("__kmpc_target_deinit", module.void_type(), &[], &["nounwind"]);
    let builder = Builder::at_end_of(entry);
    let answer = builder.call(init, &[environment.value(), pointer.null()], "thread_kind");
    let runs =
        builder.compare(Predicate::LLVMIntEQ, answer.value(), number.constant(u64::from(u32::MAX)), "");
    builder.branch_if(runs, code, end);
    let builder = Builder::at_end_of(code);
    builder.call(function, &[], "");
    builder.call(deinit, &[], "");
    builder.return_void();
    Builder::at_end_of(end).return_void();
    kernel.take_target_of(function);
    kernel.set_string_attribute(KERNEL, "");
    kernel
}

/// What tells a file from others of one program, whose constructors may have the same names: where it is, and what it defines for others.
fn mark(module: Module) -> u64 {
    let mut hasher = DefaultHasher::new();
    module.source().hash(&mut hasher);
    let functions =
        module.functions().into_iter().filter(|function| !function.is_declaration() && !function.is_local());
    let globals =
        module.globals().into_iter().filter(|global| global.initializer().is_some() && !global.is_local());
    functions.for_each(|function| function.name().hash(&mut hasher));
    globals.for_each(|global| global.value().name().hash(&mut hasher));
    hasher.finish()
}
