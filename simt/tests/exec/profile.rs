//! Figures of the profile for kernels whose figures can be told by hand, read from the page as it is written.

use crate::{Bench, kernel, shape};
use serde_json::Value;
use simt::{DeviceConfig, LaunchConfig};
use std::collections::HashMap;

/// What the page says.
struct Page {
    data: Value,
}

/// Runs a kernel of [`kernel`] on one array of zeros of `words` words, `launches` times.
fn profiled(declarations: &str, body: &str, shape: LaunchConfig, words: usize, launches: usize) -> Page {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    let text = kernel(declarations, body);
    let b = Bench::prepared(&text, DeviceConfig::default(), |device| device.profile(path.clone()));
    let array = b.u32s(&vec![0; words]);
    for _ in 0..launches {
        b.run(shape, &[array]);
    }
    drop(b);
    Page::read(&std::fs::read_to_string(path).unwrap())
}

impl Page {
    fn read(html: &str) -> Self {
        let start = "<script type=\"application/json\" id=\"data\">";
        let from = html.find(start).unwrap() + start.len();
        let text = &html[from..from + html[from..].find("</script>").unwrap()];
        Self { data: serde_json::from_str(text).unwrap() }
    }

    fn named(&self, figures: &Value) -> HashMap<String, u64> {
        let names =
            self.data["fields"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned());
        names.zip(figures.as_array().unwrap().iter().map(|n| n.as_u64().unwrap())).collect()
    }

    /// A figure of the only kernel.
    fn total(&self, name: &str) -> u64 {
        self.named(&self.data["kernels"][0]["total"])[name]
    }

    fn totals<const N: usize>(&self, names: [&str; N]) -> [u64; N] {
        names.map(|name| self.total(name))
    }

    /// A figure of a line, by the end of the name of its text.
    fn line(&self, text: &str, line: u64, figure: &str) -> u64 {
        let rows = self.data["kernels"][0]["rows"].as_array().unwrap();
        let row = rows.iter().find(|row| {
            let number = row[0].as_u64().unwrap() as usize;
            self.data["texts"][number]["name"].as_str().unwrap().ends_with(text) && row[1] == line
        });
        self.named(&row.unwrap_or_else(|| panic!("no line {line} of {text}"))[2])[figure]
    }
}

/// `ld.global` with a stride of `bytes` among the lanes.
fn strided(bytes: u32) -> String {
    format!(
        "mul.lo.u32 %r5, %r2, {bytes};
         cvt.u64.u32 %rd4, %r5;
         add.s64 %rd5, %rd1, %rd4;
         ld.global.u32 %r6, [%rd5];"
    )
}

#[test]
fn coalescing_of_global_accesses() {
    for (stride, sectors, ideal) in [(4, 4, 4), (8, 8, 4), (32, 32, 4), (128, 32, 4), (0, 1, 1)] {
        let page = profiled("", &strided(stride), shape(1, 32), 1024, 1);
        let found = page.totals(["global", "sectors", "ideal", "global_bytes", "shared", "local"]);
        assert_eq!(found, [1, sectors, ideal, 128, 0, 0], "stride {stride}");
    }
}

#[test]
fn bank_conflicts_of_shared_accesses() {
    for (stride, passes) in [(4, 1), (8, 2), (128, 32), (132, 1), (0, 1)] {
        let body = format!(
            "mul.lo.u32 %r5, %r2, {stride};
             mov.u32 %r6, buffer;
             add.u32 %r6, %r6, %r5;
             st.shared.u32 [%r6], %r2;"
        );
        let page = profiled(".shared .align 4 .b8 buffer[8192];", &body, shape(1, 32), 1, 1);
        let found = page.totals(["shared", "passes", "ideal_passes", "shared_bytes", "global"]);
        assert_eq!(found, [1, passes, 1, 128, 0], "stride {stride}");
    }
}

#[test]
fn generic_addresses_count_where_they_lie() {
    let page = profiled(
        ".shared .align 4 .b8 buffer[128];",
        "mov.u64 %rd4, buffer;
         cvta.shared.u64 %rd5, %rd4;
         setp.lt.u32 %p1, %r2, 16;
         selp.b64 %rd6, %rd1, %rd5, %p1;
         st.u32 [%rd6], %r2;",
        shape(1, 32),
        1,
        1,
    );
    assert_eq!(page.totals(["global", "global_bytes", "shared", "shared_bytes"]), [1, 64, 1, 64]);
}

