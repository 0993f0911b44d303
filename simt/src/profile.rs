//! The profile: an observer that counts what kernels do, instruction by instruction, and writes a page about it.
//!
//! Nothing here is a time on a GPU. Counts are those of the program, whatever the interpreter's speed; the only times are
//! those of the interpreter, for the timeline.

mod class;
mod figures;
mod page;

use crate::code::{FunctionId, Module, Op, SourceLine, WINDOW_SHIFT};
use crate::exec::warp::Warp;
use crate::exec::{CtaState, Launch, lanes_of};
use crate::mem::Memory;
use crate::watch::{At, HostEvent, MemoryAccess, Observer};
use crate::{code, code::Inst, code::Space};
use class::Class;
use figures::Figures;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Launches that are kept one by one; later ones count in the sums of their kernels alone.
const MOST_LAUNCHES: usize = 20_000;
/// Changes of the memory in use that are kept.
const MOST_SAMPLES: usize = 5_000;

/// What is kept of a function of a module.
struct FunctionText {
    name: String,
    /// PTX line of each instruction.
    lines: Vec<u32>,
    /// Source line of each instruction, if known.
    source: Vec<Option<SourceLine>>,
    classes: Vec<Class>,
}

/// What is kept of a module.
struct ModuleText {
    functions: Vec<FunctionText>,
    files: HashMap<u32, String>,
    ptx: String,
}

impl ModuleText {
    fn new(module: &Module, ptx: &str) -> Self {
        let of = |f: &code::Function| FunctionText {
            name: f.name.clone(),
            lines: f.lines.clone(),
            source: (0..f.code.len() as u32)
                .map(|pc| f.source_at(pc).map(|span| span.at).filter(|at| at.line != 0))
                .collect(),
            classes: f.code.iter().map(|inst| Class::of(&inst.op)).collect(),
        };
        let functions = module.functions.iter().map(of).collect();
        Self { functions, files: module.files.clone(), ptx: ptx.to_owned() }
    }
}

/// What is known of a kernel, all its launches together.
struct Kernel {
    module: u64,
    entry: FunctionId,
    launches: u64,
    ctas: u64,
    time: Duration,
    /// Executions by number of active lanes; the first place is not used.
    lanes: [u64; 33],
    /// For each function of the module that it has come to, each instruction.
    code: Vec<Vec<Figures>>,
}

/// One launch.
struct LaunchRecord {
    kernel: usize,
    start: Duration,
    time: Duration,
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    executions: u64,
    threads: u64,
    failed: bool,
}

/// Lanes that wait at a barrier.
struct Waiting {
    barrier: u32,
    warp: usize,
    function: usize,
    pc: u32,
}

/// The observer.
pub struct Profile {
    path: PathBuf,
    /// The folder that names of source files count from.
    folder: PathBuf,
    memory: Arc<Memory>,
    started: Instant,
    modules: HashMap<u64, ModuleText>,
    kernels: Vec<Kernel>,
    numbers: HashMap<(u64, FunctionId), usize>,
    launches: Vec<LaunchRecord>,
    launch_count: u64,
    /// Bytes in use, whenever that changes.
    samples: Vec<(Duration, u64)>,
    peak: u64,
    /// The kernel that runs.
    kernel: usize,
    launch_start: Duration,
    /// Executions and lanes of the launch.
    counted: (u64, u64),
    /// A time for each warp of the CTA: instructions that it has executed and waited for.
    clocks: Vec<u64>,
    /// The last barrier instruction of each warp: function and instruction.
    at_barrier: Vec<(usize, u32)>,
    waiting: Vec<Waiting>,
}

impl Profile {
    /// A profile whose page goes to `path`.
    pub fn new(path: PathBuf, memory: Arc<Memory>) -> Self {
        let (free, total) = memory.info();
        Self {
            path,
            folder: std::env::current_dir().unwrap_or_default(),
            memory,
            started: Instant::now(),
            modules: HashMap::new(),
            kernels: Vec::new(),
            numbers: HashMap::new(),
            launches: Vec::new(),
            launch_count: 0,
            samples: vec![(Duration::ZERO, total - free)],
            peak: total - free,
            kernel: 0,
            launch_start: Duration::ZERO,
            counted: (0, 0),
            clocks: Vec::new(),
            at_barrier: Vec::new(),
            waiting: Vec::new(),
        }
    }

    /// Looks at how much memory is in use.
    fn sample(&mut self) {
        let (free, total) = self.memory.info();
        let used = total - free;
        self.peak = self.peak.max(used);
        if self.samples.last().is_some_and(|(_, last)| *last != used) && self.samples.len() < MOST_SAMPLES {
            self.samples.push((self.started.elapsed(), used));
        }
    }

    /// The counts of an instruction of the running kernel.
    fn figures(&mut self, function: usize, pc: u32) -> &mut Figures {
        let code = &mut self.kernels[self.kernel].code[function];
        if code.is_empty() {
            let module = self.kernels[self.kernel].module;
            let length = self.modules[&module].functions[function].lines.len();
            self.kernels[self.kernel].code[function] = vec![Figures::default(); length];
        }
        &mut self.kernels[self.kernel].code[function][pc as usize]
    }

    /// Counts an execution by `lanes`.
    fn count(&mut self, at: &At<'_, '_>, lanes: u32) {
        let function = function_of(at);
        let threads = u64::from(lanes.count_ones());
        self.counted.0 += 1;
        self.counted.1 += threads;
        self.clocks[at.warp.index as usize] += 1;
        self.kernels[self.kernel].lanes[threads as usize] += 1;
        let figures = self.figures(function, at.pc);
        figures.executions += 1;
        figures.threads += threads;
    }

