//! The list of all environment variables: what `omptarget info` shows and the manual describes.

/// A variable that the host runtime, or libomp on its behalf, reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// What holds when it is not set.
    pub default: &'static str,
    /// What it does.
    pub effect: &'static str,
}

macro_rules! variables {
    ($($name:ident = $default:literal: $effect:literal;)+) => {
        /// All variables with an effect.
        pub const VARIABLES: &[Variable] =
            &[$(Variable { name: stringify!($name), default: $default, effect: $effect }),+];
    };
}
variables! {
    OMPTARGET_DEVICE = "auto": "kind of device: auto, cuda, simt, x86 or none";
    OMPTARGET_X86_DEVICES = "1": "how many devices this CPU is, where images are for it: 1 to 16";
    OMP_TARGET_OFFLOAD = "default": "whether constructs run on devices: default, mandatory or disabled";
    OMP_DEFAULT_DEVICE = "0": "device of constructs without a device clause (read by libomp)";
    OMP_NUM_TEAMS = "none": "most teams of a kernel";
    OMP_TEAM_LIMIT = "none": "most teams of a kernel; the lesser of this and OMP_NUM_TEAMS counts";
    OMP_TEAMS_THREAD_LIMIT = "none": "most threads of a team";
    OMP_CANCELLATION = "false": "whether cancel constructs work in kernels";
    OMP_TOOL = "enabled": "whether an OMPT tool may be used (read by libomp)";
    OMP_TOOL_LIBRARIES = "none": "libraries to look for an OMPT tool in (read by libomp)";
    LIBOMPTARGET_INFO = "0": "what is printed, as bits";
    LIBOMPTARGET_DEBUG = "0": "above 0 each operation of a device is printed";
    LIBOFFLOAD_DEBUG = "0": "the same as LIBOMPTARGET_DEBUG";
    LIBOMPTARGET_KERNEL_TRACE = "0": "above 0 one line for each launch; each launch is waited for";
    LIBOMPTARGET_PROFILE = "none": "file for a trace of constructs, copies and launches";
    LIBOMPTARGET_PROFILE_GRANULARITY = "0": "microseconds below which something is left out of the trace";
    LIBOMPTARGET_STACK_SIZE = "the driver's 1024; where kernels call functions through pointers or themselves up to 16384": "stack of a device thread in bytes";
    LIBOMPTARGET_HEAP_SIZE = "the driver's": "heap of malloc on the device in bytes";
    LIBOMPTARGET_SHARED_MEMORY_SIZE = "0": "dynamic shared memory of every kernel in bytes, at least";
    LIBOMPTARGET_MIN_THREADS_FOR_LOW_TRIP_COUNT = "32": "threads of a team when a loop has few iterations";
    LIBOMPTARGET_REUSE_BLOCKS_FOR_HIGH_TRIP_COUNT = "true": "whether a team takes several parts of a long loop";
    LIBOMPTARGET_DEVICE_RTL_DEBUG = "all bits": "which checks of -fopenmp-target-debug are done, as bits";
    LIBOMPTARGET_MEMORY_MANAGER_THRESHOLD = "on a GPU 64 MiB, of blocks beyond 8 KiB a sixteenth of its memory and 1 GiB at most, else 0": "largest freed block in bytes that is kept for reuse, then without a bound for all";
    LIBOMPTARGET_NUM_INITIAL_STREAMS = "1": "streams that a device makes when it is opened";
    LIBOMPTARGET_NUM_INITIAL_EVENTS = "0": "events that a device makes when it is opened";
    LIBOMPTARGET_LOCK_MAPPED_HOST_BUFFERS = "false": "whether memory is page-locked while it is mapped: true, false or mandatory";
    LIBOMPTARGET_MAP_FORCE_ATOMIC = "true": "whether a map waits for another thread's copy of the same data";
    LIBOMPTARGET_TREAT_ATTACH_AUTO_AS_ALWAYS = "false": "whether pointers are attached even where nothing new was mapped";
    OMPTARGET_QUERY_COUNT_MAX = "10": "most vain questions for nowait constructs that a thread counts";
    OMPTARGET_QUERY_COUNT_THRESHOLD = "5": "vain questions beyond which a thread waits for a nowait construct";
    OMPTARGET_QUERY_COUNT_BACKOFF_FACTOR = "0.5": "what the count of questions is multiplied by when a construct is done";
    OMPTARGET_DUMP_OFFLOAD_ENTRIES = "-1": "device whose offload entries are printed when images are loaded";
    LIBOMPTARGET_RECORD = "false": "whether each launch is written to files, to run its kernel again";
    LIBOMPTARGET_RR_DEVMEM_SIZE = "1": "GiB of device memory that a program has while its launches are recorded";
    LIBOMPTARGET_RR_SAVE_OUTPUT = "false": "whether the memory after a recorded launch is written too";
    OMPTARGET_PTX = "auto": "how the driver compiles PTX: whole, as one program; linked, each function once; auto, linked where whole takes long";
    LIBOMPTARGET_JIT_OPT_LEVEL = "3": "level of opt and llc for images of bitcode, 0 to 3";
    LIBOMPTARGET_JIT_SKIP_OPT = "false": "whether images of bitcode go to llc without opt";
    LIBOMPTARGET_JIT_PRE_OPT_IR_MODULE = "none": "file for the IR of an image of bitcode before opt";
    LIBOMPTARGET_JIT_POST_OPT_IR_MODULE = "none": "file for the IR of an image of bitcode behind opt";
    LIBOMPTARGET_JIT_REPLACEMENT_MODULE = "none": "file of IR that is compiled in the place of an image of bitcode";
    LIBOMPTARGET_JIT_REPLACEMENT_OBJECT = "none": "file that takes the place of what llc would write";
    OFFLOAD_TRACK_ALLOCATION_TRACES = "false": "whether a wrong omp_target_free says what the address was";
    OFFLOAD_TRACK_NUM_KERNEL_LAUNCH_TRACES = "0": "how many of the last launches an error of the device lists";
}

