//! How many teams and threads a kernel gets: a pure function with LLVM 22's arithmetic for NVIDIA GPUs
//! (`GenericKernelTy::getNumThreads` and `getNumBlocks`), and three rules of our own for long loops:
//!
//! - Teams that take several iterations are as many as run at once, or a multiple of that. With 3200, as LLVM has it, and 2112 at
//!   once, a GPU is half empty while the last third runs.
//! - Teams that reduce are no more than run at once.
//! - Teams whose threads have an iteration each are large where the kernel may have that.

pub use abi::kernel::{DEFAULT_TEAM_THREADS as DEFAULT_THREADS, LARGE_TEAM_THREADS};
use abi::mode::ExecMode;

/// Teams of a kernel whose trip count is unknown, and about the bound beyond which teams take several iterations.
pub const DEFAULT_TEAMS: u32 = 3200;
/// A loop is long enough for large teams if the device's threads have so many iterations each.
const ROUNDS_OF_LARGE_TEAMS: u64 = 4;
/// Threads of a warp.
pub const WARP_SIZE: u32 = 32;

/// What the device and the environment variables allow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Most threads of a block: the device's bound.
    pub max_threads: u32,
    /// `OMP_TEAMS_THREAD_LIMIT`: most threads of a team.
    pub max_team_threads: u32,
    /// Most teams: the device's bound, lowered by `OMP_NUM_TEAMS` and `OMP_TEAM_LIMIT`.
    pub max_teams: u32,
    /// `LIBOMPTARGET_MIN_THREADS_FOR_LOW_TRIP_COUNT`.
    pub min_threads_for_low_trip_count: u32,
    /// `LIBOMPTARGET_REUSE_BLOCKS_FOR_HIGH_TRIP_COUNT`.
    pub reuse_blocks: bool,
    /// Threads that the device runs at once.
    pub threads_at_once: u64,
}

/// What is known about the kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KernelBounds {
    /// Its execution mode.
    pub mode: ExecMode,
    /// Of a no-loop kernel: whether it has a loop all the same for leagues with fewer threads than iterations. Of one that
    /// reduces over its teams: whether it is to get few.
    pub any_league: bool,
    /// Whether it reduces over its teams.
    pub reduces: bool,
    /// Least threads of its environment; at most 0 when unknown.
    pub min_threads: i32,
    /// Most threads of its environment; at most 0 when unknown.
    pub max_threads: i32,
    /// Most threads that its registers allow.
    pub function_max_threads: u32,
    /// Threads of it that the device runs at once, if that is known.
    pub threads_at_once: Option<u64>,
    /// Of a no-loop kernel: whether its teams may have [`LARGE_TEAM_THREADS`] without that fewer of its threads run at once.
    pub large_teams: bool,
}

/// What the construct asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Request {
    /// Teams in x, y, z; 0 in x is unspecified, in y and z it means 1.
    pub num_teams: [u32; 3],
    /// Thread limit in x, y, z; 0 in x is unspecified, in y and z it means 1.
    pub thread_limit: [u32; 3],
    /// Iterations of the associated loop; 0 when unknown, which does not mean that there are none.
    pub trip_count: u64,
}

/// Grid and block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y, z.
    pub block: [u32; 3],
}

/// Grid and block of one launch.
pub fn shape(limits: &Limits, kernel: &KernelBounds, request: &Request) -> Shape {
    let [teams, teams_y, teams_z] = request.num_teams;
    let [_, threads_y, threads_z] = request.thread_limit;
    let (x_teams, x_threads) = if kernel.mode == ExecMode::BARE {
        (teams.max(1), request.thread_limit[0].max(1))
    } else {
        let count = threads_of_team(limits, kernel, request);
        teams_and_threads(limits, kernel, request, count)
    };
    Shape {
        grid: [x_teams, teams_y.max(1), teams_z.max(1)],
        block: [x_threads, threads_y.max(1), threads_z.max(1)],
    }
}

