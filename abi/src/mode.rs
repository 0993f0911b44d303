//! Execution modes of a kernel (LLVM: `OMPTgtExecModeFlags`), stored in byte 2 of its configuration.

/// An execution mode as the compiler wrote it. A newtype and not an enum: an image may hold any byte.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
pub struct ExecMode(pub u8);

impl ExecMode {
    /// No OpenMP state (`ompx_bare`, or no kernel environment at all): grid and block are used as passed.
    pub const BARE: Self = Self(0);
    /// One main thread runs serial code, the workers wait for parallel regions.
    pub const GENERIC: Self = Self(1);
    /// All threads run user code.
    pub const SPMD: Self = Self(2);
    /// Generic source that the optimiser converted to SPMD; it keeps the launch rules of generic kernels.
    pub const GENERIC_SPMD: Self = Self(3);
    /// SPMD with one loop iteration for each thread (LLVM 22). Our passes make such kernels that are right with fewer
    /// threads, too: the `min_teams` of their environment is 1.
    pub const SPMD_NO_LOOP: Self = Self(6);

    /// Whether every thread runs user code: all that the device runtime asks.
    pub const fn is_spmd(self) -> bool {
        self.0 & Self::SPMD.0 != 0
    }

    /// Whether the source has code outside of parallel regions, which one thread runs.
    pub const fn has_serial_code(self) -> bool {
        self.0 & Self::GENERIC.0 != 0
    }

    /// The name that messages use, as in LLVM's "Launching kernel" line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::BARE => "BARE",
            Self::GENERIC => "Generic",
            Self::SPMD => "SPMD",
            Self::GENERIC_SPMD => "Generic-SPMD",
            Self::SPMD_NO_LOOP => "SPMD-No-Loop",
            _ => "unknown",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ExecMode;

    #[test]
    fn only_bit_one_means_spmd() {
        assert!(!ExecMode::BARE.is_spmd() && !ExecMode::GENERIC.is_spmd() && !ExecMode(4).is_spmd());
        assert!(
            ExecMode::SPMD.is_spmd() && ExecMode::GENERIC_SPMD.is_spmd() && ExecMode::SPMD_NO_LOOP.is_spmd()
        );
    }
}
