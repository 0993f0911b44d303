//! The kernels of a module and their environments.

use crate::ir::{Block, Function, Global, Inst, Module, Opcode, Predicate, Value};
use abi::mode::ExecMode;
use std::collections::HashSet;

/// Lanes of a warp.
pub const WARP: u64 = 32;
/// The most threads that a block can have.
pub const BLOCK: u64 = 1024;

/// What stands behind a kernel's name in that of its environment.
const ENVIRONMENT: &str = "_kernel_environment";

/// Where `ConfigurationEnvironmentTy` keeps its fields in the initial value of a kernel's environment.
const USE_GENERIC_STATE_MACHINE: [u32; 2] = [0, 0];
const MAY_USE_NESTED_PARALLELISM: [u32; 2] = [0, 1];
const EXEC_MODE: [u32; 2] = [0, 2];
const MAX_THREADS: [u32; 2] = [0, 4];
const MIN_TEAMS: [u32; 2] = [0, 5];
const MAX_TEAMS: [u32; 2] = [0, 6];
const REDUCTION_DATA_SIZE: [u32; 2] = [0, 7];

/// The attributes that say how many threads a block of it has at most.
pub const MOST_THREADS: [&str; 2] = ["nvvm.maxntid", "omp_target_thread_limit"];

/// A kernel: the function that calls `__kmpc_target_init`. With `-g` that is not the one the host launches.
#[derive(Clone, Copy)]
pub struct Kernel {
    /// The function with the call.
    pub function: Function,
    /// The call.
    pub init: Inst,
    /// `<kernel>_kernel_environment`.
    pub environment: Global,
}

impl Kernel {
    /// The kernel of this function.
    pub fn of(function: Function) -> Option<Self> {
        let init = function.instructions().find(|inst| inst.callee_name() == "__kmpc_target_init")?;
        let environment = init.arguments().first()?.strip_casts().as_global()?;
        environment.initial_element(&EXEC_MODE)?;
        Some(Self { function, init, environment })
    }

    /// All of a module.
    pub fn all(module: Module) -> Vec<Self> {
        module.functions().into_iter().filter_map(Self::of).collect()
    }

    /// Adds the environment that makes `function` the kernel of one thread, which has no wrapper of its regions and no place in the
    /// program.
    pub fn add_environment_of_one_thread(function: Function) -> Global {
        let module = function.module();
        let [byte, number] = [8, 32].map(|bits| module.int_type(bits));
        let modes = [0, 0, ExecMode::SPMD.0].map(|mode| byte.constant(mode.into()));
        let one_each = [1; 4].map(|bound| number.constant(bound));
        let no_reduction = [0; 2].map(|size| number.constant(size));
        let configuration = module.structure(&[&modes[..], &one_each, &no_reduction].concat());
        let null = module.pointer_type().null();
        let environment = module.structure(&[configuration, null, null]);
        module.add_constant(environment, &(function.name() + ENVIRONMENT))
    }

    /// The functions that hosts launch, with how they are executed, also where `__kmpc_target_init` has become part of them.
    pub fn modes(module: Module) -> Vec<(Function, ExecMode)> {
        let mode = |environment: Global| {
            let function = module.function(environment.value().name().strip_suffix(ENVIRONMENT)?)?;
            Some((function, ExecMode(environment.initial_element(&EXEC_MODE)? as u8)))
        };
        module.globals().into_iter().filter_map(mode).collect()
    }

    /// The name that the host knows.
    pub fn name(&self) -> String {
        let name = self.environment.value().name();
        name.strip_suffix(ENVIRONMENT).map_or_else(|| self.function.name(), str::to_owned)
    }

    /// The function that the host launches.
    fn launched(&self) -> Function {
        self.function.module().function(&self.name()).unwrap_or(self.function)
    }

    /// What its calls of the runtime tell tools about their place.
    pub fn ident(&self, module: Module) -> Value {
        let ident = self.environment.initializer().and_then(|value| value.element(1));
        ident.unwrap_or_else(|| module.pointer_type().null())
    }

    /// How it is executed.
    pub fn mode(&self) -> ExecMode {
        ExecMode(self.environment.initial_element(&EXEC_MODE).unwrap_or(0) as u8)
    }

