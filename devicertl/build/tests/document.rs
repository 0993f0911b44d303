//! `docs/device-runtime.md` says what each function does. It must name those of abi's tables, tell apart what the runtime
//! exports and what not, and count right.

use abi::table::{self, Entry, Llvm, Owner, device};
use devicertl_build::{exports::Exports, root};
use std::collections::{BTreeMap, BTreeSet};

const FILE: &str = "../docs/device-runtime.md";

/// A row of the document for one function.
struct Row {
    kind: String,
    file: String,
    why: String,
}

/// `a_{4,8}` is two names.
fn names(cell: &str) -> Vec<String> {
    match cell.split_once('{') {
        None => vec![cell.to_owned()],
        Some((start, ends)) => {
            ends.trim_end_matches('}').split(',').map(|end| format!("{start}{end}")).collect()
        }
    }
}

fn rows(text: &str) -> BTreeMap<String, Row> {
    let mut rows = BTreeMap::new();
    for line in text.lines() {
        let cells: Vec<_> = line.trim_matches('|').split('|').map(|c| c.trim().trim_matches('`')).collect();
        let [function, kind @ ("real" | "trivial" | "not on a device"), file, why] = cells[..] else {
            continue;
        };
        for name in names(function) {
            let row = Row { kind: kind.to_owned(), file: file.to_owned(), why: why.to_owned() };
            assert!(rows.insert(name.clone(), row).is_none(), "{name} stands twice in {FILE}");
        }
    }
    rows
}

/// The entries of all versions of the table, some more than once.
fn entries() -> impl Iterator<Item = &'static Entry> {
    Llvm::ALL.into_iter().flat_map(table::entries)
}

fn document() -> String {
    std::fs::read_to_string(root().join(FILE)).unwrap()
}

#[test]
fn it_names_every_function() {
    let rows = rows(&document());
    let of_table = entries().filter(|entry| !entry.host_only).map(|entry| entry.name);
    let wanted: BTreeSet<_> = of_table.chain(device::all().map(|function| function.name)).collect();
    let named: BTreeSet<_> = rows.keys().map(String::as_str).collect();
    let missing: Vec<_> = wanted.difference(&named).collect();
    let unknown: Vec<_> = named.difference(&wanted).collect();
    assert!(missing.is_empty() && unknown.is_empty(), "{FILE}: missing {missing:?}, in no table {unknown:?}");
}

#[test]
fn it_says_what_the_runtime_has() {
    let exports = Exports::read(&root()).unwrap().runtime;
    let mut wrong = Vec::new();
    for (name, row) in rows(&document()) {
        if exports.contains(&name) == (row.kind == "not on a device") {
            wrong.push(format!("{name} is '{}' and expected/runtime.txt says otherwise", row.kind));
        }
        if row.kind != "real" && row.why.is_empty() {
            wrong.push(format!("{name}: why is it '{}'?", row.kind));
        }
        if row.kind != "not on a device" {
            let source = std::fs::read_to_string(root().join(&row.file)).unwrap_or_default();
            // The names of a family are made by macros.
            let stem = name.trim_end_matches(['4', '8', 'u']).trim_end_matches('_');
            if !source.contains(stem) {
                wrong.push(format!("{name} is not in '{}'", row.file));
            }
        }
    }
    assert!(wrong.is_empty(), "{FILE}:\n{}", wrong.join("\n"));
}

#[test]
fn it_counts_right() {
    let (text, mut counts) = (document(), BTreeMap::new());
    for row in rows(&document()).into_values() {
        *counts.entry(row.kind).or_insert(0) += 1;
    }
    for (kind, count) in counts {
        assert!(text.contains(&format!("| {kind} | {count} |")), "{FILE}: {count} functions are '{kind}'");
    }
}

#[test]
fn what_a_device_must_have_is_there() {
    // The functions that LLVM's runtime has, and those that only a device can have.
    let rows = rows(&document());
    let owned = entries().filter(|e| matches!(e.owner, Owner::Device | Owner::Both));
    for name in owned.map(|e| e.name).chain(device::all().map(|f| f.name)) {
        assert_ne!(rows[name].kind, "not on a device", "{name}");
    }
}