fn threads_of_team(limits: &Limits, kernel: &KernelBounds, request: &Request) -> u32 {
    // The main thread of a generic kernel has a warp of its own beside the workers.
    let main = if kernel.mode == ExecMode::GENERIC { WARP_SIZE } else { 0 };
    let of_team = limits.max_team_threads.saturating_add(main);
    let mut most = limits.max_threads.min(kernel.function_max_threads).min(of_team);
    if kernel.max_threads > 0 {
        most = most.min(kernel.max_threads as u32);
    }
    let is_long = || {
        let at_once = kernel.threads_at_once.unwrap_or(u64::MAX);
        let teams = request.trip_count / u64::from(LARGE_TEAM_THREADS);
        request.num_teams[0] == 0
            && request.trip_count / ROUNDS_OF_LARGE_TEAMS >= at_once
            && teams >= DEFAULT_TEAMS.into()
    };
    let wanted = match request.thread_limit[0] {
        0 if kernel.large_teams && most >= LARGE_TEAM_THREADS && is_long() => LARGE_TEAM_THREADS,
        0 => DEFAULT_THREADS.max(kernel.min_threads.max(0) as u32),
        limit => limit.saturating_add(main),
    };
    most.min(wanted).max(1)
}

fn teams_and_threads(limits: &Limits, kernel: &KernelBounds, request: &Request, threads: u32) -> (u32, u32) {
    let no_loop = kernel.mode == ExecMode::SPMD_NO_LOOP;
    let (teams, trips) = (request.num_teams[0], request.trip_count);
    let cap = |teams: u64| teams.min(limits.max_teams.into()).max(1) as u32;
    if teams > 0 {
        return (cap(teams.into()), threads);
    }
    if no_loop && !kernel.any_league {
        // Each thread does one iteration: fewer teams than that, as `OMP_NUM_TEAMS` may ask for, would leave some out. More
        // than there can be is an error of the launch.
        return (u32::try_from(trips.div_ceil(threads.into()).max(1)).unwrap_or(u32::MAX), threads);
    }
    let default_teams = u64::from(DEFAULT_TEAMS);
    // Each team of a reduction hands in a result, and the last one adds up all of them: that costs more than the iterations that
    // a thread of fewer teams then has more, as long as all threads of the device have some.
    let hands_in = kernel.reduces && kernel.any_league && limits.reuse_blocks;
    let (wanted, threads) = match (kernel.mode, trips) {
        (_, 0) => (default_teams, threads),
        (ExecMode::SPMD | ExecMode::SPMD_NO_LOOP, trips) => {
            let fewer = spmd_threads(limits, request.thread_limit[0] > 0, trips, threads);
            let share = if hands_in { threads } else { fewer };
            (trips.div_ceil(share.into()), fewer)
        }
        (_, trips) => (trips, threads),
    };
    // Of small teams fewer threads may run at once: a multiprocessor has a bound for blocks, too.
    let at_once = kernel.threads_at_once.filter(|_| threads >= DEFAULT_THREADS);
    let at_once = at_once.map(|all| (all / u64::from(threads)).max(1));
    let most = if hands_in {
        default_teams.min(at_once.unwrap_or(limits.threads_at_once / u64::from(threads)))
    } else if limits.reuse_blocks && !no_loop {
        at_once.map_or(default_teams, |at_once| nearest_multiple(default_teams, at_once))
    } else {
        u64::MAX
    };
    (cap(wanted.min(most)), threads)
}

/// The multiple of `of` that is nearest to `number`, and not 0.
fn nearest_multiple(number: u64, of: u64) -> u64 {
    ((number + of / 2) / of).max(1) * of
}

