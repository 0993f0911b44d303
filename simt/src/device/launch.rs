//! Launches: their shapes are checked, their CTAs handed out to OS threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::{
    Device, Function, LaunchConfig, LaunchStats, MAX_BLOCK, MAX_GRID, MAX_SHARED, MAX_STATIC_SHARED,
    MAX_THREADS, invalid, lock,
};
use crate::code;
use crate::exec::{Launch, printf};
use crate::limit::Budget;
use crate::report::{Report, ReportKind};
use crate::sched::Worker;
use crate::watch::{Off, Watch};

impl Device {
    /// Runs a kernel to its end. `parameters` is the packed parameter block, laid out as [`Function::parameters`] says.
    ///
    /// # Errors
    /// Everything that a kernel can do wrong, and launch shapes that the device or the function does not allow.
    pub fn launch(
        &self,
        function: &Function,
        config: LaunchConfig,
        parameters: &[u8],
    ) -> Result<LaunchStats, Report> {
        let kernel = function.code();
        check_shape(kernel, &config)?;
        if !kernel.undefined.is_empty() {
            let module = &function.module.code;
            let needed_by = format!("kernel `{}`", kernel.name);
            return Err(module.undefined_report(kernel.undefined.iter().copied(), &needed_by));
        }
        let wanted = kernel.param_bytes as usize;
        let Some(parameters) = parameters.get(..wanted) else {
            return Err(invalid(format!(
                "kernel {} takes {wanted} bytes of parameters, the launch gives {}",
                kernel.name,
                parameters.len()
            )));
        };
        crate::host_memory::launch_begins();
        let printed = AtomicBool::new(false);
        let output = |text: &[u8]| {
            match &mut *lock(&self.printf) {
                Some(sink) => sink(text),
                None => printf::print(text),
            }
            printed.store(true, Ordering::Relaxed);
        };
        let launch = Launch {
            module: &function.module.code,
            module_number: function.module.number,
            text: function.module.text.as_deref(),
            entry: function.id,
            config,
            parameters,
            memory: &self.memory,
            base: function.module.base,
            output: &output,
            seed: self.config.seed,
            schedule: self.config.schedule,
            steps: &function.module.steps[function.id.0 as usize],
            limits: Budget::new(self.config.limits),
            tier: self.tier,
            grid_id: self.launches.fetch_add(1, Ordering::Relaxed),
            stop: AtomicBool::new(false),
            clock: self.clock,
        };
        let refused = self.memory.heap().refused;
        let result = self.run(&launch).map_err(|report| match self.memory.heap() {
            // A null pointer that is not looked at is what fails then.
            heap if heap.refused > refused && report.kind == ReportKind::OutOfBounds => {
                report.with(format!("malloc gave null {} times; now in use: {heap}", heap.refused - refused))
            }
            _ => report,
        });
        if printed.load(Ordering::Relaxed) {
            printf::flush();
        }
        result
    }

    /// Runs the CTAs of a launch, observed or not.
    fn run(&self, launch: &Launch<'_>) -> Result<LaunchStats, Report> {
        let ctas = Ctas {
            count: launch.config.grid.iter().map(|&n| u64::from(n)).product(),
            next: AtomicU64::new(0),
            first: Mutex::default(),
            total: Mutex::default(),
        };
        if self.watched.load(Ordering::Acquire) {
            // The lock keeps other launches out.
            let mut watch = lock(&self.watch);
            watch.each(|o| o.launch_start(launch));
            self.work(launch, &ctas, &mut *watch);
            let failed = lock(&ctas.first).is_some();
            watch.each(|o| o.launch_end(launch, failed));
        } else {
            self.spread(launch, &ctas);
        }
        match lock(&ctas.first).take() {
            Some(report) if report.kind == ReportKind::Limit => {
                let begun = ctas.next.load(Ordering::Relaxed).min(ctas.count);
                Err(report.with(format!("{begun} of {} CTAs had begun", ctas.count)))
            }
            Some(report) => Err(report),
            None => Ok(*lock(&ctas.total)),
        }
    }

