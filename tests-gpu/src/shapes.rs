//! The shapes of target regions with serial code: the programs of `kernels/spmd`, one table.

use crate::{
    Case, Route,
    cases::{KEEP_GENERIC, STATE_MACHINE},
};

/// What becomes of a program's kernels when the passes run on each of its files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernels {
    /// All are converted.
    Converted,
    /// All stay generic: what they call is in another file, or virtual.
    Kept,
    /// One stays generic for that reason.
    OneKept,
    /// The front end has made all of them SPMD kernels; some are loops that need no parallel region.
    Spmd,
    /// That is so for one, the others are converted.
    ConvertedAndSpmd,
    /// The same, and some of the front end's are loops that need no parallel region.
    ConvertedAndLoops,
}

/// A program.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The source, below `kernels/`.
    pub source: &'static str,
    /// More sources of the program.
    pub units: &'static [&'static str],
    /// What becomes of its kernels.
    pub kernels: Kernels,
}

impl Shape {
    /// It compiled without any pass that converts kernels.
    pub fn generic(&self) -> Case {
        let modes: &[&str] = match self.kernels {
            Kernels::Converted | Kernels::Kept | Kernels::OneKept => &["Generic"],
            Kernels::Spmd => &["SPMD"],
            Kernels::ConvertedAndSpmd | Kernels::ConvertedAndLoops => &["Generic", "SPMD"],
        };
        Case {
            units: self.units,
            modes,
            ..Case::new(self.source, Route::Plain, "generic", &[&["-O2"], KEEP_GENERIC])
        }
    }

    /// It compiled with these options alone.
    pub fn with_options(&self, variant: &'static str, options: &'static [&'static [&'static str]]) -> Case {
        Case { units: self.units, ..Case::new(self.source, Route::Omptarget, variant, options) }
    }

    /// It compiled with the passes on each file alone.
    pub fn converted(&self) -> Case {
        self.with_passes(Route::Plain, "passes")
    }

    /// The same without device LTO, where that can be.
    pub fn converted_alone(&self) -> Option<Case> {
        self.units.is_empty().then(|| self.with_passes(Route::NoLto, "passes-no-lto"))
    }

    /// The same with the passes at the link too, where kernels that stay generic in their file alone are converted.
    pub fn converted_at_link(&self) -> Option<Case> {
        let case = self.with_options("link-time", &[&["-O2"]]);
        let is_kept = matches!(self.kernels, Kernels::Kept | Kernels::OneKept);
        is_kept.then_some(Case { modes: &["Generic-SPMD"], ..case })
    }

    /// The same if kernels are to stay generic: the passes move their variables and write their state machines.
    pub fn kept_generic(&self) -> Case {
        let case = self.with_options("passes-generic", &[&["-O2"], STATE_MACHINE]);
        Case { modes: &["Generic"], ..case }
    }

    fn with_passes(&self, route: Route, variant: &'static str) -> Case {
        let modes: &[&str] = match self.kernels {
            Kernels::Converted => &["Generic-SPMD"],
            Kernels::Kept => &["Generic"],
            Kernels::OneKept => &["Generic", "Generic-SPMD"],
            Kernels::Spmd => &["SPMD", "SPMD-No-Loop"],
            Kernels::ConvertedAndSpmd => &["Generic-SPMD", "SPMD"],
            Kernels::ConvertedAndLoops => &["Generic-SPMD", "SPMD", "SPMD-No-Loop"],
        };
        Case { units: self.units, modes, passes: true, ..Case::new(self.source, route, variant, &[&["-O2"]]) }
    }
}

macro_rules! shapes {
    ($($source:literal $(+ $unit:literal)* $kernels:ident;)+) => {
        /// All of them.
        pub const SHAPES: &[Shape] = &[$(
            Shape {
                source: concat!("spmd/", $source),
                units: &[$(concat!("spmd/", $unit)),*],
                kernels: Kernels::$kernels,
            },
        )+];
    };
}

