//! Every `cu*` symbol that cust's library leaves undefined is in the table that the forwarders are made from.

use cust as _;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Undefined `cu*` symbols of an archive.
fn undefined(library: &Path) -> BTreeSet<String> {
    let output = Command::new("nm").arg("--undefined-only").arg(library).output().expect("nm, of binutils");
    assert!(output.status.success(), "nm {}", library.display());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let names = text.lines().filter_map(|line| line.trim().strip_prefix("U "));
    names.filter(|name| name.starts_with("cu")).map(str::to_owned).collect()
}

#[test]
fn nothing_that_cust_links_is_missing() {
    let test = std::env::current_exe().unwrap();
    let files = std::fs::read_dir(test.parent().unwrap()).unwrap().map(|entry| entry.unwrap().path());
    let is_cust = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("libcust-") && name.ends_with(".rlib")
    };
    let needed: BTreeSet<String> =
        files.filter(|path| is_cust(path)).flat_map(|path| undefined(&path)).collect();
    assert!(needed.len() > 50 && needed.contains("cuInit"), "cust's own library was found: {needed:?}");
    let missing: Vec<_> = needed.iter().filter(|name| simt::driver::find(name).is_none()).collect();
    // A float is passed otherwise than an integer, and a forwarder for these has no user.
    assert_eq!(missing, Vec::<&String>::new());
}