#[test]
fn divergence_counts_lanes_and_branches() {
    // Two warps; in the first one 8 lanes go another way for two instructions.
    let page = profiled(
        "",
        ".loc 1 5 1
         setp.lt.u32 %p1, %r2, 8;
         .loc 1 6 1
         @%p1 bra there;
         .loc 1 7 1
         add.u32 %r6, %r6, 1;
         bra join;
         .loc 1 9 1
         there: add.u32 %r6, %r6, 2;
         add.u32 %r6, %r6, 3;
         join: .loc 1 10 1
         add.u32 %r6, %r6, 4;",
        shape(1, 64),
        1,
        1,
    );
    assert_eq!(page.totals(["branches", "splits"]), [2, 1]);
    let line = |n, figure| page.line("?", n, figure);
    assert_eq!((line(6, "executions"), line(6, "threads")), (2, 64));
    assert_eq!((line(7, "executions"), line(7, "threads")), (4, 2 * 24 + 2 * 32));
    assert_eq!((line(9, "executions"), line(9, "threads")), (2, 2 * 8));
    assert_eq!((line(10, "threads") % 64, line(10, "splits")), (0, 0));
    let lanes = &page.data["kernels"][0]["lanes"];
    assert_eq!((&lanes[8], &lanes[24]), (&Value::from(2), &Value::from(2)));
}

#[test]
fn waits_are_those_of_work_spread_unevenly() {
    // Warp 1 executes two instructions for each of 100 rounds more; warp 0 waits for them, whoever runs first.
    let page = profiled(
        "",
        "mov.u32 %r5, 0;
         setp.lt.u32 %p1, %r2, 32;
         @%p1 bra done;
         loop: add.u32 %r5, %r5, 1;
         setp.lt.u32 %p2, %r5, 100;
         @%p2 bra loop;
         done: bar.sync 0;
         bar.sync 0;",
        shape(3, 64),
        1,
        1,
    );
    assert_eq!(page.totals(["arrivals", "wait"]), [3 * 4, 3 * 300]);
    let barriers = page.data["kernels"][0]["barriers"].as_array().unwrap();
    assert_eq!((barriers.len(), &barriers[0][1], &barriers[0][2]), (2, &Value::from(6), &Value::from(900)));
    assert_eq!(barriers[1][2], 0);
}

#[test]
fn launches_memory_and_ptx_lines_are_on_the_page() {
    let page = profiled("", &strided(4), shape(2, 32), 1 << 20, 1000);
    let kernel = &page.data["kernels"][0];
    assert_eq!(
        (&kernel["launches"], &kernel["ctas"], &kernel["name"]),
        (&1000.into(), &2000.into(), &"k".into())
    );
    assert_eq!(page.data["launches"].as_array().unwrap().len(), 1000);
    let peak = page.data["peak"].as_u64().unwrap();
    assert!((4 << 20..5 << 20).contains(&peak), "{peak}");
    // Without .loc the lines are those of the PTX, with their text beside them.
    let text = &page.data["texts"][0];
    assert_eq!(text["name"], "k: instructions without a source line");
    let load =
        text["lines"].as_array().unwrap().iter().find(|l| l[1].as_str().unwrap().contains("ld.global.u32"));
    let number = load.unwrap()[0].as_u64().unwrap();
    assert_eq!(page.line("without a source line", number, "sectors"), 2000 * 4);
}

#[test]
fn sums_are_those_of_the_launch() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    let body =
        "setp.lt.u32 %p1, %r2, 5; @%p1 add.u32 %r5, %r5, 1; @%p1 bra out; mov.u32 %r6, 1; out: bar.sync 0;";
    let b =
        Bench::prepared(&kernel("", body), DeviceConfig::default(), |device| device.profile(path.clone()));
    let stats = b.run(shape(3, 100), &[0]);
    b.device.finish();
    let page = Page::read(&std::fs::read_to_string(path).unwrap());
    assert_eq!(page.total("executions"), stats.warp_instructions);
    assert_eq!(page.total("threads"), stats.thread_instructions);
}

#[test]
fn a_failed_launch_leaves_a_page_and_nothing_ends_the_data_early() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    let text = kernel("// </script><!-- <b>", "trap; // </script>");
    let b = Bench::prepared(&text, DeviceConfig::default(), |device| device.profile(path.clone()));
    b.fail(shape(1, 32), &[0]);
    let page = Page::read(&std::fs::read_to_string(&path).unwrap());
    assert_eq!(page.data["launches"][0][8], true);
    assert!(page.data["texts"].to_string().contains("</script>"));
}
