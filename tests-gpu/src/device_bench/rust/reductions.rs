//! The reductions in Rust: inputs on the device, another one for each sample, and what the host knows to be right.

use super::launch::{Memory, Module};
use super::numbers::*;
use super::{Options, print};
use crate::driver::call;
use crate::figures::Unit;
use abi::kernel::KernelLaunchEnvironment;
use anyhow::Result;
use cuda_shim as cu;
use std::ffi::c_void;
use std::time::Instant;

/// For kernels without a reduction over teams.
const NONE: u64 = KernelLaunchEnvironment::NONE;

/// The bench, which is the group of the figures, too.
pub const GROUP: &str = "reductions";

/// Threads of a block where all teams reduce, and most blocks.
const BLOCK: u32 = 256;
const MOST_BLOCKS: u32 = 1024;
/// Shared bytes of a block: a value of each of 32 warps.
const SHARED: u32 = 32 * 16;
/// What one team reduces at most, as in `reductions.c`.
const LARGEST_FOR_A_TEAM: u64 = 1_000_000;

/// Measures all reductions in all sizes.
///
/// # Errors
/// A call of the driver fails, or an argument means nothing.
pub fn measure(module: &Module, options: &Options<'_>) -> Result<()> {
    for &n in &options.sizes {
        macro_rules! measure {
            ($type:ident $name:literal) => {
                Inputs::<$type>::new(module, options, n)?.measure()?;
            };
        }
        for_reductions!(measure);
    }
    Ok(())
}

/// Inputs that a reduction gets in turn.
struct Inputs<'a, R: Reduction> {
    module: &'a Module,
    options: &'a Options<'a>,
    n: u64,
    data: Memory<R::Value>,
    /// What is right for each.
    right: Vec<R::Wide>,
}

/// How the blocks of a launch come to their result.
#[derive(Clone, Copy)]
enum By {
    /// One block, in its own cycles.
    Team(u32),
    /// All of them, in the time of the launch.
    League,
}

impl<'a, R: Reduction> Inputs<'a, R> {
    /// As many as there are samples, and as `reductions.h` has them: so much memory that none is found in a cache.
    fn new(module: &'a Module, options: &'a Options<'a>, n: u64) -> Result<Self> {
        let windows = ((32 << 20) / n).clamp(1, options.samples as u64);
        let data = Memory::uninit((windows * n) as usize)?;
        let mut inputs = Self { module, options, n, data, right: Vec::new() };
        let seed: u32 = fastrand::u32(..);
        for window in 0..windows {
            let mut key = hash(seed.wrapping_add(window as u32));
            let (mut place, mut n) = (inputs.place(window), n);
            let arguments: &mut [*mut c_void] =
                &mut [(&raw mut place).cast(), (&raw mut n).cast(), (&raw mut key).cast()];
            inputs.kernel("input")?.launch(inputs.blocks(), BLOCK, 0, arguments)?;
            inputs.right.push(right_result::<R>(key, n));
        }
        Ok(inputs)
    }

    fn kernel(&self, what: &str) -> Result<super::launch::Function> {
        self.module.function_named(&format!("{}_{what}", R::NAME))
    }

    /// Address of an input.
    fn place(&self, window: u64) -> u64 {
        self.data.address + window * self.n * size_of::<R::Value>() as u64
    }

    fn blocks(&self) -> u32 {
        self.n.div_ceil(BLOCK.into()).min(MOST_BLOCKS.into()) as u32
    }

    fn measure(&self) -> Result<()> {
        self.figure("_teams", By::League, |window, result, cycles| {
            let environment = Environment::<R::Value>::new()?;
            self.launch(
                "teams",
                environment.memory.address,
                (self.blocks(), BLOCK),
                [self.place(window), self.n, result, cycles],
            )
        })?;
        self.figure("_teams_by_hand", By::League, |window, result, cycles| {
            let parts = Memory::<R::Value>::uninit(MOST_BLOCKS as usize)?;
            let blocks = self.blocks();
            let part = [self.place(window), self.n, parts.address, cycles];
            self.launch("by_hand", NONE, (blocks, BLOCK), part)?;
            self.launch("by_hand", NONE, (1, BLOCK), [parts.address, blocks.into(), result, cycles])
        })?;
        if self.n > LARGEST_FOR_A_TEAM {
            return Ok(());
        }
        for &threads in &self.options.threads {
            for (kernel, name) in [("team", "_team"), ("by_hand", "_team_by_hand")] {
                self.figure(name, By::Team(threads), |window, result, cycles| {
                    self.launch(kernel, NONE, (1, threads), [self.place(window), self.n, result, cycles])
                })?;
            }
        }
        Ok(())
    }

    /// Launches so many blocks of so many threads with these arguments.
    fn launch(
        &self,
        kernel: &str,
        environment: u64,
        (blocks, threads): (u32, u32),
        mut arguments: [u64; 4],
    ) -> Result<()> {
        let mut arguments = arguments.each_mut().map(|argument| (&raw mut *argument).cast::<c_void>());
        self.kernel(kernel)?.launch_in(environment, blocks, threads, SHARED, &mut arguments)
    }

    /// Prints the figure of `reduce`, which reduces an input to a place in device memory, and writes what each block took to another one.
    /// Both are poisoned before. The first time is not counted.
    fn figure(&self, ending: &str, by: By, reduce: impl Fn(u64, u64, u64) -> Result<()>) -> Result<()> {
        let (mut samples, mut mistakes) = (Vec::new(), 0);
        for sample in 0..=self.options.samples {
            let window = sample % self.right.len();
            let (result, cycles) =
                (Memory::of(&[[0xa5_u8; 16]])?, Memory::of(&[u64::MAX; MOST_BLOCKS as usize])?);
            let start = Instant::now();
            reduce(window as u64, result.address, cycles.address)?;
            let value = value_at::<R::Value>(result.address)?;
            let seconds = start.elapsed().as_secs_f64();
            mistakes += usize::from(!R::is_right(value, self.right[window]));
            let taken = match by {
                By::League => seconds,
                By::Team(_) => {
                    let cycles = cycles.read()?[0];
                    mistakes += usize::from(cycles == u64::MAX);
                    cycles as f64
                }
            };
            if sample > 0 {
                samples.push(taken);
            }
        }
        let name = format!("{}{ending}", R::NAME);
        let parameters = [("elements", self.n.to_string())].into_iter();
        let (unit, threads) = match by {
            By::League => (Unit::Seconds, None),
            By::Team(threads) => (Unit::Cycles, Some(("threads", threads.to_string()))),
        };
        print(GROUP, &name, parameters.chain(threads), unit, samples, mistakes);
        Ok(())
    }
}

/// What is at a place of the device.
fn value_at<V: Copy + Default>(address: u64) -> Result<V> {
    let mut value = V::default();
    call!(cuMemcpyDtoH_v2((&raw mut value).cast(), address, size_of::<V>()))?;
    Ok(value)
}

/// What a launch gives to a kernel that reduces over teams.
struct Environment<V> {
    memory: Memory<KernelLaunchEnvironment>,
    /// The records, of which the environment has the address.
    _records: Memory<V>,
}

impl<V: Copy> Environment<V> {
    fn new() -> Result<Self> {
        let records = Memory::uninit(MOST_BLOCKS as usize)?;
        let reduction_buffer = records.address;
        let memory = Memory::of(&[KernelLaunchEnvironment { reduction_buffer, ..Default::default() }])?;
        Ok(Self { memory, _records: records })
    }
}