/// Variables of LLVM's library that do nothing here, by the begin of their names, and why.
const WITHOUT_EFFECT: &[(&str, &str)] = &[
    ("LIBOMPTARGET_AMDGPU_", "there are no devices of AMD"),
    ("OMPX_APU_MAPS", "there are no devices of AMD"),
    ("OFFLOAD_TRACE", "it belongs to LLVM's liboffload"),
    ("OFFLOAD_DISABLE_VALIDATION", "it belongs to LLVM's liboffload"),
];

/// What is wrong with setting a variable of this name, if anything is.
pub fn complaint(name: &str) -> Option<String> {
    if VARIABLES.iter().any(|variable| variable.name == name) {
        return None;
    }
    if let Some((_, reason)) = WITHOUT_EFFECT.iter().find(|(start, _)| name.starts_with(start)) {
        return Some(format!("{name} has no effect: {reason}"));
    }
    name.starts_with("LIBOMPTARGET_").then(|| format!("{name} has no effect: there is no such variable"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_effect_is_told() {
        assert_eq!(complaint("LIBOMPTARGET_INFO"), None);
        assert_eq!(complaint("HOME"), None);
        assert_eq!(
            complaint("OFFLOAD_TRACE").as_deref(),
            Some("OFFLOAD_TRACE has no effect: it belongs to LLVM's liboffload")
        );
        assert!(complaint("LIBOMPTARGET_AMDGPU_NUM_HSA_QUEUES").unwrap().contains("AMD"));
        assert!(complaint("LIBOMPTARGET_JIT_OPT").unwrap().contains("no such variable"));
        assert_eq!(
            complaint("LIBOMPTARGET_INFOS").as_deref(),
            Some("LIBOMPTARGET_INFOS has no effect: there is no such variable")
        );
    }

    #[test]
    fn the_manual_describes_every_variable() {
        let manual = include_str!("../../../docs/host-runtime.md");
        let without = WITHOUT_EFFECT.iter().map(|(name, _)| *name);
        for name in VARIABLES.iter().map(|variable| variable.name).chain(without) {
            assert!(manual.contains(&format!("`{name}")), "{name} is missing in docs/host-runtime.md");
        }
    }
}