shapes! {
    "address_of_local_in_global.c" Converted;
    "assumptions_on_extern_calls.c" + "extern_functions.c" Converted;
    "atomic_capture_steers_branch.c" Converted;
    "barrier_and_flush_at_level_0.c" Converted;
    "callee_in_other_tu.c" + "callee_in_other_tu_work.c" Kept;
    "captured_scalar_updated_in_parallel.c" Converted;
    "cg_solver_one_region.c" Converted;
    "clauses_on_locals.c" Converted;
    "combined_constructs_already_spmd.c" Spmd;
    "constructs_in_regions.c" Converted;
    "distribute_parallel_for_of_all_kinds.c" ConvertedAndLoops;
    "distribute_with_serial_code.c" Converted;
    "divisions_around_regions.c" Converted;
    "dynamic_and_guided_schedules.c" Converted;
    "early_return_in_function.c" Converted;
    "extern_call_inside_parallel.c" + "extern_functions.c" Converted;
    "extern_call_unknown.c" + "extern_functions.c" Kept;
    "frontier_loop.c" Converted;
    "function_in_kernels_of_both_modes.c" ConvertedAndSpmd;
    "function_pointer_select.c" Converted;
    "function_pointer_table_extern.c" + "extern_functions.c" Kept;
    "function_pointer_to_parallel.c" Converted;
    "function_shared_by_two_kernels.c" + "extern_functions.c" OneKept;
    "goto_joins.c" Converted;
    "helper_called_serial_and_parallel.c" Converted;
    "icv_queries_and_set_num_threads.c" Converted;
    "if_clause_false_atomic.c" Converted;
    "if_clause_in_loop.c" Converted;
    "inline_asm_in_serial_part.c" Converted;
    "kernels_with_one_local_each.c" Converted;
    "lambda_and_template.cpp" Converted;
    "large_local_array.c" Converted;
    "local_array_filled_serially.c" Converted;
    "local_filled_through_its_address.c" Converted;
    "lock_in_serial_part.c" Converted;
    "loop_bound_in_memory.c" Converted;
    "loops_of_all_kinds.c" Converted;
    "malloc_in_serial_part.c" Converted;
    "memcpy_memset_in_serial_part.c" Converted;
    "memmove_in_serial_part.c" Converted;
    "nested_parallel.c" Converted;
    "new_delete_in_serial_part.cpp" Converted;
    "no_parallel_region.c" Converted;
    "num_threads_from_memory.c" Converted;
    "omp_alloc_in_serial_part.c" Converted;
    "one_of_two_locals.c" Converted;
    "orphaned_constructs.c" Converted;
    "parallel_function_called_at_two_levels.c" Converted;
    "parallel_under_condition_in_loop.c" Converted;
    "path_that_traps.c" Converted;
    "printf_in_serial_part.c" Converted;
    "recursion_calls_itself_last.c" Converted;
    "recursion_mutual.c" Converted;
    "recursion_with_live_local.c" Converted;
    "recursion_with_parallel.c" Converted;
    "repeated_questions_and_empty_regions.c" Converted;
    "serial_code_between_regions.c" Converted;
    "serial_loop_with_stores.c" Converted;
    "serial_sum_then_parallel.c" Converted;
    "single_master_barrier_in_parallel.c" Converted;
    "solver_loop_with_parallel_inside.c" Converted;
    "static_globals_updated_serially.c" Converted;
    "struct_by_value_from_helper.c" Converted;
    "switch_around_parallel.c" Converted;
    "target_teams_team_num.c" Converted;
    "task_in_serial_part.c" Converted;
    "task_inside_parallel.c" Converted;
    "tasks_in_serial_part.c" Converted;
    "teams_distribute_inner_reduction.c" Converted;
    "teams_with_own_loops.c" Converted;
    "uniform_queries.c" Converted;
    "values_of_all_types.c" Converted;
    "virtual_call_in_serial_part.cpp" Kept;
    "volatile_condition.c" Converted;
    "while_loop_with_break.c" Converted;
    "while_on_memory_written_serially.c" Converted;
    "wtime_controlled_loop.c" Converted;
    "wtime_do_loop.c" Converted;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::source;
    use std::collections::BTreeSet;

    #[test]
    fn the_table_is_the_folder() {
        let sources = |shape: &'static Shape| shape.units.iter().chain([&shape.source]);
        let table: BTreeSet<_> = SHAPES.iter().flat_map(sources).map(|name| source(name)).collect();
        let files = std::fs::read_dir(source("spmd")).unwrap().map(|entry| entry.unwrap().path());
        let folder: BTreeSet<_> = files.filter(|path| path.extension().is_some_and(|e| e != "h")).collect();
        assert_eq!(table, folder);
        let names: BTreeSet<_> = SHAPES.iter().map(|shape| shape.source).collect();
        assert_eq!(names.len(), SHAPES.len(), "a program stands twice");
    }
}
