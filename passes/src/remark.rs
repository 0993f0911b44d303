//! Remarks: what the passes did and why not, with LLVM's numbers and texts.

use crate::ir::{self, Function, Inst, Location, RemarkKind};

/// A remark, as a compiler shows it: `TEXT [OMPnnn]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remark {
    /// OMP100.
    UnknownCaller,
    /// OMP101.
    UsedInUnknownWays,
    /// OMP101.
    UsedInUnexpectedWays,
    /// OMP102.
    NoUniqueKernel,
    /// OMP110.
    MovedToStack,
    /// OMP111, with the number of bytes.
    MovedToSharedMemory(u64),
    /// OMP112.
    Globalized,
    /// OMP113.
    CapturedInCall,
    /// OMP140.
    Interposable,
    /// OMP150, with the places of the other regions.
    Merged(Vec<Option<Location>>),
    /// OMP160.
    DeadRegion,
    /// OMP170, with the function.
    Deduplicated(String),
    /// OMP180, with the function and the answer.
    Folded(String, u64),
    /// OMP190.
    BarrierRemoved,
    /// OMPR100, one of our own.
    LoopsFused,
    /// OMPR101, one of our own.
    NoLoop,
    /// OMPR102, one of our own.
    ChunksJoined,
    /// OMPR110, one of our own, with the number of pieces.
    ReductionCopied(u64),
    /// OMP120.
    Spmd,
    /// OMP121, with the reason where it is not the call itself.
    Blocked(Reason),
    /// OMP130.
    StateMachineRemoved,
    /// OMP131.
    StateMachineRewritten,
    /// OMP132.
    StateMachineFallback,
    /// OMP133.
    UnknownRegions,
}

/// Why a kernel stays generic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A call of code that is not there, and may hold parallel regions.
    UnknownCall,
    /// A call through a pointer; one of the functions that it may call holds a parallel region, or they are not known.
    IndirectCall,
    /// The runtime calls a function of the program.
    Callback,
    /// A parallel region is started in a way that no compiler uses.
    UnknownRegion,
    /// Whether a parallel region is reached is decided by an exception or assembly.
    Terminator,
    /// A parallel region inside of a loop that never ends.
    EndlessLoop,
    /// The address of a variable of a recursive function goes to code that all threads run.
    EscapingVariable,
    /// More than loads and stores use a pointer into the stack to a variable whose address all threads get.
    LocalPointer,
    /// The start of the kernel is not what a compiler writes.
    UnknownKernel,
}

impl Reason {
    /// What to change, in words for the user; empty where LLVM's own text says it.
    pub fn advice(self) -> &'static str {
        match self {
            Self::UnknownCall => "",
            Self::IndirectCall => {
                "The call goes through a pointer to functions that are not all known here, or that hold parallel \
                 regions: call the function by its name, or convert when all files are linked."
            }
            Self::Callback => "The runtime calls back a function that may hold a parallel region.",
            Self::UnknownRegion => "The parallel region is started in an unknown way.",
            Self::Terminator => "An exception or assembly decides whether a parallel region is reached.",
            Self::EndlessLoop => "A parallel region stands in a loop that never ends.",
            Self::EscapingVariable => {
                "The address of a local variable of a recursive function goes to a function with a parallel region."
            }
            Self::LocalPointer => {
                "LLVM uses a variable that all threads shall reach as one of the stack: convert before it optimises."
            }
            Self::UnknownKernel => "The kernel does not start as compilers write it.",
        }
    }
}

