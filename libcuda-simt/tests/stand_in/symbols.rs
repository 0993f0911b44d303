//! The library exports the entries of the driver and nothing else, under the driver's name.

use crate::again::library;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

fn tool(name: &str, arguments: &[&str], file: &Path) -> String {
    let output = Command::new(name).args(arguments).arg(file).output().expect("binutils");
    assert!(output.status.success(), "{name} {}", file.display());
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn the_exports_are_the_list() {
    let text = tool("nm", &["--dynamic", "--defined-only"], &library());
    let exported: BTreeSet<&str> = text.lines().filter_map(|line| line.split_whitespace().nth(2)).collect();
    let listed = [simt::driver::NAMES, simt::driver::per_thread::NAMES].concat();
    assert_eq!(exported, BTreeSet::from_iter(listed.iter().copied()));
    assert!(exported.len() > 200);
}

#[test]
fn it_has_the_name_of_the_driver_and_needs_no_other() {
    let text = tool("readelf", &["--dynamic", "--wide"], &library());
    let of = |kind: &str| text.lines().filter(|line| line.contains(kind)).collect::<Vec<_>>().join("\n");
    assert!(of("(SONAME)").contains("[libcuda.so.1]"), "{text}");
    let needed = of("(NEEDED)");
    assert!(needed.contains("libc.so") && !needed.contains("cuda"), "{needed}");
}
