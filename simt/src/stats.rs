//! What launches cost, written to a file: a line of JSON for each launch that ran to its end.

use crate::device::{LaunchConfig, LaunchStats};
use crate::mem::Heap;
use crate::report::{Report, ReportKind};
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The file.
pub(crate) struct StatsFile(Mutex<File>);

impl StatsFile {
    /// Opens the file that the environment names ([`crate::env::STATS`]). Lines are added to what is there, so that a
    /// program may start others.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn from_env() -> Result<Option<Self>, Report> {
        let path = std::env::var_os(crate::env::STATS).filter(|path| !path.is_empty());
        path.map(|path| Self::open(Path::new(&path))).transpose()
    }

    fn open(path: &Path) -> Result<Self, Report> {
        let file = File::options().create(true).append(true).open(path).map_err(|error| {
            let message =
                format!("{}={}: the file cannot be written: {error}", crate::env::STATS, path.display());
            Report::new(ReportKind::InvalidArgument, message)
        })?;
        Ok(Self(Mutex::new(file)))
    }

    /// Adds a launch.
    pub(crate) fn add(
        &self,
        kernel: &str,
        config: &LaunchConfig,
        stats: &LaunchStats,
        heap: &Heap,
        time: Duration,
    ) {
        let LaunchConfig { grid, block, dynamic_shared } = config;
        let Heap { limit, used, peak, refused, .. } = heap;
        let LaunchStats { warp_instructions, thread_instructions, barriers } = stats;
        // A name of PTX holds nothing that JSON would have to escape.
        let line = format!(
            "{{\"kernel\":\"{kernel}\",\"grid\":{grid:?},\"block\":{block:?},\"dynamic_shared\":{dynamic_shared},\
             \"thread_instructions\":{thread_instructions},\"warp_instructions\":{warp_instructions},\
             \"barriers\":{barriers},\"heap_limit\":{limit},\"heap_used\":{used},\"heap_peak\":{peak},\
             \"mallocs_refused\":{refused},\"nanoseconds\":{}}}\n",
            time.as_nanos()
        );
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A full disk is no reason to end the program.
        let _ = file.write_all(line.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_for_each_launch() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("stats");
        let config = LaunchConfig { grid: [1, 2, 3], block: [32, 1, 1], dynamic_shared: 7 };
        let stats = LaunchStats { warp_instructions: 10, thread_instructions: 320, barriers: 4 };
        let heap = Heap { limit: 100, used: 16, peak: 48, refused: 2, touched: true };
        for _ in 0..2 {
            StatsFile::open(&path).unwrap().add("k$1", &config, &stats, &heap, Duration::from_micros(5));
        }
        let line = "{\"kernel\":\"k$1\",\"grid\":[1, 2, 3],\"block\":[32, 1, 1],\"dynamic_shared\":7,\
                    \"thread_instructions\":320,\"warp_instructions\":10,\"barriers\":4,\"heap_limit\":100,\"heap_used\":16,\
                    \"heap_peak\":48,\"mallocs_refused\":2,\"nanoseconds\":5000}\n";
        assert_eq!(std::fs::read_to_string(&path).unwrap(), line.repeat(2));
        let report = StatsFile::open(folder.path()).err().unwrap();
        assert!(report.message.contains("OMPTARGET_SIMT_STATS="), "{report}");
    }
}