impl Remark {
    /// Its number.
    pub fn id(&self) -> &'static str {
        match self {
            Self::UnknownCaller => "OMP100",
            Self::UsedInUnknownWays | Self::UsedInUnexpectedWays => "OMP101",
            Self::NoUniqueKernel => "OMP102",
            Self::MovedToStack => "OMP110",
            Self::MovedToSharedMemory(_) => "OMP111",
            Self::Globalized => "OMP112",
            Self::CapturedInCall => "OMP113",
            Self::Interposable => "OMP140",
            Self::Merged(_) => "OMP150",
            Self::DeadRegion => "OMP160",
            Self::Deduplicated(_) => "OMP170",
            Self::Folded(..) => "OMP180",
            Self::BarrierRemoved => "OMP190",
            Self::LoopsFused => "OMPR100",
            Self::NoLoop => "OMPR101",
            Self::ChunksJoined => "OMPR102",
            Self::ReductionCopied(_) => "OMPR110",
            Self::Spmd => "OMP120",
            Self::Blocked(_) => "OMP121",
            Self::StateMachineRemoved => "OMP130",
            Self::StateMachineRewritten => "OMP131",
            Self::StateMachineFallback => "OMP132",
            Self::UnknownRegions => "OMP133",
        }
    }

    /// Which of the compiler's options shows it.
    pub fn kind(&self) -> RemarkKind {
        match self {
            Self::MovedToStack
            | Self::MovedToSharedMemory(_)
            | Self::Spmd
            | Self::LoopsFused
            | Self::NoLoop
            | Self::ChunksJoined
            | Self::ReductionCopied(_)
            | Self::Merged(_)
            | Self::DeadRegion
            | Self::Deduplicated(_)
            | Self::Folded(..)
            | Self::BarrierRemoved
            | Self::StateMachineRemoved
            | Self::StateMachineRewritten => RemarkKind::Passed,
            Self::Globalized | Self::CapturedInCall => RemarkKind::Missed,
            Self::UnknownCaller
            | Self::UsedInUnknownWays
            | Self::UsedInUnexpectedWays
            | Self::NoUniqueKernel
            | Self::Interposable
            | Self::Blocked(_)
            | Self::StateMachineFallback
            | Self::UnknownRegions => RemarkKind::Analysis,
        }
    }

    /// Its text.
    pub fn message(&self) -> String {
        let text = match self {
            Self::UnknownCaller => "Potentially unknown OpenMP target region caller.",
            Self::UsedInUnknownWays => {
                "Parallel region is used in unknown ways. Will not attempt to rewrite the state machine."
            }
            Self::UsedInUnexpectedWays => {
                "Parallel region is used in unexpected ways. Will not attempt to rewrite the state machine."
            }
            Self::NoUniqueKernel => {
                "Parallel region is not called from a unique kernel. Will not attempt to rewrite the state machine."
            }
            Self::MovedToStack => "Moving globalized variable to the stack.",
            Self::MovedToSharedMemory(1) => "Replaced globalized variable with 1 byte of shared memory.",
            Self::MovedToSharedMemory(bytes) => {
                return format!("Replaced globalized variable with {bytes} bytes of shared memory.");
            }
            Self::Globalized => {
                "Found thread data sharing on the GPU. Expect degraded performance due to data globalization."
            }
            Self::CapturedInCall => {
                "Could not move globalized variable to the stack. Variable is potentially captured in call. Mark \
                 parameter as `__attribute__((noescape))` to override."
            }
            Self::Interposable => "Could not internalize function. Some optimizations may not be possible.",
            Self::Merged(others) => {
                let place = |at: &Option<Location>| {
                    at.as_ref().map_or_else(|| "<UNKNOWN LOCATION>".to_owned(), Location::to_string)
                };
                let places: Vec<String> = others.iter().map(place).collect();
                let regions = if places.len() == 1 { "region" } else { "regions" };
                return format!("Parallel region merged with parallel {regions} at {}.", places.join(", "));
            }
            Self::DeadRegion => "Removing parallel region with no side-effects.",
            Self::Deduplicated(name) => return format!("OpenMP runtime call {name} deduplicated."),
            Self::Folded(name, answer) => {
                return format!("Replacing OpenMP runtime call {name} with {answer}.");
            }
            Self::BarrierRemoved => "Redundant barrier eliminated.",
            Self::LoopsFused => "The loop over teams and the loop over threads are one.",
            Self::NoLoop => {
                "Each thread of the league runs its iteration, without a parallel region of the runtime."
            }
            Self::ChunksJoined => {
                "The loop over a thread's chunks and the loop over a chunk's one iteration are one."
            }
            Self::ReductionCopied(1) => {
                "The warps hand over what they have reduced behind one barrier instead of two."
            }
            Self::ReductionCopied(pieces) => {
                return format!(
                    "The warps hand over what they have reduced at once, behind one barrier, instead of in {pieces} pieces."
                );
            }
            Self::Spmd => "Transformed generic-mode kernel to SPMD-mode.",
            Self::Blocked(Reason::UnknownCall) => {
                "Value has potential side effects preventing SPMD-mode execution. Add \
                 `[[omp::assume(\"ompx_spmd_amenable\")]]` to the called function to override."
            }
            Self::Blocked(reason) => {
                return format!(
                    "Value has potential side effects preventing SPMD-mode execution. {}",
                    reason.advice()
                );
            }
            Self::StateMachineRemoved => "Removing unused state machine from generic-mode kernel.",
            Self::StateMachineRewritten => "Rewriting generic-mode kernel with a customized state machine.",
            Self::StateMachineFallback => {
                "Generic-mode kernel is executed with a customized state machine that requires a fallback."
            }
            Self::UnknownRegions => {
                "Call may contain unknown parallel regions. Use `[[omp::assume(\"omp_no_parallelism\")]]` to override."
            }
        };
        text.to_owned()
    }
}

/// Where a remark points.
#[derive(Clone, Copy, Debug)]
pub enum Site {
    /// An instruction.
    Inst(Inst),
    /// A whole function.
    Function(Function),
}

impl From<Inst> for Site {
    fn from(inst: Inst) -> Self {
        Self::Inst(inst)
    }
}

/// A remark that was given.
#[derive(Clone, Debug)]
pub struct Given {
    /// What.
    pub remark: Remark,
    /// The function that it is about.
    pub function: String,
    /// The place in the source.
    pub location: Option<Location>,
    /// The function that is called there; empty if none is called by its name.
    pub callee: String,
}

/// Takes the remarks of a run: they go to the compiler, and are kept.
#[derive(Default)]
pub struct Remarks {
    /// All that were given, in order.
    pub given: Vec<Given>,
}

impl Remarks {
    /// Gives a remark.
    pub fn give(&mut self, remark: Remark, site: impl Into<Site>) {
        let site = site.into();
        let (at, function, location, callee) = match site {
            Site::Inst(inst) => (Ok(inst), inst.function(), inst.location(), inst.callee_name()),
            Site::Function(function) => (Err(function), function, None, String::new()),
        };
        ir::emit_remark(remark.kind(), remark.id(), at, &remark.message());
        self.given.push(Given { remark, function: function.name(), location, callee });
    }
}