    /// Changes how it is executed.
    pub fn set_mode(&self, mode: ExecMode) {
        self.environment.set_initial_element(&EXEC_MODE, mode.0.into());
    }

    /// The most threads that a team of it has, if the compiler wrote that down: more are not launched.
    pub fn most_threads(&self) -> Option<u64> {
        let launched = self.launched();
        let limit =
            |name: &&str| launched.string_attribute(name)?.parse::<u64>().ok().filter(|threads| *threads > 0);
        MOST_THREADS.iter().find_map(limit)
    }

    /// Changes what the compiler wrote down about it.
    pub fn set_most_threads(&self, threads: u64) {
        self.environment.set_initial_element(&MAX_THREADS, threads);
        let launched = self.launched();
        for name in MOST_THREADS.iter().filter(|name| launched.string_attribute(name).is_some()) {
            launched.set_string_attribute(name, &threads.to_string());
        }
    }

    /// Whether its workers wait in the runtime's loop.
    pub fn uses_generic_state_machine(&self) -> bool {
        self.environment.initial_element(&USE_GENERIC_STATE_MACHINE) != Some(0)
    }

    /// Changes that.
    pub fn set_generic_state_machine(&self, used: bool) {
        self.environment.set_initial_element(&USE_GENERIC_STATE_MACHINE, used.into());
    }

    /// Whether the runtime must expect regions inside of regions.
    pub fn may_nest(&self) -> bool {
        self.environment.initial_element(&MAY_USE_NESTED_PARALLELISM) != Some(0)
    }

    /// Changes that.
    pub fn set_may_nest(&self, may: bool) {
        self.environment.set_initial_element(&MAY_USE_NESTED_PARALLELISM, may.into());
    }

    /// Whether the compiler wrote down how many teams it has.
    pub fn knows_teams(&self) -> bool {
        let known =
            |path: &[u32]| self.environment.initial_element(path).is_some_and(|teams| teams as i32 > 0);
        known(&MIN_TEAMS) || known(&MAX_TEAMS)
    }

    /// Whether it reduces over its teams.
    pub fn reduces_over_teams(&self) -> bool {
        self.reduction_bytes() > 0
    }

    /// The bytes of the variables that it reduces over its teams.
    pub fn reduction_bytes(&self) -> u64 {
        self.environment.initial_element(&REDUCTION_DATA_SIZE).unwrap_or(0)
    }

    /// Changes that.
    pub fn set_reduction_bytes(&self, bytes: u64) {
        self.environment.set_initial_element(&REDUCTION_DATA_SIZE, bytes);
    }

    /// Writes down that it is right with this number of teams or more.
    pub fn set_min_teams(&self, teams: u32) {
        self.environment.set_initial_element(&MIN_TEAMS, teams.into());
    }

    /// The first three bytes of its environment.
    pub fn triple(&self) -> (u64, u64, u64) {
        let byte = |path: &[u32]| self.environment.initial_element(path).unwrap_or(0);
        (byte(&USE_GENERIC_STATE_MACHINE), byte(&MAY_USE_NESTED_PARALLELISM), byte(&EXEC_MODE))
    }

    /// Where user code starts: the way that is taken when `__kmpc_target_init` gives -1. None if the start of the
    /// function does not look like a compiler's.
    pub fn user_code(&self) -> Option<Block> {
        let end = self.init.block().terminator();
        if end.opcode() != Opcode::LLVMBr || end.block().successors().len() != 2 {
            return None;
        }
        let condition = end.operand(0).as_inst().filter(|inst| inst.opcode() == Opcode::LLVMICmp)?;
        let compares_init = condition.operand(0) == self.init.value()
            && condition.operand(1).as_constant_int() == Some(u64::from(u32::MAX));
        let successors = end.block().successors();
        match (compares_init, condition.predicate()?) {
            (true, Predicate::LLVMIntEQ) => Some(successors[0]),
            (true, Predicate::LLVMIntNE) => Some(successors[1]),
            _ => None,
        }
    }

    /// The blocks that are not user code, which starts at `start`: what stands before it, and where the others leave.
    pub fn outside(&self, start: Block) -> HashSet<Block> {
        let entry = self.init.block();
        entry.successors().into_iter().filter(|block| *block != start).chain([entry]).collect()
    }
}