    /// Hands the CTAs out to OS threads.
    fn spread(&self, launch: &Launch<'_>, ctas: &Ctas) {
        let threads = u64::try_from(self.config.threads).unwrap_or(u64::MAX).clamp(1, ctas.count.max(1));
        std::thread::scope(|scope| {
            for _ in 1..threads {
                let work = || self.work(launch, ctas, &mut Off);
                // Without a further thread the others do its work.
                let _ = std::thread::Builder::new().name("simt".into()).spawn_scoped(scope, work);
            }
            self.work(launch, ctas, &mut Off);
        });
    }

    /// Runs CTAs until there are none left.
    fn work<W: Watch>(&self, launch: &Launch<'_>, ctas: &Ctas, watch: &mut W) {
        let mut worker = lock(&self.workers).pop().unwrap_or_else(Worker::new);
        let mut stats = LaunchStats::default();
        loop {
            if launch.stop.load(Ordering::Relaxed) {
                break;
            }
            let cta = ctas.next.fetch_add(1, Ordering::Relaxed);
            if cta >= ctas.count {
                break;
            }
            if let Err(report) = worker.run(launch, cta, &mut stats, watch) {
                let mut first = lock(&ctas.first);
                match &mut *first {
                    None => *first = Some(report),
                    // Who else was running when the limit was reached.
                    Some(first) if report.kind == ReportKind::Limit => first.context.extend(report.context),
                    Some(_) => {}
                }
                launch.stop.store(true, Ordering::Relaxed);
            }
        }
        let mut total = lock(&ctas.total);
        total.warp_instructions += stats.warp_instructions;
        total.thread_instructions += stats.thread_instructions;
        total.barriers += stats.barriers;
        lock(&self.workers).push(worker);
    }
}

/// The CTAs of a launch, while they run.
struct Ctas {
    count: u64,
    /// The one that is handed out next.
    next: AtomicU64,
    /// What ended the launch early.
    first: Mutex<Option<Report>>,
    total: Mutex<LaunchStats>,
}

/// Threads of a shape, whatever a kernel may say.
pub(super) fn volume(shape: [u32; 3]) -> u64 {
    shape.iter().fold(1, |product: u64, &n| product.saturating_mul(n.into()))
}

/// # Errors
/// A launch shape that the device or the kernel does not allow.
fn check_shape(kernel: &code::Function, config: &LaunchConfig) -> Result<(), Report> {
    let LaunchConfig { grid, block, dynamic_shared } = *config;
    let name = &kernel.name;
    for (what, size, most) in [("grid", grid, MAX_GRID), ("block", block, MAX_BLOCK)] {
        if (0..3).any(|d| size[d] == 0 || size[d] > most[d]) {
            return Err(invalid(format!(
                "launch of {name} with a {what} of {size:?}: each dimension is at least 1 and at most {most:?}"
            )));
        }
    }
    let threads = block.iter().product::<u32>();
    if threads > MAX_THREADS {
        return Err(invalid(format!(
            "launch of {name} with {threads} threads in a block: {MAX_THREADS} are possible"
        )));
    }
    if let Some(required) = kernel.required_threads
        && required != block
    {
        return Err(invalid(format!(
            "launch of {name} with a block of {block:?}: the kernel requires {required:?} (.reqntid)"
        )));
    }
    if let Some(most) = kernel.max_threads
        && u64::from(threads) > volume(most)
    {
        let most = volume(most);
        return Err(invalid(format!(
            "launch of {name} with {threads} threads in a block: the kernel allows {most} (.maxntid)"
        )));
    }
    let fixed = kernel.shared_bytes;
    if fixed > MAX_STATIC_SHARED || dynamic_shared > MAX_SHARED.saturating_sub(fixed) {
        return Err(invalid(format!(
            "launch of {name} with {fixed} bytes of static and {dynamic_shared} of dynamic shared memory: \
             {MAX_STATIC_SHARED} static and {MAX_SHARED} in all are possible"
        )));
    }
    Ok(())
}