/// A combined loop gets one iteration a thread. When that would leave too few teams, the teams get smaller.
fn spmd_threads(limits: &Limits, limit_from_user: bool, trips: u64, threads: u32) -> u32 {
    let default_teams = u64::from(DEFAULT_TEAMS);
    let least = limits.min_threads_for_low_trip_count.min(threads);
    if trips >= default_teams * u64::from(threads) || limit_from_user {
        threads
    } else if trips >= default_teams * u64::from(least) {
        // Below the bound of the branch above, so the quotient is at most `threads`.
        let full_grid = trips.div_ceil(default_teams).next_power_of_two();
        u64::from(threads).min(full_grid) as u32
    } else {
        least
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits {
        max_threads: 1024,
        max_team_threads: u32::MAX,
        max_teams: i32::MAX as u32,
        min_threads_for_low_trip_count: 32,
        reuse_blocks: true,
        threads_at_once: 132 * 2048,
    };

    fn kernel(mode: ExecMode) -> KernelBounds {
        KernelBounds {
            mode,
            any_league: false,
            reduces: false,
            min_threads: 1,
            max_threads: 128,
            function_max_threads: 1024,
            threads_at_once: None,
            large_teams: false,
        }
    }

    /// (teams, threads) in x.
    fn x(limits: &Limits, kernel: &KernelBounds, teams: u32, limit: u32, trip_count: u64) -> (u32, u32) {
        let request = Request { num_teams: [teams, 0, 0], thread_limit: [limit, 0, 0], trip_count };
        let shape = shape(limits, kernel, &request);
        assert_eq!((shape.grid[1], shape.grid[2], shape.block[1], shape.block[2]), (1, 1, 1, 1));
        (shape.grid[0], shape.block[0])
    }

    #[test]
    fn table() {
        use ExecMode as M;
        // mode, num_teams, thread_limit, trip count -> teams, threads
        for (mode, teams, limit, trips, expected) in [
            // LLVM 22 gave this one on a recorded driver.
            (M::SPMD, 0, 0, 1000, (32, 32)),
            (M::SPMD, 0, 0, 1, (1, 32)),
            (M::SPMD, 0, 0, 3200 * 32 - 1, (3200, 32)),
            (M::SPMD, 0, 0, 3200 * 32, (3200, 32)),
            (M::SPMD, 0, 0, 3200 * 32 + 1, (1601, 64)),
            (M::SPMD, 0, 0, 3200 * 64, (3200, 64)),
            (M::SPMD, 0, 0, 3200 * 100, (2500, 128)),
            (M::SPMD, 0, 0, 3200 * 128, (3200, 128)),
            (M::SPMD, 0, 0, 10_000_000, (3200, 128)),
            (M::SPMD, 0, 0, u64::MAX, (3200, 128)),
            (M::SPMD, 0, 64, 1000, (16, 64)),
            (M::SPMD, 0, 16, 1000, (63, 16)),
            (M::SPMD, 0, 0, 0, (3200, 128)),
            (M::SPMD, 7, 0, 1000, (7, 128)),
            (M::SPMD, 7, 2000, 0, (7, 128)),
            (M::GENERIC, 0, 0, 0, (3200, 128)),
            (M::GENERIC, 1, 0, 0, (1, 128)),
            (M::GENERIC, 1, 64, 0, (1, 96)),
            (M::GENERIC, 1, 128, 0, (1, 128)),
            (M::GENERIC, 0, 0, 50, (50, 128)),
            (M::GENERIC, 0, 0, 5000, (3200, 128)),
            (M::GENERIC_SPMD, 1, 64, 0, (1, 64)),
            (M::GENERIC_SPMD, 0, 0, 50, (50, 128)),
            (M::SPMD_NO_LOOP, 0, 0, 1000, (8, 128)),
            (M::SPMD_NO_LOOP, 0, 0, 0, (1, 128)),
            (M::SPMD_NO_LOOP, 0, 0, 3200 * 128 + 1, (3201, 128)),
        ] {
            let got = x(&LIMITS, &kernel(mode), teams, limit, trips);
            assert_eq!(got, expected, "{} teams {teams} limit {limit} trips {trips}", mode.name());
        }
    }

    #[test]
    fn bare_kernels_get_what_was_passed() {
        let request = Request { num_teams: [3, 4, 5], thread_limit: [6, 7, 8], trip_count: 1000 };
        let shape_of = |request| shape(&LIMITS, &kernel(ExecMode::BARE), request);
        assert_eq!(shape_of(&request), Shape { grid: [3, 4, 5], block: [6, 7, 8] });
        assert_eq!(shape_of(&Request::default()), Shape { grid: [1; 3], block: [1; 3] });
    }

    #[test]
    fn threads_are_bounded_by_kernel_function_and_device() {
        let spmd = kernel(ExecMode::SPMD);
        assert_eq!(x(&LIMITS, &KernelBounds { max_threads: 0, ..spmd }, 1, 2000, 0).1, 1024);
        assert_eq!(x(&LIMITS, &KernelBounds { max_threads: 512, ..spmd }, 1, 2000, 0).1, 512);
        assert_eq!(x(&LIMITS, &KernelBounds { function_max_threads: 96, ..spmd }, 1, 0, 0).1, 96);
        assert_eq!(x(&Limits { max_threads: 64, ..LIMITS }, &spmd, 1, 0, 0).1, 64);
        assert_eq!(x(&LIMITS, &KernelBounds { min_threads: 256, max_threads: 256, ..spmd }, 1, 0, 0).1, 256);
    }

    #[test]
    fn a_huge_limit_does_not_wrap_in_generic_mode() {
        assert_eq!(x(&LIMITS, &kernel(ExecMode::GENERIC), 1, u32::MAX, 0).1, 128);
    }

    #[test]
    fn a_no_loop_kernel_with_a_loop_keeps_to_limits() {
        let kernel = KernelBounds { any_league: true, ..kernel(ExecMode::SPMD_NO_LOOP) };
        for (teams, trips, expected) in [
            (0, 1000, (32, 32)),
            (0, 3200 * 128 + 1, (3201, 128)),
            (0, 10_000_000, (78_125, 128)),
            (0, 0, (3200, 128)),
            (7, 1000, (7, 128)),
        ] {
            assert_eq!(x(&LIMITS, &kernel, teams, 0, trips), expected, "teams {teams} trips {trips}");
        }
        assert_eq!(x(&Limits { max_teams: 10, ..LIMITS }, &kernel, 0, 0, 1_000_000).0, 10);
    }

    #[test]
    fn a_reduction_gets_no_more_teams_than_large_ones_that_run_at_once() {
        let reduces = KernelBounds { reduces: true, any_league: true, ..kernel(ExecMode::SPMD) };
        for (teams, limit, trips, expected) in [
            (0, 0, 8192, (64, 32)),
            (0, 0, 1, (1, 32)),
            (0, 0, 129, (2, 32)),
            (0, 0, 3200 * 32 + 1, (801, 64)),
            (0, 0, 3200 * 128, (2112, 128)),
            (0, 0, 10_000_000, (2112, 128)),
            (0, 0, 0, (2112, 128)),
            (0, 64, 1000, (16, 64)),
            (0, 64, 10_000_000, (3200, 64)),
            (7, 0, 1000, (7, 128)),
            (4000, 0, 10_000_000, (4000, 128)),
        ] {
            assert_eq!(x(&LIMITS, &reduces, teams, limit, trips), expected, "teams {teams} trips {trips}");
        }
        let small = Limits { threads_at_once: 64, ..LIMITS };
        assert_eq!(x(&small, &reduces, 0, 0, 10_000_000), (1, 128), "never none");
        let no_reuse = Limits { reuse_blocks: false, ..LIMITS };
        assert_eq!(x(&no_reuse, &reduces, 0, 0, 8192), (256, 32), "a team takes one part only");
        let of_clang = KernelBounds { any_league: false, ..reduces };
        assert_eq!(x(&LIMITS, &of_clang, 0, 0, 8192), (256, 32), "as LLVM does");
    }

    #[test]
    fn teams_with_several_iterations_are_as_many_as_run_at_once_or_a_multiple() {
        // (threads at once, trip count) -> teams
        for (at_once, trips, expected) in [
            (132 * 2048, 10_000_000, 4224),
            (132 * 2048, 3200 * 128, 3200),
            (132 * 2048, 4224 * 128, 4224),
            (132 * 1024, 10_000_000, 3168),
            (108 * 2048, 10_000_000, 3456),
            (128 * 1536, 10_000_000, 3072),
            (4 * 2048, 10_000_000, 3200),
            (100_000 * 128, 10_000_000, 78_125),
            (64, 10_000_000, 3200),
        ] {
            for mode in [ExecMode::SPMD, ExecMode::GENERIC_SPMD] {
                let known = KernelBounds { threads_at_once: Some(at_once), ..kernel(mode) };
                let trips = if mode == ExecMode::SPMD { trips } else { trips / 128 };
                assert_eq!(x(&LIMITS, &known, 0, 0, trips), (expected, 128), "{at_once} at once, {trips}");
            }
        }
        let known = KernelBounds { threads_at_once: Some(132 * 2048), ..kernel(ExecMode::SPMD) };
        assert_eq!(
            x(&LIMITS, &known, 0, 256, 10_000_000),
            (4224, 128),
            "of 128 threads, which is all it may have"
        );
        assert_eq!(x(&LIMITS, &known, 0, 64, 10_000_000), (3200, 64), "not known of small teams");
        assert_eq!(x(&LIMITS, &known, 3200, 0, 10_000_000), (3200, 128), "as asked for");
        assert_eq!(x(&LIMITS, &known, 0, 0, 0), (3200, 128));
        let no_reuse = Limits { reuse_blocks: false, ..LIMITS };
        assert_eq!(x(&no_reuse, &known, 0, 0, 10_000_000), (78_125, 128));
        let reduces = KernelBounds { reduces: true, any_league: true, ..known };
        assert_eq!(x(&LIMITS, &reduces, 0, 0, 10_000_000), (2112, 128));
        let of_many_registers = KernelBounds { threads_at_once: Some(132 * 512), ..reduces };
        assert_eq!(x(&LIMITS, &of_many_registers, 0, 0, 10_000_000), (528, 128));
    }

    #[test]
    fn long_loops_of_an_iteration_a_thread_have_large_teams() {
        let large = KernelBounds {
            any_league: true,
            max_threads: 256,
            threads_at_once: Some(132 * 2048),
            large_teams: true,
            ..kernel(ExecMode::SPMD_NO_LOOP)
        };
        let long = 4 * 132 * 2048;
        assert_eq!(x(&LIMITS, &large, 0, 0, long), (4224, 256));
        assert_eq!(x(&LIMITS, &large, 0, 0, long - 1), (8448, 128));
        assert_eq!(x(&LIMITS, &large, 0, 0, 1000), (32, 32));
        assert_eq!(x(&LIMITS, &large, 0, 128, long), (8448, 128), "as asked for");
        assert_eq!(x(&LIMITS, &large, 100, 0, long), (100, 128), "not for teams with many iterations");
        assert_eq!(x(&LIMITS, &KernelBounds { large_teams: false, ..large }, 0, 0, long), (8448, 128));
        let of_few_threads = KernelBounds { threads_at_once: Some(8192), ..large };
        assert_eq!(x(&LIMITS, &of_few_threads, 0, 0, 3200 * 256), (3200, 256));
        assert_eq!(
            x(&LIMITS, &of_few_threads, 0, 0, 3200 * 256 - 1),
            (6400, 128),
            "teams get smaller, not larger"
        );
        let limited = Limits { max_team_threads: 200, ..LIMITS };
        assert_eq!(x(&limited, &large, 0, 0, long), (8448, 128));
        let of_llvm = KernelBounds { any_league: false, ..large };
        assert_eq!(x(&LIMITS, &of_llvm, 0, 0, long), (4224, 256));
    }

    #[test]
    fn environment_limits() {
        let small = Limits { max_team_threads: 16, ..LIMITS };
        assert_eq!(x(&small, &kernel(ExecMode::SPMD), 1, 0, 0).1, 16);
        assert_eq!(
            x(&small, &kernel(ExecMode::GENERIC), 1, 0, 0).1,
            48,
            "16 workers and the main thread's warp"
        );
        assert_eq!(x(&small, &kernel(ExecMode::GENERIC), 1, 64, 0).1, 48);
        let few = Limits { max_teams: 10, ..LIMITS };
        assert_eq!(x(&few, &kernel(ExecMode::SPMD), 0, 0, 1000).0, 10);
        assert_eq!(x(&few, &kernel(ExecMode::SPMD), 20, 0, 0).0, 10);
        assert_eq!(x(&few, &kernel(ExecMode::SPMD_NO_LOOP), 0, 16, 1000).0, 63, "no iteration is left out");
        let no_reuse = Limits { reuse_blocks: false, ..LIMITS };
        assert_eq!(x(&no_reuse, &kernel(ExecMode::SPMD), 0, 0, 3200 * 128 * 2), (6400, 128));
        assert_eq!(x(&no_reuse, &kernel(ExecMode::GENERIC), 0, 0, 5000).0, 5000);
        assert_eq!(x(&no_reuse, &kernel(ExecMode::GENERIC), 0, 0, 0).0, 3200, "unknown is not endless");
        let wide = Limits { min_threads_for_low_trip_count: 64, ..LIMITS };
        assert_eq!(x(&wide, &kernel(ExecMode::SPMD), 0, 0, 1000), (16, 64));
    }
}
