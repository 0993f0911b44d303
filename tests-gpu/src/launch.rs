//! What the host runtime reports about the device and each launch (`LIBOMPTARGET_INFO=16`).

/// The value of `LIBOMPTARGET_INFO` that asks for these lines.
pub const LAUNCH_INFO: &str = "16";

/// One launch of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Launch {
    /// Symbol of the kernel.
    pub kernel: String,
    /// Teams in x, y, z.
    pub grid: [u32; 3],
    /// Threads of a team in x, y, z.
    pub block: [u32; 3],
    /// Name of the execution mode: `BARE`, `Generic`, `SPMD`, `Generic-SPMD`, `SPMD-No-Loop`.
    pub mode: String,
}

impl Launch {
    /// Reads `... Launching kernel <name> with [x,y,z] blocks and [x,y,z] threads in <mode> mode`.
    pub fn parse(line: &str) -> Option<Self> {
        let (_, rest) = line.split_once("Launching kernel ")?;
        let (kernel, rest) = rest.split_once(" with ")?;
        let (grid, rest) = rest.split_once(" blocks and ")?;
        let (block, rest) = rest.split_once(" threads in ")?;
        let mode = rest.trim_end().strip_suffix(" mode")?;
        Some(Self { kernel: kernel.into(), grid: triple(grid)?, block: triple(block)?, mode: mode.into() })
    }

    /// The region as a reader knows it, `function:line`, if the symbol is of the form that clang makes:
    /// `__omp_offloading_<device>_<file>_<function>_l<line>`.
    pub fn region(&self) -> String {
        let readable = || {
            let mut parts = self.kernel.strip_prefix("__omp_offloading_")?.splitn(3, '_');
            let (_device, _file) = (parts.next()?, parts.next()?);
            let (function, line) = parts.next()?.rsplit_once("_l")?;
            Some(format!("{function}:{line}"))
        };
        readable().unwrap_or_else(|| self.kernel.clone())
    }
}

/// All launches that a text reports, in its order.
pub fn launches(text: &str) -> Vec<Launch> {
    text.lines().filter_map(Launch::parse).collect()
}

/// The device that a text reports: its name, architecture and driver.
pub fn device(text: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let (_, name) = line.strip_prefix("omptarget device ")?.split_once(" info: ")?;
        name.ends_with(')').then(|| name.to_owned())
    })
}

/// `[x,y,z]`.
fn triple(text: &str) -> Option<[u32; 3]> {
    let mut numbers = text.strip_prefix('[')?.strip_suffix(']')?.split(',').map(|n| n.trim().parse().ok());
    let all = [numbers.next()??, numbers.next()??, numbers.next()??];
    numbers.next().is_none().then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "\"PluginInterface\" device 0 info: Launching kernel __omp_offloading_fe00_1_two_words_l4 with \
                        [782,1,1] blocks and [128,1,1] threads in Generic-SPMD mode";

    #[test]
    fn the_line_of_llvm_is_read() {
        let launch = Launch {
            kernel: "__omp_offloading_fe00_1_two_words_l4".into(),
            grid: [782, 1, 1],
            block: [128, 1, 1],
            mode: "Generic-SPMD".into(),
        };
        assert_eq!(launch.region(), "two_words:4");
        assert_eq!(launches(&format!("before\n{LINE}\nafter\n")), [launch]);
    }

    #[test]
    fn a_kernel_of_another_compiler_keeps_its_name() {
        let mut launch = Launch::parse(LINE).unwrap();
        launch.kernel = "my_kernel_l4".into();
        assert_eq!(launch.region(), "my_kernel_l4");
    }

    #[test]
    fn other_lines_are_no_launches() {
        for line in [
            "",
            "Launching kernel k",
            "Launching kernel k with [1,1] blocks and [1,1,1] threads in SPMD mode",
            "Launching kernel k with [1,1,1,1] blocks and [1,1,1] threads in SPMD mode",
            "Launching kernel k with [1,1,x] blocks and [1,1,1] threads in SPMD mode",
            "Launching kernel k with [1,1,1] blocks and [1,1,1] threads in SPMD",
        ] {
            assert_eq!(Launch::parse(line), None, "{line}");
        }
    }

    #[test]
    fn the_device_is_the_one_that_is_announced() {
        let text = format!("omptarget device 0 info: SIMT interpreter (sm_90, simt)\n{LINE}\n");
        assert_eq!(device(&text).as_deref(), Some("SIMT interpreter (sm_90, simt)"));
        assert_eq!(device(LINE), None);
    }
}