    /// Writes the page. A page that cannot be written is told, and is no reason to end a program.
    fn write(&self) {
        if let Err(error) = std::fs::write(&self.path, page::html(self)) {
            eprintln!("omptarget: {}={}: {error}", crate::env::REPORT, self.path.display());
        }
    }
}

/// The function that runs.
fn function_of(at: &At<'_, '_>) -> usize {
    at.warp.frames[at.frame as usize].function.0 as usize
}

impl Observer for Profile {
    fn wants_instructions(&self) -> bool {
        true
    }

    fn launch_start(&mut self, launch: &Launch<'_>) {
        let key = (launch.module_number, launch.entry);
        let text = launch.text.unwrap_or_default();
        self.modules.entry(key.0).or_insert_with(|| ModuleText::new(launch.module, text));
        self.kernel = *self.numbers.entry(key).or_insert_with(|| {
            self.kernels.push(Kernel {
                module: key.0,
                entry: key.1,
                launches: 0,
                ctas: 0,
                time: Duration::ZERO,
                lanes: [0; 33],
                code: vec![Vec::new(); launch.module.functions.len()],
            });
            self.kernels.len() - 1
        });
        self.counted = (0, 0);
        self.sample();
        self.launch_start = self.started.elapsed();
    }

    fn launch_end(&mut self, launch: &Launch<'_>, failed: bool) {
        let start = self.launch_start;
        let time = self.started.elapsed() - start;
        let kernel = &mut self.kernels[self.kernel];
        kernel.launches += 1;
        kernel.time += time;
        self.launch_count += 1;
        if self.launches.len() < MOST_LAUNCHES {
            self.launches.push(LaunchRecord {
                kernel: self.kernel,
                start,
                time,
                grid: launch.config.grid,
                block: launch.config.block,
                shared: launch.module.shared_bytes + launch.config.dynamic_shared,
                executions: self.counted.0,
                threads: self.counted.1,
                failed,
            });
        }
        self.sample();
        if failed {
            // The program may not come to its end.
            self.write();
        }
    }

    fn cta_start(&mut self, launch: &Launch<'_>, _: &CtaState) {
        let warps = (launch.config.block.iter().product::<u32>() as usize).div_ceil(code::LANES);
        self.kernels[self.kernel].ctas += 1;
        self.clocks.clear();
        self.clocks.resize(warps, 0);
        self.at_barrier.clear();
        self.at_barrier.resize(warps, (0, 0));
        self.waiting.clear();
    }

    fn instruction(&mut self, at: &At<'_, '_>, inst: &Inst, mask: u32) {
        self.count(at, at.lanes);
        match inst.op {
            Op::Branch { .. } if inst.guard != code::Guard::ALWAYS => {
                let taken = at.registers.mask & mask;
                let figures = self.figures(function_of(at), at.pc);
                figures.branches += 1;
                figures.splits += u64::from(taken != mask);
            }
            Op::Barrier { .. } => self.at_barrier[at.warp.index as usize] = (function_of(at), at.pc),
            _ => {}
        }
    }

    fn skipped(&mut self, at: &At<'_, '_>, inst: &Inst) {
        // A branch that no lane takes is executed by all, anything else by none.
        if let Op::Branch { .. } = inst.op {
            self.count(at, at.lanes);
            self.figures(function_of(at), at.pc).branches += 1;
        } else {
            self.count(at, 0);
        }
    }

    fn accessed(&mut self, at: &At<'_, '_>, _: &Op, access: &MemoryAccess) {
        let mut lanes = [0u32; 3];
        let all = match access.space {
            Space::Global | Space::Const => [at.lanes, 0, 0],
            Space::Shared => [0, at.lanes, 0],
            Space::Local => [0, 0, at.lanes],
            // Each lane by the window that its address lies in.
            _ => {
                for lane in lanes_of(at.lanes) {
                    if let Some(space) = lanes.get_mut((access.addresses[lane] >> WINDOW_SHIFT) as usize) {
                        *space |= 1 << lane;
                    }
                }
                lanes
            }
        };
        let figures = self.figures(function_of(at), at.pc);
        let [global, shared, local] = all;
        if global != 0 {
            figures.add_global(&access.addresses, global, access.bytes);
        }
        if shared != 0 {
            figures.add_shared(&access.addresses, shared, access.bytes);
        }
        if local != 0 {
            figures.add_local(local, access.bytes);
        }
    }

    fn arrive(&mut self, _: &Launch<'_>, _: &CtaState, warp: &Warp, id: u32, _: u32) {
        let index = warp.index as usize;
        let (function, pc) = self.at_barrier[index];
        self.figures(function, pc).arrivals += 1;
        self.waiting.push(Waiting { barrier: id, warp: index, function, pc });
    }

    fn barrier(&mut self, _: &Launch<'_>, _: &CtaState, _: &[Warp], id: u32, _: &[u32]) {
        let waiting = std::mem::take(&mut self.waiting);
        let (done, left): (Vec<_>, Vec<_>) = waiting.into_iter().partition(|w| w.barrier == id);
        self.waiting = left;
        // All go on when the last one has come; a warp may wait in several groups.
        let last = done.iter().map(|w| self.clocks[w.warp]).max().unwrap_or(0);
        for Waiting { warp, function, pc, .. } in done {
            let wait = last - self.clocks[warp];
            self.clocks[warp] = last;
            self.figures(function, pc).wait += wait;
        }
    }

    fn malloc(&mut self, _: &At<'_, '_>, _: usize, _: u64, _: u64) {
        self.sample();
    }

    fn host(&mut self, event: HostEvent) {
        if let HostEvent::Alloc { .. } | HostEvent::Free { .. } = event {
            self.sample();
        }
    }

    fn finish(&mut self) {
        self.write();
    }
}
