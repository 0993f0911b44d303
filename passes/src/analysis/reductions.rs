//! The runtime's functions that reduce, and the functions that compilers write for them and give them.

use crate::ir::{Function, Inst, Module};

/// The runtime's function for a team.
pub const TEAM: &str = "__kmpc_nvptx_parallel_reduce_nowait_v2";
/// The runtime's function for a league.
pub const LEAGUE: &str = "__kmpc_nvptx_teams_reduce_nowait_v2";
/// For both the argument that is the function which shuffles. The next one copies between warps.
pub const SHUFFLING: [(&str, usize); 2] = [(TEAM, 3), (LEAGUE, 5)];

/// The functions that are argument number `argument` of calls of one of these, with the calls.
pub fn given(module: Module, name: &str, argument: usize) -> Vec<(Inst, Function)> {
    let function =
        |call: Inst| call.arguments().get(argument)?.as_function().map(|function| (call, function));
    calls(module, name).into_iter().filter_map(function).collect()
}

/// The calls of one of these.
pub fn calls(module: Module, name: &str) -> Vec<Inst> {
    let Some(called) = module.function(name) else { return Vec::new() };
    let mut calls = called.value().using_instructions();
    calls.retain(|user| user.callee() == Some(called));
    calls
}
